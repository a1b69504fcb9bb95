"""Elements of an MJCF: laws of forces, groups of them, and poses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from itertools import pairwise

from mpmath import mp, mpf

from mbconcord.converters.constants import DIGITS, ConstantReader, format_number
from mbconcord.converters.joints import has_steps, hold_at_zero, put_in
from mbconcord.converters.poses import back, pose, split_origin
from mbconcord.model import Body, Constant, ElementaryTransformation, Frame, FrameCoincidence, Holonomic, System
from mbconcord.model.expressions import ONE, ZERO, Expression, ExpressionError, derivative, substitute, symbol, symbols
from mbconcord.records import dataclass

from ..vocabulary import BALL, FREE

# Effects along a coordinate, with constants: springs and damping, actuators, polynomials between coordinates.


# Joints that move freely: a body of the world in six coordinates, a ball in three.


@dataclass(frozen=True)
class MjcfGroup:
    """The coordinates of one free or ball joint, and the index of the first in the body's transformations."""

    name: str
    kind: str
    first: int
    coordinates: tuple[str, ...]


def group(body: Body, order: Sequence[str], apart: Set[str]) -> MjcfGroup | None:
    """Return the free or ball joint that a body's coordinates form; None if they are written one by one.

    They must have the names that the reader would give them, be adjacent in ``order``, and not be in ``apart``, which
    are coordinates with springs, limits or the like of their own.
    """
    names = body.coordinates
    for kind, endings, axes in (("free", FREE, "xyzzyx"), ("ball", BALL, "zyx")):
        if len(names) < len(endings):
            continue
        own = names[-len(endings) :]
        name = own[0].removesuffix(endings[0])
        if own != tuple(name + ending for ending in endings) or {*own} & apart:
            continue
        at = order.index(own[0])
        first = next(i for i, et in enumerate(body.joint) if et.coordinate == own[0])
        moving = body.joint[first : first + len(endings)]
        if tuple(order[at : at + len(endings)]) != own or not _has_axes(moving, axes, kind):
            continue
        after = body.joint[first + len(endings) :]
        if kind == "free" and (body.parent is not None or after or len(names) > 6):
            continue
        if kind == "ball" and any(not et.is_translation or et.coordinate for et in after):
            continue
        return MjcfGroup(name, kind, first, own)
    return None


def _has_axes(moving: Sequence[ElementaryTransformation], axes: str, kind: str) -> bool:
    """Return True if the transformations are those of a joint of this kind, without constants between them."""
    if len(moving) != len(axes):
        return False
    slides = 3 if kind == "free" else 0
    return all(
        et.coordinate and et.is_translation == (i < slides) and [str(x) for x in et.axis] == _unit(axis)
        for i, (et, axis) in enumerate(zip(moving, axes, strict=True))
    )


def _unit(axis: str) -> list[str]:
    return ["1" if a == axis else "0" for a in "xyz"]


@dataclass(frozen=True)
class MjcfPolynomial:
    """Row y = Σ a_k x^k between the coordinates ``first``, y, and ``second``, x; without x y is constant."""

    name: str
    first: str
    second: str
    coefficients: tuple[Expression, ...]


def polynomials(system: System, numbers: ConstantReader) -> Mapping[str, MjcfPolynomial]:
    """Return the constraint rows y - P(x) = 0 with P of at most fourth degree, by name."""
    found = {}
    for row in system.constraints:
        made = _polynomial(row, system, numbers) if isinstance(row, Holonomic) else None
        if made is not None and isinstance(row, Holonomic):
            numbers.formula(f"constraints/{row.name}", row.expression)
            found[row.name] = made
    return found


def _polynomial(row: Holonomic, system: System, numbers: ConstantReader) -> MjcfPolynomial | None:
    formula = put_in(numbers, row.expression, ())
    names = [n for n in system.coordinate_names if n in symbols([formula])]
    if not 1 <= len(names) <= 2 or has_steps(formula):
        return None
    for first in reversed(names):
        others = [n for n in names if n != first]
        y = symbol(first)
        factor = derivative(formula, y)
        if not factor.constant or not factor:
            continue
        (rest,) = substitute([formula], {y: ZERO})
        right = -(rest / factor)
        if not others:
            return MjcfPolynomial(row.name, first, "", (right,)) if right.constant else None
        coefficients = _taylor(right, symbol(others[0]))
        if coefficients is not None:
            return MjcfPolynomial(row.name, first, others[0], coefficients)
    return None


def _taylor(formula: Expression, x: Expression) -> tuple[Expression, ...] | None:
    """Return the coefficients of a polynomial in x of at most fourth degree; None for any other formula."""
    found, factorial = [], 1
    for k in range(6):
        try:
            (at_zero,) = substitute([formula], {x: ZERO})
        except ExpressionError:  # 1/x is no polynomial
            return None
        if k < 5:
            found.append(at_zero / factorial)
        elif formula is not ZERO:
            return None
        formula = derivative(formula, x)
        factorial *= k + 1
    return tuple(found) if all(c.constant for c in found) else None


# Cut joints as pairs of points that coincide: one pair for a ball, two on the axis of a hinge.


def joined_points(cut: FrameCoincidence) -> list[tuple[Frame, Frame]]:
    """Return pairs of points, 1 m apart, whose coincidence is equivalent to a cut joint; empty if there are none."""
    steps = cut.first.transformations
    moving = [i for i, et in enumerate(steps) if et.coordinate]
    joint, after = steps[moving[0] : moving[-1] + 1], steps[moving[-1] + 1 :]
    first, second = steps[: moving[0]], (*cut.second.transformations, *back(after))
    one, other = cut.first.body, cut.second.body
    shared = [(Frame(one, first), Frame(other, second))]
    if any(et.is_translation or not et.coordinate for et in joint):
        return []
    if len(joint) == 1:
        along = ElementaryTransformation("translation", joint[0].axis, Constant(ONE))
        return [*shared, (Frame(one, (*first, along)), Frame(other, (*second, along)))]
    turning = all(
        sum((x * y for x, y in zip(a.axis, b.axis, strict=True)), ZERO) is ZERO for a, b in pairwise(joint)
    )  # so that three reach every rotation
    return shared if len(joint) == 3 and turning else []


# Joints of a body: its pose at zero coordinates, and each joint in the body's frame there.


#: The order of ``euler``: URDF's rpy from behind. (XYZ would be rpy as it stands, and Pinocchio reads it as xyz.)
SEQUENCE = "zyx"
#: Exponent of ten below which a computed number is zero.
NOTHING = 10 - DIGITS


@dataclass(frozen=True)
class MjcfAxis:
    """One coordinate: its direction and a point on its axis, in the frame of the body at zero coordinates."""

    coordinate: str
    slides: bool
    direction: list[mpf]
    point: list[mpf]


def frozen(joint: Sequence[ElementaryTransformation]) -> list[ElementaryTransformation]:
    """Return the transformations of a joint at zero coordinates and time."""
    return [
        ElementaryTransformation(et.kind, et.axis, Constant(ZERO)) if et.coordinate else hold_at_zero(et)
        for et in joint
    ]


def axes(joint: Sequence[ElementaryTransformation], numbers: ConstantReader, place: str) -> list[MjcfAxis]:
    """Return the axes of a joint's coordinates in the body's frame at zero: B.R a through B.p with B = X₀⁻¹ A_k."""
    still = frozen(joint)
    found = []
    with mp.workdps(DIGITS):
        for k, et in enumerate(joint):
            if et.coordinate is None:
                continue
            rest = still[k + 1 :]  # from the frame of the coordinate to the body's
            p, R = pose(rest, numbers, place)
            axis = [numbers.precise(place, c) for c in et.axis]
            direction = [sum(R[i][n] * axis[i] for i in range(3)) for n in range(3)]
            point = [-sum(R[i][n] * p[i] for i in range(3)) for n in range(3)]
            found.append(MjcfAxis(et.coordinate, et.is_translation, direction, point))
    return found


def pose_attributes(
    constants: Sequence[ElementaryTransformation], numbers: ConstantReader, place: str
) -> dict[str, str]:
    """Return a pose as attributes: ``pos``, and angles of the turns if exact, else ``quat``; none for the identity."""
    with mp.workdps(DIGITS):
        p, R = pose(constants, numbers, place)
        found = {}
        if any(_near(p)):
            found["pos"] = texts(p)
        turn = quaternion(R)
        if any(_near(turn[1:])):
            found |= find_angles(constants, numbers, place) or {"quat": texts(turn)}
        return found


def find_angles(constants: Sequence[ElementaryTransformation], numbers: ConstantReader, place: str) -> dict[str, str]:
    """Return turns about z, y, x, in this order, as one or three angles; empty if these are no exact decimals."""
    turns = [et for et in constants if not et.is_translation and numbers.precise(place, et.amount)]
    found = split_origin(turns)
    angles = [] if found is None else [numbers.exact(numbers.value(place, angle)) for angle in found[1]]
    if not turns or not angles or not all(angles):
        return {}
    if len(turns) == 1:
        about = ["0" if angle == "0" else "1" for angle in angles]
        return {"axisangle": f"{' '.join(about)} {angles[about.index('1')]}"}
    return {"euler": " ".join(reversed(angles))}


def quaternion(R: Sequence[Sequence[mpf]]) -> list[mpf]:
    """Return the quaternion (w, x, y, z) of a rotation with largest component 1, so that it is read back unchanged."""
    trace = R[0][0] + R[1][1] + R[2][2]
    squares = [1 + trace, *(1 + 2 * R[i][i] - trace for i in range(3))]
    k = max(range(4), key=lambda i: squares[i])
    off = [R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1]]
    found = [mpf(1)] * 4
    for i in range(4):
        if i == k:
            continue
        product = off[max(i, k) - 1] if 0 in (i, k) else R[i - 1][k - 1] + R[k - 1][i - 1]
        found[i] = product / squares[k]
    return found


def format_direction(direction: Sequence[mpf]) -> str:
    """Write a direction, with largest component 1 or -1 unless it is along an axis."""
    with mp.workdps(DIGITS):
        largest = max(abs(x) for x in direction)
        return texts([x / largest for x in direction])


def texts(values: Sequence[mpf]) -> str:
    """Write numbers as the shortest decimals of their doubles; rounding of the computed digits becomes zero."""
    return " ".join(map(format_number, _near(values)))


def _near(values: Sequence[mpf]) -> list[float]:
    return [0.0 if abs(x) < mpf(10) ** NOTHING else float(x) for x in values]
