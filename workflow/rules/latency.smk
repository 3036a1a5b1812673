# What a forward pass takes with each tokenizer, on models with random weights (paper sections 3.2 and 5.2, Table 3,
# Figure 1, Appendices A.6 and F).
#
# INPUTS   results/metrics/{token_counts,subtokenizer_counts}/*.parquet, BPE tokenizers
# OUTPUTS  results/metrics/reduced_counts.parquet, results/metrics/latency.tsv


rule count_reduced:
    input:
        modular="results/tokenizers/sequential-bpe/tokenizer.json",
        modules="results/tokenizers/sequential-bpe/modules.json",
        monolingual=collect(
            "results/tokenizers/mono-bpe-{lang}/tokenizer.json", lang=LATENCY_LANGS
        ),
        joint=collect(
            "results/tokenizers/{name}/tokenizer.json", name=LARGEST_JOINT_BPE
        ),
        checked="results/metrics/parallel.tsv",
    output:
        counts="results/metrics/reduced_counts.parquet",
    log:
        "results/logs/count_reduced.log",
    benchmark:
        "results/runtimes/count_reduced.tsv"
    conda:
        "../../envs/tokenizers.yaml"
    resources:
        mem_mb=growing(2000, 40),
        runtime=growing(60, 1),
    params:
        sizes=lookup("evaluation/latency/sizes", within=config),
        parallel=PARALLEL[:1],
        parallel_files=PARALLEL_FILES,
        langs=[flores_code(lang) for lang in LATENCY_LANGS],
        code=code_digest("steps.count_reduced"),
    shell:
        r"""
        logged {log:q} python -m modtok.steps.count_reduced \
            --modular {input.modular:q} --monolingual {input.monolingual:q} \
            --joint {input.joint:q} --sizes {params.sizes:q} \
            --parallel {params.parallel:q} --langs {params.langs:q} \
            --out {output.counts:q}
        """


# All models in one job, and on most machines with all cores, so that nothing runs beside what is timed.
rule measure_latency:
    input:
        counts=LATENCY_COUNTS,
        subtokenizers="results/metrics/subtokenizer_counts/sequential-bpe.parquet",
        reduced="results/metrics/reduced_counts.parquet",
    output:
        metrics="results/metrics/latency.tsv",
    log:
        "results/logs/measure_latency.log",
    benchmark:
        "results/runtimes/measure_latency.tsv"
    conda:
        "../../envs/training.yaml"
    threads: 8  # so that nothing runs beside it; torch has one: several wait for each other where a core is taken
    resources:
        mem_mb=growing(64000),
        runtime=growing(720),
    params:
        models=list(LATENCY_MODELS.values()),
        timed=list(TIMED),
        dataset=DATASET,
        langs=LATENCY_LANGS,
        lines=[] if LATENCY["lines"] == "all" else ["--lines", LATENCY["lines"]],
        rounds=lookup("evaluation/latency/rounds", within=config),
        hours=lookup("evaluation/latency/hours", within=config),
        seed=lookup("seed", within=config),
        code=code_digest("steps.measure_latency"),
    shell:
        r"""
        logged {log:q} python -m modtok.steps.measure_latency \
            --token-counts {input.counts:q} \
            --subtokenizer-counts {input.subtokenizers:q} {input.reduced:q} \
            --models {params.models:q} --timed {params.timed:q} \
            --dataset {params.dataset:q} --langs {params.langs:q} {params.lines:q} \
            --rounds {params.rounds:q} --hours {params.hours:q} \
            --seed {params.seed:q} --threads 1 \
            --out {output.metrics:q}
        """
