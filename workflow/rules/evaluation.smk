# What the run's models are asked, on the parallel sets (paper section 6.2) and in tasks (paper section 6.3). An edit of
# what is made of their answers (scoring.smk) asks nothing again.
#
# INPUTS   results/models/{tokenizer}+{regime}/, tokenizers, results/benchmarks/checked.tsv,
#          results/generations/tasks.jsonl, evaluation.parallel and evaluation.routing of the config
# OUTPUTS  results/answers/{kind}/{tokenizer}+{regime}.parquet of each kind of question; what models wrote in
#          results/generations/{tokenizer}+{regime}.jsonl


# All kinds in one job, as reading a model, torch and lm-eval takes as long as a small evaluation. Threads are one, so
# that a run on any number of cores measures the same digits: torch's sums depend on them.
rule evaluate_model:
    input:
        model="results/models/{trained}/model.safetensors",
        tokenizer=trained_tokenizer,
        benchmarks="results/benchmarks/checked.tsv",
        tasks="results/generations/tasks.jsonl",
    output:
        likelihood="results/answers/likelihood/{trained}.parquet",
        multiple_choice="results/answers/multiple_choice/{trained}.parquet",
        routing="results/answers/routing/{trained}.parquet",
        generations="results/generations/{trained}.jsonl",
    log:
        "results/logs/evaluate_model/{trained}.log",
    benchmark:
        "results/runtimes/evaluate_model/{trained}.tsv"
    conda:
        "../../envs/evaluation.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 16000 * attempt,
        runtime=lambda wildcards, attempt: 1440 * attempt,
    params:
        parallel=PARALLEL,
        parallel_files=PARALLEL_FILES,
        langs=[flores_code(lang) for lang in LANGS],
        labels=LABELS,
        model=optional("--language-id-model", LID_MODEL),
        model_file=files_digest([LID_MODEL or ""]),
        routing=ROUTED,
        forms=FORMS,
        code=code_digest("steps.evaluate_model"),
    shell:
        r"""
        logged {log:q} python -m modtok.steps.evaluate_model \
            --model "$(dirname {input.model:q})" --tokenizer "$(dirname {input.tokenizer[0]:q})" \
            --parallel {params.parallel:q} --langs {params.langs:q} \
            --benchmarks {input.benchmarks:q} --tasks {input.tasks:q} --labels {params.labels:q} {params.model:q} \
            --routing {params.routing:q} --threads {threads} \
            --out "$(dirname "$(dirname {output.likelihood:q})")" --generations {output.generations:q}
        """
