"""MBSD: each letter, sign, suffix and rule as numbers worked out by hand.

T is the angle of the triangle 3, 4, 5: sin T = 0.6, cos T = 0.8. The arm (2, 3, 5), turned by T,

    about x: (2, 3·0.8 - 5·0.6, 3·0.6 + 5·0.8) = (2, -0.6, 5.8) ,     by -T: (2, 5.4, 2.2)
    about y: (2·0.8 + 5·0.6, 3, -2·0.6 + 5·0.8) = (4.6, 3, 2.8) ,     by -T: (-1.4, 3, 5.2)
    about z: (2·0.8 - 3·0.6, 2·0.6 + 3·0.8, 5) = (-0.2, 3.6, 5) ,     by -T: (3.4, 1.2, 5)
"""

from __future__ import annotations

import math

import pytest

from .seen import read, seen, wrong

T = math.atan2(3, 4)
PI = math.pi
#: What a body of mass 7 without anything else has, and one with the moments 2, 3, 4.
MASS = {"body1.mass": 7}
SOLID = {"body1.mass": 7, "body1.tensor": (2, 3, 4, 0, 0, 0)}


def u(**more):
    """The facts of ``u $7`` and more; keys with ``__`` for a dot."""
    return {"coordinates": "u1", **MASS, **{k.replace("__", "."): v for k, v in more.items()}}


LETTERS = [
    ("u $7", {"u1": 0.3}, {"coordinates": "u1", **MASS, "body1.at": (0.3, 0, 0)}),
    ("v $7", {"v1": 0.3}, {"coordinates": "v1", **MASS, "body1.at": (0, 0.3, 0)}),
    ("w $7", {"w1": 0.3}, {"coordinates": "w1", **MASS, "body1.at": (0, 0, 0.3)}),
    ("-u $7", {"u1": 0.3}, {"coordinates": "u1", **MASS, "body1.at": (-0.3, 0, 0)}),
    ("-v $7", {"v1": 0.3}, {"coordinates": "v1", **MASS, "body1.at": (0, -0.3, 0)}),
    ("- w $7", {"w1": 0.3}, {"coordinates": "w1", **MASS, "body1.at": (0, 0, -0.3)}),
    ("+u $7", {"u1": 0.3}, {"coordinates": "u1", **MASS, "body1.at": (0.3, 0, 0)}),
    ("x $7[2,3,4]", {"x1": T}, {"coordinates": "x1", **SOLID, "body1.arm": (2, -0.6, 5.8)}),
    ("y $7[2,3,4]", {"y1": T}, {"coordinates": "y1", **SOLID, "body1.arm": (4.6, 3, 2.8)}),
    ("z $7[2,3,4]", {"z1": T}, {"coordinates": "z1", **SOLID, "body1.arm": (-0.2, 3.6, 5)}),
    ("-x $7[2,3,4]", {"x1": T}, {"coordinates": "x1", **SOLID, "body1.arm": (2, 5.4, 2.2)}),
    ("-y $7[2,3,4]", {"y1": T}, {"coordinates": "y1", **SOLID, "body1.arm": (-1.4, 3, 5.2)}),
    ("-z $7[2,3,4]", {"z1": T}, {"coordinates": "z1", **SOLID, "body1.arm": (3.4, 1.2, 5)}),
    ("u(q) $7", {"q": 0.3}, {"coordinates": "q", **MASS, "body1.at": (0.3, 0, 0)}),
    ("-z( φ_1 ) $7[2,3,4]", {"φ_1": T}, {"coordinates": "φ_1", **SOLID, "body1.arm": (3.4, 1.2, 5)}),
    # constant shifts and turns
    ("i0.3 $7", {}, {**MASS, "body1.at": (0.3, 0, 0)}),
    ("j0.3 $7", {}, {**MASS, "body1.at": (0, 0.3, 0)}),
    ("k0.3 $7", {}, {**MASS, "body1.at": (0, 0, 0.3)}),
    ("j -0.3 $7", {}, {**MASS, "body1.at": (0, -0.3, 0)}),
    ("k+0.3 $7", {}, {**MASS, "body1.at": (0, 0, 0.3)}),
    ("-i0.3 $7", {}, {**MASS, "body1.at": (-0.3, 0, 0)}),
    ("-k(-0.3) $7", {}, {**MASS, "body1.at": (0, 0, 0.3)}),
    ("+j0.3 $7", {}, {**MASS, "body1.at": (0, 0.3, 0)}),
    ("i2.4e-06 $7", {}, {**MASS, "body1.at": (2.4e-6, 0, 0)}),
    ("2*i(a) $7 ; a = 0.3", {}, {**MASS, "body1.at": (0.6, 0, 0), "a.given": 0.3}),
    ("-0.5 * k(a) $7 ; a = 0.3", {}, {**MASS, "body1.at": (0, 0, -0.15), "a.given": 0.3}),
    ("+4*j(a) $7 ; a = 0.3", {}, {**MASS, "body1.at": (0, 1.2, 0), "a.given": 0.3}),
    ("i2*j(a) $7 ; a = 0.3", {}, {**MASS, "body1.at": (1, 0.6, 0), "a.given": 0.3, "i1.default": 1}),
    ("l(asin(0.6)) $7", {}, {**MASS, "body1.arm": (2, -0.6, 5.8)}),
    ("m(asin(0.6)) $7", {}, {**MASS, "body1.arm": (4.6, 3, 2.8)}),
    ("n(asin(0.6)) $7", {}, {**MASS, "body1.arm": (-0.2, 3.6, 5)}),
    ("-l(asin(0.6)) $7", {}, {**MASS, "body1.arm": (2, 5.4, 2.2)}),
    ("0.5*m(pi) $7", {}, {**MASS, "body1.arm": (5, 3, -2)}),  # a quarter: (z, y, -x)
    ("n(acos(0.8)) $7", {}, {**MASS, "body1.arm": (-0.2, 3.6, 5)}),
    ("l(atan(0.75)) $7", {}, {**MASS, "body1.arm": (2, -0.6, 5.8)}),
    ("m(atan2(3, 4)) $7", {}, {**MASS, "body1.arm": (4.6, 3, 2.8)}),
    # without a value: named, numbered by letter, 1 m or 0 rad
    ("i $7", {}, {**MASS, "body1.at": (1, 0, 0), "i1.default": 1}),
    ("-j $7", {}, {**MASS, "body1.at": (0, -1, 0), "j1.default": 1}),
    ("3*k $7", {}, {**MASS, "body1.at": (0, 0, 3), "k1.default": 1}),
    ("l $7", {}, {**MASS, "l1.default": 0}),
    ("-l $7", {"l1": T}, {**MASS, "l1.default": 0, "body1.arm": (2, 5.4, 2.2)}),
    ("m $7", {"mu1": T}, {**MASS, "mu1.default": 0, "body1.arm": (4.6, 3, 2.8)}),
    ("n $7", {"nu1": T}, {**MASS, "nu1.default": 0, "body1.arm": (-0.2, 3.6, 5)}),
    ("i(L) $7", {"L": 0.3}, {**MASS, "body1.at": (0.3, 0, 0), "L.given": None}),
    ("i i(L) i {4,0} i $7", {"i1": 0.1, "i3": 0.2, "i4": 0.3, "L": 5},  # 0.1 + 5 + 0.2 + 4 + 0.3
     {**MASS, "body1.at": (9.6, 0, 0), "i1.default": 1, "i3.default": 1, "i4.default": 1, "L.given": None}),
    ("z(a) z $7[2,3,4]", {"a": PI / 2, "z2": T},  # (-0.2, 3.6, 5), then a quarter: (-y, x, z)
     {"coordinates": "a z2", **SOLID, "body1.arm": (-3.6, -0.2, 5)}),
    # given in time
    ("i(JK(t)) $7 ; JK(t) = 2 + 3 t", {"t": 0.5}, {**MASS, "body1.at": (3.5, 0, 0), "JK(t)": 3.5}),
    ("-m(w_0 t) $7 ; w_0 = 2", {"t": T / 2}, {**MASS, "body1.arm": (-1.4, 3, 5.2), "w_0.given": 2}),
    # braces
    ("{2,3,5} $7", {}, {**MASS, "body1.at": (2, 3, 5)}),
    ("{2,-3} $7", {}, {**MASS, "body1.at": (2, -3, 0)}),
    ("{0, b, -c} $7 ; b=3, c=5", {}, {**MASS, "body1.at": (0, 3, -5), "b.given": 3, "c.given": 5}),
    # from left to right, each in the frame left by the one before it
    ("i2 n(asin(0.6)) j3 $7", {},  # (2, 0, 0) + (-0.6·3, 0.8·3, 0)
     {**MASS, "body1.at": (0.2, 2.4, 0), "body1.arm": (-0.2, 3.6, 5)}),
    ("l(asin(0.6)) m(asin(0.6)) $7", {},  # Rx (4.6, 3, 2.8) = (4.6, 2.4 - 1.68, 1.8 + 2.24)
     {**MASS, "body1.arm": (4.6, 0.72, 4.04)}),
    ("n(asin(0.6)) {2,3,5} $7", {}, {**MASS, "body1.at": (-0.2, 3.6, 5), "body1.arm": (-0.2, 3.6, 5)}),
    ("x u $7", {"x1": T, "u1": 0.3},
     {"coordinates": "x1 u1", **MASS, "body1.at": (0.3, 0, 0), "body1.arm": (2, -0.6, 5.8)}),
    ("y u $7", {"y1": T, "u1": 0.5},  # 0.5 (0.8, 0, -0.6)
     {"coordinates": "y1 u1", **MASS, "body1.at": (0.4, 0, -0.3), "body1.arm": (4.6, 3, 2.8)}),
]  # fmt: skip

SUFFIXES = [
    ("z°90 $7[2,3,4]", {}, {"coordinates": "z1", **SOLID, "z1.q": PI / 2, "body1.arm": (-3, 2, 5)}),
    ("-x@90 $7[2,3,4]", {}, {"coordinates": "x1", **SOLID, "x1.q": PI / 2, "body1.arm": (2, 5, -3)}),
    ("y°-30'2 $7[2,3,4]", {"y1": T},
     {"coordinates": "y1", **SOLID, "y1.q": -PI / 6, "y1.v": 2, "body1.arm": (4.6, 3, 2.8)}),
    ("z°(2 a)'(v) $7[2,3,4] ; a = 45, v = -0.4", {},
     {"coordinates": "z1", **SOLID, "z1.q": PI / 2, "z1.v": -0.4, "body1.arm": (-3, 2, 5), "a.given": 45,
      "v.given": -0.4}),
    ("z°(a/pi) $7[2,3,4] ; a = 180", {"z1": T},  # a/π degrees are a/180 rad
     {"coordinates": "z1", **SOLID, "z1.q": 1, "body1.arm": (-0.2, 3.6, 5), "a.given": 180}),
    ("z°(-60/pi) $7[2,3,4]", {"z1": T},
     {"coordinates": "z1", **SOLID, "z1.q": -1 / 3, "body1.arm": (-0.2, 3.6, 5)}),
    ("z°(3 b) $7[2,3,4] ; b = 10", {"z1": T},
     {"coordinates": "z1", **SOLID, "z1.q": PI / 6, "body1.arm": (-0.2, 3.6, 5), "b.given": 10}),
    ("z°(1/pi) $7[2,3,4]", {"z1": T},
     {"coordinates": "z1", **SOLID, "z1.q": 1 / 180, "body1.arm": (-0.2, 3.6, 5)}),
    ("z°(b/pi) $7[2,3,4] ; b = 90", {"z1": T},
     {"coordinates": "z1", **SOLID, "z1.q": 0.5, "body1.arm": (-0.2, 3.6, 5), "b.given": 90}),
    ("u°0.3'-2 $7", {}, u(u1__q=0.3, u1__v=-2, body1__at=(0.3, 0, 0))),
    ("v'(b)@(a) $7 ; a = -0.3, b = 4", {},
     {"coordinates": "v1", **MASS, "v1.q": -0.3, "v1.v": 4, "body1.at": (0, -0.3, 0), "a.given": -0.3, "b.given": 4}),
    ("w° ' $7", {}, {"coordinates": "w1", **MASS}),
    ("u º0.3 $7", {}, u(u1__q=0.3, body1__at=(0.3, 0, 0))),
    ("u˚−0.3′2 $7", {}, u(u1__q=-0.3, u1__v=2, body1__at=(-0.3, 0, 0))),
    ("u’2 $7", {}, u(u1__v=2)),
    ("z°90 > u°0.3 $7", {}, {
        "coordinates": "z1 u1", "bodies": "body1 body2", "z1.q": PI / 2, "u1.q": 0.3, "body1.arm": (-3, 2, 5),
        "body2.arm": (-3, 2, 5), "body2.at": (0, 0.3, 0), "body2.on": "body1", "body2.mass": 7, "body1.mass": 1,
        "body1.tensor": (1, 1, 1, 0, 0, 0), "m1.default": 1, "Ix1.default": 1, "Iy1.default": 1, "Iz1.default": 1}),
    # joint forces: at u = 0.3, u' = 0.7, t = 0.5
    ('u"(-3 u + 5 u\' + 2 t) $7', {"u1": 0.3, "u1'": 0.7, "t": 0.5},  # -0.9 + 3.5 + 1
     u(forces="u1", Q=3.6, body1__at=(0.3, 0, 0))),
    ('u"4 $7', {}, u(forces="u1", Q=4)),
    ('u"-4 $7', {}, u(forces="u1", Q=-4)),
    ('u″(u) $7', {"u1": 0.3}, u(forces="u1", Q=0.3, body1__at=(0.3, 0, 0))),
    ('u" $7', {}, u(forces="u1")),
    ('u°0.3"(-u)\'2$7', {}, u(forces="u1", Q=-0.3, u1__q=0.3, u1__v=2, body1__at=(0.3, 0, 0))),
    ('u(p)$7"(k p - 2 u\' + 3 p\') ; k = 4', {"p": 0.3, "p'": 0.7},  # 1.2 - 1.4 + 2.1
     {"coordinates": "p", **MASS, "forces": "p", "Q": 1.9, "body1.at": (0.3, 0, 0), "k.given": 4}),
    ('v u"(10 u1 - v1 + 2 v1\') $7', {"v1": 0.4, "u1": 0.3, "v1'": 0.7},  # 3 - 0.4 + 1.4
     {"coordinates": "v1 u1", **MASS, "forces": "u1", "Q": (0, 4), "body1.at": (0.3, 0.4, 0)}),
    ('u"(u) u"(u) $7', {"u1": 0.3, "u2": 0.4},
     {"coordinates": "u1 u2", **MASS, "forces": "u1 u2", "Q": (0.3, 0.4), "body1.at": (0.7, 0, 0)}),
    ('u"(d sign u\' + a sin f t - b cos(f t)) $7 ; a=2, b=3, d=5, f=1', {"u1'": -0.7, "t": T},  # -5 + 1.2 - 2.4
     u(forces="u1", Q=-6.2, a__given=2, b__given=3, d__given=5, f__given=1)),
    ('u"(F(u, t)) $7 ; F(a, b) = 10 a - b', {"u1": 0.3, "t": 2},
     {**u(forces="u1", Q=1, body1__at=(0.3, 0, 0)), "F(a, b)": 4.7}),  # 10·0.5 - 0.3
]  # fmt: skip

DEFAULTS = {"Ix1.default": 1, "Iy1.default": 1, "Iz1.default": 1}
RHO = {"rho_x1.default": 0, "rho_y1.default": 0, "rho_z1.default": 0}
MOMENTS = {"Ix1": 39, "Iy1": 40, "Iz1": 41}
CENTRE = {"body1.centre": (0.1, 0.2, -0.3)}
PLACE = {"rho_x1": 0.1, "rho_y1": 0.2, "rho_z1": -0.3}
#: Moments 39, 40, 41 about the origin, seen from a mass of 2 kg at (0.1, 0.2, -0.3): less m (y² + z²) = 0.26,
#: m (x² + z²) = 0.2, m (x² + y²) = 0.1; products more by m x y = 0.04, m x z = -0.06, m y z = -0.12.
SHIFTED = (38.74, 39.8, 40.9, 0.04, -0.06, -0.12)
INERTIA = [
    ("z $2[39,40,41,0.1,0.25,0.3]", {},
     {"coordinates": "z1", "body1.mass": 2, "body1.tensor": (39, 40, 41, 0.1, 0.25, 0.3)}),
    ("z $2[39,40,41,0.1,0.25,0.3]{0.1,0.2,-0.3}", {}, {
        "coordinates": "z1", "body1.mass": 2, **CENTRE,
        "body1.tensor": (38.74, 39.8, 40.9, 0.14, 0.19, 0.18)}),  # products 0.1 + 0.04, 0.25 - 0.06, 0.3 - 0.12
    ("z [39,40,41]{0.1,0.2,-0.3}$2", {}, {"coordinates": "z1", "body1.mass": 2, **CENTRE, "body1.tensor": SHIFTED}),
    ("z $2[]{0.1,0.2,-0.3}", MOMENTS,
     {"coordinates": "z1", "body1.mass": 2, **CENTRE, "body1.tensor": SHIFTED, **DEFAULTS}),
    ("z $2[]{}", {**MOMENTS, **PLACE},
     {"coordinates": "z1", "body1.mass": 2, **CENTRE, "body1.tensor": SHIFTED, **DEFAULTS, **RHO}),
    ("z $2[]{}", {}, {"coordinates": "z1", "body1.mass": 2, "body1.tensor": (1, 1, 1, 0, 0, 0), **DEFAULTS, **RHO}),
    # without [ ]: about the centre of mass, of a body that turns last; else a point
    ("z $2{0.1,0.2,-0.3}", MOMENTS,
     {"coordinates": "z1", "body1.mass": 2, **CENTRE, "body1.tensor": (39, 40, 41, 0, 0, 0), **DEFAULTS}),
    ("z u $2{0.1,0.2}", {}, {"coordinates": "z1 u1", "body1.mass": 2, "body1.centre": (0.1, 0.2, 0)}),
    ("u x $2", MOMENTS, {"coordinates": "u1 x1", "body1.mass": 2, "body1.tensor": (39, 40, 41, 0, 0, 0), **DEFAULTS}),
    ("z n0 $2", {}, {"coordinates": "z1", "body1.mass": 2}),
    ("z {0.1,0} $2", {}, {"coordinates": "z1", "body1.mass": 2, "body1.at": (0.1, 0, 0)}),
    ("{2,3,5} $2 {0.1,0.2,-0.3}", {}, {"body1.mass": 2, "body1.at": (2, 3, 5), **CENTRE}),
    ("u [2,3,4] $2", {}, {"coordinates": "u1", "body1.mass": 2, "body1.tensor": (2, 3, 4, 0, 0, 0)}),
    ("u", {}, {"coordinates": "u1", "body1.mass": 1, "m1.default": 1}),
    ("u $(M)", {"M": 5}, {"coordinates": "u1", "body1.mass": 5, "M.given": None}),
    ("$2 [2,3,4]", {}, {"body1.mass": 2, "body1.tensor": (2, 3, 4, 0, 0, 0)}),
    ("u > v $(M) > w", {"m1": 2, "M": 3, "m3": 5}, {
        "coordinates": "u1 v1 w1", "bodies": "body1 body2 body3", "body1.mass": 2, "body2.mass": 3, "body3.mass": 5,
        "body2.on": "body1", "body3.on": "body2", "m1.default": 1, "m3.default": 1, "M.given": None}),
    # for every body that has none of its own; a body's own wins
    ("u $2 > v [9,8,7]{0.4,0.3} > w ; $5[6,4,3]{0.1,0.2}", {}, {
        "coordinates": "u1 v1 w1", "bodies": "body1 body2 body3", "body2.on": "body1", "body3.on": "body2",
        "body1.mass": 2, "body2.mass": 5, "body3.mass": 5, "body1.centre": (0.1, 0.2, 0), "body2.centre": (0.4, 0.3, 0),
        "body3.centre": (0.1, 0.2, 0), "body1.tensor": (5.92, 3.98, 2.9, 0.04, 0, 0),  # less 2·0.04, 2·0.01, 2·0.05
        "body2.tensor": (8.55, 7.2, 5.75, 0.6, 0, 0),  # less 5·0.09, 5·0.16, 5·0.25; 5·0.12
        "body3.tensor": (5.8, 3.95, 2.75, 0.1, 0, 0)}),  # less 5·0.04, 5·0.01, 5·0.05; 5·0.02
    ("u ; $5[]", {"Ix1": 2, "Iy1": 3, "Iz1": 4},
     {"coordinates": "u1", "body1.mass": 5, "body1.tensor": (2, 3, 4, 0, 0, 0), **DEFAULTS}),
]  # fmt: skip

G = {"g.default": 9.81}
GRAVITY = [
    *(
        (f"u $7 g {sign}{letter}", {}, u(gravity=[s * 9.81 * (a == axis) for a in "xyz"], g__default=9.81))
        for letters, axis in (("iux", "x"), ("jvy", "y"), ("kwz", "z"))
        for letter in letters
        for sign, s in (("", 1), ("+", 1), ("-", -1))
    ),
    ("u $7 g9.7-y", {}, u(gravity=(0, -9.7, 0))),
    ("u $7 g(G)x ; G = 3", {}, u(gravity=(3, 0, 0), G__given=3)),
    ("u $7 g7{2,-3,6}", {}, u(gravity=(2, -3, 6))),  # |(2, -3, 6)| = 7
    ("u $7 g10{3,-4}", {}, u(gravity=(6, -8, 0))),
    ("u $7 g-z", {"g": 2}, u(gravity=(0, 0, -2), **{"g__default": 9.81})),
    # by itself along -y where every letter is one of u v z i j n, else along -z
    *((f"{letter} $7[2,3,4] g3", {}, "y") for letter in ("u", "v", "z", "i", "j", "n")),
    *((f"{letter} $7[2,3,4] g3", {}, "z") for letter in ("w", "x", "y", "k", "l", "m")),
    ("u v z {1,2,3} $7[2,3,4] g3", {}, "y"),
    ("u $7 g3 #a \\ #a i :(1) j < #0", {}, "y"),
    ("u $7 g3 #a \\ #a k :(1)", {}, "z"),
    ("u $7 g3 #a \\ #a :(1) l", {}, "z"),
    ("u $7 #a > w g3", {}, "z"),
    ("u $7 ; g3", {}, "y"),
    ("u $7 ; g3 x", {}, u(gravity=(3, 0, 0))),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "at", "expected"), [*LETTERS, *SUFFIXES, *INERTIA, *(r for r in GRAVITY if not isinstance(r[2], str))]
)
def test_a_text_is_these_numbers(text, at, expected):
    assert wrong(text, "mbsd", at, {"bodies": "body1", **expected}) == []


@pytest.mark.parametrize(("text", "at", "axis"), [r for r in GRAVITY if isinstance(r[2], str)])
def test_gravity_without_a_direction_is_along_y_in_the_plane_and_along_z_elsewhere(text, at, axis):
    found = seen(read(text, "mbsd"), at, "mbsd")["gravity"]
    assert found.tolist() == [0, -3 if axis == "y" else 0, -3 if axis == "z" else 0]
