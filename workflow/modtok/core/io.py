"""Atomic files: a final name never holds half a file, whatever kills the process.

A file is written under `.{name}.partial` beside its final name, flushed to disk and renamed. The partial name
is fixed, so what a killed process leaves is overwritten by the next one instead of piling up; a lock keeps
two processes that write the same file (a job and its orphan from a killed run) from mixing their bytes.
"""

import fcntl
import json
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from modtok.core.errors import DISK_FULL, ConfigError, DataError, require

# Half of what a command loads that reads and writes no parquet.
if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq


@contextmanager
def atomic(path: Path) -> Iterator[Path]:
    """Yield a partial path to write to; on leaving without an error it takes the final name.

    A link is followed. A device or a pipe (/dev/stdout) is yielded itself: there is nothing to rename.

    with atomic(Path("a.txt")) as partial:
        partial.write_text("whole or not at all")
    """
    if path.exists() and not path.is_file():
        yield path
        return
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.partial")
    descriptor = _lock(partial)
    try:
        with _named(path):
            yield partial
            os.fsync(descriptor)
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    finally:
        os.close(descriptor)


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Give the error of a full disk the name of the file."""
    try:
        yield
    except OSError as error:
        if error.errno in DISK_FULL and error.filename is None:
            error.filename = str(path)
        raise


def _lock(path: Path) -> int:
    """Open, lock and empty `path`, waiting for another holder; the lock ends with the descriptor."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        with suppress(FileNotFoundError):
            if os.path.samestat(path.stat(), os.fstat(descriptor)):
                os.truncate(descriptor, 0)  # of what a killed process has left
                return descriptor
        os.close(descriptor)  # the holder we waited for has renamed the file away


STREAM = Path("-")
"as an output: standard output"
_DEVICES = (Path("/dev"), Path("/dev/fd"))


def is_stream(path: Path) -> bool:
    """Whether an output is no file of its own: `-`, a device such as /dev/stdout, a pipe."""
    is_special = path.exists() and not path.is_file() and not path.is_dir()
    return path == STREAM or path.parent in _DEVICES or is_special


@contextmanager
def file_or_stream(path: Path) -> Iterator[Path]:
    """Yield the path itself, or for a stream a temporary file that is copied to the stream at the end.

    with file_or_stream(Path("-")) as file:
        write_json(file, {})
    """
    if not is_stream(path):
        yield path
        return
    with TemporaryDirectory() as folder:
        file = Path(folder) / "output"
        yield file
        with file.open("rb") as source:
            if path == STREAM:
                shutil.copyfileobj(source, sys.stdout.buffer)
            else:
                with _named(path), path.open("wb") as sink:
                    shutil.copyfileobj(source, sink)


def require_other_folder(out: Path, *sources: Path) -> None:
    """Refuse to write to the folder that something is read from; a file stands for its folder.

    require_other_folder(Path("new"), Path("old"), Path("llama3/tokenizer.json"))
    """
    for source in sources:
        folder = source if source.is_dir() else source.parent
        other = folder.resolve() != out.resolve()
        require(other, f"--out {out}: holds what is read ({source}); name another folder", ConfigError)


def write_text(path: Path, text: str) -> None:
    """Write text as UTF-8 with LF line ends, atomically."""
    with atomic(path) as partial:
        partial.write_bytes(text.encode("utf-8"))


def write_json(path: Path, value: Any) -> None:
    """Write JSON atomically: two spaces of indent, non-ASCII kept, keys in the given order.

    Lone surrogates, as in file names that are no UTF-8, are escaped.
    """
    text = json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    write_text(path, text.encode("utf-8", "backslashreplace").decode())


def write_tsv(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    r"""Write a TSV with a header line, atomically; TAB, LF, CR and backslash in a cell become \t \n \r \\."""
    with atomic(path) as partial, partial.open("w", encoding="utf-8", newline="\n") as file:
        file.write("\t".join(columns) + "\n")
        for row in rows:
            file.write("\t".join(escape(_cell(row.get(column))) for column in columns) + "\n")


def read_tsv(path: Path) -> list[dict[str, str]]:
    """Read what write_tsv wrote: one dict of strings per row.

    A table edited by hand may have CRLF line ends, a byte order mark and blank lines. Errors: text that is
    not UTF-8, a row with more or fewer cells than columns.
    """
    try:
        lines = path.read_bytes().decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path}: not UTF-8 text ({error.reason} at byte {error.start}); save it as UTF-8"
        ) from error
    lines = [line.removesuffix("\r") for line in (lines if lines[-1] else lines[:-1])]
    columns = lines[0].split("\t") if lines else []
    rows = [
        (number, line.split("\t")) for number, line in enumerate(lines[1:], 2) if line or len(columns) == 1
    ]
    for number, cells in rows:
        fits = len(cells) == len(columns)
        require(
            fits, f"{path}, line {number}: {len(cells)} cells for {len(columns)} columns; TAB separates cells"
        )
    return [dict(zip(columns, map(unescape, cells), strict=True)) for _, cells in rows]


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return repr(float(value))  # numpy's float64 is a float, but shows itself as np.float64(...)
    return "" if value is None else str(value)


_ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
_UNESCAPES = {written[1]: plain for plain, written in _ESCAPES.items()}


def escape(text: str) -> str:
    r"""Escape backslash, TAB, LF and CR, so that any text fits a TSV cell. escape("a\tb") -> "a\\tb"."""
    for plain, written in _ESCAPES.items():
        text = text.replace(plain, written)
    return text


def unescape(text: str) -> str:
    r"""Undo `escape`; an unknown escape is kept as it stands. unescape("a\\tb") -> "a\tb"."""
    if "\\" not in text:
        return text
    parts = iter(text)
    return "".join(_unescaped(character, parts) for character in parts)


def _unescaped(character: str, following: Iterator[str]) -> str:
    if character != "\\":
        return character
    code = next(following, "")
    return _UNESCAPES.get(code, "\\" + code)


@contextmanager
def parquet_writer(
    path: Path, schema: "pa.Schema", compression: str = "zstd", statistics: bool = True
) -> "Iterator[pq.ParquetWriter]":
    """A parquet writer whose file appears under `path` only when whole. Same rows, same bytes.

    `statistics`: whether the file says the least and the greatest value of each column and row group.
    """
    import pyarrow.parquet as pq

    # Arrow itself opens no file whose name is no UTF-8
    with (
        atomic(path) as partial,
        partial.open("wb") as file,
        pq.ParquetWriter(
            file, schema, use_dictionary=False, compression=compression, write_statistics=statistics
        ) as writer,
    ):
        yield writer


def write_parquet(path: Path, table: "pa.Table", row_group_size: int = 65_536) -> None:
    """Write a table as parquet (zstd), atomically."""
    with parquet_writer(path, table.schema) as writer:
        writer.write_table(table, row_group_size=row_group_size)
