"""Surgery as it is asked for: counts or donors, scripts or use, and what is reported and written of it."""

import json
from collections import Counter
from itertools import pairwise

import pytest

from modtok.core.errors import ConfigError, DataError
from modtok.surgery.byte_level import read_byte_level
from modtok.surgery.changes import changes, ranges, write_changes
from modtok.surgery.derivations import derivations
from modtok.surgery.folder import write_folder
from modtok.surgery.forecast import audit_rows, script_rows, text_rows, vocabulary_rows, word_rows
from modtok.surgery.request import Request, Surgery
from modtok.surgery.same_script import least_made, times_made
from modtok.surgery.scripts import scripts_by_token
from modtok.surgery.segmentation import token_frequencies
from modtok.surgery.selection import Policy
from modtok.surgery.verification import verify
from modtok.tokenization.ranked_encoder import RankedEncoder
from modtok.tokenization.word_count_files import read_counts

POLICY = Policy(("Cyrillic",), ("Thai",), ("Latin",))


def request(counts_files, **changed):
    return Request(**{"policy": POLICY, "slots": None, "counts": [counts_files["uk"]], **changed})


def watched(bpe, corpora):
    """How often merging makes each token, seen step by step; each corpus as a share of its tokens."""
    made, encoder = Counter(), RankedEncoder(bpe.table)
    for counts in corpora.values():
        steps = [list(encoder.steps(bpe.units(word.encode()))) for word in counts.words]
        times = counts.counts.tolist()
        tokens = sum(count * len(of_word[-1]) for of_word, count in zip(steps, times, strict=True))
        for of_word, count in zip(steps, times, strict=True):
            for before, after in pairwise(of_word):
                new = next(now for was, now in zip(before, after, strict=False) if was != now)
                made[new] += count / tokens
    return made


@pytest.fixture
def done(bpe, counts_files):
    return Surgery(bpe, request(counts_files))


def test_the_target_gets_shorter_and_the_kept_script_does_not_change(bpe, done, counts_files):
    corpora = {
        lang: done.corpora["target"] if lang == "uk" else read_counts([path])
        for lang, path in counts_files.items()
    }
    rows = {row["name"]: row for row in word_rows(done.operation, corpora)}
    assert rows["uk"]["after"] < rows["uk"]["before"]
    assert rows["en"]["after"] == rows["en"]["before"]
    assert rows["ru"]["after"] > rows["ru"]["before"]
    assert verify(bpe, done.operation.after).ok


def test_other_languages_of_the_script_can_be_spared(bpe, counts_files):
    alone = Surgery(bpe, request(counts_files))
    shared = Surgery(bpe, request(counts_files, spared={"ru": counts_files["ru"]}, spared_share=0.5))
    tokens = [
        {row["name"]: row["after"] for row in word_rows(asked.operation, shared.corpora)}
        for asked in (alone, shared)
    ]
    assert tokens[1]["ru"] < tokens[0]["ru"]
    assert tokens[1]["target"] >= tokens[0]["target"]


def test_a_donor_can_be_a_tokenizer(bpe, content, counts_files, tmp_path):
    (tmp_path / "donor.json").write_text(json.dumps(content))
    asked = Surgery(bpe, request(counts_files, counts=(), donors=[tmp_path / "donor.json"], slots=None))
    assert {text for text in asked.donor.tokens if text.startswith(" ")}
    assert verify(bpe, asked.operation.after).ok


def test_rows_can_go_by_use_in_the_languages_to_keep(bpe, counts_files):
    """The target's script is that of a language to keep: tokens go that its words do not need."""
    policy = Policy(("Cyrillic",), ("Cyrillic",), (), reset=False)
    asked = Surgery(
        bpe, request(counts_files, policy=policy, slots=5, keep_counts={"ru": counts_files["ru"]})
    )
    done = asked.operation
    assert verify(bpe, done.after).ok
    made = watched(bpe, asked.corpora)
    order = [made[number] for number in asked.chosen.optional]
    assert all(one <= after + 1e-12 for one, after in pairwise(order))
    assert order[0] < order[-1]
    place = {number: at for at, number in enumerate(asked.chosen.optional)}
    parts = {n: asked.derived.ancestors(n) & place.keys() for n in asked.chosen.optional}
    assert all(place[part] > place[number] for number in parts for part in parts[number])
    assert any(parts.values())


def test_a_language_to_keep_may_be_spared_as_well(bpe, counts_files):
    """That the donor learns it takes nothing from what its words count for."""
    policy = Policy(("Cyrillic",), ("Cyrillic",), (), reset=False)
    kept = {"policy": policy, "slots": 5, "keep_counts": {"ru": counts_files["ru"]}}
    shared = {"spared": {"ru": counts_files["ru"]}, "spared_share": 0.5}
    alone, both = (Surgery(bpe, request(counts_files, **kept, **more)) for more in ({}, shared))
    assert both.chosen == alone.chosen
    assert both.donor.tokens != alone.donor.tokens


def test_what_is_made_counts_the_way_to_longer_tokens(bpe):
    derived = derivations(bpe)
    number = bpe.ids[b" language"]
    frequency = token_frequencies(bpe, {})
    frequency[number] = 3
    made = times_made(derived, frequency)
    assert {int(made[part]) for part in derived.ancestors(number) - bpe.protected} == {3}
    chosen = least_made(bpe, derived, scripts_by_token(bpe.tokens), frequency, Policy(("Latin",), ("Latin",)))
    assert chosen.optional[-1] in derived.ancestors(number)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"counts": ()}, "either --counts"),
        ({"counts": (), "donors": ["x"], "by_frequency": True}, "need --counts"),
        ({"spared_share": 1.0}, "below 1"),
        ({"slots": 0}, "at least 1"),
        ({"policy": Policy((), ("Thai",))}, "--target-script: none given"),
        ({"policy": Policy(("Latin",), ()), "keep_counts": {"en": "x"}}, "--delete-scripts: none given"),
        (
            {"policy": Policy(("Latin",), ("Latin",), ("Latin",)), "keep_counts": {"en": "x"}},
            "Latin: in --delete-scripts and in --keep-scripts",
        ),
        ({"keep_counts": {"ru": "x"}, "spared": {"ru": "y"}}, "ru: --spare and --keep-counts"),
        ({"keep_counts": {"target": "x"}}, "target: the name of the target's own words"),
        ({"policy": Policy(("Cyrillic",), ("Cyrillic",))}, "in --target-script and in --delete-scripts"),
    ],
)
def test_requests_that_make_no_sense_are_refused(bpe, counts_files, changed, said):
    with pytest.raises(ConfigError, match=said):
        Surgery(bpe, request(counts_files, **changed))


def test_fewer_slots_than_the_reset_takes_are_refused(bpe, counts_files):
    with pytest.raises(ConfigError, match=r"--slots 3: \d+ rows hold a character of Cyrillic"):
        _ = Surgery(bpe, request(counts_files, slots=3)).operation


def test_words_without_the_target_script_are_refused(bpe, counts_files):
    with pytest.raises(DataError, match="no character of Cyrillic"):
        _ = Surgery(bpe, request(counts_files, counts=[counts_files["en"]])).operation


def test_the_report_adds_up(bpe, done, tmp_path):
    operation = done.operation
    scripts = list(script_rows(done.scripts, done.chosen, operation))
    assert {row["name"] for row in scripts} == {"Latin", "Thai", "Cyrillic"}
    rows = {row["name"]: row for row in vocabulary_rows(done.chosen, operation)}
    assert rows["vocabulary"]["before"] == rows["vocabulary"]["after"] == len(bpe.surfaces)
    assert rows["inserted"]["after"] == rows["deleted"]["deleted"]
    audit = {row["name"]: row["after"] for row in audit_rows(verify(bpe, operation.after))}
    assert audit == {"newly broken": 0, "inserted, unreachable": 0, "unreachable before": 0}
    (tmp_path / "uk.txt").write_text("їжак живе у лісі\n" * 3)
    (text,) = text_rows(operation, [("uk", tmp_path / "uk.txt")])
    assert text["after"] < text["before"]
    assert len({tuple(row) for row in [*scripts, *rows.values(), text]}) == 1


def test_changes_say_what_became_of_each_row(bpe, done, tmp_path):
    content = changes(done.operation, done.scripts)
    write_changes(tmp_path / "changes.json", content)
    assert json.loads((tmp_path / "changes.json").read_text()) == content
    retained = {n for first, last in content["retained"] for n in range(first, last + 1)}
    after = done.operation.after
    assert retained == {n for n in bpe.surfaces if after.surfaces[n] == bpe.surfaces[n]}
    assert {row["id"] for row in content["deleted"]} == {row["id"] for row in content["inserted"]}
    encoder = RankedEncoder(bpe.table)
    for row in content["inserted"]:
        token = after.tokens[row["id"]]
        assert row["surface"] == after.surfaces[row["id"]]
        assert b"".join(after.tokens[part] for part in row["parts"]) == token
        assert row["was"] == encoder.encode(bpe.units(token))
    assert {row["why"] for row in content["deleted"]} >= {"reset", "script"}
    assert {row["why"] for row in content["inserted"]} >= {"base", "donor"}


def test_ranges_are_unbroken_runs():
    assert ranges([1, 2, 3, 7]) == [[1, 3], [7, 7]]
    assert ranges([]) == []


def test_a_folder_keeps_all_but_the_vocabulary(bpe, content, done, tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    (source / "tokenizer.json").write_text(json.dumps(content))
    kept = {
        "tokenizer_config.json": '{"x": 1}',
        "chat_template.jinja": "{{ x }}",
        "special_tokens_map.json": "{}",
    }
    others = {
        "vocab.json": "{}",
        "merges.txt": "a b",
        "tokenizer.model": "x",
        "model.safetensors": "x",
        "a.bin": "x",
    }
    of_before = ("changes.json", "modules.json", "full_ids.npy", "growth.tsv", "a.bin.provenance.json")
    others |= dict.fromkeys(of_before, "of the tokenizer before surgery")
    for name, text in (kept | others).items():
        (source / name).write_text(text)
    after = done.operation.after
    assert write_folder(source, after, tmp_path / "out") == ["tokenizer.model"]
    out = {path.name: path.read_text() for path in (tmp_path / "out").iterdir()}
    assert out.keys() == {*kept, "vocab.json", "merges.txt", "tokenizer.json"}
    assert {name: out[name] for name in kept} == kept
    written = json.loads(out["tokenizer.json"])
    assert {**written, "model": None} == {**content, "model": None}
    assert json.loads(out["vocab.json"]) == written["model"]["vocab"]
    assert out["merges.txt"].split("\n")[1:-1] == [" ".join(merge) for merge in written["model"]["merges"]]
    assert read_byte_level(tmp_path / "out").surfaces == after.surfaces
    with pytest.raises(ConfigError, match="holds what is read"):
        write_folder(source, after, source)


def test_a_file_of_another_name_has_no_folder_of_its_own(content, done, tmp_path):
    source = tmp_path / "there" / "gptoss.json"
    source.parent.mkdir()
    source.write_text(json.dumps(content))
    (source.parent / "letter.txt").write_text("private")
    write_folder(source, done.operation.after, tmp_path / "out")
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"tokenizer.json", "tokenizer_config.json"}


def test_a_config_that_came_with_a_model_stays_beside_a_file_without_one(content, done, tmp_path):
    source, out = tmp_path / "gptoss.json", tmp_path / "out"
    source.write_text(json.dumps(content))
    out.mkdir()
    (out / "tokenizer_config.json").write_text('{"of": "the model"}')
    write_folder(source, done.operation.after, out)
    assert (out / "tokenizer_config.json").read_text() == '{"of": "the model"}'
