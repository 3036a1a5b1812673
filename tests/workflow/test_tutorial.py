"""README's ten minutes: its commands run as they stand there, on small texts, without network."""

import re
import subprocess

import pytest

from workflow.runs import REPOSITORY, SMOKE, clone, copy, environment

pytestmark = pytest.mark.slow

OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}


@pytest.fixture(scope="module")
def script():
    """All commands of the section, one after the other."""
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    section = readme.partition("\n## Ten minutes with your own two languages\n")[2].partition("\n## ")[0]
    blocks = re.findall(r"^```sh\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    assert len(blocks) == section.count("```") // 2 == 3
    return "".join(blocks)


def test_the_readers_two_languages_are_extracted_and_loaded(script, tmp_path):
    repository = clone(tmp_path / "repository")
    for lang in ("fi", "te"):
        (repository / "mine").mkdir(exist_ok=True)
        copy(SMOKE / "text" / f"{lang}.txt", repository / "mine" / f"{lang}.txt")
    ended = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=repository,
        env=environment(**OFFLINE),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert ended.returncode == 0, ended.stdout
    both, telugu = map(int, re.search(r"(\d+) tokens, of which Telugu has (\d+)", ended.stdout).groups())
    assert both > telugu > 300
    made = repository / "mine" / "results" / "tokenizers" / "sequential-bpe+te"
    assert {"tokenizer.json", "tokenizer_config.json", "full_ids.npy"} <= {
        file.name for file in made.iterdir()
    }
