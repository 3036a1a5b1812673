"""Scripts of tokens: strict UTF-8, Unicode's property, names as Unicode has them."""

import sys
import unicodedata

import pytest
import regex

from modtok.core.errors import ConfigError
from modtok.surgery.scripts import ScriptTable, check_names, rows_by_script, scripts_by_token


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


def test_every_letter_of_unicode_has_a_script_that_is_known_or_is_common():
    """A script that the list lacked would never be deleted, nor kept."""
    letters = [chr(code) for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code))[0] == "L"]
    table = ScriptTable(letters)
    without = "".join(letter for letter in letters if not table.of(letter))
    assert regex.sub(r"[\p{Script=Common}\p{Script=Inherited}]", "", without) == ""


def test_letters_in_use_have_their_scripts():
    letters = {
        "Latin": "đ", "Cyrillic": "ї", "Greek": "ή", "Georgian": "ქ", "Telugu": "గ", "Thai": "ภ",
        "Han": "漢", "Hangul": "한", "Arabic": "ع", "Hebrew": "ש", "Hiragana": "ひ", "Katakana": "カ",
    }  # fmt: skip
    found = scripts_by_token(dict(enumerate(letter.encode() for letter in letters.values())))
    assert list(found.values()) == [{name} for name in letters]
