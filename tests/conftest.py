"""Fixtures of all tests."""

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]
# Tests run beside each other, and torch's threads wait by spinning: more of them than cores would all crawl.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# No test asks a hub for anything; these are read when the libraries are loaded.
os.environ |= {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "TQDM_DISABLE": "1"}


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
