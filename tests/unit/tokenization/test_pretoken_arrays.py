"""The vectorised cuts are those of the pattern."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modtok.core.text_blocks import block_of
from modtok.tokenization.pretoken_arrays import pretokens
from modtok.tokenization.pretokenization import WHITE_SPACE, split

# All white space, what shares first bytes with it, and what Python alone calls white space.
CHARACTERS = (
    *WHITE_SPACE,
    *"\x1c\x1f\x84\xa1\u1681\u180e\u200b\u2027\u2030\u2060\u3001\ufeff a–あé\U0001f600",
)
text_lists = st.lists(
    st.one_of(
        st.text(st.characters(exclude_categories=["Cs"])), st.lists(st.sampled_from(CHARACTERS)).map("".join)
    )
)


@settings(max_examples=500)
@given(text_lists)
def test_pretokens_equal_the_pattern(texts: list[str]) -> None:
    words = pretokens(block_of(texts))
    words.validate(full=True)
    assert words.to_pylist() == [word for text in texts for word in split(text, "whitespace")]


@pytest.mark.parametrize(
    "texts", [[], [""], ["", ""], [" "], ["", "a", "", " "], ["a ", " b"], ["a\n", "\nb"]]
)
def test_no_pretoken_spans_two_texts(texts: list[str]) -> None:
    assert pretokens(block_of(texts)).to_pylist() == [
        word for text in texts for word in split(text, "whitespace")
    ]


def test_a_word_of_a_megabyte_is_one_pretoken() -> None:
    assert pretokens(block_of(["x" * 1_000_000])).to_pylist() == ["x" * 1_000_000]
