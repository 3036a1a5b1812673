"""Folders that hold a tokenizer: what becomes of one that is there already."""

from pathlib import Path

# tokenizer.json, and what commands write beside it. It makes the folder whole, so it is the first to go.
FILES = (
    "tokenizer.json",
    "tokenizer.json.provenance.json",
    "tokenizer_config.json",
    "tokenizer.model",
    "vocab.json",
    "merges.txt",
    "modules.json",
    "full_ids.npy",
    "growth.tsv",
    "unreachable.tsv",
    "seed_unreachable.tsv",
    "changes.json",
)


def make_way(folder: Path) -> None:
    """Remove a tokenizer from a folder where another is about to be written; other files stay.

    Else an old modules.json would pass for the new one's. A command that is killed meanwhile leaves a folder
    that is no tokenizer.
    """
    for name in FILES:
        (folder / name).unlink(missing_ok=True)
