"""Differences of two models that printed digits alone explain: first-order bounds of every entry, number by number.

If a file's numbers have at most p significant digits, each is known to half a unit of the p-th digit; in single
precision, to a unit of the last of 24 bits: half from rounding to single, half from there to the shortest decimal that
is read. The bound of an entry is the sum of |∂Q/∂x| times that half unit over all numbers x of the file, in the file's
own frames. In such a sum one number might use the tolerance of all others; so masses, damping, stiffness and armature
must agree within their own half units, too, and so must rest positions, origins, turns, axes, centres and tensors that
are in both files, in the same frames.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from mbconcord.records import dataclass, field, replace

from ..judge.motion import Array, rotate
from ..judge.uncertainty import ALL, SINGLE
from .groups import (
    ALIKE,
    LAWS,
    NEAR,
    Groups,
    Joints,
    LumpedMotion,
    LumpedNumbers,
    Part,
    PathStep,
    differs,
    measure_length,
)  # fmt: skip

#: Fewest and most digits of which a file is said to be rounded: a shorter one was typed, a longer one has all.
FEWEST, MOST = 5, 9
#: States at which bounds are computed.
STATES = 4
#: Half a unit of a turn, in units of the p-th digit: of a quaternion, of angles up to π.
QUATERNION, ANGLES = 2.0, 5.0
#: A unit of the last of 24 bits, of a number; and the turn (rad) of a quaternion, each of whose four is off so: twice
#: their norm. Converters make products of three quaternions of a URDF's angles in singles, which are off by half of it.
UNIT_OF_SINGLES, TURN_OF_SINGLES = 2.0**-23, 2.0**-21
_NUMBERS = re.compile(r"""=\s*(["'])\s*([-+.\deE\s]+?)\s*\1""")
_SDF = re.compile(r">\s*([-+.\deE\s]+?)\s*<")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


@dataclass(frozen=True)
class TextPrecision:
    """Largest number of significant digits of a text's numbers; ``turn``: half a unit of an angle in last digits."""

    digits: float
    turn: float

    @property
    def angle(self) -> float:
        """Half a unit of the last digit of a frame's rotation (rad)."""
        return float(self.turn * 10.0**-self.digits)


#: What has all digits, and singles.
EXACT, SINGLES = TextPrecision(ALL, 0.0), TextPrecision(SINGLE, TURN_OF_SINGLES * 10.0**SINGLE)


def read_printed(text: str, format: str, singles: bool = False) -> TextPrecision | None:
    """Return the precision of a text's numbers, which may be ``singles``; None for formats other than XML."""
    if singles:
        return SINGLES
    if format not in ("urdf", "mjcf", "sdf"):
        return None
    plain = _COMMENT.sub("", text)
    found = [value for _, value in _NUMBERS.findall(plain)] + (_SDF.findall(plain) if format == "sdf" else [])
    digits = max((_count(number) for value in found for number in value.split()), default=0)
    angles = format != "mjcf" or "euler=" in plain
    return TextPrecision(digits, ANGLES if angles else QUATERNION)


def _count(number: str) -> int:
    """Count a number's significant digits: ``0.0250`` has three; zeros at the end of whole numbers do not count."""
    mantissa = re.split("[eE]", number)[0].lstrip("+-")
    digits = mantissa.replace(".", "").lstrip("0")
    return len(digits if "." in mantissa else digits.rstrip("0"))


def half_unit(x: Array | float, digits: float) -> Array:
    """Return half a unit of the numbers' last digit; just below a power of ten that of the next decade; 0 for 0."""
    if digits == SINGLE:
        return np.asarray(np.abs(np.asarray(x, dtype=float)) * UNIT_OF_SINGLES)
    size = np.abs(np.asarray(x, dtype=float)) * (1 + 10.0 ** (1 - digits))
    with np.errstate(divide="ignore"):
        decade = np.floor(np.log10(size))
    return np.where(size > 0, 0.5 * 10.0 ** (decade + 1 - digits), 0.0)


def law_halves(groups: Groups, digits: float) -> Array:
    """Return half units of the laws' numbers (n, 5), summed; a force at rest is stiffness times length at rest."""
    found = np.zeros_like(groups.laws)
    for i, term in groups.terms:
        own = half_unit(term, digits)
        stiffness, offset = term[1:3]
        if stiffness:
            rest = offset / stiffness
            own[2] = max(own[2], abs(rest) * own[1] + abs(stiffness) * float(half_unit(rest, digits)))
        found[i] += own
    return found


def pose_room(path: Sequence[PathStep], end: Array, digits: float, turn: float) -> tuple[Array, float]:
    """Return how far half units of all numbers of a pose together shift its origin (m) and rotate its frame (rad).

    ``turn`` is half a unit of the rotation of a body's frame; a rotation also shifts the later steps, up to ``end``.
    """
    origin, angle, tilt = np.zeros(3), 0.0, 10.0**-digits  # of an axis that is printed
    for step in path:
        own = float(half_unit(step.amount, digits)) + (abs(step.amount) * tilt if step.kind == "rest" else 0.0)
        if step.kind == "shift":
            origin += np.abs(step.at) * own + (abs(step.amount) * tilt if step.skew else 0.0)
        else:
            by = own if step.kind == "rest" else turn
            origin += by * np.linalg.norm(end - step.at)
            angle += by
    return origin, angle


@dataclass(frozen=True)
class Room:
    """Largest differences at some states that rounding to the printed digits can cause.

    Attributes
    ----------
    digits : significant digits of the coarser file
    bounds : quantity -> bound of each entry: first order, plus the square of the largest relative bound for the rest
    masses (n,), laws (n, 5) : bounds of masses and of numbers of laws
    coarsest : the mass whose last digit is largest relative to the mass, in words
    scale : quantity -> scales of its entries for the pair of models
    fields : (place, field) -> half units of its numbers, for fields that both files have
    """

    digits: float
    bounds: Mapping[str, Array]
    masses: Array
    laws: Array
    coarsest: str
    scale: Mapping[str, Array] = field(repr=False)
    fields: Mapping[tuple[str, str], Array] = field(default_factory=dict, repr=False)

    @property
    def of_scale(self) -> float:
        """The largest bound in units of scale."""
        return max(self.parts().values(), default=0.0)

    def parts(self) -> dict[str, float]:
        """Return the largest bound of each quantity in units of scale."""
        return {name: _part(bound, self.scale[name]) for name, bound in self.bounds.items()}

    def holds(self, x: Mapping[str, Array], y: Mapping[str, Array]) -> bool:
        """Return True if no entry of two models' numbers differs by more than its bound."""
        return all(bool((np.abs(x[name] - y[name])[: len(own)] <= own).all()) for name, own in self.bounds.items())

    def unlike(self, a: Groups, b: Groups) -> list[str]:
        """Name the numbers of both files that differ by more than their half units."""
        found = [f"mass of {a.bodies[i]}" for i in np.flatnonzero(np.abs(a.mass - b.mass) > self.masses).tolist()]
        if abs(a.mass.sum() - b.mass.sum()) > self.masses.sum():
            found.append("the mass of all")
        over = np.abs(a.laws - b.laws) > self.laws
        found += [f"{LAWS[k]} of {a.names[i]}" for i, k in np.argwhere(over).tolist()]
        ours, theirs = ({key: x for key, x, _ in _list_fields(g, self.digits, 0.0)} for g in (a, b))

        def is_one(key: tuple[str, str]) -> bool:
            """Return True if both files have this field, rounded or mistyped; in equal frames at any difference."""
            place, name = key
            if name in ("centre", "tensor"):
                return is_one((place, "turn")) and is_one((place, "origin"))
            return name in ("armature", "force") or not differs(ours[key], theirs[key], ALIKE, ALIKE)

        both = [key for key, x in ours.items() if key in theirs and key in self.fields and x.shape == theirs[key].shape]
        apart = [key for key in both if (np.abs(ours[key] - theirs[key]) > self.fields[key]).any()]
        return found + [f"{name} of {place}" for place, name in apart if is_one((place, name))]


def _list_fields(groups: Groups, digits: float, turn: float) -> Iterator[tuple[tuple[str, str], Array, Array]]:
    """Yield (place, field), numbers and largest effect of rounding for all fields of a file's frames and bodies."""
    yield ("all", "gravity"), groups.gravity, _units(groups.gravity, digits)
    yield from (((name, "armature"), x, COMPUTED * _units(x, digits)) for name, x in groups.rotors.items())
    yield from (((x.name, "force"), x.force, COMPUTED * _units(x.force, digits)) for x in groups.pulls)
    j = groups.joints
    for i, name in enumerate(groups.names):
        axis = j.axes[i]
        tilt = np.where(np.abs(axis) > NOISE, _units(axis, digits), 0.0) * (np.abs(axis).max() < 1 - NOISE)
        yield from _list_pose(name, j.rotations[i], j.origins[i], j.paths[i], digits, turn)
        yield (name, "axis"), axis, tilt + np.abs(axis) * (np.abs(axis) @ tilt)  # it has unit length again
        heavy = [part for part in groups.parts[i] if part.mass or part.tensor.any()]
        for part in heavy:  # a body that the other file lumps is another one
            place = f"body of {name}" if len(heavy) == 1 else f"{part.name} and {len(heavy) - 1} more"
            yield from _list_pose(place, part.rotation, part.origin, part.path, digits, turn)
            yield (place, "centre"), part.centre, _units(part.centre, digits)
            room = sum((np.abs(move) for move in _tensor_moves(part.tensor, digits, turn)), np.zeros((3, 3)))
            yield (place, "tensor"), part.tensor, _units(part.tensor, digits, room)


def _list_pose(
    place: str, rotation: Array, origin: Array, path: Sequence[PathStep], digits: float, turn: float
) -> Iterator[tuple[tuple[str, str], Array, Array]]:
    moved, angle = pose_room(path, origin, digits, turn)
    yield (place, "turn"), rotation, angle * (1 - np.eye(3)) @ np.abs(rotation)
    yield (place, "origin"), origin, moved
    kinds = "".join(step.kind[0] for step in path)
    for k, step in enumerate(path):
        if step.kind != "turn":
            at, rest = np.array([step.amount]), step.kind == "rest"
            room = turn if rest else pose_room([step], step.at, digits, turn)[0].max()
            yield (place, f"{'reference' if rest else 'shift'}, step {k + 1} of {kinds}"), at, _units(at, digits, room)


def _units(x: Array, digits: float, computed: Array | float = 0.0) -> Array:
    """Return half units of numbers if printed so; for others, which were computed, at least the room ``computed``."""
    own = half_unit(x, digits)
    is_printed = all(float(_print(number, digits)) == number for number in np.ravel(x).tolist())
    return own if is_printed else np.maximum(own, computed)


def _print(x: float, digits: float) -> str:
    """Print a number with ``digits`` digits; a single with the fewest that identify it."""
    return str(np.float32(x)) if digits == SINGLE else f"{x:.{int(digits)}g}"


def _part(bound: Array, scale: Array) -> float:
    with np.errstate(all="ignore"):
        return float(np.max(np.where(scale[: len(bound)] > 0, bound / scale[: len(bound)], 0.0), initial=0.0))


def find_room(
    a: Groups, b: Groups, aligned: Groups, order: list[int], numbers: LumpedNumbers, scale: Mapping[str, Array],
    printed: tuple[TextPrecision | None, TextPrecision | None],
) -> Room | None:  # fmt: skip
    """Return the differences that rounding in the coarser printed file can cause; None if no file was rounded.

    Numbers that a person typed are exact, and so are those of a file that prints all digits.

    Parameters
    ----------
    a, b : both models, each in its own frames and order
    aligned : B in A's order and frames; if these equal B's own frames, its fields can be compared with A's
    order : for each of A's groups, the place of B's
    numbers : the states, in A's order
    scale : quantity -> scales of its entries for the pair of models
    printed : precision of the numbers in both texts; None is exact if the other one has single precision
    """
    known = [EXACT if p is None and SINGLES in printed else p for p in printed]
    rounded = [p.digits for p in known if p and FEWEST <= p.digits <= MOST]
    if not rounded or known[0] is None or known[1] is None:
        return None
    texts = known[0], known[1]
    digits = min(rounded)
    q, v = numbers.q[:STATES], numbers.v[:STATES]
    pair = a, replace(b.in_order(order), names=a.names)
    sides = [(groups, p) for groups, p in zip(pair, texts, strict=True) if p.digits == digits]
    found: dict[str, Array] = {}
    for groups, p in sides:
        for name, own in _bounds(groups, LumpedNumbers(q, v), digits, p.angle).items():
            found[name] = np.maximum(found[name], own) if name in found else own
    for name, own in found.items():
        found[name] = own + (_part(own, scale[name]) ** 2 + NOISE) * scale[name][: len(own)]
    halves = [
        (np.array([sum(float(half_unit(x.mass, digits)) for x in own) for own in g.parts[:-1]]), law_halves(g, digits))
        for g in pair
    ]
    masses, laws = (np.maximum(x, y) * (1 + NEAR) for x, y in zip(*halves, strict=True))
    masses_of = [(part.mass, part.name) for groups, _ in sides for own in groups.parts for part in own if part.mass > 0]
    mass, name = max(masses_of, default=(0.0, ""), key=lambda item: float(half_unit(item[0], digits)) / item[0])
    fields: dict[tuple[str, str], Array] = {}
    for groups, p in sides:
        for key, x, own in _list_fields(groups, digits, p.angle):
            size = max(float(np.abs(x).max(initial=0.0)), 0.0 if key[1] == "tensor" else measure_length(groups))
            fields[key] = np.maximum(fields.get(key, 0.0), own * (1 + NEAR) + NOISE * size)
    before, kept = ({key: x for key, x, _ in _list_fields(g, digits, 0.0)} for g in (pair[1], aligned))
    fields = {key: x for key, x in fields.items() if key in before and np.array_equal(before[key], kept[key])}
    return Room(digits, found, masses, laws, f"mass {_print(mass, digits)} of {name}", scale, fields)


#: Rounding beside the bounds, of scale.
NOISE = 1e-13
#: Half units of a number that is made of others.
COMPUTED = 3.0


def _bounds(groups: Groups, numbers: LumpedNumbers, digits: float, turn: float) -> dict[str, Array]:
    """Return bounds for M, h, gravity and applied forces: sums of the effects of half a unit of each number."""
    before = numbers.quantities(groups)
    total = {name: np.zeros_like(x) for name, x in before.items()}
    k = numbers.motion(groups.joints)
    for i, parts in enumerate(groups.parts[:-1]):
        moves = [move for part in parts for move in _inertial_moves(part, digits, turn)]
        if moves:
            for name, columns in _columns(k, i, groups.gravity).items():
                shape = columns.shape[1:]
                total[name] += np.abs(np.array(moves) @ columns.reshape(10, -1)).sum(axis=0).reshape(shape)
    for joints in _joint_moves(groups.joints, digits, turn):
        moved = replace(groups, joints=joints)
        after = numbers.quantities(moved)
        numbers.forget(joints)
        for name, x in after.items():
            total[name] += np.abs(x - before[name])
    damping, stiffness, offset, armature, rough = law_halves(groups, digits).T
    total["applied"] += damping * np.abs(numbers.v) + stiffness * np.abs(numbers.q) + offset + rough
    total["M"] += np.diag(armature)
    return total


def _inertial_moves(part: Part, digits: float, turn: float) -> Iterator[Array]:
    """Yield changes of (m, m c, tensor about the group's origin: xx, yy, zz, xy, xz, yz) by half a unit each."""
    if not part.mass and not part.tensor.any():
        return
    base = _ten(part)
    origin, angle = pose_room(part.path, part.origin, digits, turn)
    if part.mass:
        yield _ten(replace(part, mass=part.mass + float(half_unit(part.mass, digits)))) - base
        centre = np.where(np.abs(part.centre) > NOISE, half_unit(part.centre, digits), 0.0)
        for k in np.flatnonzero(centre).tolist():
            yield _ten(replace(part, centre=_move_entry(part.centre, (k,), centre[k]))) - base
        for k in np.flatnonzero(origin).tolist():
            yield _ten(replace(part, origin=_move_entry(part.origin, (k,), origin[k]))) - base
    for move in _tensor_moves(part.tensor, digits, turn):
        yield _ten(replace(part, tensor=part.tensor + move)) - base
    for k in range(3 if angle else 0):
        yield _ten(replace(part, rotation=part.rotation @ _turn(k, angle))) - base


def _tensor_moves(tensor: Array, digits: float, turn: float) -> Iterator[Array]:
    """Yield changes of a tensor by half a unit of its largest moment in every element, and by turns of its axes."""
    moments, axes = np.linalg.eigh(tensor)
    size = float(half_unit(np.abs(moments).max(), digits))
    for k in range(3):
        yield size * np.outer(axes[:, k], axes[:, k])
        for other in range(k):
            mixed = np.outer(axes[:, k], axes[:, other])
            yield size * (mixed + mixed.T)
        R = _turn(k, turn)
        yield R @ tensor @ R.T - tensor


def _ten(part: Part) -> Array:
    R = part.rotation
    c = part.origin + R @ part.centre
    J = R @ part.tensor @ R.T + part.mass * (c @ c * np.eye(3) - np.outer(c, c))
    return np.array([part.mass, *(part.mass * c), *np.diag(J), J[0, 1], J[0, 2], J[1, 2]])


def _turn(k: int, angle: float) -> Array:
    e = np.zeros(3)
    e[k] = angle
    return np.array([[1, -e[2], e[1]], [e[2], 1, -e[0]], [-e[1], e[0], 1]])


def _columns(k: LumpedMotion, i: int, gravity: Array) -> dict[str, Array]:
    """Return M, h and gravity (10, S, …) due to unit mass, unit first moments, unit elements of a group's tensor."""
    V, W, R = k.moves[i], k.turns[i], k.rotation[i]
    w, dw, a = k.spin[i], k.spin_rate[i], k.acceleration[i]
    V_, W_ = (np.swapaxes(x, 1, 2) for x in (V, W))
    masses, rests, weights = [V_ @ V], [rotate(V_, a)], [V_ @ gravity]
    for axis in range(3):
        r = R[:, :, axis]
        turned = np.cross(W, r[:, :, None], axis=1)
        half = V_ @ turned
        masses.append(half + np.swapaxes(half, 1, 2))
        force = np.cross(dw, r) + np.cross(w, np.cross(w, r))
        rests.append(rotate(V_, force) + rotate(W_, np.cross(r, a)))
        weights.append(rotate(W_, np.cross(r, gravity)))
    for x, y in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)):
        unit = np.zeros((3, 3))
        unit[x, y] = unit[y, x] = 1.0
        tensor = R @ unit @ np.swapaxes(R, 1, 2)
        masses.append(W_ @ tensor @ W)
        rests.append(rotate(W_, rotate(tensor, dw) + np.cross(w, rotate(tensor, w))))
        weights.append(np.zeros_like(weights[0]))
    return {"M": np.array(masses), "h": np.array(rests), "gravity": np.array(weights)}


def _joint_moves(joints: Joints, digits: float, turn: float) -> Iterator[Joints]:
    """Yield the joints with one number of a pose or an axis moved by half a unit."""
    for i in range(len(joints.parents)):
        origin, angle = pose_room(joints.paths[i], joints.origins[i], digits, turn)
        for k in np.flatnonzero(origin).tolist():
            yield replace(joints, origins=_move_entry(joints.origins, (i, k), origin[k]))
        if angle:
            for k in range(3):
                moved = joints.rotations.copy()
                moved[i] = moved[i] @ _turn(k, angle)
                yield replace(joints, rotations=moved)
        axis = joints.axes[i]
        if np.abs(axis).max() < 1 - NOISE:
            for k in np.flatnonzero(np.abs(axis) > NOISE).tolist():
                moved = _move_entry(joints.axes, (i, k), half_unit(axis[k], digits))
                moved[i] /= np.linalg.norm(moved[i])
                yield replace(joints, axes=moved)


def _move_entry(own: Array, at: tuple[int, ...], by: Array) -> Array:
    found = own.copy()
    found[at] += by
    return found
