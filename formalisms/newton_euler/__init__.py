"""Recursive Newton–Euler: velocities and accelerations outward, forces inward, articulated bodies.

The same recursions give expressions (from nodes of the graph) or numbers (from arrays over states).

The passes as steps of links: the functions of the other modules, called once for each kind of link with symbols.

Memory of a link: ω, ω̇ and the acceleration a of its origin, the force f and the moment n that its joint transmits, and
the sine and the cosine of its angle, all in its own axes. U is computed from ω and ω̇ where it is needed. Links keep
their own masses: regrouping runs over all links, and its sums would grow over 10,000 bodies.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model import FrameCoincidence, Point, State, System
from mbconcord.model.derivation import EFFORT, Derivation, Lazy, LazySequence, Nested, Obstacle, flatten
from mbconcord.model.evaluation import ConstrainedMotion, Evaluation, complete
from mbconcord.model.expressions import ONE, ZERO, Expression, ExpressionError, cos, sin
from mbconcord.model.expressions.traversal import no_search_for_cycles
from mbconcord.model.features import OPEN_TREES
from mbconcord.model.joint_forces import COMPONENTS, JOINT_FORCES, ConstrainedForces, list_jointed_bodies
from mbconcord.model.kinematics import PointMotion
from mbconcord.model.mixed import find_imposed_accelerations
from mbconcord.model.numbers import bind_states
from mbconcord.model.recursion import (
    ACCELERATION,
    AMOUNT,
    RATE,
    LinkKind,
    Recursion,
    RecursionStep,
    carrier,
    number_of,
    own,
)
from mbconcord.model.recursion import RecursionLink as Steps

from . import outward
from .equations import Equations, joint_forces
from .loads import efforts
from .outward import point_motions
from .stages import PASSES, stages
from .tree import NO_TENSOR, NULL, UNITS, Link, Mass, tree_of
from .vectors import Batch, Graph, Vector, over_states, triple

MINIMAL = "minimal inertial parameters"


class NewtonEuler(Formalism):
    """Recursive Newton–Euler for open trees; inverse and forward dynamics in time linear in the bodies."""

    name = "newton_euler"
    title = "Recursive Newton–Euler, articulated bodies"
    reference = (
        "Luh, Walker & Paul 1980 (inverse dynamics); Walker & Orin 1982, method 3 (mass matrix); "
        "Featherstone 1983 and 2008, chapters 6, 7 and 9.6; Khalil & Kleinfinger 1987 (regrouping)"
    )
    takes = OPEN_TREES | {"bushings", "torsions", "armatures", "follower_forces"}
    solves = True

    def derive(self, system: System) -> Derivation:
        """Derive all canonical quantities, with the passes as stages.

        ``inverse_dynamics`` is one outward and one inward sweep with q'' as symbols, and equals M q'' + h - gravity -
        applied. ``acceleration`` is q'' by articulated bodies: put into inverse dynamics it gives zero, or the
        ``effort`` of a drive that imposes it; absent if a joint never has inertia. In ``native``: origins ``r`` of the
        bodies' frames in world axes (m), the minimal inertial parameters of every link (mass, first moment,
        tensor), and the forces in the joints.

        Raises
        ------
        FormalismError
            The model uses a feature that this formalism does not take.
        """
        self.require(system)
        with no_search_for_cycles():
            return _derivation(self.name, system)

    def derive_asked(self, system: System, names: Collection[str]) -> Derivation:
        """Derive only the requested canonical quantities, for a tree without imposed accelerations.

        Intermediates of their passes, and of all passes before, keep the names of the full derivation.
        """
        if not names or {*names} - {*PASSES} or system.constraints or find_imposed_accelerations(system):
            return self.derive_whole(system)
        self.require(system)
        with no_search_for_cycles():
            found = _derivation(self.name, system, names)
        return found if {*names} <= {*found.quantities} else self.derive_whole(system)

    def inverse_dynamics(self, system: System) -> tuple[Expression, ...]:
        """Derive inverse dynamics alone, with q'' as symbols: time and operations are linear in the bodies."""
        self.require(system)
        with no_search_for_cycles():
            return tuple(Equations(system, Graph()).inverse_dynamics)

    def recursion(self, system: System) -> Recursion:
        """Return both passes of inverse dynamics as recursion steps."""
        pass  # not before: equations need none

        self.require_steps(system)
        return recursion(self.name, system)

    def motions(self, system: System, points: Sequence[Point]) -> tuple[PointMotion, ...]:
        """Return the motion of points, by the outward pass without weight, and J from the joints' axes."""
        self.require(system)
        with no_search_for_cycles():
            eq, names = Equations(system, Graph()), system.coordinate_names
            return tuple(point_motions(eq.tree, eq.links, eq.coasting, points, names, eq.scalars))

    def joint_forces(self, system: System) -> tuple[tuple[Expression, ...], ...]:
        """Derive the forces in the joints of a tree, as the inward pass transmits them."""
        self.require(system)
        with no_search_for_cycles():
            return joint_forces(system)

    def constraint_obstacles(self, system: System) -> tuple[Obstacle, ...]:
        """List the obstacles to solving a system with constraints: those of the open tree and of cut joints."""
        from .closed import cut_joint  # not before: most models have no constraints

        cuts = (c for c in system.constraints if isinstance(c, FrameCoincidence))
        return (*self.obstacles(system.open_loops()), *(o for c in cuts for o in cut_joint.obstacles(c)))

    def derive_closed(self, system: System) -> Derivation:
        """Derive equations of the open tree and of the constraints, with native ``D`` (m×n), ``γ̃`` (m), ``γ`` (m).

        Columns of Dᵀ are efforts in the joints from wrenches of unit multipliers at the cuts, carried inward; ``γ``
        is the power D q' + γ of these wrenches by the outward pass. Identity: D is the gradient of ``γ`` by q'.
        """
        return self._close_tree(system)

    def _close_tree(self, system: System, tree: Derivation | None = None) -> Derivation:
        from .closed import cut_joint  # not before: most models have no constraints
        from .closed.rows import rows_of  # not before: most models have no constraints

        self.require_constraints(system)
        tree = tree or self.derive(system.open_loops())
        with no_search_for_cycles():
            eq = Equations(cut_joint.with_cut_frames(system.open_loops(), system), Graph())
            rows, n = rows_of(eq, system), range(eq.count)
        closing: dict[str, Nested] = {
            "D": tuple(tuple(row.D.get(i, ZERO) for i in n) for row in rows),
            "γ": tuple(row.speed for row in rows),
            "γ̃": tuple(row.rest for row in rows),
        }
        native = Lazy({}) | tree.native | closing
        return replace(tree, system=system, native=native, rows=tuple(row.name for row in rows))

    def constrained_motion(self, system: System, states: Sequence[State]) -> ConstrainedMotion:
        """Solve numerically for accelerations, multipliers and reactions of a system with constraints."""
        from .closed.motion import constrained_motion  # not before: most models have no constraints

        self.require_constraints(system)
        return constrained_motion(self.name, system, states)

    def solve_closed(
        self, system: System, states: Sequence[State], tree: Derivation | None = None
    ) -> tuple[ConstrainedMotion, Derivation]:
        """Return the motion, computed by the recursions, and the derived equations."""
        return self.constrained_motion(system, states), self._close_tree(system, tree)

    def constrained_forces(
        self, system: System, states: Sequence[State], tree: Derivation | None = None
    ) -> ConstrainedForces:
        """Compute forces at the cuts and in the joints numerically; reactions are carried inward like other loads."""
        from .closed.motion import constrained_forces  # not before: most models have no constraints

        self.require_constraints(system)
        return constrained_forces(system, states)

    def evaluate(self, system: System, states: Sequence[State]) -> Evaluation:
        """Compute numbers by the recursions without expressions: for large systems and many states."""
        self.require(system)
        count = len(states)
        values = bind_states(system, states).values
        with np.errstate(all="ignore"):
            eq = Equations(system, Batch(system, values, count))
            quantities = {
                "M": np.moveaxis(eq.mass_matrix.matrix, -1, 0),
                "h": over_states(eq.h, count),
                "gravity": over_states(eq.gravity, count),
                "applied": over_states(eq.applied, count),
                "inverse_dynamics": over_states(eq.inverse_dynamics, count),
                "acceleration": over_states(eq.forward.accelerations, count),
            }
            if eq.imposed_accelerations:
                quantities[EFFORT] = over_states(eq.efforts, count)
        return complete(Evaluation(self.name, quantities), system, states)


def _derivation(name: str, system: System, asked: Collection[str] = tuple(PASSES)) -> Derivation:
    """Derive the requested quantities, with the passes up to the last one that they need."""
    eq = Equations(system, Graph())
    makers: dict[str, Callable[[], Nested]] = {
        "M": lambda: tuple(map(tuple, eq.mass_matrix.matrix)),
        "h": lambda: tuple(eq.h),
        "gravity": lambda: tuple(eq.gravity),
        "applied": lambda: tuple(eq.applied),
        "inverse_dynamics": lambda: tuple(eq.inverse_dynamics),
    }
    quantities = {each: make() for each, make in makers.items() if each in asked}
    if "acceleration" in asked:
        with suppress(ExpressionError):  # division by an inertia that is the number zero
            quantities["acceleration"] = tuple(eq.forward.accelerations)
            if eq.imposed_accelerations:
                quantities[EFFORT] = tuple(eq.efforts)
    native = Lazy(
        {
            "r": lambda: tuple(eq.positions),
            MINIMAL: lambda: tuple((x.mass.mass, x.mass.moment, x.mass.tensor) for x in eq.links),
            JOINT_FORCES: lambda: joint_forces(system),
        }
    )
    last = [each for each in PASSES if each in quantities][-1]
    named = LazySequence(lambda: stages(eq, last, flatten(tuple(quantities.values()))))
    indices = {
        "r": (tuple(body.name for body in system.bodies), ("x", "y", "z")),
        JOINT_FORCES: (list_jointed_bodies(system), COMPONENTS),
    }
    return Derivation(name, system, quantities, named, native, indices=indices)


AXES = "xyz"
VECTORS = {name: tuple(f"{name}_{i}" for i in AXES) for name in ("w", "dw", "a", "f", "n")}
TURNS = {"s": ("s",), "c": ("c",)}


def recursion(name: str, system: System) -> Recursion:
    """Build inverse dynamics of an open tree as a recursion, outward and inward, under the formalism's name."""
    kinds: dict[tuple[bool, int, bool, bool, bool], int] = {}
    links = []
    for link in tree_of(system).links:
        key = link.revolute, link.axis, link.turn is not None, link.bears, link.coordinate is None
        motion = None if link.coordinate is not None else (link.amount, link.rate, link.acceleration)
        kind = kinds.setdefault(key, len(kinds))
        links.append(Steps(kind, link.parent, link.coordinate, motion, tuple(_numbers(link))))
    ground = {f"a_{i}": -g for i, g in zip(AXES, system.gravity_vector, strict=True)}
    found = tuple(kind_of(*key) for key in kinds)
    own_efforts = efforts(system, Graph())
    return Recursion(name, VECTORS | TURNS, (False, True), found, tuple(links), ground, tuple(own_efforts))


def _numbers(link: Link) -> Iterator[Expression]:
    """Yield the numbers that distinguish links of one kind: placement and mass properties."""
    for row in link.turn or ():
        yield from row
    yield from link.shift
    if link.bears:
        yield from (link.mass.mass, *link.mass.moment, *link.mass.tensor)


@cache
def kind_of(revolute: bool, axis: int, turned: bool, bears: bool, prescribed: bool) -> LinkKind:
    """Build the recursion steps for links of one kind; ``turned`` if the joint's axes differ from its carrier's."""
    joint = f"{'revolute about' if revolute else 'prismatic along'} {AXES[axis]}"
    words = (joint, "turned" if turned else "", "" if bears else "without inertia", "prescribed" if prescribed else "")
    made = (sin(AMOUNT), cos(AMOUNT)) if revolute else (ZERO, ONE)
    kept = (own("s"), own("c")) if revolute else made
    first, last = (
        replace(_link(revolute, axis, turned, bears, *turn), coordinate=None if prescribed else 0)
        for turn in (made, kept)
    )
    numbers = (12 if turned else 3) + (10 if bears else 0)
    return LinkKind(", ".join(filter(None, words)), numbers, (_outward(first), _inward(last)))


def _outward(link: Link) -> RecursionStep:
    """Build the outward step: velocity and accelerations of a link, and the inertial wrench of the link itself."""
    w_carrier, dw_carrier = _vector(carrier, "w"), _vector(carrier, "dw")
    before = outward.Motion(
        w_carrier, dw_carrier, _vector(carrier, "a"), outward.compute_acceleration_matrix(w_carrier, dw_carrier)
    )
    w = outward.turning(link, link.outward(w_carrier))
    now = outward.motion(link, before, w, link.acceleration)
    force, moment = outward.inertial(link.mass, now) if link.bears else (NULL, NULL)
    found = {"w": w, "dw": now.dw, "a": now.a, "f": force, "n": moment}
    turn = {"s": link.sine, "c": link.cosine} if link.revolute else {}
    return RecursionStep(
        {slot: x for name, v in found.items() for slot, x in zip(VECTORS[name], v, strict=True)} | turn
    )


def _inward(link: Link) -> RecursionStep:
    """Build the inward step: a joint's wrench is added, in the carrier's frame, to the carrier's wrench."""
    wrench = _vector(own, "f"), _vector(own, "n")
    before = _vector(carrier, "f"), _vector(carrier, "n")
    passed = outward.together(before, outward.transmit_wrench(link, wrench))
    slots = (slot for name in ("f", "n") for slot in VECTORS[name])
    handed = dict(zip(slots, (*passed[0], *passed[1]), strict=True))
    return RecursionStep({}, handed, outward.along_joint(link, wrench))


def _vector(whose: Callable[[str], Expression], name: str) -> Vector:
    return triple([whose(slot) for slot in VECTORS[name]])


def _link(revolute: bool, axis: int, turned: bool, bears: bool, sine: Expression, cosine: Expression) -> Link:
    """Build a link whose numbers and motion are symbols."""
    blank = Link(
        0, UNITS if turned else None, NULL, revolute, axis, 0, AMOUNT, RATE, ACCELERATION, sine, cosine,
        Mass(ZERO, NULL, NO_TENSOR), bears,
    )  # fmt: skip
    placed = 12 if turned else 3
    numbers = [number_of(i) for i in range(placed + 10)]
    mass = numbers[placed:] if bears else [ZERO] * 10
    return blank.with_scalars(iter([*numbers[:placed], AMOUNT, RATE, ACCELERATION, sine, cosine, *mass]))
