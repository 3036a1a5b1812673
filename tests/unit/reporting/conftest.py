"""A small run: two languages, five tokenizers, and its ledger."""

from io import StringIO

import pandas as pd
import pytest

from modtok.reporting.run import Run, make_run

SIZES = {
    "open-qwen3": 151_669,
    "open-custom": 300,
    "joint-bpe-4000": 4_004,
    "mono-bpe-el": 24_004,
    "mono-bpe-en": 23_990,
}
NSL = {
    ("open-qwen3", "el"): 3.25159,
    ("open-qwen3", "en"): 0.955,
    ("open-custom", "el"): 2.0,
    ("open-custom", "en"): 1.5,
    ("joint-bpe-4000", "el"): 1.204,
    ("joint-bpe-4000", "en"): 1.1,
    ("mono-bpe-el", "el"): 1.0,
    ("mono-bpe-en", "en"): 1.0,
}


@pytest.fixture
def run() -> Run:
    return make_run({"el": "Greek", "en": "English"}, list(SIZES), {"qwen3": "Qwen 3"}, "flores200", 24_000)


@pytest.fixture
def metrics() -> pd.DataFrame:
    rows = [(tokenizer, lang, "nsl", value) for (tokenizer, lang), value in NSL.items()]
    rows += [(tokenizer, lang, "tokens_per_character", value / 4) for (tokenizer, lang), value in NSL.items()]
    rows += [
        (tokenizer.removesuffix(f"-{lang}"), lang, "parity", value)
        for (tokenizer, lang), value in NSL.items()
    ]
    rows += [("mono-bpe", "all", "nsl", 1.0), ("joint-bpe-4000", "all", "nsl", 1.152)]
    frame = pd.DataFrame(rows, columns=["tokenizer", "lang", "metric", "value"])
    sizes = frame["tokenizer"].map({**SIZES, "mono-bpe": 24_004})
    other_set = frame.assign(value=99.0, dataset="ntrex128")
    return pd.concat([frame.assign(dataset="flores200"), other_set]).assign(
        vocabulary_size=pd.concat([sizes, sizes])
    )


LEDGER = """stage\tlanguage\toutcome\trecords\tbytes
read\t*\tkept\t10\t1000
read\t*\tnot_html\t3\t0
extract\t*\tkept\t9\t800
extract\t*\ttoo_large\t1\t0
language_id\t*\tlow_score\t1\t0
language_id\tel\tkept\t5\t400
language_id\ten\tkept\t2\t300
language_id\thi\tkept\t1\t100
select\tel\tkept\t5\t400
select\ten\tkept\t2\t300
select\thi\tnot_configured\t1\t100
deduplicate\tel\tkept\t4\t300
deduplicate\tel\tduplicate\t1\t0
deduplicate\ten\tkept\t2\t300
deduplicate_paragraphs\tel\tkept\t30\t300
deduplicate_paragraphs\tel\tduplicate\t10\t100
deduplicate_paragraphs\ten\tkept\t20\t300
quality\tel\tkept\t3\t200
quality\tel\tlow_quality\t1\t100
quality\ten\tkept\t2\t300
"""


@pytest.fixture
def ledger_text() -> str:
    return LEDGER


@pytest.fixture
def ledger(ledger_text: str) -> pd.DataFrame:
    return pd.read_csv(StringIO(ledger_text), sep="\t")
