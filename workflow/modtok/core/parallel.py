"""Line-aligned parallel sets: folders, zip or tar files of `<flores_code>.<split>` files (FLORES-200, NTREX-128 …).

Archives are read member by member and never unpacked, so a member's path cannot lead anywhere.
"""

import tarfile
import zipfile
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path, PurePosixPath

from modtok.core.errors import DataError

# Where a set has several splits, the first of these is read; FLORES and NTREX name their test sets so.
SPLITS = ("devtest", "test", "dev")
Members = dict[str, Callable[[], bytes]]


def read_parallel(path: Path, codes: Iterable[str]) -> dict[str, list[str]]:
    """The lines of each FLORES code that the set holds; codes it lacks are left out.

    Errors: a set that cannot be read, files of one set that differ in their number of lines.

    read_parallel(Path("flores200"), ["ell_Grek"])["ell_Grek"][0]
    """
    members = _members(path)
    found = {code: name for code in codes if (name := _file_name(members, code)) is not None}
    lines = {code: _lines(members[name]()) for code, name in found.items()}
    lengths = {found[code]: len(texts) for code, texts in lines.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name} {length}" for name, length in sorted(lengths.items()))
        raise DataError(f"{path}: the files of a parallel set must have as many lines as each other: {listed}")
    return lines


def _file_name(members: Members, code: str) -> str | None:
    return next((name for split in SPLITS if (name := f"{code}.{split}") in members), None)


def _lines(data: bytes) -> list[str]:
    lines = data.decode("utf-8-sig", "replace").split("\n")
    return [line.removesuffix("\r") for line in (lines[:-1] if lines[-1] == "" else lines)]


def _members(path: Path) -> Members:
    """File name (without folders) -> a function that reads it."""
    if path.is_dir():
        return {file.name: file.read_bytes for file in sorted(path.rglob("*")) if file.is_file()}
    try:
        return _zip_members(path) if zipfile.is_zipfile(path) else _tar_members(path)
    except (OSError, tarfile.TarError) as error:
        raise DataError(f"{path}: not a folder, zip or tar file with a parallel set ({error})") from error


def _zip_members(path: Path) -> Members:
    archive = zipfile.ZipFile(path)
    return {PurePosixPath(name).name: partial(archive.read, name) for name in archive.namelist()}


def _tar_members(path: Path) -> Members:
    archive = tarfile.open(path)  # noqa: SIM115 (the members are read through it later)
    return {
        PurePosixPath(member.name).name: partial(_read_tar_member, archive, member)
        for member in archive
        if member.isfile()
    }


def _read_tar_member(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = archive.extractfile(member)
    assert file is not None, "only regular files are listed"
    return file.read()
