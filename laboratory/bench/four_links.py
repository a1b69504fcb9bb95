"""The paper's four links: vectors at rest and in motion, motion in time, by variants; energy of the frozen form."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from laboratory.machines import MOVING, VARIANTS, fixture, four_links
from mbconcord.fixtures import folder
from mbconcord.formalisms.registry import formalism
from mbconcord.model.state import State
from mbconcord.simulation.motion.run import RunSettings, simulate
from mbconcord.simulation.motion.trajectory import Trajectory

from .row import BenchmarkRow

#: Who solves the mixed problem of elastic links, each in its way.
WITNESSES = ("lagrange", "virtual_work", "flexible")
#: State, its vectors in fixtures/elastic/vectors.toml, and what it is called. cond(M) is 1e4 there.
STATES: tuple[tuple[State, str, str], ...] = ((State(), "d0", "at rest"), (MOVING, "d1", "in motion"))
LIMIT = 1e-11


def rows() -> Iterator[BenchmarkRow]:
    """Yield largest relative differences from the vectors; the moment of joint 4 by variant; then the motions."""
    given = tomllib.loads((folder() / "elastic" / "vectors.toml").read_text("utf-8"))
    for name in WITNESSES:
        for state, key, when in STATES:
            yield BenchmarkRow(f"accelerations and C4 {when}, {name}", _gap(name, state, given[key]), "", LIMIT)
    for variant in VARIANTS:
        for state, _, when in STATES:
            found = solve("flexible", state, variant)
            unit = "N" if VARIANTS[variant].slides else "N m"
            yield BenchmarkRow(f"{variant}: C4 {when}", found["effort"], unit, note=f"q1'' = {found['q1']:.6g} rad/s^2")
    yield from in_motion()


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


#: The end, s, and what was asked of each step.
UNTIL, TOLERANCE = 0.15, 1e-10
#: Printed digits end here.
PRINTED = 2e-6
BY = "flexible"
#: For how long a tree with an elastic link moves by itself, s.
FREE = 0.3


def in_motion() -> Iterator[BenchmarkRow]:
    """Yield largest differences from another implementation's numbers, then changes of energy."""
    given = tomllib.loads((folder() / "elastic" / "motion.toml").read_text("utf-8"))
    found = simulate_variant("as assumed", 1e-12, 0.05)
    for place, known in enumerate(given["time"], 1):
        yield BenchmarkRow(f"as assumed, t = {known['t']:g} s", difference(found, place, known), "", PRINTED)
    for variant, known in given["variants"].items():
        found = simulate_variant(variant, TOLERANCE, UNTIL)
        note = f"C4 = {found.found[-1].multipliers[0]:.6g}, {found.evaluations:,} evaluations, {found.seconds:.1f} s"
        yield BenchmarkRow(f"{variant}, t = {UNTIL} s", difference(found, -1, known), "", PRINTED, note=note)
    for form, limit in (("full", 1e-9), ("frozen", None)):
        change, size = energy_change(form)
        note = f"of {size:.3g} J of kinetic energy at most; a tree with an elastic link in the middle, without drives"
        yield BenchmarkRow(f"energy after {FREE} s, form {form}: change", change, "J", limit, note=note)


def simulate_variant(variant: str, tolerance: float, step: float) -> Trajectory:
    """Simulate a variant from rest; its multiplier is the moment of joint 4."""
    by = formalism(BY)
    settings = RunSettings(UNTIL, tolerance=tolerance, step_out=step, balanced=False)
    return simulate(four_links(variant), by.in_form(VARIANTS[variant].form), State(), settings)


def difference(found: Trajectory, place: int, known: Mapping[str, Any]) -> float:
    """Return the error of joints and tip deflection relative to the largest joint; of the moment, to its size."""
    row = found.found[place]
    joints, deflection = row.q[:3], float(row.q[4:].sum())
    size = max(map(abs, known["joints"]))
    gap = max(np.abs(joints - known["joints"]).max(), abs(deflection - known["deflection"])) / size
    return float(max(gap, abs(row.multipliers[0] - known["moment"]) / max(abs(known["moment"]), 1.0)))


def energy_change(form: str) -> tuple[float, float]:
    """Return the drift of ½ q'ᵀ M q' + Π minus elastic work, M being the form's own; and the largest T (J)."""
    given = fixture("elastic/nodal_tree.mbs.json")
    system = replace(given, coordinates=tuple(replace(c, drive=None) for c in given.coordinates))
    by = formalism(BY).in_form(form)
    vectors = tomllib.loads((folder() / "elastic" / "vectors.toml").read_text("utf-8"))["c"]
    names = system.coordinate_names
    q, v = (
        dict(zip(names, [*vectors[own], *vectors[elastic]], strict=True)) for own, elastic in (("q", "qe"), ("v", "ve"))
    )
    found = simulate(system, by, State(0.0, q, v), RunSettings(FREE, tolerance=1e-11))
    states = [State(row.t, *(dict(zip(names, x.tolist(), strict=True)) for x in (row.q, row.v))) for row in found.found]
    M = by.evaluate(system, states).quantities["M"]
    kinetic = 0.5 * np.einsum("si,sij,sj->s", found.v, M, found.v)
    total = kinetic + [row.potential - row.work for row in found.found]
    return float(np.ptp(total)), float(kinetic.max())
