"""The process that reads WARC files and runs the native parsers, so that a crash or a hang costs one record.

It reads files itself and sends finished pages in batches of JSON, never pickles: what comes out of a process
that has parsed hostile pages is data. The record that it is at stands in shared memory, where `page_stream`
finds it after a crash. A record that takes too long ends the process by the kernel's own timer, which needs
nobody to watch and works while native code holds the interpreter.
"""

import json
import signal
import traceback
from collections import Counter
from collections.abc import MutableSequence
from multiprocessing.connection import Connection

from modtok.core.errors import UserError
from modtok.core.stages import EXTRACT, LANGUAGE_ID, READ
from modtok.corpus.extraction import Page, extract_page
from modtok.corpus.language_id import Identifier
from modtok.corpus.page_assignment import PARSING, READING, Assignment, PageSettings
from modtok.corpus.warc import Record, read_warc

_BATCH_RECORDS = 512
_BATCH_CHARACTERS = 1 << 20


def read_pages(
    connection: Connection, progress: MutableSequence[int], assignment: Assignment, settings: PageSettings
) -> None:
    """Main function of the process; `progress` is (position, record, READING or PARSING), shared."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent gets it as well and closes the connection
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    batch = _Batch(connection)
    try:
        reader = _PageReader(Identifier(settings.model), settings, batch, progress)
        for position in range(assignment.start[0], len(assignment.paths)):
            reader.read_file(position, assignment)
            batch.next = (position + 1, 0)
        batch.send()
    except BrokenPipeError:
        return  # the parent is gone
    except (UserError, OSError) as error:
        connection.send_bytes(json.dumps({"error": str(error)}).encode())
    except Exception:
        connection.send_bytes(json.dumps({"bug": traceback.format_exc()}).encode())


class _Batch:
    """What has been found since the last message."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.next = (0, 0)
        "the place from where to go on once the message has arrived"
        self._clear()

    def _clear(self) -> None:
        self.rows: list[tuple[int, str, str, int, str, float, str]] = []
        "position, record_id, url, offset, language, score, text"
        self._counts: dict[tuple[str, str, str], list[int]] = {}
        self.repairs: Counter[str] = Counter()
        self._records = self._characters = 0

    def count(self, stage: str, language: str, reason: str, size_bytes: int) -> None:
        """Count a record; "" stands for no language and for no reason to drop it."""
        cell = self._counts.setdefault((stage, language, reason), [0, 0])
        cell[0] += 1
        cell[1] += size_bytes

    def record_done(self, position: int, number: int, characters: int) -> None:
        self.next = (position, number + 1)
        self._records += 1
        self._characters += characters
        if self._records >= _BATCH_RECORDS or self._characters >= _BATCH_CHARACTERS:
            self.send()

    def send(self) -> None:
        counts = [[*key, *cell] for key, cell in self._counts.items()]
        message = {"rows": self.rows, "counts": counts, "repairs": self.repairs, "next": self.next}
        self._connection.send_bytes(json.dumps(message, ensure_ascii=False).encode())
        self._clear()


class _PageReader:
    def __init__(
        self, identifier: Identifier, settings: PageSettings, batch: _Batch, progress: MutableSequence[int]
    ) -> None:
        self._identifier = identifier
        self._settings = settings
        self._batch = batch
        self._progress = progress

    def read_file(self, position: int, assignment: Assignment) -> None:
        end = assignment.unreadable.get(position)
        records = read_warc(assignment.paths[position], self._settings.max_bytes)
        self._progress[:] = [position, 0, READING]
        for number, record in enumerate(records if end != 0 else ()):
            if (position, number) >= assignment.start:
                lost = assignment.lost.get((position, number))
                characters = self._guarded(position, number, record, lost)
                self._batch.record_done(position, number, characters)
            self._progress[:] = [position, number + 1, READING]
            if number + 1 == end:
                break
        if end is not None:
            self._batch.count(READ, "", "reader_crash", 0)

    def _guarded(self, position: int, number: int, record: Record, lost: str | None) -> int:
        """Take one record in hand, with the timer running; returns the characters kept."""
        self._batch.count(READ, "", record.reason, record.size_bytes)
        if record.reason:
            return 0
        if lost is not None:
            self._batch.count(EXTRACT, "", lost, record.size_bytes)
            return 0
        self._progress[:] = [position, number, PARSING]
        signal.setitimer(signal.ITIMER_PROF, self._settings.timeout_s)
        characters = self._parse(position, record)
        signal.setitimer(signal.ITIMER_PROF, 0)
        return characters

    def _parse(self, position: int, record: Record) -> int:
        try:
            page = extract_page(record.block, self._settings.main_content, self._settings.max_bytes)
            language, score = self._identifier.identify(page.text) if page.text else ("", 0.0)
        except Exception:  # one page that something here cannot stand costs no other one
            page = Page(reason="extractor_error")
        self._batch.count(EXTRACT, "", page.reason, record.size_bytes)
        if page.reason:
            return 0
        self._batch.repairs.update(page.repairs)
        kept = score >= self._settings.threshold
        self._batch.count(LANGUAGE_ID, language, "" if kept else "low_score", len(page.text.encode()))
        if not kept:
            return 0
        row = (position, record.record_id, record.url, record.offset, language, score, page.text)
        self._batch.rows.append(row)
        return len(page.text)
