"""Comparison of any tokenizers on one parallel set, outside a run: what `modtok compare` does."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from modtok.core.errors import ConfigError, require
from modtok.core.metrics import Metric
from modtok.evaluation.bootstrap import RESAMPLES
from modtok.evaluation.compression import measure
from modtok.evaluation.token_counts import count, read_sets
from modtok.tokenization.loading import load


def compare(
    parallel: Path,
    flores: Mapping[str, str],
    tokenizers: Sequence[Path],
    references: Mapping[str, Path] | None = None,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[Metric]:
    """Compare tokenizers on one parallel set: what `modtok compare` prints.

    Every tokenizer is counted on every language, whatever its name. `flores` maps a language to its file's
    name in the set, `references` a language to the tokenizer that its nsl divides by. Errors: a language that
    the set lacks, a reference for a language not compared.

    compare(Path("flores200"), {"en": "eng_Latn", "el": "ell_Grek"}, [Path("qwen3.tokenizer.json.gz")])
    """
    references = references or {}
    langs = list(flores)
    stray = sorted(set(references) - set(langs))
    require(not stray, f"--reference {', '.join(stray)}: not among --langs {','.join(langs)}", ConfigError)
    sets = read_sets({tokenizer_name(parallel): parallel}, flores)
    names = _names([*tokenizers, *references.values()])
    counts = {path: count(name, load(path), sets, langs) for path, name in names.items()}
    families = {names[path]: dict.fromkeys(langs, counts[path]) for path in tokenizers}
    reference_counts = {lang: counts[path] for lang, path in references.items()}
    return measure(families, reference_counts, sets, langs, resamples=resamples, seed=seed)


def _names(paths: Iterable[Path]) -> dict[Path, str]:
    """A name for each file, its whole path where two would share a short one."""
    short = {path: tokenizer_name(path) for path in paths}
    taken = list(short.values())
    return {path: name if taken.count(name) == 1 else str(path) for path, name in short.items()}


def tokenizer_name(path: Path) -> str:
    """A short name of a tokenizer's file or folder.

    tokenizer_name(Path("qwen3.tokenizer.json.gz")) -> "qwen3"; "runs/joint/tokenizer.json" -> "joint"
    """
    path = path.resolve()
    short = path.name.removesuffix(".gz").removesuffix(".json").removesuffix(".model")
    short = short.removesuffix(".tokenizer")
    return path.parent.name if short == "tokenizer" else short
