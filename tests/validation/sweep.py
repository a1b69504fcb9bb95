"""No false disagreement: robots as light, as heavy and turned as far as nobody builds them. It is no test itself.

    python -m tests.validation.sweep [--seeds FIRST:LAST]

Every model is checked with the default claims. A disagreement is printed with what is needed to see it again, and the
exit code is 1. A sweep that was stopped goes on with ``--seeds``: a model depends on its seed alone. Random models are
those of ``mbconcord explore``.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from random import Random
from typing import Any

from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.model import Inertia, State, System
from mbconcord.validation.check import check
from mbconcord.validation.judge.evidence import Evidence

STATES = 4
ROBOTS = ("ur5", "panda", "talos")
#: Factors of all masses, and how far coordinates go (rad, m).
MASSES, REACHES = (1e-12, 1.0, 1e12), (3.0, 1e3, 1e6)
SCALED = tuple(product(ROBOTS, MASSES, REACHES))


@dataclass(frozen=True)
class Subject:
    """A model, and states to check it at; None: drawn ones."""

    system: System
    given: tuple[State, ...] | None = None


def robot(number: int) -> Subject:
    """A robot with its masses scaled, at coordinates as far as :data:`REACHES`."""
    name, factor, reach = SCALED[number]
    system, dice = _read(name), Random(number)
    bodies = tuple(replace(b, inertia=_scaled(b.inertia, factor)) for b in system.bodies)
    states = tuple(_state(system, reach, dice) for _ in range(STATES))
    return Subject(replace(system, bodies=bodies), states)


@cache
def _read(name: str) -> System:
    return read(folder("robots") / f"{name}.mbsd").system


def _scaled(inertia: Inertia, factor: float) -> Inertia:
    tensor = tuple(x * factor for x in inertia.tensor)
    return replace(inertia, mass=inertia.mass * factor, tensor=tensor)


def _state(system: System, reach: float, dice: Random) -> State:
    q, v, a = (
        {name: dice.uniform(-size, size) for name in system.coordinate_names} for size in (reach, 3.0, 10.0)
    )
    return State(0.0, q, v, a)


def checked(subject: Subject, seed: int, formalisms: Sequence[Any] | None = None) -> Evidence:
    """The evidence about a subject."""
    return check(subject.system, states=STATES, seed=seed, given=subject.given, formalisms=formalisms)


def said(evidence: Evidence) -> Iterator[str]:
    """What disagrees: quantity, witnesses, how far beyond what is allowed, where."""
    for c in evidence.comparisons:
        if c.verdict == "disagrees":
            what = ", ".join(x for x in (c.claim, c.quantity, f"{c.a} and {c.b}" if c.b else c.a) if x)
            size = "" if c.discrepancy is None else f"{c.excess:.2g} of what is allowed; "
            where = f" ({', '.join(c.entry)} at {c.state.to_json()})" if c.state else ""
            yield f"{what}: {size}{c.explanation}{where}"


def sweep(seeds: range) -> int:
    """Check the models of these seeds; the number of those that disagree."""
    total, wrong = Counter[str](), 0
    for seed in seeds:
        evidence = checked(robot(seed), seed)
        lines = list(said(evidence))
        wrong += bool(lines)
        for line in lines:
            print(f"robot {seed}: {line}", flush=True)
        total.update(c.verdict for c in evidence.comparisons)
    counts = ", ".join(f"{n} {verdict}" for verdict, n in sorted(total.items()))
    print(f"robots {seeds.start}:{seeds.stop}: {wrong} models disagree; comparisons: {counts}", flush=True)
    return wrong


def seeds_of(text: str) -> range:
    """``FIRST:LAST``, the last excluded."""
    first, _, last = text.partition(":")
    return range(int(first), int(last))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.validation.sweep")
    parser.add_argument("--seeds", type=seeds_of, metavar="FIRST:LAST", default=range(len(SCALED)))
    asked = parser.parse_args(arguments).seeds
    return int(sweep(range(asked.start, min(asked.stop, len(SCALED)))) > 0)


if __name__ == "__main__":
    sys.exit(main())
