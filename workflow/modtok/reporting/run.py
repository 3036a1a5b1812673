"""What a table or figure needs to know of the run besides its inputs: languages, tokenizers, their names."""

import argparse
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from modtok.core.options import named
from modtok.core.tokenizer_names import extracted_family, family_of, full_name, joint_size

_FAMILIES = {"mono-bpe": "Monolingual BPE", "mono-unigram": "Monolingual Unigram"}
_MODULAR = {
    "sequential-bpe": "Sequential BPE",
    "merged-unigram": "Merged Unigram",
    "frequency-unigram": "Unigram by frequency",
    "concatenated-bpe": "Concatenated BPE",
}
_JOINT = {"joint-bpe": "Joint BPE", "joint-unigram": "Joint Unigram"}


@dataclass(frozen=True)
class Run:
    """A run as the reporting sees it."""

    languages: dict[str, str]
    "code -> English name, in the run's order"
    families: tuple[str, ...]
    "tokenizers in the run's order, monolingual ones once as their family"
    open_titles: dict[str, str]
    dataset: str
    "name of the parallel set that is shown, empty where the run has none"
    budget: int

    def settings(self) -> dict[str, Any]:
        """What provenance records of it."""
        return {**asdict(self), "languages": list(self.languages)}

    def title(self, family: str) -> str:
        """How a tokenizer is called in print.

        title("joint-bpe-128000") -> "Joint BPE, 6 languages";
        title("sequential-bpe+lang") -> "Sequential BPE, extracted"
        """
        if family.startswith("open-"):
            name = family.removeprefix("open-")
            return self.open_titles.get(name) or name
        if joint_size(family) is not None:
            return f"{_JOINT[family.rpartition('-')[0]]}, {len(self.languages)} languages"
        name = full_name(family)
        extracted = ", extracted" if family == extracted_family(name) else ""
        return _FAMILIES.get(family) or _MODULAR.get(name, name) + extracted

    def label(self, family: str) -> str:
        """The same for a legend, which has no column of sizes.

        label("joint-bpe-128000") -> "Joint BPE 128,000"
        """
        size = joint_size(family)
        return self.title(family) if size is None else f"{_JOINT[family.rpartition('-')[0]]} {size:,}"


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options that every reporting step has."""
    parser.add_argument(
        "--langs", required=True, nargs="+", type=named, metavar="LANG=NAME", help="in the order of columns"
    )
    parser.add_argument("--tokenizers", required=True, nargs="+", help="names, in the order of rows")
    parser.add_argument("--open-titles", nargs="*", default=[], type=named, metavar="NAME=TITLE")
    parser.add_argument("--dataset", default="", help="name of the parallel set to show; a run may have none")
    parser.add_argument("--budget", required=True, type=int, help="tokens per language of the run")


def read_run(args: argparse.Namespace) -> Run:
    """The run from the options of `add_options`."""
    return make_run(dict(args.langs), args.tokenizers, dict(args.open_titles), args.dataset, args.budget)


def make_run(
    languages: dict[str, str],
    tokenizers: Sequence[str],
    open_titles: dict[str, str],
    dataset: str,
    budget: int,
) -> Run:
    """A run whose tokenizers are named one by one: mono-bpe-bg and mono-bpe-el become one row."""
    return Run(languages, tuple(dict.fromkeys(map(family_of, tokenizers))), open_titles, dataset, budget)
