# From word counts to tokenizers (paper section 3), and the open tokenizers they are compared with.
#
# INPUTS   results/corpus/word_counts/{lang}.parquet
# OUTPUTS  results/tokenizers/{tokenizer}/tokenizer.json, with tokenizer_config.json beside it and, for Unigram,
#          tokenizer.model


localrules:
    finish_sequential_bpe,
    import_open_tokenizer,


rule train_monolingual:
    input:
        counts="results/corpus/word_counts/{lang}.parquet",
    output:
        tokenizer="results/tokenizers/mono-{model}-{lang}/tokenizer.json",
    log:
        "results/logs/train_monolingual/{model}-{lang}.log",
    benchmark:
        "results/runtimes/train_monolingual/{model}-{lang}.tsv"
    conda:
        "../../envs/tokenizers.yaml"
    resources:
        mem_mb=growing(3000, 100),
        runtime=growing(60, 5),
    params:
        budget=lookup("tokenizers/budget", within=config),
        settings=training_options,
        code=lambda wildcards: TRAINING_CODE[wildcards.model],
    shell:
        r"""
        logged {log:q} python -m modtok train {wildcards.model:q} \
            --counts {wildcards.lang:q}={input.counts:q} \
            --budget {params.budget:q} {params.settings:q} --threads {threads} \
            --out "$(dirname {output.tokenizer:q})"
        """


rule train_joint:
    input:
        counts=collect("results/corpus/word_counts/{lang}.parquet", lang=LANGS),
    output:
        tokenizer="results/tokenizers/joint-{model}-{size}/tokenizer.json",
    log:
        "results/logs/train_joint/{model}-{size}.log",
    benchmark:
        "results/runtimes/train_joint/{model}-{size}.tsv"
    conda:
        "../../envs/tokenizers.yaml"
    resources:
        mem_mb=growing(8000, 100),
        runtime=growing(120, 5),
    params:
        counts=WORD_COUNTS,
        settings=training_options,
        code=lambda wildcards: TRAINING_CODE[wildcards.model],
    shell:
        r"""
        logged {log:q} python -m modtok train {wildcards.model:q} \
            {params.counts:q} \
            --budget {wildcards.size:q} {params.settings:q} --threads {threads} \
            --out "$(dirname {output.tokenizer:q})"
        """


# One job per language, each on top of the one before: a language added at the end touches nothing earlier.
rule train_sequential_bpe:
    input:
        counts="results/corpus/word_counts/{lang}.parquet",
        earlier=earlier_step,
    output:
        tokenizer="results/tokenizers/sequential-bpe/steps/{lang}/tokenizer.json",
        modules="results/tokenizers/sequential-bpe/steps/{lang}/modules.json",
        growth="results/tokenizers/sequential-bpe/steps/{lang}/growth.tsv",
    log:
        "results/logs/train_sequential_bpe/{lang}.log",
    benchmark:
        "results/runtimes/train_sequential_bpe/{lang}.tsv"
    conda:
        "../../envs/tokenizers.yaml"
    resources:
        mem_mb=growing(3000, 100),
        runtime=growing(60, 5),
    params:
        command=sequential_command,
        seed_file=SEED_FILES,
        budget=lookup("tokenizers/budget", within=config),
        min_frequency=lookup("tokenizers/min_frequency", within=config),
        character_coverage=lookup("tokenizers/character_coverage", within=config),
        code=TRAINING_CODE["sequential-bpe"],
    shell:
        r"""
        logged {log:q} python -m modtok {params.command:q} \
            --counts {wildcards.lang:q}={input.counts:q} \
            --budget {params.budget:q} --min-frequency {params.min_frequency:q} \
            --character-coverage {params.character_coverage:q} \
            --out "$(dirname {output.tokenizer:q})"
        """


# The last step's tokenizer is the one that the run is about.
rule finish_sequential_bpe:
    input:
        tokenizer=f"{SEQUENTIAL_STEPS}/{LANGS[-1]}/tokenizer.json",
        modules=f"{SEQUENTIAL_STEPS}/{LANGS[-1]}/modules.json",
        growth=f"{SEQUENTIAL_STEPS}/{LANGS[-1]}/growth.tsv",
    output:
        tokenizer="results/tokenizers/sequential-bpe/tokenizer.json",
        modules="results/tokenizers/sequential-bpe/modules.json",
        growth="results/tokenizers/sequential-bpe/growth.tsv",
    log:
        "results/logs/finish_sequential_bpe.log",
    benchmark:
        "results/runtimes/finish_sequential_bpe.tsv"
    conda:
        "../../envs/tokenizers.yaml"
    resources:
        mem_mb=1000,
        runtime=15,
    params:
        code=code_digest("steps.finish_sequential_bpe"),
    shell:
        r"""
        logged {log:q} python -m modtok.steps.finish_sequential_bpe \
            --step "$(dirname {input.tokenizer:q})" --out "$(dirname {output.tokenizer:q})"
        """


rule extract_subtokenizer:
    input:
        tokenizer=modular_part("tokenizer.json"),
        modules=modular_part("modules.json"),
    output:
        tokenizer="results/tokenizers/{modular}+{lang}/tokenizer.json",
        full_ids="results/tokenizers/{modular}+{lang}/full_ids.npy",
    log:
        "results/logs/extract_subtokenizer/{modular}-{lang}.log",
    benchmark:
        "results/runtimes/extract_subtokenizer/{modular}-{lang}.tsv"
    conda:
        "../../envs/tokenizers.yaml"
    resources:
        mem_mb=growing(2000, 50),
        runtime=growing(15, 1),
    params:
        code=command_code("cli_export", "tokenization.modular"),
    shell:
        r"""
        logged {log:q} python -m modtok extract "$(dirname {input.tokenizer:q})" \
            --langs {wildcards.lang:q} --out "$(dirname {output.tokenizer:q})"
        """


# The monolingual Unigram tokenizers of the run are merged, not trained again.
rule train_merged_unigram:
    input:
        counts=collect("results/corpus/word_counts/{lang}.parquet", lang=LANGS),
        trained=collect(
            "results/tokenizers/mono-unigram-{lang}/tokenizer.json", lang=LANGS
        ),
    output:
        tokenizer="results/tokenizers/merged-unigram/tokenizer.json",
        modules="results/tokenizers/merged-unigram/modules.json",
    log:
        "results/logs/train_merged_unigram.log",
    benchmark:
        "results/runtimes/train_merged_unigram.tsv"
    conda:
        "../../envs/tokenizers.yaml"
    threads: 8
    resources:
        mem_mb=growing(4000, 200),
        runtime=growing(120, 5),
    params:
        counts=WORD_COUNTS,
        trained=named_options("--trained", "results/tokenizers/mono-unigram-{lang}"),
        budget=lookup("tokenizers/budget", within=config),
        em=em_options(),
        code=TRAINING_CODE["merged-unigram"],
    shell:
        r"""
        logged {log:q} python -m modtok train merged-unigram \
            {params.counts:q} {params.trained:q} \
            --budget {params.budget:q} {params.em:q} --threads {threads} \
            --out "$(dirname {output.tokenizer:q})"
        """


rule train_frequency_unigram:
    input:
        counts=collect("results/corpus/word_counts/{lang}.parquet", lang=LANGS),
        joint=f"results/tokenizers/joint-unigram-{LARGEST_JOINT}/tokenizer.json",
    output:
        tokenizer="results/tokenizers/frequency-unigram/tokenizer.json",
        modules="results/tokenizers/frequency-unigram/modules.json",
    log:
        "results/logs/train_frequency_unigram.log",
    benchmark:
        "results/runtimes/train_frequency_unigram.tsv"
    conda:
        "../../envs/tokenizers.yaml"
    resources:
        mem_mb=growing(4000, 100),
        runtime=growing(60, 3),
    params:
        counts=WORD_COUNTS,
        budget=lookup("tokenizers/budget", within=config),
        code=TRAINING_CODE["frequency-unigram"],
    shell:
        r"""
        logged {log:q} python -m modtok train frequency-unigram \
            {params.counts:q} \
            --budget {params.budget:q} --joint "$(dirname {input.joint:q})" \
            --out "$(dirname {output.tokenizer:q})"
        """


# An open tokenizer is copied once, from a path or from the hub, where there is network: so it runs where Snakemake
# runs, not on a node.
rule import_open_tokenizer:
    output:
        tokenizer="results/tokenizers/open-{name}/{file}",
    log:
        "results/logs/import_open_tokenizer/{name}-{file}.log",
    benchmark:
        "results/runtimes/import_open_tokenizer/{name}-{file}.tsv"
    priority: 100
    conda:
        "../../envs/reporting.yaml"
    resources:
        mem_mb=1000,
        runtime=30,
    params:
        source=lambda wildcards: IMPORTED_PATHS[wildcards.name],
        source_file=lambda wildcards: files_digest([IMPORTED_PATHS[wildcards.name]]),
        code=code_digest("steps.import_open_tokenizer"),
    shell:
        r"""
        logged {log:q} python -m modtok.steps.import_open_tokenizer \
            --source {params.source:q} \
            --out {output.tokenizer:q}
        """
