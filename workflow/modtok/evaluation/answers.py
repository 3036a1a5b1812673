"""What models answered, on disk: rule evaluate_model asks and writes, rules score_* read and ask nothing.

results/answers/{kind}/{model}.parquet, each row an answer; what models wrote is text (generation_files.py).
Rows with the same keys stand together, groups in the order in which they were asked.

| column | what |
|---|---|
| dataset, task, subject | the parallel set; the task of multiple choice, and of its subjects one, or empty |
| lang, inference | language of the text, inference tokenizer |
| option | of routing: `oracle`, `one`, `union`, `full` |
| chosen, size | languages whose tokens the model chose among, empty for all; number of these tokens |
| line, item, choice | places in the set, in the task, in the item, from 0 |
| bytes, bytes_continued | UTF-8 bytes of the line; of its second half |
| tokens | those that the model predicted; of routing, all of the line |
| nats, nats_continued | -log probability of the line; of its second half, after the first |
| outside | probability outside of the language's own tokens, added up over `tokens` |
| log_likelihood, greedy | of the choice after its context, in nats; 1 where each token was the likeliest |
| neutral | log-likelihood of the choice after the neutral prompt |
| shots, cut | shots that the context had room for; 1 where the item itself lost its beginning |
| best, asking | probability of the likeliest language of the prompt; operations that finding it took |

What was not asked is empty in all of a group: `nats` where the first half was only read, `outside` but under
`full`, `neutral` where the task has no use for it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from modtok.core import columns
from modtok.core.errors import DataError
from modtok.core.io import write_parquet

TEXT, WHOLE, SMALL, REAL = pa.string(), pa.int32(), pa.int8(), pa.float64()


@dataclass(frozen=True)
class Form:
    """The columns of a kind of answers."""

    keys: Mapping[str, pa.DataType]
    "the same in all rows of a group"
    values: Mapping[str, pa.DataType]

    @property
    def schema(self) -> pa.Schema:
        return pa.schema([*self.keys.items(), *self.values.items()])


LIKELIHOOD = Form(
    {"dataset": TEXT, "lang": TEXT, "inference": TEXT, "chosen": TEXT, "size": WHOLE},
    {
        "line": WHOLE,
        "bytes": WHOLE,
        "bytes_continued": WHOLE,
        "tokens": WHOLE,
        "nats": REAL,
        "nats_continued": REAL,
        "outside": REAL,
    },
)
MULTIPLE_CHOICE = Form(
    {"task": TEXT, "lang": TEXT, "subject": TEXT, "inference": TEXT, "chosen": TEXT, "size": WHOLE},
    {
        "item": WHOLE,
        "choice": WHOLE,
        "log_likelihood": REAL,
        "greedy": SMALL,
        "neutral": REAL,
        "shots": WHOLE,
        "cut": SMALL,
    },
)
ROUTING = Form(
    {"dataset": TEXT, "lang": TEXT, "option": TEXT},
    {
        "line": WHOLE,
        "chosen": TEXT,
        "size": WHOLE,
        "tokens": WHOLE,
        "bytes_continued": WHOLE,
        "nats_continued": REAL,
        "best": REAL,
        "asking": REAL,
    },
)


@dataclass(frozen=True)
class Answers:
    """A group of rows: Answers({"lang": "fi"}, {"line": np.arange(2), "nats": np.array([7.5, 9.25])})."""

    of: Mapping[str, Any]
    "value of each key"
    values: Mapping[str, NDArray[Any]]
    "column by name, of as many rows; those that are empty are left out"


def write_answers(path: Path, form: Form, answers: Iterable[Answers]) -> None:
    """Write groups one after the other, atomically.

    write_answers(Path("sequential-bpe+mono-only.parquet"), LIKELIHOOD, answers)
    """
    tables = [_table(form, one) for one in answers]
    write_parquet(path, pa.concat_tables(tables) if tables else form.schema.empty_table())


def _table(form: Form, answers: Answers) -> pa.Table:
    rows = len(next(iter(answers.values.values())))
    keys = {key: [answers.of[key]] * rows for key in form.keys}
    empty = {name: [None] * rows for name in form.values}
    values = {name: _column(column, form.values[name]) for name, column in answers.values.items()}
    return columns.table({**keys, **empty, **values}, form.schema)


def _column(values: NDArray[Any], kind: pa.DataType) -> Any:
    return values.tolist() if kind == TEXT else values.astype(kind.to_pandas_dtype())


def read_answers(path: Path, form: Form) -> list[Answers]:
    """Read what write_answers wrote. Error: another file."""
    try:
        table = pq.read_table(path)
        starts = _starts(table, form.keys)
        keys = table.select(list(form.keys)).take(columns.of_numbers(starts)).to_pylist()
        values = {name: _array(table[name]) for name in form.values}
        empty = {name: columns.numbers(_whole(table[name]).is_null().cast(SMALL)) for name in form.values}
    except (pa.ArrowInvalid, KeyError) as error:
        raise DataError(
            f"{path}: no answers of a model ({error}); make it again with evaluate_model"
        ) from error
    stops = np.append(starts, table.num_rows)[1:]
    return [
        Answers(of, {name: column[start:stop] for name, column in values.items() if not empty[name][start]})
        for of, start, stop in zip(keys, starts, stops, strict=True)
    ]


def _starts(table: pa.Table, keys: Iterable[str]) -> NDArray[np.int64]:
    """The first row of each group."""
    first = np.zeros(table.num_rows, bool)
    first[:1] = True
    for name in keys:
        codes = columns.numbers(_whole(table[name]).dictionary_encode().indices)
        first[1:] |= codes[1:] != codes[:-1]
    return np.flatnonzero(first)


def _array(column: pa.ChunkedArray) -> NDArray[Any]:
    if column.type == TEXT:
        return np.array(column.to_pylist(), dtype=object)
    return columns.numbers(_whole(column).fill_null(0))


def _whole(column: pa.ChunkedArray) -> pa.Array:
    return column.combine_chunks()
