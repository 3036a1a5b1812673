import argparse
from pathlib import Path

import pytest

from modtok.core.options import named, named_path


def test_the_first_equals_sign_ends_the_name():
    assert named("shares=a=b") == ("shares", "a=b")
    assert named_path("flores200=data/flores") == ("flores200", Path("data/flores"))


@pytest.mark.parametrize("text", ["", "name", "=value", "name="])
def test_a_pair_without_one_of_its_parts_is_an_error(text):
    with pytest.raises(argparse.ArgumentTypeError, match=f"'{text}' is not NAME=VALUE"):
        named(text)
