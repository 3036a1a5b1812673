"""Sequential BPE: every subtokenizer is sound, and a later language changes nothing of the earlier ones."""

import json
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
import tiktoken
from tokenizers import Tokenizer

from modtok.core.errors import ConfigError, DataError
from modtok.tokenization.alphabet import BYTE_SYMBOLS, BaseAlphabet
from modtok.tokenization.bpe import train_bpe
from modtok.tokenization.bpe_file import read_bpe
from modtok.tokenization.bpe_training import Settings
from modtok.tokenization.hf_format import bpe_json
from modtok.tokenization.loading import load
from modtok.tokenization.modular import Modular
from modtok.tokenization.pretokenization import PATTERNS, split
from modtok.tokenization.reachability import unreachable
from modtok.tokenization.sequential_bpe import SequentialBPE
from unit.tokenization.learning import check_the_last_language_may_come_later, counted, counted_texts

LANGS = ("en", "fr", "fi", "bg", "el", "te")
SUBSETS = [list(subset) for size in range(1, len(LANGS) + 1) for subset in combinations(LANGS, size)]
ALPHABETS = pytest.mark.parametrize("alphabet", ["bytes", "characters"])


@pytest.fixture(scope="session")
def smoke_counts(repository):
    return counted_texts(repository, LANGS)


@pytest.fixture(scope="session")
def smoke(smoke_counts):
    """Six languages of four scripts, with some hundred tokens each, in both alphabets."""

    def learned(alphabet: str) -> SequentialBPE:
        sequential = SequentialBPE.empty(alphabet, "whitespace")
        for lang, counts in smoke_counts.items():
            sequential.add(lang, counts, Settings(480))
        return sequential

    return {alphabet: learned(alphabet) for alphabet in ("bytes", "characters")}


@ALPHABETS
def test_the_full_table_is_proper_with_one_merge_for_each_token(smoke, alphabet):
    table = smoke[alphabet].table.merges
    assert table.is_proper()
    assert table.has_one_merge_each()
    assert len(set(smoke[alphabet].table.surfaces)) == len(smoke[alphabet].table.surfaces)


@ALPHABETS
def test_every_set_is_closed_under_ancestors_and_has_the_size_of_the_budget(smoke, alphabet):
    table = smoke[alphabet].table.merges
    for ids in smoke[alphabet].modules.values():
        assert ids.tolist() == table.ancestors(ids.tolist())
        assert ids.size == 4 + 480


@pytest.mark.parametrize("subset", SUBSETS, ids="+".join)
@ALPHABETS
def test_every_token_of_every_union_is_reachable(smoke, alphabet, subset):
    extracted = smoke[alphabet].modular().extract(subset)
    assert unreachable(read_bpe(extracted.tokenizer_json)) == []


def test_a_set_that_lacks_an_ancestor_is_found_unreachable(smoke):
    """The check above would see a breach of the lemma."""
    modular = smoke["bytes"].modular()
    ancestor = smoke["bytes"].table.merges.restricted(modular.modules["fr"]).left.max()
    broken = Modular(modular.tokenizer_json, {"fr": np.setdiff1d(modular.modules["fr"], [ancestor])})
    assert unreachable(read_bpe(broken.extract(["fr"]).tokenizer_json)) != []


@ALPHABETS
def test_the_first_language_is_plain_bpe(smoke, smoke_counts, alphabet):
    plain = train_bpe(smoke_counts["en"], budget=480, alphabet=alphabet)
    assert smoke[alphabet].modular().extract(["en"]).tokenizer_json == plain.tokenizer_json("whitespace")


@ALPHABETS
def test_a_text_comes_back_from_any_subtokenizer(smoke, alphabet):
    text = "Päivää, œuvre d'été <s> <0x41> \u2581 గది"
    for subset in SUBSETS:
        tokenizer = Tokenizer.from_str(json.dumps(smoke[alphabet].modular().extract(subset).tokenizer_json))
        tokenizer.encode_special_tokens = True
        assert tokenizer.decode(tokenizer.encode(text).ids, skip_special_tokens=False) == text


@ALPHABETS
def test_a_language_added_later_changes_nothing_of_the_earlier_ones(smoke, smoke_counts, alphabet, tmp_path):
    """Five languages, written, loaded, and then the sixth: the same bytes as six at once."""
    start = SequentialBPE.empty(alphabet, "whitespace")
    check_the_last_language_may_come_later(start, smoke[alphabet], smoke_counts, Settings(480), tmp_path)
    five, six = Modular.load(tmp_path / "fewer"), Modular.load(tmp_path / "later")
    assert six.surfaces[: five.size] == five.surfaces
    merges = five.tokenizer_json["model"]["merges"]
    assert six.tokenizer_json["model"]["merges"][: len(merges)] == merges
    for lang in LANGS[:-1]:
        assert six.extract([lang]).tokenizer_json == five.extract([lang]).tokenizer_json


def test_a_token_that_does_not_fit_with_its_ancestors_is_passed_over():
    """abc needs ab as well, and there is room for one."""
    sequential = SequentialBPE.empty("bytes", "whitespace")
    sequential.add("first", counted({"abc": 9, "de": 8}), Settings(256 + 3))
    sequential.add("second", counted({"abc": 5, "de": 2}), Settings(256 + 1))
    surfaces = sequential.table.surfaces
    assert [surfaces[number] for number in sequential.modules["second"][260:]] == ["de"]
    assert sequential.growth[-1]["passed_over"] == 1


def test_a_corpus_that_runs_out_is_said_with_its_language_and_size():
    sequential = SequentialBPE.empty("bytes", "whitespace")
    with pytest.warns(UserWarning, match="language 'xx': the corpus ran out at 257 of 300 tokens"):
        sequential.add("xx", counted({"ab": 5}), Settings(300))


@pytest.mark.parametrize(
    ("counts", "budget", "message"),
    [
        ({}, 300, "language 'new': the counts: no words to train on"),
        ({"ab": 5}, 200, "language 'new': budget 200: the base alphabet alone has 256 tokens"),
    ],
)
def test_a_language_that_cannot_be_learned_is_named(counts, budget, message):
    with pytest.raises((ConfigError, DataError), match=message):
        SequentialBPE.empty("bytes", "whitespace").add("new", counted(counts), Settings(budget))


def test_a_language_cannot_be_added_twice():
    sequential = SequentialBPE.empty("bytes", "whitespace")
    sequential.add("fi", counted({"ab": 5}), Settings(257))
    with pytest.raises(ConfigError, match="has 'fi' already"):
        sequential.add("fi", counted({"ab": 5}), Settings(257))


def test_a_table_whose_ids_are_not_in_the_order_of_merges_takes_no_language(tmp_path):
    sequential = SequentialBPE.empty("bytes", "whitespace")
    sequential.add("fi", counted({"ab": 5, "cd": 4}), Settings(258))
    modular = sequential.modular()
    modular.tokenizer_json["model"]["merges"].reverse()
    modular.write(tmp_path)
    with pytest.raises(DataError, match="not in the order of its merges"):
        SequentialBPE.load(tmp_path)


def test_a_table_with_unreachable_tokens_takes_no_language(tmp_path):
    """abc is spelled ab, c here; and a, bc where another merge comes before."""
    merges = [("b", "c"), ("a", "b"), ("ab", "c")]
    tokens = [*BaseAlphabet("bytes").tokens, *(left + right for left, right in merges)]
    everything = np.arange(len(tokens))
    Modular(bpe_json("bytes", "whitespace", tokens, merges), {"xx": everything}).write(tmp_path)
    with pytest.raises(DataError, match="1 of its tokens are unreachable"):
        SequentialBPE.load(tmp_path)


def test_tiktoken_gives_the_ids_of_a_subtokenizer_from_its_tokens_by_rank(repository, tmp_path):
    """tiktoken has no merges: it joins whatever spells a token, of lowest rank first."""
    texts = {lang: (repository / "tests" / "smoke" / "text" / f"{lang}.txt").read_text() for lang in LANGS}
    sequential = SequentialBPE.empty("bytes", "gpt2")
    for lang in LANGS:
        sequential.add(lang, counted(Counter(split(texts[lang], "gpt2"))), Settings(600))
    sequential.modular().write_subtokenizer(tmp_path, ["fr", "el"])
    ours = load(tmp_path)
    surfaces = ours.tokens(range(4, ours.vocabulary_size))
    ranks = {bytes(map(BYTE_SYMBOLS.index, surface)): rank for rank, surface in enumerate(surfaces)}
    theirs = tiktoken.Encoding("ours", pat_str=PATTERNS["gpt2"], mergeable_ranks=ranks, special_tokens={})
    for text in texts.values():
        assert [number + 4 for number in theirs.encode_ordinary(text)] == ours.encode_batch([text])[0]
