"""Limits, dry friction and shapes of a model, which accompany its equations of motion; a form that formats share."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from math import hypot, isclose
from pathlib import Path
from typing import Final

from mbconcord.model import Constant, Loss, System
from mbconcord.model.body import Tensor
from mbconcord.model.contact import Contact, FrictionLaw, NormalLaw, SolidPlane, Sphere, add_elements, omit_rigid
from mbconcord.model.diagnostics import ModelError, error
from mbconcord.model.expressions import ZERO, Expression, ExpressionError, evaluate_float, number
from mbconcord.model.force import Point
from mbconcord.model.limits import format_names
from mbconcord.model.omission import FRICTION, TOUCH, Omission
from mbconcord.model.transformation import Vector, shift, vector
from mbconcord.records import dataclass, field, replace

from .poses import Steps

#: A stop this far away (rad, m), or an effort or a speed this large, counts as absent.
NO_STOP: Final = 10**9
NO_STOP_AT: Final = number(NO_STOP)


@dataclass(frozen=True)
class Limit:
    """Range of a coordinate (rad, m), its largest effort (N m, N) and speed; None where the text gives none.

    ``place`` is the place of the omission that records the limit. ``soft`` maps MuJoCo's solver attributes of the stop
    to their values where they differ from the defaults; None in other formats.
    """

    place: str
    lower: Expression | None = None
    upper: Expression | None = None
    effort: Expression | None = None
    velocity: Expression | None = None
    soft: Mapping[str, tuple[float, ...]] | None = None

    @property
    def stops(self) -> bool:
        """True if the range has a lower or an upper end."""
        return self.lower is not None or self.upper is not None

    @property
    def ends(self) -> tuple[Expression, Expression]:
        """Lower and upper end; a missing end is replaced by -:data:`NO_STOP` or +:data:`NO_STOP`."""
        return -NO_STOP_AT if self.lower is None else self.lower, NO_STOP_AT if self.upper is None else self.upper

    @property
    def width(self) -> float:
        """The length of the range."""
        lower, upper = (evaluate_float(end, {}) for end in self.ends)
        return upper - lower


@dataclass(frozen=True)
class Friction:
    """Dry friction of a coordinate (N m, N), with the place of its omission; ``soft`` as in :class:`Limit`."""

    place: str
    value: Expression
    soft: Mapping[str, tuple[float, ...]] | None = None


@dataclass(frozen=True)
class Shape:
    """A shape that is fixed in a body, or in the fixed frame: it has no mass.

    Attributes
    ----------
    place : place of the omission that records the shape
    body : name of the body; None for the fixed frame
    kind : box (three edges), sphere (radius), cylinder and capsule (radius, length between the ends of the cylinder),
        ellipsoid (three semi-axes), plane (through the origin, normal z; lengths of its sides, 0: without end), mesh;
        in pictures only: cone (radii at its ends, length), point (a mark), polyhedron (coordinates of its corners)
    size : lengths in m as listed for each kind; for a mesh, scale factors of its file along x, y, z
    pose : constant transformations from the frame of the body to that of the shape
    seen : whether the shape is drawn
    contacts : MuJoCo's bit masks contype and conaffinity; both 0 for a shape that touches nothing
    file : name of a mesh's file in the written text; ``path`` is where the file is, None if unknown, and ``beside``
        its path relative to the folder of that text
    colour : red, green, blue and opacity, from 0 to 1; None where the text gives none
    materials : places of the omissions that record the shape's materials
    left : names of further attributes of the shape in the text
    edges : pairs of corner numbers of a polyhedron, from 0
    """

    place: str
    body: str | None
    kind: str
    size: tuple[Expression, ...]
    pose: Steps
    seen: bool
    contacts: tuple[int, int]
    file: str = ""
    path: Path | None = None
    beside: str = ""
    colour: tuple[Expression, ...] | None = None
    materials: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    edges: tuple[tuple[int, int], ...] = ()

    @property
    def reach(self) -> float | None:
        """Upper bound (m) on the distance of its points from the body's origin; None for meshes, planes and others."""
        try:
            away = sum(abs(evaluate_float(et.amount, {})) for et in self.pose if et.is_translation)
            own = [abs(evaluate_float(x, {})) for x in self.size]
        except ExpressionError:
            return None
        match self.kind, own:
            case "box", (_, _, _):
                return away + hypot(*own) / 2
            case "cylinder", (radius, length):
                return away + hypot(radius, length / 2)
            case "capsule", (radius, length):
                return away + radius + length / 2
            case "sphere" | "ellipsoid", (_, *_):
                return away + max(own)
        return None


@dataclass(frozen=True)
class Fittings:
    """Limits and dry friction by coordinate, shapes, and by body the steps to a rotated inertial frame with its tensor.

    ``undrawn`` names elements of the text that are shown there but in no picture here, with the reason; ``apart`` are
    pairs of bodies whose shapes do not touch; ``ropes`` are ends and greatest length of limits of distances, by place.
    """

    limits: Mapping[str, Limit] = field(default_factory=dict)
    friction: Mapping[str, Friction] = field(default_factory=dict)
    shapes: tuple[Shape, ...] = ()
    turned: Mapping[str, tuple[Steps, Tensor]] = field(default_factory=dict)
    undrawn: tuple[str, ...] = ()
    apart: frozenset[frozenset[str | None]] = frozenset()
    ropes: Mapping[str, tuple[Point, Point, Expression]] = field(default_factory=dict)

    def on(self, body: str | None) -> list[Shape]:
        """Return the shapes of a body."""
        return [shape for shape in self.shapes if shape.body == body]


NO_FITTINGS: Final = Fittings()


def bound(value: Expression | None) -> Expression | None:
    """Return a stop, effort or speed; None if it is too large to be one."""
    return None if value is None or abs(value.value) >= NO_STOP else value


class Fitted:
    """Record of the omissions that a newly written text holds after all, by place, and of the losses of others."""

    def __init__(self) -> None:
        self._places: Counter[str] = Counter()
        self.losses: list[Loss] = []

    def hold_shape(self, shape: Shape) -> None:
        """Record that the text holds a shape, and as a loss the properties of the shape that it leaves out."""
        self.hold(shape.place)
        for place in {*shape.materials} - {*self._places}:
            self.hold(place)
        if shape.left:
            what = f"{format_names(shape.left)} of the shape"
            self.lose(f"{shape.place}/constants", what, "formats have each their own constants of contacts and images")

    @property
    def places(self) -> frozenset[str]:
        """Places of the omissions that the text holds, or whose losses are recorded here."""
        return frozenset(self._places)

    def hold(self, place: str) -> None:
        """Record that the text holds the content of one omission at this place."""
        self._places[place] += 1

    def lose(self, place: str, what: str, reason: str, acts: bool = False) -> None:
        """Record a loss that replaces the general loss of one omission at this place."""
        self.hold(place)
        self.losses.append(Loss(f"omissions/{place}", what, reason, acts))

    def hold_limit(self, limit: Limit, format: str) -> None:
        """Record that the text holds a limit, and the loss of MuJoCo's solver attributes of it."""
        self.hold(limit.place)
        if limit.soft:
            why = f"{format} has no element for it"
            self.lose(f"{limit.place}/softness", f"{format_names(limit.soft)} of the stop", why)

    def hold_friction(self, rough: Friction, format: str) -> None:
        """Record that the text holds dry friction by Coulomb's law; where it was MuJoCo's, the law is lost and acts."""
        self.hold(rough.place)
        if rough.place.startswith("joint-friction/") and rough.value.value > 0:
            what = "MuJoCo's soft constraint of the dry friction"
            said = f"friction of {format} of the same size, which is written, is Coulomb's law"
            self.lose(f"{rough.place}/law", what, said, acts=True)

    def list_rest(self, omissions: Iterable[Omission]) -> Iterator[Omission]:
        """Yield the omissions that are recorded neither as held nor as lost."""
        left = Counter(self._places)
        for omission in omissions:
            if left[omission.place]:
                left[omission.place] -= 1
            else:
                yield omission


@dataclass(frozen=True)
class MeshPaths:
    """Finder of the mesh files that the text of ``source`` names, and of their names in the text of ``out``.

    ``packages`` are folders that contain packages or are packages; a package around the source is found without them.
    """

    source: str
    out: str = ""
    packages: tuple[str, ...] = ()

    def place(self, fittings: Fittings) -> Fittings:
        """Return the fittings with the paths of their mesh files filled in."""
        return replace(fittings, shapes=tuple(self._place(shape) if shape.file else shape for shape in fittings.shapes))

    def _place(self, shape: Shape) -> Shape:
        path = self._find(shape.file)
        if path is None or not path.is_file():
            return shape
        beside = self.name(path)
        whole = "://" in shape.file or Path(shape.file).is_absolute()
        return replace(shape, file=shape.file if whole else beside, path=path, beside=beside)

    def name(self, path: Path) -> str:
        """Return the path of a file from the folder of the text that is written."""
        try:
            return Path(os.path.relpath(path, self.folder(self.out or self.source))).as_posix()
        except ValueError:  # another drive
            return path.as_posix()

    @staticmethod
    def folder(file: str) -> Path:
        """Return the folder of a file; the working folder for standard input and output."""
        return Path.cwd() if file in ("", "-") else Path(file).resolve().parent

    def _find(self, file: str) -> Path | None:
        scheme, separator, rest = file.partition("://")
        if not separator:
            return self.folder(self.source) / file
        if scheme == "file":
            return Path("/", rest.lstrip("/"))
        package, _, inner = rest.partition("/")
        above = [folder for own in self.folder(self.source).parents for folder in (own, own / package)]
        around = [self.folder(self.source), *above] if scheme in ("package", "model") else []
        named = [folder for own in map(Path, self.packages) for folder in (own / package, own)]
        return next((f / inner for f in (*named, *around) if f.name == package and (f / inner).is_file()), None)


#: Shapes that touch a plane at several places, in words, and half a length.
PLACES: Final = {"capsule": "pressed at its ends", "box": "pressed at its corners"}
HALF: Final = number("0.5")
#: Most contacts that an assumed law makes of one model.
MOST_CONTACTS: Final = 1_000


def assume_contacts(
    system: System, found: Fittings, normal: NormalLaw, friction: FrictionLaw | None, said: str
) -> System:
    """Return a model whose spheres and points press on planes at rest by a given law; their omissions name this law.

    So do spheres at the ends of capsules, and corners of boxes.

    Shapes without a contact stay omissions, with the reason; so do contacts of a sphere with anything but planes.

    Raises
    ------
    ModelError
        There are more than :data:`MOST_CONTACTS`.
    """
    shapes, counted = defaultdict[str, list[Shape]](list), Counter(o.place for o in system.omissions)
    for shape in found.shapes:
        if shape.place.startswith(("collision-shape/", "contact/")):
            shapes[shape.place].append(shape)
    still = {None} | {body.name for body in system.bodies} - _find_moving(system)
    planes = [s for own in shapes.values() for s in own if s.kind == "plane" and s.body in still]
    others = Counter(o.place for o in system.omissions if o.kind == "collision-shape")
    others.subtract(s.place for s in planes)
    made, omissions, taken = list[Contact](), list[Omission](), {f.name for f in system.forces}
    for o in system.omissions:
        own = shapes[o.place]
        if o.kind not in ("collision-shape", "contact") or (own and own[0].kind == "plane" and own[0].body in still):
            omissions.append(o)
            continue
        if o.kind != "contact":
            own = [own.pop(0)] if len(own) == counted[o.place] else []
            counted[o.place] -= 1
        balls = [ball for s in own if s.body not in still for ball in _list_balls(s)]
        pairs = [(s, p) for s in balls for p in planes if _may_touch(s, p, found.apart)]
        if not pairs or "collide_bitmask" in o.what or "margin" in (x for s in own for x in s.left):
            reasons = {
                "where it is, is not known": not own,
                "it does not move": bool(own) and all(s.body in still for s in own),
                f"a {own[0].kind if own else ''} has no ends or corners": not balls,
                "there is no plane at rest that it may touch": not pairs,
            }
            reason = next((why for why, is_so in reasons.items() if is_so), "when it touches is a rule of a program")
            omissions.append(replace(o, what=f"{o.what}; not by {said}: {reason}"))
            continue
        for k, (ball, plane) in enumerate(pairs, 1):
            name = f"{o.place.rpartition('/')[2]}_contact" + (f"_{k}" if len(pairs) > 1 else "")
            while name in taken:
                name += "_"
            taken.add(name)
            centre, (n, offset) = _find_origin(ball.pose), _find_plane(plane)
            first = Sphere(ball.body, centre, ball.size[0] if ball.size else ZERO)
            made.append(Contact(name, first, SolidPlane(plane.body, n, offset), normal, friction))
        if o.kind != "contact" and (others - Counter([o.place])).total():
            omissions.append(replace(o, what=f"{o.what}; by {said} it touches planes alone", gaps=()))
        what = ", ".join((o.what, *(PLACES[kind] for kind in dict.fromkeys(s.kind for s in own) if kind in PLACES)))
        omissions.append(replace(o, kind=TOUCH, what=f"{what}; {said}", effect="forces", gaps=()))
        if len(made) > MOST_CONTACTS:
            message = f"{said} makes more than {MOST_CONTACTS:,} contacts"
            raise ModelError(error("--assume", message, "leave shapes out that cannot touch"))
    forces, points = add_elements(made, system.forces, system.points)
    return replace(system, forces=forces, points=points, omissions=omit_rigid(made, omissions))


def _list_balls(shape: Shape) -> Iterator[Shape]:
    """Yield what touches a plane: a sphere, a point, spheres at both ends of a capsule, the corners of a box."""
    sides = (-HALF, HALF)
    if shape.kind in ("sphere", "point"):
        yield shape
    elif shape.kind == "capsule":
        for side in sides:
            end = (*shape.pose, *shift((ZERO, ZERO, side * shape.size[1])))
            yield replace(shape, kind="sphere", size=shape.size[:1], pose=end)
    elif shape.kind == "box":
        for corner in product(sides, repeat=3):
            at = shift(side * x for side, x in zip(corner, shape.size, strict=True))
            yield replace(shape, kind="point", size=(), pose=(*shape.pose, *at))


def _find_moving(system: System) -> set[str]:
    """Return the names of the bodies that can move."""
    moving = set[str | None]()
    for body in system.bodies:
        if body.parent in moving or not all(isinstance(step.motion, Constant) for step in body.joint):
            moving.add(body.name)
    return {name for name in moving if name is not None}


def _may_touch(ball: Shape, plane: Shape, apart: frozenset[frozenset[str | None]]) -> bool:
    """Return True if a sphere and a plane may touch: by their bit masks, or because one element names both."""
    (kind, affinity), (other, meant) = ball.contacts, plane.contacts
    if ball.place == plane.place:
        return True
    return bool(kind & meant or other & affinity) and frozenset((ball.body, plane.body)) not in apart


def _find_origin(steps: Steps) -> Vector:
    """Return the origin of the frame after constant transformations; exact if all are translations, else in floats."""
    from .floats import compose_pose, decimals

    if not all(et.is_translation for et in steps):
        return vector(decimals(compose_pose(steps).p))
    return vector(sum((et.amount * et.axis[i] for et in steps), ZERO) for i in range(3))


def _find_plane(plane: Shape) -> tuple[Vector, Expression]:
    """Return a plane's normal and its offset n·x."""
    from .floats import compose_pose, decimals

    turns = tuple(et for et in plane.pose if not et.is_translation)
    n = decimals(compose_pose(turns).R[:, 2])
    at = _find_origin(plane.pose)
    return vector(n), sum((a * b for a, b in zip(n, at, strict=True)), ZERO)


def same_friction(
    a: Fittings, b: Fittings, names: Mapping[str, str], rounding: float = 0.0
) -> dict[str, tuple[str, str]]:
    """Map coordinates of A that have equal dry friction in B to the places of the friction's omissions in A and in B.

    ``names`` gives the name in B where it differs, ``rounding`` the relative tolerance. Coulomb's law and MuJoCo's
    constraint of the same size are equal.
    """
    return {
        coordinate: (rough.place, other.place)
        for coordinate, rough in a.friction.items()
        if (other := b.friction.get(names.get(coordinate, coordinate))) is not None
        and isclose(evaluate_float(rough.value, {}), evaluate_float(other.value, {}), rel_tol=rounding)
        and (None in (rough.soft, other.soft) or rough.soft == other.soft)
    }


def find_softened(a: Fittings, b: Fittings, names: Mapping[str, str], same: Iterable[str]) -> list[str]:
    """List coordinates of A, of those in ``same``, that have Coulomb's law in one text and MuJoCo's in the other.

    A stage of OpenUSD states the size alone, and no law.
    """
    pairs = ((name, (a.friction[name], b.friction[names.get(name, name)])) for name in same)
    return [
        name for name, pair in pairs
        if any(x.place.startswith("stiction/") for x in pair) and any(x.soft is not None for x in pair)
    ]  # fmt: skip


def leave_friction_out(system: System) -> System:
    """Return a model without dry friction by Coulomb's law: it becomes an omission, as MuJoCo's friction is."""
    held = {o.place.partition("/")[2]: o for o in system.omissions if o.kind == "stiction"}
    names = {f"{coordinate}{FRICTION}" for coordinate in held}
    acting = (
        replace(o, place=f"joint-friction/{o.place.partition('/')[2]}", kind="joint-friction", effect="forces", gaps=())
        if o.kind == "stiction"
        else o
        for o in system.omissions
    )
    forces = tuple(f for f in system.forces if f.name not in names)
    return replace(system, forces=forces, omissions=tuple(acting))


#: Limits that differ by less than this, relative, are equal: one file in degrees, the other in radians.
ROUNDING: Final = 1e-12
#: The same where a text is in single precision.
SINGLE: Final = 2.0**-22


@dataclass(frozen=True)
class LimitDifference:
    """Differing limits of a joint in each of two texts, in words, empty where all are equal; and the limits' places."""

    joint: str
    first: str
    second: str
    places: tuple[str, ...]

    def __str__(self) -> str:
        return f"limits differ: {self.joint}, {self.first} in A, {self.second} in B"


def compare_limits(
    a: Fittings, b: Fittings, names: Mapping[str, str], rounding: float = ROUNDING
) -> Iterator[LimitDifference]:
    """Yield, for each joint with limits in at least one text, the limits that differ in A and in B.

    ``names`` maps coordinates of A to those of B; ``rounding`` is the relative tolerance. Speed limits, which MJCF
    lacks, are compared if both texts have some.
    """
    rates = all(any(limit.velocity is not None for limit in text.limits.values()) for text in (a, b))
    for joint, other in names.items():
        limits = a.limits.get(joint), b.limits.get(other)
        kept = [limit for limit in limits if limit is not None]
        words: tuple[list[str], list[str]] = ([], [])
        for key in ("lower", "upper", "effort", *(["velocity"] if rates else [])):
            own = [getattr(limit, key, None) for limit in limits]
            x, y = (None if value is None else evaluate_float(value, {}) for value in own)
            if x != y and (x is None or y is None or not isclose(x, y, rel_tol=rounding)):
                none = "no symmetric effort" if key == "effort" else f"no {key}"  # MJCF may have another one
                for said, value in zip(words, (x, y), strict=True):
                    said.append(none if value is None else f"{key} {value:.13g}")
        ways = [None if limit is None or not limit.stops else limit.soft for limit in limits]
        if None not in ways and ways[0] != ways[1]:
            for said, way in zip(words, ways, strict=True):
                said += [f"{key} {' '.join(map(str, of))}" for key, of in (way or {}).items()] or ["the usual stop"]
        if kept:
            yield LimitDifference(joint, ", ".join(words[0]), ", ".join(words[1]), tuple(limit.place for limit in kept))
