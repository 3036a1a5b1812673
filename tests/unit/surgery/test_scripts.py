"""Scripts of tokens: strict UTF-8, Unicode's property, names as Unicode has them."""

import pytest
import regex

from modtok.core.errors import ConfigError
from modtok.surgery.scripts import NAMES, check_names, rows_by_script, scripts_by_token


def test_a_token_has_the_scripts_of_its_characters():
    tokens = dict(enumerate([b" a1", "жa".encode(), "漢ひ".encode(), b"12 !", "ж".encode()[:1], b""]))
    assert scripts_by_token(tokens) == {0: {"Latin"}, 1: {"Cyrillic", "Latin"}, 2: {"Han", "Hiragana"}}


def test_common_and_inherited_characters_are_of_no_script():
    assert scripts_by_token({1: "\u0301".encode(), 2: "…".encode(), 3: "e\u0301".encode()}) == {3: {"Latin"}}


def test_rows_are_counted_by_script_the_most_first():
    scripts = {
        1: frozenset({"Thai"}),
        2: frozenset({"Latin"}),
        3: frozenset({"Thai"}),
        4: frozenset({"Han", "Latin"}),
    }
    assert rows_by_script(scripts) == {"Thai": 2, "Han+Latin": 1, "Latin": 1}
    assert rows_by_script(scripts, [3, 9]) == {"Thai": 1}


def test_names_are_unicodes_whatever_their_case():
    assert check_names("--delete-scripts", ["thai", "Old_Italic"]) == ("Thai", "Old_Italic")


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["Cyrilic"], "did you mean one of .*Cyrillic"),
        (["Common"], "no such script"),
        (["Thai", "thai"], "twice"),
    ],
)
def test_wrong_names_are_refused(names, said):
    with pytest.raises(ConfigError, match=said):
        check_names("--target-script", names)


def test_the_installed_library_knows_the_scripts_in_use():
    for name in (
        "Latin",
        "Cyrillic",
        "Greek",
        "Georgian",
        "Telugu",
        "Thai",
        "Han",
        "Hangul",
        "Arabic",
        "Hebrew",
    ):
        assert name in NAMES
        assert regex.compile(rf"\p{{Script={name}}}")
