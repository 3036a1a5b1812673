"""Line-aligned parallel sets: folders, zip or tar files of `<flores_code>.<split>` files (FLORES-200 …).

Archives are read member by member and never unpacked, so a member's path cannot lead anywhere; links in them
are left out. In a folder, which is the user's own, a link to a file is read like the file, and a link to a
folder is not entered.
"""

import lzma
import re
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path, PurePosixPath

from modtok.core.errors import DataError, require

# Where a set has several splits, the first of these is read; FLORES and NTREX name their test sets so.
SPLITS = ("devtest", "test", "dev")
CODE = re.compile("[a-z]{3}_[A-Z][a-z]{3}")
Files = dict[str, Callable[[], bytes]]
"path in the set -> function that reads the file"
Members = dict[str, Files]
"file name without folders -> the files of that name"
# What zipfile and tarfile raise for damaged, encrypted (RuntimeError) or missing archives.
_UNREADABLE = (
    OSError, EOFError, RuntimeError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, tarfile.TarError
)  # fmt: skip


def read_parallel(path: Path, codes: Iterable[str]) -> dict[str, list[str]]:
    """The lines of each FLORES code that the set holds; codes it lacks are left out.

    All are of one split, the first of SPLITS in which the set has a file named by a FLORES code: lines of two
    splits are no translations of each other. Lines end at LF, bytes that are not UTF-8 become U+FFFD. Errors:
    a set that cannot be read, two files of one name in its folders, files of one set that differ in their
    number of lines.

    read_parallel(Path("flores200"), ["ell_Grek"])["ell_Grek"][0]
    """
    with _members(path) as members:
        lines = {name: _lines(_read(path, members[name])) for name in _file_names(members, codes)}
    if len({len(texts) for texts in lines.values()}) > 1:
        listed = ", ".join(f"{name} {len(texts)}" for name, texts in sorted(lines.items()))
        raise DataError(
            f"{path}: the files of a parallel set must have as many lines as each other: {listed}"
        )
    return {name.rpartition(".")[0]: texts for name, texts in lines.items()}


def codes_in(path: Path) -> set[str]:
    """The FLORES codes that read_parallel finds in a set; names alone are read. Error: as there.

    codes_in(Path("flores200")) -> {"ell_Grek", "eng_Latn", …}
    """
    with _members(path) as members:
        end = f".{_split(members)}"
        return {name.removesuffix(end) for name in _named(members) if name.endswith(end)}


def _file_names(members: Members, codes: Iterable[str]) -> list[str]:
    """The codes' files of the one split."""
    split = _split(members)
    return [name for code in codes if (name := f"{code}.{split}") in members]


def _split(members: Members) -> str | None:
    """It depends on the set alone: a run asks for it by parts."""
    named = _named(members)
    return next((split for split in SPLITS if any(name.endswith(f".{split}") for name in named)), None)


def _named(members: Members) -> list[str]:
    """The files named by a FLORES code."""
    return [name for name in members if CODE.fullmatch(name.rpartition(".")[0])]


def _read(path: Path, files: Files) -> bytes:
    """The bytes of the one file of a name."""
    both = " and ".join(sorted(files)[:2])
    require(len(files) == 1, f"{path}: two files of one name, {both}; remove one, or name one's folder")
    [read] = files.values()
    return read()


def _lines(data: bytes) -> list[str]:
    lines = data.decode("utf-8-sig", "replace").split("\n")
    return [line.removesuffix("\r") for line in (lines[:-1] if lines[-1] == "" else lines)]


@contextmanager
def _members(path: Path) -> Iterator[Members]:
    """The files of a set, while it is open."""
    try:
        with _opened(path) as members:
            yield members
    except _UNREADABLE as error:
        raise DataError(
            f"{path}: not a folder, zip or tar file with a parallel set ({error}); "
            "mend the path, or fetch the set again"
        ) from error


@contextmanager
def _opened(path: Path) -> Iterator[Members]:
    if path.is_dir():
        files = (file for file in path.rglob("*") if file.is_file())
        yield _by_name((str(file.relative_to(path)), file.read_bytes) for file in files)
    elif zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            yield _by_name(
                (member.filename, partial(archive.read, member))
                for member in archive.infolist()
                if not member.is_dir() and not stat.S_ISLNK(member.external_attr >> 16)
            )
    else:
        with tarfile.open(path) as archive:
            yield _by_name(
                (member.name, partial(_read_tar_member, archive, member))
                for member in archive
                if member.isfile()
            )


def _by_name(files: Iterable[tuple[str, Callable[[], bytes]]]) -> Members:
    members: Members = {}
    for place, read in files:  # where an archive holds one path twice, the later one stands
        members.setdefault(PurePosixPath(place).name, {})[place] = read
    return members


def _read_tar_member(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = archive.extractfile(member)
    assert file is not None, "only regular files are listed"
    return file.read()
