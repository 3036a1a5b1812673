"""Downloads over http and https: patient with busy servers, resumable, checked, written aside.

A server that answers 429 or 5xx, a connection that fails and a body that ends early are tried again after a
pause that doubles (with jitter, or as long as Retry-After says). What has arrived is kept beside the target
and continued by a range request, tied by If-Range to the version of the file that it began with.
"""

import hashlib
import json
import random
import re
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from email.utils import parsedate_to_datetime
from pathlib import Path

import requests

from modtok.core.errors import DataError
from modtok.core.io import write_json
from modtok.corpus.sources import shown

USER_AGENT = "modtok/0.1 (tokenizer research; one connection, with pauses)"
BUSY = frozenset({429, 500, 502, 503, 504})
_PIECE = 1 << 16
"what a cut connection can cost of what has arrived"


@dataclass(frozen=True)
class Patience:
    """How a download behaves; seconds."""

    attempts: int = 8
    first_pause: float = 2.0
    "before the second attempt; doubles with each further one"
    longest_pause: float = 300.0
    "also the most that a Retry-After is heeded"
    timeout: float = 60.0
    "without a byte from the server"


@dataclass(frozen=True)
class Download:
    """What has arrived under the final name."""

    size_bytes: int
    sha256: str


class _FailedError(Exception):
    """An attempt failed."""

    def __init__(self, what: str, *, wait: float = 0.0, remedy: str = "") -> None:
        super().__init__(what)
        self.wait = wait
        "seconds that the server asks for"
        self.remedy = remedy
        "what the user can do where another attempt would fail as well"


class Fetcher:
    """Downloads files one after the other over one connection; `seed` makes its pauses reproducible.

    Fetcher(seed=1).fetch("https://host/a.warc.gz", Path("a.warc.gz")) -> Download(size_bytes=…, sha256="…")
    """

    def __init__(
        self, seed: int, patience: Patience | None = None, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._random = random.Random(seed)
        self._patience = patience or Patience()
        self._sleep = sleep
        self._session = requests.Session()
        # Accept-Encoding: a .gz file must arrive as stored, for its length and checksum to be known.
        self._session.headers.update({"User-Agent": USER_AGENT, "Accept-Encoding": "identity"})

    def __enter__(self) -> "Fetcher":
        return self

    def __exit__(self, *_: object) -> None:
        self._session.close()

    def fetch(self, url: str, target: Path, sha256: str = "") -> Download:
        """Download `url` to `target`; `sha256`, where known, is compared.

        A target that is there already is taken unless its checksum is another than the published one: it got
        its name only when whole. Errors: DataError with URL (as `shown`), attempts, last answer and remedy.
        """
        if target.exists():
            found = _measure(target)
            if sha256 in ("", found.sha256):
                return found
            target.unlink()
        return self._fetch_new(url, target, sha256)

    def _fetch_new(self, url: str, target: Path, sha256: str) -> Download:
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = _Partial(target)
        attempt = 1
        while True:
            try:
                self._attempt(url, partial)
                return _finish(partial, target, sha256)
            except _FailedError as failure:
                if failure.remedy or attempt == self._patience.attempts:
                    remedy = failure.remedy or "try again later; what has arrived is kept"
                    raise DataError(
                        f"{shown(url)}: not downloaded, attempt {attempt}: {failure}; {remedy}"
                    ) from failure
                self._sleep(self._pause(attempt, failure.wait))
            attempt += 1

    def _pause(self, attempt: int, wanted: float) -> float:
        growing = self._patience.first_pause * 2 ** (attempt - 1) * (0.5 + self._random.random())
        return min(max(growing, wanted), self._patience.longest_pause)

    def _attempt(self, url: str, partial: "_Partial") -> None:
        """One request; leaves in `partial` whatever arrives."""
        try:
            with self._session.get(
                url, headers=partial.range_headers(), stream=True, timeout=self._patience.timeout
            ) as response:
                _check_status(response)
                partial.receive(response)
        except (requests.ConnectionError, requests.Timeout) as error:
            raise _FailedError(_one_line(error, url)) from error
        except requests.exceptions.ChunkedEncodingError as error:
            raise _FailedError("the connection was cut") from error
        except requests.RequestException as error:
            raise _FailedError(_one_line(error, url), remedy="mend the URL") from error


def _finish(partial: "_Partial", target: Path, sha256: str) -> Download:
    found = _measure(partial.path)
    if sha256 not in ("", found.sha256):
        partial.forget()
        raise _FailedError(f"its SHA-256 is {found.sha256} instead of {sha256}")
    partial.path.replace(target)
    partial.forget()
    return found


def _check_status(response: requests.Response) -> None:
    if response.status_code in BUSY:
        raise _FailedError(f"status {response.status_code}", wait=_retry_after(response))
    if response.status_code not in (200, 206, 416):
        remedy = "check the URL and, for a list of paths, base_url"
        raise _FailedError(f"status {response.status_code}", remedy=remedy)


def _retry_after(response: requests.Response) -> float:
    """Seconds from a Retry-After field, which holds seconds or a date; 0 where there is none."""
    value = response.headers.get("Retry-After", "")
    if value.isdigit():
        return float(value)
    try:
        return max(parsedate_to_datetime(value).timestamp() - time.time(), 0.0)
    except (TypeError, ValueError):
        return 0.0


def _one_line(error: Exception, url: str) -> str:
    """What requests says; it names the URL, or the one that a server led it to, with all that is secret."""
    text = re.sub(r"(?<=://)[^/\s]*@|\?\S+", "", str(error).replace(url, shown(url)))
    return f"{type(error).__name__}: {' '.join(text.split())[:200]}"


def _measure(path: Path) -> Download:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return Download(path.stat().st_size, digest)


@dataclass(frozen=True)
class _State:
    """What a partial file is a part of."""

    validator: str
    "the ETag (a strong one) or the date of the file on the server"


class _Partial:
    """A file on its way, `.{name}.download`, and beside it which version of the file it belongs to."""

    def __init__(self, target: Path) -> None:
        self.path = target.with_name(f".{target.name}.download")
        self._state_path = target.with_name(f".{target.name}.download.json")

    def forget(self) -> None:
        """Remove what is left."""
        self.path.unlink(missing_ok=True)
        self._state_path.unlink(missing_ok=True)

    def range_headers(self) -> dict[str, str]:
        """Header fields that ask for the rest; a part of an unknown version is thrown away."""
        state = self._state()
        if state is None or not self.path.exists():
            self.forget()
            return {}
        return {"Range": f"bytes={self.path.stat().st_size}-", "If-Range": state.validator}

    def _state(self) -> _State | None:
        try:
            return _State(**json.loads(self._state_path.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    def receive(self, response: requests.Response) -> None:
        """Write the answer's body, after what is there if the server continues it, else from the start."""
        here = self.path.stat().st_size if self.path.exists() else 0
        if response.status_code == 416 or (response.status_code == 206 and not _continues(response, here)):
            self.forget()
            raise _FailedError("the server does not continue the file where it was left")
        if response.status_code == 200:
            here = 0
            self._remember(response)
        expected = response.headers.get("Content-Length")
        received = 0
        with self.path.open("r+b" if here else "wb") as file:
            file.seek(here)
            for piece in response.iter_content(_PIECE):
                file.write(piece)
                received += len(piece)
        if expected is not None and received != int(expected):
            raise _FailedError(f"{received} bytes of {expected}")

    def _remember(self, response: requests.Response) -> None:
        etag = response.headers.get("ETag", "")
        validator = etag if etag.startswith('"') else response.headers.get("Last-Modified", "")
        self._state_path.unlink(missing_ok=True)
        if validator:
            write_json(self._state_path, asdict(_State(validator)))


def _continues(response: requests.Response, here: int) -> bool:
    return response.headers.get("Content-Range", "").startswith(f"bytes {here}-")
