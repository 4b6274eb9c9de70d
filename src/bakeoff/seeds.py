"""Seeds are derived, never reused: each purpose has its own stream."""

from __future__ import annotations

import hashlib

import numpy as np


def derive(seed: int, *purpose: str | int) -> np.random.SeedSequence:
    """Derive the seed of one purpose, e.g. ``derive(19, "fit", dataset, model, 1, 2)``."""
    key = "\0".join(map(str, purpose)).encode()
    words = np.frombuffer(hashlib.sha256(key).digest(), dtype="<u4")
    return np.random.SeedSequence([seed, *map(int, words)])


def integer(sequence: np.random.SeedSequence) -> int:
    """Return a seed for libraries that take a 31-bit integer."""
    return int(sequence.generate_state(1)[0] >> 1)


def part_of(parent: np.random.SeedSequence, purpose: str, *name: str) -> int:
    """Return an integer seed for one purpose below a derived seed."""
    assert isinstance(parent.entropy, list)
    seed, *words = parent.entropy
    return integer(derive(seed, purpose, *words, *name))
