# Language models over the run's tokenizers, in each regime (paper sections 6.1 to 6.3).
#
# INPUTS   results/corpus/documents/{lang}.parquet, results/corpus/mixture.tsv, tokenizers
# OUTPUTS  results/models/{tokenizer}+{regime}/config.json, model.safetensors, train_log.tsv. While a model is in
#          training, results/models/{tokenizer}+{regime}.state/, which no rule declares: Snakemake would delete it.
#          results/metrics/offload.tsv


wildcard_constraints:
    trained="|".join(map(re.escape, TRAINED)) or "none",


rule shuffle_documents:
    input:
        documents="results/corpus/documents/{lang}.parquet",
    output:
        text="results/pretraining/text/{lang}.bin",
    log:
        "results/logs/shuffle_documents/{lang}.log",
    benchmark:
        "results/runtimes/shuffle_documents/{lang}.tsv"
    conda:
        "../../envs/training.yaml"
    resources:
        mem_mb=lambda wildcards, attempt: 4000 * attempt,
        runtime=growing(60, 0.005),
    params:
        seed=lookup("seed", within=config),
        code=code_digest("steps.shuffle_documents"),
    shell:
        r"""
        logged {log:q} python -m modtok.steps.shuffle_documents \
            --lang {wildcards.lang:q} --documents {input.documents:q} --seed {params.seed:q} \
            --out {output.text:q}
        """


# Threads are one, so that a run on any number of cores trains the same bytes: torch's sums depend on them. Larger
# models on a CPU: --set-threads pretrain=2. On a GPU, threads beyond the first make batches. Processes train one model
# together, each on a GPU of its own: --set-resources pretrain:processes=8. TensorBoard, where it is installed, follows
# trainings in a folder: --set-resources pretrain:tensorboard=results/tensorboard.
rule pretrain:
    input:
        tokenizer=trained_tokenizer,
        texts=collect("results/pretraining/text/{lang}.bin", lang=LANGS),
        mixture="results/corpus/mixture.tsv",
    output:
        config="results/models/{trained}/config.json",
        model="results/models/{trained}/model.safetensors",
        train_log="results/models/{trained}/train_log.tsv",
    log:
        "results/logs/pretrain/{trained}.log",
    benchmark:
        "results/runtimes/pretrain/{trained}.tsv"
    conda:
        "../../envs/training.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 64000 * attempt,
        runtime=lambda wildcards, attempt: 2880 * attempt,
        processes=1,
        tensorboard="",
    params:
        regime=trained_regime,
        texts=SHUFFLED,
        settings=json.dumps(pretraining_settings()),
        seed=lookup("seed", within=config),
        version=1,
    shell:
        r"""
        logged {log:q} python -m modtok.steps.pretrain \
            --tokenizer "$(dirname {input.tokenizer[0]:q})" {params.regime:q} \
            --texts {params.texts:q} --mixture {input.mixture:q} \
            --settings {params.settings:q} --seed {params.seed:q} --threads {threads} \
            --processes {resources.processes} --tensorboard {resources.tensorboard:q} \
            --out "$(dirname {output.model:q})"
        """


# All cases in one job, and on most machines with all cores, so that nothing runs beside what is timed. What the
# memory of the job does not hold is left out: --set-resources measure_offload:mem_mb=400000 for 250 languages at 1B.
rule measure_offload:
    output:
        metrics="results/metrics/offload.tsv",
    log:
        "results/logs/measure_offload.log",
    benchmark:
        "results/runtimes/measure_offload.tsv"
    conda:
        "../../envs/training.yaml"
    threads: 8  # so that nothing runs beside it; one is torch's, one updates rows
    resources:
        mem_mb=growing(128000),
        runtime=growing(720),
    params:
        models=OFFLOADED,
        sizes=offload_options(),
        budget=lookup("tokenizers/budget", within=config),
        settings=json.dumps(pretraining_settings()),
        seed=lookup("seed", within=config),
        code=code_digest("steps.measure_offload"),
    shell:
        r"""
        logged {log:q} python -m modtok.steps.measure_offload \
            --models {params.models:q} {params.sizes:q} --budget {params.budget:q} \
            --settings {params.settings:q} --seed {params.seed:q} --threads 1 \
            --out {output.metrics:q}
        """
