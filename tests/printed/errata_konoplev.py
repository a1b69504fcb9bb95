"""Errata of Konoplev 1989: what the paper prints, what is right, and the numbers that decide between them.

Every row is computed: both sides at the state of a vector (E1, E2, R1, G1), by this project's matrices, which the
tests hold to an independent derivation. The text of the paper is known from a scan; whether the paper or the scan errs
cannot be told from it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from mbconcord.formalisms.konoplev import Konoplev
from mbconcord.formalisms.konoplev.aggregates import Aggregates
from mbconcord.formalisms.konoplev.arithmetic import Batch
from mbconcord.formalisms.konoplev.elementwise import velocity_matrix
from mbconcord.formalisms.konoplev.screw import phi_matrix
from mbconcord.model import Body, Coordinate, Inertia, Nonholonomic, State, System, rotation, translation
from mbconcord.model.evaluation import Array
from mbconcord.model.expressions import as_expression, cos, evaluate, sin, symbol
from mbconcord.model.inertia import tensor
from mbconcord.model.numbers import environment
from mbconcord.model.transformation import vector as triple
from mbconcord.validation.benchmarks.konoplev_vectors import system, vector

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


def section() -> str:
    """The section of docs/errata.md."""
    lines = [
        "## Konoplev 1989: aggregative models of trees of rigid bodies",
        "",
        "Both expressions are evaluated at the state of a vector of fixtures/konoplev; E1 is the paper's mechanism. "
        "For matrices the values are their largest errors. A number raised on a letter is a body's: `θ_5²` is θ_5 "
        "of body 2.",
        "",
        "The copy used here is a scan in which dots and indices suffer; what is printed may be the paper's or the "
        "scan's. A lost dot, another index, an entry too many or too few can be either. Rows 7, 10, 15, 28, 30 and "
        "31 are wrong in what they say, whatever the letters: those are the paper's, it seems.",
        "",
        "| # | place | printed | correct | at | printed gives | correct gives |",
        "|---|---|---|---|---|---|---|",
    ]
    for e in errata():
        cells = (
            e.number,
            e.place,
            f"`{e.printed}`",
            f"`{e.correct}`",
            e.state,
            _short(e.printed_value),
            _short(e.correct_value),
        )
        lines.append("| " + " | ".join(str(c).replace("|", "\\|") for c in cells) + " |")
    return "\n".join(lines) + "\n"


def _short(value: float) -> str:
    return "0" if abs(value) < 1e-12 else f"{value:.6g}"


def errata() -> tuple[Erratum, ...]:
    """All rows in the order of their numbers."""
    return tuple(
        sorted((*group_rows(), *mechanism_rows(), *matrix_rows(), *other_rows()), key=lambda e: e.number)
    )


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
        4,
        "(1.5)",
        "r = f q",
        "r = r_const + f q",
        "E1, r_1 of body 3",
        0.0,
        float(evaluate([pair[0].amount], {})[0]),
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


# --- the paper's mechanism --------------------------------------------------------------------------


def mechanism_rows() -> Iterator[Erratum]:
    """Rows of the example, over the names of its tiers."""
    v, w = names("E1"), names("E2")

    def row(
        number: int, place: str, printed: str, correct: str, wrong: float, right: float, at: str = "E1"
    ) -> Erratum:
        return Erratum(number, place, printed, correct, at, wrong, right)

    s, z, V, W, ds = (_named(v, letter) for letter in ("s", "z", "V", "W", "ṡ"))
    s12, c12 = s(3, 1, "1-2"), s(3, 2, "1-2")
    yield row(8, "example, s_2^{2-5}, third entry", "0", "-r_c1²", 0.0, w["s_{2,3}^{2-5}"], "E2")
    yield row(
        10, "example, A_22", "I55² alone", "I55² + m2 (r_c1²)²", v["A_{2-5}^{2-5}"], w["A_{2-5}^{2-5}"], "E2"
    )
    yield row(22, "(3.6)", "s = fᵀ L", "ṡ = fᵀ L̇", s12, ds(3, 1, "1-2"), "E1, s_{3,1}^{1-2}")
    yield row(23, "example, V_2, third entry", "0", "-r_c1² θ̇5", 0.0, w["V_{2,3}^{0,2}"], "E2")
    yield row(24, "example, V_3, sixth entry", "θ̇5", "θ̇6", v["q2_5'"], V(3, 6))
    yield row(34, "A-III, A_{1-2}^{1-2}", "z_22 z_31 + z_31 z_32", "z_22 s_22 + z_31 s_31 + z_32 s_32",
              z(2, 2, "1-2") * z(3, 1, "1-2") + z(3, 1, "1-2") * z(3, 2, "1-2"), v["A_{1-2}^{1-2}"])  # fmt: skip
    yield row(35, "A-III, A_{3-6}^{1-2}", "z_32^{1-2} z_33^{2-5}", "z_32^{1-2} s_32^{3-6}",
              z(3, 2, "1-2") * z(3, 3, "2-5"), v["A_{3-6}^{1-2}"])  # fmt: skip
    parts = ((2, 5, "2-5"), (3, 3, "2-5"), (3, 4, "2-5"), (3, 5, "2-5"))
    yield row(
        36, "A-III, A_{2-5}^{2-5}", "Σ z z", "Σ z s", sum(z(*p) ** 2 for p in parts), v["A_{2-5}^{2-5}"]
    )
    last = ((3, 2, "3-6"), (3, 6, "3-6"))
    yield row(37, "A-III, A_{3-6}^{3-6}", "Σ z z", "Σ z s", sum(z(*p) ** 2 for p in last), v["A_{3-6}^{3-6}"])
    yield row(38, "b-I, V_{3,1}", "s_{3,1}^{1-2} s_1²", "s_{3,1}^{1-2} ṡ_2¹", s12 * v["q1_2"], V(3, 1),
              "E1, s_1² read as s_2¹")  # fmt: skip
    yield row(39, "b-II", "W_{3,1} ≡ 0", "W_2 ≡ 0", 0.0, W(3, 1), "E1, W_{3,1}")
    yield row(40, "b-II, W_{3,2}", "m3 (V_3 V_4 - V_1 V_6)", "m3 (V_1 V_6 - V_3 V_4)",
              1.5 * (V(3, 3) * V(3, 4) - V(3, 1) * V(3, 6)), W(3, 2))  # fmt: skip
    yield row(41, "b-III, b_31", "s_{3,6}^{3-6} W_{3,6}", "s_{3,2}^{3-6} W_{3,2} + s_{3,6}^{3-6} W_{3,6}",
              s(3, 6, "3-6") * W(3, 6), v["b_{3-6}^{1}"])  # fmt: skip
    yield row(42, "b-IV", "s_{3,2}^{1-2} = -sin θ6 θ̇6", "ṡ_{3,2}^{1-2} = -sin θ6 θ̇6", c12, ds(3, 2, "1-2"))
    yield row(43, "b-V, b_32", "z_{3,2}^{3-6} s_{3,2}^{3-6} θ_6²", "z_{3,2}^{3-6} ṡ_{3,2}^{1-2} ṡ_2¹",
              z(3, 2, "3-6") * ds(3, 2, "3-6") * v["q3_6'"], v["b_{3-6}^{2}"],
              "E1, read as ṡ_{3,2}^{3-6} θ̇_6³")  # fmt: skip
    inner = sum(z(*p) * ds(*p) for p in parts[1:])
    yield row(44, "b-V, b_22", "(…) θ_5²", "(…) θ̇_5²", inner * v["q2_5"], v["b_{2-5}^{2}"])
    lever = s(3, 3, "2-5")
    yield row(45, "final equation 2", "(p_1³ + r_c1³ c)² + …", "m3 (p_1³ + r_c1³ c)² + …",
              v["A_{2-5}^{2-5}"] - 1.5 * lever**2 + lever**2, v["A_{2-5}^{2-5}"])  # fmt: skip
    arm = -1.5 * s(3, 2, "3-6") * s12
    yield row(46, "final equation 1", "- m3 r_c1³ s (θ̈_6)²", "- m3 r_c1³ s (θ̇_6)²",
              arm * v["q3_6''"] ** 2, arm * v["q3_6'"] ** 2)  # fmt: skip
    yield row(47, "example, s_2^{2-5}, fourth entry", "1, the fifth is 0", "0, the fifth is 1",
              1.0, s(2, 4, "2-5"))  # fmt: skip
    yield row(48, "example, V_2, sixth of seven entries", "θ̇_5²", "0, the fifth of six is θ̇_5²",
              v["q2_5'"], V(2, 6))  # fmt: skip
    yield row(49, "example, V_3, fourth of five entries", "c θ_6³ θ̇_5²", "s θ_6³ θ̇_5², then c θ_6³ θ̇_5²",
              c12 * v["q2_5'"], V(3, 4))  # fmt: skip
    yield row(50, "example, V_3, second entry", "ṡ_2¹ c θ_6³ + r_c1³ θ_6³", "ṡ_2¹ c θ_6³ + r_c1³ θ̇_6³",
              c12 * v["q1_2'"] + s(3, 2, "3-6") * v["q3_6"], V(3, 2))  # fmt: skip
    for number, (p, i, *terms) in enumerate(UNDOTTED, 51):
        printed = " + ".join(f"s_{{{p},{i}}}^{{{d}}} {q}" for d, q in terms)
        correct = " + ".join(f"s_{{{p},{i}}}^{{{d}}} {DOTTED[q]}" for d, q in terms)
        still = sum(s(p, i, d) * v[COORDINATE[q]] for d, q in terms)
        yield row(number, f"b-I, V_{{{p},{i}}}", printed, correct, still, V(p, i))


#: Coordinates of the mechanism as the paper writes them (the raised number is the body's), and as the model does.
COORDINATE = {"s_2¹": "q1_2", "θ_5²": "q2_5", "θ_6³": "q3_6"}
DOTTED = {"s_2¹": "ṡ_2¹", "θ_5²": "θ̇_5²", "θ_6³": "θ̇_6³"}
#: Twists of tier b-I that are printed without dots: body, component, then (direction, coordinate) of each term.
UNDOTTED: tuple[tuple[Any, ...], ...] = (
    (2, 2, ("1-2", "s_2¹")),
    (2, 5, ("2-5", "θ_5²")),
    (3, 2, ("1-2", "s_2¹"), ("3-6", "θ_6³")),
    (3, 3, ("2-5", "θ_5²")),
    (3, 4, ("2-5", "θ_5²")),
    (3, 5, ("2-5", "θ_5²")),
    (3, 6, ("3-6", "θ_6³")),
)


def _named(v: Values, letter: str) -> Callable[..., float]:
    """Values of one letter by body, component and direction; an absent name is zero."""

    def value(p: int, i: int, direction: str = "") -> float:
        above = direction or f"0,{p}"
        return v.get(f"{letter}_{{{p},{i}}}^{{{above}}}", 0.0)

    return value


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
        28,
        "after (4.5)",
        "symmetric form of B",
        "B is not symmetric",
        "R1, largest |B - Bᵀ|",
        0.0,
        largest(B - B.T),
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
    body = Body(
        "sleigh", None, joint, Inertia(as_expression(2), triple((0.4, 0, 0)), tensor((0.1, 0.1, 0.3)))
    )
    a, drift = symbol("a"), as_expression(0.4)
    knife = Nonholonomic("knife", {"x": -sin(a), "y": cos(a)}, drift)
    sleigh = System("sleigh", tuple(map(Coordinate, ("x", "y", "a"))), bodies=(body,), constraints=(knife,))
    state = State(q={"a": 0.6}, v={"x": 1.1 * math.cos(0.6) + 0.4 * math.sin(0.6),
                                   "y": 1.1 * math.sin(0.6) - 0.4 * math.cos(0.6), "a": -0.8})  # fmt: skip
    D = Konoplev().constrained_motion(sleigh, [state]).D[0]
    product = float(D[0] @ [state.v[c] for c in ("x", "y", "a")])
    yield Erratum(
        30,
        "(4.8)",
        "Dᵀ q̇ = 0",
        "Dᵀ q̇ + (0; γ) = 0",
        "sleigh with γ = 0.4: the left side",
        product,
        product + 0.4,
    )
    m = 6
    yield Erratum(31, "item 5, N_A(6)", "1,7 m³ + 25,5 m² - 12,17 m - 14", "5/3 m³ + 51/2 m² - 73/6 m - 14",
                  "m = 6; printed: 1191", 1.7 * m**3 + 25.5 * m**2 - 12.17 * m - 14,
                  (10 * m**3 + 153 * m**2 - 73 * m) / 6 - 14)  # fmt: skip
