# From tokenizers and parallel sets to the metrics of compression (paper section 3.1, Appendix A.3).
#
# INPUTS   results/tokenizers/{tokenizer}/tokenizer.json, evaluation.parallel of the config
# OUTPUTS  results/metrics/parallel.tsv, results/metrics/token_counts/{tokenizer}.parquet, compression.tsv, memory.tsv


# Before anything long: a language that no parallel set has could not be measured in the end. What reads the sets in all
# languages waits for it, and has the same reasons to run again; `ancient` would leave it as it was: Snakemake asks no job
# why it should run that is anywhere below one that runs. Counts of a tokenizer have their own languages, and do not wait.
rule check_parallel:
    output:
        report="results/metrics/parallel.tsv",
    log:
        "results/logs/check_parallel.log",
    benchmark:
        "results/runtimes/check_parallel.tsv"
    priority: 100
    conda:
        "../../envs/tokenizers.yaml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(15),
    params:
        parallel=PARALLEL,
        parallel_files=PARALLEL_FILES,
        langs=[flores_code(lang) for lang in LANGS],
        code=code_digest("steps.check_parallel"),
    shell:
        r"""
        logged {log:q} python -m modtok.steps.check_parallel \
            --parallel {params.parallel:q} --langs {params.langs:q} \
            --out {output.report:q}
        """


rule count_tokens:
    input:
        tokenizer=lambda wildcards: tokenizer_file(wildcards.tokenizer),
    output:
        counts="results/metrics/token_counts/{tokenizer}.parquet",
    log:
        "results/logs/count_tokens/{tokenizer}.log",
    benchmark:
        "results/runtimes/count_tokens/{tokenizer}.tsv"
    conda:
        "../../envs/tokenizers.yaml"
    resources:
        mem_mb=growing(2000, 40),
        runtime=growing(30, 1),
    params:
        parallel=PARALLEL,
        parallel_files=PARALLEL_FILES,
        langs=tokenizer_langs,
        code=code_digest("steps.count_tokens"),
    shell:
        r"""
        logged {log:q} python -m modtok.steps.count_tokens \
            --name {wildcards.tokenizer:q} --tokenizer {input.tokenizer:q} \
            --parallel {params.parallel:q} --langs {params.langs:q} \
            --out {output.counts:q}
        """


rule measure_compression:
    input:
        counts=COUNTED_FILES,
        subtokenizers=SUBTOKENIZER_COUNTS,
    output:
        metrics="results/metrics/compression.tsv",
    log:
        "results/logs/measure_compression.log",
    benchmark:
        "results/runtimes/measure_compression.tsv"
    conda:
        "../../envs/tokenizers.yaml"
    resources:
        mem_mb=growing(4000, 100),
        runtime=growing(30, 1),
    params:
        parallel=PARALLEL,
        parallel_files=PARALLEL_FILES,
        langs=[flores_code(lang) for lang in LANGS],
        bootstrap=lookup("evaluation/bootstrap", within=config),
        seed=lookup("seed", within=config),
        code=code_digest("steps.measure_compression"),
    shell:
        r"""
        logged {log:q} python -m modtok.steps.measure_compression \
            --token-counts {input.counts:q} --subtokenizer-counts {input.subtokenizers:q} \
            --parallel {params.parallel:q} --langs {params.langs:q} \
            --bootstrap {params.bootstrap:q} --seed {params.seed:q} \
            --out {output.metrics:q}
        """


rule measure_memory:
    input:
        counts=COUNTED_FILES,
        subtokenizers=SUBTOKENIZER_COUNTS,
    output:
        metrics="results/metrics/memory.tsv",
    log:
        "results/logs/measure_memory.log",
    benchmark:
        "results/runtimes/measure_memory.tsv"
    conda:
        "../../envs/tokenizers.yaml"
    resources:
        mem_mb=growing(2000, 100),
        runtime=growing(15, 1),
    params:
        models=[model_shape(name) for name in config["models"]],
        code=code_digest("steps.measure_memory"),
    shell:
        r"""
        logged {log:q} python -m modtok.steps.measure_memory \
            --token-counts {input.counts:q} --subtokenizer-counts {input.subtokenizers:q} \
            --models {params.models:q} \
            --out {output.metrics:q}
        """
