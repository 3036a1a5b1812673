"""The tables of multiple choice, declared as in items.py."""

from modtok.reporting.generation_items import GENERATION, IN_BRACKETS
from modtok.reporting.item import Item
from modtok.reporting.model_items import LIKELIHOOD

MULTIPLE_CHOICE = "results/metrics/multiple_choice.tsv"
_AFTER_MODELS = "once the models are trained: minutes to hours a model for what it is asked, then seconds"
_CELLS = IN_BRACKETS + ("~ stands before a score within what guessing gives in 95 % of cases. ")
_CHOICE = (
    "Multiple choice: the mean over a language's tasks of the share of items whose right choice is the "
    "likeliest, in cloze form, normalised as OLMES asks of each task. "
)
_BESIDE = "In parentheses the paper's figures (2.5B, 80 billion tokens), where the budget is its own."
_INTERVALS = "Tasks one by one, shots that fitted and intervals are in results/metrics/multiple_choice.tsv."
_REGIMES = (
    _CHOICE + "Translation: BLEU from English; the paper's Lang is there the union with English. " + _CELLS
)

MULTIPLE_CHOICE_TABLES = (
    Item(
        "table_6",
        "table",
        "Multiple choice and translation by regime of training and tokenizer at inference, Unigram",
        (MULTIPLE_CHOICE, GENERATION),
        _REGIMES + _INTERVALS,
        _AFTER_MODELS,
        section="unigram models",
        beside=_BESIDE,
    ),
    Item(
        "table_8",
        "table",
        "Translation against the number of other languages that training draws",
        (GENERATION,),
        "BLEU from English by the full tokenizer. mono-only draws none, samp-full all. "
        + IN_BRACKETS.rstrip(),
        _AFTER_MODELS,
        section="translation",
        beside=_BESIDE,
    ),
    Item(
        "table_15",
        "table",
        "Multiple choice and translation by regime of training and tokenizer at inference, BPE",
        (MULTIPLE_CHOICE, GENERATION),
        _REGIMES + "Our copy of the paper breaks off before its Table 15. " + _INTERVALS,
        _AFTER_MODELS,
        section="bpe models",
    ),
    Item(
        "table_combinations",
        "table",
        "Likelihood, multiple choice and translation by a language together with English",
        (LIKELIHOOD, MULTIPLE_CHOICE, GENERATION),
        "lang: the language's subtokenizer; en-lang-union: that of English and the language; en-lang-split: "
        "English is cut by its own, the language by its own, whose tokens alone are written; full: all. The "
        "paper has combinations in its Appendix C.1, which our copy lacks. " + _CHOICE + _CELLS + _INTERVALS,
        _AFTER_MODELS,
        section="pretraining",
    ),
)
