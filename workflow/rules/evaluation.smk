# Metrics of the run's models: likelihood on the parallel sets (paper section 6.2), tasks (paper section 6.3).
#
# INPUTS   results/models/{tokenizer}+{regime}/, tokenizers, results/benchmarks/checked.tsv,
#          results/generations/tasks.jsonl, evaluation.parallel and evaluation.other_runs of the config
# OUTPUTS  results/metrics/{kind}/{tokenizer}+{regime}.tsv of each kind of evaluation; all models' in
#          results/metrics/{kind}.tsv, those of other runs, too, in results/metrics/training.tsv; what models
#          wrote in results/generations/{tokenizer}+{regime}.jsonl
OTHER_RUNS = config["evaluation"]["other_runs"]
# The forms of tasks are no Python, so the digest of the code does not know them.
FORMS = digest(
    *(
        file_digest(form)
        for form in sorted(
            Path(workflow.basedir, "workflow/modtok/evaluation/tasks").glob("*.yaml")
        )
    )
)


# Threads are one, so that a run on any number of cores measures the same digits: torch's sums depend on them.
rule evaluate_model:
    input:
        model="results/models/{trained}/model.safetensors",
        train_log="results/models/{trained}/train_log.tsv",
        tokenizer=trained_tokenizer,
        benchmarks="results/benchmarks/checked.tsv",
        tasks="results/generations/tasks.jsonl",
        checked=ancient("results/metrics/parallel.tsv"),
    output:
        likelihood="results/metrics/likelihood/{trained}.tsv",
        multiple_choice="results/metrics/multiple_choice/{trained}.tsv",
        generation="results/metrics/generation/{trained}.tsv",
        routing="results/metrics/routing/{trained}.tsv",
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
        labels=[f"{lang}={','.join(lid_labels(lang))}" for lang in LANGS],
        model=optional("--language-id-model", LID_MODEL),
        model_file=files_digest([LID_MODEL or ""]),
        settings=JUDGING,
        forms=FORMS,
        bootstrap=lookup("evaluation/bootstrap", within=config),
        seed=lookup("seed", within=config),
        code=code_digest("steps.evaluate_model"),
    shell:
        r"""
        logged {log:q} python -m modtok.steps.evaluate_model \
            --model "$(dirname {input.model:q})" --tokenizer "$(dirname {input.tokenizer[0]:q})" \
            --parallel {params.parallel:q} --langs {params.langs:q} \
            --benchmarks {input.benchmarks:q} --tasks {input.tasks:q} --labels {params.labels:q} {params.model:q} \
            --settings {params.settings:q} \
            --bootstrap {params.bootstrap:q} --seed {params.seed:q} --threads {threads} \
            --out "$(dirname "$(dirname {output.likelihood:q})")" --generations {output.generations:q}
        """


localrules:
    collect_likelihood,
    collect_evaluations,


rule collect_evaluations:
    input:
        models=[f"results/metrics/{{kind}}/{name}.tsv" for name in TRAINED],
    output:
        metrics="results/metrics/{kind}.tsv",
    log:
        "results/logs/collect_evaluations/{kind}.log",
    benchmark:
        "results/runtimes/collect_evaluations/{kind}.tsv"
    wildcard_constraints:
        kind="multiple_choice|generation|routing",
    conda:
        "../../envs/training.yaml"
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        code=code_digest("steps.collect_evaluations"),
    shell:
        r"""
        logged {log:q} python -m modtok.steps.collect_evaluations \
            --models {input.models:q} --out {output.metrics:q}
        """


rule collect_likelihood:
    input:
        models=[f"results/metrics/likelihood/{name}.tsv" for name in TRAINED],
    output:
        metrics="results/metrics/likelihood.tsv",
        training="results/metrics/training.tsv",
    log:
        "results/logs/collect_likelihood.log",
    benchmark:
        "results/runtimes/collect_likelihood.tsv"
    conda:
        "../../envs/training.yaml"
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        others=OTHER_RUNS,
        files=files_digest(
            [f"{run}/results/metrics/likelihood.tsv" for run in OTHER_RUNS]
        ),
        code=code_digest("steps.collect_likelihood"),
    shell:
        r"""
        logged {log:q} python -m modtok.steps.collect_likelihood \
            --models {input.models:q} --others {params.others:q} \
            --out {output.metrics:q} --training {output.training:q}
        """
