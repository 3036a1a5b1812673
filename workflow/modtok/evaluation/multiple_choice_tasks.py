"""Tasks of multiple choice as lm-eval runs them, made of the forms in tasks/ and of local files.

A form is a YAML file of lm-eval's, as OLMES has the task: cloze form, its shots, its normalization. Nothing
is fetched; documents come from JSON lines (multiple_choice_items.py).
"""

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml

from modtok.core.errors import ConfigError, require
from modtok.evaluation.multiple_choice_items import Item, read_items

FORMS = Path(__file__).with_name("tasks")


@dataclass(frozen=True)
class Benchmark:
    """A task in a language: Benchmark("arc_easy", "en", Path("test.jsonl"), Path("train.jsonl"))."""

    task: str
    "name of a file in tasks/"
    lang: str
    items: Path
    shots: Path | None = None
    "its first items are the shots, for each subject"
    most: int | None = None
    "items that are asked at most, from the beginning"

    @cached_property
    def form(self) -> dict[str, Any]:
        """The task's YAML file, what it includes included."""
        form = dict(_yaml(self.task))
        return {**_yaml(form.pop("include")), **form}

    @property
    def words(self) -> list[str]:
        """ "Question" and "Answer" in the language. Error: tasks/words.yaml has them not."""
        words = _yaml("words")
        missing = f"tasks/words.yaml has no words for '{self.lang}'; add those for Question and Answer"
        require(self.lang in words, missing, ConfigError)
        return words[self.lang]

    @property
    def neutral(self) -> str:
        """The prompt after which a choice is worth what it is worth by itself."""
        return f"{self.words[1]}:"

    def subjects(self) -> Iterator[tuple[str, list[Item], list[Item]]]:
        """Each subject with its items and its shots; one subject without a name where items have none.

        An item that is one of the shots is not asked. Errors: those of read_items, fewer shots than the task
        has, no item beside them.
        """
        items = read_items(self.items, self.most)
        shots = read_items(self.shots) if self.shots and self.form["num_fewshot"] else []
        for subject in dict.fromkeys(item.subject for item in items):
            own = [item for item in shots if item.subject == subject][: self.form["num_fewshot"]]
            few = f"{self.shots}: {len(own)} items{subject and f' of {subject}'} are not enough for the shots"
            require(len(own) == self.form["num_fewshot"], f"{few} of {self.task}; add some", ConfigError)
            asked = [item for item in items if item.subject == subject and item not in own]
            none = f"{self.items}: all items{subject and f' of {subject}'} are shots of {self.task}"
            require(len(asked) > 0, f"{none}; add some", ConfigError)
            yield subject, asked, own


@cache
def _yaml(name: str) -> dict[str, Any]:
    return yaml.safe_load((FORMS / Path(name).with_suffix(".yaml").name).read_text(encoding="utf-8"))


def lm_eval_tasks(benchmark: Benchmark) -> dict[str, Any]:
    """lm-eval's tasks of a benchmark by subject; one without a name where items have none."""
    from datasets import Dataset, DatasetDict
    from lm_eval.api.task import ConfigurableTask

    # It advises on command-line options for each task that brings its own data.
    logging.getLogger("lm_eval").setLevel(logging.ERROR)
    made = {}
    for subject, items, shots in benchmark.subjects():
        name = "+".join(part for part in (benchmark.task, benchmark.lang, subject) if part)
        documents = [item.document(benchmark.words) for item in items]
        samples = [item.document(benchmark.words) for item in shots]
        split = DatasetDict({"test": Dataset.from_list(documents)})
        fewshot = {"fewshot_config": {"sampler": "first_n", "samples": samples}} if samples else {}
        config = {**benchmark.form, **fewshot, "task": name, "custom_dataset": lambda split=split: split}
        made[subject] = ConfigurableTask(config=config)
    return made


def shot_texts(task: Any) -> list[str]:
    """The shots that lm-eval puts before each item of a task, each with what parts it from the next one.

    They are told apart by asking for more and more of them: a shot may hold empty lines of its own.
    """
    item = task.test_docs()[0]
    contexts = [task.fewshot_context(item, number) for number in range((task.config.num_fewshot or 0) + 1)]
    ends = [len(context) - len(contexts[0]) for context in contexts]
    return [contexts[-1][start:end] for start, end in pairwise(ends)]
