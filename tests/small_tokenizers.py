"""Sequential BPE of some languages' smoke texts, for tests that need a tokenizer and not its training."""

from collections.abc import Iterable
from pathlib import Path

from modtok.tokenization.bpe_training import Settings
from modtok.tokenization.sequential_bpe import SequentialBPE
from modtok.tokenization.word_count_files import read_counts
from modtok.tokenization.word_counts import count_files

TEXTS = Path(__file__).with_name("smoke") / "text"


def train_sequential(
    folder: Path,
    langs: Iterable[str],
    settings: Settings,
    alphabet: str = "bytes",
    pretokenization: str = "whitespace",
) -> Path:
    """Train on the texts of the languages, in their order, and write to the folder, which is given back.

    train_sequential(tmp_path, ("fr", "el"), Settings(400))
    """
    sequential = SequentialBPE.empty(alphabet, pretokenization)
    counts = folder.parent / f"{folder.name}.counts.parquet"
    for lang in langs:
        count_files([TEXTS / f"{lang}.txt"], pretokenization, counts)
        sequential.add(lang, read_counts([counts]), settings)
    sequential.write(folder)
    return folder
