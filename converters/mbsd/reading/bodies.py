"""Bodies of a text: joints, coordinates with their initial values and forces, inertias, gravity."""

from __future__ import annotations

from dataclasses import dataclass, field

from mbconcord.model import (
    Body,
    Coordinate,
    ElementaryTransformation,
    Gravity,
    Inertia,
    JointEffort,
    ModelError,
    Variable,
    rotation,
    translation,
)  # fmt: skip
from mbconcord.model.expressions import ONE, ZERO, Expression, number
from mbconcord.model.inertia import tensor
from mbconcord.model.transformation import AXES, Vector, vector

from ..angles import to_radians
from ..defaults import STANDARD_GRAVITY
from .drafts import BodyDraft, Drafts, Move
from .items import Braces, Degree, Item, Mass, Shift, Tensor, Weight
from .scope import Own, Scope

AXIS_OF = dict(zip("ijklmnuvwxyz", "xyz" * 4, strict=True))
#: A text of these letters alone leaves no xy plane: its gravity acts along -y.
PLANAR = frozenset("uvzijn")
_WITHOUT_VALUE = {"°": "initial position 0", "'": "initial velocity 0", '"': "joint force 0"}


@dataclass
class Tree:
    """Bodies, coordinates and joint forces in order of appearance."""

    bodies: list[Body] = field(default_factory=list)
    coordinates: list[Coordinate] = field(default_factory=list)
    efforts: list[JointEffort] = field(default_factory=list)


def read_bodies(scope: Scope, made: Drafts, common: list[Item]) -> Tree:
    """All bodies of the drafts."""
    tree = Tree()
    for draft in made.bodies:
        place = f"bodies/{draft.name}"
        scope.findings.locations[place] = draft.at
        joint: list[ElementaryTransformation] = []
        for move in draft.moves:
            for et in transformations(scope, move, f"{place}/joint"):
                scope.findings.locations[f"{place}/joint/{len(joint)}"] = move.item.at
                joint.append(et)
            if isinstance(move.item, Degree):
                _coordinate(scope, move.name, move.item, tree)
        inertia = _inertia(scope, draft, common, f"{place}/inertia")
        tree.bodies.append(Body(draft.name, draft.parent, tuple(joint), inertia))
    return tree


def transformations(scope: Scope, move: Move, place: str) -> list[ElementaryTransformation]:
    """The transformations of one item; a constant zero leaves none."""
    item = move.item
    if isinstance(item, Degree):
        sign = "-" if item.reverse else ""
        make = rotation if item.rotational else translation
        return [make(sign + AXIS_OF[item.letter], Variable(move.name))]
    if isinstance(item, Braces):
        values = [scope.expression(v, "timed", place) for v in item.values]
        return [translation(axis, v) for axis, v in zip("xyz", values, strict=False) if v]
    amount = _factor(item.factor) * _amount(scope, item, move.name, place)
    make = rotation if item.letter in "lmn" else translation
    return [make(AXIS_OF[item.letter], amount)] if amount else []


def _factor(text: str) -> Expression:
    if text in ("", "+", "-"):
        return -ONE if text == "-" else ONE
    size = number(text.strip("+-*"))
    return -size if text.startswith("-") else size


def _amount(scope: Scope, item: Shift, name: str, place: str) -> Expression:
    if item.value is not None:
        return scope.expression(item.value, "timed", place)
    if item.letter in "lmn":
        return scope.default(name, ZERO, "0 rad", item.at)
    return scope.default(name, ONE, "1 m", item.at)


def _coordinate(scope: Scope, name: str, item: Degree, tree: Tree) -> None:
    place = f"coordinates/{name}"
    scope.findings.locations[place] = item.at
    position = velocity = ZERO
    for sign, suffix in item.suffixes.items():
        if suffix.value is None:
            scope.findings.note(
                suffix.at, place, f"{sign} without a value: {_WITHOUT_VALUE[sign]} by default"
            )
        elif sign == "°":
            position = scope.expression(suffix.value, "constant", place)
            position = to_radians(position) if item.rotational else position
        elif sign == "'":
            velocity = scope.expression(suffix.value, "constant", place)
        if sign == '"':
            inner = f"forces/{name}"
            scope.findings.locations[inner] = suffix.at
            own = Own(item.letter, name)
            effort = scope.expression(suffix.value, "force", inner, own) if suffix.value is not None else ZERO
            tree.efforts.append(JointEffort(name, name, effort))
    if not position and not velocity:
        scope.findings.note(item.at, place, "initial position and velocity 0 by default")
    tree.coordinates.append(Coordinate(name, position, velocity))


def _inertia(scope: Scope, draft: BodyDraft, common: list[Item], place: str) -> Inertia:
    """Mass, centre and tensor of a body: its own items, the global ones, the defaults."""
    n, at = draft.number, draft.at
    mass_item = draft.mass or next((i for i in common if isinstance(i, Mass)), None)
    tensor_item = draft.tensor or next((i for i in common if isinstance(i, Tensor)), None)
    centre_item = draft.centre or next((i for i in common if isinstance(i, Braces)), None)
    for part, item in (
        ("", mass_item),
        ("/mass", mass_item),
        ("/centre", centre_item),
        ("/tensor", tensor_item),
    ):
        scope.findings.locations[place + part] = item.at if item is not None else at
    if mass_item is not None:
        mass = scope.expression(mass_item.value, "constant", f"{place}/mass")
    else:
        mass = scope.default(f"m{n}", ONE, "1 kg", at)
    centre = [ZERO, ZERO, ZERO]
    if centre_item is not None and centre_item.values:
        given = [scope.expression(v, "constant", f"{place}/centre") for v in centre_item.values]
        centre[: len(given)] = given
    elif centre_item is not None:
        centre = [scope.default(f"rho_{axis}{n}", ZERO, "0 m", centre_item.at) for axis in "xyz"]
    if tensor_item is not None and tensor_item.values:
        values = [scope.expression(v, "constant", f"{place}/tensor") for v in tensor_item.values]
        return Inertia.about_origin(mass, centre, values)
    if tensor_item is None and not draft.turns_last:
        return Inertia(mass, vector(centre))
    where = tensor_item.at if tensor_item is not None else at
    default = [scope.default(f"I{axis}{n}", ONE, "1 kg m²", where) for axis in "xyz"]
    if tensor_item is not None:
        return Inertia.about_origin(mass, centre, default)
    return Inertia(mass, vector(centre), tensor(default))


def read_gravity(scope: Scope, made: Drafts) -> Gravity | None:
    """Gravity of the text; None without g."""
    weight = made.weight
    if weight is None:
        return None
    scope.findings.locations["gravity"] = weight.at
    if weight.value is None:
        value = scope.default("g", STANDARD_GRAVITY, "9.81 m/s²", weight.at)
    else:
        value = scope.expression(weight.value, "constant", "gravity")
    try:
        return Gravity(value, _direction(scope, weight, made))
    except ModelError as problem:
        for finding in problem.diagnostics:
            scope.findings.refuse(
                weight.at, f"direction of gravity: {finding.message}", "expected three numbers, not all 0"
            )
        return None


def _direction(scope: Scope, weight: Weight, made: Drafts) -> Vector:
    direction = weight.direction
    if isinstance(direction, Braces):
        values = [scope.expression(v, "constant", "gravity") for v in direction.values]
        x, y, z = values if len(values) == 3 else (*values, ZERO)
        return x, y, z
    if direction is None:
        letters = {
            move.item.letter
            for part in (
                *(b.moves for b in made.bodies),
                *(m for link in made.links for m in (link.left, link.right)),
            )
            for move in part
            if not isinstance(move.item, Braces)
        }
        direction = "-y" if letters <= PLANAR else "-z"
        why = "every letter is one of u v z i j n" if direction == "-y" else "the text is not planar"
        scope.findings.note(weight.at, "gravity", f"direction {direction} by default: {why}")
    x, y, z = AXES[direction.lstrip("-")]
    return (-x, -y, -z) if direction.startswith("-") else (x, y, z)
