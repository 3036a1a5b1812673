"""Comparison of any tokenizers on one parallel set, outside a run: what `modtok compare` does."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from modtok.core.errors import ConfigError, require
from modtok.core.languages import Language
from modtok.core.metrics import Metric
from modtok.evaluation.compression import RESAMPLES, measure
from modtok.evaluation.token_counts import count, read_sets
from modtok.tokenization.loading import load


def compare(
    parallel: Path,
    languages: Sequence[Language],
    tokenizers: Sequence[Path],
    references: Mapping[str, Path] | None = None,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[Metric]:
    """Compare tokenizers on one parallel set: what `modtok compare` prints.

    Every tokenizer is counted on every language, whatever its name. `references` maps a language to the
    tokenizer that its nsl divides by. Errors: a language that the set lacks, a reference for a language not
    compared.

    compare(Path("flores200"), select(languages, ["en", "el"]), [Path("qwen3.tokenizer.json.gz")])
    """
    langs = [language.code for language in languages]
    stray = sorted(set(references or {}) - set(langs))
    require(not stray, f"--reference {', '.join(stray)}: not among --langs {','.join(langs)}", ConfigError)
    sets = read_sets({tokenizer_name(parallel): parallel}, languages)
    counted = [count(name, load(path), sets, langs) for name, path in _names(tokenizers).items()]
    reference_counts = {
        lang: count(tokenizer_name(path), load(path), sets, [lang])
        for lang, path in (references or {}).items()
    }
    families = {one.tokenizer: dict.fromkeys(langs, one) for one in counted}
    return measure(families, reference_counts, sets, langs, resamples=resamples, seed=seed)


def _names(paths: Sequence[Path]) -> dict[str, Path]:
    short = [tokenizer_name(path) for path in paths]
    return {
        name if short.count(name) == 1 else str(path): path for name, path in zip(short, paths, strict=True)
    }


def tokenizer_name(path: Path) -> str:
    """A short name of a tokenizer's file or folder.

    tokenizer_name(Path("qwen3.tokenizer.json.gz")) -> "qwen3"; "runs/joint/tokenizer.json" -> "joint"
    """
    path = path.resolve()
    short = path.name.removesuffix(".gz").removesuffix(".json").removesuffix(".model")
    short = short.removesuffix(".tokenizer")
    return path.parent.name if short == "tokenizer" else short
