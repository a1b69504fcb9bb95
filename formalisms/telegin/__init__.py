"""Telegin's equations of augmented bodies: planar linkages in eight forms, closed ones, trees in space.

The spatial form's sweeps as steps of links: its functions, called once for each kind of link with symbols.

Memory of a link: ω, ε, a and u of its motion; m, s and J of its augmented body, to which carried links add theirs; P
and N of the inward sweep, which begin at zero. All but u are in the link's own axes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain

from mbconcord.formalisms.interface import Formalism
from mbconcord.model import State, System
from mbconcord.model.derivation import Derivation, Lazy, Obstacle
from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.model.evaluation import ConstrainedMotion, evaluate_derivation
from mbconcord.model.expressions import Expression
from mbconcord.model.mixed import find_imposed_accelerations
from mbconcord.model.notation.listing import LinkageForces
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
from mbconcord.model.transformation import AXES, Vector
from mbconcord.model.transformation import Kind as Moves

from . import planarity
from .linkage import LEAVES, Leaves
from .loads import Loads, Places
from .planarity import NAME, PLANAR, SPATIAL, TAKES, form_obstacles
from .spatial import Motion, compute_inertial_wrench, driven, propagate_motion, transmit_wrench
from .stages import SpatialEquations
from .tree import Augmented, Link, add_child, add_sliding_child, alone, tree
from .vectors import NULL, E, Matrix, plus

SIX = ("xx", "yy", "zz", "xy", "xz", "yz")
#: Where the six of a symmetric matrix stand among its rows.
PLACES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
VECTORS = {name: tuple(f"{name}_{i}" for i in "xyz") for name in ("ω", "ε", "a", "u", "s", "P", "N")}
BODY = {"m": ("m",), "J": tuple(f"J_{i}" for i in SIX)}

#: Kind of motion, number of its axis (None: any), whether the axes are turned at q = 0, whether it is prescribed.
Key = tuple[Moves, int | None, bool, bool]
COORDINATE_AXES = tuple(AXES.values())


def recursion(name: str, system: System) -> Recursion:
    """Build inverse dynamics of an open tree as a recursion, under the formalism's name."""
    made = tree(system)
    kinds: dict[Key, int] = {}
    links = []
    place = {coordinate: i for i, coordinate in enumerate(system.coordinate_names)}
    for link in made.links.values():
        axis = COORDINATE_AXES.index(link.axis) if link.axis in COORDINATE_AXES else None
        key = link.kind, axis, link.setting != E, link.coordinate is None
        motion = None if link.coordinate else (link.q, link.rate, link.acceleration)
        coordinate = place[link.coordinate] if link.coordinate else None
        kind = kinds.setdefault(key, len(kinds))
        links.append(Steps(kind, link.base - 1, coordinate, motion, tuple(_numbers(link, key))))
    ground = {slot: -g for slot, g in zip(VECTORS["a"], system.gravity_vector, strict=True)}
    efforts = tuple(Loads(system, made, Places(made)).efforts.values())
    found = tuple(kind_of(*key) for key in kinds)
    return Recursion(name, VECTORS | BODY, (False, True), found, tuple(links), ground, efforts)


def _numbers(link: Link, key: Key) -> Iterator[Expression]:
    """Yield the numbers that distinguish a link from others of its kind."""
    _, axis, turned, _ = key
    yield from (link.mass, *link.moment, *_six(link.tensor), *link.offset)
    if axis is None:
        yield from link.axis
    if turned:
        yield from chain.from_iterable(link.setting)


@cache
def kind_of(moves: Moves, axis: int | None, turned: bool, prescribed: bool) -> LinkKind:
    """Build the recursion steps for links of one kind."""
    count = 13 + (3 if axis is None else 0) + (9 if turned else 0)
    given = iter([number_of(i) for i in range(count)])

    def triple() -> Vector:
        return next(given), next(given), next(given)

    mass, moment = next(given), triple()
    tensor = _square([next(given) for _ in SIX])
    offset = triple()
    n = triple() if axis is None else COORDINATE_AXES[axis]
    setting = (triple(), triple(), triple()) if turned else E
    link = Link(
        1, moves, n, setting, offset, AMOUNT, RATE, ACCELERATION, None if prescribed else "q", "", mass, moment, tensor
    )  # fmt: skip
    words = (
        f"{moves}, axis {'any' if axis is None else 'xyz'[axis]}",
        "turned" if turned else "",
        "prescribed" if prescribed else "",
    )
    return LinkKind(", ".join(filter(None, words)), count, (_outward(link), _inward(link)))


def _outward(link: Link) -> RecursionStep:
    """Compute a link's motion, and its augmented body before carried links are added; its P and N start at zero."""
    now = propagate_motion(link, _motion(carrier), link.acceleration)
    found = {"ω": now.omega, "ε": now.epsilon, "a": now.a, "u": now.u, "P": NULL, "N": NULL}
    return RecursionStep(_vectors(found) | _of_body(alone(link)))


def _inward(link: Link) -> RecursionStep:
    """Add a link's own wrench to that of the links it carries, pass the sum to its base, augment the base's body."""
    body, motion = _body(own), _motion(own)
    P, N = compute_inertial_wrench(body, motion)
    P, N = plus(_vector(own, "P"), P), plus(_vector(own, "N"), N)
    p, _, turning = transmit_wrench(link, body.m, motion.u, P, NULL, N)
    base = add_child(_body(carrier), body.m, link)
    base = base if link.turns else add_sliding_child(base, body.m, link)
    passed = {"P": plus(_vector(carrier, "P"), p), "N": plus(_vector(carrier, "N"), turning)}
    return RecursionStep({}, _vectors(passed) | _of_body(base), driven(link, body, motion, P, NULL, N))


Whose = Callable[[str], Expression]


def _vector(whose: Whose, name: str) -> Vector:
    x, y, z = map(whose, VECTORS[name])
    return x, y, z


def _motion(whose: Whose) -> Motion:
    return Motion(*(_vector(whose, name) for name in ("ω", "ε", "a", "u")))


def _body(whose: Whose) -> Augmented:
    return Augmented(whose("m"), _vector(whose, "s"), _square([whose(slot) for slot in BODY["J"]]))


def _vectors(found: dict[str, Vector]) -> dict[str, Expression]:
    return {slot: x for name, v in found.items() for slot, x in zip(VECTORS[name], v, strict=True)}


def _of_body(body: Augmented) -> dict[str, Expression]:
    tensor = dict(zip(BODY["J"], _six(body.J), strict=True))
    return {"m": body.m} | _vectors({"s": body.s}) | tensor


def _six(T: Matrix) -> tuple[Expression, ...]:
    return tuple(T[i][k] for i, k in PLACES)


def _square(six: list[Expression]) -> Matrix:
    xx, yy, zz, xy, xz, yz = six
    return (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)


#: All forms by name.
FORMS = (*PLANAR, SPATIAL)
#: The form of planar linkages when none is asked for.
PLANAR_DEFAULT = "relative-recurrent"
#: Why a closed linkage whose drives impose accelerations is not taken.
DRIVEN = "telegin's equations of closed linkages have forces of drives, and no row for an acceleration that one imposes"


class Telegin(Formalism):
    """Telegin's equations of motion with augmented bodies, in one of nine forms.

    Parameters
    ----------
    form : name in :data:`FORMS`, or None
        None: ``relative-recurrent`` for a planar linkage of single revolute joints, because it gives M and h
        in the relative coordinates at once, with the fewest operations of the forms that do (benchmark
        ``forms``); ``spatial`` for every other tree, because it alone takes them.
    leaves : "components" or "angles"
        How the planar forms compute J^c, J^s and G: as products of components, with two trigonometric functions
        per link; or literally, with cos α_ij and sin α_ij of every pair of links.

    Raises
    ------
    MbconcordError
        There is no such form, or no such kind of leaves.
    """

    name = NAME
    title = "Augmented bodies: Telegin's write-out algorithms"
    reference = "Telegin & Kaygorodtsev 2010, eqs. (1)-(25); extended to prismatic joints and to space"
    takes = TAKES
    forms = FORMS
    forms_agree = True

    def __init__(self, form: str | None = None, leaves: Leaves = "components") -> None:
        for what, value, known in (("form", form, FORMS), ("leaves", leaves, LEAVES)):
            if value is not None and value not in known:
                raise MbconcordError(error(what, f"there is no {what} {value!r}", f"known: {', '.join(known)}"))
        self.form = form
        self.leaves = leaves

    def obstacles(self, system: System) -> tuple[Obstacle, ...]:
        """List the obstacles of the form to this model: :func:`.obstacles.form_obstacles`."""
        return form_obstacles(system, self.form)

    def constraint_obstacles(self, system: System) -> tuple[Obstacle, ...]:
        """List obstacles to constrained motion: loops must be planar linkages of revolute and sliding joints."""
        found = self.obstacles(system.open_loops())
        if not system.constraints:
            return found
        from .closed import motion  # not before: most models have no constraints

        driven = (
            Obstacle(f"coordinates/{n}/drive", "motion_drives", DRIVEN) for n in find_imposed_accelerations(system)
        )
        return tuple(dict.fromkeys((*found, *motion.obstacles(system), *driven)))

    def constrained_motion(self, system: System, states: Sequence[State]) -> ConstrainedMotion | None:
        """Solve for accelerations and reactions of a closed planar linkage: the vector form (20) with cut joints.

        Its open tree's quantities are those of the requested form. None without constraints.
        """
        if not system.constraints:
            return None
        self.require_constraints(system)
        return _solve_states(system, self.derive(system.open_loops()), states)

    def solve_closed(
        self, system: System, states: Sequence[State], tree: Derivation | None = None
    ) -> tuple[ConstrainedMotion | None, Derivation | None]:
        """Return the constrained motion and the equations, from one open tree; (None, None) without constraints."""
        if not system.constraints:
            return None, None
        self.require_constraints(system)
        tree = tree or self.derive(system.open_loops())
        return _solve_states(system, tree, states), _close_tree(system, tree)

    def linkage_forces(
        self, system: System, states: Sequence[State], driven: Sequence[str] = ()
    ) -> LinkageForces | None:
        """Compute drives, reactions and joint forces of a closed planar linkage; None without constraints."""
        from .closed.forces import linkage_forces  # not before: most models have no constraints

        if not system.constraints:
            return None
        self.require_constraints(system)
        return linkage_forces(system, evaluate_derivation(self.derive(system.open_loops()), states), states, driven)

    def derive_closed(self, system: System) -> Derivation | None:
        """Derive the open tree's equations with the cut joints, natively ``D`` (2c×n) and ``γ̃`` (2c).

        None without constraints: drives of a tree have no rows of cut joints.
        """
        if not system.constraints:
            return None
        self.require_constraints(system)
        return _close_tree(system, self.derive(system.open_loops()))

    def form_of(self, system: System) -> str:
        """Return the form by which the model is derived."""
        if self.form is not None:
            return self.form
        planar_too = system.coordinates and not form_obstacles(system, PLANAR_DEFAULT)
        return PLANAR_DEFAULT if planar_too else SPATIAL

    def derive(self, system: System) -> Derivation:
        """Derive the canonical quantities; ``inverse_dynamics`` is the form's own equation with q'' as symbols.

        ``native`` has H, h, S, G, MΔ of the matrix form, or static moments m̄, their second derivatives P and joint
        moments N of the spatial form, in link axes; and ``r``, the origins of the bodies' frames in fixed axes (m).

        Identity: inverse_dynamics = M q'' + h - gravity - applied; all forms give the same.
        """
        self.require(system)
        lumped, form = system.lump_masses(), self.form_of(system)
        if form == SPATIAL:
            return SpatialEquations(lumped).derivation(self.name, system)
        return planarity.derive(self.name, system, lumped, form, self.leaves)

    def listing(self, system: System) -> Derivation:
        """Return equations in the paper's notation for a planar linkage (closed: with F_r), else the derivation.

        Closed linkages use the vector form (20) unless another is chosen. The paper has no imposed accelerations:
        for a linkage with them, the derivation is returned.
        """
        from .closed.relative import sliding  # not before: most models have no constraints
        from .written.lists import (
            listing,  # not before: it is seldom asked for
            prepare_given,  # not before: it is seldom asked for
        )

        self.require_constraints(system)
        if system.constraints and sliding(system):
            return self.derive_whole(system)
        form = self.form or ("matrix" if system.constraints else self.form_of(system))
        if form == SPATIAL or find_imposed_accelerations(system):
            return self.derive_whole(system)
        return listing(self.name, prepare_given(system), form)

    def recursion(self, system: System) -> Recursion:
        """Return the sweeps of the spatial form as recursion steps, for planar linkages too."""
        pass  # not before: equations need none

        self.require_steps(system)
        return recursion(self.name, system)

    def joint_forces(self, system: System) -> tuple[tuple[Expression, ...], ...]:
        """Derive the forces in the joints of a tree by the spatial form, for planar linkages too."""
        self.require(system)
        return SpatialEquations(system.lump_masses()).joint_forces

    def inverse_dynamics(self, system: System) -> tuple[Expression, ...]:
        """Derive inverse dynamics alone by the spatial form, for planar linkages too: time linear in the links."""
        self.require(system)
        return SpatialEquations(system.lump_masses()).inverse_dynamics


def _solve_states(system: System, tree: Derivation, states: Sequence[State]) -> ConstrainedMotion:
    """Compute the motion of a closed linkage from the equations of its open tree."""
    from .closed import motion  # not before: most models have no constraints
    from .closed.relative import sliding  # not before: most models have no constraints

    solve = motion.relative_motion if sliding(system) else motion.constrained_motion
    return solve(system, evaluate_derivation(tree, states), states)


def _close_tree(system: System, tree: Derivation) -> Derivation:
    """Add the rows of the cut joints to the open tree's equations."""
    from .closed import motion  # not before: most models have no constraints
    from .closed.dynamics import ClosedLinkage  # not before: most models have no constraints
    from .closed.relative import RelativeLinkage, sliding  # not before: most models have no constraints

    if sliding(system):
        relative = RelativeLinkage(system)
        return replace(tree, system=system, native={**tree.native, **relative.native()}, rows=relative.rows)
    linkage = ClosedLinkage(system)
    native = Lazy({}) | tree.native | motion.rows(linkage)
    return replace(tree, system=system, native=native, rows=linkage.loops.names)


__all__ = ["FORMS", "Telegin"]
