"""The tables and figures of forward times, declared as in items.py."""

from modtok.reporting.item import Item

LATENCY = "results/metrics/latency.tsv"
_TIME = (
    "Time of a forward pass over the lines of the parallel set, from ids to the logits of all positions, on "
    "models with random weights, over that with the monolingual BPE of the same language and the run's "
    "budget. "
)
_RULE = (
    "Times are medians over rounds in which all tokenizers take turns; predictions follow from operations "
    "and bytes, calibrated on the monolingual tokenizers' passes alone, and stand where a model was not "
    "timed or did not fit the machine; from operations alone where none of a hundredth of its size was "
    "timed. Lines of about one length go in batches, each of which reads all "
    "weights: of a few lines the number of batches shows in the ratios, most of all in large models. "
)
_SPREAD = "Seconds, spreads and the device are in results/metrics/latency.tsv."
_COST = (
    "once the tokenizers are counted: seconds for predictions; for times, minutes on a GPU to hours "
    "on a CPU for each model"
)

LATENCY_TABLES = (
    Item(
        "table_3",
        "table",
        "Forward time relative to the monolingual tokenizer, by model",
        (LATENCY,),
        _TIME + "~ marks predictions. " + _RULE + _SPREAD,
        _COST,
        ("en", "te"),
        beside="In parentheses the paper's figures, whose models have about the same parameters.",
    ),
    Item(
        "table_3_full",
        "table",
        "Forward time of all tokenizers on all languages, measured and predicted",
        (LATENCY,),
        _TIME + _RULE + _SPREAD,
        _COST,
    ),
)

LATENCY_FIGURES = (
    Item(
        "figure_1",
        "figure",
        "Forward time against the size of the vocabulary",
        (LATENCY,),
        _TIME
        + "Means over languages, a panel for each model. Joint and monolingual BPE are cut down to smaller "
        "sizes, which are the tokenizers that these budgets would have trained. Filled marks are "
        "measured, hollow ones predicted. " + _RULE + _SPREAD,
        _COST,
    ),
    Item(
        "figure_latency",
        "figure",
        "Forward time with what subtokenizers leave of the vocabulary",
        (LATENCY,),
        "Forward time over that of the full sequential BPE, under subtokenizers of 1, 2, 4 … languages and "
        "the whole one (right end); means over languages. Filled marks are measured, hollow ones "
        "predicted. " + _RULE + _SPREAD,
        _COST,
    ),
)
