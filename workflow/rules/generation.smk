# What models are asked to write (paper section 6.1).
#
# INPUTS   evaluation.parallel, sections evaluation.translation and .summarization of the config, the files they name
# OUTPUTS  results/generations/tasks.jsonl; results/generations/spbleu.tsv where there is to be spBLEU


localrules:
    check_spbleu,


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
        code=code_digest("steps.generation_tasks"),
    shell:
        r"""
        logged {log:q} python -m modtok.steps.generation_tasks \
            --parallel {params.parallel:q} --langs {params.langs:q} --names {params.names:q} \
            --shots-from {params.splits:q} --documents {params.documents:q} \
            --document-shots {params.shots:q} --settings {params.settings:q} \
            --out {output.tasks:q}
        """


# Before models train, as generation_tasks; but no question depends on it.
rule check_spbleu:
    output:
        checked=SPBLEU_CHECKED,
    log:
        "results/logs/check_spbleu.log",
    benchmark:
        "results/runtimes/check_spbleu.tsv"
    priority: 100
    conda:
        "../../envs/evaluation.yaml"
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        spbleu=SPBLEU,
        sha256=(TRANSLATION["spbleu"] or {}).get("sha256"),
        file=files_digest([SPBLEU] if SPBLEU else []),
        code=code_digest("steps.check_spbleu"),
    shell:
        r"""
        logged {log:q} python -m modtok.steps.check_spbleu \
            --model {params.spbleu:q} --sha256 {params.sha256:q} --out {output.checked:q}
        """
