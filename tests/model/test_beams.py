"""Beams: shape integrals against the closed forms of textbooks and against quadrature, axes, nodes, refusals."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mbconcord.model import ElasticModes, Inertia
from mbconcord.model.beams import (
    ClampedFree,
    CrossSection,
    ShapeFunction,
    ShapePolynomial,
    Sine,
    TipLoaded,
    axial,
    beam,
    bending,
    power,
    rectangular,
    round_section,
    static,
    torsion,
    tubular,
)
from mbconcord.model.beams.shapes import draw_back, moment, overlap
from mbconcord.model.diagnostics import ModelError
from mbconcord.model.expressions import evaluate, evaluate_float, symbol

#: ∫f, ∫ξf, ∫f², ∫f″², f′(1), f(½), f′(½): of the first clamped-free mode as tables print them, of others exactly.
TABLE: dict[str, tuple[ShapeFunction, tuple[float, ...]]] = {
    "clamped-free 1": (
        ClampedFree(1),
        (0.391495878020, 0.284412871855, 0.25, 3.090590842082, 1.376505484673, 0.339523112865, 1.163054450341),
    ),
    "x^2": (power(2), (1 / 3, 1 / 4, 1 / 5, 4, 2, 1 / 4, 1)),
    "x^3": (power(3), (1 / 4, 1 / 5, 1 / 7, 12, 3, 1 / 8, 3 / 4)),
    "static": (static(), (3 / 8, 11 / 40, 33 / 140, 3, 3 / 2, 5 / 16, 9 / 8)),
}  # fmt: skip
SHAPES: tuple[ShapeFunction, ...] = (
    *(ClampedFree(k) for k in (1, 2, 3, 6)),
    *(TipLoaded(k, 1.0, 0.02) for k in (1, 2, 5)),
    power(2),
    power(5),
    static(),
    Sine(1),
    Sine(3),
)


def number(x: Any) -> float:
    """The value of an expression of numbers."""
    return float(evaluate_float(x, {}))


def matrix(rows: Any) -> np.ndarray:
    """The values of a matrix of expressions."""
    return np.array([[number(x) for x in row] for row in rows])


@pytest.mark.parametrize("name", TABLE)
def test_integrals_of_the_table(name: str) -> None:
    f, expected = TABLE[name]
    found = (
        moment(f),
        moment(f, 1),
        overlap(f, f),
        overlap(f, f, 2),
        f.evaluate(1.0, 1),
        f.evaluate(0.5),
        f.evaluate(0.5, 1),
    )
    assert [float(x) for x in found] == pytest.approx(expected, rel=2e-12, abs=0)
    assert float(f.evaluate(1.0)) == pytest.approx(1, rel=1e-13, abs=0)


def simpson(function: Callable[[float], float], count: int = 4000) -> float:
    """∫ over 0 … 1 by another rule than the builder's."""
    x = np.linspace(0, 1, count + 1)
    y = np.array([function(float(v)) for v in x])
    return float((y[0] + y[-1] + 4 * y[1:-1:2].sum() + 2 * y[2:-1:2].sum()) / (3 * count))


@pytest.mark.slow
@pytest.mark.parametrize("f", SHAPES, ids=repr)
def test_integrals_are_those_of_the_functions(f: ShapeFunction) -> None:
    other = power(3)
    for order in (0, 1, 2):
        expected = simpson(lambda x, n=order: float(f.evaluate(x, n)) * float(other.evaluate(x, n)))
        assert float(overlap(f, other, order)) == pytest.approx(expected, rel=1e-8, abs=1e-8)
        expected = simpson(lambda x, n=order: float(f.evaluate(x, n)) ** 2)
        assert float(overlap(f, f, order)) == pytest.approx(expected, rel=1e-6, abs=0)
    for weight in (0, 1):
        expected = simpson(lambda x, n=weight: x**n * float(f.evaluate(x)))
        assert float(moment(f, weight)) == pytest.approx(expected, rel=1e-9, abs=1e-10)


@pytest.mark.parametrize("k", [1, 2, 5, 6, 11, 40, 300])
def test_roots_of_clamped_free_modes_are_roots(k: int) -> None:
    """By another form of the equation: tan(β/2) tanh(β/2) = ±1."""
    half = ClampedFree(k).beta / 2
    assert math.tan(half) * math.tanh(half) == pytest.approx(-((-1) ** k), rel=1e-13, abs=0)
    assert abs(2 * half - (k - 0.5) * math.pi) < 0.35
    assert ClampedFree(k).evaluate(1.0) == pytest.approx(1, rel=1e-13, abs=0)


@pytest.mark.parametrize("f", SHAPES, ids=repr)
def test_derivatives_are_those_of_the_functions(f: ShapeFunction) -> None:
    step = 1e-5
    for x in (0.2, 0.7):
        for order in (0, 1):
            slope = (float(f.evaluate(x + step, order)) - float(f.evaluate(x - step, order))) / (2 * step)
            assert float(f.evaluate(x, order + 1)) == pytest.approx(slope, rel=1e-6, abs=1e-6)


def test_clamped_free_modes_are_orthogonal() -> None:
    for order in (0, 2):
        assert overlap(ClampedFree(1), ClampedFree(3), order) == 0
        total = simpson(lambda x, n=order: ClampedFree(1).evaluate(x, n) * ClampedFree(3).evaluate(x, n))
        assert total == pytest.approx(0, rel=0, abs=1e-7)


LINK = {"length": 0.35, "section": round_section(0.003), "young": 2e11, "density": 7800}


def made(modes: Any, **more: Any) -> tuple[Inertia, ElasticModes]:
    """The link of the paper's example, of steel, with these modes."""
    given = LINK | more
    return beam(given.pop("length"), given.pop("section"), modes, **given)


def frequencies(modes: ElasticModes) -> np.ndarray:
    """Of the clamped beam, rad/s."""
    mass = np.array([[sum(number(b[a][a]) for a in range(3)) for b in row[1:]] for row in modes.second_moments[1:]])
    if modes.section_inertia:
        mass = mass + matrix(modes.section_inertia[2])
    return np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(mass, matrix(modes.stiffness))).real))


def test_frequency_of_a_cantilever() -> None:
    """β² √(EI/μ)/(2π L²) = 34.70 Hz of the paper's link 2; and with K = 917.154 N/m, J = 0.0192972 kg."""
    _, modes = made({"e": bending(2, ClampedFree(1))})
    assert frequencies(modes)[0] / (2 * math.pi) == pytest.approx(34.70, rel=0, abs=5e-3)
    assert number(modes.stiffness[0][0]) == pytest.approx(917.15402480, rel=1e-10, abs=0)
    assert number(modes.second_moments[1][1][1][1]) == pytest.approx(0.01929723, rel=1e-6, abs=0)


@pytest.mark.parametrize(
    ("shapes", "ratio"),
    [
        ((static(),), 1.0146515494), ((power(2), power(3)), 1.0047543236), ((power(2),), 1.2719330303),
        (tuple(ClampedFree(k) for k in range(1, 6)), 1.0),
    ],
)  # fmt: skip
def test_frequencies_of_other_shapes_lie_above_that_of_the_cantilever(
    shapes: tuple[ShapeFunction, ...], ratio: float
) -> None:
    _, modes = made({f"e{k}": bending(2, f) for k, f in enumerate(shapes)})
    exact = ClampedFree(1).beta ** 2 * math.sqrt(12.7235 / 0.22054) / 0.35**2
    assert frequencies(modes)[0] / exact == pytest.approx(ratio, rel=1e-5, abs=0)


def carried(n: int, **more: Any) -> tuple[ElasticModes, np.ndarray, np.ndarray]:
    """Link 2 of De Luca and Siciliano (1991): 0.2 kg/m, E I = 1 N m², 0.1 kg and 0.0005 kg m² at its tip; M and K."""
    given: dict[str, Any] = {"length": 0.5, "young": 4 / math.pi, "density": 0.2 / math.pi, "section": round_section(1)}
    _, modes = made(
        {f"e{k}": bending(2, ClampedFree(k)) for k in range(1, n + 1)}, **given | {"nodes": {"tip": 0.5}}, **more
    )
    (node,) = modes.nodes
    mass = np.array([[number(sum(b[a][a] for a in range(3))) for b in row[1:]] for row in modes.second_moments[1:]])
    moved, turned = (matrix(x) for x in (node.translation, node.rotation))
    mass = mass + 0.1 * moved.T @ moved + 0.0005 * turned.T @ turned
    return modes, mass, matrix(modes.stiffness)


def test_a_load_at_the_tip_enters_the_shapes_on_request() -> None:
    """Roots of the textbook's determinant, found here by another method; five free shapes are 6.3 % off the second."""
    r, j = 1.0, 0.02
    x = np.linspace(0.5, 6.5, 2_000_001)
    c, s, ch, sh = np.cos(x), np.sin(x), np.cosh(x), np.sinh(x)
    rest = 1 + c * ch - r * x * (s * ch - c * sh) - j * x**3 * (s * ch + c * sh) + r * j * x**4 * (1 - c * ch)
    exact = x[:-1][rest[:-1] * rest[1:] < 0] ** 2 * math.sqrt(1 / 0.2) / 0.5**2
    for n, load, off in ((3, (0.1, 0.0005), 1e-5), (5, None, 0.0630)):
        _, mass, stiffness = carried(n, load=load)
        found = np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(mass, stiffness)).real))
        assert found[1] / exact[1] - 1 == pytest.approx(
            off if load is None else 0, rel=0, abs=1e-4 if load is None else off
        )
        if load:  # the modes do not act on each other
            assert found[:3] == pytest.approx(exact[:3], rel=1e-5)
            assert [abs(mass[i, k]) / math.sqrt(mass[i, i] * mass[k, k]) for i in range(3) for k in range(i)] < [
                1e-9
            ] * 3


def test_damping_ratios_are_those_of_the_loaded_beam() -> None:
    modes, mass, _ = carried(2, load=(0.1, 0.0005), damping=(0.01, 0.03))
    stiffness, damping = matrix(modes.stiffness), matrix(modes.damping)
    squares, shapes = np.linalg.eig(np.linalg.solve(mass, stiffness))
    own = np.diag(np.linalg.solve(shapes, np.linalg.solve(mass, damping @ shapes))) / (2 * np.sqrt(squares))
    assert np.sort(own) == pytest.approx([0.01, 0.03], rel=1e-9)


@pytest.mark.parametrize(
    ("mass", "inertia", "beta"), [(1e9, 0.0, 3.92660231), (1e9, 1e9, 4.73004074), (0.0, 0.0, 4.69409113)]
)
def test_loads_at_their_limits_pin_and_clamp_the_tip(mass: float, inertia: float, beta: float) -> None:
    """A heavy mass holds the tip, a heavy body clamps it: the modes above those of the load are a textbook's."""
    k = 2 + (inertia > 0)
    assert TipLoaded(k, mass, inertia).radians == pytest.approx(beta, rel=1e-7)


@pytest.mark.parametrize(
    ("shapes", "share"),
    [
        ((static(),), 1.0), ((power(2), power(3)), 1.0), ((ClampedFree(1),), 0.9706881801), ((power(2),), 0.75),
        (tuple(ClampedFree(k) for k in range(1, 6)), 0.9996778413),
    ],
)  # fmt: skip
def test_deflection_of_a_cantilever_by_a_force_at_its_tip(shapes: tuple[ShapeFunction, ...], share: float) -> None:
    """Parts of F L³/(3EI)."""
    _, modes = made({f"e{k}": bending(2, f) for k, f in enumerate(shapes)})
    found = np.linalg.solve(matrix(modes.stiffness), np.ones(len(shapes))).sum()
    exact = 0.35**3 / (3 * 2e11 * math.pi * 0.003**4 / 4)
    assert found / exact == pytest.approx(share, rel=1e-9, abs=0)


def test_torsion_and_extension_have_their_frequencies() -> None:
    """(2k-1) π/(2L) √(G/ρ) and √(E/ρ)."""
    _, modes = made({"t": torsion(Sine(1)), "a": axial(Sine(1))}, poisson=0.25)
    found = frequencies(modes)
    about = math.pi / 2 / 0.35
    expected = [about * math.sqrt(2e11 / 2.5 / 7800), about * math.sqrt(2e11 / 7800)]
    assert found == pytest.approx(expected, rel=1e-9, abs=0)


def test_damping_ratios_are_those_of_the_clamped_beam() -> None:
    _, modes = made({"a": bending(2, power(2)), "b": bending(2, power(3))}, damping=0.03)
    mass = np.array([[sum(number(b[a][a]) for a in range(3)) for b in row[1:]] for row in modes.second_moments[1:]])
    K, D = matrix(modes.stiffness), matrix(modes.damping)
    system = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(mass, K), -np.linalg.solve(mass, D)]])
    for value in np.linalg.eigvals(system):
        assert -value.real / abs(value) == pytest.approx(0.03, rel=1e-9, abs=0)


SECTIONS: dict[str, tuple[CrossSection, tuple[float, ...]]] = {
    "round": (round_section(2), (4 * math.pi, 4 * math.pi, 4 * math.pi, 8 * math.pi)),
    "tube": (tubular(2, 1), (3 * math.pi, 3.75 * math.pi, 3.75 * math.pi, 7.5 * math.pi)),
    "square": (rectangular(2, 2), (4, 4 / 3, 4 / 3, 2.249232)),
    "sheet": (rectangular(1, 10), (10, 250 / 3, 10 / 12, 3.123)),
}


@pytest.mark.parametrize("name", SECTIONS)
def test_sections(name: str) -> None:
    """Area, moments and torsion constants: of rectangles 0.140577 a⁴ and 0.3123 a b³ (Roark)."""
    s, expected = SECTIONS[name]
    found = [number(x) for x in (s.area, s.second, s.third, s.torsion)]
    assert found == pytest.approx(expected, rel=1e-4, abs=0)


@pytest.mark.parametrize("axis", ["x", "y", "z", "-x", "-y", "-z"])
def test_a_beam_along_any_axis_is_the_same_beam_turned(axis: str) -> None:
    modes = {"a": bending(2, power(2)), "b": bending(3, static()), "t": torsion(Sine(1)), "l": axial(power(1))}
    first, along_x = made(modes, nodes={"tip": 0.35, "mid": 0.1}, rotary=True)
    second, turned = made(modes, nodes={"tip": 0.35, "mid": 0.1}, rotary=True, axis=axis)
    sign = -1 if axis.startswith("-") else 1
    i = "xyz".index(axis[-1])
    R = np.zeros((3, 3))
    R[i, 0], R[(i + 1) % 3, 1], R[(i + 2) % 3, 2] = sign, 1, sign
    assert np.linalg.det(R) == pytest.approx(1)

    def close(found: Any, expected: Any) -> None:
        assert np.abs(np.asarray(found) - expected).max() <= 1e-15 * max(1.0, np.abs(expected).max())

    close([number(x) for x in second.centre], R @ [number(x) for x in first.centre])
    close(matrix(second.matrix()), R @ matrix(first.matrix()) @ R.T)
    close(matrix(turned.first_moments), matrix(along_x.first_moments) @ R.T)
    for row, other in zip(turned.second_moments, along_x.second_moments, strict=True):
        for block, before in zip(row, other, strict=True):
            close(matrix(block), R @ matrix(before) @ R.T)
    assert turned.section_inertia
    close(matrix(turned.section_inertia[1]), R @ matrix(along_x.section_inertia[1]))
    for node, before in zip(turned.nodes, along_x.nodes, strict=True):
        close([number(x) for x in node.position], R @ [number(x) for x in before.position])
        close(matrix(node.translation), R @ matrix(before.translation))
        close(matrix(node.rotation), R @ matrix(before.rotation))


@pytest.mark.parametrize("length", [0.35, 1.7])
def test_inertia_is_the_integral_over_the_length(length: float) -> None:
    """Mass, centre, tensor about the clamp and ∫ φ_k φ_lᵀ dm, φ_0 = x e₁, φ_k = f_k(x/L) e, by quadrature."""
    shapes = {"a": (2, ClampedFree(1)), "b": (3, power(2)), "c": (2, static())}
    modes = {name: bending(along, f) for name, (along, f) in shapes.items()} | {"l": axial(power(1))}
    inertia, elastic = made(modes, length=length, rotary=True)
    ratio, weights = np.polynomial.legendre.leggauss(40)
    ratio, weights = (ratio + 1) / 2, weights / 2
    mu, second = 7800 * math.pi * 0.003**2, 7800 * math.pi * 0.003**4 / 4
    fields = [np.outer(ratio * length, [1, 0, 0])]
    fields += [np.outer([float(f.evaluate(x)) for x in ratio], np.eye(3)[along - 1]) for along, f in shapes.values()]
    fields.append(np.outer(ratio, [1, 0, 0]))
    P = np.einsum("s,ksi,lsj->klij", weights * mu * length, fields, fields)
    found = np.array([[matrix(block) for block in row] for row in elastic.second_moments])
    assert found == pytest.approx(P, rel=1e-9, abs=1e-12)
    assert number(inertia.mass) == pytest.approx(mu * length, rel=1e-12)
    about = P[0, 0].trace() * np.eye(3) - P[0, 0] + np.diag([2 * second, second, second]) * length
    c = np.array([number(x) for x in inertia.centre])
    assert c == pytest.approx([length / 2, 0, 0], rel=1e-12)
    steiner = number(inertia.mass) * (c @ c * np.eye(3) - np.outer(c, c))
    assert matrix(inertia.matrix()) + steiner == pytest.approx(about, rel=1e-9, abs=1e-15)


def test_a_beam_may_have_parameters() -> None:
    length, radius = symbol("L"), symbol("r")
    _, modes = beam(
        length, round_section(radius), {"e": bending(2, power(2))}, young=symbol("E"), density=7800,
        nodes={"mid": length / 2},
    )  # fmt: skip
    values = {"L": 0.5, "r": 0.01, "E": 2e11}
    found = float(evaluate([modes.stiffness[0][0]], values)[0])
    assert found == pytest.approx(2e11 * math.pi * 1e-8 / 4 * 4 / 0.125, rel=1e-12, abs=0)
    assert float(evaluate([modes.nodes[0].rotation[2][0]], values)[0]) == pytest.approx(2, rel=1e-12, abs=0)


ONE = {"e": bending(2, power(2))}
REFUSED: dict[str, tuple[Callable[[], object], str, str]] = {
    "a shape that is not clamped": (lambda: made({"e": bending(2, power(1))}), "modes/e", "not clamped"),
    "torsion that is not clamped": (
        lambda: made({"e": torsion(ShapePolynomial(((0, 1), (1, 1))))}), "modes/e", "not clamped",
    ),
    "a node beyond the tip": (lambda: made(ONE, nodes={"n": 0.36}), "nodes/n", "outside"),
    "a node before the clamp": (lambda: made(ONE, nodes={"n": -0.1}), "nodes/n", "outside"),
    "damping of another size": (lambda: made(ONE, damping=((1, 0), (0, 1))), "damping", "another size"),
    "ratios for other modes": (lambda: made(ONE, damping=(0.1, 0.2)), "damping", "2 ratios for 1 mode"),
    "an axis that is none": (lambda: made(ONE, axis="w"), "axis", "no axis"),
    "bending along the axis": (lambda: bending(1, power(2)), "modes", "axis 1"),
    "a mode that is not there": (lambda: ClampedFree(0), "modes", "no mode 0"),
    "a load of one number": (lambda: made(ONE, load=(1,)), "load", "found (1,)"),
    "a load below zero": (lambda: made(ONE, load=(-1, 0)), "load", "found (-1, 0)"),
    "a load on a parameter": (lambda: made(ONE, density=symbol("r"), load=(1, 0)), "load", "without numbers"),
    "a ring inside out": (lambda: tubular(1, 2), "section", "no area"),
    "a rectangle without height": (lambda: rectangular(1, 0), "section", "no area"),
    "a rectangle of a parameter": (lambda: rectangular(symbol("b"), 1), "section", "no numbers"),
    "ratios without numbers": (lambda: made(ONE, young=symbol("E"), damping=0.1), "damping", "without numbers"),
    "a radius for a section": (lambda: made(ONE, section=0.01), "section", "no section"),
    "modes that are counted": (lambda: made(2), "modes/2", "2 is no mode"),
    "a mode that is a number": (lambda: made({"e": 1}), "modes/e", "no mode"),
    "a length below zero": (lambda: made(ONE, length=-1.0), "length", "not positive"),
    "no stiffness": (lambda: made(ONE, young=0), "young", "not positive"),
    "a density below zero": (lambda: made(ONE, density=-1), "density", "not positive"),
    "a node at an unknown part": (lambda: made(ONE, nodes={"n": symbol("x")}), "nodes/n", "no known fraction"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_beam_is_refused_with_its_place_and_a_remedy(name: str) -> None:
    make, place, word = REFUSED[name]
    with pytest.raises(ModelError) as refused:
        make()
    (found,) = refused.value.diagnostics
    assert (found.place, word in found.message, bool(found.remedy)) == (place, True, True)


@pytest.mark.parametrize("numbers", [(60, 1), (1, 60)])
def test_both_shapes_of_an_integral_have_points_enough(numbers: tuple[int, int]) -> None:
    """∫ f′ g′ dξ of two sines is zero: cosines of other numbers are orthogonal."""
    f, g = map(Sine, numbers)
    assert draw_back(f, g).evaluate(1) == pytest.approx(0, abs=1e-8)
