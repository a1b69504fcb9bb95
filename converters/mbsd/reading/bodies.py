"""Bodies of a text: joints, coordinates with their initial values and forces, inertias, gravity."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mbconcord.model import (
    Bipolar,
    Body,
    Coordinate,
    Frame,
    FrameCoincidence,
    Function,
    Gravity,
    Inertia,
    JointEffort,
    Mapped,
    ModelError,
    Point,
    Prescribed,
    Rod,
    Variable,
    rotation,
    translation,
)
from mbconcord.model.body import tensor
from mbconcord.model.constraint import Constraint
from mbconcord.model.expressions import ONE, ZERO, Expression, cos, number, sin, symbols, undefined_functions
from mbconcord.model.force import Force
from mbconcord.model.transformation import AXES, ElementaryTransformation, Vector, X, Y, Z, vector
from mbconcord.records import dataclass, field

from ..syntax import STANDARD_GRAVITY, to_radians
from .drafts import BodyDraft, Drafts, LinkDraft, Move
from .items import Braces, Degree, Item, MbsdMass, MbsdShift, MbsdWeight, Tensor
from .scope import MbsdScope, Own

# Connectors of a text: rods, bipolar forces, rigid closures.


Matrix = tuple[Vector, Vector, Vector]


def read_links(scope: MbsdScope, made: Drafts, taken: Iterable[str]) -> tuple[list[Force], list[Constraint]]:
    """Read bipolar forces and constraints in order; ``taken`` are existing names of forces."""
    forces: list[Force] = []
    constraints: list[Constraint] = []
    names = set(taken)
    for link in made.links:
        name = link.name
        while link.connector.kind == "bipolar" and name in names:
            name += "_"
        place = f"{'forces' if link.connector.kind == 'bipolar' else 'constraints'}/{name}"
        scope.findings.locations[place] = link.connector.at
        if link.connector.kind == "closure":
            first = Frame(link.first, _frame(scope, link.left, place))
            constraints.append(FrameCoincidence(name, first, Frame(link.second, _frame(scope, link.right, place))))
            continue
        ends = (
            Point(link.first, _point(scope, link.left, place)),
            Point(link.second, _point(scope, link.right, place)),
        )
        value, mass = _values(scope, link, place)
        if link.connector.kind == "rod":
            constraints.append(Rod(name, *ends, value, mass))
        else:
            forces.append(Bipolar(name, *ends, value, mass))
    return forces, constraints


def _values(scope: MbsdScope, link: LinkDraft, place: str) -> tuple[Expression, Expression]:
    values = link.connector.values
    value = scope.expression(values[0], "bipolar" if link.connector.kind == "bipolar" else "constant", place)
    if len(values) > 1:
        return value, scope.expression(values[1], "constant", place)
    scope.findings.note(link.connector.at, place, "mass 0 kg by default")
    return value, ZERO


def _frame(scope: MbsdScope, moves: list[Move], place: str) -> tuple[ElementaryTransformation, ...]:
    return tuple(et for move in moves for et in transformations(scope, move, place))


def _point(scope: MbsdScope, moves: list[Move], place: str) -> Vector:
    """Return the point to which constant transformations move the origin of a frame."""
    at: Vector = (ZERO, ZERO, ZERO)
    columns: Matrix = (X, Y, Z)
    for move in moves:
        for et in transformations(scope, move, place):
            if isinstance(et.motion, Prescribed):
                message = "found t in the offset of a rod or bipolar element, expected a fixed point"
                scope.findings.refuse(move.item.at, message, "put the point on a body of its own that moves so", place)
            elif et.is_translation:
                at = vector(p + et.amount * d for p, d in zip(at, _apply(columns, et.axis), strict=True))
            else:
                columns = _rotate_columns(columns, et)
    return at


def _apply(columns: Matrix, v: Vector) -> Vector:
    return vector(sum((columns[k][i] * v[k] for k in range(3)), ZERO) for i in range(3))


def _rotate_columns(columns: Matrix, et: ElementaryTransformation) -> Matrix:
    """Return the matrix's columns after one more rotation about a coordinate axis."""
    c, s = cos(et.amount), sin(et.amount)
    about = next(i for i, part in enumerate(et.axis) if part)
    first, second = (about + 1) % 3, (about + 2) % 3
    e1, e2 = columns[first], columns[second]
    result = list(columns)
    result[first] = vector(c * p + s * q for p, q in zip(e1, e2, strict=True))
    result[second] = vector(c * q - s * p for p, q in zip(e1, e2, strict=True))
    return result[0], result[1], result[2]


# Parameters and functions that are defined by themselves.


def loops(values: Mapping[str, Expression], formulas: Mapping[str, Function], scope: MbsdScope) -> None:
    """Refuse parameters and functions that are defined by themselves."""
    needs: dict[str, set[str]] = {}
    for name, value in values.items():
        needs[name] = set(symbols([value]) | undefined_functions([value]))
    for name, function in formulas.items():
        if function.formula is not None:
            inner = symbols([function.formula]) - set(function.arguments)
            needs[name] = set(inner | undefined_functions([function.formula]))
    done: set[str] = set()
    for start in needs:
        trail = [start]
        while trail:
            name = trail[-1]
            following = next((n for n in sorted(needs[name]) if n in needs and n not in done), None)
            if following is None:
                done.add(trail.pop())
            elif following in trail:
                loop = " -> ".join((*trail[trail.index(following) :], following))
                kind = "parameters" if following in values else "functions"
                place = f"{kind}/{following}"
                scope.findings.refuse(
                    scope.findings.locations[place], f"defined by itself: {loop}", "break the cycle", place
                )
                return
            else:
                trail.append(following)


AXIS_OF = dict(zip("ijklmnuvwxyz", "xyz" * 4, strict=True))
#: A text of these letters alone leaves no xy plane: its gravity acts along -y.
PLANAR = frozenset("uvzijn")
_WITHOUT_VALUE = {"°": "initial position 0", "'": "initial velocity 0", '"': "joint force 0"}


@dataclass
class MbsdTree:
    """Bodies, coordinates and joint forces in order of appearance."""

    bodies: list[Body] = field(default_factory=list)
    coordinates: list[Coordinate] = field(default_factory=list)
    efforts: list[JointEffort] = field(default_factory=list)


def read_bodies(scope: MbsdScope, made: Drafts, common: list[Item]) -> MbsdTree:
    """Read all bodies of the drafts."""
    tree = MbsdTree()
    for draft in made.bodies:
        place = f"bodies/{draft.name}"
        scope.findings.locations[place] = draft.at
        joint: list[ElementaryTransformation] = []
        for move in draft.moves:
            for et in transformations(scope, move, f"{place}/joint"):
                scope.findings.locations[f"{place}/joint/{len(joint)}"] = move.item.at
                joint.append(et)
            if isinstance(move.item, Degree) and move.name:
                _coordinate(scope, move.name, move.item, tree)
        inertia = _inertia(scope, draft, common, f"{place}/inertia")
        tree.bodies.append(Body(draft.name, draft.parent, tuple(joint), inertia))
    return tree


def transformations(scope: MbsdScope, move: Move, place: str) -> list[ElementaryTransformation]:
    """Return the transformations of one item; no transformation for a constant zero."""
    item = move.item
    if isinstance(item, Degree):
        sign = "-" if item.reverse else ""
        make = rotation if item.rotational else translation
        if item.map is not None:
            return [make(sign + AXIS_OF[item.letter], Mapped(scope.expression(item.map, "map", place)))]
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


def _amount(scope: MbsdScope, item: MbsdShift, name: str, place: str) -> Expression:
    if item.value is not None:
        return scope.expression(item.value, "timed", place)
    if item.letter in "lmn":
        return scope.default(name, ZERO, "0 rad", item.at)
    return scope.default(name, ONE, "1 m", item.at)


def _coordinate(scope: MbsdScope, name: str, item: Degree, tree: MbsdTree) -> None:
    place = f"coordinates/{name}"
    scope.findings.locations[place] = item.at
    position = velocity = ZERO
    for sign, suffix in item.suffixes.items():
        if suffix.value is None:
            scope.findings.note(suffix.at, place, f"{sign} without a value: {_WITHOUT_VALUE[sign]} by default")
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


def _inertia(scope: MbsdScope, draft: BodyDraft, common: list[Item], place: str) -> Inertia:
    """Return mass, centre and tensor of a body: its own items, the global ones, the defaults."""
    n, at = draft.number, draft.at
    mass_item = draft.mass or next((i for i in common if isinstance(i, MbsdMass)), None)
    tensor_item = draft.tensor or next((i for i in common if isinstance(i, Tensor)), None)
    centre_item = draft.centre or next((i for i in common if isinstance(i, Braces)), None)
    for part, item in (("", mass_item), ("/mass", mass_item), ("/centre", centre_item), ("/tensor", tensor_item)):
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


def read_gravity(scope: MbsdScope, made: Drafts) -> Gravity | None:
    """Read the gravity of the text; None without g."""
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


def _direction(scope: MbsdScope, weight: MbsdWeight, made: Drafts) -> Vector:
    direction = weight.direction
    if isinstance(direction, Braces):
        values = [scope.expression(v, "constant", "gravity") for v in direction.values]
        x, y, z = values if len(values) == 3 else (*values, ZERO)
        return x, y, z
    if direction is None:
        letters = {
            move.item.letter
            for part in (*(b.moves for b in made.bodies), *(m for link in made.links for m in (link.left, link.right)))
            for move in part
            if not isinstance(move.item, Braces)
        }
        direction = "-y" if letters <= PLANAR else "-z"
        why = "every letter is one of u v z i j n" if direction == "-y" else "the text is not planar"
        scope.findings.note(weight.at, "gravity", f"direction {direction} by default: {why}")
    x, y, z = AXES[direction.lstrip("-")]
    return (-x, -y, -z) if direction.startswith("-") else (x, y, z)
