"""The kinds of evaluation of a model, all of which rule evaluate_model does in one job.

A kind is a function of KINDS. It is given what was read and the step's options, and writes
`{kind}/{model}.tsv` below the folder of metrics: rows in the shape of ModelMetric, or of a class that adds
columns to it. To add one: its function here, its options in the step, its outputs in the rule, its name among
the kinds of rule collect_evaluations.
"""

from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from modtok.core.io import read_tsv
from modtok.core.metrics import write_metrics
from modtok.core.model_names import ModelName
from modtok.core.provenance import provenance
from modtok.corpus.language_id import Identifier
from modtok.evaluation.benchmark_files import read_benchmarks
from modtok.evaluation.generation import read_tasks, write_jsonl
from modtok.evaluation.generation_metrics import GenerationMetric, Judges, generation_metrics
from modtok.evaluation.likelihood_metrics import likelihood_metrics, training_metric
from modtok.evaluation.model_metrics import ModelMetric
from modtok.evaluation.routing import Policy, Router
from modtok.evaluation.routing_metrics import RoutingMetric, routing_metrics
from modtok.evaluation.text_metrics import check_spbleu
from modtok.evaluation.token_counts import ParallelSets, content_digests
from modtok.modelling.batches import Subtokenizers
from modtok.modelling.checkpoint import Model


@dataclass(frozen=True)
class Loaded:
    """What every kind of evaluation is given."""

    name: ModelName
    model: Model
    subtokenizers: Subtokenizers
    sets: ParallelSets
    langs: list[str]


def likelihood(loaded: Loaded, args: Namespace, out: Path) -> None:
    """Bits per byte of the parallel sets."""
    log, settings = args.model / "train_log.tsv", {"parallel": content_digests(loaded.sets)}
    with provenance(out, [*_inputs(args), log], settings | _sampling(args), args.seed):
        measured = (loaded.name, loaded.model, loaded.subtokenizers, loaded.sets, loaded.langs)
        metrics = likelihood_metrics(*measured, resamples=args.bootstrap, seed=args.seed)
        trained = training_metric(loaded.name, loaded.model, read_tsv(log))
        write_metrics(out, [*metrics, trained], ModelMetric)


def multiple_choice(loaded: Loaded, args: Namespace, out: Path) -> None:
    """Questions with choices."""
    benchmarks = read_benchmarks(args.benchmarks)
    with provenance(out, [*_inputs(args), args.benchmarks], _sampling(args), args.seed):
        metrics: list[ModelMetric] = []
        if benchmarks:
            # lm-eval takes seconds to load
            from modtok.evaluation.multiple_choice import multiple_choice_metrics

            read = (loaded.name, loaded.model, loaded.subtokenizers, benchmarks, loaded.langs)
            metrics = multiple_choice_metrics(*read, resamples=args.bootstrap, seed=args.seed)
        write_metrics(out, metrics, ModelMetric)


def generation(loaded: Loaded, args: Namespace, out: Path) -> None:
    """Translations and summaries, which are kept in `--generations`, too."""
    spbleu = args.settings["spbleu"]
    if spbleu:
        check_spbleu(Path(spbleu["path"]), spbleu["sha256"])
    else:
        print("no spBLEU: evaluation.translation.spbleu names no SentencePiece model")
    judges = Judges(
        Identifier(args.language_id_model), _labels(args), Path(spbleu["path"]) if spbleu else None
    )
    settings = {"spbleu": spbleu} | _sampling(args)
    with provenance(out, [*_inputs(args), args.tasks], settings, args.seed):
        written = generation_metrics(
            loaded.name,
            loaded.model,
            loaded.subtokenizers,
            read_tasks(args.tasks),
            loaded.langs,
            judges,
            resamples=args.bootstrap,
            seed=args.seed,
        )
        write_jsonl(args.generations, written.records)
        write_metrics(out, written.metrics, GenerationMetric)


def routing(loaded: Loaded, args: Namespace, out: Path) -> None:
    """Subtokenizers chosen by language identification."""
    settings = dict(args.settings["routing"])
    lines = settings.pop("lines")
    sets = {
        name: {lang: texts if lines == "all" else texts[:lines] for lang, texts in by_lang.items()}
        for name, by_lang in loaded.sets.items()
    }
    recorded = {"parallel": content_digests(sets)} | settings | _sampling(args)
    with provenance(out, _inputs(args), recorded, args.seed):
        metrics = routing_metrics(
            loaded.name,
            loaded.model,
            loaded.subtokenizers,
            sets,
            _labels(args),
            Router(args.language_id_model),
            Policy(**settings),
            resamples=args.bootstrap,
            seed=args.seed,
        )
        write_metrics(out, metrics, RoutingMetric)


KINDS: dict[str, Callable[[Loaded, Namespace, Path], None]] = {
    "likelihood": likelihood,
    "multiple_choice": multiple_choice,
    "generation": generation,
    "routing": routing,
}


def _inputs(args: Namespace) -> list[Path]:
    """Files that every evaluation reads."""
    return [args.model / "model.safetensors", args.tokenizer / "tokenizer.json"]


def _sampling(args: Namespace) -> dict[str, int]:
    """Settings of every evaluation, for provenance."""
    return {"bootstrap": args.bootstrap, "threads": args.threads}


def _labels(args: Namespace) -> dict[str, list[str]]:
    """Labels of the language-ID model by language."""
    return {lang: labels.split(",") for lang, labels in args.labels}
