"""How far a training is: a bar on a terminal, a line now and then elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

_SECONDS = 30
"between lines"


@contextmanager
def progress(steps: int, done: int, shown: bool = True) -> Iterator[Callable[[int, str], None]]:
    """A function to call with the number of steps done and a few words, after each of `steps` steps."""
    if not shown:
        yield lambda number, words: None
        return
    if not sys.stderr.isatty():
        yield _lines(steps)
        return
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("", total=steps, completed=done)
        yield lambda number, words: bar.update(task, completed=number, description=words)


def _lines(steps: int) -> Callable[[int, str], None]:
    last = time.monotonic()

    def show(number: int, words: str) -> None:
        nonlocal last
        if number == steps or time.monotonic() - last > _SECONDS:
            last = time.monotonic()
            print(f"step {number:,} of {steps:,}: {words}", file=sys.stderr, flush=True)

    return show
