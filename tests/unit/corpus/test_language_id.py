import pytest
from hypothesis import given
from hypothesis import strategies as st

from modtok.core.errors import ConfigError
from modtok.corpus.language_id import Identifier, Recall, check_recall, measure_recall

FRENCH = ["Le temps change vite dans les montagnes.", "Les bergers le savent très bien depuis longtemps."]
FINNISH = "Sää muuttuu vuorilla nopeasti, ja paimenet tietävät sen hyvin."


@pytest.fixture(scope="module")
def identifier():
    return Identifier()


def test_a_language_is_named_with_a_score(identifier):
    label, score = identifier.identify(FINNISH)
    assert label == "fi"
    assert 0.5 < score <= 1


def test_line_ends_and_nul_do_not_reach_the_model(identifier):
    assert identifier.identify("\n".join(FRENCH) + "\x00\n")[0] == "fr"


def test_a_text_without_letters_has_no_language(identifier):
    assert identifier.identify_all(["", " \n\x00", FINNISH])[:2] == [("", 0.0), ("", 0.0)]


@given(st.text())
def test_any_text_is_answered(identifier, text):
    label, score = identifier.identify(text)
    assert 0 <= score <= 1
    assert bool(label) or score == 0


def test_a_file_that_is_no_model_is_named(tmp_path):
    path = tmp_path / "lid.bin"
    path.write_bytes(b"no model")
    with pytest.raises(ConfigError, match=r"lid\.bin: no fastText model .* corpus\.language_id\.model"):
        Identifier(path)


def test_recall_counts_the_lines_with_one_of_the_labels(identifier):
    recall = measure_recall(identifier, "fr", "set", [*FRENCH, FINNISH, "", FINNISH], ["fr", "oc"])
    assert recall == Recall("fr", "set", 4, 0.5, "fi 0.500")


def test_labels_may_be_mapped(identifier):
    assert measure_recall(identifier, "xx", "set", [*FRENCH, FINNISH], ["fr", "fi"]).recall == 1


def test_below_the_floor_the_error_names_language_recall_and_remedies():
    with pytest.raises(ConfigError) as raised:
        check_recall([Recall("so", "flores", 1000, 0.087, "en 0.600")], floor=0.5)
    message = str(raised.value)
    assert "'so'" in message
    assert "8.7%" in message
    for key in ("model", "labels.so", "floor.so"):
        assert f"corpus.language_id.{key}" in message


def test_at_the_floor_all_is_well():
    check_recall([Recall("fi", "flores", 1000, 0.5, "")], floor=0.5)
