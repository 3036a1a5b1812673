# From metrics to tables, figures and the page. Each is declared once, in workflow/modtok/reporting/items.py.
#
# INPUTS   results/metrics/*.tsv, results/corpus/ledger.tsv
# OUTPUTS  results/tables/{item}.tsv, .md, .tex; results/figures/{item}.pdf, .svg, .png; results/page/index.html


localrules:
    table,
    figure,
    page,


rule table:
    input:
        data=item_inputs,
    output:
        tsv="results/tables/{item}.tsv",
        md=report(
            "results/tables/{item}.md",
            caption="../report/item.rst",
            category="Tables",
            labels={"table": "{item}"},
        ),
        tex="results/tables/{item}.tex",
    log:
        "results/logs/table/{item}.log",
    benchmark:
        "results/runtimes/table/{item}.tsv"
    conda:
        "../../envs/reporting.yaml"
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        run=REPORTING_OPTIONS,
        caption=lambda wildcards: ITEMS[wildcards.item]
        .of_run(LANGS, beside=False)
        .caption,
        code=item_code,
    shell:
        r"""
        logged {log:q} python -m modtok.steps.table \
            --item {wildcards.item:q} --inputs {input.data:q} {params.run:q} \
            --tsv {output.tsv:q} --md {output.md:q} --tex {output.tex:q}
        """


rule figure:
    input:
        data=item_inputs,
    output:
        pdf="results/figures/{item}.pdf",
        svg=report(
            "results/figures/{item}.svg",
            caption="../report/item.rst",
            category="Figures",
            labels={"figure": "{item}"},
        ),
        png="results/figures/{item}.png",
    log:
        "results/logs/figure/{item}.log",
    benchmark:
        "results/runtimes/figure/{item}.tsv"
    conda:
        "../../envs/reporting.yaml"
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        run=REPORTING_OPTIONS,
        caption=lambda wildcards: ITEMS[wildcards.item].caption,
        code=item_code,
    shell:
        r"""
        logged {log:q} python -m modtok.steps.figure \
            --item {wildcards.item:q} --inputs {input.data:q} {params.run:q} \
            --pdf {output.pdf:q} --svg {output.svg:q} --png {output.png:q}
        """


rule page:
    input:
        tables=collect("results/tables/{item}.tsv", item=TABLES),
        figures=collect("results/figures/{item}.svg", item=FIGURES),
        ledger="results/corpus/ledger.tsv",
        language_id=collect("results/corpus/language_id/{lang}.tsv", lang=LANGS),
        quality=QUALITY_REPORTS,
        metrics="results/metrics/compression.tsv",
        held_to=HELD_TO,
    output:
        page="results/page/index.html",
    log:
        "results/logs/page.log",
    benchmark:
        "results/runtimes/page.tsv"
    conda:
        "../../envs/reporting.yaml"
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        run=REPORTING_OPTIONS,
        config=RUN_CONFIG,
        code=code_digest("steps.page"),
    shell:
        r"""
        logged {log:q} python -m modtok.steps.page \
            --tables {input.tables:q} --figures {input.figures:q} --ledger {input.ledger:q} \
            --language-id {input.language_id:q} --quality {input.quality:q} \
            --versions-of {input.metrics:q} {input.tables:q} \
            --config "$MODTOK_CONFIG" {params.run:q} \
            --out {output.page:q}
        """


# Each table and figure is a target by its own name.
for item in ITEMS.values():

    rule:
        name:
            item.name
        input:
            item.outputs,
            HELD_TO,
