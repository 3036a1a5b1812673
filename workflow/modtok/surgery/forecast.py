"""What an operation does, as rows to print: writing systems, rows, the audit, tokens of words and of texts.

All rows have the same columns: section, name, before, after, change; of a writing system also candidates and
deleted, in rows of the vocabulary.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from modtok.core.texts import read_texts
from modtok.surgery.byte_level import ByteLevelBPE
from modtok.surgery.deletion import delete
from modtok.surgery.operation import Operation
from modtok.surgery.scripts import Scripts, rows_by_script, scripts_by_token
from modtok.surgery.segmentation import segmented
from modtok.surgery.selection import Selection
from modtok.surgery.verification import Verification
from modtok.tokenization.loading import from_json
from modtok.tokenization.word_count_files import WordCounts

TOGETHER = 4096
"Texts that are held at once."
Row = dict[str, object]


def _row(section: str, name: str, before: object = None, after: object = None, **more: object) -> Row:
    return {"section": section, "name": name, "before": before, "after": after} | {
        key: more.get(key) for key in ("change", "candidates", "deleted")
    }


def script_rows(scripts: Mapping[int, Scripts], chosen: Selection, done: Operation) -> Iterator[Row]:
    """Rows of each writing system before and after, those that may go and those that go; the most first."""
    after = rows_by_script(scripts_by_token(done.after.tokens))
    candidates = rows_by_script(scripts, [*chosen.reset, *chosen.optional])
    deleted = rows_by_script(scripts, done.deletion.deleted)
    for name, rows in rows_by_script(scripts).items():
        counted = {"candidates": candidates.get(name, 0), "deleted": deleted.get(name, 0)}
        yield _row("script", name, rows, after.get(name, 0), **counted)


def vocabulary_rows(chosen: Selection, done: Operation) -> Iterator[Row]:
    """The vocabulary as a whole: its size, slots that there are, what went and what came."""
    most = len(delete(done.before, done.derived, chosen).deleted)
    size = len(done.before.surfaces)
    yield _row("rows", "vocabulary", size, len(done.after.surfaces))
    yield _row("rows", "with the same id", size, done.same_ids, change=f"{100 * done.same_ids / size:.1f} %")
    yield _row("rows", "that can go", candidates=len(chosen), deleted=most)
    yield _row("rows", "deleted", deleted=len(done.deletion.deleted))
    yield _row("rows", "restored in repair", after=len(done.deletion.restored))
    yield _row("rows", "inserted", 0, len(done.inserted.tokens))
    yield _row("rows", "given back", after=done.given_back)


def audit_rows(found: Verification) -> Iterator[Row]:
    """The strict audit: what should be 0 first."""
    yield _row("audit", "newly broken", 0, len(found.newly_broken))
    yield _row("audit", "inserted, unreachable", 0, len(found.inserted_unreachable))
    yield _row("audit", "unreachable before", len(found.unreachable_before), len(found.still_unreachable))


def word_rows(done: Operation, corpora: Mapping[str, WordCounts]) -> Iterator[Row]:
    """Tokens of counted words, by name of the counts."""
    for name, counts in corpora.items():
        yield _token_row("words", name, *(_tokens(bpe, counts) for bpe in (done.before, done.after)))


def text_rows(done: Operation, texts: Sequence[tuple[str, Path]]) -> Iterator[Row]:
    """Tokens of texts (name, file), as Hugging Face's library encodes them. Errors: read_texts's."""
    tokenizers = [from_json(bpe.tokenizer_json(), "tokenizer.json") for bpe in (done.before, done.after)]
    for name, path in texts:
        tokens = [0, 0]
        found = read_texts(path)
        while batch := list(islice(found, TOGETHER)):
            for place, tokenizer in enumerate(tokenizers):
                tokens[place] += int(tokenizer.count_batch(batch).sum())
        yield _token_row("text", name, *tokens)


def _tokens(bpe: ByteLevelBPE, counts: WordCounts) -> int:
    times = zip(segmented(bpe, counts), counts.counts.tolist(), strict=True)
    return sum(len(ids) * count for ids, count in times)


def _token_row(section: str, name: str, before: int, after: int) -> Row:
    change = f"{100 * (after / before - 1):+.3f} %" if before else None
    return _row(section, name, before, after, change=change)
