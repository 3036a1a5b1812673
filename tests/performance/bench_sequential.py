"""Sequential BPE: `modtok train sequential-bpe` of several languages against as many Hugging Face trainings.

    python tests/performance/bench_sequential.py [LANG=TEXT …] [--budget 24000] [--rounds 3]

Whole commands, in turns, on the same core: ours from parquet files of word counts to one modular
tokenizer on disk, Hugging Face's from the texts to one tokenizer.json each, one thread. Then the same with
ever more languages, extraction of two, and loading. Without texts, six are made as for bench_bpe.
"""

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench_bpe import make_text, measured

from modtok.core.options import named_path

# What is measured, its unit, and the least ratio of Hugging Face's to ours.
MEASURES = (("wall time", "s", 2.0), ("processor time", "s", 2.0))
EXTRACTION_S = 2.0
PEER = Path(__file__).with_name("bench_bpe.py")


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("texts", nargs="*", type=named_path, metavar="LANG=TEXT")
    parser.add_argument("--budget", type=int, default=24_000)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        texts = dict(args.texts) or {f"l{n}": folder / f"{n}.txt" for n in range(6)}
        if not args.texts:
            for seed, path in enumerate(texts.values()):
                make_text(path, seed=seed)
        report(texts, str(args.budget), args.rounds, folder)


def report(texts: dict[str, Path], budget: str, rounds: int, folder: Path) -> None:
    counts = {lang: folder / f"{lang}.parquet" for lang in texts}
    for lang, text in texts.items():
        measured(["-m", "modtok", "count", text, "--out", counts[lang]])
    ours(dict(list(counts.items())[:1]), budget, folder)  # the first use on a machine compiles the loop
    runs = [(theirs(texts, budget, folder), ours(counts, budget, folder)) for _ in range(rounds)]
    for number, (name, unit, target) in enumerate(MEASURES):
        peer, mine = (min(run[who][number] for run in runs) for who in (0, 1))
        ratio = f"ratio {peer / mine:.2f} (target {target})"
        times = f"Hugging Face {peer:.2f} {unit}, modtok {mine:.2f} {unit}"
        print(f"{len(texts)} languages, {name}: {times}, {ratio}")
    print(f"peak memory: modtok {max(run[1][2] for run in runs):.0f} MB")
    for size in range(1, len(counts) + 1):
        _, seconds, _ = ours(dict(list(counts.items())[:size]), budget, folder)
        print(f"{size} languages: {seconds:.2f} s of processor time")
    langs = ",".join(list(counts)[:2])
    extract = ["-m", "modtok", "extract", folder / "ours", "--langs", langs, "--out", folder / "part"]
    wall, processor = (min(run[n] for run in [measured(extract) for _ in range(rounds)]) for n in (0, 1))
    print(f"extraction of {langs}: {wall:.2f} s, {processor:.2f} s of processor time (target {EXTRACTION_S})")


def ours(counts: dict[str, Path], budget: str, folder: Path) -> tuple[float, float, float]:
    """Wall and processor time in seconds, and peak memory in MB, of one command for all languages."""
    named = [part for lang, path in counts.items() for part in ("--counts", f"{lang}={path}")]
    command = ["-m", "modtok", "train", "sequential-bpe", *named, "--budget", budget]
    return measured([*command, "--out", folder / "ours"])


def theirs(texts: dict[str, Path], budget: str, folder: Path) -> tuple[float, float, float]:
    """The same of one command of Hugging Face's per language: sums of time, the highest memory."""
    out = folder / "theirs.json"
    runs = [measured([PEER, "--hugging-face", out, "--budget", budget, text]) for text in texts.values()]
    wall, processor, memory = zip(*runs, strict=True)
    return sum(wall), sum(processor), max(memory)


if __name__ == "__main__":
    main()
