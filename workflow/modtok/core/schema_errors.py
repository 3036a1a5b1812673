"""What a JSON schema finds wrong, in the words of a config: lists and mappings, not arrays and objects.

A schema says by its `description` what a value should be, where a pattern or a choice of forms would not. Of
such a choice all forms are named, unless what is wrong lies deeper in one of them.
"""

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Protocol

TYPES = {
    "array": "a list",
    "object": "a mapping of keys",
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}
_NUMBER = r"[+-]?[0-9.]+(e[+-]?[0-9]+)?"


class SchemaError(Protocol):
    """What is read of jsonschema's ValidationError."""

    message: str
    validator: str
    "the keyword that failed: type, enum …"
    validator_value: Any
    instance: Any
    schema: Mapping[str, Any]
    relative_path: Sequence[Any]
    "from the value of `parent` to this one"
    parent: "SchemaError | None"
    "of an error in one of several forms: that none fits"


def in_words(error: SchemaError) -> str:
    """What is wrong at the place of an error, and what should be there.

    in_words(best_match(Draft202012Validator({"type": "array"}).iter_errors("en"))) -> "'en' should be a list"
    """
    while error.parent is not None and not error.relative_path:
        error = error.parent
    value = shortened(error.instance)
    match error.validator:
        case "additionalProperties":
            return _strange_key(error.instance, error.schema.get("properties", {}))
        case "type" if not error.schema.keys() & {"anyOf", "oneOf"}:
            return f"{value} should be {_types(error.validator_value)}{_misread(error)}"
        case "enum":
            return f"{value} is none of {', '.join(map(_name, error.validator_value))}"
        case "required":
            return (
                f"it needs a key '{next(key for key in error.validator_value if key not in error.instance)}'"
            )
        case "minItems" | "minProperties":
            return "it is empty; name one at least"
        case "uniqueItems":
            return f"it names {_twice(error.instance)} twice; leave one out"
        case "type" | "pattern" | "anyOf" | "oneOf" if "description" in error.schema:
            return f"{value} should be {error.schema['description']}"
        case _:
            return error.message


def shortened(value: Any) -> str:
    """A value as YAML would have it, no longer than a line needs. shortened(["a"] * 50) -> "['a', 'a', …" """
    text = repr(value) if isinstance(value, str) else _name(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def _name(value: Any) -> str:
    """How YAML spells a value; True is 1 to Python."""
    return {"None": "null", "True": "true", "False": "false"}.get(str(value), str(value))


def _types(wanted: str | list[str]) -> str:
    return " or ".join(TYPES[name] for name in ([wanted] if isinstance(wanted, str) else wanted))


def _misread(error: SchemaError) -> str:
    """The remedy for what YAML reads otherwise than people do: 3e-4 as text, no and on as false and true."""
    if error.validator_value == "string" and isinstance(error.instance, bool):
        return "; put no, yes, on or off in quotes"
    if isinstance(error.instance, str) and re.fullmatch(_NUMBER, error.instance):
        if error.validator_value == "number":
            return "; write it without quotes, and with a point: 3.0e-4"
        if error.validator_value == "integer":
            return "; write it without quotes, in digits alone: 3000"
    return ""


def _strange_key(section: Mapping[str, Any], known: Mapping[str, Any]) -> str:
    strange = next(key for key in section if key not in known)
    close = get_close_matches(str(strange), known, 1)
    remedy = f"did you mean '{close[0]}'?" if close else f"it knows {', '.join(known)}"
    return f"no key '{strange}'; {remedy}"


def _twice(values: list[Any]) -> str:
    return shortened(next(value for place, value in enumerate(values) if value in values[:place]))
