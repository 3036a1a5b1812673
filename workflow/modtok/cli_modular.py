"""The commands that train modular BPE tokenizers and add languages to them."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from modtok.cli_options import (
    Alphabet,
    Budget,
    BytesOrCharacters,
    CountFiles,
    Counts,
    Coverage,
    MinFrequency,
    ModularFolder,
    OutFolder,
    Split,
    Threads,
    files_of_counts,
    read_language,
)
from modtok.core.errors import ConfigError, require

if TYPE_CHECKING:
    from modtok.tokenization.bpe_training import Settings
    from modtok.tokenization.sequential_bpe import SequentialBPE

SPENT = (
    "{lang}: {tokens:,} tokens: {base:,} base, {merges:,} merges, {adopted:,} adopted, "
    "{ancestors:,} ancestors of those; {passed_over:,} passed over"
)


def sequential_bpe(
    counts: Counts,
    budget: Budget,
    out: OutFolder,
    alphabet: BytesOrCharacters = Alphabet.bytes,
    min_frequency: MinFrequency = 2,
    character_coverage: Coverage = 0.9995,
    pretokenization: Split = None,
    seed_table: Annotated[
        Path | None,
        typer.Option(metavar="TOKENIZER", help="Learn on top of a byte-level BPE tokenizer.json, ids kept."),
    ] = None,
    threads: Threads = 1,
) -> None:
    """One table for many languages, each with its own set of tokens; `modtok extract` takes languages out.

    Languages are learned in the order of their first --counts, each on top of those before; the budget is one
    language's. growth.tsv tells what each one learned and adopted.

    With --seed-table the table of Llama 3, Qwen 3, GPT-OSS … comes first: languages adopt its tokens, and new
    ones get ids behind it. Words are then cut again as it cuts text, so counts of `whitespace` are best.
    """
    from modtok.core.io import require_other_folder
    from modtok.core.provenance import provenance
    from modtok.tokenization.bpe_training import Settings
    from modtok.tokenization.loading import tokenizer_file
    from modtok.tokenization.sequential_bpe import SequentialBPE

    seeds = [tokenizer_file(seed_table)] if seed_table else []
    require_other_folder(out, *seeds)
    files = files_of_counts(counts, pretokenization)
    split, settings = files.pretokenization, Settings(budget, min_frequency, character_coverage)
    record = {**vars(settings), "alphabet": alphabet.value, "pretokenization": split, "counts": counts}
    record |= {"seed_table": str(seed_table)} if seed_table else {}
    with provenance(out / "tokenizer.json", [*files.every, *seeds], record):
        start = _seeded(seed_table, alphabet) if seed_table else SequentialBPE.empty(alphabet.value, split)
        _grow(start, files, settings, out)


def _seeded(file: Path, alphabet: Alphabet) -> "SequentialBPE":
    """A foreign table to start from; says what of it cannot be used."""
    from modtok.tokenization.seed_table import UNREACHABLE, unreachable_of
    from modtok.tokenization.sequential_bpe import SequentialBPE

    plain = alphabet == Alphabet.bytes
    require(plain, "--seed-table goes with --alphabet bytes, which such tables have", ConfigError)
    start = SequentialBPE.seeded(file)
    lost = len(unreachable_of(start.table))
    print(
        f"{file}: {start.seed:,} tokens; {lost:,} cannot be reached ({UNREACHABLE}), no language takes them"
    )
    return start


def append(
    directory: ModularFolder,
    counts: Counts,
    budget: Budget,
    out: OutFolder,
    min_frequency: MinFrequency = 2,
    character_coverage: Coverage = 0.9995,
    threads: Threads = 1,
) -> None:
    """Add languages to a finished sequential-bpe tokenizer.

    No earlier id, merge or set of a language changes: a model keeps its rows and gets new ones at the end.
    Alphabet and pre-tokenization are the tokenizer's.
    """
    from modtok.core.io import require_other_folder
    from modtok.core.provenance import provenance
    from modtok.tokenization.bpe_training import Settings
    from modtok.tokenization.sequential_bpe import SequentialBPE

    require_other_folder(out, directory)
    start, settings = SequentialBPE.load(directory), Settings(budget, min_frequency, character_coverage)
    files = files_of_counts(counts, start.pretokenization)
    inputs = [directory / "tokenizer.json", directory / "modules.json", *files.every]
    with provenance(out / "tokenizer.json", inputs, {**vars(settings), "counts": counts}):
        _grow(start, files, settings, out)


def _grow(sequential: "SequentialBPE", files: CountFiles, settings: "Settings", out: Path) -> None:
    from modtok.tokenization.folders import make_way

    for lang, own in files.of.items():
        growth = sequential.add(lang, read_language(lang, own), settings)
        print(SPENT.format(**growth), flush=True)
    make_way(out)
    sequential.write(out)
    print(f"{out}: {len(sequential.table.surfaces):,} tokens, {len(sequential.modules)} languages")
