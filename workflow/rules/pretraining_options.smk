# The options of pretraining's rules, made of config and tables. No rule lives here.
#
# INPUTS   section pretraining of the config
# OUTPUTS  TRAINED, the names of the run's models, and the functions below; an error where the config does not fit


def check_pretraining():
    """Stop at once where a regime cannot be had in this run, or settings fit no model."""
    regimes, tokenizers = (
        config["pretraining"][key] for key in ("regimes", "tokenizers")
    )
    for regime in map(Regime, regimes):
        if (regime.others or 0) >= len(LANGS):
            raise WorkflowError(
                f"pretraining.regimes: {regime.name} draws {regime.others} other languages, the run has "
                f"{len(LANGS) - 1}; take fewer, or [] to train nothing"
            )
    if BASELINE in regimes and not LARGEST_JOINT:
        raise WorkflowError(
            "pretraining.regimes: baseline needs a joint tokenizer; give tokenizers.joint_sizes, or leave it out"
        )
    modular = "sequential-bpe" in tokenizers and set(regimes) - {BASELINE}
    if config["tokenizers"]["seed_table"] and modular:
        raise WorkflowError(
            "pretraining.tokenizers: models need <s> and </s> at ids 1 and 2, which sequential-bpe does not have on "
            "top of tokenizers.seed_table; leave one of the two out, or set pretraining.regimes: []"
        )
    try:
        settings_of(pretraining_settings())
    except UserError as error:
        raise WorkflowError(str(error)) from None


def pretraining_settings():
    """The settings of a training, the model's shape written out; what is null has no say in it."""
    own = ("tokenizers", "regimes", "seeds")
    section = {
        key: value
        for key, value in config["pretraining"].items()
        if key not in own and value is not None
    }
    name = section["model"]
    if "=" in name:
        return section
    if name not in MODELS.index:
        raise WorkflowError(
            f"pretraining.model: no row '{name}' in models.tsv; add one, or write it out: d=3072,layers=22"
        )
    return section | {"model": model_shape(name).partition("=")[2]}


def trained_tokenizer(wildcards):
    """The files of the tokenizer that a model is trained over."""
    name = ModelName.parse(wildcards.trained).tokenizer
    files = ["tokenizer.json", *(["modules.json"] if name in MODULAR else [])]
    return [f"results/tokenizers/{name}/{file}" for file in files]


def trained_regime(wildcards):
    """Options of a model's regime and repetition."""
    name = ModelName.parse(wildcards.trained)
    return ["--regime", name.regime, "--repeat", name.repeat]


def offload_options():
    """Options of what is timed of offloading, beside the models."""
    section = config["evaluation"]["offload"]
    if max(section["others"]) >= min(section["languages"]):
        raise WorkflowError(
            f"evaluation.offload: steps in {max(section['others']) + 1} languages, and {min(section['languages'])} "
            "are held; lower `others`"
        )
    lists = [
        part
        for name in ("batches", "others", "languages")
        for part in (f"--{name}", *section[name])
    ]
    return [*lists, "--steps", section["steps"], "--hours", section["hours"]]


check_pretraining()
OFFLOADED = list(
    named_shapes(
        config["evaluation"]["offload"]["models"], "evaluation.offload.models"
    ).values()
)
TRAINED = model_names(
    config["pretraining"]["tokenizers"],
    config["pretraining"]["regimes"],
    LARGEST_JOINT,
    config["pretraining"]["seeds"],
)
MODEL_FILES = [f"results/models/{name}/model.safetensors" for name in TRAINED]
SHUFFLED = [f"{lang}=results/pretraining/text/{lang}.bin" for lang in LANGS]
