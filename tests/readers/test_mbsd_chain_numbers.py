"""MBSD: separators, names, repetitions, connectors and assignments as numbers worked out by hand."""

from __future__ import annotations

import math

import pytest

from mbconcord.model import ReadError

from .seen import read, seen, wrong

T = math.atan2(3, 4)  # sin T = 0.6, cos T = 0.8
PI = math.pi


def bodies(names, *masses, **more):
    """Names and masses of bodies, and more facts; ``__`` stands for a dot."""
    facts = {f"{n}.mass": m for n, m in zip(names.split(), masses)}
    return {"bodies": names, **facts, **{k.replace("__", "."): v for k, v in more.items()}}


CHAINS = [
    ("u $2 > v $3 > w $5", {"u1": 0.1, "v1": 0.2, "w1": 0.3},
     bodies("body1 body2 body3", 2, 3, 5, coordinates="u1 v1 w1", body2__on="body1", body3__on="body2",
            body1__at=(0.1, 0, 0), body2__at=(0.1, 0.2, 0), body3__at=(0.1, 0.2, 0.3))),
    ("n(asin(0.6)) $2 > i4 $3", {},  # 4 (0.8, 0.6, 0)
     bodies("body1 body2", 2, 3, body2__on="body1", body1__arm=(-0.2, 3.6, 5), body2__arm=(-0.2, 3.6, 5),
            body2__at=(3.2, 2.4, 0))),
    ("u $2 #a > v $3 \\ #a w $5 #b \\ u $7 \\ #0 v $11 #c > i2 $13",
     {"u1": 0.1, "v1": 0.2, "w1": 0.3, "u2": 0.4, "v2": 0.5},
     bodies("a body2 b body4 c body6", 2, 3, 5, 7, 11, 13, coordinates="u1 v1 w1 u2 v2", body2__on="a", b__on="a",
            body6__on="c", a__at=(0.1, 0, 0), body2__at=(0.1, 0.2, 0), b__at=(0.1, 0, 0.3), body4__at=(0.4, 0, 0),
            c__at=(0, 0.5, 0), body6__at=(2, 0.5, 0))),
    ("u $2 > v $3 #body1 > w $5", {},
     bodies("body1_ body1 body3", 2, 3, 5, coordinates="u1 v1 w1", body1__on="body1_", body3__on="body1")),
    ("u $2 % v $9 > \n > v% x\r\n\t$3", {"u1": 0.1, "v1": 0.2},
     bodies("body1 body2", 2, 3, coordinates="u1 v1", body2__on="body1", body1__at=(0.1, 0, 0),
            body2__at=(0.1, 0.2, 0))),
    ("u $2 ; \\ v $3", {}, bodies("body1 body2", 2, 3, coordinates="u1 v1")),
    # repetition
    ("(u i2 $3 >)^2 v $7", {"u1": 0.1, "u2": 0.2, "v1": 0.4},
     bodies("body1 body2 body3", 3, 3, 7, coordinates="u1 u2 v1", body2__on="body1", body3__on="body2",
            body1__at=(2.1, 0, 0), body2__at=(4.3, 0, 0), body3__at=(4.3, 0.4, 0))),
    ("((u)^2 j3)^2 ($7)", {"u1": 0.1, "u2": 0.2, "u3": 0.4, "u4": 0.8},
     bodies("body1", 7, coordinates="u1 u2 u3 u4", body1__at=(1.5, 6, 0))),
    ("u $2 (> v°0.3'5 $3)^2", {},
     bodies("body1 body2 body3", 2, 3, 3, coordinates="u1 v1 v2", body2__on="body1", body3__on="body2",
            v1__q=0.3, v2__q=0.3, v1__v=5, v2__v=5, body2__at=(0, 0.3, 0), body3__at=(0, 0.6, 0))),
    ("(k2)^1 $7", {}, bodies("body1", 7, body1__at=(0, 0, 2))),
    ("(k2)^12 $7", {}, bodies("body1", 7, body1__at=(0, 0, 24))),
]  # fmt: skip

AB = {"a.mass": 2, "b.mass": 3, "bodies": "a b", "coordinates": "u1 v1", "a.at": (10, 0, 0), "b.at": (0, 20, 0)}
AT = {"u1": 10, "v1": 20}
TWO = "u $2 #a \\ v $3 #b "
ONE = {"a.mass": 2, "bodies": "a", "coordinates": "u1"}
#: One point at r = (2, 3, 6), |r| = 7, joined to the origin of the fixed frame.
FLYING = "u v w $2 #p "
AWAY = {"u1": 2, "v1": 3, "w1": 6, "u1'": 1, "w1'": 2, "t": 0.5}
P = {"coordinates": "u1 v1 w1", "bodies": "p", "p.mass": 2, "p.at": (2, 3, 6), "forces": "bipolar1"}
LINKS = [
    (TWO + "\\ #a {0.1,-0.2,0.4} :(1.5, 0.25) {0.3,0.7,0.9} < #b", AT,
     {**AB, "rod1.joins": "a b", "rod1.length": 1.5, "rod1.mass": 0.25,
      "rod1.ends": (10.1, -0.2, 0.4, 0.3, 20.7, 0.9)}),
    (TWO + "\\ #b :(L) < #a ; L=5", AT,
     {**AB, "rod1.joins": "b a", "rod1.length": 5, "L.given": 5, "rod1.ends": (0, 20, 0, 10, 0, 0)}),
    (TWO + "\\ #b i2 :(5) k3 j4", AT,
     {**AB, "rod1.joins": "b None", "rod1.length": 5, "rod1.ends": (2, 20, 0, 0, 4, 3)}),
    (TWO + "\\ :(5) < #a \\ #0 {1,2} :(6) < #b", AT,
     {**AB, "rod1.joins": "None a", "rod1.length": 5, "rod1.ends": (0, 0, 0, 10, 0, 0), "rod2.joins": "None b",
      "rod2.length": 6, "rod2.ends": (1, 2, 0, 0, 20, 0)}),
    (TWO + "\\ #a i :(5) -i < #b", {**AT, "i1": 0.1, "i2": 0.3},
     {**AB, "rod1.joins": "a b", "rod1.length": 5, "i1.default": 1, "i2.default": 1,
      "rod1.ends": (10.1, 0, 0, -0.3, 20, 0)}),
    # a segment with mass, inertia or name before a connector is a body
    ("u $2 #a \\ #a i3 $5 :(1)", {"u1": 10},
     {"coordinates": "u1", "bodies": "a body2", "a.mass": 2, "body2.mass": 5, "body2.on": "a", "a.at": (10, 0, 0),
      "body2.at": (13, 0, 0), "rod1.joins": "body2 None", "rod1.ends": (13, 0, 0, 0, 0, 0), "rod1.length": 1}),
    ("u $2 > v $3 :(4) {1,2}", AT,
     {"coordinates": "u1 v1", "bodies": "body1 body2", "body1.mass": 2, "body2.mass": 3, "body2.on": "body1",
      "body1.at": (10, 0, 0), "body2.at": (10, 20, 0), "rod1.joins": "body2 None", "rod1.length": 4,
      "rod1.ends": (10, 20, 0, 1, 2, 0)}),
    # offsets: a rotation turns what follows it; Rx (1, 2, 3) = (1, 1.6 - 1.8, 1.2 + 2.4)
    ("u $2 #a \\ #a l(asin(0.6)) {1,2,3} :(1)", {},
     {**ONE, "rod1.joins": "a None", "rod1.length": 1, "rod1.ends": (1, -0.2, 3.6, 0, 0, 0)}),
    ("u $2 #a \\ #a m(asin(0.6)) {1,2,3} :(1)", {},  # (0.8 + 1.8, 2, -0.6 + 2.4)
     {**ONE, "rod1.joins": "a None", "rod1.length": 1, "rod1.ends": (2.6, 2, 1.8, 0, 0, 0)}),
    ("u $2 #a \\ #a n(asin(0.6)) {1,2,3} :(1)", {},  # (0.8 - 1.2, 0.6 + 1.6, 3)
     {**ONE, "rod1.joins": "a None", "rod1.length": 1, "rod1.ends": (-0.4, 2.2, 3, 0, 0, 0)}),
    ("u $2 #a \\ #a {4,5,6} l(asin(0.6)) n(asin(0.6)) {1,2,3} :(1)", {},
     # Rx (-0.4, 2.2, 3) = (-0.4, 1.76 - 1.8, 1.32 + 2.4), and the shift
     {**ONE, "rod1.joins": "a None", "rod1.length": 1, "rod1.ends": (3.6, 4.96, 9.72, 0, 0, 0)}),
    ("u $2 #a \\ #a :(1) n(asin(0.6)) m(asin(0.6)) {1,2,3}", {},
     # Rz (2.6, 2, 1.8) = (2.08 - 1.2, 1.56 + 1.6, 1.8)
     {**ONE, "rod1.joins": "a None", "rod1.length": 1, "rod1.ends": (0, 0, 0, 0.88, 3.16, 1.8)}),
    # bipolar forces: 3·7 + 1 pushes p away from the origin, (22/7) (2, 3, 6)
    (FLYING + "\\ #p :\"(3 @ + 2 t)", AWAY,
     {**P, "bipolar1.joins": "p None", "bipolar1.ends": (2, 3, 6, 0, 0, 0), "Q": (44 / 7, 66 / 7, 132 / 7)}),
    (FLYING + "\\ :\"(3 @ + 2 t, 0.5) < #p", AWAY,
     {**P, "bipolar1.joins": "None p", "bipolar1.ends": (0, 0, 0, 2, 3, 6), "Q": (44 / 7, 66 / 7, 132 / 7),
      "bipolar1.mass": 0.5}),
    (FLYING + "\\ #p : \"(-49 @' k, M) ; k = 2, M = 3", AWAY,  # @' = (2·1 + 6·2)/7 = 2: -196/7 (2, 3, 6)
     {**P, "bipolar1.joins": "p None", "bipolar1.ends": (2, 3, 6, 0, 0, 0), "Q": (-56, -84, -168), "k.given": 2,
      "bipolar1.mass": 3, "M.given": 3}),
    (FLYING + "\\ #p {2,0,0} :\"(14) {2,0} < #0", AWAY,
     {**P, "bipolar1.joins": "p None", "bipolar1.ends": (4, 3, 6, 2, 0, 0), "Q": (4, 6, 12)}),
    (FLYING + "\\ #p :\"(F(t, @, @')) ; F(t, @, @') = 7 t + 14 @' + @ ", {**AWAY},  # 3.5 + 28 + 7 = 38.5; /7 = 5.5
     {**P, "bipolar1.joins": "p None", "bipolar1.ends": (2, 3, 6, 0, 0, 0), "Q": (11, 16.5, 33),
      "F(t, @, @')": 13.6}),  # 7·0.5 + 14·0.7 + 0.3
    ('u(bipolar1)"5 $2 #a \\ #a {1,0} :"(3)', {},  # from (1, 0, 0) to the origin is -x: a gets +3
     {"coordinates": "bipolar1", "bodies": "a", "a.mass": 2, "forces": "bipolar1 bipolar1_", "Q": 8,
      "bipolar1_.joins": "a None", "bipolar1_.ends": (1, 0, 0, 0, 0, 0)}),
    # closures: the frame reached at the left is that at the right
    ("z $2[2,3,4] #r > i2 $3 #e \\ #e i0.5 z(phi) = {0.1,0.2} n(asin(0.6)) < #r", {"z1": PI / 2, "phi": T},
     {"coordinates": "z1", "bodies": "r e", "r.mass": 2, "e.mass": 3, "e.on": "r", "r.tensor": (2, 3, 4, 0, 0, 0),
      "r.arm": (-3, 2, 5), "e.arm": (-3, 2, 5), "e.at": (0, 2, 0), "closure1.joins": "e r", "closure1.cut": "phi",
      "closure1.first": (0, 2.5, 0, -3.6, -0.2, 5),  # a quarter after (-0.2, 3.6, 5)
      "closure1.second": (-0.2, 0.1, 0, -3.6, -0.2, 5)}),
    ("u $2 #a \\ #a -v x = k3", {"u1": 10, "v1": 0.3, "x1": T},
     {**ONE, "a.at": (10, 0, 0), "closure1.joins": "a None", "closure1.cut": "v1 x1",
      "closure1.first": (10, -0.3, 0, 2, -0.6, 5.8), "closure1.second": (0, 0, 3, 2, 3, 5)}),
    ("u $2 #a \\ v $3 #b \\ = < #b \\ #a =", {"u1": 10, "v1": 20},
     {**AB, "closure1.joins": "None b", "closure1.first": (0, 0, 0, 2, 3, 5), "closure1.second": (0, 20, 0, 2, 3, 5),
      "closure2.joins": "a None", "closure2.first": (10, 0, 0, 2, 3, 5), "closure2.second": (0, 0, 0, 2, 3, 5)}),
]  # fmt: skip

U = {"coordinates": "u1", "bodies": "body1", "body1.mass": 7}
ASSIGNED = [
    ("i(a) u $7 ; a = 2 b - c/4 + d^3, b = 3, c = 2, d = -1,", {},  # 6 - 0.5 - 1
     {**U, "body1.at": (4.5, 0, 0), "a.given": 4.5, "b.given": 3, "c.given": 2, "d.given": -1}),
    ("i u ; i1 = 2 m1, m1 = 3", {}, {**U, "body1.mass": 3, "body1.at": (6, 0, 0), "i1.given": 6, "m1.given": 3}),
    ("i(f(2, 5)) u $7 ; f(x, y) = c x - y, c = 10", {},  # 20 - 5; 5 - 0.3
     {**U, "body1.at": (15, 0, 0), "f(x, y)": 4.7, "c.given": 10}),
    ("i(g1(f(t))) u $7 ; f(t) = 2 t, g1(s) = 3 s + 1", {"t": 0.5},
     {**U, "body1.at": (4, 0, 0), "f(t)": 1, "g1(s)": 2.5}),
    ("i(JK'(t)) u $7 ; JK(t) = t^2/2", {"t": 0.3}, {**U, "body1.at": (0.3, 0, 0), "JK(t)": 0.125}),
    # a function without a formula is taken as 10 x1 + 100 x2
    ("i(f(2, 5)) u $7", {}, {**U, "body1.at": (520, 0, 0), "f(x1, x2)": 35}),
    ("i(f'(3)) u $7", {}, {**U, "body1.at": (10, 0, 0), "f(x1)": 5}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "at", "expected"), [*CHAINS, *LINKS, *ASSIGNED])
def test_a_text_is_these_numbers(text, at, expected):
    assert wrong(text, "mbsd", at, expected) == []


@pytest.mark.parametrize(
    ("file", "name"), [("arm.mbsd", "arm"), ("some.dir/two.arms.mbsd", "two.arms"), ("-", ""), ("", "")]
)
def test_a_model_is_called_after_its_file(file, name):
    assert seen(read("u", "mbsd", file), {}, "mbsd").get("name", "") == name


REFUSED = [
    "", "u > > v", "2*u", "u gl", "u g g", "u {}", "u {1}", "u [1,2]", "u #0", "u #a > v #a", "u z \\ #b :(1)",
    "u $2 $3", "u [1,1,1] [1,1,1]", "u $2{1,2}[1,1,1]{3,4}", "u $(-m) ; m = 2", "xy [1,1,9]", "z [1,1,-1]", "u ; $-2",
    "(u $2 =)^2", "(u =)^2", "(u #a >)^2 v", "(u)^0", "(:(2) u)^2", "u #a \\ #a v :(1)", "u #a \\ #a :(1) v",
    "u #a \\ #a :(1) < #a",
    "u #a \\ #a z°30 =", "u #a \\ #a i(t) :(1)", "u'2'3", "z°30°40", "u°(v1) v", "i(u1) u", "u(i1) i", "u(t)",
    "u\"(u'')", 'u"(@)', "u ; u1 = 3", "u ; a = 1, a = 2", "i(a) u ; a = b, b = a", "u ; b = а, a = 1", "u ; sin = 1",
    "u ; f(x, x) = x", "i(f(1)) i(f(1, 2)) u",
]  # fmt: skip


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_no_model(text):
    with pytest.raises(ReadError):
        read(text, "mbsd")
