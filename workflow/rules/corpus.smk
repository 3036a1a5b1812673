# From WARC files and texts to documents and word counts per language (paper section 6.1).
#
# INPUTS   corpus.sources of the config, evaluation.parallel for the self-check of language identification
# OUTPUTS  results/corpus/shards/{shard}.parquet      every page with its text and language, all languages
#          results/corpus/documents/{lang}.parquet    deduplicated and filtered by quality
#          results/corpus/word_counts/{lang}.parquet  all that tokenizer training needs
#          results/corpus/ledger.tsv, mixture.tsv     what was kept and dropped; shares of the training data
#          results/manifest.json                      what the run is made from; config/lock.json holds it to one


localrules:
    list_sources,
    manifest,
    fetch_shard,
    mixture,
    ledger,


rule list_sources:
    output:
        collect("results/corpus/sources/{shard}.tsv", shard=SHARDS),
    log:
        "results/logs/list_sources.log",
    benchmark:
        "results/runtimes/list_sources.tsv"
    conda:
        "../../envs/corpus.yaml"
    resources:
        mem_mb=1000,
        runtime=30,
    params:
        sources=lambda wildcards: json.dumps(config["corpus"]["sources"]),
        local_files=files_digest(source_files()),
        version=1,
    shell:
        r"""
        logged {log:q} python -m modtok.steps.list_sources \
            --sources {params.sources:q} \
            --downloads results/corpus/downloads \
            --out {output:q}
        """


# It holds the run to its lock like lock.smk, for who starts Snakemake with --no-hooks.
rule manifest:
    input:
        sources=collect("results/corpus/sources/{shard}.tsv", shard=SHARDS),
    output:
        manifest="results/manifest.json",
    log:
        "results/logs/manifest.log",
    benchmark:
        "results/runtimes/manifest.tsv"
    priority: 100
    conda:
        "../../envs/corpus.yaml"
    resources:
        mem_mb=1000,
        runtime=30,
    params:
        config=RUN_CONFIG,
        lock=LOCK,
        local_files=LOCKED_FILES,
        code=code_digest("steps.manifest"),
    shell:
        r"""
        logged {log:q} python -m modtok.steps.manifest \
            --config "$MODTOK_CONFIG" --sources {input.sources:q} --lock {params.lock:q} \
            --out {output.manifest:q}
        """


# Downloads what a shard's list names by URL; needs the network, so it runs where Snakemake runs, not on a node. Its
# listing is temporary because the downloads are: the shard removes them once it is written.
rule fetch_shard:
    input:
        sources="results/corpus/sources/{shard}.tsv",
    output:
        files=temp("results/corpus/fetched/{shard}.tsv"),
    log:
        "results/logs/fetch_shard/{shard}.log",
    benchmark:
        "results/runtimes/fetch_shard/{shard}.tsv"
    conda:
        "../../envs/corpus.yaml"
    resources:
        mem_mb=1000,
        runtime=1440,
    params:
        version=1,
    shell:
        r"""
        logged {log:q} python -m modtok.steps.fetch_shard \
            --sources {input.sources:q} \
            --downloads results/corpus/downloads/{wildcards.shard:q} \
            --out {output.files:q}
        """


# Before anything long: a language that the model does not recognise would lose its corpus. The first parallel set that
# has the language tells: with all of them, one that is added later would make corpora, tokenizers and models again.
rule check_language_id:
    output:
        report="results/corpus/language_id/{lang}.tsv",
    log:
        "results/logs/check_language_id/{lang}.log",
    benchmark:
        "results/runtimes/check_language_id/{lang}.tsv"
    priority: 100
    conda:
        "../../envs/corpus.yaml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(15),
    params:
        parallel=lambda wildcards: tried_on(wildcards.lang),
        parallel_files=lambda wildcards: files_digest(
            [entry.partition("=")[2] for entry in tried_on(wildcards.lang)]
        ),
        flores=lambda wildcards: LANGUAGES.loc[wildcards.lang, "flores"],
        labels=lambda wildcards: lid_labels(wildcards.lang),
        model=optional("--model", LID_MODEL),
        model_file=files_digest([LID_MODEL or ""]),
        floor=lambda wildcards: lid_floor(wildcards.lang),
        code=code_digest("steps.check_language_id"),
    shell:
        r"""
        logged {log:q} python -m modtok.steps.check_language_id \
            --lang {wildcards.lang:q} --flores {params.flores:q} --labels {params.labels:q} \
            --parallel {params.parallel:q} {params.model:q} --floor {params.floor:q} \
            --out {output.report:q}
        """


# The same for a language without texts to train its quality classifier on.
rule check_quality_texts:
    output:
        report="results/corpus/quality/{lang}.texts.tsv",
    log:
        "results/logs/check_quality_texts/{lang}.log",
    benchmark:
        "results/runtimes/check_quality_texts/{lang}.tsv"
    priority: 100
    conda:
        "../../envs/corpus.yaml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(15),
    params:
        texts=quality_texts,
        local_files=lambda wildcards: files_digest(
            quality_text(kind, wildcards.lang) for kind in ("positive", "negative")
        ),
        code=code_digest("steps.check_quality_texts"),
    shell:
        r"""
        logged {log:q} python -m modtok.steps.check_quality_texts \
            --lang {wildcards.lang:q} {params.texts:q} \
            --out {output.report:q}
        """


# Before further shards are fetched: what is downloaded is read, and so removed, first, and the disk holds the downloads
# of few shards at a time.
rule extract_shard:
    input:
        files="results/corpus/fetched/{shard}.tsv",
    output:
        shard="results/corpus/shards/{shard}.parquet",
        ledger="results/corpus/ledger/extract-{shard}.tsv",
        repairs="results/corpus/repairs/{shard}.tsv",
    log:
        "results/logs/extract_shard/{shard}.log",
    benchmark:
        "results/runtimes/extract_shard/{shard}.tsv"
    priority: 10
    conda:
        "../../envs/corpus.yaml"
    resources:
        mem_mb=growing(3000),
        runtime=shard_minutes,
    params:
        main_content=(
            ["--main-content"]
            if config["corpus"]["extraction"]["main_content"]
            else []
        ),
        timeout_s=lookup("corpus/extraction/timeout_s", within=config),
        max_bytes=lookup("corpus/extraction/max_bytes", within=config),
        model=optional("--model", LID_MODEL),
        model_file=files_digest([LID_MODEL or ""]),
        threshold=lookup("corpus/language_id/threshold", within=config),
        delete=delete_downloads,
        code=code_digest("steps.extract_shard"),
    shell:
        r"""
        logged {log:q} python -m modtok.steps.extract_shard \
            --fetched {input.files:q} {params.main_content:q} \
            --timeout-s {params.timeout_s:q} --max-bytes {params.max_bytes:q} \
            {params.model:q} --threshold {params.threshold:q} \
            {params.delete:q} \
            --out {output.shard:q} --ledger {output.ledger:q} --repairs {output.repairs:q}
        """


rule deduplicate:
    input:
        shards=collect("results/corpus/shards/{shard}.parquet", shard=SHARDS),
        checked="results/corpus/language_id/{lang}.tsv",
    output:
        documents="results/corpus/deduplicated/{lang}.parquet",
        ledger="results/corpus/ledger/deduplicate-{lang}.tsv",
    log:
        "results/logs/deduplicate/{lang}.log",
    benchmark:
        "results/runtimes/deduplicate/{lang}.tsv"
    conda:
        "../../envs/corpus.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(120, 0.001),
    params:
        labels=lambda wildcards: lid_labels(wildcards.lang),
        scope=lookup("corpus/deduplication/scope", within=config),
        near=NEAR_OPTIONS,
        may_be_empty=may_be_empty,
        code=code_digest("steps.deduplicate"),
    shell:
        r"""
        logged {log:q} python -m modtok.steps.deduplicate \
            --shards {input.shards:q} \
            --lang {wildcards.lang:q} --labels {params.labels:q} \
            --scope {params.scope:q} {params.near:q} {params.may_be_empty:q} \
            --memory-mb $(({resources.mem_mb} / 2)) \
            --out {output.documents:q} \
            --ledger {output.ledger:q}
        """


rule train_quality:
    input:
        documents="results/corpus/deduplicated/{lang}.parquet",
        checked="results/corpus/quality/{lang}.texts.tsv",
    output:
        model="results/corpus/quality/{lang}.bin",
        report="results/corpus/quality/{lang}.tsv",
    log:
        "results/logs/train_quality/{lang}.log",
    benchmark:
        "results/runtimes/train_quality/{lang}.tsv"
    conda:
        "../../envs/corpus.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(120, 0.005),
    params:
        texts=quality_texts,
        local_files=lambda wildcards: files_digest(
            quality_text(kind, wildcards.lang) for kind in ("positive", "negative")
        ),
        seed=lookup("seed", within=config),
        code=code_digest("steps.train_quality"),
    shell:
        r"""
        logged {log:q} python -m modtok.steps.train_quality \
            --lang {wildcards.lang:q} \
            {params.texts:q} \
            --documents {input.documents:q} --seed {params.seed:q} \
            --out-model {output.model:q} \
            --out-report {output.report:q}
        """


rule filter_quality:
    input:
        documents="results/corpus/deduplicated/{lang}.parquet",
        model=branch(
            lookup("corpus/quality/enabled", within=config),
            then="results/corpus/quality/{lang}.bin",
            otherwise=[],
        ),
    output:
        documents="results/corpus/documents/{lang}.parquet",
        ledger="results/corpus/ledger/quality-{lang}.tsv",
    log:
        "results/logs/filter_quality/{lang}.log",
    benchmark:
        "results/runtimes/filter_quality/{lang}.tsv"
    conda:
        "../../envs/corpus.yaml"
    resources:
        mem_mb=growing(3000),
        runtime=growing(60, 0.02),
    params:
        model=lambda wildcards, input: optional("--model", input.model),
        threshold=lambda wildcards: by_language(
            config["corpus"]["quality"]["threshold"], wildcards.lang
        ),
        code=code_digest("steps.filter_quality"),
    shell:
        r"""
        logged {log:q} python -m modtok.steps.filter_quality \
            --lang {wildcards.lang:q} \
            --documents {input.documents:q} {params.model:q} --threshold {params.threshold:q} \
            --out {output.documents:q} \
            --ledger {output.ledger:q}
        """


rule count_words:
    input:
        documents="results/corpus/documents/{lang}.parquet",
    output:
        counts="results/corpus/word_counts/{lang}.parquet",
    log:
        "results/logs/count_words/{lang}.log",
    benchmark:
        "results/runtimes/count_words/{lang}.tsv"
    conda:
        "../../envs/tokenizers.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(60, 0.01),
    params:
        pretokenization=lookup("tokenizers/pretokenization", within=config),
        max_words=optional("--max-words", lookup("tokenizers/max_words", within=config)),
        code=command_code("cli_bpe", "tokenization.word_counts"),
    shell:
        r"""
        logged {log:q} python -m modtok count {input.documents:q} \
            --pretokenization {params.pretokenization:q} {params.max_words:q} \
            --out {output.counts:q}
        """


rule mixture:
    input:
        ledgers=collect("results/corpus/ledger/quality-{lang}.tsv", lang=LANGS),
    output:
        mixture="results/corpus/mixture.tsv",
    log:
        "results/logs/mixture.log",
    benchmark:
        "results/runtimes/mixture.tsv"
    conda:
        "../../envs/corpus.yaml"
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        langs=LANGS,
        shares=[
            f"{lang}={share}"
            for lang, share in config["corpus"]["mixture"].items()
            if lang in LANGS
        ],
        code=code_digest("steps.mixture"),
    shell:
        r"""
        logged {log:q} python -m modtok.steps.mixture \
            --langs {params.langs:q} --shares {params.shares:q} \
            --ledgers {input.ledgers:q} \
            --out {output.mixture:q}
        """


rule ledger:
    input:
        extract=collect("results/corpus/ledger/extract-{shard}.tsv", shard=SHARDS),
        deduplicate=collect("results/corpus/ledger/deduplicate-{lang}.tsv", lang=LANGS),
        quality=collect("results/corpus/ledger/quality-{lang}.tsv", lang=LANGS),
    output:
        ledger="results/corpus/ledger.tsv",
    log:
        "results/logs/ledger.log",
    benchmark:
        "results/runtimes/ledger.tsv"
    conda:
        "../../envs/corpus.yaml"
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        labels=LABELS,
        code=code_digest("steps.ledger"),
    shell:
        r"""
        logged {log:q} python -m modtok.steps.ledger \
            --fragments {input:q} \
            --labels {params.labels:q} \
            --out {output.ledger:q}
        """
