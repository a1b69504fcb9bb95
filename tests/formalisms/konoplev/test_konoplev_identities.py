"""Identities of Konoplev's aggregates: the group L(H,6), S and its rate, B, the recursion from the leaves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from laboratory.bench.konoplev import random_pairs
from mbconcord.formalisms.konoplev import Konoplev
from mbconcord.formalisms.konoplev.aggregates import Aggregates
from mbconcord.formalisms.konoplev.canonical import arrays, nodes
from mbconcord.formalisms.konoplev.mechanism import mechanism
from mbconcord.formalisms.konoplev.native import square, velocity_matrix
from mbconcord.formalisms.konoplev.pair import matrices
from mbconcord.formalisms.konoplev.vectors import (
    Batch,
    Transfer,
    add,
    dot,
    from_column_axes,
    phi,
    phi_matrix,
    plus,
    product,
    rate_row,
    sum_matrices,
    transpose,
)
from mbconcord.model import Body, Coordinate, Inertia, State, System, rotation, translation
from mbconcord.model.derivation import flatten
from mbconcord.model.expressions import time_derivative

from ...reference.konoplev import OPEN, system, vector
from ..numbers import close, values
from .konoplev_numbers import state_of

# --- the group L(H,6) -------------------------------------------------------------------------------


def six_coordinates() -> tuple[System, Any]:
    """A free body: its pair has all six coordinates."""
    joint = (*(translation(a, f"s{a}") for a in "xyz"), *(rotation(a, f"t{a}") for a in "xyz"))
    names = [et.coordinate for et in joint]
    model = System("free", tuple(map(Coordinate, names)), bodies=(Body("b", None, joint, Inertia(1)),))
    return model, mechanism(model).links[0].pair


def test_poisson_on_the_group():
    """(1.2): the time derivative of L on the graph is L Φ(V), with V = M ṙ by (3.1)."""
    model, pair = six_coordinates()
    found = matrices(pair, lambda x: x)
    rows = [found.rows[alpha] for alpha in range(1, 7)]
    L = nodes(found.transfer.matrix())
    L_rate = time_derivative(list(flatten(L)), model.coordinate_names)
    state = state_of(model)
    twist = values(nodes(tuple(rows)), model, state).T @ list(state.v.values())
    expected = values(L, model, state) @ values(nodes(phi_matrix(tuple(twist))), model, state)
    assert close(values(tuple(L_rate), model, state).reshape(6, 6), expected, 1e-14)


def test_rates_of_M_are_the_derivatives_of_M():
    """(3.5)."""
    model, pair = six_coordinates()
    found = matrices(pair, lambda x: x)
    state = state_of(model)
    for alpha in range(1, 7):
        derived = time_derivative(list(flatten(nodes(found.rows[alpha]))), model.coordinate_names)
        assert close(values(tuple(derived), model, state), values(nodes(found.row_rates[alpha]), model, state), 1e-14)


def test_group_operations():
    dice = np.random.default_rng(2)

    def transfer() -> Transfer:
        q, _ = np.linalg.qr(dice.normal(size=(3, 3)))
        q *= np.sign(np.linalg.det(q))
        return Transfer(tuple(map(float, dice.normal(size=3))), tuple(tuple(map(float, row)) for row in q))

    a, b = transfer(), transfer()
    A, B = np.array(a.matrix(), float), np.array(b.matrix(), float)
    x = tuple(map(float, dice.normal(size=6)))
    v = tuple(map(float, dice.normal(size=6)))
    assert close(a.then(b).matrix(), A @ B, 1e-14)
    assert close(np.array(a.inverse().matrix(), float) @ A, np.eye(6), 1e-14)
    assert close(a.row(x), np.array(x) @ A, 1e-14)
    assert close(a.wrench(x), A @ x, 1e-14)
    assert close(a.twist(v), A.T @ v, 1e-14)
    Φ = np.array(phi_matrix(v), float)
    assert close(rate_row(x, v), np.array(x) @ Φ, 1e-14)
    assert close(phi(v, x), Φ @ x, 1e-14)
    assert close(Φ.T @ v, np.zeros(6), 1e-14)


# --- identities of the whole system -----------------------------------------------------------------

MODELS = {name: (system(vector(name)), state_of(system(vector(name)))) for name in OPEN} | {
    f"random {seed}": (lambda made: (made[0], made[1][0]))(random_pairs(seed)) for seed in range(4)
}


@pytest.mark.parametrize("name", MODELS)
def test_rate_of_S_is_the_derivative_of_S(name):
    """(3.4), prescribed motions included."""
    model, state = MODELS[name]
    native = Konoplev().derive(model).native
    derived = time_derivative(list(flatten(native["S"])), model.coordinate_names)
    expected = values(tuple(derived), model, state)
    assert close(values(native["S'"], model, state).ravel(), expected, 1e-13)


@pytest.mark.parametrize("name", MODELS)
def test_V_is_S_transposed_times_rates(name):
    """(3.3); rows of prescribed motions are added."""
    model, state = MODELS[name]
    whole = Konoplev().aggregates(model, Batch(model, [state]))
    for body in whole.bodies:
        total = sum(
            np.array([float(np.squeeze(x)) for x in row]) * float(np.squeeze(d.rate)) for d, row in body.rows.items()
        )
        assert close([float(np.squeeze(x)) for x in body.twist], total, 1e-13)


def velocity_matrix_by_elements(bodies, simple_pairs=False):
    """Compute ``B_J^I = Σ_p s_p^I A_p c_p^J + s_p^I K_p^j (s_p^J)ᵀ``, (4.4), over the bodies that I and J both move.

    ``c_p^J = (L_p^j)ᵀ Ṁ_j f_β``, ``K_p^j = B_p + A_p Φ(V_p^{j,p})ᵀ``. Equals :func:`velocity_matrix`. ``simple_pairs``
    omits c, (4.5): valid if ``Ṁ_j f_β = 0``, as in pairs of one coordinate.
    """
    result = {}
    for body in bodies:
        own = body.inertia.B(body.twist)
        free = [d for d in body.rows if d.coordinate]
        for second in free:
            turn = phi_matrix(body.relative[second.link])
            K = sum_matrices(own, product(body.inertia.matrix, transpose(turn)))
            column = from_column_axes(K, body.rows[second])
            if second in body.pair_rates and not simple_pairs:
                column = plus(column, from_column_axes(body.inertia.matrix, body.pair_rates[second]))
            for first in free:
                share = dot(body.rows[first], column)
                result[first, second] = add(result.get((first, second), 0), share)
    return result


@pytest.mark.parametrize("name", MODELS)
def test_elementwise_B_is_the_matrix_B(name):
    """(4.4) is (4.1)."""
    model, state = MODELS[name]
    whole = Konoplev().aggregates(model, Batch(model, [state]))
    a = arrays(square(whole, velocity_matrix(whole.bodies)), 1)
    b = arrays(square(whole, velocity_matrix_by_elements(whole.bodies)), 1)
    assert close(a, b, 1e-13)


def test_short_form_of_B_needs_simple_pairs():
    """(4.5) leaves c out: right for pairs of one coordinate, wrong for a spherical joint."""
    for name, right in (("E1", True), ("R1", False)):
        model = system(vector(name))
        whole = Konoplev().aggregates(model, Batch(model, [State()]))
        a = arrays(square(whole, velocity_matrix(whole.bodies)), 1)
        b = arrays(square(whole, velocity_matrix_by_elements(whole.bodies, simple_pairs=True)), 1)
        assert close(a, b, 1e-13) is right


@pytest.mark.slow
@pytest.mark.parametrize("name", ["E1", "E2", "R1", "random 0", "random 2"])
@pytest.mark.parametrize("skew", [False, True])
def test_power_and_skew_symmetry(name, skew):
    """q̇ᵀ (Ȧ - 2 B) q̇ = 0 without flywheels; Ȧ - 2 B is skew with the skew variant, and only with it."""
    model, state = MODELS[name]
    if any(type(et.motion).__name__ == "Prescribed" for body in model.bodies for et in body.joint):
        model, state = MODELS["R1"]
    derivation = Konoplev().derive(model)
    n = len(model.coordinates)
    rate = values(
        tuple(time_derivative(list(flatten(derivation.quantities["M"])), model.coordinate_names)), model, state
    )
    B = values(derivation.native["B~" if skew else "B"], model, state)
    v = np.array([state.v[c] for c in model.coordinate_names])
    left = rate.reshape(n, n) - 2 * B
    assert abs(v @ left @ v) < 1e-12 * (1 + np.abs(left).max())
    assert close(B @ v, values(derivation.quantities["h"], model, state), 1e-12)
    assert close(left, -left.T, 1e-12) is skew


@pytest.mark.parametrize("name", MODELS)
def test_leaf_to_root_recursion_gives_the_same_equations(name):
    """(2.4): X_p = A V̇ + B V - T gathered from the leaves, with V̇ = Sᵀ q̈ + Ṡᵀ q̇, is A(q) q̈ + b - S T; S Y = 0."""
    model, state = MODELS[name]
    formalism = Konoplev(axes="body")
    whole = formalism.aggregates(model, Batch(model, [state]))
    found = formalism.evaluate(model, [state]).quantities
    expected = found["inverse_dynamics"][0] + found["applied"][0]
    by_name = _recursion(whole, state)
    assert close([by_name[c] for c in model.coordinate_names], expected, 1e-12)


def _recursion(whole: Aggregates, state: State) -> dict[str, float]:
    def scalar(x: Any) -> float:
        return float(np.squeeze(x))

    wrench = {link: np.zeros(6) for link in whole.tree.links} | {0: np.zeros(6)}
    for body in whole.bodies:
        accelerated = sum(
            np.array(list(map(scalar, row))) * state.a.get(d.coordinate, 0) for d, row in body.rows.items()
        )
        V = np.array(list(map(scalar, body.twist)))
        rate = accelerated + np.array(list(map(scalar, body.bias)))
        A = np.array([[scalar(x) for x in row] for row in body.inertia.matrix])
        B = np.array([[scalar(x) for x in row] for row in body.inertia.B(body.twist)])
        wrench[body.number] += A @ rate + B @ V - np.array(list(map(scalar, body.inertia.weight(body.g))))
        for rotor in body.inertia.rotors:
            wrench[body.number] += np.array(list(map(scalar, rotor.reaction(body.twist))))
    found = {}
    for link in reversed(list(whole.tree.links)):
        own = whole.tree.matrices[link]
        for d in whole.tree.directions[link]:
            if d.coordinate:
                found[d.coordinate] = float(np.array(list(map(scalar, own.rows[d.alpha]))) @ wrench[link])
        L = np.array([[scalar(x) for x in row] for row in own.transfer.matrix()])
        wrench[whole.tree.links[link].parent] += L @ wrench[link]
    return found
