# The options that rules give to their steps and commands, made of config and tables. No rule lives here.
#
# INPUTS   config and what common.smk made of it
# OUTPUTS  the functions and constants below
from modtok.core.errors import ConfigError
from modtok.surgery.scripts import check_names


def optional(option, value):
    """An option with its value, or nothing where there is no value."""
    return [option, value] if value else []


def lid_floor(lang):
    """Recall below which the language-ID model is refused for the language."""
    return by_language(config["corpus"]["language_id"]["floor"], lang)


def may_be_empty(wildcards):
    """A language whose model may miss nine tenths of it may be missed whole: then a warning, not an error."""
    return ["--may-be-empty"] if lid_floor(wildcards.lang) < 0.1 else []


def quality_text(kind, lang):
    """Glob of the language's positive or negative texts, or nothing."""
    pattern = by_language(config["corpus"]["quality"][kind], lang)
    return pattern.replace("{lang}", lang) if pattern else ""


def quality_texts(wildcards):
    """Options that name the texts of a language's quality classifier."""
    positive, negative = (
        quality_text(kind, wildcards.lang) for kind in ("positive", "negative")
    )
    return ["--positive", positive, *optional("--negative", negative)]


def delete_downloads(wildcards):
    """The option that removes a shard's downloads once it is written, unless they are to be kept."""
    folder = f"results/corpus/downloads/{wildcards.shard}"
    return optional(
        "--delete-downloads", "" if config["corpus"]["keep_downloads"] else folder
    )


def near_options():
    """Options of near-duplicate removal, none where it is off."""
    near = config["corpus"]["deduplication"]["near"]
    options = [
        "--near-threshold",
        near["threshold"],
        "--near-permutations",
        near["permutations"],
        "--seed",
        config["seed"],
    ]
    return options if near["enabled"] else []


def training_options(wildcards):
    """Options of `modtok train`; a Unigram tokenizer always has characters and knows no least frequency."""
    return BPE_OPTIONS if wildcards.model == "bpe" else COVERAGE_OPTIONS


def earlier_step(wildcards):
    """The step of sequential training before a language's own; none for the first language."""
    earlier = LANGS[: LANGS.index(wildcards.lang)][-1:]
    return [f"{SEQUENTIAL_STEPS}/{lang}/tokenizer.json" for lang in earlier]


def sequential_command(wildcards):
    """What trains the first language, or adds one to the step before."""
    earlier = [str(Path(file).parent) for file in earlier_step(wildcards)]
    alphabet = ["--alphabet", config["tokenizers"]["alphabet"]]
    start = ["train", "sequential-bpe", *alphabet, *SEED_OPTIONS]
    return ["append", *earlier] if earlier else start


def modular_part(file):
    """A file of what a language is taken out of: of sequential BPE its own step, which later languages do not change."""
    return branch(
        lambda wildcards: wildcards.modular == "sequential-bpe",
        then=f"{SEQUENTIAL_STEPS}/{{lang}}/{file}",
        otherwise=f"results/tokenizers/{{modular}}/{file}",
    )


def named_options(option, path, langs=None):
    """An option LANG=PATH once per language; {lang} in the path stands for the code."""
    return [
        part
        for lang in langs or LANGS
        for part in (option, f"{lang}={path.format(lang=lang)}")
    ]


def em_options():
    """Options of `modtok train merged-unigram`."""
    em = config["tokenizers"]["em"]
    return [part for key, value in em.items() for part in (f"--{key}", value)]


def tokenizer_langs(wildcards):
    """LANG=FLORES of the languages that a tokenizer is counted on: a monolingual one's own, else all."""
    return [flores_code(lang) for lang in languages_of(wildcards.tokenizer, LANGS)]


def flores_code(lang):
    """LANG=FLORES, as the steps that read parallel sets want it."""
    return f"{lang}={LANGUAGES.loc[lang, 'flores']}"


def source_files():
    """The local paths and globs of corpus.sources; a local list of WARC files stands for what it names."""
    entries = config["corpus"]["sources"]
    return [
        path
        for entry in entries
        for path in entry.get("text", {"": entry.get("warc")}).values()
    ]


def files_digest(patterns):
    """Changes when paths or globs come to name other files, or what is in them changes.

    Files outside the run are no inputs of rules, since their times mean nothing. Small ones count by content, larger
    ones by size: reading a crawl would take longer than many a job. A folder stands for the files in it; what is not
    there (a URL, a hub id) for its name.
    """
    files = {
        file
        for pattern in patterns
        for path in glob(str(pattern), recursive=True)
        for file in (Path(path).rglob("*") if os.path.isdir(path) else [Path(path)])
        if file.is_file()
    }
    return digest(
        *(f"{file} {mark(file)}" for file in sorted(files)), *map(str, patterns)
    )


def mark(file):
    """What tells a file from another version of it."""
    size = file.stat().st_size
    return file_digest(file) if size <= 1_000_000 else size


def order_of(wildcards):
    """The languages in the order of that number."""
    return ORDERS[int(wildcards.order) - 1]


def sequential_in_order(wildcards):
    """The sequential BPE learned in an order; the first one is the run's own."""
    suffix = "" if wildcards.order == "1" else f"-order{wildcards.order}"
    return f"results/tokenizers/sequential-bpe{suffix}/tokenizer.json"


def table_options(langs):
    """LANG=TOKENIZER of the monolingual BPE tokenizers."""
    return [
        f"{lang}=results/tokenizers/mono-bpe-{lang}/tokenizer.json" for lang in langs
    ]


def model_shape(name):
    """NAME=SHAPE of a model, its shape as `modtok plan` takes it."""
    row = MODELS.loc[name].drop("name")
    return f"{name}=" + ",".join(f"{key}={value}" for key, value in row.items())


def item_inputs(wildcards):
    """The files that a table or figure is made from."""
    return ITEMS[wildcards.item].inputs


def item_code(wildcards):
    """A digest of what makes a table or figure, so that an edit of another one does not run it again.

    Of the modules of tables or figures its own function counts and what that uses, of the declarations its own.
    """
    item = ITEMS[wildcards.item]
    files = Path(workflow.basedir, "workflow/modtok/reporting").glob(
        f"*{item.kind}s.py"
    )
    only = {f"reporting.{file.stem}": [item.name] for file in files}
    only["reporting.items"] = ["Item"]
    code = code_digest(f"steps.{item.kind}", only=only, apart=["reporting.items.ITEMS"])
    return digest(code, repr(item))


def reporting_options():
    """What every table and figure has to know of the run."""
    names = [f"{lang}={LANGUAGES.loc[lang, 'name']}" for lang in LANGS]
    titles = [
        f"{name}={OPEN_TOKENIZERS['title'].get(name, name)}" for name in IMPORTED_PATHS
    ]
    extracted = map(extracted_family, MODULAR)
    shown = ["--tokenizers", *TOKENIZERS, *extracted, "--open-titles", *titles]
    options = ["--langs", *names, *shown]
    return [*options, "--dataset", DATASET, "--budget", config["tokenizers"]["budget"]]


def check_surgery():
    """Stop at once where the section names what is in no table, or a share has no language."""
    named = {*MEASURED, *SURGERY["spared"]["languages"], *SURGERY["corpora"]}
    missing = sorted(named - set(LANGUAGES.index))
    if missing:
        raise WorkflowError(
            f"surgery: no row in languages.tsv for {', '.join(missing)}; add one to config/languages.tsv"
        )
    known = {"default", *OPEN_TOKENIZERS.index, *SURGERY_PATHS, *BYTE_BPE}
    strange = sorted(SURGERY["slots"].keys() - known)
    if strange:
        raise WorkflowError(
            f"surgery.slots: no tokenizer {', '.join(strange)}; name one as in surgery.tokenizers"
        )
    try:
        for key in ("delete_scripts", "keep_scripts"):
            check_names(f"surgery.{key}", SURGERY[key])
        check_names("surgery.target_script", [SURGERY["target_script"]])
    except ConfigError as error:
        raise WorkflowError(str(error))
    if SURGERY["spared"]["shares"] and not SURGERY["spared"]["languages"]:
        raise WorkflowError(
            "surgery.spared: shares, but no languages to share; name some, or leave shares empty"
        )


def surgery_slots(wildcards):
    """The rows to free of a tokenizer."""
    slots = SURGERY["slots"]
    return slots.get(wildcards.subject.removeprefix("open-"), slots["default"])


def spared_options(wildcards):
    """The options of a donor that learns other languages, too."""
    share = DONORS[wildcards.donor]
    paths = [("--spare", f"{lang}={path}") for lang, path in SPARED.items()]
    options = [part for option in paths for part in option]
    return [*options, "--spare-share", share] if share else []


# The commands turn options into calls, so their own sources count too, but not all that other commands import.
COMMANDS = (
    "cli",
    "cli_concatenated",
    "cli_export",
    "cli_modular",
    "cli_options",
    "cli_unigram",
)
TRAINING_CODE = {
    "sequential-bpe": code_digest(
        "tokenization.sequential_bpe",
        "tokenization.word_count_files",
        doorways=COMMANDS,
    ),
    "bpe": code_digest(
        "tokenization.bpe",
        "tokenization.hf_format",
        "tokenization.word_count_files",
        doorways=COMMANDS,
    ),
    "unigram": code_digest(
        "tokenization.unigram_format",
        "tokenization.word_count_files",
        doorways=COMMANDS,
    ),
    "merged-unigram": code_digest(
        "tokenization.merged_unigram",
        "tokenization.modular_unigram",
        "tokenization.word_count_files",
        doorways=COMMANDS,
    ),
    "frequency-unigram": code_digest(
        "tokenization.frequency_extraction",
        "tokenization.modular_unigram",
        "tokenization.word_count_files",
        doorways=COMMANDS,
    ),
}
COVERAGE_OPTIONS = [
    "--character-coverage",
    config["tokenizers"]["character_coverage"],
]
BPE_OPTIONS = [
    *COVERAGE_OPTIONS,
    "--alphabet",
    config["tokenizers"]["alphabet"],
    "--min-frequency",
    config["tokenizers"]["min_frequency"],
]
SEED_TABLE = config["tokenizers"]["seed_table"]
SEED_OPTIONS = optional("--seed-table", SEED_TABLE)
SEED_FILES = files_digest([SEED_TABLE] if SEED_TABLE else [])
WORD_COUNTS = named_options("--counts", "results/corpus/word_counts/{lang}.parquet")
# What the run reads from outside, by name and size.
PARALLEL_FILES = files_digest(PARALLEL_PATHS)
LID_MODEL = config["corpus"]["language_id"]["model"]
NEAR_OPTIONS = near_options()
REPORTING_OPTIONS = reporting_options()
SURGERY = config["surgery"]
# Method -> the share of other languages in the donor's words.
DONORS = {"guided": 0} | {
    f"spared{round(100 * share)}": share for share in SURGERY["spared"]["shares"]
}
METHODS = [*DONORS, *SURGERY["baselines"]]
SURGERY_CORPORA = {
    lang: f"results/corpus/word_counts/{lang}.parquet" for lang in SURGERY["corpora"]
}
SPARED = {
    lang: f"results/corpus/word_counts/{lang}.parquet"
    for lang in SURGERY["spared"]["languages"]
}
MEASURED = list(
    dict.fromkeys(
        [SURGERY["target"], *(lang for group in SURGERY["groups"] for lang in group)]
    )
)
