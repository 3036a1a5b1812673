"""Errors that speak to the user: what is wrong, where, and what to do, in one line.

The command line and the steps print the message and exit with code 1; anything else is our own fault and
keeps its traceback. Asserts are for invariants of this code, never for input.
"""

import errno
import os
import select
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from typing import NoReturn

# Numbers of the errors of a disk, or a share of it, that is full.
DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class UserError(Exception):
    """The input or the data is at fault; the message is one line for the user."""


class ConfigError(UserError):
    """A setting, a table or a command's option is at fault."""


class DataError(UserError):
    """A file's content is at fault."""


def require(condition: bool, message: str, error: type[UserError] = DataError) -> None:
    """Raise `error` with `message` unless `condition` holds."""
    if not condition:
        raise error(message)


@contextmanager
def about(subject: str) -> Iterator[None]:
    """Put what it is about before the message of an error. `with about("language 'fi'"): …`"""
    try:
        yield
    except UserError as error:
        raise type(error)(f"{subject}: {error}") from error


def exit_on_user_error(program: Callable[[], None]) -> None:
    """Run a program; the errors a user can mend end it with one line on stderr and exit code 1.

    Warnings are one line on stderr as well, without the place in our code that says them.
    OSError is among them: a missing file, a full disk and a read-only folder are the user's to mend. A reader
    of our output that has gone (`| head`) ends it with code 1 and no word, Ctrl-C with code 130. What cannot
    be encoded on standard output, such as a file's name that is no UTF-8, is printed as an escape.
    """
    if sys.stderr is None:  # closed: what is said there is lost
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    if sys.stdout is None:
        _fail("standard output: it is closed; send it to a file, or to /dev/null")
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    warnings.formatwarning = lambda message, *_, **__: f"warning: {_one_line(message)}\n"
    try:
        program()
        sys.stdout.flush()  # what is still buffered may fail to be written as well
    except UserError as error:
        _fail(str(error))
    except OSError as error:
        if isinstance(error, BrokenPipeError) and _reader_has_gone():
            _leave(1)
        _fail(f"{error.filename or _nameless(error)}: {error.strerror or error}")
    except KeyboardInterrupt:
        _leave(130)


def _reader_has_gone() -> bool:
    """Whether standard output is a pipe that nobody reads; if not, it was another pipe that broke."""
    poll = select.poll()
    poll.register(1, 0)
    return any(event & select.POLLERR for _, event in poll.poll(0))


def _nameless(error: OSError) -> str:
    """What an error without a file's name is about: full disks have one where core.io writes a file."""
    return "standard output" if error.errno in DISK_FULL else "file system"


def _fail(message: str) -> NoReturn:
    print(f"error: {_one_line(message)}", file=sys.stderr)
    _leave(1)


def _one_line(message: object) -> str:
    return " ".join(str(message).split())


def _leave(code: int) -> NoReturn:
    """Exit; what cannot be written to standard output is let go, else Python would report it once more."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    raise SystemExit(code)
