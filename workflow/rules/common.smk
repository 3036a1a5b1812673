# What all rules share: tables, the lists that rules fan out over, wildcards, and the environment of jobs.
#
# INPUTS   config; config/{languages,open_tokenizers,models}.tsv of the repository and, on top, of the run.
# OUTPUTS  LANGS, SHARDS, TOKENIZERS …; an error where config and tables do not fit. No rule.
import json
import os
import re

import pandas as pd

from modtok.core.code_digest import code_digest
from modtok.core.combinations import orders
from modtok.core.errors import UserError
from modtok.core.model_names import BASELINE, ModelName, Regime, model_names
from modtok.core.model_shapes import parse_shape
from modtok.core.provenance import digest, file_digest
from modtok.core.tokenizer_names import extracted_family, file_name, languages_of
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
        check(row, name, row[key])
    return table.set_index(key, drop=False)


def check_rows(setting, names, table, file):
    """Stop at once where a setting names what has no row in a table."""
    missing = sorted(set(names) - set(table.index))
    if missing:
        raise WorkflowError(
            f"{setting}: no row in {file} for {', '.join(missing)}; add one to config/{file}"
        )


def by_language(setting, lang):
    """A setting that is one value for all languages, or a mapping with `default` and languages' own values."""
    return (
        setting.get(lang, setting.get("default"))
        if isinstance(setting, dict)
        else setting
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
check_rows("languages", LANGS, LANGUAGES, "languages.tsv")
LABELS = [f"{lang}={','.join(lid_labels(lang))}" for lang in LANGS]
check_rows("models", config["models"], MODELS, "models.tsv")
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
