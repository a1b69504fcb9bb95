"""Errata of Konoplev 1989 in the example: rows of S, twists, tiers and final equations of his mechanism, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .errata_konoplev import Erratum, Values, names


def mechanism_rows() -> Iterator[Erratum]:
    """Rows of the example, over the names of its tiers."""
    v, w = names("E1"), names("E2")

    def row(number: int, place: str, printed: str, correct: str, wrong: float, right: float, at: str = "E1") -> Erratum:
        return Erratum(number, place, printed, correct, at, wrong, right)

    s, z, V, W, ds = (_named(v, letter) for letter in ("s", "z", "V", "W", "ṡ"))
    s12, c12 = s(3, 1, "1-2"), s(3, 2, "1-2")
    yield row(8, "example, s_2^{2-5}, third entry", "0", "-r_c1²", 0.0, w["s_{2,3}^{2-5}"], "E2")
    yield row(10, "example, A_22", "I55² alone", "I55² + m2 (r_c1²)²", v["A_{2-5}^{2-5}"], w["A_{2-5}^{2-5}"], "E2")
    yield row(22, "(3.6)", "s = fᵀ L", "ṡ = fᵀ L̇", s12, ds(3, 1, "1-2"), "E1, s_{3,1}^{1-2}")
    yield row(23, "example, V_2, third entry", "0", "-r_c1² θ̇5", 0.0, w["V_{2,3}^{0,2}"], "E2")
    yield row(24, "example, V_3, sixth entry", "θ̇5", "θ̇6", v["q2_5'"], V(3, 6))
    yield row(34, "A-III, A_{1-2}^{1-2}", "z_22 z_31 + z_31 z_32", "z_22 s_22 + z_31 s_31 + z_32 s_32",
              z(2, 2, "1-2") * z(3, 1, "1-2") + z(3, 1, "1-2") * z(3, 2, "1-2"), v["A_{1-2}^{1-2}"])  # fmt: skip
    yield row(35, "A-III, A_{3-6}^{1-2}", "z_32^{1-2} z_33^{2-5}", "z_32^{1-2} s_32^{3-6}",
              z(3, 2, "1-2") * z(3, 3, "2-5"), v["A_{3-6}^{1-2}"])  # fmt: skip
    parts = ((2, 5, "2-5"), (3, 3, "2-5"), (3, 4, "2-5"), (3, 5, "2-5"))
    yield row(36, "A-III, A_{2-5}^{2-5}", "Σ z z", "Σ z s", sum(z(*p) ** 2 for p in parts), v["A_{2-5}^{2-5}"])
    last = ((3, 2, "3-6"), (3, 6, "3-6"))
    yield row(37, "A-III, A_{3-6}^{3-6}", "Σ z z", "Σ z s", sum(z(*p) ** 2 for p in last), v["A_{3-6}^{3-6}"])
    yield row(38, "b-I, V_{3,1}", "s_{3,1}^{1-2} s_1²", "s_{3,1}^{1-2} ṡ_2¹", s12 * v["q1_2"], V(3, 1),
              "E1, s_1² read as s_2¹")  # fmt: skip
    yield row(39, "b-II", "W_{3,1} ≡ 0", "W_2 ≡ 0", 0.0, W(3, 1), "E1, W_{3,1}")
    yield row(40, "b-II, W_{3,2}", "m3 (V_3 V_4 - V_1 V_6)", "m3 (V_1 V_6 - V_3 V_4)",
              1.5 * (V(3, 3) * V(3, 4) - V(3, 1) * V(3, 6)), W(3, 2))  # fmt: skip
    yield row(41, "b-III, b_31", "s_{3,6}^{3-6} W_{3,6}", "s_{3,2}^{3-6} W_{3,2} + s_{3,6}^{3-6} W_{3,6}",
              s(3, 6, "3-6") * W(3, 6), v["b_{3-6}^{1}"])  # fmt: skip
    yield row(42, "b-IV, left sides", "s_{3,2}^{1-2} = …", "ṡ_{3,2}^{1-2} = …", c12, ds(3, 2, "1-2"))
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
    for number, (name, formula, factor) in enumerate(RATES, 60):
        i, d = name
        still = factor(s12, c12, s(3, 2, "3-6")) * v["q3_6"]
        yield row(number, f"b-IV, ṡ_{{3,{i}}}^{{{d}}}", f"{formula} θ_6³", f"{formula} θ̇_6³", still, ds(3, i, d))
    yield row(65, "b-III, b_11, first expression", "s_{3,1}^{1-2} W_{3,1}", "s_3^{1-2} W_3",
              s12 * W(3, 1), v["b_{1-2}^{1}"])  # fmt: skip
    turning, rates = v["b_{2-5}^{1}"] + v["b_{2-5}^{2}"], v["q2_5'"] * v["q3_6'"]
    yield row(66, "final equation 2", "[…] θ̈_5² θ̈_6³", "[…] θ̇_5² θ̇_6³",
              turning / rates * v["q2_5''"] * v["q3_6''"], turning)  # fmt: skip
    swinging = v["b_{3-6}^{1}"] + v["b_{3-6}^{2}"]
    yield row(67, "final equation 3", "[…] (θ̈_5²)²", "[…] (θ̇_5²)²",
              swinging * (v["q2_5''"] / v["q2_5'"]) ** 2, swinging)  # fmt: skip


#: Coordinates of the mechanism as the paper writes them (the raised number is the body's), and as the model does.
COORDINATE = {"s_2¹": "q1_2", "θ_5²": "q2_5", "θ_6³": "q3_6"}
DOTTED = {"s_2¹": "ṡ_2¹", "θ_5²": "θ̇_5²", "θ_6³": "θ̇_6³"}
#: Right sides of tier b-IV, printed without dots: component and direction, the factor of θ̇_6³, its value from
#: s = sin θ_6³, c = cos θ_6³ and r_c1³.
RATES: tuple[tuple[tuple[int, str], str, Callable[[float, float, float], float]], ...] = (
    ((1, "1-2"), "c θ_6³", lambda s, c, r: c),
    ((2, "1-2"), "-s θ_6³", lambda s, c, r: -s),
    ((3, "2-5"), "r_c1³ s θ_6³", lambda s, c, r: r * s),
    ((4, "2-5"), "c θ_6³", lambda s, c, r: c),
    ((5, "2-5"), "-s θ_6³", lambda s, c, r: -s),
)
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
