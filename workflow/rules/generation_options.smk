# The options of what models are asked to write and judged by, made of config and tables. No rule lives here.
#
# INPUTS   sections evaluation.translation, .summarization and .routing of the config
# OUTPUTS  the functions and constants below; an error where the config does not fit
TRANSLATION = config["evaluation"]["translation"]
ROUTING = config["evaluation"]["routing"]
SPBLEU = (TRANSLATION["spbleu"] or {}).get("path")
SPBLEU_CHECKED = "results/generations/spbleu.tsv"
# What the step reads of these sections; files are named to it by set and language.
AMOUNTS = json.dumps(
    {
        "translation": {key: TRANSLATION[key] for key in ("shots", "lines")},
        "summarization": {
            key: DOCUMENTED[key] for key in ("name", "shots", "lines", "limit")
        },
    }
)
# What models have to be asked for routing; the thresholds are for what is made of their answers.
ROUTED = json.dumps({key: ROUTING[key] for key in ("candidates", "lines")})


def check_generation():
    """Stop at once where a file cannot be told from another, or thresholds are the wrong way round."""
    for key in ("path", "shots_from"):
        path = DOCUMENTED[key]
        if path and len(SUMMARIZED) > 1 and "{lang}" not in path:
            raise WorkflowError(
                f"evaluation.summarization.{key}: {path} has no {{lang}}, which stands for the code of a language; add it"
            )
    if ROUTING["unsure"] > ROUTING["sure"]:
        raise WorkflowError(
            f"evaluation.routing: unsure, {ROUTING['unsure']}, is above sure, {ROUTING['sure']}; swap them"
        )


def documents(key):
    """LANG=PATH of the files of summarization, or of those that its shots come from."""
    path = DOCUMENTED[key] or ""
    langs = SUMMARIZED if path else []
    return [f"{lang}={path.replace('{lang}', lang)}" for lang in langs]


def splits():
    """NAME=PATH of the splits that shots of translation come from."""
    sets = config["evaluation"]["parallel"]
    return [f"{one['name']}={one['shots']}" for one in sets if "shots" in one]


check_generation()
# What is read from outside, by name and content.
GENERATION_FILES = files_digest(
    [
        *(named.partition("=")[2] for named in splits()),
        *(
            named.partition("=")[2]
            for key in ("path", "shots_from")
            for named in documents(key)
        ),
    ]
)
