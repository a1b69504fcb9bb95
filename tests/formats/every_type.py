"""Models that together hold every type of the shared model, each in every way it is used."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from mbconcord.model import (
    AddedInertia,
    Armature,
    Bipolar,
    Body,
    Bushing,
    Constant,
    Coordinate,
    Effort,
    ElasticModes,
    ElasticNode,
    Flywheel,
    Frame,
    FrameCoincidence,
    Function,
    Gravity,
    Holonomic,
    Inertia,
    JointEffort,
    LinearLaw,
    Mapped,
    Motion,
    NamedPoint,
    Nonholonomic,
    Omission,
    Parameter,
    Point,
    PointCoincidence,
    PointForce,
    Prescribed,
    Rod,
    System,
    Torsion,
    Wrench,
    rotation,
    shift,
    translation,
)
from mbconcord.model.expressions import (
    PI_NODE,
    TIME,
    Expression,
    apply,
    as_expression,
    call,
    number,
    rate,
    sin,
    sqrt,
    symbol,
)

m1, z, dz = symbol("m1"), symbol("z"), rate("z")
jk, jk1 = call("JK", [TIME]), call("JK", [m1])


def shared(depth: int) -> Expression:
    """An expression whose text doubles with every step."""
    x = z
    for _ in range(depth):
        x = x * x + sin(x)
    return x


def base(**more: Any) -> System:
    """A slider z on a fixed frame with a parameter and two functions."""
    given: dict[str, Any] = {
        "name": "base",
        "coordinates": (Coordinate("z"),),
        "parameters": (Parameter("m1", 2.5),),
        "functions": (Function("JK", ("t",)), Function("f", ("x", "y"), symbol("x") * symbol("y") + m1)),
        "bodies": (Body("b", None, (translation("x", "z"),), Inertia(m1)),),
    }
    return System(**(given | more))


def body(**more: Any) -> System:
    given: dict[str, Any] = {"name": "b", "parent": None, "joint": (translation("x", "z"),)}
    return base(bodies=(Body(**(given | more)),))


def modes(n: int) -> ElasticModes:
    def rows(r: int, c: int) -> Any:
        return [[m1 * (i + 1) / (k + 2) for k in range(c)] for i in range(r)]

    return ElasticModes(
        tuple(f"e{k}" for k in range(n)), rows(n, 3),
        tuple(tuple(rows(3, 3) for _ in range(n + 1)) for _ in range(n + 1)), rows(n, n), rows(n, n),
        (rows(3, 3), rows(3, n), rows(n, n)), (ElasticNode("tip", (1, 0, 0), rows(3, n), rows(3, n)),),
    )  # fmt: skip


def point(at: Any = (1, m1, 3), of: str | None = "b") -> Point:
    return Point(of, at)


SYSTEMS = {
    "empty": System("empty"),
    "nameless": System(""),
    "base": base(),
    "unicode": base(name="кран «ПАТУ»", parameters=(Parameter("m1"), Parameter("масса", 1))),
    "names no formula can hold": base(
        parameters=(Parameter("m1"), Parameter("left arm/1", 2), Parameter("x", symbol("left arm/1") * 3))
    ),
    "a parameter called pi": base(
        parameters=(Parameter("m1"), Parameter("pi", 3), Parameter("y", 2 * symbol("pi")))
    ),
    "effort drive": base(
        coordinates=(Coordinate("z", 0.3, number("1/3"), Effort(-m1 * dz + sin(TIME))),)
    ),
    "motion drive": base(coordinates=(Coordinate("z", drive=Motion(2 - z)),)),
    "parameters": base(
        parameters=(
            Parameter("m1", 1e-300),
            Parameter("a", m1 * PI_NODE + 1, "drawn"),
            Parameter("b", origin="default"),
            Parameter("c", number("123456789012345678901234567890.5")),
            Parameter("d", number(Fraction(10) ** 60 / 3)),
            Parameter("e", number(2**70) / 5**30),
        )
    ),
    "gravity": base(gravity=Gravity(symbol("m1"), (1, 2, 3))),
    "gravity down": base(gravity=Gravity(9.81, (0, -1, 0))),
    "joint": body(
        joint=(
            translation((1, 1, 1), Constant(m1 / 3)),
            rotation((sqrt(2) / 2, 0, -sqrt(2) / 2), "z"),
            rotation("-y", Prescribed(jk * TIME + call("JK", [TIME], [2]))),
            translation("-x", Prescribed(TIME)),
            *shift((0, -0.25, PI_NODE / 2)),
        )
    ),
    "maps": body(
        joint=(
            translation("x", "z"), rotation((2, 3, 6), Mapped(m1 * z)), translation("-y", Mapped(sin(z) + jk * TIME)),
        )
    ),
    "inertia": body(inertia=Inertia(m1, (0.1, 0, m1), (1, 2, 2.5, 0.1, -0.2, 1 / (1 + m1)))),
    "added inertia": body(
        added_inertia=AddedInertia([[as_expression(min(i, k) + 1) * m1 for k in range(6)] for i in range(6)])
    ),
    "flywheels": body(
        flywheels=(
            Flywheel("r", (rotation("x", 0.4), *shift((1, 2, 3))), Inertia(2, (1, 0, 0), (1, 2, 3)), jk),
            Flywheel("s", (), Inertia(1), 3 * TIME),
        )
    ),
    "elastic modes": base(
        coordinates=(Coordinate("e1", 0.1), Coordinate("z"), Coordinate("e0", velocity=0.2)),
        bodies=(
            Body("b", None, (translation("x", "z"),), Inertia(m1), modes=modes(2)),
            Body("hand", "b", parent_node="tip"),
        )
    ),
    "no elastic mode": body(modes=modes(0)),
    "tree": base(
        coordinates=(Coordinate("y"), Coordinate("z")),
        bodies=(
            Body("b", None, (translation("x", "z"),)),
            Body("c", "b", (rotation("z", "y"),)),
            Body("d", "b"),
            Body("e", None),
        ),
    ),
    "joint efforts": base(
        forces=(JointEffort("a", "z", -m1 * z - dz), JointEffort("b", "z", LinearLaw(1, m1, 3, 4, 5, 6, 7)))
    ),
    "bipolar forces": base(
        forces=(
            Bipolar("a", point(), Point(None, (0, 1, 0)), symbol("@") * m1 + symbol("@'") + jk, m1),
            Bipolar("b", Point("b"), Point(None, (0, 1, 0)), LinearLaw(k=3)),
        )
    ),
    "point forces": base(
        forces=(PointForce("a", point(), (z, dz, TIME)), PointForce("b", point(), (1, 0, jk), "body")),
    ),
    "wrenches": base(
        forces=(
            Wrench("a", point(), (1, 0, jk), (z, 0, 0)), Wrench("b", Point("b")),
            Wrench("c", point(), (1, 0, z), axes="body"),
        ),
    ),
    "bushings": base(
        forces=(
            Bushing(
                "a", Frame("b", (*shift((1, m1, 0)), rotation("y", Constant(m1 / 2)))), Frame(None),
                [[m1 * i + k for k in range(6)] for i in range(6)],
                [[0] * 6, *[[0, 0, 0, i, 0, 0.5] for i in range(5)]],
                [1, 2, 3, 0, 0, m1],
            ),
            Bushing("b", Frame(None), Frame("b")),
        )
    ),
    "torsions": base(
        forces=(
            Torsion(
                "a", Frame("b", (*shift((1, m1, 0)), rotation("y", Constant(m1 / 2)))), Frame(None),
                symbol("@") * m1 + symbol("@'") + jk,
            ),
            Torsion("b", Frame(None), Frame("b"), LinearLaw(k=3)),
        )
    ),
    "constraints": base(
        constraints=(
            Rod("rod", point(), Point(None), m1 + 1, 0.5),
            Rod("massless", Point(None), point(), number(2)),
            PointCoincidence("points", point(), Point(None, (1, 2, 3))),
            FrameCoincidence("frames", Frame("b", (rotation("z", "cut"), *shift((1, 2, 3)))), Frame(None)),
            Holonomic("row", z * z - TIME),
            Nonholonomic("rolling", {"z": sin(z)}, m1 * TIME),
            Nonholonomic("still", {"z": as_expression(1)}),
        )
    ),
    "armatures": base(
        armatures=(Armature("rotor", m1 / 100, {"z": 50}), Armature("b", number("0.1"), {"z": m1 * 2}))
    ),
    "points": base(
        points=(NamedPoint("tip", "b", (m1, 0, 0.2)), NamedPoint("a \"tip\"", "b")),
        forces=(JointEffort("a", "z", symbol("vx(tip)") + symbol('pz(tip, "a \\"tip\\"")')),),
    ),
    "metadata": base(
        metadata={"um:images": [1, 2.5, -0.0, None, True, {"a\n\"b\\": "ж"}], "um:x": "x", "z": {}, "a": []}
    ),
    "omissions": base(
        omissions=(
            Omission("contact/foot", "contact", "with cfrc; f=0.3;", "forces", ("m1",)),
            Omission("contact/foot", "contact", "with cfrc; f=0.4;"),
            Omission("image/\"ball\"", "image", "", "none"),
            Omission("joint-limit/z", "joint-limit", "0 2", "none", (), (z, 2 - z)),
        )
    ),
    "a large shared formula": base(forces=(JointEffort("a", "z", shared(50)),)),
    "a long formula": base(forces=(JointEffort("a", "z", sum((sin(z * i) for i in range(2000)), m1)),)),
    "functions of parameters": base(
        coordinates=(Coordinate("z", jk1),),
        bodies=(
            Body("b", None,
                 (translation("y", Constant(jk1)), rotation("x", Constant(call("f", [m1, number(2)]))),
                  translation("x", "z")),
                 Inertia(jk1, (0, 0, jk1))),
        ),
    ),
    "functions": base(
        forces=(
            JointEffort("a", "z", call("f", [z, dz], [1, 2]) + call("JK", [2 * z], [3])),
            JointEffort("b", "z", apply("atan2", z, m1)),
        )
    ),
}  # fmt: skip
