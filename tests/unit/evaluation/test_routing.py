"""What language identification says of prompts, what may be chosen by it, what asking costs."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from modtok.corpus.language_id import Identifier
from modtok.evaluation.routing import Router, choices

LANGS = ("en", "fi", "el")


@given(st.lists(st.sampled_from([0.0, 0.1, 0.3, 0.5]), min_size=3, max_size=3), st.integers(1, 3))
def test_the_union_has_the_best_candidates(probabilities: list[float], candidates: int) -> None:
    found = choices(np.array(probabilities), LANGS, candidates)
    assert found["full"] is None
    assert found["one"] == (LANGS[probabilities.index(max(probabilities))],)
    assert set(found["one"]) <= set(found["union"])
    assert list(found["union"]) == [lang for lang in LANGS if lang in found["union"]]
    assert len(found["union"]) == candidates
    least = min(probabilities[LANGS.index(lang)] for lang in found["union"])
    assert all(p <= least for lang, p in zip(LANGS, probabilities, strict=True) if lang not in found["union"])


def test_probabilities_are_the_language_id_models() -> None:
    router, plain = Router(), Identifier()
    texts = ["Kaupunginvaltuusto päätti", "", "Το δημοτικό\0συμβούλιο", "le conseil municipal a voté"]
    labels = {"el": ["el"], "fi": ["fi", "et"], "en": ["en"]}
    found = router.probabilities(texts, labels)
    assert found.shape == (4, 3)
    assert found[1].tolist() == [0, 0, 0]
    for row, column in ((0, 1), (2, 0)):
        label, score = plain.identify(texts[row])
        assert label == list(labels)[column]
        assert score <= found[row, column] + 1e-6 <= 1 + 2e-6
    # a text in none of the languages has no probable one
    assert plain.identify(texts[3])[0] == "fr"
    assert found[3].max() < 0.2
    assert router.probabilities([], labels).shape == (0, 3)


def test_operations_of_language_identification_are_those_of_its_arithmetic() -> None:
    router = Router()
    model = router._model
    width, vectors = model.get_dimension(), 0
    for word in ("Kaupunki", "päätti", "</s>"):
        vectors += len(model.get_subwords(word)[1])
    assert router.operations(" Kaupunki  päätti") == width * (vectors + 2 * 175)
