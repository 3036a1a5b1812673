"""The config, the tables and their schemas agree, and a misspelt key stops a run wherever it stands."""

import copy
import json
import re
from pathlib import Path

import jsonschema
import pytest
import yaml

from modtok.core.io import read_tsv

REPOSITORY = Path(__file__).parents[2]
CONFIG_FILE = REPOSITORY / "config" / "config.yaml"
CONFIG = yaml.safe_load(CONFIG_FILE.read_text())
LOW_RESOURCE = yaml.safe_load((REPOSITORY / "config" / "low_resource.yaml").read_text())
SURGERY = yaml.safe_load((REPOSITORY / "config" / "surgery.yaml").read_text())
SMOKE = yaml.safe_load((REPOSITORY / "tests" / "smoke" / "config" / "config.yaml").read_text())


def schema(name):
    return json.loads((REPOSITORY / "workflow" / "schemas" / f"{name}.schema.json").read_text())


SCHEMA = schema("config")
TABLES = ["languages", "open_tokenizers", "models"]


def errors(instance, by=SCHEMA):
    """Where an instance breaks a schema: paths of the places, as text."""
    found = jsonschema.Draft202012Validator(by).iter_errors(instance)
    return sorted("/".join(map(str, error.absolute_path)) for error in found)


def merged(base, override):
    """As Snakemake merges config files: mappings merge, everything else is replaced."""
    both = dict(base)
    for key, value in override.items():
        is_mapping = isinstance(value, dict) and isinstance(base.get(key), dict)
        both[key] = merged(base[key], value) if is_mapping else value
    return both


def at(path, config=CONFIG):
    for key in path:
        config = config[key]
    return config


def with_value(path, value):
    """A copy of the config with one value set."""
    changed = copy.deepcopy(CONFIG)
    at(path[:-1], changed)[path[-1]] = value
    return changed


# --- files against schemas ---


@pytest.mark.parametrize("name", ["config", *TABLES])
def test_each_schema_is_a_valid_one_of_draft_2020_12(name):
    assert schema(name)["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    jsonschema.Draft202012Validator.check_schema(schema(name))


def test_the_papers_config_is_valid():
    assert errors(CONFIG) == []


def test_the_smoke_run_overrides_the_papers_config():
    assert errors(merged(CONFIG, SMOKE)) == []


def test_the_surgery_run_has_words_of_all_that_surgery_asks_for():
    assert errors(merged(CONFIG, SURGERY)) == []
    section = merged(CONFIG, SURGERY)["surgery"]
    named = {section["target"], *section["corpora"], *section["spared"]["languages"]}
    named = named.union(*section["groups"])
    assert named == set(SURGERY["languages"])


def test_the_low_resource_run_has_six_other_languages_than_the_papers():
    assert errors(merged(CONFIG, LOW_RESOURCE)) == []
    papers, low = set(CONFIG["languages"]), set(LOW_RESOURCE["languages"])
    assert sorted(papers - low) == ["et", "fi", "lt", "lv", "sk", "sv"]
    assert sorted(low - papers) == ["hr", "ne", "si", "so", "sw", "te"]
    assert LOW_RESOURCE["languages"] == sorted(LOW_RESOURCE["languages"])


@pytest.mark.parametrize("table", TABLES)
def test_every_row_of_a_table_is_valid(table):
    rows = read_tsv(REPOSITORY / "config" / f"{table}.tsv")
    assert {row[next(iter(row))]: found for row in rows if (found := errors(row, schema(table)))} == {}
    keys = [row[next(iter(row))] for row in rows]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize(
    "config",
    [CONFIG, merged(CONFIG, SMOKE), merged(CONFIG, LOW_RESOURCE), merged(CONFIG, SURGERY)],
    ids=["paper", "smoke", "low resource", "surgery"],
)
def test_what_a_config_names_is_in_the_tables(config):
    known = {row["code"] for row in read_tsv(REPOSITORY / "config" / "languages.tsv")}
    assert set(config["languages"]) <= known
    known = {row["name"] for row in read_tsv(REPOSITORY / "config" / "models.tsv")}
    assert set(config["models"]) <= known
    known = {row["name"] for row in read_tsv(REPOSITORY / "config" / "open_tokenizers.tsv")}
    named = [*config["open_tokenizers"], *config["surgery"]["tokenizers"]]
    texts = {name for name in named if isinstance(name, str)}
    assert {name for name in texts if not name.startswith("byte-bpe-")} <= known


# --- strictness ---


def object_schemas(node, where=""):
    """Every subschema that speaks of objects, with its place."""
    if isinstance(node, dict):
        kinds = node.get("type", ())
        if kinds == "object" or "object" in kinds or "properties" in node or "propertyNames" in node:
            yield where, node
        for key, value in node.items():
            yield from object_schemas(value, f"{where}/{key}")
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from object_schemas(value, f"{where}/{index}")


@pytest.mark.parametrize("name", ["config", *TABLES])
def test_every_object_is_closed_or_says_what_its_values_are(name):
    # An `if` only asks whether there is an object; the `then` beside it closes it.
    found = [(where, node) for where, node in object_schemas(schema(name)) if not where.endswith("/if")]
    assert found
    assert [where for where, node in found if not closed(node)] == []


def closed(node):
    extra = node.get("additionalProperties", True)
    return extra is False or (isinstance(extra, dict) and extra != {} and "propertyNames" in node)


@pytest.mark.parametrize("name", ["config", *TABLES])
def test_a_schema_holds_no_defaults(name):
    assert '"default":' not in json.dumps(schema(name))


def mappings(node, path=()):
    """Paths of all mappings in the config, those in lists as well."""
    if isinstance(node, dict):
        yield path
    for key, value in node.items() if isinstance(node, dict) else enumerate(node):
        if isinstance(value, dict | list):
            yield from mappings(value, (*path, key))


def dotted(path):
    return ".".join(map(str, path))


MAPPINGS = list(mappings(CONFIG))
KEYS = [(*path, key) for path in MAPPINGS for key in at(path)]


@pytest.mark.parametrize("path", KEYS, ids=dotted)
def test_a_misspelt_key_stops_the_run(path):
    misspelt = copy.deepcopy(CONFIG)
    mapping = at(path[:-1], misspelt)
    mapping[f"{path[-1]}_x"] = mapping.pop(path[-1])
    assert errors(misspelt) != []


@pytest.mark.parametrize("path", MAPPINGS, ids=dotted)
def test_a_strange_key_stops_the_run(path):
    assert errors(with_value((*path, "Stranger"), 1)) != []


@pytest.mark.parametrize("table", TABLES)
def test_a_misspelt_column_is_found(table):
    row = read_tsv(REPOSITORY / "config" / f"{table}.tsv")[0]
    for column in row:
        misspelt = {f"{name}x" if name == column else name: value for name, value in row.items()}
        assert errors(misspelt, schema(table)) != []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["seed"], -1),
        (["seed"], "1"),
        (["languages"], []),
        (["languages"], ["bg", "bg"]),
        (["languages"], ["Bulgarian"]),
        (["languages"], [False]),  # `no` without quotes, as YAML 1.1 reads it
        (["corpus", "sources"], []),
        (["corpus", "sources"], [{"warc": "a", "text": {"bg": "b"}}]),
        (["corpus", "sources"], [{"text": {"bg": "b"}, "files": 3}]),
        (["corpus", "sources"], [{"base_url": "a"}]),
        (["corpus", "sources"], [{"text": {"default": "a"}}]),
        (["corpus", "shards"], 0),
        (["corpus", "keep_downloads"], "yes"),
        (["corpus", "extraction", "timeout_s"], 0),
        (["corpus", "language_id", "threshold"], 1.1),
        (["corpus", "language_id", "floor"], {"so": 2}),
        (["corpus", "language_id", "labels"], {"hr": []}),
        (["corpus", "deduplication", "scope"], "lang"),
        (["corpus", "quality", "threshold"], None),
        (["corpus", "mixture"], {"default": 0.5}),
        (["tokenizers", "budget"], 256),
        (["tokenizers", "alphabet"], "letters"),
        (["tokenizers", "joint_sizes"], [128000, 128000]),
        (["models"], []),
        (["models"], ["2.5 B"]),
        (["pretraining", "regimes"], ["samp-sub0"]),
        (["pretraining", "regimes"], ["late101-full"]),
        (["pretraining", "tokenizers"], ["joint-bpe-4000"]),
        (["pretraining", "model"], "d=128; layers=4"),
        (["pretraining", "tokens"], 0),
        (["pretraining", "learning_rate"], 0),
        (["pretraining", "beta2"], 1),
        (["pretraining", "rows"], "sparse"),
        (["open_tokenizers"], ["Gemma 3"]),
        (["evaluation", "parallel"], [{"name": "a b", "path": "p"}]),
        (["evaluation", "bootstrap"], 0),
        (["evaluation", "combinations", "orders"], 0),
        (["evaluation", "translation", "lines"], 0),
        (["evaluation", "translation", "spbleu"], {"path": "spm.model"}),
        (["evaluation", "translation", "spbleu"], {"path": "spm.model", "sha256": "abc"}),
        (["evaluation", "summarization", "limit"], 0),
        (["evaluation", "routing", "sure"], 1.5),
        (["evaluation", "routing", "candidates"], 0),
        (["evaluation", "combinations", "pairs"], "some"),
        (["surgery", "tokenizers"], ["byte-bpe"]),
        (["surgery", "target_script"], "Cyrl, Latn"),
        (["surgery", "slots"], {"default": 0}),
        (["surgery", "slots"], {"gptoss": 9}),
        (["surgery", "spared", "shares"], [1]),
        (["surgery", "baselines"], ["random"]),
        (["surgery", "groups"], [[]]),
    ],
    ids=lambda item: json.dumps(item) if not isinstance(item, list) else None,
)
def test_a_value_out_of_range_is_named(path, value):
    assert any(place.startswith("/".join(path)) for place in errors(with_value(path, value)))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["corpus", "sources"], [{"text": {"bg": "bg/*.jsonl.gz"}}, {"warc": "w/*.warc.gz", "files": 3}]),
        (["corpus", "language_id", "floor"], 0.5),
        (["corpus", "language_id", "floor"], {"default": 0.5, "so": 0.05}),
        (["corpus", "language_id", "labels"], {"hr": ["hr", "sh", "bs"]}),
        (["corpus", "quality", "positive"], "good/{lang}.txt"),
        (["corpus", "mixture"], {}),
        (["tokenizers", "joint_sizes"], []),
        (["tokenizers", "seed_table"], "llama3/tokenizer.json"),
        (["pretraining", "regimes"], ["baseline", "late0-full", "late100-sub12", "samp-sub10"]),
        (["pretraining", "regimes"], []),
        (["pretraining", "model"], "d=128,layers=4,heads=4,kv_heads=2,context=256"),
        (["open_tokenizers"], ["gemma3", {"own": "own/tokenizer.json"}]),
        (["evaluation", "parallel"], []),
        (["evaluation", "combinations", "triples"], 0),
        (["evaluation", "translation", "shots"], 0),
        (["evaluation", "translation", "spbleu"], {"path": "spm.model", "sha256": "0" * 64}),
        (["evaluation", "summarization", "path"], None),
        (["evaluation", "summarization", "languages"], []),
        (["evaluation", "combinations", "quadruples"], "all"),
        (["surgery", "tokenizers"], []),
        (["surgery", "tokenizers"], ["byte-bpe-2000", {"own": "own/tokenizer.json"}]),
        (["surgery", "spared"], {"languages": [], "shares": []}),
    ],
    ids=lambda item: json.dumps(item),
)  # fmt: skip
def test_what_the_comments_offer_is_valid(path, value):
    assert errors(with_value(path, value)) == []


# --- the config is the manual ---


def required_keys(node=SCHEMA, path=()):
    """Paths of all keys that the schema requires outside lists."""
    for key in node.get("required", ()):
        yield (*path, key)
    for key, value in node.get("properties", {}).items():
        yield from required_keys(value, (*path, key))


def commented_keys():
    """Paths of the keys of config.yaml that stand on their own line -> whether a comment stands right above.

    The comment above a section may speak of the section's first key.
    """
    path, indents, after_comment, found = [], [], False, {}
    for line in CONFIG_FILE.read_text().splitlines():
        if match := re.match(r"( *)([a-z_0-9]+):( |$)", line):
            while indents and indents[-1] >= len(match[1]):
                indents.pop()
                path.pop()
            indents.append(len(match[1]))
            path.append(match[2])
            found[tuple(path)] = after_comment
            after_comment = after_comment and line.endswith(":")
        else:
            after_comment = line.lstrip().startswith("#")
    return found


REQUIRED = list(required_keys())
SECTIONS = {path[:-1] for path in REQUIRED}


@pytest.mark.parametrize("path", REQUIRED, ids=dotted)
def test_every_key_is_written_in_the_papers_config_with_a_comment_above(path):
    at(path)
    assert path in SECTIONS or commented_keys()[path], "say what it is, its unit, its source, what re-runs"
