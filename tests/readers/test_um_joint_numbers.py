"""input.dat of UM: each type of joint, each axis, constant and initial value as numbers worked out by hand.

T is the angle of the triangle 3, 4, 5; the arm (2, 3, 5), turned by T, is (2, -0.6, 5.8) about x, (4.6, 3, 2.8) about
y, (-0.2, 3.6, 5) about z; by -T it is (2, 5.4, 2.2), (-1.4, 3, 5.2), (3.4, 1.2, 5). Quarters take (x, y, z) to
(x, -z, y), (z, y, -x), (-y, x, z) about x, y, z.
"""

from __future__ import annotations

import math

import pytest

from mbconcord.model import ReadError

from .seen import differences, read, seen, wrong
from .um_texts import HEAD, IDENTIFIERS, MASS, comm, et, joint, law, one, six, text, vector

T = math.atan2(3, 4)
PI = math.pi


def facts(coordinates="", **more):
    """The facts of body B; ``__`` stands for a dot."""
    named = {"coordinates": coordinates} if coordinates else {}
    return MASS | named | {k.replace("__", "."): v for k, v in more.items()}


SIX = [
    ("angles=312;", {}, facts()),
    ("angles=312; x0=1; y0=-2; z0=b;", {}, facts("q1 q2 q3", q1__q=1, q2__q=-2, q3__q=1.5, B__at=(1, -2, 1.5))),
    ("x0=0;", {"q1": 0.4}, facts("q1", B__at=(0.4, 0, 0))),
    ("y0=;", {"q1": 0.4}, facts("q1", B__at=(0, 0.4, 0))),
    ("z0=0;", {"q1": 0.4}, facts("q1", B__at=(0, 0, 0.4))),
    ("angles=312; angle10= 9.E1;", {}, facts("q1", q1__q=PI / 2, B__arm=(-3, 2, 5))),
    ("angles=312; angle20=90;", {}, facts("q1", q1__q=PI / 2, B__arm=(2, -5, 3))),
    ("angles=312; angle30=-90;", {}, facts("q1", q1__q=-PI / 2, B__arm=(-5, 3, 2))),
    ("angles=Cardan(123); angle10=30;", {"q1": T}, facts("q1", q1__q=PI / 6, B__arm=(2, -0.6, 5.8))),
    ("angles=Cardan(123); angle20=a*15;", {"q1": T}, facts("q1", q1__q=PI / 6, B__arm=(4.6, 3, 2.8))),
    ("angles=Cardan(123); angle30=0;", {"q1": T}, facts("q1", B__arm=(-0.2, 3.6, 5))),
    ("angles=231; angle10=0;", {"q1": T}, facts("q1", B__arm=(4.6, 3, 2.8))),
    # Rz Rx(T) Ry with quarters: (5, 3, -2), then (5, 2.4 + 1.2, 1.8 - 1.6), then (-3.6, 5, 0.2); shifts come first
    ("angles=312; angle30=90; z0=3; x0=1; y0=2; angle10=90; angle20=0;", {"q5": T},
     facts("q1 q2 q3 q4 q5 q6", q1__q=1, q2__q=2, q3__q=3, q4__q=PI / 2, q6__q=PI / 2, B__at=(1, 2, 3),
           B__arm=(-3.6, 5, 0.2))),
    # the joint's frame on body 1: (1, 2, 3) + Ry (0.1, 0.2, 0.4) = (1 + 0.4, 2.2, 3 - 0.1)
    (f"position=1; {vector('p1', '1,2,3')} {vector('p2', '0.1,0.2,0.4')} axis1=2; angle1=90; position=0;", {},
     facts(B__at=(1.4, 2.2, 2.9), B__arm=(5, 3, -2))),
    # Rx Ry Rz (2, 3, 5): (-3, 2, 5), (5, 2, 3), (5, -3, 2); and of (0.1, 0.2, 0.4): (-0.2, 0.1, 0.4), (0.4, 0.1, 0.2)
    (f"position=1; axis1=1; angle1=90; axis2=2; angle2=90; axis3=3; angle3=90; {vector('p2', '0.1,0.2,0.4')}", {},
     facts(B__at=(0.4, -0.2, 0.1), B__arm=(5, -3, 2))),
    # on body 2, inverted: -p2 + Ry⁻¹ (-1, -2, -3) = (3 - 0.1, -2.2, -1 - 0.4)
    (f"position=2; {vector('p1', '1,2,3')} {vector('p2', '0.1,0.2,0.4')} axis1=2; angle1=90; position=0;", {},
     facts(B__at=(2.9, -2.2, -1.4), B__arm=(-5, 3, 2))),
    # (Rz Rx)⁻¹ (2, 3, 5) = Rx⁻¹ (3, -2, 5) = (3, 5, 2)
    ("position=2; axis2=3; angle2=90; axis3=1; angle3=90;", {}, facts(B__arm=(3, 5, 2))),
    # (1, 0, 0), a turn about z by q, then back by (0, 0.5, 0): -0.5 (-0.6, 0.8)
    ("position=1; p1x=1; position=2; p1y=0.5; position=0; p1x=9; angles=312; angle10=0;", {"q1": T},
     facts("q1", B__at=(1.3, -0.4, 0), B__arm=(-0.2, 3.6, 5))),
    ("position=1; axis1=3; angle1=90; p1z=1; position=0; x0=0;", {"q1": 0.4},  # along the turned x
     facts("q1", B__at=(0, 0.4, 1), B__arm=(-3, 2, 5))),
]  # fmt: skip

PLACES = f"{vector('ro1', '1,2,3')} {vector('ro2', '0.1,0.2,0.4')} "
ONE = [
    ("rotat", "1,0,0", "1,0,0", "", {"q1": T}, facts("q1", B__arm=(2, -0.6, 5.8))),
    ("rotat", "0,-1.,0", "0,-1,0", "", {"q1": T}, facts("q1", B__arm=(-1.4, 3, 5.2))),
    ("rotat", "0,0,1", "0,0,1", "x0=-9.E1;", {}, facts("q1", q1__q=-PI / 2, B__arm=(3, -2, 5))),
    # turned by 90° + T, sin = 0.8, cos = -0.6: ro1 - (-0.06 - 0.16, 0.08 - 0.12, 0.4); (-1.2 - 2.4, 1.6 - 1.8, 5)
    ("rotat", "0,0,1", "0,0,1", PLACES + "consta= 9.E1;", {"q1": T},
     facts("q1", B__at=(1.22, 2.04, 2.6), B__arm=(-3.6, -0.2, 5))),
    ("rotat", "0,0,1", "0,0,1", "constx=0; consta=90; x0=0;", {}, facts("q1", B__arm=(-3, 2, 5))),
    # e2 = z is carried to e1 = x about y: (5, 3, -2), then turned about x: (5, 2.4 + 1.2, 1.8 - 1.6)
    ("rotat", "1,0,0", "0,0,1", "", {"q1": T}, facts("q1", B__arm=(5, 3.6, 0.2))),
    # e2 = -x to e1 = z about y: Ry (2, 3, 5) = (5, 3, -2)
    ("rotat", "0,0,1", "-1,0,0", "ro2x=1;", {}, facts("q1", B__at=(0, 0, 1), B__arm=(5, 3, -2))),
    ("rotat", "0,1,0", "1,0,0", "", {}, facts("q1", B__arm=(-3, 2, 5))),  # x to y about z
    ("rotat", "0,1,0", "0,0,1", "", {}, facts("q1", B__arm=(2, 5, -3))),  # z to y about -x
    # e2 = z to e1 = (0, 0.6, 0.8) about -x by T: (2, 5.4, 2.2); a quarter about e1: 5 e1 + e1 × that = (-3, 4.6, 2.8)
    ("rotat", "0,0.6,0.8", "0,0,1", "consta=90;", {}, facts("q1", B__arm=(-3, 4.6, 2.8))),
    # as good as parallel: UM writes fifteen digits
    ("rotat", "0,0,1", "1e-10,0,1", "", {"q1": T}, facts("q1", B__arm=(-0.2, 3.6, 5))),
    ("rotat", "0,3,4", "0,0,2", "consta=90;", {}, facts("q1", B__arm=(-3, 4.6, 2.8))),  # axes as long as they like
    ("rotat", "0.6,0,0.8", "0,0,1", "", {}, facts("q1", B__arm=(4.6, 3, 2.8))),
    ("rotat", "0.8,0.6,0", "1,0,0", "", {}, facts("q1", B__arm=(-0.2, 3.6, 5))),
    ("transl", "1,0,0", "1,0,0", "constx=0; consta=; x0=0.3;", {}, facts("q1", q1__q=0.3, B__at=(0.3, 0, 0))),
    ("transl", "0,-1,0", "0,-1,0", PLACES + "x0=30;", {"q1": 0.4}, facts("q1", q1__q=30, B__at=(0.9, 1.4, 2.6))),
    ("transl", "0,0,1", "0,0,1", "", {"q1": 0.4}, facts("q1", B__at=(0, 0, 0.4))),
    ("transl", "0,1,0", "1,0,0", "ro2x=1;", {"q1": 0.4}, facts("q1", B__at=(0, -0.6, 0), B__arm=(-3, 2, 5))),
]  # fmt: skip

COMM = [
    ([et("tc", "a,-3,b")], {}, facts(B__at=(2, -3, 1.5))),
    ([et("rc", "1.,0,0", "90")], {}, facts(B__arm=(2, -5, 3))),
    ([et("rc", "0,1.,0", "-9.E1")], {}, facts(B__arm=(-5, 3, 2))),
    ([et("rc", "0,0,-1.", "90")], {}, facts(B__arm=(3, -2, 5))),
    ([et("rv", "1,0,0", "90")], {}, facts("q1", q1__q=PI / 2, B__arm=(2, -5, 3))),
    ([et("rv", "0,1,0")], {"q1": T}, facts("q1", B__arm=(4.6, 3, 2.8))),
    ([et("rv", "0,0,-1", "20")], {"q1": T}, facts("q1", q1__q=PI / 9, B__arm=(3.4, 1.2, 5))),
    # e = (0, 0.6, 0.8): 5.8 e + e × (2, 3, 5) = (0, 3.48, 4.64) + (3 - 2.4, 1.6, -1.2)
    ([et("rv", "0,1.2,1.6")], {"q1": PI / 2}, facts("q1", B__arm=(0.6, 5.08, 3.44))),
    ([et("tv", "1,0,0", "0.3")], {}, facts("q1", q1__q=0.3, B__at=(0.3, 0, 0))),
    ([et("tv", "0,-1,0", "30")], {"q1": 0.4}, facts("q1", q1__q=30, B__at=(0, -0.4, 0))),
    ([et("tv", "0,0,1")], {"q1": 0.4}, facts("q1", B__at=(0, 0, 0.4))),
    ([et("tv", "3,0,4")], {"q1": 5}, facts("q1", B__at=(3, 0, 4))),
    # (1, 2, 3), turned by T about z, then along x
    ([et("tc", "1,2,3"), et("rv", "0,0,1"), et("tv", "1,0,0")], {"q1": T, "q2": 10},
     facts("q1 q2", B__at=(9, 8, 3), B__arm=(-0.2, 3.6, 5))),
    ([et("rv", "1,0,0", "90", "enabled = false; "), et("rv", "0,1,0")], {"q1": T}, facts("q1", B__arm=(4.6, 3, 2.8))),
    ([et("tv", "1,0,0", "5", "enabled=False; "), et("tc", "0,1,0")], {}, facts(B__at=(0, 1, 0))),
    ([et("tv", "1,0,0", "5", "enabled=true; ")], {}, facts("q1", q1__q=5, B__at=(5, 0, 0))),
]  # fmt: skip

#: From B to the base: in reversed order, constants inverted, coordinates with the same axis and sign.
REVERSED = [
    # Tz Rx(T) Rz(-90°) T(-1, -2, -3): (-2, 1, -3), (-2, 0.8 + 1.8, 0.6 - 2.4); (3, -2, 5), (3, -1.6 - 3, -1.2 + 4)
    ("comm", "\n".join((et("tc", "1,2,3"), et("rc", "0,0,1", "90"), et("rv", "1,0,0", "20"), et("tv", "0,0,1", "5"))),
     {"q1": 0.4, "q2": T}, facts("q1 q2", q1__q=5, q2__q=PI / 9, B__at=(-2, 2.6, -1.4), B__arm=(3, -4.6, 2.8))),
    # ro2 - R ro1 with R = Rz(T - 90°), sin = -0.8, cos = 0.6: R (1, 2, 3) = (0.6 + 1.6, -0.8 + 1.2, 3)
    ("rotat", one("0,0,1", "0,0,1", PLACES + "consta=90;"), {"q1": T},
     facts("q1", B__at=(-2.1, -0.2, -2.6), B__arm=(3.6, 0.2, 5))),
    # Ry(-90°) Rx(T): (2, -0.6, 5.8), then (-z, y, x)
    ("rotat", one("1,0,0", "0,0,1", "x0=40;"), {"q1": T}, facts("q1", q1__q=2 * PI / 9, B__arm=(-5.8, -0.6, 2))),
    ("transl", one("0,1,0", "0,1,0", PLACES), {"q1": 0.4}, facts("q1", B__at=(-0.9, -1.4, -2.6))),
    # Ry Rx Rz Tz Ty Tx: (-3, 2, 5), (-3, 1.6 - 3, 1.2 + 4), (5.2, -1.4, 3); (0.6, 0.5, 0.4) likewise
    ("6dof", "with jnt6dof; angles=312; x0=1; y0=2; z0=3; angle10=10; angle20=20; angle30=30;",
     {"q1": PI / 2, "q2": T, "q3": PI / 2, "q4": 0.4, "q5": 0.5, "q6": 0.6},
     facts("q1 q2 q3 q4 q5 q6", q1__q=PI / 6, q2__q=PI / 9, q3__q=PI / 18, q4__q=3, q5__q=2, q6__q=1,
           B__at=(0.68, 0.24, 0.5), B__arm=(5.2, -1.4, 3))),
    ("6dof", "with jnt6dof; position=1; p1x=1; position=2; p1y=2; position=0; z0=0;", {"q1": 0.4},
     facts("q1", B__at=(-1, 2, 0.4))),
]  # fmt: skip


@pytest.mark.parametrize(
    ("parts", "at", "expected"),
    [
        *((six(inside), at, expected) for inside, at, expected in SIX),
        *((joint(kind, one(e1, e2, rest)), at, expected) for kind, e1, e2, rest, at, expected in ONE),
        *((comm(*ets), at, expected) for ets, at, expected in COMM),
        *((joint(kind, inside, "B", "Base0"), at, expected) for kind, inside, at, expected in REVERSED),
    ],
)
def test_a_joint_is_these_numbers(parts, at, expected):
    assert wrong(text(parts), "um", at, expected) == []


ALONG = ("1,0,0", "1,0,0")
REFUSED = [
    "", joint("", ""), joint("rotat", ""), joint("6dof", ""), comm(et("tt", "1,0,0")),
    comm(et("", "1,0,0")), joint("rotat", one(*ALONG) * 2), six("x0=0;") + "with jnt6dof; y0=0;", six("x0=0; x0=1;"),
    six("position=1; p1x=1; p1x=2;"), six("angles=312; angle10=0; angles=Cardan(123);"),
    joint("rotat", one("1,0,0", "-1,0,0")), joint("rotat", one("0,0,0", "1,0,0")),
    joint("rotat", one("1,0,0", "a,0,0")),
    joint("rotat", one(*ALONG, "constx=1;")), joint("transl", one(*ALONG, "constx=1;")),
    joint("transl", one(*ALONG, "consta=90;")), comm(et("rv", "0,0,0")), comm(et("tv", "1,0,0", "c")),
    comm(et("tv", "1,0,0") + law("none") + law("none")), six("angles=12; angle10=0;"), six("angles=124; angle10=0;"),
    six("angle10=0;"), six("position=1; axis1=4; angle1=90;"), six("position=1; angle1=90;"),
    comm(first="External"), comm(first="C"), comm(first="B"), comm() + "\n" + comm(), comm() + "\n" + comm(second="C"),
]  # fmt: skip


@pytest.mark.parametrize("parts", REFUSED)
def test_what_is_no_joint(parts):
    with pytest.raises(ReadError):
        read(text(parts), "um")


TWO = 'with body1; name="C"; m=5;\nwith body2; name="B"; m=7;\n'
SLIDE_X, SLIDE_Y, SLIDE_Z = et("tv", "1,0,0", "1"), et("tv", "0,1,0", "2"), et("tv", "0,0,1", "3")


def two(bodies, c, b, **more):
    """The facts of C and B at these places, of the coordinates q1 = 1 and q2 = 2, and more."""
    facts = {
        "coordinates": "q1 q2",
        "bodies": bodies,
        "C.mass": 5,
        "B.mass": 7,
        "q1.q": 1,
        "q2.q": 2,
        "C.at": c,
        "B.at": b,
    }
    return facts | IDENTIFIERS | {k.replace("__", "."): v for k, v in more.items()}


TREES = [
    # coordinates in the order of the joints, bodies in that of the bodies, parents first
    ([comm(SLIDE_X, second="C"), comm(SLIDE_Y, first="C", name="k")], two("C B", (1, 0, 0), (1, 2, 0), B__on="C")),
    ([comm(SLIDE_X, first="B", second="C"), comm(SLIDE_Y, name="k")], two("B C", (1, 2, 0), (0, 2, 0), C__on="B")),
    ([comm(SLIDE_X, et("tc", "0,0,9"), first="C", second="B"), comm(SLIDE_Y, name="k")],
     two("B C", (1, 2, -9), (0, 2, 0), C__on="B")),
    ([comm(SLIDE_X, second="C"), comm(SLIDE_Y, SLIDE_Z, name="k")],
     two("C B", (1, 0, 0), (0, 2, 3), coordinates="q1 q2 q3", q3__q=3)),
    # a joint between bodies that hang together by joints before it is cut
    ([comm(SLIDE_X, second="C"), comm(SLIDE_Y, name="k"),
      comm(et("tc", "0,0,9"), SLIDE_Z, et("rv", "1,0,0"), first="C", name="l")],
     two("C B", (1, 0, 0), (0, 2, 0), l__joins="C B", l__cut="c1_1 c1_2", l__first=(1, 0, 9.3, 2, -0.6, 5.8),
         l__second=(0, 2, 0, 2, 3, 5))),
    ([comm(SLIDE_X, second="C"), comm(SLIDE_Y, first="C", name="k"), comm(SLIDE_Z, name="l"),
      comm(et("tv", "-1,0,0"), first="B", second="Base0", name="n")],
     two("C B", (1, 0, 0), (1, 2, 0), B__on="C", l__joins="None B", l__cut="c1_1", l__first=(0, 0, 0.3, 2, 3, 5),
         l__second=(1, 2, 0, 2, 3, 5), n__joins="B None", n__cut="c2_1", n__first=(0.6, 2, 0, 2, 3, 5),
         n__second=(0, 0, 0, 2, 3, 5))),
]  # fmt: skip


@pytest.mark.parametrize(("joints", "expected"), TREES)
def test_joints_are_this_tree(joints, expected):
    at = {"c1_1": 0.3, "c1_2": T, "c2_1": 0.4}
    assert wrong(text(*joints, body=TWO), "um", at, expected) == []


def test_a_body_without_a_joint_is_free_by_its_own():
    """Its coordinates come after those of the joints of its object; where a joint leads to it, its own says nothing."""
    free = TWO.replace("m=5;", "m=5;\nwith jnt6dof; angles=312; y0=4; angle30=90;")
    found = seen(read(text(comm(SLIDE_X), body=free), "um"), {}, "um")
    free_body = {"coordinates": "q1 q2 q3", "q2.q": 4, "q3.q": PI / 2, "C.arm": (5, 3, -2)}
    assert differences(found, two("C B", (0, 4, 0), (1, 0, 0)) | free_body) == []
    held = seen(read(text(comm(SLIDE_X), comm(SLIDE_Z, second="C", name="k"), body=free), "um"), {}, "um")
    assert differences(held, two("C B", (0, 0, 3), (1, 0, 0)) | {"q2.q": 3}) == []


INNER = (
    'with subs1; name="S"; type=mbsincluded; ro1x=10; ro1y=a; ro1z=30;\n with main;\n with const;\n  cnst=(a# 5);\n'
    ' with subs1; name="U"; type=mbsincluded; ro1x=100; ro1y=a; ro1z=300;\n  with main;\n'
    '  with body1; name="B"; m=4;\n' + comm(SLIDE_Z) + "\n  with end;\n"
    ' with body1; name="B"; m=3*a;\n with body2; name="C"; m=2; ' + "\n"
    + comm(et("tv", "0,1,0", "a")) + comm(SLIDE_X, first="C", second="Base0", name="k") + "\n with end;\n"
)  # fmt: skip


def test_subsystems_stand_where_they_are_put():
    """Outer objects first; names with the subsystem's, identifiers their own; a joint towards the base comes back."""
    system = read(text(comm(SLIDE_X), head=HEAD + INNER), "um")
    expected = {
        "coordinates": "q1 q2 q3 q4", "bodies": "B S.B S.C S.U.B", "q1.q": 1, "q2.q": 5, "q3.q": 1, "q4.q": 3,
        "B.mass": 7, "S.B.mass": 15, "S.C.mass": 2, "S.U.B.mass": 4, "a.given": 2, "b.given": 1.5, "S_a.given": 5,
        "B.at": (1, 0, 0), "S.B.at": (10, 7, 30), "S.C.at": (11, 2, 30), "S.U.B.at": (110, 7, 333),
    }  # fmt: skip
    assert differences(seen(system, {}, "um"), expected) == []
    assert system.metadata["um:identifiers"] == {"S_a": "S.a"}
    keys = ("name", "subsystem", "joint", "line", "reversed")
    records = [("q1", "", "j", "tv", False), ("q2", "S", "j", "tv", False), ("q3", "S", "k", "tv", True)]
    assert system.metadata["um:coordinates"] == [
        dict(zip(keys, record)) for record in (*records, ("q4", "S.U", "j", "tv", False))
    ]
