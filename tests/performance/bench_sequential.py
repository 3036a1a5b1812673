"""Sequential BPE: `modtok train sequential-bpe` of several languages against as many Hugging Face trainings.

    python tests/performance/bench_sequential.py [LANG=TEXT …] [--budget 24000] [--rounds 3] [--peers 6]
        [--scaling DIR]

Whole commands, in turns, on the same core: ours from parquet files of word counts to one modular
tokenizer on disk, Hugging Face's from the texts to one tokenizer.json each, one thread; of the first --peers
languages. Then the cost of ever more languages, and of ever more distinct words in one language (the words of
all languages joined, and every 2nd, 4th … of them), each with a straight line through it; --scaling writes
scaling.tsv and scaling.svg. Without texts, six are made as for bench_bpe.
"""

import argparse
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from bench_bpe import make_text, measured

from modtok.core.columns import table
from modtok.core.io import write_parquet, write_tsv
from modtok.core.options import named_path
from modtok.tokenization.word_count_files import counts_schema, read_counts

# What is measured, its unit, and the least ratio of Hugging Face's to ours.
MEASURES = (("wall time", "s", 2.0), ("processor time", "s", 2.0))
PEER = Path(__file__).with_name("bench_bpe.py")
# Shares of the distinct words: every 16th, every 8th … all of them.
SHARES = (16, 8, 4, 2, 1)
# Column of x, its unit in the figure and in print, and what it is called there.
SERIES = (("languages", 1, "languages"), ("distinct_words", 1e6, "million distinct words"))
COLUMNS = ("of", "languages", "distinct_words", "seconds")
Row = Mapping[str, object]
"one training: which series, how many languages and distinct words, seconds of processor time"


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("texts", nargs="*", type=named_path, metavar="LANG=TEXT")
    parser.add_argument("--budget", type=int, default=24_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peers", type=int, default=6)
    parser.add_argument("--scaling", type=Path, metavar="DIR")
    args = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        texts = dict(args.texts) or made_texts(folder)
        counts = {lang: folder / f"{lang}.parquet" for lang in texts}
        for lang, text in texts.items():
            measured(["-m", "modtok", "count", text, "--out", counts[lang]])
        ours(dict(list(counts.items())[:1]), str(args.budget), folder)  # the first use compiles the loop
        report_peers(dict(list(texts.items())[: args.peers]), counts, str(args.budget), args.rounds, folder)
        report_scaling(counts, str(args.budget), args.rounds, folder, args.scaling)


def made_texts(folder: Path) -> dict[str, Path]:
    """Six texts as bench_bpe makes them."""
    texts = {f"l{n}": folder / f"{n}.txt" for n in range(6)}
    for seed, path in enumerate(texts.values()):
        make_text(path, seed=seed)
    return texts


def report_peers(
    texts: Mapping[str, Path], counts: Mapping[str, Path], budget: str, rounds: int, folder: Path
) -> None:
    mine_of = {lang: counts[lang] for lang in texts}
    runs = [(theirs(texts, budget, folder), ours(mine_of, budget, folder)) for _ in range(rounds)]
    for number, (name, unit, target) in enumerate(MEASURES):
        peer, mine = (min(run[who][number] for run in runs) for who in (0, 1))
        ratio = f"ratio {peer / mine:.2f} (target {target})"
        times = f"Hugging Face {peer:.2f} {unit}, modtok {mine:.2f} {unit}"
        print(f"{len(texts)} languages, {name}: {times}, {ratio}")
    print(f"peak memory: modtok {max(run[1][2] for run in runs):.0f} MB")


def report_scaling(
    counts: Mapping[str, Path], budget: str, rounds: int, folder: Path, out: Path | None
) -> None:
    rows = [*more_languages(counts, budget, rounds, folder), *more_words(counts, budget, rounds, folder)]
    for of, unit, label in SERIES:
        x, seconds = points(rows, of)
        slope, start = np.polyfit(x, seconds, 1)
        explained = np.corrcoef(x, seconds)[0, 1] ** 2
        listed = ", ".join(f"{n:,.0f}: {s:.2f}" for n, s in zip(x, seconds, strict=True))
        print(f"{of.replace('_', ' ')}, seconds of processor time: {listed}")
        line = f"{start:.2f} s and {slope * unit:.2f} s for each of the {label}, r² {explained:.4f}"
        print(f"  a line through them: {line}")
    if out is not None:
        write_tsv(out / "scaling.tsv", COLUMNS, rows)
        draw(rows, out / "scaling.svg")


def more_languages(counts: Mapping[str, Path], budget: str, rounds: int, folder: Path) -> list[Row]:
    """The first language, the first three … up to all of them."""
    sizes = sorted({*range(1, len(counts) + 1, 1 + len(counts) // 8), len(counts)})
    words = [len(read_counts([path]).words) for path in counts.values()]
    return [
        {"of": "languages", "languages": size, "distinct_words": sum(words[:size])}
        | {"seconds": f"{fastest(dict(list(counts.items())[:size]), budget, rounds, folder):.3f}"}
        for size in sizes
    ]


def more_words(counts: Mapping[str, Path], budget: str, rounds: int, folder: Path) -> list[Row]:
    """All words as one language, and shares of them."""
    joined, path = read_counts(list(counts.values())), folder / "share.parquet"
    rows = []
    for share in SHARES:
        words, numbers = joined.words[::share], joined.counts[::share]
        write_parquet(path, table({"word": words, "count": numbers}, counts_schema("whitespace")))
        seconds = f"{fastest({'all': path}, budget, rounds, folder):.3f}"
        rows.append(
            {"of": "distinct_words", "languages": 1, "distinct_words": len(words), "seconds": seconds}
        )
    return rows


def points(rows: Sequence[Row], of: str) -> tuple[np.ndarray, np.ndarray]:
    """x and seconds of one series."""
    chosen = [row for row in rows if row["of"] == of]
    x, seconds = ([float(str(row[column])) for row in chosen] for column in (of, "seconds"))
    return np.array(x), np.array(seconds)


def draw(rows: Sequence[Row], out: Path) -> None:
    """Both series, each with its straight line."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    from modtok.reporting.figures import STYLE, WIDTH

    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(2 * WIDTH, WIDTH / 1.6), layout="constrained")
        for axes, (of, unit, label) in zip(figure.subplots(1, 2), SERIES, strict=True):
            x, seconds = points(rows, of)
            x = x / unit
            line = np.polynomial.Polynomial.fit(x, seconds, 1)
            axes.plot(x, line(x), color="0.7", linewidth=0.8)
            axes.plot(x, seconds, "o", markersize=3)
            axes.set(xlabel=label, ylabel="processor time (s)", xlim=(0, None), ylim=(0, None))
            axes.locator_params("x", integer=unit == 1)
        figure.savefig(out, metadata={"Date": None})


def fastest(counts: Mapping[str, Path], budget: str, rounds: int, folder: Path) -> float:
    """The least processor time of some rounds, in seconds."""
    return min(ours(counts, budget, folder)[1] for _ in range(rounds))


def ours(counts: Mapping[str, Path], budget: str, folder: Path) -> tuple[float, float, float]:
    """Wall and processor time in seconds, and peak memory in MB, of one command for all languages."""
    named = [part for lang, path in counts.items() for part in ("--counts", f"{lang}={path}")]
    command = ["-m", "modtok", "train", "sequential-bpe", *named, "--budget", budget]
    return measured([*command, "--out", folder / "ours"])


def theirs(texts: Mapping[str, Path], budget: str, folder: Path) -> tuple[float, float, float]:
    """The same of one command of Hugging Face's per language: sums of time, the highest memory."""
    out = folder / "theirs.json"
    runs = [measured([PEER, "--hugging-face", out, "--budget", budget, text]) for text in texts.values()]
    wall, processor, memory = zip(*runs, strict=True)
    return sum(wall), sum(processor), max(memory)


if __name__ == "__main__":
    main()
