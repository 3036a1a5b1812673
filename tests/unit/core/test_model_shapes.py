"""Shapes of models, their parameters, and how they are written."""

import pytest

from modtok.core.errors import ConfigError
from modtok.core.model_shapes import ModelShape, find_shape, packaged_shapes, parse_shape

PAPER = ModelShape(3072, 22, 24, 24, 8192, 4096)


def test_parameters_are_those_of_the_matrices_one_by_one() -> None:
    shape = ModelShape(width=24, layers=3, heads=4, kv_heads=2, hidden=40, context=16)
    attention = 24 * 24 + 24 * 12 + 24 * 12 + 24 * 24
    feed_forward = 24 * 40 + 24 * 40 + 40 * 24
    assert shape.matrix_parameters == 3 * (attention + feed_forward)
    assert shape.body_parameters == 3 * (attention + feed_forward + 2 * 24) + 24
    assert shape.parameters(7, tied=True) == shape.body_parameters + 7 * 24
    assert shape.parameters(7, tied=False) == shape.body_parameters + 2 * 7 * 24


def test_the_papers_model_has_twelve_squared_widths_a_layer() -> None:
    assert PAPER.matrix_parameters == 12 * 3072**2 * 22
    assert PAPER.body_parameters == PAPER.matrix_parameters + 45 * 3072
    assert PAPER.parameters(256_000, tied=False) == 4_064_418_816
    assert find_shape("2.5B") == ("2.5B", PAPER)


def test_every_model_of_the_table_is_what_its_width_alone_makes_of_it() -> None:
    for name, shape in packaged_shapes().items():
        assert parse_shape(f"d={shape.width},layers={shape.layers}", name) == shape
        assert shape.body_parameters == pytest.approx(12 * shape.width**2 * shape.layers, rel=0.003)
        nominal = float(name.removesuffix("B")) * 1e9
        of_a_layer = shape.matrix_parameters / shape.layers
        assert abs(shape.body_parameters - nominal) <= of_a_layer / 2 + 3 * shape.width * shape.layers


def test_what_is_named_comes_before_defaults() -> None:
    assert parse_shape("width=1024,layers=12,kv_heads=2,context=99", "m") == ModelShape(
        1024, 12, 8, 2, 2752, 99
    )
    assert parse_shape("d=64,layers=1", "m").heads == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("3B", "no model '3B' in models.tsv; name one of 0.5B, .*, or write it out: d=3072,layers=22"),
        ("d=64", "give d and layers"),
        ("d=64,layers=two", "layers needs a whole number"),
        ("d=64,layers=", "layers needs a whole number"),
        ("d=64,layers=2,depth=3", "no 'depth' in the shape of a model; it knows width, layers"),
        ("d=64,layers=0", "layers is 0; give 1 to 10,000,000"),
        ("d=64,layers=2,heads=3", "width 64 is no multiple of heads 3"),
        ("d=64,layers=2,heads=4,kv_heads=3", "heads 4 is no multiple of kv_heads 3"),
    ],
)  # fmt: skip
def test_what_is_no_shape_is_told_how_to_become_one(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        find_shape(text)
