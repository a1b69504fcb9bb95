"""Closed models: random trees and planar linkages with random constraints, and states near them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from random import Random

from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.model import System
from mbconcord.validation.judge.closed.closed_states import closed_states
from mbconcord.validation.judge.states import ClosedStates, draw
from mbconcord.validation.strategies.machines import KINDS, random_constraints
from mbconcord.validation.strategies.special_trees import planar_system
from mbconcord.validation.strategies.trees import random_system


@cache
def closed_tree(seed: int) -> ClosedStates:
    """Draw a tree of one to four bodies with up to three constraints, at three states."""
    return build_closed(seed, random_system(seed, 1 + seed % 4), KINDS)


@cache
def cut_tree(seed: int) -> ClosedStates:
    """Draw a tree of three to five bodies with cut joints, at three states."""
    return build_closed(seed, random_system(seed, 3 + seed % 3), ("cut",))


@cache
def closed_linkage(seed: int) -> ClosedStates:
    """Draw a planar linkage of three to six links with coincident points, at three states."""
    return build_closed(seed, planar_system(seed, 3 + seed % 4), ("point",))


#: Loops cut at a slide, at a pin in a slot, at a universal joint.
CUT_FIXTURES = ("slider_crank", "quick_return", "universal_joint")


@cache
def cut_fixture(name: str) -> ClosedStates:
    """Read a loop of :data:`CUT_FIXTURES`, at three states."""
    return closed_states(read(folder() / f"native/{name}.mbs.json").system, 3, 0)


def build_closed(seed: int, tree: System, kinds: tuple[str, ...]) -> ClosedStates:
    """Add constraints to the tree that hold at a state, and find states near it that satisfy them."""
    drawn, random = draw(tree, 1, seed), Random(seed)
    (start,) = drawn.states
    start = replace(
        start, q={name: random.uniform(-2, 2) for name in start.q}, v={name: random.uniform(-3, 3) for name in start.v}
    )
    tried = (random_constraints(seed + k, drawn.system, start, kinds=kinds) for k in range(0, 12000, 1000))
    system = next((found for found in tried if found.constraints), None) or random_constraints(
        seed, drawn.system, start, kinds=("holonomic",)
    )  # too few coordinates for these kinds
    around = (replace(start, q={name: x + random.uniform(-0.1, 0.1) for name, x in start.q.items()}) for _ in "12")
    return closed_states(system, 3, seed, [start, *around])


def closed_subjects() -> Iterator[ClosedStates]:
    """Yield the closed models for faults of constrained motions, each closed on demand."""
    yield from map(cut_fixture, CUT_FIXTURES)
    yield from map(closed_tree, range(8))
    yield from map(cut_tree, range(12))
    yield from map(closed_linkage, range(4))
