"""Change of coordinates around formalisms that know one coordinate per transformation: maps of coordinates.

Each map f(q, t) becomes a coordinate ρ of its joint; a coordinate that moves no joint by itself moves a body without
inertia that hangs from the fixed frame, so formulas may name it and efforts act on it. The formalism derives the
equations of that tree, over (q; ρ). With (q; ρ)' = J q' + (0; ∂f/∂t) and b = (0; f'' at q'' = 0), J = [1; ∂f/∂q]::

    M' = Jᵀ M J ,   h' = Jᵀ (h + M b) ,   Q' = Jᵀ Q

and ρ = f, ρ' = f', ρ'' = f'' are substituted, which gives equations in the model's coordinates. All these formalisms
share this step; those that take ``mapped_motion`` themselves, and the direct witness, do not. Rows D (q; ρ)'' + γ̃ = 0
of constraints become D J and γ̃ + D b; the formalism solves their motion in joint coordinates, with rows ρ - f = 0.

Words of formulas that name a motion of a point (``vx(here)``) are replaced before that: each formalism puts its own
expressions for motions of points in their place, then derives as always.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property, wraps
from typing import Any, Final

import numpy as np

from mbconcord.model.body import Body
from mbconcord.model.constraint import Holonomic
from mbconcord.model.coordinate import Coordinate
from mbconcord.model.derivation import Assignment, Derivation, Lazy, Nested, Obstacle, Stage, flatten
from mbconcord.model.diagnostics import Diagnostic, FormalismError, error
from mbconcord.model.evaluation import ConstrainedMotion, Evaluation, at_states, evaluate_derivation
from mbconcord.model.expressions import (
    ONE,
    TIME,
    ZERO,
    Expression,
    directional,
    jacobian,
    rate,
    symbol,
    time_derivative,
)
from mbconcord.model.expressions.calculus import Substitution
from mbconcord.model.features import has_maps, is_mapped
from mbconcord.model.force import Point
from mbconcord.model.functions import define
from mbconcord.model.joint_forces import COMPONENTS, JOINT_FORCES, ConstrainedForces, list_jointed_bodies
from mbconcord.model.kinematics import PointMotion, put_in_words
from mbconcord.model.naming import Namer
from mbconcord.model.notation.listing import ReportSection, Walker
from mbconcord.model.numbers import Instance, bind_states
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.model.transformation import Mapped, Variable, translation

from .interface import CHANGED, Formalism

MAPPED: Final = "mapped_motion"
WORDED: Final = "kinematic_words"
#: What formalisms say of rows that depend on each other.
RANK: Final = re.compile(r"the rank is (\d+) of (\d+) rows")


class JointCoordinates:
    """The tree of a model in coordinates of its joints (q; ρ), and the change from these to the model's coordinates."""

    def __init__(self, system: System) -> None:
        self.system = system
        namer = Namer({*system.names, *system.places})
        self.maps: dict[str, Expression] = {}
        self.places: list[str] = []
        bodies = []
        for body in system.bodies:
            joint = []
            for i, et in enumerate(body.joint):
                if isinstance(et.motion, Mapped):
                    self.places.append(f"bodies/{body.name}/joint/{i}")
                    name = namer.fresh(f"rho{len(self.maps) + 1}")
                    self.maps[name] = et.motion.value
                    et = replace(et, motion=Variable(name))
                joint.append(et)
            bodies.append(replace(body, joint=tuple(joint)))
        alone = {*system.coordinate_names} - {x for body in system.bodies for x in (*body.coordinates, *body.modal)}
        hung = [name for name in system.coordinate_names if name in alone]
        self.hung = [namer.fresh(f"{name}_alone") for name in hung]
        bodies += [Body(b, None, (translation("x", name),)) for b, name in zip(self.hung, hung, strict=True)]
        coordinates = (*system.coordinates, *map(Coordinate, self.maps))
        self.inner = replace(system, bodies=tuple(bodies), coordinates=coordinates)
        self._namer = namer

    @cached_property
    def rows(self) -> dict[str, str]:
        """Names of the rows ρ - f = 0, each with the place of its map in the model."""
        return {self._namer.fresh(f"map of {name}"): place for name, place in zip(self.maps, self.places, strict=True)}

    @cached_property
    def closed(self) -> System:
        """The tree with constraints: first the rows ρ - f = 0, then the model's own constraints."""
        maps = [symbol(name) - value for name, value in self.maps.items()]
        rows = [Holonomic(name, value) for name, value in zip(self.rows, maps, strict=True)]
        return replace(self.inner, constraints=(*rows, *self.inner.constraints))

    @cached_property
    def slopes(self) -> list[list[Expression]]:
        """Derivatives of the maps by the model's coordinates (k×n)."""
        return jacobian(self.maps.values(), [symbol(name) for name in self.system.coordinate_names])

    @cached_property
    def drift(self) -> list[Expression]:
        """Second derivatives of the maps by time where q'' = 0 (k)."""
        q, v = ([make(name) for name in self.system.coordinate_names] for make in (symbol, rate))
        flow = {TIME: ONE, **dict(zip(q, v, strict=True))}
        return directional(directional(self.maps.values(), flow), flow)

    @cached_property
    def put(self) -> Substitution:
        """Substitution of maps f, f', f'' for the coordinates ρ, ρ', ρ'' of joints."""
        names, maps = self.system.coordinate_names, [*self.maps.values()]
        rates = time_derivative(maps, names)
        found: dict[Expression, Expression] = {}
        for i, name in enumerate(self.maps):
            second = sum((x * rate(q, 2) for x, q in zip(self.slopes[i], names, strict=True)), self.drift[i])
            found |= {symbol(name): maps[i], rate(name): rates[i], rate(name, 2): second}
        return Substitution(found)

    def project(self, row: Sequence[Expression]) -> tuple[Expression, ...]:
        """Return row · J for a row over (q; ρ), which is Jᵀ · column for a column."""
        n = len(self.system.coordinates)
        return tuple(
            sum((x * slope[j] for x, slope in zip(row[n:], self.slopes, strict=True)), row[j]) for j in range(n)
        )

    def add_drift(self, row: Sequence[Expression], start: Expression = ZERO) -> Expression:
        """Return start + row · b for a row over (q; ρ)."""
        n = len(self.system.coordinates)
        return sum((x * b for x, b in zip(row[n:], self.drift, strict=True)), start)

    def change(self, made: Derivation) -> Derivation:
        """Change a derivation of the tree from joint coordinates to the model's coordinates."""
        given, n = made.quantities, len(self.system.coordinates)

        def vector_of(name: str) -> tuple[Expression, ...]:
            return tuple(self.put.apply(given[name]))  # type: ignore[arg-type]

        @cache
        def M() -> tuple[tuple[Expression, ...], ...]:
            return tuple(tuple(self.put.apply(row)) for row in given["M"])  # type: ignore[union-attr, arg-type]

        def mass() -> Nested:
            half = [self.project(row) for row in M()]  # M J
            columns = list(zip(*half, strict=True))
            upper = [self.project(column) for column in columns]  # row j: (M J)ᵀ_j J
            return tuple(tuple(upper[min(i, j)][max(i, j)] for j in range(n)) for i in range(n))

        def bias() -> Nested:
            return self.project([self.add_drift(row, x) for row, x in zip(M(), vector_of("h"), strict=True)])

        makers: dict[str, Any] = {"M": mass, "h": bias}
        for name in ("gravity", "applied", "inverse_dynamics"):
            makers[name] = lambda name=name: self.project(vector_of(name))
        quantities = {name: make() for name, make in makers.items() if name in given}
        native: dict[str, Nested] | Lazy = {}
        indices: dict[str, tuple[tuple[str, ...], ...]] = {}
        if JOINT_FORCES in made.native:
            jointed = list_jointed_bodies(self.system)
            native = Lazy({JOINT_FORCES: lambda: self.put_rows(made.native[JOINT_FORCES])[: len(jointed)]})
            indices[JOINT_FORCES] = (jointed, COMPONENTS)
        if made.rows:
            D = self.put_rows(made.native["D"])
            rest = [self.add_drift(row, x) for row, x in zip(D, *self.put_rows([made.native["γ̃"]]), strict=True)]
            native = Lazy({}) | native | {"D": tuple(map(self.project, D)), "γ̃": tuple(rest)}
            if "γ" in made.native:
                native |= {"γ": self.put_rows([made.native["γ"]])[0]}
        place = next(f"bodies/{body.name}/joint" for body in self.system.bodies if is_mapped(body.joint))
        notes = (*self.leave_hung(made.notes), Diagnostic("note", place, CHANGED))
        return Derivation(made.formalism, self.system, quantities, self.stages(made), native, notes, made.rows, indices)

    def move(self, states: Sequence[State]) -> Instance:
        """Return the states with joint coordinates and their rates added; known ranks grow by the number of maps."""
        names, k = self.system.coordinate_names, len(self.maps)
        given = bind_states(self.system, states)
        roots = define([*self.maps.values(), *time_derivative([*self.maps.values()], names)], self.system.functions)
        numbers = np.split(at_states(roots, given.values, len(given)), [k], axis=1)
        q, v = ([dict(zip(self.maps, x, strict=True)) for x in part.tolist()] for part in numbers)
        moved = [replace(s, q={**s.q, **q[i]}, v={**s.v, **v[i]}) for i, s in enumerate(given)]
        made = Instance(self.closed, moved)
        return made if given.ranks is None else made.with_ranks(given.ranks + k)

    def read_motion(self, own: ConstrainedMotion, whole: Derivation, states: Sequence[State]) -> ConstrainedMotion:
        """Convert the motion ``own`` from joint coordinates to the model's; ``whole`` are the model's equations."""
        n, k, given = len(self.system.coordinates), len(self.maps), bind_states(self.system, states)
        kept = [i for i, row in enumerate(own.rows) if row not in self.rows]
        tree = evaluate_derivation(replace(whole, native={}, rows=()), given)
        roots = define([*flatten(whole.native["D"]), *flatten(whole.native["γ̃"])], self.system.functions)
        numbers, m = at_states(roots, given.values, len(given)), len(kept)
        q, acceleration = tree.quantities, own.acceleration[:, :n]
        reactions = np.einsum("sij,sj->si", q["M"], acceleration) + q["h"] - q["gravity"] - q["applied"]
        redundant = tuple(tuple(row for row in rows if row not in self.rows) for rows in own.redundant)

        def count_own(found: re.Match[str]) -> str:
            return f"the rank is {int(found[1]) - k} of {int(found[2]) - k} rows"

        said = [replace(d, message=RANK.sub(count_own, d.message)) for d in own.diagnostics]
        return ConstrainedMotion(
            tree, tuple(own.rows[i] for i in kept), acceleration, own.multipliers[:, kept], reactions,
            numbers[:, : m * n].reshape(-1, m, n), numbers[:, m * n :], own.rank - k, redundant, tuple(said),
        )  # fmt: skip

    def put_rows(self, rows: Any) -> tuple[tuple[Expression, ...], ...]:
        """Substitute the maps for the joint coordinates in rows of expressions."""
        return tuple(tuple(self.put.apply(row)) for row in rows)

    def stages(self, made: Derivation) -> tuple[Stage, ...]:
        """Return the stages with the maps substituted, after a first stage that defines the maps and their rates."""
        values = self.put.apply([x for name in self.maps for x in (symbol(name), rate(name))])
        names = [text for name in self.maps for text in (name, f"{name}_rate")]
        namer = Namer({*self.system.names, *(a.name for a in made.assignments)})
        title = "coordinates of joints, and their rates"
        first = Stage("maps", title, namer.assignments(zip(names, values, strict=True)))
        known, found = {a.expression for a in first.assignments}, [first] if first.assignments else []
        for stage in made.stages:
            kept = []
            for a, x in zip(stage.assignments, self.put.apply([a.expression for a in stage.assignments]), strict=True):
                if x.args and not x.constant and x not in known:  # what the maps made equal has its name
                    kept.append(Assignment(a.name, x))
                    known.add(x)
            if kept:
                found.append(Stage(stage.name, stage.title, tuple(kept)))
        return tuple(found)

    def leave_hung(self, notes: Sequence[Diagnostic]) -> Iterator[Diagnostic]:
        """Yield the notes except those about auxiliary bodies, which the model does not have."""
        return (note for note in notes if not any(f"/{name}" in f"{note.place}" for name in self.hung))

    def motion(self, k: PointMotion) -> PointMotion:
        """Change a point's motion to the model's coordinates: its Jacobian J_p becomes J_p J, its bias a + J_p b."""
        J = [self.put.apply(row) for row in k.J]
        a0, e0 = (self.put.apply(x) for x in (k.a0, k.e0))
        bias = [self.add_drift(row, x) for row, x in zip(J, (*a0, *e0), strict=True)]
        R, r, v, w = self.put_rows(k.R), *(tuple(self.put.apply(x)) for x in (k.r, k.v, k.w))
        return PointMotion(R, r, v, w, tuple(map(self.project, J)), tuple(bias[:3]), tuple(bias[3:]))  # type: ignore[arg-type]


class MappedFormalism(Formalism):
    """A formalism that derives models with maps in joint coordinates; :func:`change_maps` adds it to a formalism."""

    def obstacles(self, system: System) -> tuple[Obstacle, ...]:
        """List the obstacles; for a model with maps, the obstacles of its tree in joint coordinates."""
        if not has_maps(system):
            return super().obstacles(system)
        return super().obstacles(JointCoordinates(system).inner)

    def derive(self, system: System) -> Derivation:
        """Derive the equations of motion; for a model with maps, by the change of coordinates."""
        if not has_maps(system):
            return super().derive(system)  # type: ignore[safe-super]
        self.require(system)
        made = JointCoordinates(system)
        return made.change(super().derive(made.inner))  # type: ignore[safe-super]

    def constraint_obstacles(self, system: System) -> tuple[Obstacle, ...]:
        """List the obstacles to motion with constraints; for a model with maps, the obstacles in joint coordinates."""
        if not has_maps(system):
            return super().constraint_obstacles(system)
        made = JointCoordinates(system)
        places = {f"constraints/{row}": place for row, place in made.rows.items()}
        found = []
        for o in super().constraint_obstacles(made.closed):
            at = places.get(o.place)
            found.append(Obstacle(at, o.feature, f"a map beside constraints is a row: {o.reason}") if at else o)
        return tuple(dict.fromkeys(found))

    def derive_closed(self, system: System) -> Derivation | None:
        """Derive equations of motion and constraints; for a model with maps, by the change of coordinates."""
        if not has_maps(system):
            return super().derive_closed(system)
        self.require_constraints(system)
        made = JointCoordinates(system)
        found = super().derive_closed(made.inner)
        return found and made.change(found)

    def constrained_motion(self, system: System, states: Sequence[State]) -> ConstrainedMotion | None:
        """Solve the motion with constraints; for a model with maps, in joint coordinates with ρ - f = 0 as rows."""
        if not has_maps(system):
            return super().constrained_motion(system, states)
        return self._solve(system, states, self.derive_closed(system))

    def solve_closed(
        self, system: System, states: Sequence[State], tree: Derivation | None = None
    ) -> tuple[ConstrainedMotion | None, Derivation | None]:
        """Return the constrained motion and the model's equations, derived once for both."""
        if not has_maps(system):
            return super().solve_closed(system, states, tree)
        whole = self.derive_closed(system)
        return self._solve(system, states, whole), whole

    def _solve(self, system: System, states: Sequence[State], whole: Derivation | None) -> ConstrainedMotion | None:
        if whole is None:
            return None
        made = JointCoordinates(system)
        own = super().constrained_motion(made.closed, made.move(states))
        return own and made.read_motion(own, whole, states)

    def constrained_forces(
        self, system: System, states: Sequence[State], tree: Derivation | None = None
    ) -> ConstrainedForces | None:
        """Compute forces at the cuts and in the joints of a system with constraints."""
        if not has_maps(system):
            return super().constrained_forces(system, states, tree)
        made, n, jointed = JointCoordinates(system), len(system.coordinates), len(list_jointed_bodies(system))
        own = super().constrained_forces(made.closed, made.move(states))
        return own and ConstrainedForces(own.acceleration[:, :n], own.at_cuts, own.at_joints[:, :jointed])

    def derive_asked(self, system: System, names: Collection[str]) -> Derivation:
        """Derive at least what the named quantities need; for a model with maps, all equations."""
        return self.derive_whole(system) if has_maps(system) else super().derive_asked(system, names)

    def listing(self, system: System) -> Derivation:
        """Return the equations as the paper prints them; for a model with maps, the derivation itself."""
        return self.derive_whole(system) if has_maps(system) else super().listing(system)

    def sections(self, derivation: Derivation) -> tuple[ReportSection, ...]:
        """Return the sections of a report; none for a model with maps, as their notation is of joint coordinates."""
        return () if has_maps(derivation.system) else super().sections(derivation)

    def notes(self, system: System) -> tuple[Diagnostic, ...]:
        """List notes about places of the model, without those about auxiliary bodies of the change."""
        if not has_maps(system):
            return super().notes(system)
        made = JointCoordinates(system)
        return tuple(made.leave_hung(super().notes(made.inner)))

    def evaluate(self, system: System, states: Sequence[State]) -> Evaluation:
        """Evaluate the canonical quantities at states."""
        if has_maps(system):
            return evaluate_derivation(self.derive(system), states)
        return super().evaluate(system, states)

    def divide(self, system: System, groups: Mapping[str, Sequence[str]]) -> Derivation:
        """Divide the equations into groups of coordinates; a model with maps is refused."""
        if has_maps(system):
            raise FormalismError(error("subsystems", f"{self.name} divides no equations of models with maps"))
        return super().divide(system, groups)

    def joint_forces(self, system: System) -> tuple[tuple[Expression, ...], ...] | None:
        """Derive the forces in the joints of a tree."""
        if not has_maps(system):
            return super().joint_forces(system)
        made = JointCoordinates(system)
        found = super().joint_forces(made.inner)
        return found and made.put_rows(found)[: len(list_jointed_bodies(system))]

    def walker(self, system: System, legs: int | None = None) -> Walker | None:
        """Derive the moments of a walking machine; a model with maps is refused."""
        if has_maps(system):
            raise FormalismError(error("bodies", f"{self.name} takes no walking machine with maps of coordinates"))
        return super().walker(system, legs)

    def motions(self, system: System, points: Sequence[Point]) -> tuple[PointMotion, ...] | None:
        """Derive the motion of points."""
        if not has_maps(system):
            return super().motions(system, points)
        made = JointCoordinates(system)
        found = super().motions(made.inner, points)
        return found and tuple(map(made.motion, found))


def change_maps(own: type[Formalism]) -> type[Formalism]:
    """Return a subclass with the change of coordinates added; the class itself if it takes maps of coordinates.

    Optional methods that the formalism does not override stay those of :class:`Formalism`.
    """
    if MAPPED in own.takes:
        return own
    optional = (
        "constrained_forces", "constrained_motion", "derive_closed", "divide", "evaluate", "joint_forces", "motions",
        "walker",
    )  # fmt: skip
    missing = {name: getattr(Formalism, name) for name in optional if getattr(own, name) is getattr(Formalism, name)}
    said = {"takes": own.takes | {MAPPED}, "__module__": own.__module__, "__doc__": own.__doc__}
    return type(own.__name__, (MappedFormalism, own), {**missing, **said})


#: Entry points that read formulas of forces, before which the words are replaced where the formalism has its own.
_ENTRIES: Final = (
    "derive", "derive_asked", "derive_closed", "listing", "divide", "joint_forces", "constrained_motion",
    "solve_closed", "constrained_forces", "evaluate",
)  # fmt: skip
#: Those that open joints, which would move the points too, whoever has them.
_OPENING: Final = ("forces_in_joints", "forces_with_constraints")


def take_words(own: type[Formalism]) -> type[Formalism]:
    """Return a subclass that replaces words by its motions of points before deriving; itself if it has no motions."""
    if own.motions is Formalism.motions:
        return own
    entries = [name for name in _ENTRIES if getattr(own, name) is not getattr(Formalism, name)]
    made = {name: _replace_words_before(getattr(own, name)) for name in (*entries, *_OPENING)}

    def sections(self: Formalism, derivation: Derivation) -> tuple[ReportSection, ...]:
        """Return the sections of a report, after replacing words of the model by motions of points."""
        return own.sections(self, replace(derivation, system=put_in_words(derivation.system, self.motions)))

    said = {"takes": own.takes | {WORDED}, "__module__": own.__module__, "__doc__": own.__doc__, "sections": sections}
    return type(own.__name__, (own,), {**made, **said})


def _replace_words_before(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that first replaces words of its model; derivations it returns still name the given model."""

    @wraps(method)
    def entry(self: Formalism, system: System, *given: Any, **named: Any) -> Any:
        made = put_in_words(system, self.motions)
        found = method(self, made, *given, **named)
        if made is system:
            return found
        parts = found if isinstance(found, tuple) else (found,)
        back = tuple(replace(x, system=system) if isinstance(x, Derivation) else x for x in parts)
        return back if isinstance(found, tuple) else back[0]

    return entry
