"""Pages per second of the shard step against a bare loop of fastwarc, resiliparse and fastText, on one core.

    python tests/performance/bench_shards.py [WARC …] [--pages 4000] [--rounds 3]

Both run as commands of their own, in turns, bound to the same core, on the same file: by default
pages made of the smoke corpus, repeated. A bare loop does nothing for broken input, charsets and crashes, nor
does it write. Pages with a content encoding are left out: fastwarc's own decoding ends the file after the
first of them.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import cycle, islice
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
TARGET = 0.85


def bare_loop(paths: Sequence[Path]) -> int:
    """The peer: what one writes in twenty lines. Returns the number of responses."""
    import fasttext
    from fastwarc.warc import ArchiveIterator, WarcRecordType
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding

    from modtok.corpus.language_id import default_model

    model = fasttext.load_model(str(default_model()))
    responses = 0
    for path in paths:
        with path.open("rb") as file:
            for record in ArchiveIterator(file, record_types=WarcRecordType.response):
                responses += 1
                body = record.reader.read()
                text = extract_plain_text(bytes_to_str(body, record.http_charset or detect_encoding(body)))
                if text:
                    model.predict(text.replace("\n", " "))
    return responses


def smoke_warc(path: Path, pages: int) -> None:
    """Pages of some 4,000 characters, as the web has them: documents of the smoke corpus, four a page."""
    sys.path.insert(0, str(TESTS))
    from smoke.make_warcs import HERE, WORDS, page_of, read_documents, warc_file

    found = []
    for lang in WORDS:
        documents = read_documents(HERE / "text" / f"{lang}.txt")
        for number in range(0, len(documents), 4):
            paragraphs = [paragraph for document in documents[number : number + 4] for paragraph in document]
            found.append(page_of("text", lang, number // 4, paragraphs))
    plain = [page for page in found if page.encoding in ("identity", "crawler")]
    sound = [page for page in plain if page.declared not in ("wrong", "unknown")]
    with path.open("wb") as file:
        file.writelines(warc_file(path.name, islice(cycle(sound), pages)))


def timed(command: Sequence[str | Path]) -> tuple[float, float]:
    """Wall time and processor time of a command on one core, in seconds."""
    core = min(os.sched_getaffinity(0))
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(["taskset", "-c", str(core), sys.executable, *command], check=True)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def step_command(paths: Sequence[Path], folder: Path) -> list[str | Path]:
    """The shard step over local files."""
    from modtok.steps import fetch_shard, list_sources

    entries = json.dumps([{"warc": str(path)} for path in paths])
    listed, fetched = folder / "sources.tsv", folder / "fetched.tsv"
    list_sources.main(["--sources", entries, "--downloads", str(folder), "--out", str(listed)])
    fetch_shard.main(["--sources", str(listed), "--downloads", str(folder), "--out", str(fetched)])
    outputs = ["--out", folder / "0000.parquet", "--ledger", folder / "l.tsv", "--repairs", folder / "r.tsv"]
    limits = ["--timeout-s", "10", "--max-bytes", "10000000", "--threshold", "0.2"]
    return ["-m", "modtok.steps.extract_shard", "--fetched", fetched, *limits, *outputs]


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("warcs", nargs="*", type=lambda text: Path(text).resolve())
    parser.add_argument("--pages", type=int, default=4000, help="of the generated file")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--bare", action="store_true", help="run the bare loop and print its pages")
    args = parser.parse_args(argv)
    if args.bare:
        print(bare_loop(args.warcs), file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if not args.warcs:
            args.warcs = [folder / "pages.warc.gz"]
            smoke_warc(args.warcs[0], args.pages)
        report(args.warcs, args.rounds, folder)


def report(paths: Sequence[Path], rounds: int, folder: Path) -> None:
    pages = bare_loop(paths)
    bare_command: list[str | Path] = [Path(__file__), "--bare", *paths]
    ours_command = step_command(paths, folder)
    runs = [(timed(bare_command), timed(ours_command)) for _ in range(rounds)]
    for number, unit in enumerate(("wall", "processor")):
        bare, ours = (min(run[who][number] for run in runs) for who in (0, 1))
        print(
            f"{pages} pages, {unit} time: bare loop {pages / bare:.0f} pages/s, shard step "
            f"{pages / ours:.0f} pages/s, ratio {bare / ours:.2f} (target {TARGET})"
        )


if __name__ == "__main__":
    main()
