"""Subtokenizers of merged and frequency-based Unigram: both file formats alike, and by the definition."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sentencepiece import SentencePieceProcessor
from tokenizers import Tokenizer

from modtok.tokenization.frequency_extraction import extract_by_frequency
from modtok.tokenization.loading import load
from modtok.tokenization.merged_unigram import merge_unigrams
from modtok.tokenization.modular import Modular
from modtok.tokenization.modular_unigram import write_modular_unigram
from modtok.tokenization.pretokenization import BYTE_TOKENS, SPECIAL_TOKENS, split
from modtok.tokenization.unigram import train_unigram
from modtok.tokenization.unigram_format import read_unigram
from modtok.tokenization.word_count_files import WordCounts

LANGUAGES = ("fr", "bg", "te")
TRAPS = (*SPECIAL_TOKENS, "<0x41>", "\xa0", "   ", "\r\n", "\u0301", "\U0001f600", "ж", "ణ", "ß")
CHOICES = [("fr",), ("te",), ("fr", "bg"), ("te", "bg", "fr")]


def counts_of(words: Mapping[str, int]) -> WordCounts:
    ordered = sorted(words.items(), key=lambda item: (-item[1], item[0]))
    return WordCounts([word for word, _ in ordered], np.array([n for _, n in ordered], dtype=np.uint64))


@pytest.fixture(scope="module")
def counted(repository: Path) -> dict[str, Counter[str]]:
    """Words of each language; one word of each cannot pass SentencePiece's TSV."""
    texts = {lang: repository / f"tests/smoke/text/{lang}.txt" for lang in LANGUAGES}
    lines = {lang: path.read_text(encoding="utf-8").split("\n") for lang, path in texts.items()}
    words = {
        lang: Counter(w for line in own for w in split(line, "whitespace")) for lang, own in lines.items()
    }
    return {lang: own + Counter({f"\u2581{lang}\t": 3}) for lang, own in words.items()}


@pytest.fixture(scope="module", params=["merged", "frequency"])
def folder(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    counted: dict[str, Counter[str]],
) -> Path:
    folder = tmp_path_factory.mktemp(request.param)
    words = {lang: counts_of(own) for lang, own in counted.items()}
    joined = counts_of(sum(counted.values(), Counter()))
    if request.param == "merged":
        models = {lang: train_unigram(own, budget=700).model for lang, own in words.items()}
        merged = merge_unigrams(models, joined, iterations=4)
        write_modular_unigram(folder, merged.model, merged.modules, "whitespace")
    else:
        joint = train_unigram(joined, budget=1200).model
        modules = extract_by_frequency(joint, words, budget=500)
        write_modular_unigram(folder, joint, modules, "whitespace")
    return folder


Written = dict[tuple[str, ...], tuple[Path, Tokenizer, SentencePieceProcessor]]


@pytest.fixture(scope="module")
def subtokenizers(folder: Path) -> Written:
    modular, written = Modular.load(folder), {}
    for langs in CHOICES:
        out = folder / "+".join(langs)
        modular.write_subtokenizer(out, langs)
        hugging_face = Tokenizer.from_file(str(out / "tokenizer.json"))
        hugging_face.encode_special_tokens = True
        written[langs] = (out, hugging_face, SentencePieceProcessor(model_file=str(out / "tokenizer.model")))
    return written


def texts_of(counted: dict[str, Counter[str]]) -> st.SearchStrategy[str]:
    known = st.sampled_from(sorted({word for own in counted.values() for word in own}))
    anything = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
    return st.lists(st.one_of(known, st.sampled_from(TRAPS), anything)).map("".join)


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_both_formats_give_the_same_tokens_and_lose_nothing(subtokenizers, counted, data):
    text = data.draw(texts_of(counted)).replace("\u2581", "")
    for _, hugging_face, sentencepiece in subtokenizers.values():
        ids = hugging_face.encode(text).ids
        assert sentencepiece.encode(text) == ids
        assert hugging_face.decode(ids) == text


def test_the_full_tokenizer_has_both_formats_too(folder, counted):
    text = "".join(sorted(counted["te"])[:300]).replace("\u2581", "")
    model = SentencePieceProcessor(model_file=str(folder / "tokenizer.model"))
    assert load(folder).encode_batch([text])[0] == model.encode(text)


def test_a_subtokenizer_is_its_languages_pieces_with_the_full_scores(folder, subtokenizers):
    full = read_unigram(folder / "tokenizer.json")
    modules = Modular.load(folder).modules
    for langs, (out, _, _) in subtokenizers.items():
        part, ids = read_unigram(out / "tokenizer.json"), np.load(out / "full_ids.npy")
        assert ids.tolist() == sorted({number for lang in langs for number in modules[lang].tolist()})
        assert part.pieces == [full.pieces[number - 260] for number in ids[260:]]
        assert part.scores.tolist() == full.scores[ids[260:] - 260].tolist()


def best_score(word: str, scores: Mapping[str, float], unknown: float) -> float:
    best = [0.0] + [-np.inf] * len(word)
    for end in range(1, len(word) + 1):
        for start in range(end):
            part = word[start:end]
            score = scores.get(part, unknown if len(part) == 1 else -np.inf)
            best[end] = max(best[end], best[start] + score)
    return best[-1]


def test_unknown_characters_cost_the_lowest_score_of_the_subset_less_ten(subtokenizers, counted):
    """Words of all languages under the subtokenizer of one: most characters are unknown to it."""
    words = [
        word for own in counted.values() for word in sorted(own)[:150] if not set(word) & set("<\u2581\t")
    ]
    for out, hugging_face, _ in subtokenizers.values():
        model = read_unigram(out / "tokenizer.json")
        scores = dict(zip(model.pieces, model.scores.tolist(), strict=True))
        unknown = model.scores.min() - 10
        for word in words:
            known = [token for token in hugging_face.encode(word).tokens if token not in BYTE_TOKENS]
            n_unknown = len(word) - len("".join(known))
            found = sum(map(scores.__getitem__, known)) + n_unknown * unknown
            assert found == pytest.approx(best_score(word, scores, unknown), abs=1e-9)


def test_frequency_modules_are_what_hugging_face_uses_most(counted, tmp_path):
    joint = train_unigram(counts_of(sum(counted.values(), Counter())), budget=1200).model
    modules = extract_by_frequency(joint, {"fr": counts_of(counted["fr"])}, budget=500)
    write_modular_unigram(tmp_path, joint, modules, "whitespace")
    hugging_face = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    used: Counter[int] = Counter()
    for word, times in counted["fr"].items():
        for number in hugging_face.encode(word).ids:
            used[number] += times
    ranked = sorted((number for number in used if number >= 260), key=lambda number: (-used[number], number))
    assert modules["fr"].tolist() == [*range(260), *sorted(ranked[: 500 - 256])]
