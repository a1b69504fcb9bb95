"""input.dat of UM: bodies, gravity, forces, identifiers and expressions as numbers worked out by hand."""

from __future__ import annotations

import math

import pytest

from mbconcord.model import ReadError

from .seen import differences, read, seen, wrong
from .um_texts import BODY, HEAD, IDENTIFIERS, MASS, comm, et, joint, law, one, six, text, vector

PI = math.pi
HELD = six("angles=312;")

# bodies

FULL = (
    'with body1; name="B"; ppjoint=0; igrobj=1;\n'
    " m=7; ixx=2; ixy=0.19; ixz=0.23; iyy=3; iyz=-0.29; izz=4; rcx=0.11; rcy=-0.13; rcz=b;\n"
)
BODIES = [
    (FULL, {"B.mass": 7, "B.tensor": (2, 3, 4, 0.19, 0.23, -0.29), "B.centre": (0.11, -0.13, 1.5)}),
    (FULL.replace("m=7", "AutoCalcInertia=true; m=7"),
     {"B.mass": 7, "B.tensor": (2, 3, 4, 0.19, 0.23, -0.29), "B.centre": (0.11, -0.13, 1.5)}),
    ('with body1; name="B"; m=a*b; ixx=; iyy=a; izz=a/4; rcx=; rcz=;\n',
     {"B.mass": 3, "B.tensor": (0, 2, 0.5, 0, 0, 0)}),
    ('with body1; name="B";\n', {}),
]  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), BODIES)
def test_a_body_is_these_numbers(body, expected):
    assert wrong(text(HELD, body=body), "um", {}, {"bodies": "B", **IDENTIFIERS, **expected}) == []


# gravity: with autogravity a direction, else an acceleration

GRAVITY = [
    ("autogravity=true;", "gravityx=1;", (9.81, 0, 0)),
    ("autogravity=true;", "gravityy=-1;", (0, -9.81, 0)),
    ("autogravity=true;", "gravityz=-1;", (0, 0, -9.81)),
    ("autogravity=true;", "gravityz=-9.8;", (0, 0, -9.81)),
    ("autogravity=true;", "gravityx=2; gravityy=-3; gravityz=6;", (2 * 9.81 / 7, -3 * 9.81 / 7, 6 * 9.81 / 7)),
    ("autogravity=false;", "gravityx=2; gravityy=-3; gravityz=6;", (2, -3, 6)),
    ("", "gravityy=-1.62;", (0, -1.62, 0)),
    ("", "gravityx=1.62;", (1.62, 0, 0)),
    ("autogravity=true;", "gravityz=;", (0, 0, 0)),
]


@pytest.mark.parametrize(("main", "block", "expected"), GRAVITY)
def test_gravity_is_this_vector(main, block, expected):
    head = f"with main; {main}\nwith egravity; {block}\n"
    found = seen(read(text(HELD, head=head), "um"), {}, "um")
    assert differences(found, {"bodies": "B", "B.mass": 7, **({"gravity": expected} if any(expected) else {})}) == []


def test_the_gravity_of_the_main_object_counts():
    inner = 'with subs1; name="S"; type=mbsincluded; with main; with egravity; gravityz=-1; with end;\n'
    found = seen(
        read(text(HELD, head=f"with main; autogravity=true; with egravity; gravityx=1;\n{inner}"), "um"), {}, "um"
    )
    assert differences(found, {"bodies": "B", "B.mass": 7, "gravity": (9.81, 0, 0)}) == []


# forces: at x = 0.3, v = 0.7

AT = {"F": 0.3, "F'": 0.7}
LAWS = [
    ("linear", "f0=11;", 11),
    ("linear", "k=13; l0=0.2;", -1.3),  # -13 (0.3 - 0.2)
    ("linear", "l0=0.2;", 0),
    ("linear", "d=17;", -11.9),
    ("linear", "q=19; w=pi; a=pi/6;", 19),  # sin(π/3 + π/6) at t = 1/3
    ("linear", "f0=11; k=13; l0=0.2; d=17; q=-19; w=pi; a=pi/6;", -21.2),  # 11 - 1.3 - 11.9 - 19
    ("linear", "", 0),
    ("expression", "expression=-3*x+5*v+a-b;", 3.1),  # -0.9 + 3.5 + 2 - 1.5
    ("expression", "expression=sqr(X)+1/V;", 0.09 + 1 / 0.7),
    ("expression", "expression=6*t;", 20),  # um_t(t) = 10 t
    ("expression", "expression=6*time;", 20),
    ("expression", "expression=foo(v,x);", 37),  # 10·0.7 + 100·0.3
    # what is said by a variable of the object, or of another joint, is left out
    ("expression", "expression=3*x+w;", None),
    ("expression", 'expression=3*x+coordinate("j", 1, 0);', None),
    ("linear", "k=13; f0=w;", None),
    ("library", "f0=11;", None),
    ("expression", "expression=;", None),
    ("expression", "", None),
    ("none", "expression=5;", None),
]
FUNCTIONS = {"6*t;": {"um_t(x1)": 5}, "6*time": {"um_time(x1)": 5}, "foo": {"um_foo(x1, x2)": 35}}


@pytest.mark.parametrize("slides", [True, False], ids=["tv", "rotat"])
@pytest.mark.parametrize(("kind", "rest", "force"), LAWS)
def test_a_scalar_force_of_a_joint_is_this_number(kind, rest, force, slides):
    parts = (
        comm(et("tv", "1,0,0"), law(kind, rest)) if slides else joint("rotat", one("1,0,0", "1,0,0") + law(kind, rest))
    )
    found = seen(read(text(parts, head=HEAD + 'with var; name="w"; expression=5;\n'), "um"), AT | {"t": 1 / 3}, "um")
    # Rx(0.3) (2, 3, 5) = (2, 3 cos 0.3 - 5 sin 0.3, 3 sin 0.3 + 5 cos 0.3)
    s, c = math.sin(0.3), math.cos(0.3)
    place = {"B.at": (0.3, 0, 0)} if slides else {"B.arm": (2, 3 * c - 5 * s, 3 * s + 5 * c)}
    functions = next((f for word, f in FUNCTIONS.items() if word in rest), {})
    forces = {} if force is None else {"forces": "F", **({"Q": force} if force else {})}
    assert differences(found, MASS | {"coordinates": "F"} | place | functions | forces) == []


def test_forces_and_coordinates_take_the_names_of_scalar_forces():
    """Where every coordinate has one with a name of its own; else coordinates are numbered, and forces called so."""

    def slides(*given):
        laws = [law("expression", f"expression={n + 1};", name) if name else "" for n, name in enumerate(given)]
        axes = ("1,0,0", "0,1,0", "0,0,1")
        found = seen(read(text(comm(*(et("tv", axis) + f for axis, f in zip(axes, laws)))), "um"), {}, "um")
        return found["coordinates"], found["forces"], found["Q"].tolist()

    assert slides("F", "G", "H") == ("F G H", "F G H", [1, 2, 3])
    assert slides("F", "", "H") == ("q1 q2 q3", "F H", [1, 0, 3])
    assert slides("F", "F", "H") == ("q1 q2 q3", "q1 q2 H", [1, 2, 3])
    assert slides("F", "a", "H") == ("q1 q2 q3", "F a H", [1, 2, 3])
    assert slides("F", "G-", "H") == ("q1 q2 q3", "F G- H", [1, 2, 3])
    assert slides("F", "sin", "H") == ("q1 q2 q3", "F sin H", [1, 2, 3])
    named = HEAD + " cnst=(q2# 9);\n"
    assert (
        seen(read(text(comm(et("tv", "1,0,0"), et("tv", "0,1,0")), head=named), "um"), {}, "um")["coordinates"]
        == "q1 q2_"
    )


# bipolar elements: B at (2, 3, 6), |r| = 7, moving with (1, 0, 2): rate (2 + 12)/7 = 2

FLYING = six("x0=2; y0=3; z0=6;")
AWAY = {"q1'": 1, "q3'": 2}
THERE = MASS | {"coordinates": "q1 q2 q3", "q1.q": 2, "q2.q": 3, "q3.q": 6, "B.at": (2, 3, 6), "forces": "s"}


def bipolar(first: str, second: str, force: str, ro1: str = ",,", ro2: str = ",,", name: str = "s") -> str:
    """A bipolar element."""
    points = f"{vector('ro1', ro1)} {vector('ro2', ro2)}"
    return f'with bfrc; name="{name}"; bd1="{first}"; bd2="{second}"; igrobj=2;\n {points}\n{force}'


BIPOLARS = [
    (bipolar("B", "Base0", law("linear", "k=3; l0=2;")), {  # -15 pulls B towards the origin
        "s.joins": "B None", "s.ends": (2, 3, 6, 0, 0, 0), "Q": (-30 / 7, -45 / 7, -90 / 7)}),
    (bipolar("Base0", "B", law("linear", "d=7; f0=3.5;")), {  # 3.5 - 14
        "s.joins": "None B", "s.ends": (0, 0, 0, 2, 3, 6), "Q": (-3, -4.5, -9)}),
    (bipolar("Base0", "B", law("expression", "expression=x*a+7*v;")), {  # 14 + 14
        "s.joins": "None B", "s.ends": (0, 0, 0, 2, 3, 6), "Q": (8, 12, 24)}),
    (bipolar("B", "Base0", law("expression", "expression=14;"), "0.5,a,-3", "0.5,b,-3"), {
        # (2.5, 5, 3) and (0.5, 1.5, -3): apart (2, 3.5, 6), length √(4 + 12.25 + 36) = 7.228416147400481
        "s.joins": "B None", "s.ends": (2.5, 5, 3, 0.5, 1.5, -3),
        "Q": (28 / 7.228416147400481, 49 / 7.228416147400481, 84 / 7.228416147400481)}),
]  # fmt: skip


@pytest.mark.parametrize(("element", "expected"), BIPOLARS)
def test_a_bipolar_element_is_these_numbers(element, expected):
    assert differences(seen(read(text(FLYING, element), "um"), AWAY, "um"), THERE | expected) == []


def test_bipolar_elements_of_a_subsystem_stand_with_it():
    """A point on its Base0 is moved with it, one on a body is not; joint efforts come first, equal names get a mark."""
    inner = (
        'with subs1; name="S"; type=mbsincluded; ro1x=10; ro1y=20; ro1z=30; with main;\nwith body1; name="B"; m=4;\n'
        + comm(et("tv", "1,0,0", "5"), law("expression", "expression=9;", "s")) + "\n"
        + bipolar("B", "Base0", law("linear"), "1,2,3", "4,5,6") + "\n" + bipolar("B", "Base0", law("linear"))
        + "\nwith end;\n"
    )  # fmt: skip
    found = seen(read(text(HELD, head=HEAD + inner), "um"), {}, "um")
    expected = MASS | {
        "bodies": "B S.B", "coordinates": "q1", "S.B.mass": 4, "q1.q": 5, "S.B.at": (15, 20, 30),
        "forces": "q1 S.s S.s_",
        "Q": 9, "S.s.joins": "S.B None", "S.s.ends": (16, 22, 33, 14, 25, 36), "S.s_.joins": "S.B None",
        "S.s_.ends": (15, 20, 30, 10, 20, 30),
    }  # fmt: skip
    assert differences(found, expected) == []


# identifiers and expressions: a = 2, b = 1.5

EXPRESSIONS = [
    ("4", 4), ("+4.5", 4.5), (" 9.E1", 90), ("-4.5E-1", -0.45), (".5", 0.5), ("a+b", 3.5), ("a-b", 0.5), ("a*b", 3),
    ("a/b", 4 / 3), ("-a", -2), ("+a", 2), ("a-b-1", -0.5), ("a/b/2", 2 / 3), ("a*(b-1)", 1), ("-a*-b", 3),
    ("a+b*2", 5),
    ("a^3", 8), ("b^a", 2.25), ("sqr(b)", 2.25), ("sqrt(a*8)", 4), ("2*pi*b", 3 * PI), ("A*B", 3), ("((b))", 1.5),
    ("", 0),
    ("foo(a,b)", 170), ("sqrt(sqr(3)+16)", 5), ("1.4142135623730950488", math.sqrt(2)),
]  # fmt: skip


@pytest.mark.parametrize(("source", "value"), EXPRESSIONS)
def test_an_expression_is_this_number(source, value):
    found = seen(read(text(HELD, body=f'with body1; name="B"; m={source};\n'), "um"), {}, "um")
    assert found.get("B.mass", 0) == pytest.approx(value, rel=1e-15)


CONSTANTS = [
    ("cnst=(a# 2);", {"a.given": 2}),
    ('cnst=(a# b*4# "half of it"); cnst=(b# 0.5# "");', {"a.given": 2, "b.given": 0.5}),
    ('cnst=(a# 0# "no value");', {"a.given": None}),
    ('cnst=(a# 3# "no value");', {"a.given": 3}),
    ("cnst=(a# 0);", {"a.given": 0}),
    ("cnst=( a #-3 ); cnst=(t# a); cnst=(t_# 4);", {"a.given": -3, "t_.given": -3, "t__.given": 4}),
    ("cnst=(a# 3); with const; cnst=(b# 4);", {"a.given": 3, "b.given": 4}),
    ("cnst=(a# 3); cnst=(A# 4); cnst=(c# a*10+A);", {"a.given": 3, "A.given": 4, "c.given": 34}),
]


@pytest.mark.parametrize(("rows", "expected"), CONSTANTS)
def test_identifiers_are_these_numbers(rows, expected):
    free = {"a": 1.0} if expected["a.given"] is None else {}
    found = seen(read(text(HELD, head=f"with main; with const; {rows}\n"), "um"), free, "um")
    assert differences(found, {"bodies": "B", "B.mass": 7, **expected}) == []


SUBSYSTEM = 'with subs1; name="S"; type=mbsincluded; {}with main; with end;\n'
REFUSED = {
    "a second identifier": "cnst=(a# 3);", "no value": "cnst=(c);", "no name": "cnst=(1c# 3);",
    "unknown": "cnst=(c# d);",
    "a variable": 'cnst=(c# w); with var; name="w"; expression=1;', "arguments": "cnst=(c# sqr(1, 2));",
    "a coordinate": 'cnst=(c# coordinate("j", 1, 0));', "time": "cnst=(c# t);", "division": "cnst=(c# 1/0);",
    "syntax": "cnst=(c# 1+);", "gravity twice": "with egravity; gravityz=-1; with egravity; gravityz=-1;",
    "gravity by name": "with egravity; gravityz=a;", "a second body": BODY, "Base0": 'with body2; name="Base0";',
    "no name of a body": "with body2;", "loose": 'with body2; name="L";', "a second attribute": "with body2; m=1; m=2;",
    "type": SUBSYSTEM.replace("type=mbsincluded;", "").format(""), "turned": SUBSYSTEM.format("ro2y=1; "),
    "twice": 2 * SUBSYSTEM.format(""), "outside": SUBSYSTEM.format('file="../x"; '), "not closed": "with main;",
}  # fmt: skip


@pytest.mark.parametrize("head", REFUSED.values(), ids=REFUSED)
def test_what_is_no_model(head):
    with pytest.raises(ReadError):
        read(text(HELD, head=f"{HEAD}{head}\n"), "um")


# the text itself

LAYOUTS = [
    lambda t: t.replace("\n", "\r\n"),
    lambda t: t.replace(";", " ;\n\n"),
    lambda t: "$ a comment\n" + t.replace("\n", " $ m=9; with end;\n"),
    lambda t: t.replace("m=7", "m = 7"),
    lambda t: t.replace("m=7;", "cpoints={ 'm=9;' '1'\n 'with' };\n m=7;"),
]


@pytest.mark.parametrize("change", LAYOUTS)
def test_layout_and_comments_say_nothing(change):
    source = text(six("x0=a;"), body=FULL)
    expected = {"bodies": "B", "coordinates": "q1", "q1.q": 2, "B.at": (2, 0, 0), **IDENTIFIERS, **BODIES[0][1]}
    assert differences(seen(read(change(source), "um"), {}, "um"), expected) == []


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("legs/input.dat", "legs"),
        ("legs/Input.dat", "legs"),
        ("legs/arm.dat", "arm"),
        ("input.dat", "UMObject"),
        ("-", "UMObject"),
    ],
)
def test_a_model_is_called_after_its_folder(file, name):
    source = text(HELD, head="with main; objectidentifier=UMObject;\n")
    assert read(source, "um", file).name == name
    assert read(text(HELD, body=BODY), "um", "-").name == "um"
