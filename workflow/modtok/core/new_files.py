"""Files of a folder that come together: none has its final name before all of them are there."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def new_files(folder: Path) -> Iterator[Path]:
    """Yield a folder to write to; on leaving without an error its files move to `folder`, else they go.

    It lies inside `folder`, which may be a disk of its own, so that moving is renaming. Files of the same
    names are replaced, others stay. What a killed process has left is removed by the next one.

    with new_files(Path("en-fi")) as partial:
        (partial / "config.json").write_text("{}")
    """
    was_there, partial = folder.exists(), folder / ".partial"
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    try:
        yield partial
        for file in sorted(partial.iterdir()):
            file.replace(folder / file.name)
        partial.rmdir()
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        if not was_there:
            with suppress(OSError):  # what someone else has put there stays
                folder.rmdir()
        raise
