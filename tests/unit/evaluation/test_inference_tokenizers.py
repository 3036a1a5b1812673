"""What an inference tokenizer reads with and predicts, on real lines and on strings of any kind."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from modtok.core.model_shapes import ModelShape
from modtok.evaluation.inference import Engine
from modtok.evaluation.inference_tokenizers import Cutter, halved, inferences, parted
from modtok.modelling.architecture import Architecture
from modtok.modelling.batches import Subtokenizers
from modtok.tokenization.bpe_training import Settings
from small_models import draw_model
from small_tokenizers import train_sequential

LANGS = ("en", "bg", "te")
CODES = {"en": "eng_Latn", "bg": "bul_Cyrl", "te": "tel_Telu"}
# Which languages' sets hold the ids of English, of the language, and of what is predicted; () for all ids.
SETS = {
    "lang": ("bg", "bg", "bg"),
    "full": ("", "", ""),
    "full-lang": ("", "", "bg"),
    "en-lang-union": ("en bg", "en bg", "en bg"),
    "en-lang-split": ("en", "bg", "bg"),
}


@pytest.fixture(scope="module")
def subtokenizers(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tokenizer")
    return Subtokenizers(train_sequential(folder, LANGS, Settings(400)))


@pytest.fixture(scope="module")
def lines(repository):
    folder = repository / "tests/smoke/parallel"
    return {lang: (folder / f"{code}.devtest").read_text().splitlines() for lang, code in CODES.items()}


def cutters(subtokenizers):
    return {one.name: Cutter(subtokenizers, one) for one in inferences(subtokenizers, "bg", LANGS)}


def allowed(subtokenizers, langs):
    return set(subtokenizers.ids(tuple(langs.split()) or None).tolist())


@pytest.mark.parametrize("name", SETS)
def test_each_part_of_a_real_prompt_has_tokens_of_its_own_set(subtokenizers, lines, name) -> None:
    cutter = cutters(subtokenizers)[name]
    parts = (cutter.source(lines["en"]), cutter.target(lines["bg"]), cutter.predicted(lines["bg"]))
    for ids, langs in zip(parts, SETS[name], strict=True):
        assert {number for line in ids for number in line} <= allowed(subtokenizers, langs)
    english, bulgarian, _ = parts
    assert [cutter.decode(ids) for ids in english] == lines["en"]
    assert [cutter.decode(ids) for ids in bulgarian] == lines["bg"]
    assert cutter.chosen_S.tolist() == sorted(allowed(subtokenizers, SETS[name][2]))


@given(st.lists(st.text(max_size=20), min_size=2, max_size=2), st.sampled_from(list(SETS)))
@settings(deadline=None)
def test_any_prompt_of_two_languages_is_spelled_as_it_stands(subtokenizers, texts, name) -> None:
    cutter, (source, target) = cutters(subtokenizers)[name], texts
    ids = [*cutter.source([source])[0], *cutter.target([target])[0]]
    assert cutter.decode(ids) == source + target


def test_english_has_neither_union_nor_split_and_a_run_without_it_neither(subtokenizers) -> None:
    for lang, langs in (("en", LANGS), ("bg", ("bg", "te"))):
        assert [one.name for one in inferences(subtokenizers, lang, langs)] == ["lang", "full", "full-lang"]


@pytest.mark.parametrize("name", ["full-lang", "en-lang-split"])
def test_nothing_outside_of_the_languages_set_is_written(subtokenizers, lines, name) -> None:
    architecture = Architecture(ModelShape(16, 1, 2, 2, 24, 256), subtokenizers.size, tied=True)
    model = draw_model(architecture, 3)
    cutter = cutters(subtokenizers)[name]
    prompts = [ids[:200] for ids in cutter.source(lines["en"][:6])]
    made = Engine(model, cutter.chosen_S).generate(prompts, 12)
    written = {number for ids in made for number in ids}
    assert written <= allowed(subtokenizers, "bg")
    # Free to choose, this model writes others.
    free = Engine(model, torch.arange(subtokenizers.size)).generate(prompts, 12)
    assert not {number for ids in free for number in ids} <= allowed(subtokenizers, "bg")


@given(st.text(st.sampled_from("ab \n\u00a0:"), max_size=8), st.text(st.sampled_from("ab \n"), max_size=8))
def test_white_space_at_the_end_of_a_context_goes_to_what_follows(context, continuation) -> None:
    read, predicted = parted(context, continuation)
    assert read + predicted == context + continuation
    assert read == read.rstrip() == context.rstrip()


@pytest.mark.parametrize(
    ("line", "halves"),
    [
        ("one two three", ("one two", " three")),
        ("word", ("", "word")),
        ("", ("", "")),
        (" word", ("", " word")),
        ("a b", ("a", " b")),
        ("日本語 テスト", ("日本語", " テスト")),
        ("one  two", ("one", "  two")),
        ("one \u00a0 two", ("one", " \u00a0 two")),
        ("  one ", ("  one", " ")),
        ("\u2003 one", ("", "\u2003 one")),
    ],
)
def test_a_line_parts_before_the_space_nearest_to_its_middle(line, halves) -> None:
    assert halved(line) == halves


@given(st.text(st.sampled_from("ab \t\u00a0\u2003\u001c.1é")), st.sampled_from([("en",), ("en", "bg"), None]))
def test_halves_of_a_line_are_cut_as_the_whole_line(subtokenizers, line, langs) -> None:
    used = subtokenizers.of(langs).tokenizer
    first, second = halved(line)
    assert first + second == line
    whole, begun, ended = used.encode_batch([line, first, second])
    assert begun + ended == whole
