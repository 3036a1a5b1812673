"""The kinds of questions that a model is asked, all of them in one job, rule evaluate_model.

A kind is a function of KINDS. It is given what was read and the step's options, and writes what the model
answered; rule score_{kind} makes metrics of that. To add one: its function here, its options in the step, its
output in the rule, and a rule that scores it.
"""

from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from modtok.core.provenance import provenance
from modtok.evaluation.answers import LIKELIHOOD, MULTIPLE_CHOICE, ROUTING, Answers, write_answers
from modtok.evaluation.generation_answers import ask_generation
from modtok.evaluation.generation_files import Task, write_jsonl
from modtok.evaluation.likelihood_answers import ask_likelihood
from modtok.evaluation.multiple_choice_tasks import Benchmark
from modtok.evaluation.routing import Router
from modtok.evaluation.routing_answers import ask_routing
from modtok.evaluation.token_counts import ParallelSets, content_digests
from modtok.modelling.batches import Subtokenizers
from modtok.modelling.checkpoint import Model


@dataclass(frozen=True)
class Loaded:
    """What every kind is given."""

    model: Model
    subtokenizers: Subtokenizers
    sets: ParallelSets
    langs: list[str]
    tasks: list[Task]
    "of writing"
    benchmarks: list[Benchmark]


def likelihood(loaded: Loaded, args: Namespace) -> None:
    """The lines of the parallel sets."""
    out, settings = _file(args, "likelihood"), {"parallel": content_digests(loaded.sets)}
    with provenance(out, _inputs(args), settings | _threads(args)):
        asked = ask_likelihood(loaded.model, loaded.subtokenizers, loaded.sets, loaded.langs)
        write_answers(out, LIKELIHOOD, asked)


def multiple_choice(loaded: Loaded, args: Namespace) -> None:
    """Questions with choices."""
    out = _file(args, "multiple_choice")
    with provenance(out, [*_inputs(args), args.benchmarks], _threads(args)):
        asked: list[Answers] = []
        if loaded.benchmarks:
            # lm-eval takes seconds to load
            from modtok.evaluation.multiple_choice_answers import ask_multiple_choice

            own = (loaded.model, loaded.subtokenizers, loaded.benchmarks, loaded.langs)
            asked += ask_multiple_choice(*own)
        write_answers(out, MULTIPLE_CHOICE, asked)


def generation(loaded: Loaded, args: Namespace) -> None:
    """Translations and summaries."""
    with provenance(args.generations, [*_inputs(args), args.tasks], _threads(args)):
        written = ask_generation(loaded.model, loaded.subtokenizers, loaded.tasks, loaded.langs)
        write_jsonl(args.generations, written)


def routing(loaded: Loaded, args: Namespace) -> None:
    """Prompts under each subtokenizer that language identification may choose."""
    out, lines, candidates = _file(args, "routing"), args.routing["lines"], args.routing["candidates"]
    sets = {
        name: {lang: texts if lines == "all" else texts[:lines] for lang, texts in by_lang.items()}
        for name, by_lang in loaded.sets.items()
    }
    settings = {"parallel": content_digests(sets), "candidates": candidates} | _threads(args)
    with provenance(out, _inputs(args), settings):
        labels = {lang: names.split(",") for lang, names in args.labels}
        read = (loaded.model, loaded.subtokenizers, sets, labels, Router(args.language_id_model))
        write_answers(out, ROUTING, ask_routing(*read, candidates))


KINDS: tuple[Callable[[Loaded, Namespace], None], ...] = (likelihood, multiple_choice, generation, routing)


def _file(args: Namespace, kind: str) -> Path:
    out: Path = args.out / kind / f"{args.model.name}.parquet"
    return out


def _inputs(args: Namespace) -> list[Path]:
    """Files that every kind reads."""
    return [args.model / "model.safetensors", args.tokenizer / "tokenizer.json"]


def _threads(args: Namespace) -> dict[str, int]:
    """A setting of every kind, for provenance."""
    return {"threads": args.threads}
