"""A finished modular tokenizer: extraction of two languages, loading, and encoding at Hugging Face's speed.

    python tests/performance/bench_modular.py [DIR TEXT] [--rounds 3]

DIR: a folder that `modtok train sequential-bpe` wrote; TEXT: what is encoded. Without them six texts are made
as for bench_bpe, and a tokenizer of 24,000 tokens a language is trained. Extraction and loading are whole
commands, on one core; encoding is processor time in this process, one thread, of the full tokenizer and of
two languages.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench_bpe import lines, measured
from bench_sequential import made_texts, ours

# Seconds of wall time; loading is meant for 370,000 tokens.
EXTRACTION_S, LOADING_S = 2.0, 5.0
BATCH = 1024
LOAD = "from pathlib import Path; from modtok.tokenization.{}; {}(Path({!r}))"


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, metavar="DIR")
    parser.add_argument("text", nargs="?", type=Path, metavar="TEXT")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args(argv)
    os.environ |= {"RAYON_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
    with tempfile.TemporaryDirectory() as name:
        if args.text is None:
            args.folder, args.text = trained(Path(name))
        report(args.folder.resolve(), args.text, args.rounds, Path(name) / "part")


def trained(folder: Path) -> tuple[Path, Path]:
    """A tokenizer of made texts, and one of these."""
    texts = made_texts(folder)
    counts = {lang: folder / f"{lang}.parquet" for lang in texts}
    for lang, text in texts.items():
        measured(["-m", "modtok", "count", text, "--out", counts[lang]])
    ours(counts, "24000", folder)
    return folder / "ours", texts["l0"]


def report(folder: Path, text: Path, rounds: int, part: Path) -> None:
    from modtok.tokenization.modular import Modular

    modular = Modular.load(folder)
    langs = ",".join(list(modular.modules)[:2])
    extract = ["-m", "modtok", "extract", folder, "--langs", langs, "--out", part]
    of = f"from {modular.size:,} tokens"
    print(f"extraction of {langs} {of}: {fastest(extract, rounds)}, target {EXTRACTION_S} s")
    for module, function in (("loading import load", "load"), ("modular import Modular", "Modular.load")):
        command = ["-c", LOAD.format(module, function, str(folder))]
        print(f"{function} {of}: {fastest(command, rounds)}, target {LOADING_S} s")
    for name, one in (("full", folder), (langs, part)):
        report_encoding(name, one / "tokenizer.json", list(lines([text])), rounds)
    seconds = min(measured(["-m", "modtok", "encode", part], text)[1] for _ in range(rounds))
    print(f"modtok encode, whole command: {text.stat().st_size / 1e6 / seconds:.2f} MB/s of processor time")


def fastest(command: Sequence[str | Path], rounds: int) -> str:
    """The least wall and processor time of a command."""
    runs = [measured(command) for _ in range(rounds)]
    wall, processor = (min(run[number] for run in runs) for number in (0, 1))
    return f"{wall:.2f} s, {processor:.2f} s of processor time"


def report_encoding(name: str, file: Path, texts: list[str], rounds: int) -> None:
    """Megabytes a second of processor time, ours in turns with Hugging Face's own call."""
    from tokenizers import Tokenizer

    from modtok.tokenization.loading import load

    loaded, theirs = load(file), Tokenizer.from_file(str(file))
    calls = {
        "modtok": lambda batch: loaded.encode_batch(batch),
        "Hugging Face": lambda batch: [
            one.ids for one in theirs.encode_batch(batch, add_special_tokens=False)
        ],
    }
    times = {who: [] for who in calls}
    for _ in range(rounds):
        for who, call in calls.items():
            start = time.process_time()
            for first in range(0, len(texts), BATCH):
                call(texts[first : first + BATCH])
            times[who].append(time.process_time() - start)
    size = sum(len(text.encode()) for text in texts) / 1e6
    speeds = ", ".join(f"{who} {size / min(seconds):.2f} MB/s" for who, seconds in times.items())
    ratio = min(times["Hugging Face"]) / min(times["modtok"])
    print(f"encoding with {name}: {speeds}, ratio {ratio:.2f} (target 1.00)")


if __name__ == "__main__":
    main()
