"""Errors that speak to the user: what is wrong, where, and what to do, in one line.

The command line and the steps print the message and exit with code 1; anything else is our own fault and keeps
its traceback. Asserts are for invariants of this code, never for input.
"""

import sys
from collections.abc import Callable


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


def exit_on_user_error(program: Callable[[], None]) -> None:
    """Run a program; the errors a user can mend end it with one line on stderr and exit code 1.

    OSError is among them: a missing file, a full disk and a read-only folder are the user's to mend.
    """
    try:
        program()
    except UserError as error:
        _fail(str(error))
    except OSError as error:
        _fail(f"{error.filename or 'file system'}: {error.strerror or error}")


def _fail(message: str) -> None:
    print(f"error: {' '.join(message.split())}", file=sys.stderr)
    raise SystemExit(1)
