"""exit_on_user_error, run as a program: only a real process has an exit code, a broken pipe, a traceback."""

import os
import signal
import subprocess
import sys

import pytest

from modtok.core.errors import ConfigError, DataError, UserError, require

PRELUDE = "import sys\nfrom pathlib import Path\nfrom modtok.core.errors import *\n"


def run(body: str, command: str = '"$@"') -> subprocess.CompletedProcess[str]:
    """Run `body` as a program; `command` is the shell line around it."""
    program = f"{PRELUDE}def main():\n    {body}\nexit_on_user_error(main)\n"
    shell = ["bash", "-c", command, "bash", sys.executable, "-c", program]
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    return subprocess.run(shell, capture_output=True, text=True, timeout=60, env=buffered)


def test_a_program_without_fault_exits_0_and_says_nothing_of_its_own():
    done = run("print('result')")
    assert (done.returncode, done.stdout, done.stderr) == (0, "result\n", "")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("raise UserError('what, where, what to do')", "error: what, where, what to do\n"),
        ("raise DataError('a message\\nof two lines')", "error: a message of two lines\n"),
        ("raise DataError('not \\ud800 encodable')", "error: not \\ud800 encodable\n"),
        ("Path('/absent/file').read_text()", "error: /absent/file: No such file or directory\n"),
        ("Path('/').read_bytes()", "error: /: Is a directory\n"),
        ("raise OSError('of a library, no errno')", "error: file system: of a library, no errno\n"),
        ("raise BrokenPipeError(32, 'Broken pipe')", "error: file system: Broken pipe\n"),
    ],
)  # fmt: skip
def test_a_user_error_is_one_line_and_exit_code_1(body, message):
    done = run(body)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", message)


def test_a_warning_is_one_line_and_no_error():
    done = run("import warnings; warnings.warn('what\\nof two lines, but it goes on')")
    assert (done.returncode, done.stderr) == (0, "warning: what of two lines, but it goes on\n")


def test_our_own_fault_keeps_its_traceback():
    done = run("assert False, 'an invariant'")
    assert done.returncode == 1
    assert "Traceback" in done.stderr


def test_usage_keeps_its_exit_code():
    assert run("raise SystemExit(2)").returncode == 2


@pytest.mark.parametrize(
    "body",
    [
        "print('a line\\n' * 100_000)",
        "[print('a line') for _ in range(100_000)]",
        "sys.stdout.buffer.write(b'x' * 10**7)",
    ],
)
def test_a_reader_that_stops_early_is_no_error_worth_a_word(body):
    done = run(body, command='"$@" | head -c 1 >/dev/null; exit ${PIPESTATUS[0]}')
    assert (done.returncode, done.stderr) == (1, "")


def test_output_that_only_fails_at_the_last_flush_is_quiet_too():
    done = run("import time; time.sleep(0.3); print('short')", command='"$@" | true; exit ${PIPESTATUS[0]}')
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize("size", [1, 10**6])
def test_output_on_a_full_disk_is_an_error(size):
    done = run(f"print('x' * {size})", command='"$@" >/dev/full')
    assert (done.returncode, done.stderr) == (1, "error: standard output: No space left on device\n")


@pytest.mark.parametrize("text", ["b'x'.decode(), '\\udcff.parquet'", "'\\ud800'"])
def test_what_cannot_be_encoded_is_printed_as_an_escape(text):
    done = run(f"print({text})")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\ud" in done.stdout


def test_a_closed_standard_output_is_an_error():
    done = run("print('lost')", command='"$@" >&-')
    assert (done.returncode, done.stderr) == (
        1, "error: standard output: it is closed; send it to a file, or to /dev/null\n"
    )  # fmt: skip


def test_a_closed_standard_error_loses_what_is_said_there():
    done = run("print('result'); raise UserError('lost')", command='"$@" 2>&-')
    assert (done.returncode, done.stdout, done.stderr) == (1, "result\n", "")


def test_an_interrupt_exits_130_without_traceback():
    # A shell starts background jobs, such as this test in some CI, with SIGINT ignored.
    heard = "import signal, time; signal.signal(signal.SIGINT, signal.default_int_handler)"
    body = f"{heard}; print('ready', flush=True); time.sleep(60)"
    program = [sys.executable, "-c", f"{PRELUDE}def main():\n    {body}\nexit_on_user_error(main)"]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"ready\n"
        os.kill(process.pid, signal.SIGINT)
        _, stderr = process.communicate(timeout=60)
    assert (process.returncode, stderr) == (130, b"")


def test_require_raises_the_error_asked_for():
    require(True, "not raised")
    with pytest.raises(DataError, match=r"^the message$"):
        require(False, "the message")
    with pytest.raises(ConfigError):
        require(False, "the message", ConfigError)
    assert issubclass(ConfigError, UserError) and issubclass(DataError, UserError)
