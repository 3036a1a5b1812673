# What is taken out of modular tokenizers, against the baseline of concatenated tables: counts, Table 7, Figure 2 and
# the claims (paper sections 4, 5.1 and 7, Appendices A.4, A.5 and D.1).
#
# INPUTS   results/tokenizers/{sequential-bpe,merged-unigram,frequency-unigram,mono-bpe-{lang}}/, results/metrics/token_counts/
# OUTPUTS  results/tokenizers/{concatenated-bpe,sequential-bpe-order{n}}/tokenizer.json,
#          results/metrics/{subtokenizer_counts,combination_counts}/*.parquet,
#          results/metrics/{combinations,rank_conflict,claims}.tsv
COMBINATIONS = config["evaluation"]["combinations"]
ORDERS = orders(LANGS, COMBINATIONS["orders"], config["seed"])
MONO_BPE = collect("results/tokenizers/mono-bpe-{lang}/tokenizer.json", lang=LANGS)


rule train_concatenated_bpe:
    input:
        counts=collect("results/corpus/word_counts/{lang}.parquet", lang=LANGS),
        trained=MONO_BPE,
    output:
        tokenizer="results/tokenizers/concatenated-bpe/tokenizer.json",
        unreachable="results/tokenizers/concatenated-bpe/unreachable.tsv",
    log:
        "results/logs/train_concatenated_bpe.log",
    benchmark:
        "results/runtimes/train_concatenated_bpe.tsv"
    conda:
        "../../envs/tokenizers.yaml"
    resources:
        mem_mb=growing(4000, 100),
        runtime=growing(30, 1),
    params:
        counts=WORD_COUNTS,
        trained=named_options("--trained", "results/tokenizers/mono-bpe-{lang}"),
        budget=lookup("tokenizers/budget", within=config),
        code=TRAINING_CODE["concatenated-bpe"],
    shell:
        r"""
        logged {log:q} python -m modtok train concatenated-bpe \
            {params.counts:q} {params.trained:q} --budget {params.budget:q} \
            --out "$(dirname {output.tokenizer:q})"
        """


# The run's own order is learned language by language; these are only compared with it, so one job each.
rule train_sequential_order:
    input:
        counts=collect("results/corpus/word_counts/{lang}.parquet", lang=LANGS),
    output:
        tokenizer="results/tokenizers/sequential-bpe-order{order}/tokenizer.json",
        modules="results/tokenizers/sequential-bpe-order{order}/modules.json",
    log:
        "results/logs/train_sequential_order/{order}.log",
    benchmark:
        "results/runtimes/train_sequential_order/{order}.tsv"
    conda:
        "../../envs/tokenizers.yaml"
    resources:
        mem_mb=growing(4000, 100),
        runtime=growing(60, 5),
    params:
        counts=lambda wildcards: named_options(
            "--counts",
            "results/corpus/word_counts/{lang}.parquet",
            order_of(wildcards),
        ),
        budget=lookup("tokenizers/budget", within=config),
        settings=BPE_OPTIONS + SEED_OPTIONS,
        seed_file=SEED_FILES,
        code=TRAINING_CODE["sequential-bpe"],
    shell:
        r"""
        logged {log:q} python -m modtok train sequential-bpe \
            {params.counts:q} --budget {params.budget:q} {params.settings:q} \
            --out "$(dirname {output.tokenizer:q})"
        """


rule count_subtokenizers:
    input:
        tokenizer="results/tokenizers/{modular}/tokenizer.json",
        modules="results/tokenizers/{modular}/modules.json",
        checked="results/metrics/parallel.tsv",
    output:
        counts="results/metrics/subtokenizer_counts/{modular}.parquet",
    log:
        "results/logs/count_subtokenizers/{modular}.log",
    benchmark:
        "results/runtimes/count_subtokenizers/{modular}.tsv"
    conda:
        "../../envs/tokenizers.yaml"
    resources:
        mem_mb=growing(3000, 100),
        runtime=growing(60, 3),
    params:
        parallel=PARALLEL,
        parallel_files=PARALLEL_FILES,
        langs=[flores_code(lang) for lang in LANGS],
        code=code_digest("steps.count_subtokenizers"),
    shell:
        r"""
        logged {log:q} python -m modtok.steps.count_subtokenizers \
            --name {wildcards.modular:q} --tokenizer {input.tokenizer:q} \
            --parallel {params.parallel:q} --langs {params.langs:q} \
            --out {output.counts:q}
        """


rule count_combinations:
    input:
        sequential=sequential_in_order,
        tables=MONO_BPE,
        checked="results/metrics/parallel.tsv",
    output:
        counts="results/metrics/combination_counts/order{order}.parquet",
    log:
        "results/logs/count_combinations/{order}.log",
    benchmark:
        "results/runtimes/count_combinations/{order}.tsv"
    conda:
        "../../envs/tokenizers.yaml"
    resources:
        mem_mb=growing(4000, 250),
        runtime=growing(60, 5),
    params:
        tables=lambda wildcards: table_options(order_of(wildcards)),
        parallel=PARALLEL,
        parallel_files=PARALLEL_FILES,
        langs=[flores_code(lang) for lang in LANGS],
        at_most=[COMBINATIONS[size] for size in ("pairs", "triples", "quadruples")],
        seed=lookup("seed", within=config),
        code=code_digest("steps.count_combinations"),
    shell:
        r"""
        logged {log:q} python -m modtok.steps.count_combinations \
            --order {wildcards.order:q} --sequential {input.sequential:q} \
            --tables {params.tables:q} \
            --parallel {params.parallel:q} --langs {params.langs:q} \
            --at-most {params.at_most:q} --seed {params.seed:q} \
            --out {output.counts:q}
        """


rule measure_combinations:
    input:
        counts=[
            f"results/metrics/combination_counts/order{number}.parquet"
            for number, _ in enumerate(ORDERS, 1)
        ],
        references=collect(
            "results/metrics/token_counts/mono-bpe-{lang}.parquet", lang=LANGS
        ),
    output:
        metrics="results/metrics/combinations.tsv",
    log:
        "results/logs/measure_combinations.log",
    benchmark:
        "results/runtimes/measure_combinations.tsv"
    conda:
        "../../envs/tokenizers.yaml"
    resources:
        mem_mb=growing(4000, 100),
        runtime=growing(30, 1),
    params:
        datasets=DATASETS,
        bootstrap=lookup("evaluation/bootstrap", within=config),
        seed=lookup("seed", within=config),
        code=code_digest("steps.measure_combinations"),
    shell:
        r"""
        logged {log:q} python -m modtok.steps.measure_combinations \
            --counts {input.counts:q} --references {input.references:q} \
            --datasets {params.datasets:q} \
            --bootstrap {params.bootstrap:q} --seed {params.seed:q} \
            --out {output.metrics:q}
        """


rule find_rank_conflict:
    input:
        sequential="results/tokenizers/sequential-bpe/tokenizer.json",
        tables=MONO_BPE,
        checked="results/metrics/parallel.tsv",
    output:
        example="results/metrics/rank_conflict.tsv",
    log:
        "results/logs/find_rank_conflict.log",
    benchmark:
        "results/runtimes/find_rank_conflict.tsv"
    conda:
        "../../envs/tokenizers.yaml"
    resources:
        mem_mb=growing(3000, 60),
        runtime=growing(30, 1),
    params:
        tables=table_options(LANGS),
        parallel=PARALLEL,
        parallel_files=PARALLEL_FILES,
        langs=[flores_code(lang) for lang in LANGS],
        code=code_digest("steps.find_rank_conflict"),
    shell:
        r"""
        logged {log:q} python -m modtok.steps.find_rank_conflict \
            --sequential {input.sequential:q} --tables {params.tables:q} \
            --parallel {params.parallel:q} --langs {params.langs:q} \
            --out {output.example:q}
        """


rule claims:
    input:
        counts=COUNTED_FILES,
        subtokenizers=SUBTOKENIZER_COUNTS,
        combinations="results/metrics/combinations.tsv",
    output:
        claims="results/metrics/claims.tsv",
    log:
        "results/logs/claims.log",
    benchmark:
        "results/runtimes/claims.tsv"
    conda:
        "../../envs/tokenizers.yaml"
    resources:
        mem_mb=growing(4000, 100),
        runtime=growing(30, 1),
    params:
        datasets=DATASETS,
        bootstrap=lookup("evaluation/bootstrap", within=config),
        seed=lookup("seed", within=config),
        code=code_digest("steps.claims"),
    shell:
        r"""
        logged {log:q} python -m modtok.steps.claims \
            --token-counts {input.counts:q} --subtokenizer-counts {input.subtokenizers:q} \
            --combinations {input.combinations:q} --datasets {params.datasets:q} \
            --bootstrap {params.bootstrap:q} --seed {params.seed:q} \
            --out {output.claims:q}
        """
