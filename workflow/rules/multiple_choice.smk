# The files of multiple choice (paper section 6.1).
#
# INPUTS   section evaluation.multiple_choice of the config, and the files or data sets of the hub that it names
# OUTPUTS  results/benchmarks/{task}/{lang}.jsonl, {lang}.shots.jsonl of what comes from the hub;
#          results/benchmarks/checked.tsv, the list of all, with checksums


localrules:
    fetch_benchmarks,
    check_benchmarks,


rule fetch_benchmarks:
    output:
        asked="results/benchmarks/{task}/{lang}.jsonl",
        shots="results/benchmarks/{task}/{lang}.shots.jsonl",
    log:
        "results/logs/fetch_benchmarks/{task}-{lang}.log",
    benchmark:
        "results/runtimes/fetch_benchmarks/{task}-{lang}.tsv"
    wildcard_constraints:
        task="|".join(sorted({task for task, _ in FETCHED})) or "none",
    priority: 100
    retries: 2
    conda:
        "../../envs/evaluation.yaml"
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        source=fetched,
        code=code_digest("steps.fetch_benchmarks"),
    shell:
        r"""
        logged {log:q} python -m modtok.steps.fetch_benchmarks \
            {params.source:q} --out {output.asked:q} --shots-out {output.shots:q}
        """


rule check_benchmarks:
    input:
        fetched=[
            f"results/benchmarks/{task}/{lang}.{suffix}"
            for task, lang in FETCHED
            for suffix in ("jsonl", "shots.jsonl")
        ],
    output:
        checked="results/benchmarks/checked.tsv",
    log:
        "results/logs/check_benchmarks.log",
    benchmark:
        "results/runtimes/check_benchmarks.tsv"
    priority: 100
    conda:
        "../../envs/evaluation.yaml"
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        benchmarks=in_environment("MODTOK_BENCHMARKS", BENCHMARK_LIST),
        files=files_digest(
            [
                entry[key]
                for entry in BENCHMARK_LIST
                for key in ("path", "shots_path")
                if (entry["task"], entry["lang"]) not in FETCHED
            ]
        ),
        code=code_digest("steps.check_benchmarks"),
    shell:
        r"""
        logged {log:q} python -m modtok.steps.check_benchmarks \
            --benchmarks "$MODTOK_BENCHMARKS" --out {output.checked:q}
        """
