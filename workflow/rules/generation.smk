# What models are asked to write (paper section 6.1).
#
# INPUTS   evaluation.parallel, sections evaluation.translation and .summarization of the config, the files they name
# OUTPUTS  results/generations/tasks.jsonl


rule generation_tasks:
    input:
        checked="results/metrics/parallel.tsv",
    output:
        tasks="results/generations/tasks.jsonl",
    log:
        "results/logs/generation_tasks.log",
    benchmark:
        "results/runtimes/generation_tasks.tsv"
    priority: 100
    conda:
        "../../envs/evaluation.yaml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        parallel=PARALLEL,
        parallel_files=PARALLEL_FILES,
        langs=[flores_code(lang) for lang in LANGS],
        names=[f"{lang}={LANGUAGES.loc[lang, 'name']}" for lang in LANGS],
        splits=splits(),
        documents=documents("path"),
        shots=documents("shots_from"),
        files=GENERATION_FILES,
        settings=AMOUNTS,
        spbleu=optional("--spbleu", SPBLEU),
        code=code_digest("steps.generation_tasks"),
    shell:
        r"""
        logged {log:q} python -m modtok.steps.generation_tasks \
            --parallel {params.parallel:q} --langs {params.langs:q} --names {params.names:q} \
            --shots-from {params.splits:q} --documents {params.documents:q} \
            --document-shots {params.shots:q} --settings {params.settings:q} {params.spbleu:q} \
            --out {output.tasks:q}
        """
