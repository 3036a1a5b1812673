"""Prompts, where outputs end, and which tokens a model reads and writes by each inference tokenizer."""

import json
from dataclasses import replace
from itertools import chain

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from modtok.evaluation.generation import generate, prompt_ids
from modtok.evaluation.generation_files import TRANSLATION, Example, Output, Task
from modtok.evaluation.generation_tasks import translation_tasks
from modtok.evaluation.inference import Engine
from modtok.evaluation.inference_tokenizers import Cutter, inferences
from modtok.evaluation.token_counts import read_sets
from modtok.modelling.architecture import END

LANGS = ("en", "fi", "el")
CONTEXT = 160
SHOTS = (
    Example("English: The dog ran home.\nFinnish:", "Koira juoksi kotiin."),
    Example("English: One, two.\nFinnish:", "Yksi, kaksi."),
)
ITEMS = (
    Example("English: The council voted.\nFinnish:", "Valtuusto äänesti.", 2, 30),
    Example("English: Wind.\nFinnish:", "Tuuli.", 5, 12),
)
TASK = Task(TRANSLATION, "set", "fi", SHOTS, ITEMS)


@pytest.fixture(scope="module")
def model(random_model):
    return random_model(CONTEXT, 7)


def cutters(modular, lang="fi"):
    return {one.name: Cutter(modular, one) for one in inferences(modular, lang, LANGS)}


class Typist:
    """In place of a model: writes a text in the tokens of a cutter, until it is told to stop."""

    def __init__(self, cutter, texts, context=CONTEXT) -> None:
        self.cutter, self.texts, self.context, self.prompts = cutter, texts, context, None

    def room(self, predicted: int) -> int:
        return self.context - predicted

    def generate(self, prompts, most, finished, not_first):
        self.prompts, self.not_first = prompts, not_first
        assert all(len(prompt) <= self.room(most) for prompt in prompts)
        return [self._typed(number, most, finished) for number in range(len(prompts))]

    def _typed(self, number, most, finished):
        made: list[int] = []
        for token in self.cutter.predicted([self.texts[number]])[0]:
            made.append(token)
            if len(made) == most or finished(number, made):
                break
        return made


@pytest.mark.parametrize("name", ["lang", "full", "full-lang", "en-lang-union", "en-lang-split"])
def test_an_output_ends_with_its_line_or_at_its_limit_whatever_the_tokenizer(modular, name) -> None:
    cutter = cutters(modular)[name]
    typist = Typist(cutter, [" Valtuusto\näänesti eilen", " Tuuli ja sade ja lumi"])
    first, second = generate(typist, cutter, TASK)
    assert (first.text, first.ended) == ("Valtuusto", True)
    assert (second.text, second.ended) == ("Tuuli ja sa", False)  # with the space before, 12 characters
    assert (first.shots, first.cut) == (2, False)
    assert (END, cutter.decode(typist.not_first[1:])) == (typist.not_first[0], "\n")


def test_an_output_that_ends_before_its_line_is_whole(modular) -> None:
    cutter = cutters(modular)["lang"]
    found = generate(Typist(cutter, [" Valtuusto äänesti.", ""]), cutter, TASK)
    assert [(one.text, one.ended, one.tokens > 0) for one in found] == [
        ("Valtuusto äänesti.", True, True),
        ("", True, False),
    ]


def test_half_of_the_context_is_for_the_output_and_shots_that_do_not_fit_are_left_out(modular) -> None:
    cutter = cutters(modular)["lang"]
    lengths = [len(ids) for ids in prompt_ids(cutter, SHOTS)]
    items = [len(ids) for ids in cutter.source([item.read for item in ITEMS])]
    room = lengths[1] + items[0]
    typist = Typist(cutter, [" kaksi" * 100, "\n"], context=2 * room)
    first, second = generate(typist, cutter, TASK)
    # the second item is shorter, but not by a whole shot
    assert items[1] + sum(lengths) > room
    assert [one.shots for one in (first, second)] == [1, 1]
    assert list(map(len, typist.prompts)) == [room, lengths[1] + items[1]]
    assert not first.cut and not second.cut
    small = Typist(cutter, ["", ""], context=2 * items[0] - 4)
    first, second = generate(small, cutter, TASK)
    assert (first.shots, first.cut, len(small.prompts[0])) == (0, True, items[0] - 2)
    assert cutter.decode(small.prompts[0]).endswith("Finnish:")


def test_an_output_at_the_end_of_its_room_has_not_ended(modular) -> None:
    cutter = cutters(modular)["lang"]
    item = Example("", "", 0, 1000)
    task = Task(TRANSLATION, "set", "fi", (), (item,))
    (found,) = generate(Typist(cutter, [" kaksi" * 100], context=20), cutter, task)
    assert (found.tokens, found.ended) == (10, False)


def test_foreign_tokens_are_those_outside_of_the_languages_set(modular) -> None:
    cutter, own = cutters(modular)["full"], modular.ids(("fi",))
    texts = [" Τετάρτη δήμος", " kaksi"]
    found = generate(Typist(cutter, texts), cutter, TASK, own)
    for output, text in zip(found, texts, strict=True):
        ids = cutter.predicted([text])[0]
        assert output.foreign == len([token for token in ids[: output.tokens] if token not in own])
    assert found[0].foreign > 0
    assert generate(Typist(cutter, texts), cutter, TASK)[0].foreign is None


# --- what models read and write, on prompts as they are ---

LINE = st.text(st.sampled_from("abe HTh.,Ä öΩδ д2\t\u00a0"), min_size=1, max_size=20)


@given(st.lists(st.tuples(LINE, LINE), min_size=1, max_size=3), LINE)
@settings(max_examples=20, deadline=None)
@pytest.mark.parametrize("name", ["lang", "full-lang", "en-lang-split"])
def test_no_token_outside_of_the_languages_set_is_written(modular, model, name, pairs, last) -> None:
    cutter, own = cutters(modular)[name], modular.ids(("fi",))
    engine = Engine(model, cutter.chosen_S)
    task = translating(pairs, last)
    prompt = [number for ids in prompt_ids(cutter, task.shots) for number in ids]
    prompt = (prompt + cutter.source([task.items[0].read])[0])[-100:]
    (made,) = engine.generate([prompt], 8)
    assert set(made) <= set(own.tolist())
    (output,) = generate(engine, cutter, task, own)
    assert output.foreign == 0


@pytest.fixture(scope="module")
def translation(repository) -> Task:
    """Five shots and some lines of the smoke run's parallel set, as a run asks for them."""
    sets = read_sets({"smoke": repository / "tests/smoke/parallel"}, {"en": "eng_Latn", "fi": "fin_Latn"})
    names = {"en": "English", "fi": "Finnish"}
    return next(translation_tasks(sets, {}, names, {"shots": 5, "lines": 12}))


@pytest.mark.parametrize("name", ["full-lang", "en-lang-split"])
def test_of_a_translations_prompt_only_the_language_is_written(
    modular, random_model, translation, name
) -> None:
    cutter, own = cutters(modular)[name], modular.ids(("fi",))
    english = modular.ids(("en",) if name == "en-lang-split" else None)
    items = cutter.source([item.read for item in translation.items])
    assert set(chain(*items)) <= set(english.tolist())
    written = cutter.target([f" {shot.written}\n" for shot in translation.shots])
    assert (set(chain(*written)) <= set(own.tolist())) == (name == "en-lang-split")
    found = generate(Engine(random_model(2048, 5), cutter.chosen_S), cutter, translation, own)
    assert sum(one.tokens for one in found) > 100
    assert [one.foreign for one in found] == [0] * 12
    assert {one.shots for one in found} == {5}


def test_the_full_tokenizer_does_write_such_tokens(modular, model) -> None:
    cutter, own = cutters(modular)["full"], modular.ids(("fi",))
    items = tuple(Example(f"English: {number}\nFinnish:", "", 0, 30) for number in range(9))
    found = generate(Engine(model, cutter.chosen_S), cutter, replace(TASK, items=items), own)
    assert sum(one.foreign for one in found) > 9


def translating(pairs, last) -> Task:
    shots = [Example(f"English: {english}\nFinnish:", finnish) for english, finnish in pairs]
    return Task(TRANSLATION, "set", "fi", tuple(shots), (Example(f"English: {last}\nFinnish:", "", 0, 20),))


@pytest.fixture(scope="module")
def extracted(modular, tmp_path_factory):
    """Language -> Hugging Face's tokenizer of the extracted file, and the full id of each of its ids."""
    found = {}
    for lang in LANGS:
        extracted = modular.modular.extract((lang,))
        file = tmp_path_factory.mktemp(lang) / "tokenizer.json"
        file.write_text(json.dumps(extracted.tokenizer_json))
        hugging = Tokenizer.from_file(str(file))
        hugging.encode_special_tokens = True
        found[lang] = (hugging, extracted.full_ids)
    return found


@given(st.lists(st.tuples(LINE, LINE), min_size=1, max_size=3), LINE)
@settings(max_examples=50, deadline=None)
def test_split_cuts_the_source_by_english_and_the_target_by_the_language(
    modular, extracted, pairs, last
) -> None:
    def cut(lang, text):
        hugging, full_ids = extracted[lang]
        return full_ids[hugging.encode(text, add_special_tokens=False).ids].tolist()

    cutter, task = cutters(modular)["en-lang-split"], translating(pairs, last)
    expected = [cut("en", shot.read) + cut("fi", f" {shot.written}\n") for shot in task.shots]
    assert prompt_ids(cutter, task.shots) == expected
    typist = Typist(cutter, ["\n"], context=10_000)
    generate(typist, cutter, task)
    assert typist.prompts == [[*(n for ids in expected for n in ids), *cut("en", task.items[0].read)]]


@given(st.lists(st.tuples(LINE, LINE), min_size=1, max_size=3), LINE)
@settings(max_examples=50, deadline=None)
@pytest.mark.parametrize("name", ["lang", "full", "en-lang-union"])
def test_a_prompt_in_parts_is_cut_as_a_whole(modular, name, pairs, last) -> None:
    # texts of tasks are on one line, without spaces at its ends
    words = [[" ".join(text.split()) or "x" for text in pair] for pair in [*pairs, (last, last)]]
    cutter, task = cutters(modular)[name], translating(words[:-1], words[-1][0])
    parts = [*prompt_ids(cutter, task.shots), cutter.source([task.items[0].read])[0]]
    whole = "".join(f"{shot.read} {shot.written}\n" for shot in task.shots) + task.items[0].read
    assert [number for ids in parts for number in ids] == cutter.source([whole])[0]


def test_tokens_are_counted(modular) -> None:
    cutter = cutters(modular)["lang"]
    (first, _) = generate(Typist(cutter, [" Valtuusto\n", ""]), cutter, TASK)
    assert first == Output("Valtuusto", len(cutter.predicted([" Valtuusto\n"])[0]), None, 2, False, True)
    assert np.isin(cutter.predicted([" Valtuusto\n"])[0], modular.ids(("fi",))).all()
