# Metrics of the run's models, made of their answers: all models of a kind in one job, and no model is asked.
#
# INPUTS   results/answers/{kind}/{tokenizer}+{regime}.parquet, results/generations/{tokenizer}+{regime}.jsonl,
#          config.json and train_log.tsv of the models, results/benchmarks/checked.tsv, evaluation.other_runs,
#          evaluation.translation.spbleu, evaluation.routing and evaluation.bootstrap of the config
# OUTPUTS  results/metrics/{kind}.tsv; results/metrics/training.tsv, where other runs' models are, too
OTHER_RUNS = config["evaluation"]["other_runs"]


rule score_likelihood:
    input:
        models=collect("results/models/{trained}/config.json", trained=TRAINED),
        answers=collect("results/answers/likelihood/{trained}.parquet", trained=TRAINED),
        logs=collect("results/models/{trained}/train_log.tsv", trained=TRAINED),
    output:
        metrics="results/metrics/likelihood.tsv",
        training="results/metrics/training.tsv",
    log:
        "results/logs/score_likelihood.log",
    benchmark:
        "results/runtimes/score_likelihood.tsv"
    conda:
        "../../envs/training.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(60),
    params:
        bootstrap=lookup("evaluation/bootstrap", within=config),
        seed=lookup("seed", within=config),
        others=OTHER_RUNS,
        files=files_digest(
            [f"{run}/results/metrics/likelihood.tsv" for run in OTHER_RUNS]
        ),
        code=code_digest("steps.score_likelihood"),
    shell:
        r"""
        logged {log:q} python -m modtok.steps.score_likelihood \
            --models {input.models:q} --answers {input.answers:q} \
            --bootstrap {params.bootstrap:q} --seed {params.seed:q} \
            --logs {input.logs:q} --others {params.others:q} --training {output.training:q} \
            --out {output.metrics:q}
        """


rule score_multiple_choice:
    input:
        models=collect("results/models/{trained}/config.json", trained=TRAINED),
        answers=collect(
            "results/answers/multiple_choice/{trained}.parquet", trained=TRAINED
        ),
        benchmarks="results/benchmarks/checked.tsv",
    output:
        metrics="results/metrics/multiple_choice.tsv",
    log:
        "results/logs/score_multiple_choice.log",
    benchmark:
        "results/runtimes/score_multiple_choice.tsv"
    conda:
        "../../envs/evaluation.yaml"
    resources:
        mem_mb=growing(8000),
        runtime=growing(240),
    params:
        bootstrap=lookup("evaluation/bootstrap", within=config),
        seed=lookup("seed", within=config),
        forms=FORMS,
        code=code_digest("steps.score_multiple_choice"),
    shell:
        r"""
        logged {log:q} python -m modtok.steps.score_multiple_choice \
            --models {input.models:q} --answers {input.answers:q} \
            --bootstrap {params.bootstrap:q} --seed {params.seed:q} \
            --benchmarks {input.benchmarks:q} \
            --out {output.metrics:q}
        """


rule score_generation:
    input:
        models=collect("results/models/{trained}/config.json", trained=TRAINED),
        answers=collect("results/generations/{trained}.jsonl", trained=TRAINED),
        spbleu=[SPBLEU_CHECKED] if SPBLEU else [],
    output:
        metrics="results/metrics/generation.tsv",
    log:
        "results/logs/score_generation.log",
    benchmark:
        "results/runtimes/score_generation.tsv"
    conda:
        "../../envs/evaluation.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(240),
    params:
        bootstrap=lookup("evaluation/bootstrap", within=config),
        seed=lookup("seed", within=config),
        labels=LABELS,
        model=optional("--language-id-model", LID_MODEL),
        model_file=files_digest([LID_MODEL or ""]),
        spbleu=optional("--spbleu", SPBLEU),
        code=code_digest("steps.score_generation"),
    shell:
        r"""
        logged {log:q} python -m modtok.steps.score_generation \
            --models {input.models:q} --answers {input.answers:q} \
            --bootstrap {params.bootstrap:q} --seed {params.seed:q} \
            --labels {params.labels:q} {params.model:q} {params.spbleu:q} \
            --out {output.metrics:q}
        """


rule score_routing:
    input:
        models=collect("results/models/{trained}/config.json", trained=TRAINED),
        answers=collect("results/answers/routing/{trained}.parquet", trained=TRAINED),
    output:
        metrics="results/metrics/routing.tsv",
    log:
        "results/logs/score_routing.log",
    benchmark:
        "results/runtimes/score_routing.tsv"
    conda:
        "../../envs/training.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(60),
    params:
        bootstrap=lookup("evaluation/bootstrap", within=config),
        seed=lookup("seed", within=config),
        sure=lookup("evaluation/routing/sure", within=config),
        unsure=lookup("evaluation/routing/unsure", within=config),
        code=code_digest("steps.score_routing"),
    shell:
        r"""
        logged {log:q} python -m modtok.steps.score_routing \
            --models {input.models:q} --answers {input.answers:q} \
            --bootstrap {params.bootstrap:q} --seed {params.seed:q} \
            --sure {params.sure:q} --unsure {params.unsure:q} \
            --out {output.metrics:q}
        """
