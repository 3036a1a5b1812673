"""Answers come back from their file as they were, group by group."""

import numpy as np
import pyarrow.parquet as pq
import pytest

from modtok.core.errors import DataError
from modtok.evaluation.answers import LIKELIHOOD, ROUTING, Answers, read_answers, write_answers


def likelihood(lang: str, inference: str, *nats: float, chosen: str = "") -> Answers:
    of = {"dataset": "set", "lang": lang, "inference": inference, "chosen": chosen, "size": 900}
    lines = len(nats)
    whole = dict.fromkeys(("line", "bytes", "bytes_continued", "tokens"), np.arange(lines))
    outside = {"outside": np.full(lines, np.nan)} if inference == "full" else {}
    return Answers(of, whole | outside | {"nats": np.array(nats), "nats_continued": np.full(lines, 0.1)})


def same(one: Answers, other: Answers) -> bool:
    return (one.of, set(one.values)) == (other.of, set(other.values)) and all(
        np.array_equal(column, other.values[name], equal_nan=column.dtype == float)
        for name, column in one.values.items()
    )


GROUPS = [
    likelihood("en", "lang", 7.123456789012345, 1e-300, chosen="en"),
    likelihood("en", "full", 0.1),
    likelihood("fi", "full", 0.1, 0.2),
    likelihood("en", "full", 0.3),
]


def test_groups_are_read_as_they_were_written(tmp_path) -> None:
    write_answers(tmp_path / "model.parquet", LIKELIHOOD, GROUPS)
    found = read_answers(tmp_path / "model.parquet", LIKELIHOOD)
    assert [same(*pair) for pair in zip(found, GROUPS, strict=True)] == [True] * 4
    table = pq.read_table(tmp_path / "model.parquet")
    assert table["lang"].to_pylist() == ["en"] * 3 + ["fi"] * 2 + ["en"]
    assert table["outside"].null_count == 2, "what was not asked is empty, what is no number is not"


def test_texts_may_differ_from_row_to_row(tmp_path) -> None:
    numbers = {name: np.arange(3) for name in ROUTING.values if name != "chosen"}
    chosen = np.array(["fi", "", "en+fi"], dtype=object)
    of = {"dataset": "set", "lang": "fi", "option": "one"}
    write_answers(tmp_path / "a.parquet", ROUTING, [Answers(of, numbers | {"chosen": chosen})])
    (found,) = read_answers(tmp_path / "a.parquet", ROUTING)
    assert found.values["chosen"].tolist() == ["fi", "", "en+fi"]
    assert found.values["best"].dtype == float


def test_a_model_that_was_asked_nothing_has_no_answers(tmp_path) -> None:
    write_answers(tmp_path / "a.parquet", ROUTING, [])
    assert read_answers(tmp_path / "a.parquet", ROUTING) == []


def test_other_files_are_told(tmp_path) -> None:
    write_answers(tmp_path / "a.parquet", ROUTING, [])
    (tmp_path / "b.parquet").write_text("no parquet")
    for name in ("a", "b"):
        with pytest.raises(DataError, match=f"{name}.parquet: no answers of a model .*evaluate_model"):
            read_answers(tmp_path / f"{name}.parquet", LIKELIHOOD)
