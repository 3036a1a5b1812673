"""A modular tokenizer of three languages in two scripts, and models of random weights over it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from modtok.core.model_shapes import ModelShape
from modtok.modelling.architecture import Architecture
from modtok.modelling.batches import Subtokenizers
from modtok.modelling.checkpoint import Model, read_model
from modtok.tokenization.bpe_training import Settings
from small_models import SHARP, draw_model, write_drawn
from small_tokenizers import train_sequential


@pytest.fixture(scope="session")
def modular(tmp_path_factory) -> Subtokenizers:
    """Of English, Finnish and Greek."""
    folder = tmp_path_factory.mktemp("modular")
    return Subtokenizers(train_sequential(folder, ("en", "fi", "el"), Settings(500), "characters"))


@pytest.fixture(scope="session")
def joint(modular, tmp_path_factory) -> Subtokenizers:
    """The same tokenizer without its languages."""
    folder = tmp_path_factory.mktemp("joint")
    (folder / "tokenizer.json").write_bytes((modular.folder / "tokenizer.json").read_bytes())
    return Subtokenizers(folder)


@pytest.fixture(scope="session")
def random_model(modular) -> Callable[[int, int], Model]:
    """Makes a model of a context and a seed, sharp enough to prefer some tokens."""

    def make(context: int, seed: int) -> Model:
        architecture = Architecture(ModelShape(16, 2, 2, 1, 24, context), modular.size, tied=False)
        return draw_model(architecture, seed, SHARP, {"settings": {"tokens": 500}})

    return make


CHOOSING = ("en", "fi")
CHOOSING_CONTEXT = 160


@pytest.fixture(scope="session")
def choosing_folder(tmp_path_factory) -> Path:
    """A folder with `tokenizer` and `model`, sharp enough to prefer some choices."""
    folder = tmp_path_factory.mktemp("choosing")
    size = Subtokenizers(train_sequential(folder / "tokenizer", CHOOSING, Settings(400))).size
    architecture = Architecture(ModelShape(16, 2, 2, 1, 24, CHOOSING_CONTEXT), size, tied=False)
    write_drawn(folder / "model", architecture, 7, SHARP, {"settings": {"tokens": 500}})
    return folder


@pytest.fixture(scope="session")
def choosing(choosing_folder) -> tuple[Model, Subtokenizers]:
    """What the folder holds."""
    return read_model(choosing_folder / "model"), Subtokenizers(choosing_folder / "tokenizer")
