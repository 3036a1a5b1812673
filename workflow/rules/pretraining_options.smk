# The options of pretraining's rules, made of config and tables. No rule lives here.
#
# INPUTS   section pretraining of the config
# OUTPUTS  TRAINED, the names of the run's models, and the functions below; an error where the config does not fit


def check_pretraining():
    """Stop at once where a regime, or the tokenizer of the baseline, cannot be had in this run."""
    section = config["pretraining"]
    for regime in map(Regime, section["regimes"]):
        if (regime.others or 0) >= len(LANGS):
            raise WorkflowError(
                f"pretraining.regimes: {regime.name} draws {regime.others} other languages, the run has "
                f"{len(LANGS) - 1}; take fewer"
            )
    if BASELINE in section["regimes"] and section["baseline_size"] not in JOINT_SIZES:
        raise WorkflowError(
            f"pretraining.baseline_size: {section['baseline_size']} is not among tokenizers.joint_sizes; add it there"
        )
    settings_of(pretraining_settings())


def pretraining_settings():
    """The settings of a training, the model's shape written out."""
    own = (
        "tokenizers",
        "regimes",
        "baseline_size",
        "seeds",
    )
    section = {
        key: value for key, value in config["pretraining"].items() if key not in own
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


JOINT_SIZES = config["tokenizers"]["joint_sizes"]
check_pretraining()
TRAINED = model_names(
    *(config["pretraining"][key] for key in ("tokenizers", "regimes")),
    config["pretraining"]["baseline_size"],
    config["pretraining"]["seeds"],
)
MODEL_FILES = [f"results/models/{name}/model.safetensors" for name in TRAINED]
SHUFFLED = [f"{lang}=results/pretraining/text/{lang}.bin" for lang in LANGS]
