# What is timed, and by what: the options of latency.smk. No rule lives here.
#
# INPUTS   evaluation.latency of the config, and what common.smk made of the config
# OUTPUTS  LATENCY_LANGS, LATENCY_COUNTS, LATENCY_MODELS …; an error where a model or a language is not there
LATENCY = config["evaluation"]["latency"]
LATENCY_LANGS = LANGS if LATENCY["languages"] == "all" else LATENCY["languages"]
LARGEST_JOINT_BPE = [f"joint-bpe-{LARGEST_JOINT}"] if LARGEST_JOINT else []
LATENCY_COUNTS = [
    f"results/metrics/token_counts/{name}.parquet"
    for name in (
        *(f"mono-bpe-{lang}" for lang in LATENCY_LANGS),
        *(name for name in JOINT if name.startswith("joint-bpe-")),
        *OPEN,
    )
]


def check_latency():
    """Stop at once where a language to be timed is not in the run."""
    strange = [lang for lang in LATENCY_LANGS if lang not in LANGS]
    if strange:
        raise WorkflowError(
            f"evaluation.latency.languages: {', '.join(strange)} is not among `languages`; leave it out"
        )


TIMED = named_shapes(LATENCY["timed"], "evaluation.latency.timed")
# With those that are only predicted.
LATENCY_MODELS = {name: model_shape(name) for name in config["models"]} | TIMED
check_latency()
