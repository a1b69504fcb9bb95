"""Search for false disagreements: robots far lighter, heavier and more rotated than any real one. It is no test itself.

    python -m laboratory.sweep [--seeds FIRST:LAST]

Every model is checked with the default claims. A disagreement is printed with what is needed to see it again, and the
exit code is 1. A sweep that was stopped goes on with ``--seeds``: a model depends on its seed alone. Random models are
those of ``mbconcord campaign run --random``.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from random import Random
from typing import Any

from laboratory.machines import fixture
from mbconcord.model import Inertia, State, System
from mbconcord.model.body import tensor
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
    """Return a robot with scaled masses, at coordinates as far as :data:`REACHES`."""
    (name, factor, reach), dice = SCALED[number], Random(number)
    system = fixture(f"robots/{name}.mbsd")
    bodies = tuple(replace(b, inertia=_scale(b.inertia, factor)) for b in system.bodies)
    drawn = [({n: dice.uniform(-x, x) for n in system.coordinate_names} for x in (reach, 3, 10)) for _ in range(STATES)]
    return Subject(replace(system, bodies=bodies), tuple(State(0.0, *parts) for parts in drawn))


def _scale(inertia: Inertia, factor: float) -> Inertia:
    return replace(inertia, mass=inertia.mass * factor, tensor=tensor([x * factor for x in inertia.tensor]))


def check_subject(subject: Subject, seed: int, formalisms: Sequence[Any] | None = None) -> Evidence:
    """Check a subject."""
    return check(subject.system, states=STATES, seed=seed, given=subject.given, formalisms=formalisms)


def list_disagreements(evidence: Evidence) -> Iterator[str]:
    """Yield the disagreements: quantity, witnesses, factor beyond the tolerance, place."""
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
        evidence = check_subject(robot(seed), seed)
        lines = list(list_disagreements(evidence))
        wrong += bool(lines)
        for line in lines:
            print(f"robot {seed}: {line}", flush=True)
        total.update(c.verdict for c in evidence.comparisons)
    counts = ", ".join(f"{n} {verdict}" for verdict, n in sorted(total.items()))
    print(f"robots {seeds.start}:{seeds.stop}: {wrong} models disagree; comparisons: {counts}", flush=True)
    return wrong


def seeds_of(text: str) -> range:
    """Parse ``FIRST:LAST``, the last excluded."""
    first, _, last = text.partition(":")
    return range(int(first), int(last))


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the robots of these seeds; exit code 1 where one disagrees."""
    parser = argparse.ArgumentParser(prog="python -m laboratory.sweep")
    parser.add_argument("--seeds", type=seeds_of, metavar="FIRST:LAST", default=range(len(SCALED)))
    asked = parser.parse_args(arguments).seeds
    return int(sweep(range(asked.start, min(asked.stop, len(SCALED)))) > 0)


if __name__ == "__main__":
    sys.exit(main())
