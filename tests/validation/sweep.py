"""No false disagreement: checks of many models whose formalisms are right. Run from a checkout, it is no test itself.

    python -m tests.validation.sweep [--seeds FIRST:LAST] [trees] [elastic] [closed] [robots]

Every model is checked with the default claims. A disagreement is printed with what is needed to see it again, and the
exit code is 1. A sweep that was stopped goes on with ``--seeds``: a model depends on its seed alone.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from random import Random
from typing import Any

from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.model import Inertia, State, System
from mbconcord.model.diagnostics import MbconcordError
from mbconcord.validation.check import check
from mbconcord.validation.faults.closed_models import closed
from mbconcord.validation.judge.evidence import Evidence
from mbconcord.validation.models.closed import KINDS
from mbconcord.validation.models.drives import randomly_driven
from mbconcord.validation.models.elastic import elastic_tree
from mbconcord.validation.models.planar import planar_system
from mbconcord.validation.models.trees import random_system

STATES = 4
ROBOTS = ("ur5", "panda", "talos")
#: Factors of all masses, and how far coordinates go (rad, m).
MASSES, REACHES = (1e-12, 1.0, 1e12), (3.0, 1e3, 1e6)
SCALED = tuple(product(ROBOTS, MASSES, REACHES))
#: How often it is said how far a sweep has come.
STEP = 50


@dataclass(frozen=True)
class Subject:
    """A model, and states to check it at; None: drawn ones."""

    system: System
    given: tuple[State, ...] | None = None


def tree(seed: int) -> Subject:
    """A random tree of one to ten bodies."""
    return Subject(random_system(seed, 1 + seed % 10))


def loop(seed: int) -> Subject:
    """In turns a tree with constraints of any kind, one with cut joints, and a planar linkage; at closed states."""
    of = seed // 3
    made = (
        closed(of, random_system(of, 1 + of % 4), KINDS)
        if seed % 3 == 0
        else closed(of, random_system(of, 3 + of % 3), ("cut",))
        if seed % 3 == 1
        else closed(of, planar_system(of, 3 + of % 4), ("point",))
    )
    return Subject(made.system, made.states)


def bent(seed: int) -> Subject:
    """A random tree of two to five bodies, elastic and rigid, with some accelerations imposed."""
    return Subject(randomly_driven(elastic_tree(seed, 2 + seed % 4), seed))


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


#: The model of a seed, and how many seeds there are.
FAMILIES: dict[str, tuple[Callable[[int], Subject], int]] = {
    "trees": (tree, 2000), "elastic": (bent, 300), "closed": (loop, 500), "robots": (robot, len(SCALED)),
}  # fmt: skip


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


def sweep(family: str, seeds: range) -> int:
    """Check the models of a family; the number of those that disagree."""
    make, _ = FAMILIES[family]
    total, wrong = Counter[str](), 0
    for seed in seeds:
        try:
            evidence = checked(make(seed), seed)
        except MbconcordError as problem:
            print(f"{family} {seed}: refused: {problem}", flush=True)
            total["refused"] += 1
            continue
        lines = list(said(evidence))
        wrong += bool(lines)
        for line in lines:
            print(f"{family} {seed}: {line}", flush=True)
        total.update(c.verdict for c in evidence.comparisons)
        if (seed + 1) % STEP == 0 or seed == seeds[-1]:
            counts = ", ".join(f"{n} {verdict}" for verdict, n in sorted(total.items()))
            print(
                f"{family} {seeds[0]}:{seed + 1}: {wrong} models disagree; comparisons: {counts}", flush=True
            )
    return wrong


def seeds_of(text: str) -> range:
    """``FIRST:LAST``, the last excluded."""
    first, _, last = text.partition(":")
    return range(int(first), int(last))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.validation.sweep")
    parser.add_argument("families", nargs="*", metavar="FAMILY", help=f"of {', '.join(FAMILIES)}")
    parser.add_argument("--seeds", type=seeds_of, metavar="FIRST:LAST")
    given = parser.parse_args(arguments)
    wrong = 0
    for family in given.families or FAMILIES:
        asked = given.seeds or range(FAMILIES[family][1])
        wrong += sweep(family, range(asked.start, min(asked.stop, FAMILIES[family][1])))
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
