"""Errata of Konoplev 1989: what the paper prints, what is right, and the numbers that decide between them.

Every row is computed: both sides at the state of a vector (E1, E2, R1, G1), by this project's matrices, which the
tests hold to an independent derivation. The text of the paper is known from a scan; whether the paper or the scan errs
cannot be told from it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from mbconcord.formalisms.konoplev import Konoplev
from mbconcord.formalisms.konoplev.aggregates import Aggregates
from mbconcord.formalisms.konoplev.native import velocity_matrix
from mbconcord.formalisms.konoplev.vectors import Batch, phi_matrix
from mbconcord.model import Body, Coordinate, Inertia, Nonholonomic, State, System, rotation, translation
from mbconcord.model.body import tensor
from mbconcord.model.evaluation import Array
from mbconcord.model.expressions import as_expression, cos, evaluate, sin, symbol
from mbconcord.model.numbers import environment
from mbconcord.model.transformation import vector as triple

from ..reference.konoplev import system, vector

Values = Mapping[str, float]


@dataclass(frozen=True)
class Erratum:
    """A printed expression beside the correct one, and the value of each.

    Attributes
    ----------
    number : int
        Of the row; rows whose error is of notation only have no number here and are left out.
    place : where it stands in the paper
    printed, correct : expressions
    state : the vector at whose state they are evaluated
    printed_value, correct_value : values; of matrices, the largest error against a derivative or another formula
    """

    number: int
    place: str
    printed: str
    correct: str
    state: str
    printed_value: float
    correct_value: float


# --- the vectors ------------------------------------------------------------------------------------


@cache
def model(name: str) -> System:
    """The system of a vector; its initial state is the vector's."""
    return system(vector(name))


@cache
def names(name: str) -> Values:
    """Values of all named scalars of the tiers of a vector, and of q, q', q''."""
    tree = model(name)
    known = dict(environment(tree, [State()])[0])
    known |= {f"{c}''": a for c, a in zip(tree.coordinate_names, vector(name)["qdd"], strict=True)}
    for stage in Konoplev().listing(tree).stages:
        for a in stage.assignments:
            known[a.name] = evaluate([a.expression], known)[0]
    return known


@cache
def aggregates(name: str) -> Aggregates:
    """The aggregates of a vector in body axes, as numbers."""
    tree = model(name)
    return Konoplev(axes="body").aggregates(tree, Batch(tree, [State()]))


def numbers(nested: Any) -> Array:
    """Nested scalars over one state as an array."""
    if isinstance(nested, tuple):
        return np.array([numbers(item) for item in nested])
    return np.asarray(float(np.squeeze(nested)))


def largest(difference: Array) -> float:
    """Largest absolute element."""
    return float(np.abs(difference).max())


# --- §1: the group and the pairs --------------------------------------------------------------------


def group_rows() -> Iterator[Erratum]:
    """Rows of §1 and of (3.4)-(3.5)."""
    whole = aggregates("R1")
    one, two, four = (numbers(whole.tree.matrices[i].transfer.matrix()) for i in (1, 2, 4))
    absolute = numbers(whole.places.frame(4).matrix())
    chain = "L_t^σ = L_{σ+1}^σ L_{σ+2}^{σ+1} …"
    yield Erratum(1, "(1.1)", f"{chain} L_t^{{σ+1}}", f"{chain} L_t^{{t-1}}", "R1, error of L_4^{10}",
                  largest(one @ two @ (two @ four) - absolute), largest(one @ two @ four - absolute))  # fmt: skip
    rate, L, turned = _rate_of_frame()
    yield Erratum(2, "(1.2)", "L = L Φ", "L̇ = L Φ", "R1, error of the identity for L_1^{10}",
                  largest(L - turned), largest(rate - turned))  # fmt: skip
    pair = model("E1").bodies[2].joint
    yield Erratum(
        4, "(1.5)", "r = f q", "r = r_const + f q", "E1, r_1 of body 3", 0.0, float(evaluate([pair[0].amount], {})[0])
    )
    yield Erratum(
        5,
        "example, r³",
        "(p_1³, 0, 0, 0, 0, 0)",
        "(p_1³, 0, 0, 0, 0, θ_6³)",
        "E1, r_6 of body 3",
        0.0,
        names("E1")["q3_6"],
    )
    spin, right, wrong = _euler()
    yield Erratum(
        6,
        "before (1.9)",
        "ω = ε q",
        "ω = ε θ̇",
        "R1, error of ω_2 against ċ = c <ω>",
        largest(wrong - spin),
        largest(right - spin),
    )
    angle = 0.3
    slide = np.array([math.cos(angle), -math.sin(angle), 0])
    yield Erratum(7, "(1.11)", "f_αᵀ Mᵀ = f_αᵀ for every pair of class 5", "only where M f = f",
                  "slide s_1 with ψ_6 = 0.3, error", largest(slide - [1, 0, 0]), 0.0)  # fmt: skip
    rate6, theta6 = names("R1")["q2_6'"], names("R1")["q2_6"]
    yield Erratum(21, "(3.5), second column of ε̇", "<e3>ᵀ c3(θ6) e2 θ̇6", "<e3>ᵀ c3ᵀ(θ6) e2 θ̇6",
                  "R1, second entry, body 2", math.sin(theta6) * rate6, -math.sin(theta6) * rate6)  # fmt: skip


def _rate_of_frame() -> tuple[Array, Array, Array]:
    """dL/dt of body 1 of R1 by central differences of eighth order, L, and L Φ(V)."""
    tree, data, h = model("R1"), vector("R1"), 1e-2

    def at(dt: float) -> Aggregates:
        q = {c: x + dt * v for c, x, v in zip(tree.coordinate_names, data["q"], data["qd"], strict=True)}
        return Konoplev(axes="body").aggregates(tree, Batch(tree, [State(q=q)]))

    def frame(dt: float) -> Array:
        return numbers(at(dt).places.frame(1).matrix())

    weights = (4 / 5, -1 / 5, 4 / 105, -1 / 280)
    rate = np.sum([w * (frame(k * h) - frame(-k * h)) for k, w in enumerate(weights, 1)], axis=0) / h
    L = frame(0)
    return rate, L, L @ numbers(phi_matrix(aggregates("R1").bodies[0].twist))


def _euler() -> tuple[Array, Array, Array]:
    """Relative ω of body 2 of R1, ε θ̇ and ε θ."""
    tree, v = aggregates("R1").tree, names("R1")
    columns = np.array([numbers(tree.matrices[2].rows[alpha])[3:] for alpha in (4, 5, 6)]).T
    rates = np.array([v[f"q2_{alpha}'"] for alpha in (4, 5, 6)])
    angles = np.array([v[f"q2_{alpha}"] for alpha in (4, 5, 6)])
    c, dc = numbers(tree.matrices[2].transfer.c), np.zeros((3, 3))
    h, weights = 1e-2, (4 / 5, -1 / 5, 4 / 105, -1 / 280)
    for k, w in enumerate(weights, 1):
        dc += w * (_turn(angles + k * h * rates) - _turn(angles - k * h * rates)) / h
    skew = c.T @ dc
    return np.array([skew[2, 1], skew[0, 2], skew[1, 0]]), columns @ rates, columns @ angles


def _turn(angles: Array) -> Array:
    """c1 c2 c3 by matrix products."""
    result = np.eye(3)
    for axis, angle in enumerate(angles):
        a, b = (axis + 1) % 3, (axis + 2) % 3
        turn = np.eye(3)
        turn[a, a] = turn[b, b] = math.cos(angle)
        turn[b, a], turn[a, b] = math.sin(angle), -math.sin(angle)
        result = result @ turn
    return result


# --- matrices of the system -------------------------------------------------------------------------


def matrix_rows() -> Iterator[Erratum]:
    """Rows whose expressions are matrices."""
    E1, R1, G1 = aggregates("E1"), aggregates("R1"), aggregates("G1")
    wheel_body = G1.bodies[1]
    (rotor,) = wheel_body.inertia.rotors
    rows = np.array([numbers(row) for row in wheel_body.rows.values()])
    of_spin, of_rate = numbers(rotor.I), numbers(rotor.J(wheel_body.twist))
    speed, acceleration = float(np.squeeze(rotor.speed)), float(np.squeeze(rotor.acceleration))
    right, wrong = rows @ (of_spin * acceleration + of_rate * speed), rows @ ((of_spin + of_rate) * speed)
    worst = int(np.abs(wrong - right).argmax())
    yield Erratum(11, "(2.1), T", "I Ψ̇ + J Ψ̇", "I Ψ̈ + J Ψ̇", "G1, S (I Ψ̈ + J Ψ̇), the row that differs most",
                  float(wrong[worst]), float(right[worst]))  # fmt: skip
    theta, L = numbers(rotor.theta), numbers(rotor.transfer.matrix())
    back = np.linalg.inv(L)
    carrier = numbers(wheel_body.inertia.theta)
    turned = carrier + back @ theta @ back.T - L @ theta @ L.T
    yield Erratum(12, "(2.1), A", "L from the body to the flywheel", "L from the flywheel to the body",
                  "G1, A_44 of body 2", float(turned[3, 3]), float(carrier[3, 3]))  # fmt: skip
    body = R1.bodies[3]
    first = next(iter(body.rows))
    s, ds = numbers(body.rows[first]), numbers(body.rates[first])
    own = numbers(body.pair_rates[first]) if first in body.pair_rates else np.zeros(6)
    yield Erratum(20, "(3.4)", "Ṡᵀ = (Lᵀ M + Lᵀ Ṁ) f", "Ṡᵀ = (L̇ᵀ M + Lᵀ Ṁ) f", "R1, first entry of s_4^{1-1}",
                  float((s + own)[0]), float(ds[0]))  # fmt: skip
    tip = E1.bodies[-1]
    z = {d.name: numbers(row) for d, row in tip.z.items()}
    bias = sum(numbers(row) * float(np.squeeze(d.rate)) for d, row in tip.rows.items())
    right_bias = sum(numbers(row) * float(np.squeeze(d.rate)) for d, row in tip.rates.items())
    yield Erratum(25, "after (4.2)", "b = S W + Z Sᵀ q̇", "b = S W + Z Ṡᵀ q̇", "E1, second term, row 3",
                  float(z["3-6"] @ bias), float(z["3-6"] @ right_bias))  # fmt: skip
    B = _square(R1, velocity_matrix(R1.bodies))
    yield Erratum(
        27,
        "(4.4), c",
        "c = (L_p^{lk})ᵀ M f",
        "c = (L_p^{lk})ᵀ Ṁ f",
        "R1, largest error of B",
        largest(_with_undotted(R1) - B),
        0.0,
    )
    yield Erratum(
        28, "after (4.5)", "symmetric form of B", "B is not symmetric", "R1, largest |B - Bᵀ|", 0.0, largest(B - B.T)
    )


def _square(whole: Aggregates, elements: Mapping[Any, Any]) -> Array:
    place = {d.coordinate: i for i, d in enumerate(whole.tree.free())}
    result = np.zeros((len(place), len(place)))
    for (a, b), x in elements.items():
        result[place[a.coordinate], place[b.coordinate]] = float(np.squeeze(x))
    return result


def _with_undotted(whole: Aggregates) -> Array:
    """B by (4.4) with M in the place of Ṁ in c: there c is the row of S itself."""
    result = _square(whole, velocity_matrix(whole.bodies))
    place = {d.coordinate: i for i, d in enumerate(whole.tree.free())}
    for body in whole.bodies:
        for first in body.rows:
            for second in body.rows:
                dotted = body.pair_rates.get(second)
                c = numbers(body.rows[second]) - (numbers(dotted) if dotted else 0)
                result[place[first.coordinate], place[second.coordinate]] += numbers(body.z[first]) @ c
    return result


def other_rows() -> Iterator[Erratum]:
    """Constraints and the count of operations."""
    joint = (translation("x", "x"), translation("y", "y"), rotation("z", "a"))
    body = Body("sleigh", None, joint, Inertia(as_expression(2), triple((0.4, 0, 0)), tensor((0.1, 0.1, 0.3))))
    a, drift = symbol("a"), as_expression(0.4)
    knife = Nonholonomic("knife", {"x": -sin(a), "y": cos(a)}, drift)
    sleigh = System("sleigh", tuple(map(Coordinate, ("x", "y", "a"))), bodies=(body,), constraints=(knife,))
    state = State(q={"a": 0.6}, v={"x": 1.1 * math.cos(0.6) + 0.4 * math.sin(0.6),
                                   "y": 1.1 * math.sin(0.6) - 0.4 * math.cos(0.6), "a": -0.8})  # fmt: skip
    D = Konoplev().constrained_motion(sleigh, [state]).D[0]
    product = float(D[0] @ [state.v[c] for c in ("x", "y", "a")])
    yield Erratum(
        30, "(4.8)", "Dᵀ q̇ = 0", "Dᵀ q̇ + (0; γ) = 0", "sleigh with γ = 0.4: the left side", product, product + 0.4
    )
    m = 6
    yield Erratum(31, "item 5, N_A(6)", "1,7 m³ + 25,5 m² - 12,17 m - 14", "5/3 m³ + 51/2 m² - 73/6 m - 14",
                  "m = 6; printed: 1191", 1.7 * m**3 + 25.5 * m**2 - 12.17 * m - 14,
                  (10 * m**3 + 153 * m**2 - 73 * m) / 6 - 14)  # fmt: skip
