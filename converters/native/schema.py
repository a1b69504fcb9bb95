"""The JSON Schema of the native format, from the same table as its reader.

``schema.json`` in this folder is :func:`text`, published for other programs and editors.
"""

from __future__ import annotations

from mbconcord.converters.json_text import render

from . import FORMAT_NAME, VERSION
from .layout import (
    ARMATURE,
    BODY,
    CONSTRAINT,
    CONTACT,
    COORDINATE,
    FLYWHEEL,
    FORCE,
    FRAME,
    FUNCTION,
    INERTIA,
    MODES,
    NAMED_POINT,
    NODE,
    NORMAL_LAW,
    OMISSION,
    PARAMETER,
    POINT,
    SYSTEM,
    TRANSFORMATION,
)
from .record import AXIS, LAW, NAME, ROWS, SCALAR, VECTOR
from .shape import GRAPH, NativeShape, Schema

DIALECT = "https://json-schema.org/draft/2020-12/schema"
DESCRIPTION = (
    "A multibody system in SI units and radians. Lists keep the model's order; a parent stands before its children."
)

#: What the schema defines once: its name, its shape, and what to say of it.
DEFINITIONS: tuple[tuple[str, NativeShape, str], ...] = (
    ("name", NAME, ""),
    (
        "expression",
        SCALAR,
        "An exact decimal number; a formula of + - * / ^, functions, names, rates such as z1' and the time t; or a "
        "graph whose nodes are written once.",
    ),
    ("graph", GRAPH, "Nodes in an order where operands stand before their users: kind, data, places of operands."),
    ("vector", VECTOR, ""),
    ("rows", ROWS, ""),
    ("axis", AXIS, "Unit vector in the current frame: a word or three numbers of any length."),
    (
        "transformation",
        TRANSFORMATION,
        "Elementary transformation: along or about an axis of the current frame, by metres or radians.",
    ),
    ("coordinate", COORDINATE, ""),
    ("parameter", PARAMETER, ""),
    ("function", FUNCTION, ""),
    (
        "inertia",
        INERTIA,
        "Mass (kg), centre of mass (m) and tensor about it (kg m2), body axes; tensor xx yy zz xy xz yz are elements "
        "of the matrix, xy = -integral of x y dm.",
    ),
    ("flywheel", FLYWHEEL, ""),
    ("node", NODE, ""),
    ("modes", MODES, ""),
    (
        "body",
        BODY,
        "A body carried by its parent (null: the fixed frame); the joint leads from the parent's frame to the body's.",
    ),
    ("point", POINT, ""),
    ("frame", FRAME, ""),
    ("law", LAW, "Force as an expression, or f0 - k (x - l0) - d v + q sin(w t + a)."),
    ("force", FORCE, ""),
    ("constraint", CONSTRAINT, ""),
    (
        "armature",
        ARMATURE,
        "Inertia along coordinates alone, as of rotors: a c c^T in the mass matrix, c by coordinate.",
    ),
    (
        "named_point",
        NAMED_POINT,
        "A point of a body, in its frame (m), that formulas of forces and kinematic quantities may name.",
    ),
    ("normal_law", NORMAL_LAW, "kelvin_voigt (k, c), hunt_crossley (k, d, exponent) or smooth (k, w)."),
    (
        "contact",
        CONTACT,
        "A sphere or point against a plane, a rope or the stops of a coordinate, with a declared law.",
    ),
    (
        "omission",
        OMISSION,
        "What the reader of the source met and the model does not hold: no verdict about the model covers it.",
    ),
)


def schema() -> Schema:
    """Return the schema of a document: its head, the keys of a system, and the definitions that they refer to."""
    document = SYSTEM.schema(_reference_shape)
    head = {"format": {"const": FORMAT_NAME}, "version": {"const": VERSION}}
    return {
        "$schema": DIALECT,
        "title": f"{FORMAT_NAME} model, version {VERSION}",
        "description": DESCRIPTION,
        **document,
        "properties": head | document["properties"],
        "required": [*head, *document["required"]],
        "$defs": {
            name: ({"description": said} if said else {}) | shape.schema(_reference_shape)
            for name, shape, said in DEFINITIONS
        },
    }


def text() -> str:
    """Write the text of ``schema.json``."""
    return render(schema()) + "\n"


def _reference_shape(shape: NativeShape) -> Schema:
    """Return the reference to the definition of a shape, or its schema if it has none."""
    name = next((name for name, defined, _ in DEFINITIONS if defined is shape), None)
    return {"$ref": f"#/$defs/{name}"} if name else shape.schema(_reference_shape)
