"""Inputs: files with a few changes, and texts of :mod:`.grammars`; that of a number is always the same."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from .grammars import GRAMMARS

#: What is put into a text: signs, numbers and words that readers have limits for, or a meaning of their own.
WORDS = (
    "1e400", "1e-400", "-1", "0", "1/0", "nan", "inf", "1_0", "٣", "²", "0x1", "9" * 400, "9" * 5000, "1e" + "9" * 30,
    "(", ")", "[", "]", "{", "}", "<", ">", ";", ",", "=", "'", '"', "\\", "%", "$", "#0", "#a", "@", "@'", "^", "^-1",
    "f(t)", "f''(t)", "f'[9](t)", "f'[1,1](x,t)", "sin", "t", "pi", "null", "true", '"name"', "[[[[", "1;", "x1", "ВКП",
    "\0", "\ufeff", "\u2028", "\x1b[2J", "é", "数", "\r", "\n", "-", "_->_[0]", "_s1", ":=", "case 1 :", "(z i >)^99",
    "with main;", "with end;", "with joint1;", "cnst=(a# 2);",
)  # fmt: skip
#: Signs that stand for one another: what has them exchanged is often still a model.
ALIKE = (b"0123456789", b"+-*/^", b"xyz", b"uvw", b"ijk", b"lmn", b"()[]{}", b",;.", b"gh", b"abcdef")


def made(reader: str, number: int, seeds: Sequence[bytes]) -> tuple[bytes, Random]:
    """The input of a number, and the source of what is drawn after it."""
    random = Random(f"{reader} {number}")
    grammar = GRAMMARS.get(reader)
    if grammar is None or random.random() < 0.4:
        return mutated(seeds, random), random
    data = grammar(random)
    return (data if random.random() < 0.7 else mutated([data], random)), random


def mutated(seeds: Sequence[bytes], random: Random) -> bytes:
    """A seed with a few changes: signs, words, pieces of it or of another seed."""
    data = bytearray(random.choice(seeds))
    for _ in range(random.choice((1, 1, 1, 2, 3, 8))):
        at = random.randrange(len(data) + 1)
        end = min(len(data), at + random.choice((1, 1, 2, 5, 40)))
        kind = random.randrange(14)
        if kind == 0:
            data[at:at] = random.choice(WORDS).encode()
        elif kind == 1:
            data[at:end] = random.choice(WORDS).encode()
        elif kind == 2:
            del data[at:end]
        elif kind == 3:
            data[at:at] = bytes(data[at:end]) * random.choice((1, 2, 50))
        elif kind == 4:
            data[at:end] = bytes(random.randrange(256) for _ in range(end - at))
        elif kind == 5:
            other = random.choice(seeds)
            start = random.randrange(len(other) + 1)
            data[at:end] = other[start : start + random.choice((3, 30, 300))]
        elif kind == 6:
            del data[at:]
        else:
            _exchange(data, random)
    return bytes(data)


def _exchange(data: bytearray, random: Random) -> None:
    """Put a sign in place of one that is like it."""
    signs = random.choice(ALIKE)
    places = [i for i, sign in enumerate(data) if sign in signs]
    if places:
        data[random.choice(places)] = random.choice(signs)
