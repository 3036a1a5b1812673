# What all rules share: tables, the lists that rules fan out over, wildcards, and the environment of jobs.
#
# INPUTS   config; config/{languages,open_tokenizers,models}.tsv of the repository and, on top, of the run.
# OUTPUTS  LANGS, SHARDS, TOKENIZERS, TABLES, FIGURES …; an error where config and tables do not fit. No rule.
import json
import os
import re
import shlex
from collections import Counter
from glob import glob

import pandas as pd

from modtok.core.code_digest import code_digest
from modtok.core.combinations import orders
from modtok.core.errors import UserError
from modtok.core.model_names import BASELINE, ModelName, model_names
from modtok.core.provenance import digest, file_digest
from modtok.core.tokenizer_names import extracted_family, file_name, languages_of
from modtok.modelling.regimes import Regime
from modtok.modelling.settings import settings_of
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
    for row in table.to_dict("records"):
        check(row, name)
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


def check_models():
    """Stop at once where a model of the config has no row in the table."""
    missing = [name for name in config["models"] if name not in MODELS.index]
    if missing:
        raise WorkflowError(
            f"models: no row in models.tsv for {', '.join(missing)}; add one to config/models.tsv"
        )


def check_labels():
    """Stop at once where a label of the language-ID model counts as two languages: a page has one."""
    counts = Counter(label for lang in LANGS for label in lid_labels(lang))
    twice = [label for label, count in counts.items() if count > 1]
    if twice:
        raise WorkflowError(
            f"corpus.language_id.labels: {', '.join(twice)} counts as two languages; give it to one"
        )


def check_mixture():
    """Stop at once where the shares of the run's languages add up to more than all."""
    total = sum(config["corpus"]["mixture"].get(lang, 0) for lang in LANGS)
    if total > 1 + 1e-9:
        raise WorkflowError(
            f"corpus.mixture: the shares add up to {total:g}, more than 1; lower them"
        )


def check_seed():
    """Stop at once where a foreign table, whose alphabet is bytes, cannot be learned on top of."""
    tokenizers = config["tokenizers"]
    if tokenizers["seed_table"] and tokenizers["alphabet"] != "bytes":
        raise WorkflowError(
            "tokenizers.seed_table: such a table goes with alphabet: bytes; set that, or leave the table out"
        )


def lid_labels(lang):
    """Labels that count as the language: the model's, and the code that text sources carry."""
    labels = config["corpus"]["language_id"]["labels"].get(lang)
    return list(
        dict.fromkeys([*(labels or LANGUAGES.loc[lang, "lid_labels"].split(",")), lang])
    )


def open_tokenizer_paths(entries):
    """Name -> path or hub id of open tokenizers, named in the table or given with their path."""
    paths = {}
    for entry in entries:
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


def tokenizer_file(tokenizer):
    """The file of a tokenizer: tokenizer.json, or tokenizer.model for an open one that is a SentencePiece model."""
    name = file_name(IMPORTED_PATHS.get(tokenizer.removeprefix("open-"), ""))
    return f"results/tokenizers/{tokenizer}/{name}"


LANGUAGES = read_table("languages.tsv", "code")
OPEN_TOKENIZERS = read_table("open_tokenizers.tsv", "name")
MODELS = read_table("models.tsv", "name")
LANGS = config["languages"]
check_languages()
check_labels()
check_mixture()
check_seed()
check_models()
SHARDS = [f"{shard:04d}" for shard in range(config["corpus"]["shards"])]
PARALLEL = [
    f"{entry['name']}={entry['path']}" for entry in config["evaluation"]["parallel"]
]
DATASETS = [entry["name"] for entry in config["evaluation"]["parallel"]]
# The parallel set that tables show.
DATASET = DATASETS[0] if DATASETS else ""
PARALLEL_PATHS = [entry["path"] for entry in config["evaluation"]["parallel"]]
OPEN_PATHS = open_tokenizer_paths(config["open_tokenizers"])
# Surgery operates on open tokenizers, and on byte-level BPE of the run's own.
SUBJECT_NAMES = config["surgery"]["tokenizers"]
BYTE_BPE = [name for name in SUBJECT_NAMES if str(name).startswith("byte-bpe-")]
SURGERY_PATHS = open_tokenizer_paths(
    entry for entry in SUBJECT_NAMES if entry not in BYTE_BPE
)
IMPORTED_PATHS = {**OPEN_PATHS, **SURGERY_PATHS}
SUBJECTS = [*BYTE_BPE, *(f"open-{name}" for name in SURGERY_PATHS)]
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
TOKENIZER_FILES = [tokenizer_file(name) for name in TOKENIZERS]
SEQUENTIAL_STEPS = "results/tokenizers/sequential-bpe/steps"
SUBTOKENIZER_FILES = [
    f"results/tokenizers/sequential-bpe+{lang}/tokenizer.json" for lang in LANGS
]
QUALITY = config["corpus"]["quality"]["enabled"]
QUALITY_REPORTS = [f"results/corpus/quality/{lang}.tsv" for lang in LANGS if QUALITY]
# Where nothing is operated on, tables of surgery are made by their own names only, to say so.
LEFT_OUT = [] if SUBJECTS else ["surgery"]
# So are those of models, where none are trained.
TRAINS = config["pretraining"]["tokenizers"] and config["pretraining"]["regimes"]
LEFT_OUT += [] if TRAINS else ["pretraining"]
TABLES = [
    name
    for name, item in ITEMS.items()
    if item.kind == "table" and item.section not in LEFT_OUT
]
FIGURES = [
    name
    for name, item in ITEMS.items()
    if item.kind == "figure" and item.section not in LEFT_OUT
]


wildcard_constraints:
    lang="|".join(LANGUAGES.index),
    shard="|".join(SHARDS),
    model="bpe|unigram",
    modular="|".join(MODULAR),
    order="[0-9]+",
    file="tokenizer.json|tokenizer.model",
    size="[0-9]+",
    name="|".join(IMPORTED_PATHS) or "none",
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
