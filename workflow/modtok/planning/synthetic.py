"""Text that is the same on every machine: made-up words, a few of them frequent, most of them rare."""

import numpy as np

LETTERS = np.array(list("etaoinshrdlucmfwypvbgkqjxz"))
WORDS_A_LINE = 12


def words(number: int, seed: int = 1) -> list[str]:
    """Different words of 2 to 14 letters, each with the space before it. words(2)[0][0] -> " " """
    random = np.random.default_rng(seed)
    weights = 1 / np.arange(2, len(LETTERS) + 2)
    letters = random.choice(LETTERS, (2 * number, 14), p=weights / weights.sum())
    lengths = random.integers(2, 15, 2 * number).tolist()
    made = (" " + "".join(row[:length]) for row, length in zip(letters.tolist(), lengths, strict=True))
    return list(dict.fromkeys(made))[:number]


def counts(number: int) -> np.ndarray:
    """How often each of so many words occurs, by Zipf's law: (number,) uint64, falling, the last one 1."""
    return (number // np.arange(1, number + 1)).astype(np.uint64)


def lines(number: int, distinct: int = 50_000, seed: int = 2) -> list[str]:
    """Lines of running text."""
    random = np.random.default_rng(seed)
    chances = counts(distinct) / counts(distinct).sum()
    drawn = random.choice(distinct, (number, WORDS_A_LINE), p=chances)
    known = words(distinct)
    return ["".join(known[place] for place in row) for row in drawn.tolist()]
