"""Batches: tokens of the right subtokenizer, documents marked, the same from any process."""

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest

from modtok.core.errors import ConfigError, DataError
from modtok.modelling.architecture import BEGIN, END
from modtok.modelling.batches import Subtokenizers
from modtok.modelling.prefetch import batches
from modtok.modelling.ranks import Ranks
from modtok.tokenization.bpe import train_bpe
from modtok.tokenization.hf_format import write_tokenizer
from modtok.tokenization.modular import Modular
from modtok.tokenization.modular_unigram import module, write_modular_unigram
from modtok.tokenization.unigram import UnigramModel, on_grid
from modtok.tokenization.word_count_files import WordCounts
from unit.modelling.conftest import changed


def parts_of(row):
    """The ids of each document's part in a sequence."""
    parts = [[]]
    for token in row.tolist():
        if token == BEGIN:
            parts.append([])
        elif token != END:
            parts[-1].append(token)
    return parts


def texts_of(task, batch):
    """The text of each sequence; the last token may end within a character."""
    tokenizer = Subtokenizers(task.tokenizer).of(batch.draw.langs).tokenizer
    return ["".join(map(tokenizer.decode, parts_of(row))).rstrip("\ufffd") for row in batch.tokens_BL]


def test_sequences_are_the_text_from_their_places_on(task):
    maker, subtokenizers = task.new_maker(), Subtokenizers(task.tokenizer)
    for step in range(12):
        batch = maker.make(step)
        ring = 2 * task.texts[batch.draw.lang].read_bytes()
        tokenizer = subtokenizers.of(batch.draw.langs).tokenizer
        assert batch.tokens_BL.shape == (4, 33)
        for row in batch.tokens_BL:
            # the last token may end within a character
            texts = [tokenizer.decode(part).rstrip("\ufffd") for part in parts_of(row)]
            assert all(text.encode() in ring for text in texts)
            assert sum(map(len, texts)) > 30


def test_ids_are_those_of_the_draw(task):
    maker, modular = task.new_maker(), Modular.load(task.tokenizer)
    for step in range(8):
        batch = maker.make(step)
        assert batch.ids_S.tolist() == modular.ids(batch.draw.langs).tolist()
        assert batch.tokens_BL.max() < len(batch.ids_S)


def test_a_document_is_ended_and_begun(task):
    tokens = np.concatenate([task.new_maker().make(step).tokens_BL for step in range(12)])
    ends = np.argwhere(tokens[:, :-1] == END)
    assert len(ends) > 0
    assert {int(tokens[row, place + 1]) for row, place in ends} == {BEGIN}


def test_the_same_step_is_the_same_batch_in_any_order_and_process(task):
    maker = task.new_maker()
    last_first = {step: maker.make(step) for step in (5, 4, 3, 2, 1, 0)}
    made = list(batches(task.new_maker, range(6), workers=1))
    for step, batch in enumerate(made):
        assert np.array_equal(batch.tokens_BL, last_first[step].tokens_BL)
        assert batch.draw == last_first[step].draw


def test_all_regimes_read_the_same_text_in_a_step(task):
    one, other = task.new_maker(), replace(task, regime="mono-only").new_maker()
    cut_otherwise = 0
    for step in range(12):
        left, right = one.make(step), other.make(step)
        cut_otherwise += left.draw.langs != right.draw.langs
        for texts in zip(texts_of(task, left), texts_of(task, right), strict=True):
            short = min(map(len, texts))
            assert short > 30
            assert texts[0][:short] == texts[1][:short]
    assert 0 < cut_otherwise < 12


def test_one_tokenizer_for_all_has_its_whole_vocabulary_in_each_step(task, tmp_path):
    counts = WordCounts([" the", " sen"], np.array([5, 4]))
    write_tokenizer(tmp_path / "joint", train_bpe(counts, budget=260).tokenizer_json("whitespace"))
    joint = replace(task, tokenizer=tmp_path / "joint", regime="baseline")
    batch = joint.new_maker().make(0)
    assert (batch.draw.langs, batch.ids_S.tolist()) == (None, list(range(264)))
    with pytest.raises(ConfigError, match="no subtokenizers can be taken out of this tokenizer"):
        replace(joint, regime="mono-only").new_maker().make(0)


def test_a_context_longer_than_a_language_s_text_is_an_error(task):
    long = changed(task, model="d=16,layers=1,heads=2,hidden=32,context=100000")
    with pytest.raises(DataError, match=r"en: about .* tokens of text, less than a context of 100,000"):
        long.new_maker()


def test_a_language_with_a_share_and_no_text_is_an_error(task):
    texts = {lang: path for lang, path in task.texts.items() if lang != "fr"}
    with pytest.raises(DataError, match="no text of fr"):
        replace(task, texts=texts).new_maker()


def test_a_tokenizer_on_a_foreign_table_is_refused(task, tmp_path):
    folder = tmp_path / "foreign"
    shutil.copytree(task.tokenizer, folder)
    content = json.loads((folder / "tokenizer.json").read_text())
    vocabulary = content["model"]["vocab"]
    # as GPT-2's table, whose first tokens are bytes
    moved = {**vocabulary, "!": vocabulary["<s>"], "<s>": vocabulary["!"]}
    for token in content["added_tokens"]:
        token["id"] = moved[token["content"]]
    (folder / "tokenizer.json").write_text(
        json.dumps({**content, "model": {**content["model"], "vocab": moved}})
    )
    with pytest.raises(DataError, match=r"ids 1 and 2 are '!' and '</s>', not <s> and </s>.*seed table"):
        replace(task, tokenizer=folder, regime="samp-full").new_maker().make(0)


SAMPLING = {"dropout": 0.3, "temperature": 2.0}


@pytest.fixture
def unigram_task(task, tmp_path):
    """The task over a Unigram tokenizer of letters, pairs of letters and words, the same in all languages."""
    text = "".join(path.read_bytes().decode(errors="ignore") for path in task.texts.values())
    words = {f" {word}" for word in text.split()[:200]}
    pairs = {text[place : place + 2] for place in range(3000)} - {"  "}
    pieces = sorted(
        piece for piece in {*text, *pairs, *words} if not piece[1:].isspace() and "<" not in piece
    )
    model = UnigramModel(pieces, np.array([-2.0 - 3 / len(piece) for piece in pieces]))
    everything = module(np.arange(len(pieces)))
    write_modular_unigram(
        tmp_path / "unigram", on_grid(model), dict.fromkeys(task.texts, everything), "whitespace"
    )
    return replace(task, tokenizer=tmp_path / "unigram")


@pytest.fixture(params=["bpe", "unigram"])
def either_task(request, task, unigram_task):
    return task if request.param == "bpe" else unigram_task


def test_sampled_sequences_spell_the_same_text_in_other_tokens(either_task):
    plain, sampled = either_task.new_maker(), changed(either_task, sampling=SAMPLING).new_maker()
    # the sampled ones stand closer in the text: they have more tokens
    sampled._bytes_per_token = plain._bytes_per_token
    lengths = []
    for step in range(6):
        canonical, other = plain.make(step), sampled.make(step)
        assert (canonical.draw, canonical.ids_S.tolist()) == (other.draw, other.ids_S.tolist())
        assert not np.array_equal(canonical.tokens_BL, other.tokens_BL)
        for texts in zip(texts_of(either_task, canonical), texts_of(either_task, other), strict=True):
            short = min(map(len, texts)) - 1
            assert texts[0][:short] == texts[1][:short]
            lengths.append([len(text) for text in texts])
    assert np.array(lengths).sum(0)[1] < 0.97 * np.array(lengths).sum(0)[0]


def test_chance_is_that_of_seed_and_step_in_any_process(either_task):
    chance = changed(either_task, sampling=SAMPLING)
    maker = chance.new_maker()
    last_first = {step: maker.make(step).tokens_BL for step in (3, 2, 1, 0)}
    for step, batch in enumerate(batches(chance.new_maker, range(4), workers=1)):
        assert np.array_equal(batch.tokens_BL, last_first[step])
    shared = [chance.new_maker(Ranks(rank, 2)).make(2).tokens_BL for rank in range(2)]
    assert np.array_equal(np.concatenate(shared), last_first[2])
    other = replace(chance, seed=2).new_maker()
    assert not np.array_equal(other.make(0).tokens_BL, last_first[0])


def test_sampling_without_chance_is_canonical(either_task):
    none = changed(either_task, sampling={"dropout": 0.0, "temperature": 0.0}).new_maker()
    for step in range(4):
        assert np.array_equal(none.make(step).tokens_BL, either_task.new_maker().make(step).tokens_BL)


def test_a_joint_tokenizer_is_sampled_too(task, tmp_path):
    counts = WordCounts([" the", " sen"], np.array([5, 4]))
    write_tokenizer(tmp_path / "joint", train_bpe(counts, budget=260).tokenizer_json("whitespace"))
    joint = replace(task, tokenizer=tmp_path / "joint", regime="baseline")
    dropped = changed(joint, sampling={"dropout": 1.0, "temperature": 0.0}).new_maker().make(0)
    assert joint.new_maker().make(0).tokens_BL.max() >= 260 > dropped.tokens_BL.max()
