import pytest
from hypothesis import given
from hypothesis import strategies as st

from modtok.core.errors import ConfigError
from modtok.corpus.ledger import Ledger
from modtok.corpus.mixture import Size, mixture, sizes_of, write_mixture

SIZES = {"en": Size(9, 900), "fi": Size(1, 300), "fr": Size(1, 100)}


def test_a_given_share_stands_and_the_rest_goes_by_bytes():
    assert mixture(SIZES, {"en": 0.6}) == pytest.approx({"en": 0.6, "fi": 0.3, "fr": 0.1})


def test_without_given_shares_all_go_by_bytes():
    assert mixture(SIZES, {}) == pytest.approx({"en": 9 / 13, "fi": 3 / 13, "fr": 1 / 13})


def test_shares_for_every_language_are_scaled_to_one():
    assert mixture(SIZES, {"en": 0.5, "fr": 0.25, "fi": 0.25}) == {"en": 0.5, "fi": 0.25, "fr": 0.25}
    assert mixture(SIZES, {"en": 0.4, "fr": 0.2, "fi": 0.2}) == pytest.approx(
        {"en": 0.5, "fi": 0.25, "fr": 0.25}
    )
    assert mixture({"en": Size(9, 900)}, {"en": 0.7}) == {"en": 1.0}


def test_where_the_other_languages_have_no_text_the_given_shares_are_scaled_to_one():
    sizes = {"en": Size(9, 900), "fi": Size(3, 300), "te": Size(0, 0)}
    assert mixture(sizes, {"en": 0.6, "fi": 0.2}) == pytest.approx({"en": 0.75, "fi": 0.25, "te": 0})


@pytest.mark.parametrize(
    ("shares", "listed"), [({}, "en without text, te without text"), ({"te": 0}, "te 0, en without text")]
)
def test_no_text_of_any_language_with_a_share_is_an_error(shares, listed):
    with pytest.raises(ConfigError, match=rf"the shares of all languages are 0 \({listed}\); raise one or"):
        mixture({"en": Size(0, 0), "te": Size(0, 0)}, shares)


@given(
    sizes=st.dictionaries(st.text("abcdef", min_size=2, max_size=2), st.integers(1, 2**50), min_size=2),
    share=st.floats(0, 1),
)
def test_shares_add_up_to_one(sizes, share):
    first = next(iter(sizes))
    shares = mixture({lang: Size(1, size) for lang, size in sizes.items()}, {first: share})
    assert list(shares) == list(sizes)
    assert shares[first] == share
    assert sum(shares.values()) == pytest.approx(1)


@pytest.mark.parametrize(
    ("given_shares", "message"),
    [
        ({"xx": 0.5}, "'xx' is not in `languages`"),
        ({"en": 1.5}, "the share of 'en' is 1.5"),
        ({"en": -0.1}, "the share of 'en' is -0.1"),
        ({"en": float("nan")}, "the share of 'en' is nan"),
        ({"en": 0.7, "fi": 0.4}, r"shares exceed 1 \(en 0.7, fi 0.4\)"),
        ({"en": 0, "fi": 0, "fr": 0}, "the shares of all languages are 0"),
    ],
)
def test_impossible_shares_are_errors(given_shares, message):
    with pytest.raises(ConfigError, match=f"corpus.mixture: {message}"):
        mixture(SIZES, given_shares)


def test_sizes_are_what_the_quality_filter_kept(tmp_path):
    ledger = Ledger()
    ledger.add("quality", "fi", "kept", records=2, size_bytes=30)
    ledger.add("quality", "fi", "low_quality", records=5, size_bytes=70)
    sizes = sizes_of(ledger, ["fi"])
    assert sizes == {"fi": Size(2, 30)}
    write_mixture(tmp_path / "mixture.tsv", sizes, mixture(sizes, {}))
    assert (tmp_path / "mixture.tsv").read_text() == "lang\tshare\tdocuments\tbytes\nfi\t1.0\t2\t30\n"
