"""Every table and figure: one declaration each, which the workflow, the steps and the page read.

An item is made by the function of its name in `reporting.tables` or `reporting.figures`, from its inputs in
the order given here. Light on purpose: the Snakefile imports this module.
"""

import re
from collections.abc import Collection
from typing import Literal

from modtok.reporting.generation_items import GENERATION_FIGURES, GENERATION_TABLES
from modtok.reporting.item import Item
from modtok.reporting.latency_items import LATENCY_FIGURES, LATENCY_TABLES
from modtok.reporting.model_items import MODEL_FIGURES, MODEL_TABLES
from modtok.reporting.multiple_choice_items import MULTIPLE_CHOICE_TABLES

COMPRESSION = "results/metrics/compression.tsv"
COMBINATIONS = "results/metrics/combinations.tsv"
SURGERY = "results/metrics/surgery.tsv"
LEDGER = "results/corpus/ledger.tsv"

_NSL = (
    "Normalized sequence length (NSL) on the parallel set: the tokens of a tokenizer over those of the "
    "monolingual BPE of the same language and the run's budget. Lower is better; below 1 beats the "
    "monolingual tokenizer. "
)
_BESIDE = (
    "In parentheses the paper's figure (FLORES-200 devtest, 24k references), where tokenizer, language and "
    "sizes match."
)
_INTERVALS = "Intervals are in results/metrics/compression.tsv."
_MEAN = "The last column is the mean over languages. "
_AFTER_SURGERY = "minutes for each tokenizer and method, once the word counts are there"
_AFTER_COMPRESSION = "seconds, once the tokenizers are trained and counted"

ITEMS: dict[str, Item] = {
    item.name: item
    for item in (
        Item(
            "table_1",
            "table",
            "Open and joint tokenizers on the languages of the paper's Table 1",
            (COMPRESSION,),
            _NSL + _INTERVALS,
            _AFTER_COMPRESSION,
            ("bg", "el", "en", "fi", "fr"),
            beside=_BESIDE,
        ),
        Item(
            "table_1_full",
            "table",
            "Open and joint tokenizers on all languages of the run",
            (COMPRESSION,),
            _NSL + _INTERVALS,
            _AFTER_COMPRESSION,
            beside=_BESIDE,
        ),
        Item(
            "table_2",
            "table",
            "Open, joint and sequential tokenizers on low-resource languages",
            (COMPRESSION,),
            _NSL + "Below, tokens per character (Appendix A.3.1), monolingual tokenizers included. An "
            "extracted tokenizer has the run's budget per language. " + _INTERVALS,
            _AFTER_COMPRESSION,
            ("hr", "ne", "si", "so", "sw", "te"),
            beside=_BESIDE,
        ),
        Item(
            "table_7",
            "table",
            "Tokenizers of one to four languages: sequential BPE against concatenated tables",
            (COMBINATIONS,),
            "Mean and standard deviation of NSL over combinations of languages, each measured on all of its "
            "languages, and over orders of training (sequential) or concatenation; and the worst of them. "
            "Means by order and their intervals are in results/metrics/combinations.tsv.",
            "minutes per order: each trains a sequential BPE, and counts all combinations",
            beside="In parentheses the paper's figures (21 languages).",
        ),
        Item(
            "table_10",
            "table",
            "BPE tokenizers of this run on all its languages",
            (COMPRESSION,),
            _NSL + _MEAN + _INTERVALS,
            _AFTER_COMPRESSION,
            beside=_BESIDE,
        ),
        Item(
            "table_11",
            "table",
            "Unigram tokenizers of this run on all its languages",
            (COMPRESSION,),
            _NSL + _MEAN + _INTERVALS,
            _AFTER_COMPRESSION,
        ),
        Item(
            "table_12",
            "table",
            "Extraction by frequency against its source, a joint Unigram tokenizer",
            (COMPRESSION,),
            _NSL + _MEAN + _INTERVALS,
            _AFTER_COMPRESSION,
        ),
        Item(
            "table_foreign",
            "table",
            "Foreign tokens where a full tokenizer segments each language",
            (COMPRESSION,),
            "Percent of the tokens of a language's text that are not in the language's own set. The paper "
            "(Appendix D.1) has 0.5 to 5 percent, depending on the language. " + _INTERVALS,
            _AFTER_COMPRESSION,
        ),
        Item(
            "table_claims",
            "table",
            "What this run says to the paper's claims on tokenizers",
            ("results/metrics/claims.tsv",),
            "Each claim on each parallel set, with its 95 % bootstrap interval over the lines of the set. A "
            "claim on what the run, or the set, does not have is left out.",
            _AFTER_COMPRESSION,
        ),
        Item(
            "table_vocabulary",
            "table",
            "What a vocabulary costs in the output layer",
            (COMPRESSION,),
            "Parameters of the output layer, vocabulary size times 4,096, of open vocabularies and of this "
            "run's tokenizers, and what cutting the vocabulary to 32,000 tokens saves.",
            "seconds: arithmetic, once the tokenizers exist",
            beside="In parentheses the figure of the document that the open vocabularies are taken from.",
        ),
        Item(
            "table_surgery",
            "table",
            "Rows given to another writing system: what it does to text",
            (SURGERY,),
            "Tokens per white-space word before surgery; then, in percent, how many more or fewer "
            "tokens the same lines have after it. The first column is the target language; groups of "
            "languages are counted together and one by one. A language that the first parallel set "
            "lacks is counted on the next one that has it. Intervals are in results/metrics/surgery.tsv.",
            _AFTER_SURGERY,
            section="surgery",
            beside="In parentheses the surgery paper's figures for Ukrainian, on its own texts; its three "
            "other Cyrillic languages together: +6.7 (Nemotron), +10.1 (GPT-OSS).",
        ),
        Item(
            "table_surgery_audit",
            "table",
            "Rows given to another writing system: what it does to the vocabulary",
            (SURGERY, "results/metrics/surgery_conflicts.tsv"),
            "Rows that hold the same token as before; rows that hold another one, and how many of "
            "these no text reaches; tokens that stayed and can no longer be reached, and those that "
            "could not before. The example: a token that its own merge cannot make, since a merge of "
            "lower rank takes one of its pieces.",
            _AFTER_SURGERY,
            section="surgery",
            beside="In parentheses the surgery paper's figures for Ukrainian.",
        ),
        Item(
            "table_surgery_scripts",
            "table",
            "Rows given to another writing system: where they come from",
            ("results/metrics/surgery_scripts.tsv",),
            "Tokens with characters of a script (or of several) before surgery, and how many of their"
            " rows each method freed. Tokens without a script, such as numbers and parts of "
            "characters, are left out.",
            _AFTER_SURGERY,
            section="surgery",
        ),
        *LATENCY_TABLES,
        *MODEL_TABLES,
        *MULTIPLE_CHOICE_TABLES,
        *GENERATION_TABLES,
        Item(
            "figure_3",
            "figure",
            "The method, drawn for this run's languages",
            (),
            "Not to scale: a cell stands for many tokens. (1) Sequential BPE learns from the word counts of"
            " one language after the other. Each gets k tokens: the bytes, tokens that earlier languages "
            "have learned (it adopts them), and new ones, whose merges go to the end of one table (it "
            "appends them). (2) The subtokenizer of some languages is the union of their sets, numbered "
            "anew; the same ids choose rows of a model's input (embedding) and output matrix. (3) A step of"
            " pretraining has text in one language and draws a subtokenizer; only rows of its tokens take "
            "part. (4) The trained model runs with the tokens of one language (lang), of several (union) or"
            " of all (full). Special tokens, which all sets have, are left out, and so is a seed table.",
            "seconds: drawn from the run's config alone",
        ),
        Item(
            "figure_2",
            "figure",
            "A word that concatenated tables break",
            ("results/metrics/rank_conflict.tsv", "results/tokenizers/concatenated-bpe/unreachable.tsv"),
            "A word of the parallel set from letters to tokens, a merge per row. All three tokenizers "
            "have a token for the word. In colour is what a merge has just made: blue where the "
            "monolingual tokenizer makes it too, orange where it does not. In the concatenated table "
            "merges of the first language come first and take letters away from those of the second, so "
            "the word ends in pieces (last row, orange); sequential BPE has learned its merges on top of "
            "the first language's and arrives.",
            "seconds, once the tokenizers are trained",
        ),
        Item(
            "figure_fairness",
            "figure",
            "What the same text costs in each language",
            (COMPRESSION,),
            "A row per language, a mark per tokenizer; further left is cheaper, and a tokenizer that "
            "treats languages alike has its marks below each other. Above: tokens per character. Below: "
            "tokens relative to English on the same lines of the parallel set; the line at 1 is English. "
            "Scales are logarithmic. Monolingual and extracted tokenizers count each their own language.",
            _AFTER_COMPRESSION,
        ),
        Item(
            "figure_growth",
            "figure",
            "The full vocabulary against the number of languages",
            ("results/tokenizers/sequential-bpe/growth.tsv",),
            "Tokens of sequential BPE after each language, with a line of least squares; dotted: the size if "
            "no token were shared. The paper's figure stands beside where languages and budget are its own.",
            "seconds, once sequential BPE is trained",
        ),
        *LATENCY_FIGURES,
        *MODEL_FIGURES,
        *GENERATION_FIGURES,
        Item(
            "figure_funnel",
            "figure",
            "What each stage of the corpus kept and dropped",
            (LEDGER,),
            "Above, of all languages together: records that are web pages or texts (read), those with "
            "text (extract), those whose language is sure (language id), those in a language of the run "
            "(select); what was kept of what came in, and the most frequent reasons to drop. Below, for "
            "each language: the share of documents kept as not seen before, of paragraphs within them, "
            "and of documents of good quality; on the right the documents that are left.",
            "seconds, once the corpora are built",
        ),
    )
}


def items(kind: Literal["table", "figure"], left_out: Collection[str] = ()) -> tuple[Item, ...]:
    """The items of a kind, in the order of the page, but for those of some sections of the config.

    First what the paper has, by its numbers, then the others as they are declared.
    """
    wanted = (item for item in ITEMS.values() if item.kind == kind and item.section not in left_out)
    return tuple(sorted(wanted, key=_papers_number))


def _papers_number(item: Item) -> float:
    """Of "table_3_full" 3; of "table_claims", which the paper does not have, a number behind all others."""
    number = re.search(r"_(\d+)", item.name)
    return float(number[1]) if number else float("inf")
