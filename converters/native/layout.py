"""The native format as one table: every type of the model, its keys, their shapes and defaults."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from mbconcord.model import (
    AddedInertia,
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
    LinearLaw,
    ModelError,
    Motion,
    Nonholonomic,
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
from mbconcord.model.diagnostics import error
from mbconcord.model.expressions import ZERO
from mbconcord.model.system import NO_INERTIA
from mbconcord.model.transformation import AXES, Vector

from .findings import Findings
from .json_text import Value
from .record import Choice, Field, ListOf, MapOf, Record
from .shape import Json, Name, Optional, Scalar, Shape, Text, Word

NOWHERE = (ZERO, ZERO, ZERO)

NAME = Name()
SCALAR = Scalar()
VECTOR = ListOf(SCALAR, (3,))
ROWS = ListOf(ListOf(SCALAR))


class Axis(Shape):
    """A direction: ``"x"``, ``"-z"`` or three numbers."""

    words: ClassVar = tuple(sign + axis for axis in AXES for sign in ("", "-"))

    def read(self, value: Value, place: str, findings: Findings) -> Any:
        """A triple of expressions."""
        if isinstance(value.data, list):
            return VECTOR.read(value, place, findings)
        word = Word(self.words).read(value, place, findings)
        return self.vector(word) if word in self.words else word

    def write(self, value: Any) -> Any:
        """A word where there is one."""
        return next((word for word in self.words if self.vector(word) == value), None) or VECTOR.write(value)

    @staticmethod
    def vector(word: str) -> Vector:
        """The unit vector that a word means."""
        x, y, z = AXES[word[-1]]
        return (-x, -y, -z) if word.startswith("-") else (x, y, z)


class Law(Shape):
    """The law of a force: an expression, or ``{"linear": {…}}``."""

    linear = Record(LinearLaw, *(Field(key, SCALAR, ZERO) for key in ("f0", "k", "l0", "d", "q", "w", "a")))

    def read(self, value: Value, place: str, findings: Findings) -> Any:
        """An expression or a linear law."""
        if isinstance(value.data, dict) and set(value.data) == {"linear"}:
            return self.linear.read(value.data["linear"], f"{place}/linear", findings)
        return SCALAR.read(value, place, findings)

    def write(self, value: Any) -> Any:
        """The expression or the object."""
        return {"linear": self.linear.write(value)} if isinstance(value, LinearLaw) else SCALAR.write(value)


def _transformation(**parts: Any) -> ElementaryTransformation:
    kinds = [key for key in ("translation", "rotation") if key in parts]
    motions = [key for key in ("constant", "coordinate", "prescribed") if key in parts]
    if len(kinds) != 1:
        raise ModelError(error("", "expected either 'translation' or 'rotation', with its axis"))
    if len(motions) != 1:
        raise ModelError(error("", "expected one of 'constant', 'coordinate' and 'prescribed'"))
    make = {"constant": Constant, "coordinate": Variable, "prescribed": Prescribed}[motions[0]]
    return ElementaryTransformation(kinds[0], parts[kinds[0]], make(parts[motions[0]]))


def _transformation_parts(value: ElementaryTransformation) -> Mapping[str, Any]:
    motion = value.motion
    if isinstance(motion, Variable):
        return {value.kind: value.axis, "coordinate": motion.coordinate}
    return {
        value.kind: value.axis,
        "constant" if isinstance(motion, Constant) else "prescribed": motion.value,
    }


TRANSFORMATION = Record(
    _transformation,
    Field("translation", Axis(), None),
    Field("rotation", Axis(), None),
    Field("constant", SCALAR, None),
    Field("coordinate", NAME, None),
    Field("prescribed", SCALAR, None),
    take=_transformation_parts,
)
TRANSFORMATIONS = ListOf(TRANSFORMATION)

PARAMETER = Record(
    Parameter,
    Field("name", NAME),
    Field("value", SCALAR, None),
    Field("origin", Word(("given", "default", "drawn")), "given"),
)
FUNCTION = Record(
    Function, Field("name", NAME), Field("arguments", ListOf(NAME)), Field("formula", SCALAR, None)
)
DRIVE = Choice(
    {
        "effort": Record(Effort, Field("value", SCALAR)),
        "motion": Record(Motion, Field("acceleration", SCALAR)),
    }
)
COORDINATE = Record(
    Coordinate,
    Field("name", NAME),
    Field("position", SCALAR, ZERO),
    Field("velocity", SCALAR, ZERO),
    Field("drive", DRIVE, None),
)
GRAVITY = Record(Gravity, Field("value", SCALAR), Field("direction", Axis()))
INERTIA = Record(
    Inertia,
    Field("mass", SCALAR),
    Field("centre", VECTOR, NOWHERE),
    Field("tensor", ListOf(SCALAR, (3, 6)), NOWHERE + NOWHERE),
)
FLYWHEEL = Record(
    Flywheel,
    Field("name", NAME),
    Field("mounting", TRANSFORMATIONS),
    Field("inertia", INERTIA),
    Field("angle", SCALAR),
)
NODE = Record(
    ElasticNode,
    Field("name", NAME),
    Field("position", VECTOR),
    Field("translation", ROWS),
    Field("rotation", ROWS),
)
MODES = Record(
    ElasticModes,
    Field("coordinates", ListOf(COORDINATE)),
    Field("first_moments", ROWS),
    Field("second_moments", ListOf(ListOf(ROWS))),
    Field("stiffness", ROWS),
    Field("damping", ROWS),
    Field("section_inertia", ListOf(ROWS), ()),
    Field("nodes", ListOf(NODE), ()),
)
BODY = Record(
    Body,
    Field("name", NAME),
    Field("parent", Optional(NAME)),
    Field("parent_node", NAME, None),
    Field("joint", TRANSFORMATIONS, ()),
    Field("inertia", INERTIA, NO_INERTIA),
    Field("added_inertia", Record(AddedInertia, Field("rows", ROWS)), None),
    Field("flywheels", ListOf(FLYWHEEL), ()),
    Field("modes", MODES, None),
)

POINT = Record(Point, Field("body", Optional(NAME)), Field("position", VECTOR, NOWHERE))
FRAME = Record(Frame, Field("body", Optional(NAME)), Field("transformations", TRANSFORMATIONS, ()))
FORCE = Choice(
    {
        "joint_effort": Record(
            JointEffort, Field("name", NAME), Field("coordinate", NAME), Field("effort", Law())
        ),
        "bipolar": Record(
            Bipolar,
            Field("name", NAME),
            Field("first", POINT),
            Field("second", POINT),
            Field("law", Law()),
            Field("mass", SCALAR, ZERO),
        ),
        "point_force": Record(PointForce, Field("name", NAME), Field("point", POINT), Field("force", VECTOR)),
        "wrench": Record(
            Wrench,
            Field("name", NAME),
            Field("point", POINT),
            Field("force", VECTOR, NOWHERE),
            Field("moment", VECTOR, NOWHERE),
        ),
    }
)
CONSTRAINT = Choice(
    {
        "rod": Record(
            Rod,
            Field("name", NAME),
            Field("first", POINT),
            Field("second", POINT),
            Field("length", SCALAR),
            Field("mass", SCALAR, ZERO),
        ),
        "point_coincidence": Record(
            PointCoincidence, Field("name", NAME), Field("first", POINT), Field("second", POINT)
        ),
        "frame_coincidence": Record(
            FrameCoincidence, Field("name", NAME), Field("first", FRAME), Field("second", FRAME)
        ),
        "holonomic": Record(Holonomic, Field("name", NAME), Field("expression", SCALAR)),
        "nonholonomic": Record(
            Nonholonomic,
            Field("name", NAME),
            Field("coefficients", MapOf(SCALAR)),
            Field("rest", SCALAR, ZERO),
        ),
    }
)
SYSTEM = Record(
    System,
    Field("name", Text()),
    Field("coordinates", ListOf(COORDINATE), ()),
    Field("parameters", ListOf(PARAMETER), ()),
    Field("functions", ListOf(FUNCTION), ()),
    Field("gravity", GRAVITY, None),
    Field("bodies", ListOf(BODY), ()),
    Field("forces", ListOf(FORCE), ()),
    Field("constraints", ListOf(CONSTRAINT), ()),
    Field("metadata", Json(), {}),
)
