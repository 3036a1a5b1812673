"""Languages of a subtokenizer in a cell of a table and back."""

import pytest

from modtok.evaluation.inference_names import joined, langs_of


@pytest.mark.parametrize(("langs", "text"), [(("fi",), "fi"), (("en", "fi"), "en+fi"), (None, "")])
def test_languages_come_back(langs, text) -> None:
    assert joined(langs) == text
    assert langs_of(text) == langs
