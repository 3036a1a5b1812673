"""The tables and figures of models, declared as in items.py."""

from modtok.reporting.item import Item

MEMORY = "results/metrics/memory.tsv"
LIKELIHOOD = "results/metrics/likelihood.tsv"
TRAINING = "results/metrics/training.tsv"
OFFLOAD = "results/metrics/offload.tsv"
_AFTER_MODELS = "seconds, once the models are trained and measured"

MODEL_TABLES = (
    Item(
        "table_23",
        "table",
        "The models and their parameters",
        (MEMORY,),
        "Shapes of config/models.tsv and exact numbers of parameters: those of the body, which all "
        "vocabularies share, and the sum with the run's full and its largest extracted sequential BPE, "
        "embedding and output matrix untied or tied.",
        "seconds: arithmetic, once the tokenizers are counted",
        beside="In parentheses the one figure of the paper.",
    ),
    Item(
        "table_memory",
        "table",
        "What a sub-vocabulary saves: parameters and KV-cache",
        (MEMORY,),
        "Parameters that a smaller vocabulary removes from each model, at the paper's sizes and at those "
        "of this run's tokenizers; and the KV-cache, in bfloat16, of a line of the parallel set. Both are "
        "exact arithmetic: what a model and its cache hold, to the byte.",
        "seconds: arithmetic, once the tokenizers are counted",
        beside="In parentheses the paper's figures (section 5.2), where the run compares the same.",
    ),
    Item(
        "table_offload",
        "table",
        "The vocabulary in the memory of the CPU: its work against a step on the device",
        (OFFLOAD,),
        "Seconds, medians over steps on models with random weights: the update of one step's rows and the "
        "transfer of another's (CPU), a step on the device, and a step of training, in which both go on at "
        "once. The CPU's work is hidden where it is below 100 percent of the device's. Each language held "
        "has the run's budget of rows. What the machine does not hold is left out; spreads and the device "
        "are in results/metrics/offload.tsv.",
        "minutes per model on a GPU, hours on a CPU; no tokenizer is needed",
        section="offload",
        beside="In parentheses the paper's figures (Appendix E; GPUs of its own).",
    ),
    Item(
        "table_likelihood",
        "table",
        "How probable the run's models find text",
        (LIKELIHOOD,),
        "Bits per byte of the parallel set by regime of training and tokenizer at inference. full-lang "
        "reads by the full tokenizer and predicts the language's own tokens, so it has second halves of "
        "lines only. Foreign mass is the probability of tokens outside of the language's own under the "
        "full tokenizer. Intervals are in results/metrics/likelihood.tsv.",
        _AFTER_MODELS,
        section="pretraining",
    ),
)

MODEL_FIGURES = (
    Item(
        "figure_training",
        "figure",
        "What sampling costs against the length of training",
        (TRAINING,),
        "Left: bits per byte under the language's own tokenizer over mono-only's. Right: under the full "
        "tokenizer over the language's own. Marks are seeds; other lengths are other runs' models.",
        _AFTER_MODELS,
        section="pretraining",
    ),
    Item(
        "figure_schedule",
        "figure",
        "Late sampling: bits per byte against the start of sampling and the cost of training",
        (LIKELIHOOD,),
        "Mean over languages. 0 % is the paper's sampling, 100 % mono-only. What is sampled: full, all "
        "languages; sub2, two others than the text's. Solid under the language's own tokenizer (lang), "
        "dashed under the full one. Right: against operations; crosses: the baseline.",
        _AFTER_MODELS,
        section="pretraining",
    ),
)
