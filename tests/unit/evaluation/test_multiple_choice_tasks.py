"""What items are asked, and in which words."""

import json

import pytest

from modtok.core.errors import ConfigError
from modtok.evaluation.multiple_choice_tasks import Benchmark, lm_eval_tasks, shot_texts
from small_choices import ITEM, items


def test_a_context_is_the_shots_then_the_item_in_the_languages_words(tmp_path) -> None:
    benchmark = Benchmark("arc_easy", "fi", items(tmp_path / "i", 2, first=6), items(tmp_path / "s", 6))
    ((name, task),) = lm_eval_tasks(benchmark).items()
    task.build_all_requests()
    assert (name, task.task_name) == ("", "arc_easy+fi")
    context, choice = task.instances[1].args
    turns = context.split("\n\n")
    assert len(turns) == 6
    assert turns[1] == "Kysymys: 1 dogs see 1 cats. How many?\nVastaus: the old house"
    assert turns[5] == "Kysymys: 6 dogs see 36 cats. How many?\nVastaus:"
    assert choice == " the old house"


def test_shots_are_told_apart_whatever_lines_they_hold(tmp_path) -> None:
    asked, shots = items(tmp_path / "i", 2, question="Who?\n\nYou?"), items(tmp_path / "s", 6)
    shots.write_text(shots.read_text().replace(" How many", "\\n\\nHow many"))
    (task,) = lm_eval_tasks(Benchmark("arc_easy", "en", asked, shots)).values()
    task.build_all_requests()
    texts = shot_texts(task)
    assert len(texts) == 5
    assert texts[1] == "Question: 1 dogs see 1 cats.\n\nHow many?\nAnswer: the old house\n\n"
    for instance in task.instances:
        assert instance.args[0].removeprefix("".join(texts)) == "Question: Who?\n\nYou?\nAnswer:"


def test_each_subject_has_shots_of_its_own(tmp_path) -> None:
    both = []
    for file, count in (("items", 3), ("shots", 5)):
        parts = [items(tmp_path / "part", count, subject=subject).read_text() for subject in ("law", "art")]
        (tmp_path / file).write_text("".join(parts).replace("dogs", file))
        both.append(tmp_path / file)
    tasks = lm_eval_tasks(Benchmark("mmlu", "en", *both))
    assert list(tasks) == ["law", "art"]
    assert tasks["art"].task_name == "mmlu+en+art"
    (tmp_path / "shots").write_text(items(tmp_path / "part", 5, subject="law").read_text())
    with pytest.raises(ConfigError, match="0 items of art are not enough for the shots of mmlu"):
        lm_eval_tasks(Benchmark("mmlu", "en", *both))


def test_items_that_are_shots_are_not_asked(tmp_path) -> None:
    same = items(tmp_path / "same", 8)
    ((_, asked, shots),) = Benchmark("arc_easy", "en", same, same).subjects()
    assert [item.question[0] for item in asked] == ["5", "6", "7"]
    assert [item.question[0] for item in shots] == ["0", "1", "2", "3", "4"]
    with pytest.raises(ConfigError, match="same: all items are shots of arc_easy; add some"):
        list(Benchmark("arc_easy", "en", same, same, most=5).subjects())


def test_texts_with_templates_in_them_are_texts(tmp_path) -> None:
    file = tmp_path / "items"
    file.write_text(json.dumps({**ITEM, "question": "{{ 1 + 1 }} {% raw %}", "choices": ["{{ask}}", "b"]}))
    ((_, task),) = lm_eval_tasks(Benchmark("hellaswag", "en", file)).items()
    task.build_all_requests()
    assert task.instances[0].args == ("{{ 1 + 1 }} {% raw %}", " {{ask}}")


@pytest.mark.parametrize("question", ["1", "42", "²"])
def test_a_question_of_digits_is_a_text(tmp_path, question) -> None:
    benchmark = Benchmark("hellaswag", "en", items(tmp_path / "items", 1, question=question))
    ((_, task),) = lm_eval_tasks(benchmark).items()
    task.build_all_requests()
    assert task.instances[0].args == (question, " bones")
