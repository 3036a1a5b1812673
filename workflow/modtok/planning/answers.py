"""How much models are asked, in lines, items and documents, and how many answers there are to score."""

from collections.abc import Iterator
from dataclasses import dataclass

from modtok.core.languages import PIVOT
from modtok.core.model_names import BASELINE, ModelName, model_names
from modtok.planning.workload import Parallel, Workload

INFERENCES = 4
"by which a model is asked, about; one of the full vocabulary alone is asked by one"
OPTIONS = 4
"that a line is routed to, as in evaluation.routing"


@dataclass(frozen=True)
class Group:
    """Answers that are scored together: of all models, in one language, to one task or set."""

    items: float
    "lines, items or documents"
    answers: float
    "to each, of all models"


def groups(rule: str, work: Workload) -> Iterator[Group]:
    """What a rule scores; nothing of one that scores no answers.

    sum(one.items * one.answers for one in groups("score_generation", work))
    """
    every, routed = _answers(work)
    for lang in work.langs:
        if rule == "score_likelihood":
            yield Group(lines_of(lang, work).lines, every)
        elif rule == "score_multiple_choice":
            yield from (Group(one.items, every) for one in work.questions.get(lang, ()))
        elif rule == "score_generation":
            documents = work.documents[lang].items if lang in work.documents else 0.0
            yield from (Group(items, every) for items in (translated(lang, work), documents) if items)
        elif rule == "score_routing":
            yield Group(routed_lines(lang, work), OPTIONS * routed)


def _answers(work: Workload) -> tuple[float, float]:
    """Answers of all models to an item; and how many models are modular."""
    section, sizes = work.config["pretraining"], work.config["tokenizers"]["joint_sizes"]
    names = [
        ModelName.parse(name)
        for name in model_names(
            section["tokenizers"], section["regimes"], max(sizes, default=0), section["seeds"]
        )
    ]
    modular = sum(name.regime != BASELINE for name in names)
    return INFERENCES * modular + (len(names) - modular), modular


def lines_of(lang: str, work: Workload) -> Parallel:
    """A language's lines in all parallel sets; none where it has none."""
    return work.parallel.get(lang, Parallel())


def translated(lang: str, work: Workload) -> float:
    """Lines of all parallel sets that are translated to a language."""
    section, sets = work.config["evaluation"]["translation"], work.config["evaluation"]["parallel"]
    lines, source = lines_of(lang, work).lines, lines_of(PIVOT, work).lines
    if lang == PIVOT or PIVOT not in work.langs or not (lines and source):
        return 0.0
    shots = sum(section["shots"] for one in sets if "shots" not in one)
    return max(0.0, min(_most(section["lines"], len(sets)), lines - shots))


def routed_lines(lang: str, work: Workload) -> float:
    """Lines of all parallel sets that are routed."""
    sets = len(work.config["evaluation"]["parallel"])
    return min(_most(work.config["evaluation"]["routing"]["lines"], sets), lines_of(lang, work).lines)


def _most(lines: int | str, sets: int) -> float:
    """Lines of all parallel sets that are asked at most, of a setting for each."""
    return float("inf") if lines == "all" else float(lines) * sets
