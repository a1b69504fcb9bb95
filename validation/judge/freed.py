"""A model's welded root freed like another's, so that a legged robot's URDF and MJCF are compared unchanged."""

from __future__ import annotations

from itertools import takewhile

import numpy as np

from mbconcord.model.body import Body
from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.model.transformation import Constant, ElementaryTransformation, Frame, rotation, shift
from mbconcord.records import dataclass, replace

from .kinematics import TreeKinematics

#: Offsets and turns below this are rounding.
NOTHING = 1e-12

#: Kinds of the six coordinates of a free root.
FREE = ["translation"] * 3 + ["rotation"] * 3


@dataclass(frozen=True)
class FreeRoot:
    """Root that moves freely: transformations, with six coordinates, from the ground to a body, and its name."""

    body: str
    joint: tuple[ElementaryTransformation, ...]

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the six coordinates."""
        return tuple(et.coordinate for et in self.joint if et.coordinate)

    @property
    def axes(self) -> list[tuple[object, ...]]:
        """Kinds and axes of their motions."""
        return [(et.kind, et.axis) for et in self.joint if et.coordinate]


def find_free_root(system: System) -> FreeRoot | None:
    """Return the free root of a model: six coordinates in a line from the ground, without inertia before the last."""
    joint: tuple[ElementaryTransformation, ...] = ()
    carried = _list_carried(system)
    standing = carried.get(None, [])
    while len(standing) == 1:
        (body,) = standing
        joint += body.joint
        if any(not (et.coordinate or isinstance(et.motion, Constant)) for et in body.joint):
            return None
        kinds = [et.kind for et in joint if et.coordinate]
        if kinds == FREE:
            return FreeRoot(body.name, joint)
        if kinds != FREE[: len(kinds)] or not body.inertia.is_zero:
            return None
        standing = carried.get(body.name, [])
    return None


def _list_carried(system: System) -> dict[str | None, list[Body]]:
    """Map each body (None: the ground) to the bodies on it that move, have inertia, or carry such bodies themselves."""
    found: dict[str | None, list[Body]] = {}
    for body in reversed(system.bodies):  # in order of the tree
        if body.name in found or not body.inertia.is_zero or any(et.moving for et in body.joint):
            found.setdefault(body.parent, []).insert(0, body)
    return found


@dataclass(frozen=True)
class Freed:
    """Two models, of which one's welded root was freed like the other's: which, ``A`` or ``B``, and how.

    ``welded`` is False if both roots move freely in the files already.
    """

    a: System
    b: System
    which: str
    root: FreeRoot
    welded: bool = True

    @property
    def words(self) -> str:
        """``A's root is welded, B's moves freely: A's was freed``."""
        other = "B" if self.which == "A" else "A"
        if not self.welded:
            return f"{self.which}'s root moves freely like {other}'s"
        return f"{self.which}'s root is welded, {other}'s moves freely: {self.which}'s was freed"

    @property
    def remedy(self) -> str:
        """Advice ``: A's root is footprint, B's torso; let one link be the root of both``; empty if names are equal."""
        names = []
        for which, system in (("A", self.a), ("B", self.b)):
            root = find_free_root(system)
            name = root.body if root else ""
            copied = self.welded and which == self.which  # the copy of the other's root carries its own
            names.append(_list_carried(system)[name][0].name if copied else name)
        one, other = names
        return f": A's root is {one}, B's {other}; let one link be the root of both" if one != other else ""

    @property
    def offset(self) -> BaseOffset | None:
        """Displacement between the base frames of the freed model and of the other; None if they coincide."""
        return find_base_offset(*((self.a, self.b) if self.which == "A" else (self.b, self.a)))

    def take_over(self, offset: BaseOffset) -> tuple[System, System]:
        """Return both models, with the freed model's base frame moved to the other's."""
        if self.which == "A":
            return offset.take_over(self.a), self.b
        return self.a, offset.take_over(self.b)


def free_like(a: System, b: System) -> Freed | None:
    """Free the root of the model that has six coordinates fewer, like the other's root.

    The freed root gets the other root's placement in the world. Return None if neither root is free, or if the numbers
    of coordinates show that more differs; if both roots are free, return the models unchanged.

    Raises
    ------
    MbconcordError
        Several chains stand on the ground, so there is no root to set free.
    """
    for fixed, free, which in ((a, b, "A"), (b, a, "B")):
        root = find_free_root(free)
        if root is None or len(fixed.coordinates) + len(FREE) != len(free.coordinates) or find_free_root(fixed):
            continue
        if {*root.coordinates} & fixed.names:
            continue
        found = _free(fixed, free, root, which)
        return Freed(found, b, which, root) if which == "A" else Freed(a, found, which, root)
    one, other = find_free_root(a), find_free_root(b)
    return Freed(a, b, "A", other, welded=False) if one and other and one.axes == other.axes else None


def _free(fixed: System, free: System, root: FreeRoot, which: str) -> System:
    """Return model ``fixed`` with a copy of the free root's joint between the ground and all bodies attached to it."""
    standing = _list_carried(fixed).get(None, [])
    if len(standing) != 1:
        found = f"{which}'s root is welded, and {len(standing)} chains stand on the ground"
        raise MbconcordError(error("bodies", found, "free its root in the file: there is none to choose"))
    name = next(n for n in (root.body, "free_root", "free_root_", "free_root__") if n not in fixed.places)
    bodies = [Body(name, None, root.joint)]
    for body in fixed.bodies:
        if body.parent is None:
            # the placement of a welded root in the world is no part of the machine
            joint = body.joint if body.coordinates or body is not standing[0] else ()
            bodies.append(replace(body, parent=name, joint=joint))
        else:
            bodies.append(body)
    six = {c.name: replace(c, drive=None) for c in free.coordinates}
    return replace(fixed, bodies=tuple(bodies), coordinates=(*(six[c] for c in root.coordinates), *fixed.coordinates))


@dataclass(frozen=True)
class BaseOffset:
    """Shift (m) and turn about an axis (rad) that bring the base frame of a freed model to the other's."""

    body: str
    shift: tuple[float, ...]
    axis: tuple[float, ...]
    angle: float

    def __str__(self) -> str:
        turned = f", turned by {self.angle:.6g} rad about ({_write(self.axis)})" if self.angle else ""
        return f"its base frame, by {self.body}, is ({_write(self.shift)}) m off{turned}"

    def take_over(self, freed: System) -> System:
        """Return the freed model with its base frame moved by this offset to the other's."""
        moved = shift(self.shift)
        if self.angle:
            moved = (*moved, rotation(self.axis, self.angle))
        root = find_free_root(freed)
        bodies = (replace(b, joint=(*b.joint, *moved)) if root and b.name == root.body else b for b in freed.bodies)
        return replace(freed, bodies=tuple(bodies))


def find_base_offset(freed: System, other: System) -> BaseOffset | None:
    """Return the displacement of a body that both bases carry; None if they share no body, or if it is zero."""
    models = [(s, root) for s in (freed, other) if (root := find_free_root(s))]
    if len(models) < 2:
        return None
    carried = [
        {b.name for b in s.bodies if tuple(c for own in s.path(b.name) for c in own.coordinates) == root.coordinates}
        for s, root in models
    ]
    shared = sorted(carried[0] & carried[1], key=lambda name: (name != models[1][1].body, name))
    if not shared:
        return None
    name = shared[0]
    poses = []
    for system, root in models:
        zero = dict.fromkeys(system.coordinate_names, 0.0)
        k = TreeKinematics(system.open_loops(), [State(0.0, zero, zero)])
        base = k.follow(Frame(None, tuple(takewhile(lambda et: not et.coordinate, root.joint))))
        own = k.frame(name)
        R = base.rotation[0].T
        poses.append((R @ own.rotation[0], R @ (own.position[0] - base.position[0])))
    (R, p), (S, t) = poses
    turned = S @ R.T
    offset = t - turned @ p
    spin = np.array([turned[2, 1] - turned[1, 2], turned[0, 2] - turned[2, 0], turned[1, 0] - turned[0, 1]]) / 2
    angle = float(np.arctan2(np.linalg.norm(spin), (np.trace(turned) - 1) / 2))
    if np.abs(offset).max() <= NOTHING and abs(angle) <= NOTHING:
        return None
    if angle <= NOTHING or not np.linalg.norm(spin) > NOTHING:  # of half a turn the axis is not looked for
        return BaseOffset(name, tuple(map(float, offset)), (0.0, 0.0, 1.0), 0.0)
    return BaseOffset(name, tuple(map(float, offset)), tuple(map(float, spin / np.linalg.norm(spin))), angle)


def _write(values: tuple[float, ...]) -> str:
    return ", ".join(f"{0.0 if abs(x) <= NOTHING else x:.6g}" for x in values)
