"""The native format as one table: every type of the model, its keys, their shapes and defaults."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from mbconcord.model import (
    AddedInertia,
    Armature,
    Bipolar,
    Body,
    Constant,
    Coordinate,
    Effort,
    ElasticModes,
    ElasticNode,
    ElementaryTransformation,
    Flywheel,
    Frame,
    FrameCoincidence,
    Function,
    Gravity,
    Holonomic,
    Inertia,
    JointEffort,
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
    Variable,
    Wrench,
)
from mbconcord.model.body import NO_INERTIA
from mbconcord.model.contact import (
    AXES,
    Contact,
    Disc,
    Element,
    Ellipsoid,
    FrictionLaw,
    NormalLaw,
    Rolling,
    Rope,
    SolidPlane,
    Sphere,
    Stop,
    add_elements,
    add_rows,
    omit_rigid,
    split_elements,
)
from mbconcord.model.coordinate import ORIGINS
from mbconcord.model.diagnostics import ModelError, error
from mbconcord.model.expressions import ONE, ZERO, ExpressionError, apply, number, symbol
from mbconcord.model.expressions.interpolant import BEYOND, METHODS
from mbconcord.model.force import FORCE_AXES, NO_ROWS, NOTHING, Bushing, Torsion
from mbconcord.model.omission import EFFECTS
from mbconcord.model.omission import KINDS as OMITTED
from mbconcord.records import replace

from ..tabulated import read_table
from .record import AXIS, LAW, NAME, ROWS, SCALAR, VECTOR, Field, ListOf, MapOf, NativeChoice, NativeRecord, Square
from .shape import Flag, Json, Optional, Text, Word

NOWHERE = (ZERO, ZERO, ZERO)
KINDS: tuple[Literal["translation", "rotation"], ...] = ("translation", "rotation")
NEWER = "a newer mbconcord may have written it"
MOTIONS = {"constant": Constant, "coordinate": Variable, "prescribed": Prescribed, "map": Mapped}


def _transformation(**parts: Any) -> ElementaryTransformation:
    kind = next(key for key in KINDS if key in parts)
    motion = next(key for key in MOTIONS if key in parts)
    return ElementaryTransformation(kind, parts[kind], MOTIONS[motion](parts[motion]))


def _transformation_parts(value: ElementaryTransformation) -> Mapping[str, Any]:
    motion = value.motion
    if isinstance(motion, Variable):
        return {value.kind: value.axis, "coordinate": motion.coordinate}
    word = next(word for word, kind in MOTIONS.items() if isinstance(motion, kind))
    return {value.kind: value.axis, word: motion.value}


TRANSFORMATION = NativeRecord(
    _transformation,
    Field("translation", AXIS, None),
    Field("rotation", AXIS, None),
    Field("constant", SCALAR, None),
    Field("coordinate", NAME, None),
    Field("prescribed", SCALAR, None),
    Field("map", SCALAR, None),
    take=_transformation_parts,
    one_of=(KINDS, tuple(MOTIONS)),
)
TRANSFORMATIONS = ListOf(TRANSFORMATION)

PARAMETER = NativeRecord(
    Parameter,
    Field("name", NAME),
    Field("value", SCALAR, None),
    Field("origin", Word(ORIGINS), "given"),
    Field("normal", NAME, ""),
    Field("varies", SCALAR, None),
)
TABLE = NativeRecord(
    read_table,
    Field("x", ListOf(SCALAR)),
    Field("y", ListOf(SCALAR)),
    Field("method", Word(METHODS), "linear"),
    Field("beyond", Word(BEYOND), "refuse"),
    take=lambda table: {
        "x": [number(z) for z in table.x], "y": [number(z) for z in table.y], "method": table.method,
        "beyond": table.beyond,
    },
)  # fmt: skip


def _function(name: str, arguments: tuple[str, ...], formula: Any = None, table: Any = None) -> Function:
    if table is None:
        return Function(name, arguments, formula)
    if formula is not None or len(arguments) != 1:
        raise ExpressionError("a table is a function of one argument, and in place of a formula")
    return Function(name, arguments, apply(table, symbol(arguments[0])))


def _function_parts(value: Function) -> Mapping[str, Any]:
    formula = {"formula": value.formula} if value.table is None else {"table": value.table}
    return {"name": value.name, "arguments": value.arguments, **formula}


FUNCTION = NativeRecord(
    _function,
    Field("name", NAME),
    Field("arguments", ListOf(NAME)),
    Field("formula", SCALAR, None),
    Field("table", TABLE, None),
    take=_function_parts,
)
DRIVE = NativeChoice(
    {
        "effort": NativeRecord(Effort, Field("value", SCALAR)),
        "motion": NativeRecord(Motion, Field("acceleration", SCALAR)),
    }
)
COORDINATE = NativeRecord(
    Coordinate,
    Field("name", NAME),
    Field("position", SCALAR, ZERO),
    Field("velocity", SCALAR, ZERO),
    Field("drive", DRIVE, None),
)
GRAVITY = NativeRecord(Gravity, Field("value", SCALAR), Field("direction", AXIS))
INERTIA = NativeRecord(
    Inertia,
    Field("mass", SCALAR),
    Field("centre", VECTOR, NOWHERE),
    Field("tensor", ListOf(SCALAR, (3, 6)), NOWHERE + NOWHERE),
)
FLYWHEEL = NativeRecord(
    Flywheel, Field("name", NAME), Field("mounting", TRANSFORMATIONS), Field("inertia", INERTIA), Field("angle", SCALAR)
)
NODE = NativeRecord(
    ElasticNode, Field("name", NAME), Field("position", VECTOR), Field("translation", ROWS), Field("rotation", ROWS)
)
MODES = NativeRecord(
    ElasticModes,
    Field("coordinates", ListOf(NAME)),
    Field("first_moments", ROWS),
    Field("second_moments", ListOf(ListOf(ROWS))),
    Field("stiffness", ROWS),
    Field("damping", ROWS),
    Field("section_inertia", ListOf(ROWS), ()),
    Field("nodes", ListOf(NODE), ()),
    Field("products", ListOf(ListOf(NAME)), ()),
)
BODY = NativeRecord(
    Body,
    Field("name", NAME),
    Field("parent", Optional(NAME)),
    Field("parent_node", NAME, None),
    Field("joint", TRANSFORMATIONS, ()),
    Field("inertia", INERTIA, NO_INERTIA),
    Field("added_inertia", NativeRecord(AddedInertia, Field("rows", Square(6))), None),
    Field("flywheels", ListOf(FLYWHEEL), ()),
    Field("modes", MODES, None),
)

POINT = NativeRecord(Point, Field("body", Optional(NAME)), Field("position", VECTOR, NOWHERE))
NAMED_POINT = NativeRecord(NamedPoint, Field("name", NAME), Field("body", NAME), Field("position", VECTOR, NOWHERE))
FRAME = NativeRecord(Frame, Field("body", Optional(NAME)), Field("transformations", TRANSFORMATIONS, ()))
FORCE = NativeChoice(
    {
        "joint_effort": NativeRecord(JointEffort, Field("name", NAME), Field("coordinate", NAME), Field("effort", LAW)),
        "bipolar": NativeRecord(
            Bipolar,
            Field("name", NAME),
            Field("first", POINT),
            Field("second", POINT),
            Field("law", LAW),
            Field("mass", SCALAR, ZERO),
        ),
        "point_force": NativeRecord(
            PointForce,
            Field("name", NAME),
            Field("point", POINT),
            Field("force", VECTOR),
            Field("axes", Word(FORCE_AXES), "world"),
        ),
        "wrench": NativeRecord(
            Wrench,
            Field("name", NAME),
            Field("point", POINT),
            Field("force", VECTOR, NOWHERE),
            Field("moment", VECTOR, NOWHERE),
            Field("axes", Word(FORCE_AXES), "world"),
        ),
        "bushing": NativeRecord(
            Bushing,
            Field("name", NAME),
            Field("first", FRAME),
            Field("second", FRAME),
            Field("stiffness", Square(6), NO_ROWS),
            Field("damping", Square(6), NO_ROWS),
            Field("preload", ListOf(SCALAR, (6,)), NOTHING),
        ),
        "torsion": NativeRecord(
            Torsion, Field("name", NAME), Field("first", FRAME), Field("second", FRAME), Field("law", LAW)
        ),
    }
)
CONSTRAINT = NativeChoice(
    {
        "rod": NativeRecord(
            Rod,
            Field("name", NAME),
            Field("first", POINT),
            Field("second", POINT),
            Field("length", SCALAR),
            Field("mass", SCALAR, ZERO),
        ),
        "point_coincidence": NativeRecord(
            PointCoincidence, Field("name", NAME), Field("first", POINT), Field("second", POINT)
        ),
        "frame_coincidence": NativeRecord(
            FrameCoincidence, Field("name", NAME), Field("first", FRAME), Field("second", FRAME)
        ),
        "holonomic": NativeRecord(Holonomic, Field("name", NAME), Field("expression", SCALAR)),
        "nonholonomic": NativeRecord(
            Nonholonomic, Field("name", NAME), Field("coefficients", MapOf(SCALAR)), Field("rest", SCALAR, ZERO)
        ),
    }
)
NORMAL_LAW = NativeRecord(
    NormalLaw,
    Field("law", Text()),
    *(Field(name, SCALAR, ZERO) for name in ("k", "c", "d", "w")),
    Field("exponent", SCALAR, ONE),
    Field("e", SCALAR, ZERO),
)
PLANE = NativeRecord(
    lambda plane, body=None: SolidPlane(body, *plane),
    Field("body", Optional(NAME), None),
    Field(
        "plane",
        NativeRecord(
            lambda normal, offset=ZERO: (normal, offset), Field("normal", AXIS), Field("offset", SCALAR, ZERO),
            take=lambda pair: {"normal": pair[0], "offset": pair[1]},
        ),
    ),
    take=lambda plane: {"body": plane.body, "plane": (plane.normal, plane.offset)},
)  # fmt: skip
SHAPE = NativeRecord(
    lambda disc=None, sphere=None, ellipsoid=None: disc or Ellipsoid(ellipsoid or (sphere,)),
    Field("disc", NativeRecord(Disc, Field("radius", SCALAR), Field("axis", AXIS), Field("tube", SCALAR, ZERO)), None),
    Field("sphere", SCALAR, None),
    Field("ellipsoid", VECTOR, None),
    take=lambda shape: (
        {"disc": shape} if isinstance(shape, Disc)
        else {"ellipsoid": shape.axes} if len(shape.axes) > 1
        else {"sphere": shape.axes[0]}
    ),
    one_of=(("disc", "sphere", "ellipsoid"),),
)  # fmt: skip


def _ground(plane: SolidPlane | None = None, **of_sphere: Any) -> SolidPlane | Sphere:
    if plane is not None and (beside := [key for key, x in of_sphere.items() if x is not None]):
        key = beside[0]
        remedy = "write its body in 'plane'" if key == "body" else "leave it out"
        raise ModelError(error(key, "only a sphere has it beside it", remedy))
    return plane or Sphere(of_sphere.get("body"), of_sphere.get("at", NOWHERE), of_sphere["sphere"])


GROUND = NativeRecord(
    _ground,
    Field(
        "plane",
        NativeRecord(
            lambda normal, offset=ZERO, body=None: SolidPlane(body, normal, offset),
            Field("normal", AXIS),
            Field("offset", SCALAR, ZERO),
            Field("body", Optional(NAME), None),
            take=lambda plane: {"normal": plane.normal, "offset": plane.offset, "body": plane.body},
        ),
        None,
    ),
    Field("sphere", SCALAR, None),
    Field("body", Optional(NAME), None),
    Field("at", VECTOR, NOWHERE),
    take=lambda on: (
        {"plane": on} if isinstance(on, SolidPlane) else {"sphere": on.radius, "body": on.body, "at": on.position}
    ),
    one_of=(("plane", "sphere"),),
)
CONTACT = NativeChoice(
    {
        "contact": NativeRecord(
            Contact,
            Field("name", NAME),
            Field(
                "first",
                NativeRecord(
                    Sphere, Field("body", NAME), Field("position", VECTOR, NOWHERE), Field("radius", SCALAR, ZERO)
                ),
            ),
            Field("second", PLANE),
            Field("normal", NORMAL_LAW),
            Field(
                "friction",
                NativeRecord(FrictionLaw, Field("law", Text()), Field("mu", SCALAR), Field("v_s", SCALAR, ZERO)),
                None,
            ),
        ),
        "rope": NativeRecord(
            Rope,
            Field("name", NAME),
            Field("first", POINT),
            Field("second", POINT),
            Field("length", SCALAR),
            Field("normal", NORMAL_LAW),
        ),
        "stop": NativeRecord(
            Stop,
            Field("name", NAME),
            Field("coordinate", NAME, ""),
            Field("normal", NORMAL_LAW),
            Field("lower", SCALAR, None),
            Field("upper", SCALAR, None),
            Field("coefficients", MapOf(SCALAR), {}),
            one_of=(("coordinate", "coefficients"),),
        ),
        "rolling": NativeRecord(
            Rolling,
            Field("name", NAME),
            Field("body", NAME),
            Field("shape", SHAPE),
            Field("on", GROUND),
            Field("at", VECTOR, NOWHERE),
            Field("inside", Flag(), False),
            Field("pole", AXIS, AXES[2]),
            Field("slips", Flag(), False),
            Field("unilateral", Flag(), False),
        ),
    }
)
OMISSION = NativeRecord(
    Omission,
    Field("place", NAME),
    Field("kind", Word(tuple(OMITTED), NEWER)),
    Field("what", Text()),
    Field("effect", Word(EFFECTS, NEWER), "unknown"),
    Field("parameters", ListOf(NAME), ()),
    Field("gaps", ListOf(SCALAR), ()),
    Field("bodies", ListOf(NAME), ()),
)
ARMATURE = NativeRecord(Armature, Field("name", NAME), Field("inertia", SCALAR), Field("coefficients", MapOf(SCALAR)))


def _system(contacts: tuple[Element, ...] = (), **parts: Any) -> System:
    forces, points = add_elements(contacts, parts.pop("forces", ()), parts.pop("points", ()))
    parts["omissions"] = omit_rigid(contacts, parts.get("omissions", ()))
    rows = add_rows(contacts, parts.pop("constraints", ()))
    try:
        return System(**parts, forces=forces, points=points, constraints=rows)
    except ModelError as problem:
        places = {f"forces/{f.name}": e.name for e in contacts for f in e.forces()}
        places |= {f"constraints/{row.name}": e.name for e in contacts if isinstance(e, Rolling) for row in e.rows()}
        places |= {f"points/{p.name}": e.name for e in contacts for p in e.points()}
        found = {d.place: places.get("/".join(d.place.split("/")[:2])) for d in problem.diagnostics}
        raise ModelError(
            replace(d, place=f"contacts/{name}") if (name := found[d.place]) else d for d in problem.diagnostics
        ) from None


def _system_parts(system: System) -> Mapping[str, Any]:
    own = {f.key: getattr(system, f.key) for f in SYSTEM.fields if f.key != "contacts"}
    contacts, forces, points, rows = split_elements(system)
    own["omissions"] = tuple(o for o in system.omissions if o not in omit_rigid(contacts))
    return own | {"contacts": contacts, "forces": forces, "points": points, "constraints": rows}


SYSTEM = NativeRecord(
    _system,
    Field("name", Text()),
    Field("coordinates", ListOf(COORDINATE), ()),
    Field("parameters", ListOf(PARAMETER), ()),
    Field("functions", ListOf(FUNCTION), ()),
    Field("gravity", GRAVITY, None),
    Field("bodies", ListOf(BODY), ()),
    Field("forces", ListOf(FORCE), ()),
    Field("constraints", ListOf(CONSTRAINT), ()),
    Field("metadata", Json(), {}),
    Field("omissions", ListOf(OMISSION), ()),
    Field("armatures", ListOf(ARMATURE), ()),
    Field("points", ListOf(NAMED_POINT), ()),
    Field("contacts", ListOf(CONTACT), ()),
    take=_system_parts,
)
