# Which tables and figures a run has: all but those of what it does not do. No rule lives here.
#
# INPUTS   config and what common.smk made of it
# OUTPUTS  LEFT_OUT, what items.py calls the kinds that are left out; TABLES and FIGURES; SUMMARIZED, languages
from modtok.reporting.items import items

# Where nothing is operated on, tables of surgery are made by their own names only, to say so.
LEFT_OUT = [] if SUBJECTS else ["surgery"]
# So are those of models, where none are trained.
TRAINS = config["pretraining"]["tokenizers"] and config["pretraining"]["regimes"]
LEFT_OUT += [] if TRAINS else ["pretraining"]
# Models translate from English, summarize where there are documents, and route between subtokenizers.
DOCUMENTED = config["evaluation"]["summarization"]
SUMMARIZED = [
    lang for lang in DOCUMENTED["languages"] if DOCUMENTED["path"] and lang in LANGS
]
TRANSLATES = TRAINS and "en" in LANGS and len(LANGS) > 1
LEFT_OUT += [] if TRANSLATES else ["translation"]
LEFT_OUT += [] if TRAINS and SUMMARIZED else ["summarization"]
# Tables of one kind of tokenizer show questions with choices and translation, so one of the two is needed.
CHOOSES = any(
    entry["languages"] == "all" or set(entry["languages"]) & set(LANGS)
    for entry in config["evaluation"]["multiple_choice"]
)
LEFT_OUT += [
    f"{kind} models"
    for kind in ("bpe", "unigram")
    if not (TRAINS and (CHOOSES or TRANSLATES))
    or not any(name.endswith(kind) for name in config["pretraining"]["tokenizers"])
]
ROUTES = TRAINS and set(config["pretraining"]["regimes"]) != {BASELINE}
LEFT_OUT += [] if ROUTES else ["routing"]
LEFT_OUT += [] if config["evaluation"]["offload"]["models"] else ["offload"]
TABLES = [item.name for item in items("table", LEFT_OUT)]
FIGURES = [item.name for item in items("figure", LEFT_OUT)]
