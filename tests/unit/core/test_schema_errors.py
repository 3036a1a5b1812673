"""What a schema finds wrong, in the words of a config."""

import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from modtok.core.schema_errors import in_words, shortened

NAME = {"type": "string", "pattern": "^[a-z]+$", "description": "a name of small letters"}
SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["seed"],
    "properties": {
        "seed": {"type": "integer", "minimum": 0},
        "names": {"type": "array", "minItems": 1, "uniqueItems": True, "items": NAME},
        "rate": {"type": ["number", "null"]},
        "share": {"type": "number"},
        "rows": {"enum": ["lazy", None, 0, 1]},
        "pairs": {
            "anyOf": [{"const": "all"}, {"type": "integer"}],
            "description": "a whole number, or `all`",
        },
        "shapes": {
            "anyOf": [
                {"type": "string", "minLength": 1},
                {"type": "object", "minProperties": 1, "additionalProperties": {"type": "string"}},
            ],
            "description": "a name, or {name: shape}",
        },
        "entry": {
            "type": "object",
            "additionalProperties": False,
            "oneOf": [{"required": ["file"]}, {"required": ["url"], "maxProperties": 1}],
            "properties": {"file": {"type": "string"}, "url": {"type": "string"}},
            "description": "{file: path} or {url: address}",
        },
    },
}


def said(**config):
    error = best_match(Draft202012Validator(SCHEMA).iter_errors({"seed": 1} | config))
    assert error is not None
    return in_words(error)


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"sead": 2}, "no key 'sead'; did you mean 'seed'?"),
        ({"x": 2}, "no key 'x'; it knows seed, names, rate, share, rows, pairs, shapes, entry"),
        ({"names": []}, "it is empty; name one at least"),
        ({"names": "en"}, "'en' should be a list"),
        ({"names": None}, "null should be a list"),
        ({"names": ["en", "fi", "en"]}, "it names 'en' twice; leave one out"),
        ({"names": ["EN"]}, "'EN' should be a name of small letters"),
        ({"names": [False]}, "false should be text; put no, yes, on or off in quotes"),
        ({"rate": "high"}, "'high' should be a number or null"),
        ({"share": "3e-4"}, "'3e-4' should be a number; write it without quotes, and with a point: 3.0e-4"),
        ({"seed": "3e4"}, "'3e4' should be a whole number; write it without quotes, in digits alone: 3000"),
        ({"seed": 1.5}, "1.5 should be a whole number"),
        ({"rows": "all"}, "'all' is none of lazy, null, 0, 1"),
        ({"rows": True}, "true is none of lazy, null, 0, 1"),
        ({"pairs": 0.5}, "0.5 should be a whole number, or `all`"),
        ({"pairs": True}, "true should be a whole number, or `all`"),
        ({"shapes": 3}, "3 should be a name, or {name: shape}"),
        ({"shapes": ""}, "'' should be a name, or {name: shape}"),
        ({"shapes": {}}, "{} should be a name, or {name: shape}"),
        ({"shapes": {"a": 3}}, "3 should be text"),  # what is wrong lies in one of the forms
        ({"entry": "a.gz"}, "'a.gz' should be {file: path} or {url: address}"),
        ({"entry": {}}, "{} should be {file: path} or {url: address}"),
        ({"entry": {"fiel": "a"}}, "no key 'fiel'; did you mean 'file'?"),
        ({"seed": -1}, "-1 is less than the minimum of 0"),
    ],
)
def test_what_is_wrong_is_said_as_a_person_would(config, words) -> None:
    assert said(**config) == words


def test_a_key_that_is_needed_is_named() -> None:
    assert in_words(best_match(Draft202012Validator(SCHEMA).iter_errors({}))) == "it needs a key 'seed'"


def test_a_long_value_is_shortened() -> None:
    assert (
        shortened({"languages": ["en"] * 99})
        == "{'languages': ['en', 'en', 'en', 'en', 'en', 'en', 'en', 'e…"
    )
    assert len(said(names={"en": list(range(99))})) < 100
