"""Scores and greedy tokens against transformers' Llama on the same folder; the cache against reading anew."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import LlamaForCausalLM

from modtok.core.model_shapes import ModelShape
from modtok.evaluation import inference_batches
from modtok.evaluation.inference import Engine
from modtok.evaluation.inference_batches import Fitted, Group, fitted, groups
from modtok.evaluation.likelihood import Scorer, Text
from modtok.modelling.architecture import BEGIN, END, Architecture
from modtok.modelling.checkpoint import read_model
from modtok.modelling.transformer import Cache
from small_models import SHARP, write_drawn

SIZE, CONTEXT = 60, 64
CHOSEN = torch.tensor([0, 1, 2, 3, *range(7, 60, 3)])


@pytest.fixture(scope="module", params=[1, 2], ids=["grouped heads", "plain heads"])
def models(request, tmp_path_factory):
    """A random model, sharp enough to prefer some tokens, and transformers' of the same weights."""
    folder = tmp_path_factory.mktemp("model")
    architecture = Architecture(ModelShape(16, 2, 2, request.param, 24, CONTEXT), SIZE, tied=False)
    write_drawn(folder, architecture, 5, SHARP)
    return read_model(folder), LlamaForCausalLM.from_pretrained(folder)


def logits(theirs, ids):
    with torch.no_grad():
        return theirs(torch.tensor([[BEGIN, *ids]])).logits[0][:, CHOSEN].double()


def numbers(seed, lengths, low=4):
    generator = torch.Generator().manual_seed(seed)
    return [torch.randint(low, SIZE, (length,), generator=generator).tolist() for length in lengths]


def chosen(seed, length):
    return CHOSEN[
        torch.randint(4, len(CHOSEN), (length,), generator=torch.Generator().manual_seed(seed))
    ].tolist()


def expected(theirs, text):
    """Scores of a text alone, uncached, and whether each token is the likeliest."""
    logs = logits(theirs, text.ids[:-1]).log_softmax(1)[text.scored :]
    places = torch.searchsorted(CHOSEN, torch.tensor(text.ids[text.scored :]))
    return -logs.gather(1, places[:, None])[:, 0], bool((logs.argmax(1) == places).all())


@pytest.mark.parametrize("cached", [50, 1 << 14], ids=["small batches", "one batch"])
def test_scores_are_transformers_whatever_stands_together(models, monkeypatch, cached) -> None:
    monkeypatch.setattr(inference_batches, "CACHED", cached)
    ours, theirs = models
    shots = numbers(1, [40])[0]
    prompts = [shots + own for own in numbers(2, [1, 5, 9, 2, 7])] + numbers(3, [3, 30, 0])
    texts = [Text([*ids, *chosen(n, 1 + n)], len(ids)) for n, ids in enumerate(prompts)]
    for text, answer in zip(texts, Engine(ours, CHOSEN).score(texts), strict=True):
        nats, greedy = expected(theirs, text)
        assert answer.nats == pytest.approx(nats.numpy(), rel=1e-4, abs=1e-5)
        assert answer.greedy == greedy


def test_the_likeliest_continuation_is_greedy(models) -> None:
    ours, _ = models
    engine, prompt = Engine(ours, CHOSEN), numbers(4, [20])[0]
    (made,) = engine.generate([prompt], 5)
    answer, other = engine.score([Text(prompt + made, 20), Text(prompt + made[::-1], 20)])
    assert answer.greedy
    assert other.greedy == (made == made[::-1])


def test_nothing_has_no_score_and_what_is_longer_than_the_context_is_read_in_windows(
    models,
) -> None:
    ours, _ = models
    long = Text(chosen(1, CONTEXT + 5), 3)
    empty, windowed = Engine(ours, CHOSEN).score([Text([5, 6], 2), long])
    assert len(empty.nats) == 0
    assert windowed.nats.tolist() == Scorer(ours, CHOSEN).score([long])[0].nats.tolist()


def greedy(theirs, prompt, most):
    """Greedy tokens, reading everything anew for each."""
    made = []
    while len(made) < most:
        token = int(CHOSEN[logits(theirs, [*prompt, *made])[-1].argmax()])
        if token == END:
            break
        made.append(token)
    return made


@pytest.mark.parametrize("cached", [100, 1 << 14], ids=["small batches", "one batch"])
def test_greedy_tokens_are_transformers_with_and_without_shots_in_common(models, monkeypatch, cached) -> None:
    monkeypatch.setattr(inference_batches, "CACHED", cached)
    ours, theirs = models
    shots = numbers(6, [34])[0]
    prompts = [shots + own for own in numbers(7, [1, 5, 12, 2, 7])] + numbers(8, [3, 30, 0, 17])
    found = Engine(ours, CHOSEN).generate(prompts, 16)
    assert found == [greedy(theirs, prompt, 16) for prompt in prompts]
    assert {token for ids in found for token in ids} <= set(CHOSEN.tolist())


def test_greedy_tokens_are_those_of_transformers_own_generate(models) -> None:
    ours, theirs = models
    prompt = numbers(9, [10])[0]
    (found,) = Engine(ours, torch.arange(SIZE)).generate([prompt], 20)
    made = theirs.generate(
        torch.tensor([[BEGIN, *prompt]]), max_new_tokens=20, do_sample=False, pad_token_id=3
    )
    assert found == [token for token in made[0, 11:].tolist() if token != END]


def test_rows_stop_where_they_are_said_to_be_finished_and_others_go_on(models) -> None:
    ours, _ = models
    prompts = numbers(10, [4, 9, 6])
    engine = Engine(ours, CHOSEN)
    free = engine.generate(prompts, 12)
    longest = max(free, key=len)
    stop = longest[len(longest) // 2]
    stopped = engine.generate(prompts, 12, lambda number, ids: ids[-1] == stop)
    assert stopped == [ids[: ids.index(stop) + 1] if stop in ids else ids for ids in free]
    assert stopped != free


def test_no_text_begins_with_what_must_not_be_first(models) -> None:
    ours, theirs = models
    prompts = numbers(12, range(1, 8))
    engine = Engine(ours, CHOSEN)
    barred = {END, *(ids[0] for ids in engine.generate(prompts, 1) if ids), 5}
    found = engine.generate(prompts, 4, not_first=sorted(barred))
    for prompt, ids in zip(prompts, found, strict=True):
        allowed = [place for place, token in enumerate(CHOSEN.tolist()) if token not in barred]
        first = int(CHOSEN[allowed][logits(theirs, prompt)[-1][allowed].argmax()])
        assert ids == [first, *greedy(theirs, [*prompt, first], 3)]


def test_a_row_ends_before_the_end_token(models) -> None:
    ours, theirs = models
    prompts = numbers(10, range(1, 20))
    found = Engine(ours, CHOSEN).generate(prompts, 30)
    ended = [number for number, ids in enumerate(found) if len(ids) < 30]
    assert ended
    for number in ended[:3]:
        assert found[number] == greedy(theirs, prompts[number], 30)


# The number of paddings on both sides of each row, and how its tokens are spread over calls.
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=3),
    st.lists(st.integers(1, 4), min_size=1, max_size=3),
)
@settings(max_examples=25, deadline=None)
def test_padding_on_either_side_of_any_call_changes_nothing(models, pads, calls) -> None:
    body = models[0].body
    x_BLD = torch.randn(len(pads), sum(calls), 16, generator=torch.Generator().manual_seed(sum(calls)))
    cache, start, parts = Cache.empty(len(pads), torch.device("cpu")), 0, []
    for length in calls:
        width = length + max(left + right for left, right in pads)
        padded, present = torch.full((len(pads), width, 16), 7.0), torch.zeros(len(pads), width, dtype=bool)
        for row, (left, _) in enumerate(pads):
            padded[row, left : left + length] = x_BLD[row, start : start + length]
            present[row, left : left + length] = True
        with torch.no_grad():
            parts.append(body.read(padded, cache, present)[present].view(len(pads), length, 16))
        start += length
    with torch.no_grad():
        torch.testing.assert_close(torch.cat(parts, 1), body(x_BLD), rtol=1e-3, atol=1e-3)


# --- what is put together, what is left out ---


@given(
    st.lists(st.lists(st.integers(0, 2), max_size=4), max_size=5),
    st.lists(st.integers(0, 2), max_size=6),
    st.integers(0, 20),
)
def test_the_most_shots_from_the_back_are_kept_that_fit(shots, last, room) -> None:
    found = fitted(shots, last, room)
    assert len(found.ids) <= room or not room
    kept = shots[found.dropped :]
    assert (
        found.ids == ([number for shot in kept for number in shot] + last)[found.cut and len(last) - room :]
    )
    if found.dropped:
        assert sum(map(len, shots[found.dropped - 1 :])) + len(last) > room
    if found.cut:
        assert found.dropped == len(shots) and len(found.ids) == room


def test_a_prompt_that_fits_is_whole() -> None:
    assert fitted([[1, 2], [3]], [4], 4) == Fitted([1, 2, 3, 4], 0, 0)
    assert fitted([[1, 2], [3]], [4, 5, 6], 2) == Fitted([5, 6], 2, 1)


@given(st.lists(st.tuples(st.integers(0, 2), st.lists(st.integers(0, 1), max_size=3)), max_size=20))
def test_groups_hold_each_sequence_once_and_share_what_they_say(parts) -> None:
    heads = [[], list(range(inference_batches.SHARED)), list(range(100, 140))]
    sequences = [heads[head] + tail for head, tail in parts]
    found = groups(sequences)
    assert sorted(member for group in found for member in group.members) == list(range(len(sequences)))
    for group in found:
        assert len({tuple(sequences[member][: group.shared]) for member in group.members}) == 1
    for head in (1, 2):
        own = [n for n, (of, _) in enumerate(parts) if of == head]
        together = [group for group in found if group.shared and group.members[0] in own]
        assert [sorted(group.members) for group in together] == (
            [own] if len(own) >= inference_batches.SHARING else []
        )


def test_few_sequences_that_begin_alike_are_read_with_the_others() -> None:
    alike = [[9] * 40 + [number] for number in range(inference_batches.SHARING)]
    assert groups([*alike, [1], [2]]) == [Group([4, 5], 0), Group([0, 1, 2, 3], 40)]
    assert groups([*alike[1:], [1]]) == [Group([3, 0, 1, 2], 0)]
    assert groups([]) == []
