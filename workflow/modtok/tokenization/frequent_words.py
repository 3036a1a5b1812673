"""The most frequent words of a text, where there are more than training holds.

Words that are rarer than a million others say little about which ten thousands of tokens a language needs.
"""

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa

from modtok.core.columns import numbers
from modtok.tokenization.sorted_runs import NO_WORDS


def most_frequent(tables: Iterable[pa.Table], most: int) -> Iterator[pa.Table]:
    """The first rows, `most` at most, of tables by falling count; words of one count stay or go together.

    So no word is chosen by its place in the alphabet. Tables after the last row are not asked for.
    list(most_frequent([table of a 3, b 2, c 2], 2)) -> [table of a 3]
    """
    held, room = NO_WORDS, most
    for table in tables:
        held = pa.concat_tables([held, table]).combine_chunks()
        count_N = numbers(held["count"].combine_chunks())
        if held.num_rows > room:
            yield held.slice(0, np.count_nonzero(count_N > count_N[room]))
            return
        # Words of the last count may go on in the next table.
        settled = int(np.count_nonzero(count_N > count_N[-1])) if held.num_rows else 0
        yield held.slice(0, settled)
        held, room = held.slice(settled), room - settled
    yield held
