"""One seed per step, from the run's seed and the step's name: no two steps share a random stream."""

import hashlib


def derive(seed: int, *names: str | int) -> int:
    """A 63-bit seed from the run's seed and any names, the same everywhere. derive(1, "quality", "fr")"""
    text = "\x1f".join(str(part) for part in (seed, *names))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest()) >> 1
