"""The paper's four links in motion, in the variants that its text leaves open; energy of the frozen form."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from laboratory.of_papers import VARIANTS, four_links
from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.formalisms.registry import formalism
from mbconcord.model.state import State
from mbconcord.simulation.motion.run import RunSettings, simulate
from mbconcord.simulation.motion.trajectory import Trajectory

from .row import BenchmarkRow

#: The end, s, and what was asked of each step.
UNTIL, TOLERANCE = 0.15, 1e-10
#: Printed digits end here.
LIMIT = 2e-6
BY = "flexible"
#: For how long a tree with an elastic link moves by itself, s.
FREE = 0.3


def rows() -> Iterator[BenchmarkRow]:
    """Yield largest differences from another implementation's numbers, then changes of energy."""
    given = tomllib.loads((folder() / "elastic" / "motion.toml").read_text("utf-8"))
    found = simulate_variant("as assumed", 1e-12, 0.05)
    for place, known in enumerate(given["time"], 1):
        yield BenchmarkRow(f"as assumed, t = {known['t']:g} s", difference(found, place, known), "", LIMIT)
    for variant, known in given["variants"].items():
        found = simulate_variant(variant, TOLERANCE, UNTIL)
        note = f"C4 = {found.found[-1].multipliers[0]:.6g}, {found.evaluations:,} evaluations, {found.seconds:.1f} s"
        yield BenchmarkRow(f"{variant}, t = {UNTIL} s", difference(found, -1, known), "", LIMIT, note=note)
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
    given = read(folder() / "elastic" / "nodal_tree.mbs.json").system
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
