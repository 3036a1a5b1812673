"""What evaluating a model will take, from operations counted: rule evaluate_model, all of its kinds.

Every token that is read goes through the body of the model; those that are predicted, through the rows that
the inference tokenizer chooses among, too. What many prompts begin with, such as shots, is read once. Tokens
that are written are taken to go on to their limit, where models that know their language end sooner.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import comb

from modtok.core.languages import PIVOT
from modtok.core.model_names import ModelName
from modtok.core.model_shapes import ModelShape
from modtok.evaluation.inference_names import FULL, FULL_LANG, LANG, SPLIT, UNION
from modtok.planning.answers import OPTIONS, lines_of, routed_lines, translated
from modtok.planning.costs import Estimate
from modtok.planning.drivers import EXTRACTED, tokens
from modtok.planning.models import BYTES_A_TOKEN, GPU_LOADED_MB, TOKEN_MB, placed, tokens_kept
from modtok.planning.questions import Questions
from modtok.planning.run import Job
from modtok.planning.speed import TRAINED, Speed, operations, settings
from modtok.planning.workload import Workload

START_S = 6.0
"processor time of loading torch, lm-eval and language identification, for a `start` of 1"
EVALUATING_MB = 900.0
"memory of a process that has loaded them"
REQUEST_S = 0.003
"processor time of lm-eval and of cutting text for a request: a choice of an item, by an inference tokenizer"
CANDIDATES = "candidates"
"the union that routing takes"
HALF = 0.5
"of a line is predicted after the other half"
FILES_MB = 0.02
"of the files of answers and their provenance, without rows"
LINE_BYTES, CHOICE_BYTES, ROUTED_BYTES = 20.0, 10.0, 26.0
"on disk, of an answer: to a line, to a choice, to a line by one of the ways to route it"
ITEM_BYTES, OUTPUT_BYTES = 125.0, 125.0
"around the text of what is to be written: keys and places of an item, details of an output"
CHOICES_READ_ONCE = 4
"choices of an item, without shots before it, that read its question once: inference_batches.SHARING"


@dataclass(frozen=True)
class Asked:
    """Texts that go through a model once by each of some inference tokenizers."""

    read: float
    "tokens"
    predicted: float
    "of these"
    inferences: tuple[str, ...]
    requests: float = 0.0
    "that lm-eval makes of them for each"
    answer_bytes: float = 0.0
    "on disk, of the answers by each"
    item_bytes: float = 0.0
    "on disk, of what is asked"


def estimate_evaluation(job: Job, work: Workload, speed: Speed, start: float = 1.0) -> Estimate:
    """A job of rule evaluate_model; `start`: of the machine (calibration)."""
    given, name = settings(work.config), ModelName.parse(job.wildcards["trained"])
    rows = tokens(name.tokenizer, work)
    questions = list(asked(name, work))
    passes = [_passes(given.shape, one, rows, work.budget, speed) for one in questions]
    wanted, seconds = (sum(each) for each in zip(*passes, strict=True))
    weights = 4 * given.shape.parameters(int(rows), tied=given.tied) / 1e6
    main = EVALUATING_MB + weights + TOKEN_MB * _tokens_loaded(name, work, rows)
    found = (START_S * start + seconds, wanted, speed)
    written = sum(one.item_bytes + one.answer_bytes * len(one.inferences) for one in questions)
    return placed(*found, main, GPU_LOADED_MB + weights, disk=FILES_MB + written / 1e6)


def _tokens_loaded(name: ModelName, work: Workload, full: float) -> float:
    """Tokens of the subtokenizers that are kept: routing sends prompts to any two languages."""
    if name.tokenizer not in EXTRACTED:
        return full
    return tokens_kept(work, full, comb(len(work.langs), 2), min(2.0 * work.budget, full))


def _passes(shape: ModelShape, one: Asked, full: float, own: float, speed: Speed) -> tuple[float, float]:
    """Operations, and seconds, of all passes over what is asked."""
    two = min(2 * own, full)
    sizes = {LANG: own, FULL: full, FULL_LANG: own, UNION: two, SPLIT: own, CANDIDATES: two}
    rows = [sizes[inference] for inference in one.inferences]
    body = len(rows) * one.read * operations(shape, 0)
    seconds = one.predicted * sum(speed.row_seconds(size, shape.width) for size in rows) / TRAINED
    seconds += REQUEST_S * one.requests * len(rows)
    return body + one.predicted * 2 * sum(rows) * shape.width, body / speed.operations + seconds


def asked(name: ModelName, work: Workload) -> Iterator[Asked]:
    """All that a model is asked; one without languages has the full tokenizer alone."""
    modular = name.tokenizer in EXTRACTED
    for lang in work.langs:
        known = {LANG, FULL, FULL_LANG, CANDIDATES} if modular else {FULL}
        if modular and lang != PIVOT and PIVOT in work.langs:
            known |= {UNION, SPLIT}
        every = [*_likelihood(lang, work), *_questions(lang, work), *_translation(lang, work)]
        every += [*_summaries(lang, work), *(_routing(lang, work) if modular else ())]
        for one in every:
            yield replace(one, inferences=tuple(own for own in one.inferences if own in known))


def _likelihood(lang: str, work: Workload) -> Iterator[Asked]:
    read = lines_of(lang, work).bytes_mb * 1e6 / BYTES_A_TOKEN
    rows = LINE_BYTES * lines_of(lang, work).lines
    yield Asked(read, read, (LANG, FULL, UNION), answer_bytes=rows)
    yield Asked(read, read * HALF, (FULL_LANG,), answer_bytes=rows)


def _questions(lang: str, work: Workload) -> Iterator[Asked]:
    for task in work.questions.get(lang, ()):
        predicted = task.items * task.choices * task.choice_bytes / BYTES_A_TOKEN
        read = task.items * _times_read(task) * task.question_bytes / BYTES_A_TOKEN
        names, choices = (LANG, FULL, FULL_LANG, UNION), task.items * task.choices
        yield Asked(read + predicted, predicted, names, choices, CHOICE_BYTES * choices)


def _times_read(task: Questions) -> float:
    """How often an item's question is read: once for each choice, but where nothing else is shared."""
    return 1.0 if not task.shots and task.choices >= CHOICES_READ_ONCE else task.choices


def _translation(lang: str, work: Workload) -> Iterator[Asked]:
    items, source, target = translated(lang, work), lines_of(PIVOT, work), lines_of(lang, work)
    if items:
        read, reference = (1e6 * text.bytes_mb / text.lines for text in (source, target))
        one = _written(items, read, 100 + 2 * read, work, (FULL, FULL_LANG, UNION, SPLIT))
        yield replace(one, item_bytes=one.item_bytes + items * reference)


def _summaries(lang: str, work: Workload) -> Iterator[Asked]:
    if lang in work.documents:
        found, limit = work.documents[lang], work.config["evaluation"]["summarization"]["limit"]
        yield _written(found.items, found.line_bytes, limit, work, (LANG, FULL, FULL_LANG))


def _written(items: float, read: float, limit: float, work: Workload, inferences: tuple[str, ...]) -> Asked:
    """Prompts of so many bytes, and outputs, of which half the context holds no more."""
    half = settings(work.config).shape.context / 2
    predicted = min(limit / BYTES_A_TOKEN, half)
    tokens_read = min(read / BYTES_A_TOKEN, half) + predicted
    answer = OUTPUT_BYTES + predicted * BYTES_A_TOKEN
    return Asked(
        items * tokens_read,
        items * predicted,
        inferences,
        answer_bytes=items * answer,
        item_bytes=items * (ITEM_BYTES + read),
    )


def _routing(lang: str, work: Workload) -> Iterator[Asked]:
    """Lines by the language's own subtokenizer, which is mostly the likeliest, a union, and the full one."""
    found = lines_of(lang, work)
    if found.lines:
        lines = routed_lines(lang, work)
        read = lines / found.lines * found.bytes_mb * 1e6 / BYTES_A_TOKEN
        rows = ROUTED_BYTES * OPTIONS * lines
        yield Asked(read, read * HALF, (LANG, CANDIDATES, FULL), item_bytes=rows)
