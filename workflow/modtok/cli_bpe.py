"""From texts to word counts, and from these to a byte-pair encoding."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from modtok.cli_options import (
    Alphabet,
    Budget,
    BytesOrCharacters,
    Counts,
    Coverage,
    MinFrequency,
    OutFolder,
    Pretokenization,
    Split,
    Threads,
    files_of_counts,
)


def count(
    texts: Annotated[
        list[Path],
        typer.Argument(metavar="TEXT…", help="txt, jsonl, parquet, each also .gz or .zst; `-`: stdin."),
    ],
    out: Annotated[
        Path, typer.Option(metavar="FILE", help="Parquet file to write: word, count; `-`: stdout.")
    ],
    pretokenization: Annotated[
        Pretokenization, typer.Option(help="How text is cut.")
    ] = Pretokenization.whitespace,
    max_words: Annotated[
        int | None,
        typer.Option(min=1, help="Most frequent words to keep; of one count all or none. [default: all]"),
    ] = None,
) -> None:
    """Count the words (pre-tokens) of texts: all that training a tokenizer needs."""
    from modtok.core.io import file_or_stream, is_stream
    from modtok.core.provenance import provenance
    from modtok.core.texts import STDIN
    from modtok.tokenization.word_counts import count_files

    inputs = [path for path in texts if path != STDIN]
    with (
        provenance(out, inputs, {"pretokenization": pretokenization.value, "max_words": max_words}),
        file_or_stream(out) as file,
    ):
        report = count_files(texts, pretokenization.value, file, max_words)
    said = [
        f"{out}: {report.words:,} words, {report.distinct_words:,} distinct, in {report.texts:,} texts",
        f"{report.undecodable:,} texts held bytes that are not UTF-8",
    ]
    if report.kept_distinct_words < report.distinct_words:
        share = 100 * report.kept_words / report.words
        kept = f"kept the {report.kept_distinct_words:,} most frequent, {share:.2f} % of all words"
        said.append(f"{kept}; those of one count stay or go together")
    print("; ".join(said), file=sys.stderr if is_stream(out) else sys.stdout)


def bpe(
    counts: Counts,
    budget: Budget,
    out: OutFolder,
    alphabet: BytesOrCharacters = Alphabet.bytes,
    min_frequency: MinFrequency = 2,
    character_coverage: Coverage = 0.9995,
    pretokenization: Split = None,
    threads: Threads = 1,
) -> None:
    """Byte-pair encoding; the counts of several languages make one joint tokenizer."""
    from modtok.core.provenance import provenance
    from modtok.tokenization.bpe import train_bpe
    from modtok.tokenization.folders import make_way
    from modtok.tokenization.hf_format import write_tokenizer
    from modtok.tokenization.word_count_files import read_counts

    files = files_of_counts(counts, pretokenization)
    settings: dict[str, Any] = {"budget": budget, "alphabet": alphabet.value, "min_frequency": min_frequency}
    settings |= {"character_coverage": character_coverage}
    record = {**settings, "pretokenization": files.pretokenization, "counts": counts}
    with provenance(out / "tokenizer.json", files.every, record):
        # named one by one, since a call with ** would hold on to the counts while their memory is wanted
        trained = train_bpe(
            read_counts(files.every),
            budget=budget,
            alphabet=alphabet.value,
            min_frequency=min_frequency,
            character_coverage=character_coverage,
        )
        make_way(out)
        write_tokenizer(out, trained.tokenizer_json(files.pretokenization))
    print(f"{out}: {len(trained.tokens):,} tokens, {len(trained.table):,} merges")
