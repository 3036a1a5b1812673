"""What is declared of a table or figure."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Literal

FORMATS = {"table": ("tsv", "md", "tex"), "figure": ("pdf", "svg", "png")}


@dataclass(frozen=True)
class Item:
    """A table or figure of page "Every table and figure"."""

    name: str
    "name of the target, of the files and of the function that makes it"
    kind: Literal["table", "figure"]
    title: str
    inputs: tuple[str, ...]
    "paths below the run's folder"
    caption: str
    cost: str
    "what must exist before, and what the item itself costs"
    languages: tuple[str, ...] = ()
    "the paper's, where it shows but some; a run that has none of them shows all of its own"
    section: str = ""
    "section of the config that may ask for nothing; the run leaves the item out then"
    beside: str = ""
    "said of the paper's figures, where the table has one"

    @property
    def outputs(self) -> tuple[str, ...]:
        """Paths below the run's folder, one per format of the kind."""
        return tuple(f"results/{self.kind}s/{self.name}.{suffix}" for suffix in FORMATS[self.kind])

    def shown(self, langs: Collection[str]) -> list[str]:
        """Those of a run's languages that the item shows, in its order."""
        return [lang for lang in self.languages if lang in langs] or list(langs)

    def of_run(self, langs: Collection[str], beside: bool = True) -> "Item":
        """The item with its whole caption; `beside`: whether figures of the paper stand in the table."""
        said = [self.caption, self.beside * beside, self._absent(langs)]
        return replace(self, caption=" ".join(filter(None, said)), beside="")

    def _absent(self, langs: Collection[str]) -> str:
        """Says so where a run has none of the paper's languages."""
        if not self.languages or any(lang in langs for lang in self.languages):
            return ""
        names = ", ".join(self.languages)
        return f"The run has none of the paper's languages ({names}); all of its own are shown."
