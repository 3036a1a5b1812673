import json
import os
import platform

import pyarrow as pa
import pytest

from modtok.core import provenance

MEGABYTE = 1 << 20


# --- digests of content ---


def test_a_digest_tells_parts_apart_and_is_the_same_everywhere():
    assert provenance.digest("ab", "c") != provenance.digest("a", "bc") != provenance.digest("abc")
    assert provenance.digest("é") == provenance.digest("é".encode()) == "b44c31f5b735bf217e1d8b92896a12ef"
    assert provenance.digest("\ud800")  # a lone surrogate has a digest as well


def test_the_order_of_settings_does_not_matter_and_their_values_do():
    assert provenance.settings_digest({"a": 1, "b": [1, 2]}) == provenance.settings_digest(
        {"b": [1, 2], "a": 1}
    )
    different = [
        {"a": 1},
        {"a": 2},
        {"a": "1"},
        {"a": None},
        {"a": True},
        {"b": 1},
        {"a": {"a": 1}},
        {"a": [1]},
        {},
    ]
    assert len({provenance.settings_digest(settings) for settings in different}) == len(different)


def test_a_file_is_named_by_its_content_not_by_its_name_or_time(tmp_path):
    for name, content in [("a", b"same"), ("b", b"same"), ("c", b"Same"), ("empty", b"")]:
        (tmp_path / name).write_bytes(content)
    os.utime(tmp_path / "b", (0, 0))
    a, b, c, empty = (provenance.file_digest(tmp_path / name) for name in ("a", "b", "c", "empty"))
    assert a == b
    assert len({a, c, empty}) == 3


@pytest.mark.parametrize(
    ("where", "noticed"),
    [(0, True), (MEGABYTE - 1, True), (MEGABYTE, False), (2 * MEGABYTE + 5, True), (-1, True)],
)
def test_a_big_file_is_named_by_its_size_head_and_tail(tmp_path, monkeypatch, where, noticed):
    monkeypatch.setattr(provenance, "WHOLE_BYTES", 2 * MEGABYTE)
    data = bytearray(3 * MEGABYTE + 5)
    (tmp_path / "before").write_bytes(data)
    data[where] = 1
    (tmp_path / "after").write_bytes(data)
    (tmp_path / "longer").write_bytes(data + b"\0")
    before, after, longer = (
        provenance.file_digest(tmp_path / name) for name in ("before", "after", "longer")
    )
    assert (before != after) == noticed
    assert longer not in (before, after)


def test_a_file_of_just_the_limit_is_read_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(provenance, "WHOLE_BYTES", 3 * MEGABYTE)
    data = bytearray(3 * MEGABYTE)
    (tmp_path / "a").write_bytes(data)
    data[len(data) // 2] = 1
    (tmp_path / "b").write_bytes(data)
    assert provenance.file_digest(tmp_path / "a") != provenance.file_digest(tmp_path / "b")


# --- the sidecar ---


def test_the_sidecar_says_what_made_the_output(tmp_path):
    for folder in ("fr", "el"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "counts.tsv").write_text(folder)
    (tmp_path / "config.yaml").write_text("seed: 1")
    inputs = [tmp_path / "fr" / "counts.tsv", tmp_path / "el" / "counts.tsv", tmp_path / "config.yaml"]
    with provenance.provenance(tmp_path / "out.json", [*inputs, inputs[0]], {"budget": 24_000}, seed=1):
        (tmp_path / "out.json").write_text("{}")
    record = json.loads((tmp_path / "out.json.provenance.json").read_text())
    assert record["settings"] == {"budget": 24_000}
    assert record["settings_digest"] == provenance.settings_digest({"budget": 24_000})
    # Names go as deep as needed to tell the inputs apart and not further: none depends on where the run lies.
    names = [f"{tmp_path.name}/config.yaml", "el/counts.tsv", "fr/counts.tsv"]
    assert sorted(record["inputs"]) == sorted(names)
    assert record["inputs"]["el/counts.tsv"] == provenance.file_digest(inputs[1])
    assert record["seed"] == 1
    assert record["seconds"] >= 0
    assert record["versions"]["python"] == platform.python_version()
    assert record["versions"]["pyarrow"] == pa.__version__


def test_inputs_whose_names_differ_are_named_shortly_and_no_input_is_fine(tmp_path):
    (tmp_path / "a").touch()
    with (
        provenance.provenance(tmp_path / "out", [tmp_path / "a"], {}),
        provenance.provenance(tmp_path / "b", [], {}),
    ):
        pass
    assert list(json.loads((tmp_path / "out.provenance.json").read_text())["inputs"]) == ["a"]
    assert json.loads((tmp_path / "b.provenance.json").read_text())["inputs"] == {}


def test_a_block_that_fails_leaves_no_sidecar(tmp_path):
    with pytest.raises(RuntimeError), provenance.provenance(tmp_path / "out", [], {}):
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


def test_pipes_are_neither_read_again_nor_written_beside(tmp_path):
    pipe, out = tmp_path / "pipe", tmp_path / "out"
    os.mkfifo(pipe)
    with provenance.provenance(out, [pipe], {}):
        pass
    assert json.loads((tmp_path / "out.provenance.json").read_text())["inputs"] == {}
    with provenance.provenance(pipe, [], {}):
        pass
    assert not (tmp_path / "pipe.provenance.json").exists()
