"""The paper's example: its vectors at rest and in motion, and its ambiguities."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from typing import Any

import numpy as np

from laboratory.of_papers import MOVING, VARIANTS, four_links
from mbconcord.fixtures import folder
from mbconcord.formalisms.registry import formalism
from mbconcord.model.state import State

from .row import BenchmarkRow

#: Who solves the mixed problem of elastic links, each in its way.
WITNESSES = ("lagrange", "virtual_work", "flexible")
#: State, its vectors in fixtures/elastic/vectors.toml, and what it is called. cond(M) is 1e4 there.
STATES: tuple[tuple[State, str, str], ...] = ((State(), "d0", "at rest"), (MOVING, "d1", "in motion"))
LIMIT = 1e-11


def rows() -> Iterator[BenchmarkRow]:
    """Yield largest relative differences from the vectors; then the moment of joint 4 by variant."""
    given = tomllib.loads((folder() / "elastic" / "vectors.toml").read_text("utf-8"))
    for name in WITNESSES:
        for state, key, when in STATES:
            yield BenchmarkRow(f"accelerations and C4 {when}, {name}", _gap(name, state, given[key]), "", LIMIT)
    for variant in VARIANTS:
        for state, _, when in STATES:
            found = solve("flexible", state, variant)
            unit = "N" if VARIANTS[variant].slides else "N m"
            yield BenchmarkRow(f"{variant}: C4 {when}", found["effort"], unit, note=f"q1'' = {found['q1']:.6g} rad/s^2")


def solve(name: str, state: State, variant: str = "as assumed") -> dict[str, float]:
    """Return accelerations and the effort of joint 4 of a variant at a state, without modes it lacks."""
    system = four_links(variant)
    by = formalism(name)
    by = by.in_form(VARIANTS[variant].form) if by.forms else by
    known = set(system.coordinate_names)
    at = State(0.0, *({n: x for n, x in part.items() if n in known} for part in (state.q, state.v)))
    found = by.evaluate(system, [at]).quantities
    place = system.coordinate_names.index("q4")
    accelerations = map(float, found["acceleration"][0])
    return dict(zip(system.coordinate_names, accelerations, strict=True)) | {"effort": float(found["effort"][0, place])}


def _gap(name: str, state: State, given: dict[str, Any]) -> float:
    found = solve(name, state)
    expected = np.array([*given["acceleration"], *given["modal_acceleration"]])
    accelerations = np.array([x for key, x in found.items() if key != "effort"])
    gap = float(np.abs(accelerations - expected).max() / np.abs(expected).max())
    return max(gap, abs(float(found["effort"] / given["effort"][3]) - 1))
