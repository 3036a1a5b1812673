"""What the reporting knows of a run."""

from modtok.reporting.run import make_run


def test_monolingual_tokenizers_become_one_row_in_their_place() -> None:
    run = make_run({}, ["mono-bpe-el", "mono-bpe-en", "open-x", "mono-unigram-el"], {}, "flores200", 24_000)
    assert run.families == ("mono-bpe", "open-x", "mono-unigram")


def test_titles_and_labels() -> None:
    run = make_run(
        {"el": "Greek", "en": "English"}, [], {"qwen3": "Qwen 3", "untitled": ""}, "flores200", 24_000
    )
    titles = {
        name: run.title(name)
        for name in ("open-qwen3", "open-untitled", "joint-unigram-4000", "mono-unigram")
    }
    assert titles == {
        "open-qwen3": "Qwen 3",
        "open-untitled": "untitled",
        "joint-unigram-4000": "Joint Unigram, 2 languages",
        "mono-unigram": "Monolingual Unigram",
    }
    assert run.label("joint-unigram-4000") == "Joint Unigram 4,000"
    assert run.label("sequential-bpe") == "Sequential BPE"
    assert run.title("merged-unigram+lang") == "Merged Unigram, extracted"
    assert run.title("strange") == "strange"
