"""The linked training loop: its name follows its sources, and there is a way without a compiler."""

import pytest

from modtok.tokenization import native_loop


@pytest.fixture
def no_library_yet(monkeypatch, tmp_path):
    """A cache folder of its own, as on a machine where nothing was trained before."""
    monkeypatch.setattr(native_loop, "_folder", lambda: tmp_path)
    native_loop.load_loop.cache_clear()
    yield tmp_path
    native_loop.load_loop.cache_clear()


def test_without_a_compiler_numba_compiles_in_the_process(no_library_yet, monkeypatch):
    monkeypatch.setattr(native_loop.shutil, "which", lambda name: None)
    assert native_loop.load_loop() == native_loop.jit_loop()
    assert list(no_library_yet.iterdir()) == []


def test_a_build_that_fails_is_said_and_numba_compiles_in_the_process(no_library_yet, monkeypatch, caplog):
    monkeypatch.setattr(native_loop.sys, "executable", "false")
    assert native_loop.load_loop() == native_loop.jit_loop()
    assert "could not link the training loop" in caplog.text


@pytest.mark.slow
def test_the_library_is_made_once_and_then_found(no_library_yet, monkeypatch):
    assert native_loop.load_loop() != native_loop.jit_loop()
    made = [path.name for path in no_library_yet.iterdir()]
    assert len(made) == 1
    native_loop.load_loop.cache_clear()
    monkeypatch.setattr(native_loop, "_build", lambda library: pytest.fail("built again"))
    native_loop.load_loop()
