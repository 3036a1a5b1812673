"""Files of a folder that come together: none has its final name before all of them are there.

Over an older folder they get their names one by one, as other files in it stay. So that a process killed
meanwhile leaves no old files that pass for new ones, the file that makes the folder whole is the first to go
and the last to come: without its config.json a folder is no model, to us and to transformers.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def new_files(folder: Path, whole: str) -> Iterator[Path]:
    """Yield a folder to write to; on leaving without an error its files move to `folder`, else they go.

    It lies inside `folder`, which may be a disk of its own, so that moving is renaming. Files of the same
    names are replaced, others stay; `whole` is the file without which a reader takes the folder for nothing.
    What a killed process has left is removed by the next one.

    with new_files(Path("en-fi"), whole="config.json") as partial:
        (partial / "config.json").write_text("{}")
    """
    was_there, partial = folder.exists(), folder / ".partial"
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    try:
        yield partial
        (folder / whole).unlink(missing_ok=True)
        for file in sorted(partial.iterdir(), key=lambda file: (file.name == whole, file.name)):
            file.replace(folder / file.name)
        partial.rmdir()
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        if not was_there:
            with suppress(OSError):  # what someone else has put there stays
                folder.rmdir()
        raise
