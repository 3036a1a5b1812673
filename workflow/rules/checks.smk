# What stops a run at once: sections of the config that fit neither the tables nor each other.
#
# INPUTS   config and what common.smk made of it
# OUTPUTS  an error of one line that names key, value and remedy
from collections import Counter


def check_labels():
    """Stop at once where a label of the language-ID model counts as two languages: a page has one."""
    counts = Counter(label for lang in LANGS for label in lid_labels(lang))
    twice = [label for label, count in counts.items() if count > 1]
    if twice:
        raise WorkflowError(
            f"corpus.language_id.labels: {', '.join(twice)} counts as two languages; give it to one"
        )


def check_mixture():
    """Stop at once where the shares of the run's languages add up to more than all."""
    total = sum(config["corpus"]["mixture"].get(lang, 0) for lang in LANGS)
    if total > 1 + 1e-9:
        raise WorkflowError(
            f"corpus.mixture: the shares add up to {total:g}, more than 1; lower them"
        )


def check_seed():
    """Stop at once where a foreign table, whose alphabet is bytes, cannot be learned on top of."""
    tokenizers = config["tokenizers"]
    if tokenizers["seed_table"] and tokenizers["alphabet"] != "bytes":
        raise WorkflowError(
            "tokenizers.seed_table: such a table goes with alphabet: bytes; set that, or leave the table out"
        )


def check_asked():
    """Stop at once where questions or summaries are in a language that is in no table."""
    evaluation = config["evaluation"]
    asked = [entry["languages"] for entry in evaluation["multiple_choice"]]
    named = {lang for langs in asked if langs != "all" for lang in langs}
    check_rows("evaluation.multiple_choice", named, LANGUAGES, "languages.tsv")
    summarized = evaluation["summarization"]["languages"]
    check_rows("evaluation.summarization", summarized, LANGUAGES, "languages.tsv")


def check_texts():
    """Stop at once where texts are in a language that is in no table: a code misspelt would be a language."""
    sources = config["corpus"]["sources"]
    named = {lang for entry in sources for lang in entry.get("text", ())}
    check_rows("corpus.sources", sorted(named), LANGUAGES, "languages.tsv")


check_texts()
check_labels()
check_mixture()
check_seed()
check_asked()
