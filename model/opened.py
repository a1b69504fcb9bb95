"""Opened joints: six more coordinates behind a joint, kept at zero; the forces that keep them are the joint's forces.

Three shifts along x, y, z and three turns about x, y, z stand behind the transformations of a body's joint. Where they
are zero their axes are those of the body's frame at its origin, so the generalized forces along them are the six
numbers of :mod:`.joint_forces`: they are the multipliers of the constraints that keep the coordinates at zero.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from mbconcord.records import replace

from .body import Body
from .constraint import Constraint, FrameCoincidence
from .coordinate import Coordinate, Motion
from .derivation import Derivation, flatten
from .elastic import ElasticNode
from .evaluation import Array, at_states
from .expressions import ZERO, Expression, symbol
from .expressions.calculus import Substitution
from .force import Force, Point, Torsion
from .functions import define
from .joint_forces import COMPONENTS, cuts
from .mixed import drive_row
from .numbers import ANY_RANK, Instance, bind_states
from .state import State
from .system import System
from .transformation import ElementaryTransformation, Frame, rotation, shift, translation
from .turns import to_wrenches

Six = tuple[Expression, ...]
SIX = len(COMPONENTS)
#: Angles below are rounding.
TURNED = 1e-15


def open_joints(system: System, bodies: Collection[str], held: bool = False) -> System:
    """Return the system with six coordinates behind the joints of these bodies; the same if there are no bodies.

    A torsion whose angle is a sum of joint turns becomes wrenches with that angle: the new coordinates are zero, so
    they add no turn.

    Parameters
    ----------
    held : whether drives hold the coordinates at zero, so that their efforts are what the joints bear
    """
    if not bodies:
        return system
    stem, taken = "opened", {*system.names, *_list_auxiliary(system)}
    while any(name.startswith(stem) for name in taken):
        stem += "_"
    made, coordinates = [], list(system.coordinates)
    for i, body in enumerate(system.bodies):
        if body.name in bodies:
            steps = [*_open_steps(f"{stem}{i}")]
            body = replace(body, joint=(*body.joint, *steps))
            drive = Motion(ZERO) if held else None
            coordinates += [Coordinate(step.coordinate or "", drive=drive) for step in steps]
        made.append(body)
    forces: list[Force] = []
    for force in system.forces:
        forces += to_wrenches(system, force) if isinstance(force, Torsion) else (force,)
    return replace(system, bodies=tuple(made), coordinates=tuple(coordinates), forces=tuple(forces))


def _list_auxiliary(system: System) -> Iterator[str]:
    for constraint in system.constraints:
        if isinstance(constraint, FrameCoincidence):
            yield from constraint.auxiliary


def _open_steps(stem: str) -> Iterator[ElementaryTransformation]:
    for i, component in enumerate(COMPONENTS):
        make = translation if i < 3 else rotation
        yield make("xyz"[i % 3], f"{stem}{component}")


def open_cuts(system: System) -> tuple[System, tuple[str, ...]]:
    """Return the system whose cuts end at bodies without mass, one for each cut, and the names of these bodies.

    Each end is welded to the second body of its cut at the second point, in the body's axes; to the section of an
    elastic body, in the section's axes. Its weld bears the opposite of the wrench that the cut exerts.
    """
    system = system.lump_masses()
    bodies, names = list(system.bodies), list[str]()
    changed: dict[str, Constraint] = {}
    for cut in cuts(system):
        name = f"end of {cut.name}"
        while name in system.places or name in names:
            name += "_"
        names.append(name)
        if isinstance(cut, FrameCoincidence):
            steps = cut.second.transformations
            turns = [et for et in steps if not et.is_translation]
            back = [replace(et, axis=(-et.axis[0], -et.axis[1], -et.axis[2])) for et in reversed(turns)]
            bodies.append(Body(name, cut.second.body, (*steps, *back)))
            changed[cut.name] = replace(cut, second=Frame(name, tuple(turns)))
        else:
            node = _find_node(system, cut.second)
            by = {"joint": shift(cut.second.position)} if node is None else {"parent_node": node.name}
            bodies.append(Body(name, cut.second.body, **by))
            changed[cut.name] = replace(cut, second=Point(name))
    constraints = tuple(changed.get(c.name, c) for c in system.constraints)
    return replace(system, bodies=tuple(bodies), constraints=constraints), tuple(names)


def turn_axes(system: System, ends: Sequence[str], turns: Mapping[str, Array]) -> System:
    """Return a system in which the six numbers of some joints and cuts are along other axes.

    Each body in ``turns`` gets a carrier without mass at its origin (:func:`name_turned`), with the wanted axes. The
    body's joint moves the carrier, and the body is welded to it. Ends of cuts (:func:`open_cuts`) are just rotated.

    Parameters
    ----------
    system, ends : of :func:`open_cuts`
    turns : rotations (3, 3) from the axes of bodies and ends to the wanted ones
    """
    bodies: list[Body] = []
    for body in system.bodies:
        turn = turns.get(body.name)
        if turn is None:
            bodies.append(body)
        elif body.name in ends:
            bodies.append(replace(body, joint=(*body.joint, *_turn_by(turn))))
        else:
            name = name_turned(system, body.name)
            bodies.append(Body(name, body.parent, (*body.joint, *_turn_by(turn)), parent_node=body.parent_node))
            bodies.append(replace(body, parent=name, joint=_turn_back(turn), parent_node=None))
    changed: dict[str, Constraint] = {}
    for cut in cuts(system):
        name = cut.second.body or ""
        if isinstance(cut, FrameCoincidence) and name in ends and name in turns:
            steps = (*_turn_back(turns[name]), *cut.second.transformations)
            changed[cut.name] = replace(cut, second=Frame(name, steps))
    constraints = tuple(changed.get(c.name, c) for c in system.constraints)
    forces: list[Force] = []
    for force in system.forces:
        forces += to_wrenches(system, force) if isinstance(force, Torsion) else (force,)
    return replace(system, bodies=tuple(bodies), constraints=constraints, forces=tuple(forces))


def name_turned(system: System, body: str) -> str:
    """Return a free name for the carrier without mass that a body gets in :func:`turn_axes`."""
    name = f"axes of {body}"
    while name in system.places:
        name += "_"
    return name


def _turn_by(turn: Array) -> tuple[ElementaryTransformation, ...]:
    """Return rotations about z, y and x, in this order, that together are a rotation matrix (3, 3)."""
    z = np.arctan2(turn[1, 0], turn[0, 0])
    y = np.arctan2(-turn[2, 0], np.hypot(turn[0, 0], turn[1, 0]))
    first = np.array([[np.cos(z), -np.sin(z), 0], [np.sin(z), np.cos(z), 0], [0, 0, 1]])
    then = np.array([[np.cos(y), 0, np.sin(y)], [0, 1, 0], [-np.sin(y), 0, np.cos(y)]])
    rest = (first @ then).T @ turn
    angles = {"z": z, "y": y, "x": np.arctan2(rest[2, 1], rest[1, 1])}
    return tuple(rotation(axis, float(angle)) for axis, angle in angles.items() if abs(angle) > TURNED)


def _turn_back(turn: Array) -> tuple[ElementaryTransformation, ...]:
    return tuple(replace(et, axis=(-et.axis[0], -et.axis[1], -et.axis[2])) for et in reversed(_turn_by(turn)))


def _find_node(system: System, point: Point) -> ElasticNode | None:
    """Return the node of an elastic body at a point; None for the body's origin, and for points of rigid bodies."""
    modes = system.body(point.body).modes if point.body is not None and any(point.position) else None
    return next(node for node in modes.nodes if node.position == point.position) if modes else None


def open_states(states: Sequence[State], system: System, held: int) -> Sequence[State]:
    """Return states for the opened ``system``, whose last ``held`` coordinates are zero.

    The rank of constraints with drives grows by ``held``; that of constraints alone is left open.
    """
    zeros = dict.fromkeys(system.coordinate_names[len(system.coordinates) - held :], 0.0)
    made = Instance(system, [replace(state, q={**state.q, **zeros}) for state in states])
    ranks = states.ranks if isinstance(states, Instance) else None
    if ranks is None:
        return made
    return made.with_ranks(np.column_stack([np.full(len(ranks), ANY_RANK[0]), ranks[:, 1] + held]))


def derive_opened(derivation: Derivation, names: Sequence[str]) -> list[Expression] | None:
    """Derive inverse dynamics along these opened coordinates, whose q'' are 0; None if M, h or forces are missing."""
    q, coordinates = derivation.quantities, derivation.system.coordinate_names
    if not all(name in q for name in ("M", "h", "gravity", "applied")):
        return None
    n, opened = len(coordinates), {*names}
    rates = [ZERO if name in opened else symbol(f"{name}''") for name in coordinates]
    M, h, gravity, applied = ([*flatten(q[name])] for name in ("M", "h", "gravity", "applied"))
    found = []
    for i in map(coordinates.index, names):
        inertial = sum((x * rate for x, rate in zip(M[n * i : n * i + n], rates, strict=True)), h[i])
        found.append(inertial - gravity[i] - applied[i])
    return found


def close(sixes: Sequence[Expression], names: Sequence[str]) -> tuple[Six, ...]:
    """Put zero for opened coordinates, their rates and accelerations; return the expressions in groups of six."""
    if names:
        zeros = {symbol(f"{name}{order}"): ZERO for name in names for order in ("", "'", "''")}
        sixes = Substitution(zeros).apply(sixes)
    return tuple(tuple(sixes[i : i + SIX]) for i in range(0, len(sixes), SIX))


def list_drives(names: Sequence[str]) -> list[str]:
    """Name the rows of the drives that hold these opened coordinates at zero."""
    return [drive_row(name) for name in names]


def turn_cuts(system: System, states: Sequence[State], six: Array) -> Array:
    """Rotate wrenches (N, c, 6) of cuts at elastic sections into the axes of their second bodies; others stay."""
    found, values = six.copy(), bind_states(system, states).values
    for i, cut in enumerate(cuts(system)):
        if isinstance(cut, FrameCoincidence) or (node := _find_node(system, cut.second)) is None:
            continue
        modes = system.body(cut.second.body or "").modes
        q = [symbol(name) for name in modes.coordinates] if modes else []
        angles = [sum((x * y for x, y in zip(row, q, strict=True)), ZERO) for row in node.rotation]
        turn = at_states(define(angles, system.functions), values, len(six))
        parts = found[:, i].reshape(-1, 2, 1, 3)
        section = _rotate(turn)[:, None]
        found[:, i] = np.where(section == 0, 0.0, section * parts).sum(axis=3).reshape(-1, SIX)  # NaN: only what mixes
    return found


def _rotate(turn: Array) -> Array:
    """Return matrices (N, 3, 3) of rotations about vectors (N, 3), by angles (rad) that are the vectors' lengths."""
    angle = np.linalg.norm(turn, axis=1, keepdims=True)[:, :, None]
    k = -np.cross(np.eye(3), (turn / np.where(angle[:, 0] > 0, angle[:, 0], 1.0))[:, None, :]).swapaxes(1, 2)
    return np.asarray(np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * (k @ k))
