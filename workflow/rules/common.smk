# What all rules share: tables, wildcards, the lists that rules fan out over, and the environment of jobs.
#
# INPUTS   config; config/languages.tsv and config/open_tokenizers.tsv of the repository and, on top, of the run.
# OUTPUTS  LANGS, SHARDS, TOKENIZERS, TABLES, FIGURES and the functions below. No rule lives here.
import json
import os
import shlex
from glob import glob
from types import SimpleNamespace

import pandas as pd

from modtok.core.combinations import orders
from modtok.core.provenance import code_digest, digest
from modtok.core.tokenizer_names import extracted_family, file_name, languages_of
from modtok.reporting.items import ITEMS


def read_table(name, key):
    """A table of the repository with the run's rows on top, validated row by row, indexed by `key`."""
    files = [Path(workflow.basedir, "config", name), Path("config", name)]
    tables = [
        pd.read_csv(f, sep="\t", dtype=str, keep_default_na=False)
        for f in files
        if f.exists()
    ]
    table = pd.concat(tables).drop_duplicates(key, keep="last")
    validate(table, f"../schemas/{name.removesuffix('.tsv')}.schema.json")
    return table.set_index(key, drop=False)


def by_language(setting, lang):
    """A setting that is one value for all languages, or a mapping with `default` and languages' own values."""
    return (
        setting.get(lang, setting.get("default"))
        if isinstance(setting, dict)
        else setting
    )


def check_languages():
    """Stop at once where a language of the config has no row in the table."""
    missing = [lang for lang in LANGS if lang not in LANGUAGES.index]
    if missing:
        raise WorkflowError(
            f"languages: no row in languages.tsv for {', '.join(missing)}; add one to config/languages.tsv"
        )


def open_tokenizer_paths():
    """Name -> path or hub id of each open tokenizer of the run."""
    paths = {}
    for entry in config["open_tokenizers"]:
        paths |= entry if isinstance(entry, dict) else {entry: table_path(entry)}
    return paths


def table_path(name):
    """Path, or else hub id, of an open tokenizer named in the config."""
    if name not in OPEN_TOKENIZERS.index:
        raise WorkflowError(
            f"open_tokenizers: no row '{name}' in open_tokenizers.tsv; add one, or give {{{name}: path}}"
        )
    row = OPEN_TOKENIZERS.loc[name]
    return row["path"] or row["hub_id"]


def optional(option, value):
    """An option with its value, or nothing where there is no value."""
    return [option, value] if value else []


def lid_labels(lang):
    """Labels that count as the language: the model's, and the code that text sources carry."""
    labels = config["corpus"]["language_id"]["labels"].get(lang) or LANGUAGES.loc[
        lang, "lid_labels"
    ].split(",")
    return list(dict.fromkeys([*labels, lang]))


def lid_floor(lang):
    """Recall below which the language-ID model is refused for the language."""
    return by_language(config["corpus"]["language_id"]["floor"], lang)


def may_be_empty(wildcards):
    """A language whose model may miss nine tenths of it may be missed whole: then a warning, not an error."""
    return ["--may-be-empty"] if lid_floor(wildcards.lang) < 0.1 else []


def quality_text(kind, lang):
    """Glob of the language's positive or negative texts, or nothing."""
    pattern = by_language(config["corpus"]["quality"][kind], lang)
    return pattern.replace("{lang}", lang) if pattern else ""


def quality_texts(wildcards):
    """Options that name the texts of a language's quality classifier."""
    positive, negative = (
        quality_text(kind, wildcards.lang) for kind in ("positive", "negative")
    )
    return ["--positive", positive, *optional("--negative", negative)]


def delete_downloads(wildcards):
    """The option that removes a shard's downloads once it is written, unless they are to be kept."""
    folder = f"results/corpus/downloads/{wildcards.shard}"
    return optional(
        "--delete-downloads", "" if config["corpus"]["keep_downloads"] else folder
    )


def near_options():
    """Options of near-duplicate removal, none where it is off."""
    near = config["corpus"]["deduplication"]["near"]
    options = [
        "--near-threshold",
        near["threshold"],
        "--near-permutations",
        near["permutations"],
    ]
    return options if near["enabled"] else []


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
    return ["append", *earlier] if earlier else ["train", "sequential-bpe", *alphabet]


def named_options(option, path, langs=None):
    """An option LANG=PATH once per language; {lang} in the path stands for the code."""
    return [
        part
        for lang in langs or LANGS
        for part in (option, f"{lang}={path.format(lang=lang)}")
    ]


def em_options():
    """Options of `modtok train merged-unigram`."""
    em = config["tokenizers"]["em"]
    return [part for key, value in em.items() for part in (f"--{key}", value)]


def tokenizer_langs(wildcards):
    """LANG=FLORES of the languages that a tokenizer is counted on: a monolingual one's own, else all."""
    return [flores_code(lang) for lang in languages_of(wildcards.tokenizer, LANGS)]


def tokenizer_file(wildcards):
    """The file of a tokenizer: tokenizer.json, or tokenizer.model for an open one that is a SentencePiece model."""
    name = file_name(OPEN_PATHS.get(wildcards.tokenizer.removeprefix("open-"), ""))
    return f"results/tokenizers/{wildcards.tokenizer}/{name}"


def flores_code(lang):
    """LANG=FLORES, as the steps that read parallel sets want it."""
    return f"{lang}={LANGUAGES.loc[lang, 'flores']}"


def source_patterns():
    """The paths and globs of corpus.sources."""
    return [
        pattern
        for entry in config["corpus"]["sources"]
        for pattern in entry.get("text", entry).values()
    ]


def files_digest(patterns):
    """Changes when globs match other files, or files of another size: by content, a run would start by reading it all."""
    files = sorted(
        path for pattern in patterns for path in glob(str(pattern), recursive=True)
    )
    return digest(*(f"{path} {os.path.getsize(path)}" for path in files))


def item_inputs(wildcards):
    """The files that a table or figure is made from."""
    return ITEMS[wildcards.item].inputs


def reporting_options():
    """What every table and figure has to know of the run."""
    names = [f"{lang}={LANGUAGES.loc[lang, 'name']}" for lang in LANGS]
    titles = [
        f"{name}={OPEN_TOKENIZERS['title'].get(name, name)}" for name in OPEN_PATHS
    ]
    extracted = map(extracted_family, MODULAR)
    shown = ["--tokenizers", *TOKENIZERS, *extracted, "--open-titles", *titles]
    options = ["--langs", *names, *shown]
    return [*options, "--dataset", DATASET, "--budget", config["tokenizers"]["budget"]]


LANGUAGES = read_table("languages.tsv", "code")
OPEN_TOKENIZERS = read_table("open_tokenizers.tsv", "name")
LANGS = config["languages"]
check_languages()
SHARDS = [f"{shard:04d}" for shard in range(config["corpus"]["shards"])]
PARALLEL = [
    f"{entry['name']}={entry['path']}" for entry in config["evaluation"]["parallel"]
]
# The parallel set that tables show.
DATASET = config["evaluation"]["parallel"][0]["name"] if PARALLEL else ""
OPEN_PATHS = open_tokenizer_paths()
MONO = [f"mono-{model}-{lang}" for model in ("bpe", "unigram") for lang in LANGS]
JOINT = [
    f"joint-{model}-{size}"
    for model in ("bpe", "unigram")
    for size in config["tokenizers"]["joint_sizes"]
]
# Frequency-based extraction takes from the largest joint tokenizer.
LARGEST_JOINT = max(config["tokenizers"]["joint_sizes"], default=0)
MODULAR_UNIGRAM = ["merged-unigram"] + ["frequency-unigram"] * (LARGEST_JOINT > 0)
MODULAR = ["sequential-bpe", *MODULAR_UNIGRAM]
OPEN = [f"open-{name}" for name in OPEN_PATHS]
TOKENIZERS = MONO + JOINT + MODULAR + OPEN
# A modular tokenizer is counted together with what is taken out of it.
COUNTED_FILES = [
    f"results/metrics/token_counts/{name}.parquet" for name in MONO + JOINT + OPEN
]
SUBTOKENIZER_COUNTS = [
    f"results/metrics/subtokenizer_counts/{name}.parquet" for name in MODULAR
]
TOKENIZER_FILES = [
    tokenizer_file(SimpleNamespace(tokenizer=name)) for name in TOKENIZERS
]
SEQUENTIAL_STEPS = "results/tokenizers/sequential-bpe/steps"
SUBTOKENIZER_FILES = [
    f"results/tokenizers/sequential-bpe+{lang}/tokenizer.json" for lang in LANGS
]
TRAINING_CODE = {
    "sequential-bpe": code_digest(
        "tokenization.sequential_bpe", "tokenization.word_count_files"
    ),
    "bpe": code_digest(
        "tokenization.bpe", "tokenization.hf_format", "tokenization.word_count_files"
    ),
    "unigram": code_digest(
        "tokenization.unigram_format", "tokenization.word_count_files"
    ),
    "merged-unigram": code_digest(
        "tokenization.merged_unigram",
        "tokenization.modular_unigram",
        "tokenization.word_count_files",
    ),
    "frequency-unigram": code_digest(
        "tokenization.frequency_extraction",
        "tokenization.modular_unigram",
        "tokenization.word_count_files",
    ),
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
WORD_COUNTS = named_options("--counts", "results/corpus/word_counts/{lang}.parquet")
TABLES = [name for name, item in ITEMS.items() if item.kind == "table"]
FIGURES = [name for name, item in ITEMS.items() if item.kind == "figure"]


wildcard_constraints:
    lang="|".join(LANGUAGES.index),
    shard="|".join(SHARDS),
    model="bpe|unigram",
    modular="|".join(MODULAR),
    order="[0-9]+",
    file="tokenizer.json|tokenizer.model",
    size="[0-9]+",
    name="|".join(OPEN_PATHS) or "none",
    tokenizer="|".join(TOKENIZERS),
    item="|".join(ITEMS),


# Jobs find the library by PYTHONPATH, since conda environments do not hold it, and, outside conda, the programs of
# the environment that Snakemake runs in. `logged` keeps a job's output in its log and shows it where the job fails.
library = shlex.quote(f"{workflow.basedir}/workflow")
programs = shlex.quote(str(Path(sys.executable).parent))
own_programs = (
    "" if workflow.deployment_settings.deployment_method else f'PATH={programs}:"$PATH"'
)
shell.prefix(
    f"export PYTHONPATH={library} {own_programs}; ".replace("{", "{{").replace(
        "}", "}}"
    )
    + 'logged() {{ local log="$1"; shift; "$@" &> "$log" || {{ cat "$log" >&2; return 1; }}; }}; '
)


QUALITY = config["corpus"]["quality"]["enabled"]
QUALITY_REPORTS = [f"results/corpus/quality/{lang}.tsv" for lang in LANGS if QUALITY]
NEAR_OPTIONS = near_options()
REPORTING_OPTIONS = reporting_options()
