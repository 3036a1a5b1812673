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
from modtok.tokenization.bpe import train_bpe
from modtok.tokenization.hf_format import write_tokenizer
from modtok.tokenization.modular import Modular
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
