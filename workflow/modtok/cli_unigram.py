"""The commands that train Unigram tokenizers."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from modtok.cli_options import (
    MAX_BUDGET,
    Alphabet,
    Budget,
    Counts,
    Coverage,
    OutFolder,
    Split,
    Threads,
    Trained,
    files_of_counts,
    read_language,
    trained_files,
)
from modtok.core.errors import ConfigError, about, require

if TYPE_CHECKING:
    from modtok.tokenization.unigram import UnigramModel


class Start(StrEnum):
    """Where EM starts: the mean of the languages' probabilities, or equal ones."""

    mean = "mean"
    uniform = "uniform"


Tolerance = Annotated[
    float, typer.Option(min=0, help="EM stops when the log-likelihood gains less than this share of itself.")
]


def unigram(
    counts: Counts,
    budget: Budget,
    out: OutFolder,
    alphabet: Annotated[
        Alphabet, typer.Option(help="characters; Unigram has no other.")
    ] = Alphabet.characters,
    character_coverage: Coverage = 0.9995,
    pretokenization: Split = None,
    threads: Threads = 1,
) -> None:
    """Unigram language model, trained by SentencePiece; characters with byte fallback."""
    from modtok.core.provenance import provenance
    from modtok.tokenization.folders import make_way
    from modtok.tokenization.unigram_format import write_unigram

    files = files_of_counts(counts, pretokenization)
    settings: dict[str, Any] = {"budget": budget, "character_coverage": character_coverage}
    settings |= {"pretokenization": files.pretokenization, "counts": counts}
    with provenance(out / "tokenizer.json", files.every, settings):
        model = _trained(files.every, budget, character_coverage, alphabet.value)
        make_way(out)
        write_unigram(out, model, files.pretokenization)
    print(f"{out}: {len(model.pieces):,} pieces")


def merged_unigram(
    counts: Counts,
    budget: Budget,
    out: OutFolder,
    trained: Trained = None,
    iterations: Annotated[int, typer.Option(min=1, help="EM iterations at most.")] = 20,
    tolerance: Tolerance = 1e-5,
    init: Annotated[Start, typer.Option(help="Where EM starts.")] = Start.mean,
    character_coverage: Coverage = 0.9995,
    pretokenization: Split = None,
    threads: Threads = 1,
) -> None:
    """One Unigram tokenizer from the vocabularies of several languages, its scores re-estimated by EM."""
    from modtok.core.io import require_other_folder
    from modtok.core.provenance import provenance
    from modtok.tokenization.folders import make_way
    from modtok.tokenization.merged_unigram import merge_unigrams
    from modtok.tokenization.modular_unigram import write_modular_unigram
    from modtok.tokenization.word_count_files import read_counts

    files = files_of_counts(counts, pretokenization)
    done, split = trained_files(trained or [], files.of), files.pretokenization
    require_other_folder(out, *done.values())
    em: dict[str, Any] = {"iterations": iterations, "tolerance": tolerance, "init": init.value}
    settings: dict[str, Any] = {"budget": budget, "character_coverage": character_coverage}
    settings |= {"pretokenization": split, "em": em, "counts": counts, "trained": trained}
    with provenance(out / "tokenizer.json", [*files.every, *done.values()], settings):
        models = {}
        for lang, own in files.of.items():
            with about(f"language '{lang}'"):
                file = done.get(lang)
                models[lang] = (
                    _read(file, split, budget) if file else _trained(own, budget, character_coverage)
                )
        merged = merge_unigrams(models, read_counts(files.every), **em, threads=threads)
        make_way(out)
        write_modular_unigram(out, merged.model, merged.modules, split)
    curve = " ".join(f"{value:.6g}" for value in merged.log_likelihoods)
    print(f"{out}: {len(merged.model.pieces):,} pieces of {len(models)} languages; log-likelihood {curve}")


def frequency_unigram(
    counts: Counts,
    budget: Budget,
    out: OutFolder,
    joint: Annotated[
        Path | None, typer.Option(metavar="DIR", help="A trained Unigram tokenizer of all languages.")
    ] = None,
    joint_size: Annotated[
        int | None, typer.Option(min=1, max=MAX_BUDGET, help="Or the size of one to train from the counts.")
    ] = None,
    character_coverage: Coverage = 0.9995,
    pretokenization: Split = None,
    threads: Threads = 1,
) -> None:
    """A joint Unigram tokenizer, and of each language the tokens that it uses most."""
    from modtok.core.io import require_other_folder
    from modtok.core.provenance import provenance
    from modtok.tokenization.folders import make_way
    from modtok.tokenization.frequency_extraction import extract_by_frequency
    from modtok.tokenization.modular_unigram import write_modular_unigram

    require((joint is None) != (joint_size is None), "give one of --joint and --joint-size", ConfigError)
    files = files_of_counts(counts, pretokenization)
    every, split = files.every, files.pretokenization
    settings = {"budget": budget, "joint_size": joint_size, "character_coverage": character_coverage}
    file = joint and joint / "tokenizer.json"
    read = [file] if file else []
    require_other_folder(out, *read)
    inputs = [*every, *read]
    with provenance(out / "tokenizer.json", inputs, {**settings, "pretokenization": split, "counts": counts}):
        model = _read(file, split) if file else _trained(every, joint_size or 0, character_coverage)
        words = {lang: read_language(lang, own) for lang, own in files.of.items()}
        modules = extract_by_frequency(model, words, budget=budget)
        make_way(out)
        write_modular_unigram(out, model, modules, split)
    print(f"{out}: {len(model.pieces):,} pieces, {len(modules)} languages")


def _read(file: Path, pretokenization: str, budget: int | None = None) -> "UnigramModel":
    """A trained model. Errors: one that cuts text in another way, one larger than the budget."""
    from modtok.tokenization.unigram_format import read_unigram

    model = read_unigram(file, pretokenization)
    fits = budget is None or model.size <= budget
    require(fits, f"{file}: {model.size} tokens, more than the budget {budget}", ConfigError)
    return model


def _trained(
    counts: list[Path], budget: int, coverage: float, alphabet: str = "characters"
) -> "UnigramModel":
    """A model trained from the counts; says how many words could not take part."""
    from modtok.tokenization.unigram import train_unigram
    from modtok.tokenization.word_count_files import read_counts

    trained = train_unigram(
        read_counts(counts), budget=budget, alphabet=alphabet, character_coverage=coverage
    )
    if len(trained.left_out.words) > 0:
        names = ", ".join(map(str, counts))
        print(f"{names}: {len(trained.left_out.words):,} words cannot pass SentencePiece's TSV: left out")
    return trained.model
