# The options of the rules of multiple choice, made of the config. No rule lives here.
#
# INPUTS   section evaluation.multiple_choice of the config
# OUTPUTS  BENCHMARKS, their list, and the functions below; an error where the config does not fit
ZERO_SHOT = ("hellaswag", "belebele")


def benchmarks():
    """(task, lang) -> entry of the config. Stop at once where one cannot be."""
    found = {}
    for entry in config["evaluation"]["multiple_choice"]:
        check_benchmark(entry)
        named = LANGS if entry["languages"] == "all" else entry["languages"]
        for lang in named:
            if (entry["task"], lang) in found:
                raise WorkflowError(
                    f"evaluation.multiple_choice: {entry['task']} comes twice in '{lang}'; leave one out"
                )
            if lang in LANGS:
                found[entry["task"], lang] = entry
    return found


def check_benchmark(entry):
    """Stop at once where an entry lacks shots, has some that are of no use, or one file for several languages."""
    name = f"evaluation.multiple_choice: {entry['task']}"
    if ("shots" in entry) == (entry["task"] in ZERO_SHOT):
        raise WorkflowError(
            f"{name} is asked without examples; remove `shots`"
            if "shots" in entry
            else f"{name} needs `shots`, a file, or for the hub a split, whose first five items are its examples"
        )
    several = entry["languages"] == "all" or len(entry["languages"]) > 1
    texts = [entry["path"]] if "path" in entry else list(entry["hub"].values())
    if several and not any("{lang}" in text or "{flores}" in text for text in texts):
        raise WorkflowError(
            f"{name} has one file or data set for several languages, {', '.join(texts)}; put {{lang}} or {{flores}} in "
            "its name"
        )


def benchmark_path(key, task, lang):
    """The file of a benchmark's items (`path`) or shots (`shots`); empty where it has none."""
    entry = BENCHMARKS[task, lang]
    if "hub" not in entry:
        return in_language(entry.get(key, ""), lang)
    if key == "path":
        return f"results/benchmarks/{task}/{lang}.jsonl"
    return f"results/benchmarks/{task}/{lang}.shots.jsonl" if key in entry else ""


def in_language(text, lang):
    """A setting whose {lang} stands for the language's code, {flores} for its name in FLORES."""
    return text.replace("{lang}", lang).replace(
        "{flores}", LANGUAGES.loc[lang, "flores"]
    )


def fetched(wildcards):
    """Options of what is fetched: data set, configuration, splits."""
    entry = BENCHMARKS[wildcards.task, wildcards.lang]
    name = in_language(entry["hub"].get("config", ""), wildcards.lang)
    split = ["--split", entry["hub"]["split"], *optional("--name", name)]
    return [
        "--hub",
        entry["hub"]["id"],
        *split,
        *optional("--shots", entry.get("shots")),
    ]


# The forms of tasks are no Python, so the digest of the code does not know them.
FORMS = digest(
    *(
        file_digest(form)
        for form in sorted(
            Path(workflow.basedir, "workflow/modtok/evaluation/tasks").glob("*.yaml")
        )
    )
)
BENCHMARKS = benchmarks()
BENCHMARK_LIST = [
    {
        "task": task,
        "lang": lang,
        "path": benchmark_path("path", task, lang),
        "shots_path": benchmark_path("shots", task, lang),
        "lines": entry.get("lines", "all"),
    }
    for (task, lang), entry in BENCHMARKS.items()
]
FETCHED = [key for key, entry in BENCHMARKS.items() if "hub" in entry]
