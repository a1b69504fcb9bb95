"""Lagrange's equations against a second derivation and identities, in sixty digits."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from mbconcord.formalisms.lagrange import Lagrange
from mbconcord.formalisms.lagrange.paths import frames
from mbconcord.model import Prescribed
from mbconcord.model.derivation import flatten
from mbconcord.model.expressions import HALF, ZERO, derivative, rate, symbols, time_derivative

from .second_derivation import (
    generalized_force,
    kinetic_energy,
    left_side,
    placements,
    potential_energy,
    turning,
)  # fmt: skip
from .sixty_digits import EXACT, close, drawn

LAGRANGE = Lagrange()
SEEDS = range(12)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_the_same_equations_from_4x4_matrices_and_virtual_power(seed):
    system, _, at = drawn(seed)
    names = system.coordinate_names
    lumped = system.lump_masses()
    place = placements(lumped)
    found = LAGRANGE.derive(system).quantities
    equations = left_side(kinetic_energy(lumped, place), lumped)
    still = {n + "''": EXACT.number(0) for n in names}
    for row, equation in zip(found["M"], equations, strict=True):
        slopes = [derivative(equation, rate(n, 2)) for n in names]
        assert close(at(row), at(slopes))
    assert close(at(found["h"]), at(equations, still))
    assert close(at(found["applied"]), at(generalized_force(lumped, place)))
    assert set(symbols(flatten(found["M"]))) & {n + "'" for n in names} == set()


@pytest.mark.parametrize("seed", SEEDS)
def test_gravity_is_the_slope_of_the_potential_energy(seed):
    """Central differences in sixty digits: nothing is differentiated on the graph."""
    system, values, at = drawn(seed)
    lumped = system.lump_masses()
    energy = [potential_energy(lumped, placements(lumped))]
    step = EXACT.number(1) / 10**20
    slopes = []
    for name in system.coordinate_names:
        up, down = (at(energy, {name: values[name] + s * step})[0] for s in (1, -1))
        slopes.append((down - up) / (2 * step))
    derivation = LAGRANGE.derive(system)
    assert close(at(derivation.quantities["gravity"]), slopes, tolerance=1e-30)
    assert close(at([derivation.native["Π"]]), at(energy))


@pytest.mark.parametrize("seed", SEEDS)
def test_velocities_are_the_time_derivatives_of_the_matrices(seed):
    """Eqs. (12), (13): A and r themselves, u = Aᵀ dr/dt and ω̃ = Aᵀ dA/dt; what shifts add to u²."""
    system, _, at = drawn(seed, 4)
    place = placements(system)
    names = system.coordinate_names
    all_frames, parent = frames(system.bodies), {b.name: b.parent for b in system.bodies} | {None: None}
    for body, frame in all_frames.items():
        matrix = place[body]
        assert close(at(frame.A), at([r[:3] for r in map(tuple, matrix[:3])]))
        assert close(at(frame.r), at([r[3] for r in matrix[:3]]))
        assert close(at(frame.w), at(turning(matrix, names)))
        speed = time_derivative([row[3] for row in matrix[:3]], names)
        u = [sum((matrix[k][i] * speed[k] for k in range(3)), ZERO) for i in range(3)]
        assert close(at(frame.u), at(u))
        gained = [a * (2 * b + a) for shift in frame.shifts for a, b in zip(shift.added, shift.before)]
        square = [x * x for x in frame.u] + [-x * x for x in all_frames[parent[body]].u]
        assert close(at([sum(square, ZERO)]), at([sum(gained, ZERO)]), 1e-38)


@pytest.mark.parametrize("seed", SEEDS)
def test_native_energies_give_the_same_equations(seed):
    """d/dt ∂L/∂q' - ∂L/∂q of the native L is M q'' + h - gravity."""
    system, _, at = drawn(seed)
    derivation = LAGRANGE.derive(system)
    q = derivation.quantities
    a = [rate(n, 2) for n in system.coordinate_names]
    ours = [
        sum((m * x for m, x in zip(row, a)), ZERO) + h - g
        for row, h, g in zip(q["M"], q["h"], q["gravity"], strict=True)
    ]
    rng = Random(seed)
    more = {n + "''": EXACT.number(0) + rng.randint(-99, 99) for n in system.coordinate_names}
    assert close(at(ours, more), at(left_side(derivation.native["L"], system), more))
    T, Π, L = at([derivation.native[k] for k in ("T", "Π", "L")])
    assert close([L], [T - Π], T)


@pytest.mark.parametrize("seed", SEEDS)
def test_kinetic_energy_is_the_quadratic_form_of_the_mass_matrix(seed):
    """½ q'ᵀ M q' = T where time stands still."""
    system, _, at = drawn(seed)
    bodies = [
        replace(b, joint=tuple(e for e in b.joint if not isinstance(e.motion, Prescribed))) for b in system.bodies
    ]
    derivation = LAGRANGE.derive(replace(system, bodies=tuple(bodies)))
    v = [rate(n) for n in system.coordinate_names]
    M = derivation.quantities["M"]
    form = sum((HALF * (x * m * y) for row, x in zip(M, v) for m, y in zip(row, v)), ZERO)
    assert close(at([derivation.native["T"]]), at([form]))
