"""BLEU, chrF++ and ROUGE against the command line of sacrebleu, its own API, and rouge_score on English."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from modtok.evaluation.bootstrap import resampling_weights
from modtok.evaluation.text_metrics import rouge_scores, translation_scores, words

pytest.importorskip("sacrebleu")
pytest.importorskip("rouge_score")

REFERENCES = [
    "Ένας ισχυρός βόρειος άνεμος καθυστέρησε αρκετά πλοία.",
    "Le conseil municipal a voté mardi, dit-on, la fermeture.",
    "Търговците се опасяват, че клиентите ще намалеят.",
    "వేసవి నెలల్లో పాత మార్కెట్ చుట్టూ ఉన్న మూడు వీధులు.",
]
OUTPUTS = [
    "Ένας βόρειος άνεμος καθυστέρησε αρκετά πλοία.",
    "Le conseil a voté la fermeture, dit-on .",
    "",
    "వేసవి నెలల్లో మూడు వీధులు.",
]
ONCE = resampling_weights(len(OUTPUTS), 0, seed=0)


def command_line(tmp_path, *options: str) -> list[dict]:
    """What sacrebleu itself says of the texts."""
    for name, texts in (("references", REFERENCES), ("outputs", OUTPUTS)):
        (tmp_path / name).write_text("".join(f"{text}\n" for text in texts))
    call = [sys.executable, "-m", "sacrebleu", str(tmp_path / "references"), "-i", str(tmp_path / "outputs")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "SACREBLEU": str(tmp_path)}
    done = subprocess.run([*call, "-w", "9", *options], capture_output=True, env=environment, check=True)
    found = json.loads(done.stdout)
    return found if isinstance(found, list) else [found]


def test_scores_and_signatures_are_those_of_sacrebleus_command_line(tmp_path) -> None:
    bleu, chrf = command_line(tmp_path, "-m", "bleu", "chrf", "--chrf-word-order", "2")
    found = translation_scores(OUTPUTS, REFERENCES, ONCE)
    assert bleu["name"] == "BLEU" and chrf["name"] == "chrF2++"
    assert found["bleu"].series == pytest.approx([bleu["score"]], abs=1e-8)
    assert found["chrf"].series == pytest.approx([chrf["score"]], abs=1e-8)
    assert found["bleu"].signature == bleu["signature"]
    assert found["chrf"].signature == chrf["signature"]
    assert found["bleu"].n == 4


@pytest.fixture(scope="module")
def pieces(tmp_path_factory):
    """A small SentencePiece model, in place of FLORES-200's of 4.8 MB."""
    from sentencepiece import SentencePieceTrainer

    folder = tmp_path_factory.mktemp("pieces")
    (folder / "text").write_text("\n".join(REFERENCES))
    SentencePieceTrainer.train(
        input=str(folder / "text"),
        model_prefix=str(folder / "flores200sacrebleuspm"),
        vocab_size=94,
        minloglevel=9,
    )
    return folder / "flores200sacrebleuspm.model"


def test_spbleu_is_that_of_sacrebleus_command_line_with_its_model(tmp_path, pieces) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / pieces.stem).write_bytes(pieces.read_bytes())
    [theirs] = command_line(tmp_path, "-m", "bleu", "--tokenize", "flores200")
    ours = translation_scores(OUTPUTS, REFERENCES, ONCE, pieces)["spbleu"]
    assert ours.series == pytest.approx([theirs["score"]], abs=1e-8)
    assert ours.signature == theirs["signature"]
    assert "tok:flores200" in ours.signature


def test_a_resample_scores_as_if_it_were_the_texts() -> None:
    from sacrebleu.metrics import BLEU, CHRF

    weights = resampling_weights(len(OUTPUTS), 5, seed=3)
    found = translation_scores(OUTPUTS, REFERENCES, weights)
    rouge = rouge_scores(OUTPUTS, REFERENCES, weights)["rougeL"].series
    for number, counts in enumerate(weights.astype(int)):
        drawn = np.repeat(np.arange(len(OUTPUTS)), counts)
        texts = [[side[place] for place in drawn] for side in (OUTPUTS, REFERENCES)]
        alone = BLEU(force=True).corpus_score(texts[0], [texts[1]]).score
        assert found["bleu"].series[number] == pytest.approx(alone)
        assert found["chrf"].series[number] == pytest.approx(
            CHRF(word_order=2).corpus_score(texts[0], [texts[1]]).score
        )
        again = rouge_scores(*texts, resampling_weights(len(drawn), 0, seed=0))["rougeL"].series[0]
        assert rouge[number] == pytest.approx(again)


@pytest.mark.parametrize("text", REFERENCES)
def test_identical_texts_have_rouge_1_in_every_script(text: str) -> None:
    found = rouge_scores([text, text], [text, "…"], resampling_weights(2, 0, seed=0))
    assert {name: list(score.series) for name, score in found.items()} == {
        "rouge1": [50],
        "rouge2": [50],
        "rougeL": [50],
    }


def test_rouge_is_rouge_scores_own_on_english() -> None:
    from rouge_score.rouge_scorer import RougeScorer

    output, reference = "The old cat sat; on 2 mats, it's said.", "On 2 OLD mats sat the cat that it's said."
    own = RougeScorer(["rouge1", "rouge2", "rougeL"]).score(reference, output)
    ours = rouge_scores([output], [reference], resampling_weights(1, 0, seed=0))
    for name, score in ours.items():
        assert score.series == pytest.approx([100 * own[name].fmeasure])


@pytest.mark.parametrize(
    "text, expected",
    [
        ("Ο Καφές ΚΑΦΕΣ, 2€", ["ο", "καφέσ", "καφεσ", "2"]),
        ("cafe\u0301 café", ["café", "café"]),
        ("వేసవి నెలల్లో", ["వేసవి", "నెలల్లో"]),
        ("l'été_dernier", ["l", "été", "dernier"]),
        ("", []),
    ],
)
def test_words_are_runs_of_letters_marks_and_digits(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_a_resample_without_texts_has_no_score() -> None:
    weights = np.array([[1.0, 1.0], [0.0, 0.0]])
    for score in translation_scores(["ab c", "d"], ["ab c", "e"], weights).values():
        assert np.isfinite(score.series[0])
        assert np.isnan(score.series[1])
