"""Identities between the objects of Telegin's forms, and the vector form of the proof of (1)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mbconcord.formalisms.newton_euler import NewtonEuler
from mbconcord.formalisms.telegin import Telegin
from mbconcord.formalisms.telegin.forms.equations import equations
from mbconcord.formalisms.telegin.linkage import Linkage
from mbconcord.formalisms.telegin.loads import Loads, Places
from mbconcord.formalisms.telegin.planarity import linkage
from mbconcord.formalisms.telegin.stages import SpatialEquations
from mbconcord.formalisms.telegin.tree import GROUND, tree
from mbconcord.model import Coordinate, State, System
from mbconcord.model.derivation import flatten
from mbconcord.model.expressions import evaluate, time_derivative
from mbconcord.model.numbers import define, environment
from mbconcord.validation.judge.states import draw
from mbconcord.validation.strategies.special_trees import planar_system
from mbconcord.validation.strategies.trees import random_system

from .telegin_linkages import same

SEEDS = range(8)


class At:
    """A drawn model with the values of its symbols at one state of moderate size."""

    def __init__(self, system: System, seed: int) -> None:
        drawn = draw(system, 1, seed)
        dice = np.random.default_rng(seed)
        names = drawn.system.coordinate_names
        groups = [dict(zip(names, dice.uniform(-2, 2, len(names)), strict=True)) for _ in range(3)]
        self.system = drawn.system.lump_masses()
        state = State(0.7, *groups, drawn.states[0].parameters)
        (self.values,) = environment(self.system, [state])

    def __call__(self, nested: Any) -> np.ndarray:
        """Numbers of nested tuples of expressions."""
        scalars = list(flatten(nested))
        numbers = evaluate(define(scalars, self.system.functions), self.values)
        shape, inner = [], nested
        while isinstance(inner, tuple):
            shape.append(len(inner))
            inner = inner[0]
        return np.array(numbers, dtype=float).reshape(shape)


def planar(seed: int) -> tuple[At, Linkage]:
    at = At(planar_system(seed, 2 + seed % 6), seed)
    links = tree(at.system)
    made, _ = linkage(at.system, links, Loads(at.system, links, Places(links)), "components")
    return at, made


@pytest.mark.parametrize("seed", SEEDS)
def test_matrices_of_the_vector_form(seed: int) -> None:
    """H is symmetric, h skew, S upper triangular; S⁻¹ H S⁻ᵀ is the mass matrix, and both give the same 2T."""
    at, p = planar(seed)
    native = equations(p).native
    H, h, S = native["H"], native["h"], at(native["S"])
    n = len(H)
    assert all(H[i][k] is H[k][i] and h[i][k] is -h[k][i] for i in range(n) for k in range(n))
    assert np.array_equal(S, np.triu(S)) and np.array_equal(np.diag(S), np.ones(n))
    made = equations(p)
    M = at(tuple(tuple(made.mass.get((i, k), h[0][0]) for k in p.topology.links) for i in p.topology.links))
    inverse = np.linalg.inv(S)
    same(inverse @ at(H) @ inverse.T, M)
    omega = at(tuple(p.motion.omega[k] for k in p.topology.links))
    rates = at(tuple(p.motion.rate[k] for k in p.topology.links))
    same(S.T @ omega, rates)
    same(omega @ at(H) @ omega, rates @ M @ rates)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_two_moments_that_the_paper_calls_by_one_name(seed: int) -> None:
    """MΔ_k = MΣ_k - Σ MΣ_j: (25) and (2) are different quantities."""
    at, p = planar(seed)
    t = p.topology
    total = dict(zip(t.links, at(tuple(p.M_sum[k] for k in t.links)), strict=True))
    own = at(tuple(p.M_difference[k] for k in t.links))
    same(own, [total[k] - sum(total[j] for j in t.children[k]) for k in t.links])


@pytest.mark.parametrize("seed", SEEDS)
def test_u_is_the_difference_of_squares(seed: int) -> None:
    """u_k = ω_k² - ω_base²."""
    at, p = planar(seed)
    omega = at(tuple(p.motion.omega[k] for k in (GROUND, *p.topology.links)))
    expected = [omega[k] ** 2 - omega[p.topology.base[k]] ** 2 for k in p.topology.links]
    same(at(tuple(p.u[k] for k in p.topology.links)), expected)


@pytest.mark.parametrize("seed", SEEDS)
def test_second_derivatives_of_static_moments(seed: int) -> None:
    """P of the inward sweep is d²m̄/dt², differentiated here on the graph in fixed axes."""
    at = At(random_system(seed, 2 + seed % 5), seed)
    equations = SpatialEquations(at.system)
    names = at.system.coordinate_names
    for k in equations.tree.links:
        A, moment = equations.places[k].A, equations.equations.static_moments[k]
        fixed = [sum(a * x for a, x in zip(row, moment, strict=True)) for row in A]
        second = time_derivative(time_derivative(fixed, names), names)
        same(at(A) @ at(equations.sweep.P[k]), at(tuple(second)))


@pytest.mark.parametrize("seed", range(12))
def test_the_recursion_is_the_sum_over_the_subtree(seed: int) -> None:
    """Telegin & Kaygorodtsev 2010, the vector form for revolute joints: tensors I_ki of (4), vectors of (1.23).

    M_k = n_k·{ m̄_k × (Σ [ε_i×R_p + ω_i×(ω_i×R_p)] - g) + Σ [I_ki ε_i + ω_i×I_ki ω_i + ω_i (ω_i·I_ki)] }, the
    first sum over the carriers i of k with p next after i, the second over k and what it carries.
    """
    at = At(planar_system(seed, 2 + seed % 6, loads=False, spatial=True), seed)
    e = SpatialEquations(at.system)
    links, children = e.tree.links, e.tree.children
    names = at.system.coordinate_names
    A = {k: at(e.places[k].A) for k in (GROUND, *links)}
    motions = e.motions
    omega = {k: A[k] @ at(motions[k].omega) for k in links}
    epsilon = {k: A[k] @ at(motions[k].epsilon) for k in links}
    R = {k: A[link.base] @ at(link.R) for k, link in links.items()}
    O = {k: at(e.places[k].O) for k in links}
    s = {k: A[k] @ at(e.equations.bodies[k].s) for k in links}
    m = {k: A[k] @ at(e.equations.static_moments[k]) for k in links}
    J = {k: A[k] @ at(e.equations.bodies[k].J) @ A[k].T for k in links}
    g = at(at.system.gravity_vector)

    def chain(k: int) -> list[int]:
        return [] if k == GROUND else [*chain(links[k].base), k]

    found = {}
    for k in links:
        a = -g
        for i, p in zip(chain(k)[:-1], chain(k)[1:], strict=True):
            a = a + np.cross(epsilon[i], R[p]) + np.cross(omega[i], np.cross(omega[i], R[p]))
        moment = np.cross(m[k], a)
        for i in (i for i in links if k in chain(i)):
            way = O[i] - O[k]
            tensor = J[i] + (s[i] @ way) * np.eye(3) - np.outer(s[i], way)
            vector = np.cross(s[i], way)
            for j in children[i]:
                tensor = tensor + (R[j] @ m[j]) * np.eye(3) - np.outer(R[j], m[j])
                vector = vector + np.cross(R[j], m[j])
            moment = moment + tensor @ epsilon[i] + np.cross(omega[i], tensor @ omega[i])
            moment = moment + omega[i] * (omega[i] @ vector)
        found[links[k].coordinate] = A[k] @ at(links[k].axis) @ moment
    drives = at(Telegin("spatial").inverse_dynamics(at.system))
    efforts = at(e.efforts)
    same([found[name] for name in names], drives + efforts)


@pytest.mark.parametrize("form", ["rud", "matrix"])
@pytest.mark.parametrize("seed", range(5))
def test_left_sides_of_24_are_differences_of_drives(form: str, seed: int) -> None:
    """L_k = M_k - Σ M_i over the adjacent links, with the drives of another formalism, without loads."""
    at = At(planar_system(seed, 2 + seed % 6, loads=False), seed)
    plain = tuple(Coordinate(c.name) for c in at.system.coordinates)
    at.system = replace(at.system, coordinates=plain)
    links = tree(at.system)
    signs = linkage(at.system, links, Loads(at.system, links, Places(links)), "components")[1]
    theirs = at(NewtonEuler().derive(at.system).quantities["inverse_dynamics"])
    drives = dict(zip(at.system.coordinate_names, theirs, strict=True))
    M = {k: at((signs[link.coordinate],))[0] * drives[link.coordinate] for k, link in links.links.items()}
    base = {k: link.base for k, link in links.links.items()}
    (stage,) = (s for s in Telegin(form).derive(at.system).stages if s.name == "L")
    own = dict(
        zip((a.name for a in stage.assignments), at(tuple(a.expression for a in stage.assignments)), strict=True)
    )
    assert own
    for name, value in own.items():
        k = int(name.removeprefix("L_"))
        expected = M[k] - sum(M[i] for i in M if base[i] == k)
        assert value == pytest.approx(expected, rel=1e-11, abs=1e-9)
