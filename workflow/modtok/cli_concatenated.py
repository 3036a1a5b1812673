"""The command that trains the baseline of concatenated merge tables."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from modtok.cli_options import (
    Alphabet,
    Budget,
    BytesOrCharacters,
    Counts,
    Coverage,
    MinFrequency,
    OutFolder,
    Split,
    Threads,
    Trained,
    files_of_counts,
    trained_files,
)
from modtok.core.errors import about

if TYPE_CHECKING:
    from modtok.tokenization.bpe_training import Settings


def concatenated_bpe(
    counts: Counts,
    budget: Budget,
    out: OutFolder,
    trained: Trained = None,
    alphabet: BytesOrCharacters = Alphabet.bytes,
    min_frequency: MinFrequency = 2,
    character_coverage: Coverage = 0.9995,
    pretokenization: Split = None,
    threads: Threads = 1,
) -> None:
    """The baseline: monolingual tables one after the other, in which many tokens cannot be reached.

    Of each later table the merges of new tokens are appended. unreachable.tsv tells how many tokens of each
    language are lost.
    """
    from modtok.core.io import require_other_folder
    from modtok.core.provenance import provenance
    from modtok.tokenization.bpe_training import Settings
    from modtok.tokenization.concatenation import concatenate, write_concatenated
    from modtok.tokenization.folders import make_way

    files = files_of_counts(counts, pretokenization)
    done, split = trained_files(trained or [], files.of), files.pretokenization
    require_other_folder(out, *done.values())
    settings = Settings(budget, min_frequency, character_coverage)
    record: dict[str, Any] = {**vars(settings), "alphabet": alphabet.value, "pretokenization": split}
    record |= {"counts": counts, "trained": trained}
    with provenance(out / "tokenizer.json", [*files.every, *done.values()], record):
        tables = {}
        for lang, own in files.of.items():
            with about(f"language '{lang}'"):
                tables[lang] = _table(done.get(lang), own, alphabet, settings, split)
        full = concatenate(tables)
        make_way(out)
        lost = write_concatenated(out, full)
    for lang, ids in full.modules.items():
        print(f"{lang}: {len(ids):,} tokens, {lost[lang]:,} of them unreachable")
    print(f"{out}: {full.size:,} tokens of {len(lost)} languages")


def _table(
    file: Path | None, counts: list[Path], alphabet: Alphabet, settings: "Settings", split: str
) -> dict[str, Any]:
    """The tokenizer.json in the file, or of a tokenizer trained from the counts."""
    from modtok.tokenization.bpe import train_bpe
    from modtok.tokenization.loading import read_tokenizer_json
    from modtok.tokenization.word_count_files import read_counts

    if file is not None:
        return read_tokenizer_json(file)
    trained = train_bpe(read_counts(counts), alphabet=alphabet.value, **vars(settings))
    return trained.tokenizer_json(split)
