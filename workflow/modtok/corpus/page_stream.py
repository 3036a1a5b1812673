"""Pages of WARC files through a process of their own (`page_reader`), started again after each crash.

What a crashed process had sent is kept; a new one goes on after it and passes over the record at fault,
which is counted as extractor_timeout or extractor_crash. The result does not depend on when what has been
sent.
"""

import json
import multiprocessing
import signal
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from modtok.core.errors import DataError
from modtok.core.stages import ALL_LANGUAGES, KEPT
from modtok.corpus import page_process
from modtok.corpus.ledger import Ledger
from modtok.corpus.page_assignment import PARSING, Assignment, PageSettings

_OUTSIDE = {-signal.SIGKILL, -signal.SIGTERM, -signal.SIGINT}
"signals that come from the machine or the user, not from a page"


@dataclass(frozen=True)
class FoundPage:
    """A page with text in a language."""

    position: int
    "of its file in the list that was read"
    record_id: str
    url: str
    offset: int
    language: str
    language_score: float
    text: str


@dataclass
class PageStream:
    """Reads pages; `ledger` and `repairs` are complete when `pages` has ended.

    stream = PageStream([Path("a.warc.gz")], PageSettings())
    texts = [page.text for page in stream.pages()]
    """

    paths: Sequence[Path]
    settings: PageSettings
    ledger: Ledger = field(default_factory=Ledger)
    repairs: Counter[str] = field(default_factory=Counter)

    def pages(self) -> Iterator[FoundPage]:
        """Yield the pages in the order of files and records.

        Errors: DataError where the process cannot work (no model, a file gone) or was killed from outside.
        """
        assignment = Assignment(self.paths)
        while assignment.start[0] < len(self.paths):
            child = _Child(assignment, self.settings)
            try:
                for message in child.messages():
                    assignment = replace(assignment, start=tuple(message["next"]))
                    self._add(message)
                    yield from (FoundPage(*row) for row in message["rows"])
            finally:
                child.stop()
            if assignment.start[0] < len(self.paths):
                assignment = child.without_offender(assignment)

    def _add(self, message: dict[str, Any]) -> None:
        self.repairs.update(message["repairs"])
        for stage, language, reason, records, size_bytes in message["counts"]:
            cell = (stage, language or ALL_LANGUAGES, reason or KEPT)
            self.ledger.add(*cell, records=records, size_bytes=size_bytes)


class _Child:
    """A running `read_pages`."""

    def __init__(self, assignment: Assignment, settings: PageSettings) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection: Connection
        self._connection, theirs = context.Pipe(duplex=False)
        self._progress = context.RawArray("q", [-1, -1, -1])
        self._process: BaseProcess = context.Process(
            target=page_process.main, args=(theirs, self._progress, assignment, settings), daemon=True
        )
        self._process.start()
        theirs.close()  # so that the end of the process is the end of the stream

    def messages(self) -> Iterator[dict[str, Any]]:
        while True:
            try:
                message = json.loads(self._connection.recv_bytes())
            except (EOFError, ConnectionResetError):
                return
            if "error" in message:
                raise DataError(message["error"])
            if "bug" in message:
                raise RuntimeError(f"in the process that reads pages:\n{message['bug']}")
            yield message

    def stop(self) -> None:
        """Wait for the end of a process that has closed the connection; end one that has not."""
        self._connection.close()
        self._process.join(timeout=5)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()

    def without_offender(self, assignment: Assignment) -> Assignment:
        """What is left after the process has died early, without the record that it died of."""
        code = self._process.exitcode
        position, number, phase = self._progress
        if position < 0 or code in _OUTSIDE:
            raise DataError(
                f"the process that reads pages ended with code {code}; where that is -9, it was most likely "
                "for lack of memory: give the job more"
            )
        if phase == PARSING:
            reason = "extractor_timeout" if code == -signal.SIGPROF else "extractor_crash"
            return replace(assignment, lost={**assignment.lost, (position, number): reason})
        return replace(assignment, unreadable={**assignment.unreadable, position: number})
