"""The tables and figures of what models write and of routing, declared as in items.py."""

from modtok.reporting.item import Item

GENERATION = "results/metrics/generation.tsv"
ROUTING = "results/metrics/routing.tsv"
_AFTER_MODELS = "once the models are trained: minutes to hours a model for what it writes, then seconds"
IN_BRACKETS = (
    "In brackets the 95 % interval of a score, over items or lines; with several seeds, means of its ends. "
)
_INTERVALS = IN_BRACKETS + "Signatures are in results/metrics/generation.tsv, "
_OUTPUTS = "what was written in results/generations."
_BESIDE = (
    "In parentheses the paper's figures (2.5B, 80 billion tokens, Unigram tokenizers), where the budget "
    "is its own; it does not say which "
)

GENERATION_TABLES = (
    Item(
        "table_4",
        "table",
        "Summaries by regime of training and tokenizer at inference",
        (GENERATION,),
        "ROUGE of summaries, percent, on Unicode words. full-lang reads by the full tokenizer and writes "
        "the language's own tokens. " + _INTERVALS + _OUTPUTS,
        _AFTER_MODELS,
        section="summarization",
        beside=_BESIDE + "ROUGE.",
    ),
    Item(
        "table_5",
        "table",
        "Translation from English by models of single languages",
        (GENERATION,),
        "en-lang-union: one tokenizer of English and the language. en-lang-split: English is cut by its own "
        "tokenizer, the language by its own, and only that one's tokens are written. spBLEU is left out "
        "where evaluation.translation.spbleu names no model. A run without these regimes shows all of its "
        "models. Off target, in English, foreign tokens, empty, not ended: as in table_off_target. "
        + _INTERVALS
        + _OUTPUTS,
        _AFTER_MODELS,
        section="translation",
        beside=_BESIDE + "metric.",
    ),
    Item(
        "table_off_target",
        "table",
        "In which language, and of whose tokens, models write",
        (GENERATION,),
        "By language, and their mean: outputs off target, in percent of those with text, which language "
        "identification puts in another language than was asked for; its own error is what it says of the "
        "references. Then means over languages: outputs that it puts in English; of all tokens written, "
        "those outside of the language's own set (foreign); outputs without text; and those that the model "
        "did not end itself. A mean is over the languages that have a figure: outputs that are all empty are "
        "in none. By language the others are in results/metrics/generation.tsv. "
        "What was written is in results/generations.",
        _AFTER_MODELS,
        section="translation",
    ),
    Item(
        "table_routing",
        "table",
        "Subtokenizers chosen by language identification",
        (ROUTING,),
        "Language identification reads the first half of a line; its second half is predicted. oracle: the "
        "language's own subtokenizer. one: that of the likeliest language. routed: by two thresholds, that "
        "of the likeliest language, the union of the likeliest ones, or the full one (evaluation.routing). "
        "Cost: operations of the forward pass, and of language identification, over the oracle's. Language "
        "held: lines whose own language is among those of the subtokenizer. To one, to the union, to full: "
        "what routing chose. A row that all regimes or models share stands once. Intervals are in "
        "results/metrics/routing.tsv.",
        _AFTER_MODELS,
        section="routing",
    ),
)

GENERATION_FIGURES = (
    Item(
        "figure_routing",
        "figure",
        "What trusting language identification loses and saves",
        (ROUTING,),
        "Bits per byte over those of the oracle; means over languages. Left: against the probability from "
        "which the likeliest language's own subtokenizer is taken; else, solid, the union of the likeliest "
        "ones, or, dashed, the full tokenizer. Right: against what these choices cost. Stars: the run's two "
        "thresholds; crosses: always the full tokenizer.",
        _AFTER_MODELS,
        section="routing",
    ),
)
