"""The example of a word that concatenation breaks."""

from pathlib import Path

import numpy as np
import pytest

from modtok.core.io import read_tsv
from modtok.evaluation.rank_conflict import find_conflict, write_conflict
from modtok.tokenization.bpe import train_bpe
from modtok.tokenization.bpe_training import Settings
from modtok.tokenization.sequential_bpe import SequentialBPE
from modtok.tokenization.word_count_files import WordCounts

# The first language merges "en" first, the second "se": its token " sensei" is out of reach.
WORDS = {
    "xa": WordCounts(["en", "ei"], np.array([99, 98])),
    "xb": WordCounts([" se", "ns", " sens", " sensei"], np.array([90, 80, 70, 60])),
}
SETS = {"set": {"xa": ["men seine"], "xb": ["a sensei sensei"]}}
BUDGET = {"bytes": 300, "characters": 300}


@pytest.mark.filterwarnings("ignore:.*corpus ran out")
@pytest.mark.parametrize("alphabet", ["bytes", "characters"])
def test_a_word_is_found_with_the_steps_of_its_merging(alphabet: str, tmp_path: Path) -> None:
    growing = SequentialBPE.empty(alphabet, "whitespace")
    tables = {}
    for lang, counts in WORDS.items():
        trained = train_bpe(counts, budget=BUDGET[alphabet], alphabet=alphabet)
        tables[lang] = trained.tokenizer_json("whitespace")
        growing.add(lang, counts, Settings(BUDGET[alphabet]))
    conflict = find_conflict(tables, growing.modular(), SETS)
    write_conflict(tmp_path / "conflict.tsv", conflict)
    rows = read_tsv(tmp_path / "conflict.tsv")
    last = {row["tokenizer"]: row["pieces"] for row in rows}
    assert last == {
        "mono-bpe-xb": " sensei",
        "concatenated-bpe+xa+xb": " |s|en|s|ei",
        "sequential-bpe+xa+xb": " sensei",
    }
    assert rows[0] == {"tokenizer": "mono-bpe-xb", "step": "0", "pieces": " |s|e|n|s|e|i"}


@pytest.mark.filterwarnings("ignore:.*corpus ran out")
def test_without_a_broken_word_the_file_has_no_rows(tmp_path: Path) -> None:
    growing = SequentialBPE.empty("bytes", "whitespace")
    growing.add("xa", WORDS["xa"], Settings(258))
    table = train_bpe(WORDS["xa"], budget=258).tokenizer_json("whitespace")
    assert find_conflict({"xa": table}, growing.modular(), SETS) is None
    write_conflict(tmp_path / "conflict.tsv", None)
    assert (tmp_path / "conflict.tsv").read_text() == "tokenizer\tstep\tpieces\n"
