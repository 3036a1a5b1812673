import pytest
import yaml

from modtok.core.errors import ConfigError, DataError
from modtok.core.languages import Language, read_languages, select

HEADER = "code\tname\tscript\tflores\tlid_labels\tiso639_3\n"
LOW_RESOURCE = ["hr", "ne", "si", "so", "sw", "te"]


@pytest.fixture
def table(tmp_path):
    def write(text, name="languages.tsv"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    return write


def test_the_projects_table_has_every_language_of_the_papers(repository):
    languages = read_languages(repository / "config" / "languages.tsv")
    paper = yaml.safe_load((repository / "config" / "config.yaml").read_text())["languages"]
    chosen = select(languages, [*paper, *LOW_RESOURCE, "uk", "ru"])
    assert [language.code for language in chosen] == [*paper, *LOW_RESOURCE, "uk", "ru"]
    assert len({language.flores for language in chosen}) == len(chosen)


def test_labels_are_split_at_commas(table):
    languages = read_languages(table(HEADER + "hr\tCroatian\tLatn\thrv_Latn\thr,sh\thrv\n"))
    assert languages == {"hr": Language("hr", "Croatian", "Latn", "hrv_Latn", ("hr", "sh"), "hrv")}


def test_a_later_table_replaces_rows_of_an_earlier_one(table):
    base = table(HEADER + "hr\tCroatian\tLatn\thrv_Latn\thr\thrv\nbg\tBulgarian\tCyrl\tbul_Cyrl\tbg\tbul\n")
    extra = table(HEADER + "hr\tCroatian\tLatn\t\tsh\thrv\n", "extra.tsv")
    languages = read_languages(base, extra)
    assert (languages["hr"].lid_labels, languages["bg"].lid_labels) == (("sh",), ("bg",))


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("code\tname\nbg\tBulgarian\n", ConfigError, "columns must be"),
        (HEADER + "\tNo code\tLatn\t\txx\txxx\n", ConfigError, "without code or lid_labels"),
        (HEADER + "xx\tNo label\tLatn\t\t\txxx\n", ConfigError, "without code or lid_labels"),
        (HEADER + "xx\ttoo few cells\n", DataError, "line 2: 2 cells for 6 columns"),
        (HEADER + "xx\tA\tLatn\t\txx\txxx\nxx\tB\tLatn\t\txx\txxx\n", ConfigError, "two rows for 'xx'"),
    ],
)
def test_a_broken_table_is_named(table, text, error, message):
    with pytest.raises(error, match=message):
        read_languages(table(text))


def test_a_code_without_a_row_is_named():
    with pytest.raises(ConfigError, match="no language 'xx'"):
        select({}, ["xx"])
