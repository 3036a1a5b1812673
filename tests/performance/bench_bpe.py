"""BPE: `modtok train bpe` from word counts against Hugging Face's training from the text, on one core.

    python tests/performance/bench_bpe.py [TEXT …] [--budget 24000] [--rounds 3]

Whole commands, in turns, bound to the same core: ours from a parquet file of word counts to
tokenizer.json on disk, Hugging Face's from the same text to tokenizer.json on disk, one thread. Without
TEXT, a text is made: words glued from halves of the words of the smoke corpus, so that there are as many
distinct ones as in some megabytes of real text. Both must make the same merges.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

SMOKE_TEXTS = Path(__file__).resolve().parents[1] / "smoke" / "text"
# What is measured, its unit, and the least ratio of Hugging Face's to ours.
MEASURES = (("wall time", "s", 2.0), ("processor time", "s", 2.0), ("peak memory", "MB", 1.0))
PATTERN = r" ?[^\s]+|\s+(?!\S)|\s+"


def hugging_face(texts: Sequence[Path], budget: int, out: Path) -> None:
    """The peer: the same special tokens, alphabet and cuts; each line without its line end."""
    from tokenizers import Regex, Tokenizer, models, trainers
    from tokenizers.pre_tokenizers import ByteLevel, Sequence, Split

    tokenizer = Tokenizer(models.BPE())
    byte_level = ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer = Sequence([Split(Regex(PATTERN), "isolated"), byte_level])
    trainer = trainers.BpeTrainer(
        vocab_size=4 + budget,
        min_frequency=2,
        special_tokens=["<unk>", "<s>", "</s>", "<pad>"],
        initial_alphabet=ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(lines(texts), trainer)
    tokenizer.save(str(out))


def lines(texts: Sequence[Path]) -> Iterator[str]:
    for path in texts:
        with path.open(encoding="utf-8", newline="\n") as file:
            for line in file:
                yield line.removesuffix("\n").removesuffix("\r")


def make_text(path: Path, distinct: int = 120_000, words: int = 1_000_000, seed: int = 1) -> None:
    """A text of glued words whose frequencies fall like those of real ones."""
    rng = random.Random(seed)
    sources = [file.read_text(encoding="utf-8").split() for file in sorted(SMOKE_TEXTS.glob("*.txt"))]
    known = [rng.choice(sources) for _ in range(distinct)]
    glued = [_glue(rng.choice(of_language), rng.choice(of_language)) for of_language in known]
    drawn = rng.choices(glued, weights=[1 / rank for rank in range(10, distinct + 10)], k=words)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for start in range(0, words, 12):
            file.write(" ".join(drawn[start : start + 12]) + "\n")


def _glue(left: str, right: str) -> str:
    return left[: (len(left) + 1) // 2] + right[len(right) // 2 :]


def measured(command: Sequence[str | Path], source: Path = Path(os.devnull)) -> tuple[float, float, float]:
    """Wall and processor time in seconds, and peak memory in MB, of a command on one core.

    What it prints goes to stderr, or, where it has a `source` to read, nowhere.
    """
    single = {**os.environ, "RAYON_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
    core = min(os.sched_getaffinity(0))
    start = time.perf_counter()
    out = 2 if source == Path(os.devnull) else subprocess.DEVNULL
    python = ["taskset", "-c", str(core), sys.executable]
    with source.open("rb") as given:
        process = subprocess.Popen([*python, *command], env=single, stdin=given, stdout=out)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}: exit code {process.returncode}")
    return time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("texts", nargs="*", type=lambda text: Path(text).resolve())
    parser.add_argument("--budget", type=int, default=24_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--hugging-face", type=Path, metavar="OUT", help="train the peer and write it to OUT")
    args = parser.parse_args(argv)
    if args.hugging_face:
        hugging_face(args.texts, args.budget, args.hugging_face)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if not args.texts:
            args.texts = [folder / "text.txt"]
            make_text(args.texts[0])
        report(args.texts, args.budget, args.rounds, folder)


def report(texts: Sequence[Path], budget: int, rounds: int, folder: Path) -> None:
    counts, ours, theirs = folder / "counts.parquet", folder / "ours", folder / "theirs.json"
    measured(["-m", "modtok", "count", *texts, "--out", counts])
    train: list[str | Path] = ["-m", "modtok", "train", "bpe", "--counts", f"all={counts}", "--out", ours]
    ours_command = [*train, "--budget", str(budget)]
    peer_command = [Path(__file__), "--hugging-face", theirs, "--budget", str(budget), *texts]
    measured(ours_command)  # the first use on a machine compiles the loop
    runs = [(measured(peer_command), measured(ours_command)) for _ in range(rounds)]
    for number, (name, unit, target) in enumerate(MEASURES):
        peer, mine = (min(run[who][number] for run in runs) for who in (0, 1))
        ratio = f"ratio {peer / mine:.2f} (target {target})"
        print(f"{name}: Hugging Face {peer:.2f} {unit}, modtok {mine:.2f} {unit}, {ratio}")
    same = merges(theirs) == merges(ours / "tokenizer.json")
    print(f"{len(merges(theirs))} merges, {'the same' if same else 'DIFFERENT'}")
    if not same:
        raise SystemExit("the merges differ from Hugging Face's")


def merges(path: Path) -> list[tuple[str, str]]:
    return [tuple(pair) for pair in json.loads(path.read_text(encoding="utf-8"))["model"]["merges"]]


if __name__ == "__main__":
    main()
