"""Batches in the order of steps, made by worker processes ahead of time, or in this one when asked for."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context

from modtok.core.errors import DataError
from modtok.modelling.batches import Batch, BatchMaker

_AHEAD = 3
"batches in the making for each worker"
_maker: BatchMaker | None = None  # of a worker process


def batches(new_maker: Callable[[], BatchMaker], steps: Iterable[int], workers: int) -> Iterator[Batch]:
    """The batch of each step in turn; `new_maker` must be picklable. Errors: the maker's, a killed worker.

    The batches do not depend on the number of workers.
    """
    if workers == 0:
        yield from map(new_maker().make, steps)
        return
    # Not forked: a copy of a process that runs torch may hang.
    with ProcessPoolExecutor(workers, get_context("spawn"), _start, (new_maker,)) as pool:
        waiting: deque[Future[Batch]] = deque()
        try:
            for step in steps:
                waiting.append(pool.submit(_make, step))
                if len(waiting) >= _AHEAD * workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        except BrokenProcessPool as error:
            message = "a process that makes batches was killed, most likely for memory; take fewer --workers"
            raise DataError(message) from error
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _start(new_maker: Callable[[], BatchMaker]) -> None:
    global _maker
    _maker = new_maker()


def _make(step: int) -> Batch:
    assert _maker is not None, "the pool has started this process"
    return _maker.make(step)
