"""Fixtures of all tests."""

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def repository() -> Path:
    return REPOSITORY


@pytest.fixture(scope="session")
def real_data() -> Path:
    """A folder of real data for extra checks, named by MODTOK_DATA; the tests that use it skip without it."""
    folder = Path(os.environ.get("MODTOK_DATA", REPOSITORY / "absent"))
    if not folder.is_dir():
        pytest.skip("set MODTOK_DATA to a folder of real data to run this")
    return folder
