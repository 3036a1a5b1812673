# The options of surgery's rules, made of config and tables. No rule lives here.
#
# INPUTS   section surgery of the config
# OUTPUTS  the functions and constants below; an error where the section fits neither the tables nor itself
from modtok.core.errors import ConfigError
from modtok.surgery.scripts import check_names


def check_surgery():
    """Stop at once where the section names what is in no table, or a share has no language."""
    named = {*MEASURED, *SURGERY["spared"]["languages"], *SURGERY["corpora"]}
    check_rows("surgery", named, LANGUAGES, "languages.tsv")
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

check_surgery()
