"""The paper's figures stand beside ours only where they measure the same thing."""

from dataclasses import replace

from modtok.reporting import paper
from modtok.reporting.run import Run

COMMON = ["bg", "cs", "da", "de", "el", "en", "es", "fr", "hu", "it", "nl", "pl", "pt", "ro", "sl"]
PAPER_21 = dict.fromkeys([*COMMON, "et", "fi", "lt", "lv", "sk", "sv"], "")
LOW_RESOURCE_21 = dict.fromkeys([*COMMON, "hr", "ne", "si", "so", "sw", "te"], "")


def test_figures_are_kept_as_they_are_printed() -> None:
    assert paper.figure("table_1", "open-qwen3", "el") == "3.90"
    assert paper.figure("table_2", "open-tinyaya", "si") == "9.08"
    assert paper.figure("table_1", "open-qwen3", "te") == ""


def test_an_open_tokenizer_matches_in_both_tables(run: Run) -> None:
    assert paper.nsl("open-qwen3", "el", run) == "3.90"
    assert paper.nsl("open-qwen3", "te", run) == "6.33"
    assert paper.nsl("open-custom", "el", run) == ""


def test_references_of_another_budget_do_not_match(run: Run) -> None:
    assert paper.nsl("open-qwen3", "el", replace(run, budget=8000)) == ""


def test_a_joint_tokenizer_matches_only_on_the_languages_of_the_paper(run: Run) -> None:
    assert paper.nsl("joint-bpe-128000", "el", run) == ""
    assert paper.nsl("joint-bpe-128000", "el", replace(run, languages=PAPER_21)) == "1.17"
    assert paper.nsl("joint-bpe-384000", "te", replace(run, languages=PAPER_21)) == ""
    assert paper.nsl("joint-bpe-384000", "te", replace(run, languages=LOW_RESOURCE_21)) == "0.95"


def test_the_document_and_its_own_arithmetic_agree() -> None:
    sizes = paper.rows("table_vocabulary", "vocabulary_size")
    assert list(sizes) == ["Yi", "Qwen2", "DeepSeek-V3", "ChatGLM", "Mistral", "Llama 3"]
    for name, parameters in paper.rows("table_vocabulary", "parameters").items():
        assert int(sizes[name]) * 4096 == int(parameters)
