# modtok: modular tokenizers for multilingual language models.
#
#     snakemake --directory RUN --cores N [target]
#
# RUN is a folder with its own config/config.yaml, which overrides config/config.yaml of this repository; everything
# the run makes goes to RUN/results. Targets: all, corpora, tokenizers, models, tables, figures, page, and each table
# and figure by its own name (table_1, figure_fairness …).
import sys
from pathlib import Path

from snakemake.utils import min_version

min_version("9.14")


configfile: f"{workflow.basedir}/config/config.yaml"


if Path("config/config.yaml").exists():

    configfile: "config/config.yaml"


sys.path.insert(0, f"{workflow.basedir}/workflow")


include: "workflow/rules/validation.smk"


check(config, "config.yaml")


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/left_out.smk"
include: "workflow/rules/checks.smk"
include: "workflow/rules/environment.smk"
include: "workflow/rules/options.smk"
include: "workflow/rules/lock.smk"
include: "workflow/rules/tokenizer_options.smk"
include: "workflow/rules/surgery_options.smk"
include: "workflow/rules/resources.smk"
include: "workflow/rules/corpus.smk"
include: "workflow/rules/tokenizers.smk"
include: "workflow/rules/compression.smk"
include: "workflow/rules/subtokenizers.smk"
include: "workflow/rules/pretraining_options.smk"
include: "workflow/rules/pretraining.smk"
include: "workflow/rules/generation_options.smk"
include: "workflow/rules/generation.smk"
include: "workflow/rules/multiple_choice_options.smk"
include: "workflow/rules/multiple_choice.smk"
include: "workflow/rules/evaluation.smk"
include: "workflow/rules/scoring.smk"
include: "workflow/rules/latency_options.smk"
include: "workflow/rules/latency.smk"
include: "workflow/rules/surgery.smk"
include: "workflow/rules/reporting.smk"


rule all:
    default_target: True
    input:
        "results/page/index.html",
        "results/manifest.json",
        "results/corpus/mixture.tsv",
        SUBTOKENIZER_FILES,
        MODEL_FILES,


rule corpora:
    input:
        collect("results/corpus/documents/{lang}.parquet", lang=LANGS),
        "results/corpus/ledger.tsv",
        "results/corpus/mixture.tsv",
        "results/manifest.json",


rule tokenizers:
    input:
        TOKENIZER_FILES,
        SUBTOKENIZER_FILES,
        HELD_TO,


rule models:
    input:
        MODEL_FILES,
        HELD_TO,


rule tables:
    input:
        collect("results/tables/{item}.md", item=TABLES),
        HELD_TO,


rule figures:
    input:
        collect("results/figures/{item}.svg", item=FIGURES),
        HELD_TO,
