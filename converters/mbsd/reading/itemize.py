"""One item of an MBSD text from its part of the parse tree; what is wrong with it goes to the findings."""

from __future__ import annotations

from typing import Any

from lark import Token, Tree

from mbconcord.model.diagnostics import Location
from mbconcord.model.expressions.formula import first_token

from .items import (
    Back,
    Braces,
    Connector,
    Degree,
    Item,
    Mass,
    Name,
    Next,
    Shift,
    Suffix,
    Tensor,
    Value,
    Weight,
)
from .outline import Outline


def describe(item: Item) -> str:
    """An item in words."""
    if isinstance(item, Braces):
        return "centre of mass '{'"
    words = {Mass: "mass '$'", Tensor: "inertia '['", Weight: "gravity 'g'", Name: "name '#'"}
    return words.get(type(item), "item")


def read_item(node: Any, found: Outline) -> Any:
    """One item of the tree; suffixes are :class:`Suffix`."""
    if isinstance(node, Token):
        at = found.at(node)
        if node.type == "BODY":
            return Name(_body(node), at)
        return Connector("closure", (), at) if node.type == "CLOSURE" else Next(at)
    children = node.children
    token = first_token(node)
    at = (
        found.at(token)
        if token is not None
        else Location(found.findings.file, node.meta.line, node.meta.column)
    )
    kind = node.data
    if kind == "constant":
        factor = str(children[0]) if children[0].type in ("SIGN", "COEFFICIENT") else ""
        letter = next(c for c in children if isinstance(c, Token) and c.type == "CONSTANT")
        return Shift(str(letter), "".join(factor.split()), _value(children[children.index(letter) + 1 :]), at)
    if kind == "coordinate":
        return _degree(children, found)
    if kind in ("initial_position", "initial_velocity", "joint_force"):
        sign = {"initial_position": "°", "initial_velocity": "'", "joint_force": '"'}[kind]
        return Suffix(sign, _value(children[1:]), at)
    values = tuple(c for c in children if isinstance(c, Tree))
    if kind == "mass":
        value = _value(children[1:])
        assert value is not None
        return Mass(value, at)
    if kind == "inertia":
        if len(values) not in (0, 3, 6):
            found.findings.refuse(
                at, f"{len(values)} values of inertia, expected none, 3 or 6", "[Ixx,Iyy,Izz,Ixy,Ixz,Iyz]"
            )
        return Tensor(values if len(values) in (0, 3, 6) else (), at)
    if kind == "braces":
        if len(values) not in (0, 2, 3):
            found.findings.refuse(
                at, f"{len(values)} values in braces, expected 2 or 3 (none: default centre of mass)"
            )
        return Braces(values if len(values) in (0, 2, 3) else (*values, *values, *values)[:3], at)
    if kind == "gravity":
        return _weight(children, found, at)
    if kind == "back":
        return Back(_body(children[-1]), at)
    return Connector(kind, values, at)


def _body(token: Token) -> str | None:
    return None if token == "#0" else str(token[1:])


def _value(children: list[Any]) -> Value | None:
    for child in children:
        if isinstance(child, Tree) or child.type == "SIGNED_NUMBER":
            value: Value = child
            return value
    return None


def _degree(children: list[Any], found: Outline) -> Degree:
    letter = next(c for c in children if c.type == "COORDINATE")
    sign = children[0] if children[0] is not letter else None
    if sign is not None and sign.type == "COEFFICIENT":
        found.findings.refuse(
            found.at(sign),
            f"found the factor {str(sign)!r} before the coordinate {str(letter)!r}, expected at most a sign",
            "a factor belongs to a shift or rotation i…n",
        )
    at = found.at(letter)
    reverse = sign is not None and sign.startswith("-")
    bracketed = next((c for c in children if c.type == "COORDINATE_NAME"), None)
    if bracketed is None:
        return Degree(str(letter), reverse, None, at, at)
    start, name = found.at(bracketed), bracketed[1:-1].strip()
    before = bracketed[: bracketed.index(name)]
    line = start.line + before.count("\n")
    column = start.column + len(before) if line == start.line else len(before) - before.rindex("\n")
    return Degree(str(letter), reverse, name, at, Location(start.file, line, column))


def _weight(children: list[Any], found: Outline, at: Location) -> Weight:
    vector = next((c for c in children if isinstance(c, Tree) and c.data == "braces"), None)
    value = _value([c for c in children[1:] if c is not vector])
    if vector is not None:
        braces = read_item(vector, found)
        if not braces.values:
            found.findings.refuse(braces.at, "found '{}', expected a direction {x,y,z} after g")
            return Weight(value, None, at)
        return Weight(value, braces, at)
    axis = next(
        (c for c in children[1:] if isinstance(c, Token) and c.type in ("CONSTANT", "COORDINATE")), None
    )
    if axis is None:
        return Weight(value, None, at)
    if axis in "lmn":
        found.findings.refuse(
            found.at(axis), f"found {str(axis)!r} after g, expected an axis i j k u v w x y z"
        )
        return Weight(value, None, at)
    minus = any(isinstance(c, Token) and c.type == "SIGN" and c == "-" for c in children)
    return Weight(value, ("-" if minus else "") + "xyz"["ijkuvwxyz".index(axis) % 3], at)
