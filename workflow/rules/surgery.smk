# From byte-level BPE tokenizers and word counts to tokenizers whose rows went to another writing system, the baselines
# beside them, and what all of them do to text (third document).
#
# INPUTS   results/tokenizers/{subject}/tokenizer.json, results/corpus/word_counts/{lang}.parquet, evaluation.parallel
# OUTPUTS  results/tokenizers/surgery-{method}-{subject}/tokenizer.json,
#          results/metrics/{surgery,surgery_scripts,surgery_conflicts}.tsv


wildcard_constraints:
    subject="|".join(SUBJECTS) or "none",
    donor="|".join(DONORS),
    baseline="|".join(SURGERY["baselines"]) or "none",


rule train_byte_bpe:
    input:
        counts=collect("results/corpus/word_counts/{lang}.parquet", lang=LANGS),
    output:
        tokenizer="results/tokenizers/byte-bpe-{size}/tokenizer.json",
    log:
        "results/logs/train_byte_bpe/{size}.log",
    benchmark:
        "results/runtimes/train_byte_bpe/{size}.tsv"
    conda:
        "../../envs/tokenizers.yaml"
    resources:
        mem_mb=growing(8000, 100),
        runtime=growing(120, 5),
    params:
        counts=WORD_COUNTS,
        min_frequency=lookup("tokenizers/min_frequency", within=config),
        code=TRAINING_CODE["bpe"],
    shell:
        r"""
        logged {log:q} python -m modtok train bpe \
            {params.counts:q} \
            --budget {wildcards.size:q} --alphabet bytes --min-frequency {params.min_frequency:q} \
            --out "$(dirname {output.tokenizer:q})"
        """


rule operate:
    input:
        tokenizer="results/tokenizers/{subject}/tokenizer.json",
        counts=f"results/corpus/word_counts/{SURGERY['target']}.parquet",
        spared=lambda wildcards: SPARED.values() if DONORS[wildcards.donor] else [],
    output:
        tokenizer="results/tokenizers/surgery-{donor}-{subject}/tokenizer.json",
        changes="results/tokenizers/surgery-{donor}-{subject}/changes.json",
    log:
        "results/logs/operate/{donor}-{subject}.log",
    benchmark:
        "results/runtimes/operate/{donor}-{subject}.tsv"
    conda:
        "../../envs/tokenizers.yaml"
    resources:
        mem_mb=growing(4000, 100),
        runtime=growing(60, 3),
    params:
        policy=[
            *("--target-script", SURGERY["target_script"]),
            *("--delete-scripts", ",".join(SURGERY["delete_scripts"])),
            *("--keep-scripts", ",".join(SURGERY["keep_scripts"])),
        ],
        slots=surgery_slots,
        spared=spared_options,
        code=command_code(
            "cli_surgery",
            "surgery.changes",
            "surgery.folder",
            "surgery.forecast",
            "surgery.request",
        ),
    shell:
        r"""
        logged {log:q} python -m modtok surgery {input.tokenizer:q} \
            --counts {input.counts:q} {params.spared:q} {params.policy:q} --slots {params.slots:q} \
            --out "$(dirname {output.tokenizer:q})"
        """


rule surgery_baseline:
    input:
        tokenizer="results/tokenizers/{subject}/tokenizer.json",
        counts=f"results/corpus/word_counts/{SURGERY['target']}.parquet",
        changes="results/tokenizers/surgery-guided-{subject}/changes.json",
        corpora=SURGERY_CORPORA.values(),
    output:
        tokenizer="results/tokenizers/surgery-{baseline}-{subject}/tokenizer.json",
    log:
        "results/logs/surgery_baseline/{baseline}-{subject}.log",
    benchmark:
        "results/runtimes/surgery_baseline/{baseline}-{subject}.tsv"
    conda:
        "../../envs/tokenizers.yaml"
    resources:
        mem_mb=growing(4000, 100),
        runtime=growing(60, 3),
    params:
        corpora=[f"{lang}={path}" for lang, path in SURGERY_CORPORA.items()],
        target_script=SURGERY["target_script"],
        delete_scripts=SURGERY["delete_scripts"],
        keep_scripts=SURGERY["keep_scripts"],
        code=code_digest("steps.surgery_baseline"),
    shell:
        r"""
        logged {log:q} python -m modtok.steps.surgery_baseline \
            --method {wildcards.baseline:q} --tokenizer {input.tokenizer:q} \
            --counts {input.counts:q} --corpora {params.corpora:q} \
            --target-script {params.target_script:q} --delete-scripts {params.delete_scripts:q} \
            --keep-scripts {params.keep_scripts:q} --changes {input.changes:q} \
            --out "$(dirname {output.tokenizer:q})"
        """


rule measure_surgery:
    input:
        before=collect("results/tokenizers/{subject}/tokenizer.json", subject=SUBJECTS),
        after=collect(
            "results/tokenizers/surgery-{method}-{subject}/tokenizer.json",
            method=METHODS,
            subject=SUBJECTS,
        ),
    output:
        metrics="results/metrics/surgery.tsv",
        scripts="results/metrics/surgery_scripts.tsv",
        conflicts="results/metrics/surgery_conflicts.tsv",
    log:
        "results/logs/measure_surgery.log",
    benchmark:
        "results/runtimes/measure_surgery.tsv"
    conda:
        "../../envs/tokenizers.yaml"
    resources:
        mem_mb=growing(4000, 40),
        runtime=growing(60, 1),
    params:
        subjects=SUBJECTS,
        methods=METHODS,
        groups=[",".join(group) for group in SURGERY["groups"]],
        target=SURGERY["target"],
        parallel=PARALLEL,
        parallel_files=PARALLEL_FILES,
        langs=[flores_code(lang) for lang in MEASURED],
        bootstrap=lookup("evaluation/bootstrap", within=config),
        seed=lookup("seed", within=config),
        code=code_digest("steps.measure_surgery"),
    shell:
        r"""
        logged {log:q} python -m modtok.steps.measure_surgery \
            --subjects {params.subjects:q} --methods {params.methods:q} --tokenizers results/tokenizers \
            --target {params.target:q} --groups {params.groups:q} \
            --parallel {params.parallel:q} --langs {params.langs:q} \
            --bootstrap {params.bootstrap:q} --seed {params.seed:q} \
            --metrics {output.metrics:q} --scripts {output.scripts:q} --conflicts {output.conflicts:q}
        """
