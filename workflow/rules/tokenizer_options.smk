# The options of the rules that train tokenizers, made of config and tables. No rule lives here.
#
# INPUTS   section tokenizers of the config
# OUTPUTS  the functions and constants below


def training_options(wildcards):
    """Options of `modtok train`; a Unigram tokenizer always has characters and knows no least frequency."""
    return BPE_OPTIONS if wildcards.model == "bpe" else COVERAGE_OPTIONS


def earlier_step(wildcards):
    """The step of sequential training before a language's own; none for the first language."""
    earlier = LANGS[: LANGS.index(wildcards.lang)][-1:]
    return [f"{SEQUENTIAL_STEPS}/{lang}/tokenizer.json" for lang in earlier]


def sequential_command(wildcards):
    """What trains the first language, or adds one to the step before."""
    earlier = [str(Path(file).parent) for file in earlier_step(wildcards)]
    alphabet = ["--alphabet", config["tokenizers"]["alphabet"]]
    start = ["train", "sequential-bpe", *alphabet, *SEED_OPTIONS]
    return ["append", *earlier] if earlier else start


def em_options():
    """Options of `modtok train merged-unigram`."""
    em = config["tokenizers"]["em"]
    return [part for key, value in em.items() for part in (f"--{key}", value)]


def command_code(command, *modules):
    """A digest of a command's modules; its doorway, which turns options into calls, counts without its imports."""
    return code_digest(*modules, doorways=(command, "cli_options"))


def training_code(command, *modules):
    """The same of a command that reads word counts."""
    return command_code(command, *modules, "tokenization.word_count_files")


TRAINING_CODE = {
    "bpe": training_code("cli_bpe", "tokenization.bpe", "tokenization.hf_format"),
    "unigram": training_code("cli_unigram", "tokenization.unigram_format"),
    "sequential-bpe": training_code("cli_modular", "tokenization.sequential_bpe"),
    "merged-unigram": training_code(
        "cli_unigram", "tokenization.merged_unigram", "tokenization.modular_unigram"
    ),
    "frequency-unigram": training_code(
        "cli_unigram",
        "tokenization.frequency_extraction",
        "tokenization.modular_unigram",
    ),
    "concatenated-bpe": training_code("cli_concatenated", "tokenization.concatenation"),
}
COVERAGE_OPTIONS = [
    "--character-coverage",
    config["tokenizers"]["character_coverage"],
]
BPE_OPTIONS = [
    *COVERAGE_OPTIONS,
    "--alphabet",
    config["tokenizers"]["alphabet"],
    "--min-frequency",
    config["tokenizers"]["min_frequency"],
]
SEED_TABLE = config["tokenizers"]["seed_table"]
SEED_OPTIONS = optional("--seed-table", SEED_TABLE)
SEED_FILES = files_digest([SEED_TABLE] if SEED_TABLE else [])
