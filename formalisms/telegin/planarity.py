"""Planar linkages among trees, and their projection onto the plane of motion.

Obstacles of all forms, and of each form alone.

The planar forms as derivations in the coordinates of a system.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from math import inf
from typing import Final

from mbconcord.formalisms.interface import features_refused
from mbconcord.model import System
from mbconcord.model.derivation import Derivation, Lazy, Nested, Obstacle
from mbconcord.model.expressions import MINUS_ONE, ONE, ZERO, Expression, evaluate, evaluate_float, sqrt, symbols
from mbconcord.model.features import OPEN_TREES
from mbconcord.model.transformation import Vector
from mbconcord.records import dataclass

from .forms.equations import Equations
from .linkage import Leaves, Linkage, PlanarBody, PlanarLoad, PlanarMotion, Topology
from .loads import Loads, Places
from .plane import Pair
from .stages import planar_stages
from .tree import Tree, augment_links, tree
from .vectors import apply, cross, dot, times

#: A constant smaller than this is zero: components of axes that constant rotations should make parallel.
ROUNDING = 1e-14


def obstacles(system: System, tree: Tree, form: str) -> Iterator[Obstacle]:
    """Yield the obstacles of a planar form to a tree: it needs single revolute joints with parallel axes."""
    normal: Vector | None = None
    axes = fixed_axes(tree)
    told = next((axis for k, axis in axes.items() if tree.links[k].turns and all(c.constant for c in axis)), None)
    fits = dict(zip(axes, vanish(cross(told, axis) for axis in axes.values()), strict=True)) if told else {}
    for body in system.bodies:
        place = f"bodies/{body.name}/joint"
        all_own = {k: link for k, link in tree.links.items() if link.body == body.name}
        own = {k: link for k, link in all_own.items() if link.coordinate}
        if len(own) < len(all_own):
            yield Obstacle(place, "prescribed_motion", f"the form {form} takes no prescribed motion")
        if len(own) > 1:
            reason = f"the form {form} is for single revolute joints; this one has {len(own)} coordinates"
            yield Obstacle(place, "joints of several coordinates", reason)
        for k, link in own.items():
            if not link.turns:
                reason = f"the form {form} is for revolute joints; this one is prismatic"
                yield Obstacle(place, "prismatic joints", reason)
            elif normal is None and not all(c.constant for c in axes[k]):
                reason = (
                    f"the form {form} is for a plane that no parameter turns; {name_parameters(axes[k])} turns "
                    f"this axis"
                )
                yield Obstacle(place, "motion in space", reason)
            elif normal is None:
                normal = axes[k]
            elif not (fits[k] if normal is told else parallel(normal, axes[k])):
                reason = f"the form {form} is for parallel axes; this one has another direction"
                yield Obstacle(place, "motion in space", reason)


def name_parameters(axis: Vector) -> str:
    """Name the parameters on which an axis depends."""
    return ", ".join(sorted(symbols(axis)))


def fixed_axes(tree: Tree) -> dict[int, Vector]:
    """Return the joints' axes, by link number, in fixed axes when all coordinates are zero."""
    return {k: apply(tree.initial[k], link.axis) for k, link in tree.links.items()}


def parallel(a: Vector, b: Vector) -> bool:
    """Return True if two unit vectors are parallel for all values of parameters."""
    return all(vanishes(x) for x in cross(a, b))


def vanishes(x: Expression) -> bool:
    """Return True if an expression is zero, or a constant that is zero up to rounding."""
    if not x.constant:
        return False
    return x is ZERO or abs(evaluate_float(x, {})) < ROUNDING


def vanish(groups: Iterable[Iterable[Expression]]) -> list[bool]:
    """Return for each group of expressions whether all of them vanish; one evaluation serves all groups."""
    rows = [list(group) for group in groups]
    some = [x for row in rows for x in row if x.constant and x is not ZERO]
    sizes = dict(zip(some, map(abs, evaluate(some, {})), strict=True))
    return [all(x is ZERO or sizes.get(x, inf) < ROUNDING for x in row) for row in rows]


@dataclass(frozen=True)
class Plane:
    """The plane of motion: x and y axes with x × y = n, the normal towards the observer, fixed axes."""

    x: Vector
    y: Vector
    n: Vector

    def project(self, v: Vector) -> Pair:
        """Return the components in the plane."""
        return dot(self.x, v), dot(self.y, v)

    def sense(self, axis: Vector) -> Expression:
        """Return 1 if an axis has the direction of the normal, -1 if the opposite."""
        return ONE if evaluate_float(dot(axis, self.n), {}) > 0 else MINUS_ONE


def is_fixed(n: Vector) -> bool:
    """Return True if a unit vector is along a fixed axis."""
    return all(vanishes(c) or vanishes(c - 1) or vanishes(c + 1) for c in n)


def plane(n: Vector) -> Plane:
    """Return the plane with this normal, up to its sign, with fixed axes where possible."""
    if is_fixed(n):
        i = next(i for i in range(3) if not vanishes(n[i]))
        units: tuple[Vector, ...] = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))
        return Plane(units[(i + 1) % 3], units[(i + 2) % 3], units[i])
    aside = cross(n, (ONE, ZERO, ZERO))
    if all(vanishes(c) for c in aside):
        aside = cross(n, (ZERO, ONE, ZERO))
    x = times(1 / sqrt(dot(aside, aside)), aside)
    return Plane(x, cross(n, x), n)


def plane_of(tree: Tree) -> Plane:
    """Return the plane of motion of a tree without obstacles.

    An inclined plane has its axes built in the first rotating link, then rotated: no root of a sum of sines appears.
    """
    k = next((k for k, link in tree.links.items() if link.turns), None)
    normal = (ZERO, ZERO, ONE) if k is None else fixed_axes(tree)[k]
    if k is None or is_fixed(normal):
        return plane(normal)
    own = plane(tree.links[k].axis)
    return Plane(*(apply(tree.initial[k], v) for v in (own.x, own.y, own.n)))


def linkage(system: System, tree: Tree, loads: Loads, leaves: Leaves) -> tuple[Linkage, dict[str, Expression]]:
    """Build the planar linkage of a tree without obstacles, and the sense (1, -1) of each coordinate.

    Vectors of a link are in axes that are parallel to the fixed ones when all coordinates are zero, so that
    constant rotations vanish. About an axis opposite to the normal, q of the linkage is minus the coordinate.
    """
    links, axes, start = tree.links, fixed_axes(tree), tree.initial
    p = plane_of(tree)
    sense = {k: p.sense(axis) for k, axis in axes.items()}
    topology = Topology({k: link.base for k, link in links.items()})
    bodies = {
        k: PlanarBody(
            body.m,
            p.project(apply(start[k], body.s)),
            dot(links[k].axis, apply(body.J, links[k].axis)),
            p.project(apply(start[links[k].base], links[k].offset)),
        )
        for k, body in augment_links(tree).items()
    }
    motion = PlanarMotion.relative(
        topology,
        {k: sense[k] * link.q for k, link in links.items()},
        {k: sense[k] * link.rate for k, link in links.items()},
        {k: sense[k] * link.acceleration for k, link in links.items()},
    )
    planar = tuple(
        PlanarLoad(
            load.link,
            p.project(apply(start[load.link], load.arm)),
            p.project(load.force),
            sense[load.link] * dot(links[load.link].axis, load.couple),
        )
        for load in loads.external
    )
    made = Linkage(topology, bodies, motion, p.project(system.gravity_vector), planar, leaves)
    return made, {link.coordinate: sense[k] for k, link in links.items() if link.coordinate}


NAME = "telegin"
TAKES = OPEN_TREES | {"follower_forces"}
SPATIAL = "spatial"


def form_obstacles(system: System, form: str | None) -> tuple[Obstacle, ...]:
    """List the obstacles of a form to this model; None: the form chosen by the model.

    The spatial form takes any open tree: joints of several coordinates and prescribed motions are split
    by massless links. The planar forms take single revolute joints with parallel axes; bodies without
    coordinates are part of the link that carries them.
    """
    found = features_refused(NAME, TAKES, system)
    if found or form in (None, SPATIAL):
        return found
    assert form is not None
    return tuple(obstacles(system, tree(system), form))


#: The planar forms by name, in the paper's order, with the module and the function of :mod:`.forms`.
PLANAR: Final = {
    "rud": ("rud", "equations"),
    "absolute": ("absolute", "equations"),
    "absolute-sums": ("absolute", "sum_equations"),
    "absolute-recurrent": ("absolute", "recurrent_equations"),
    "relative": ("relative", "equations"),
    "relative-sums": ("relative", "sum_equations"),
    "relative-recurrent": ("relative", "recurrent_equations"),
    "matrix": ("equations", "equations"),
}


def equations(form: str, p: Linkage) -> Equations:
    """Return the equations of a linkage in a planar form."""
    module, name = PLANAR[form]
    made: Equations = getattr(import_module(f"{__package__}.forms.{module}"), name)(p)
    return made


def derive(formalism: str, given: System, system: System, form: str, leaves: Leaves) -> Derivation:
    """Derive the canonical quantities of a planar linkage by a form; ``system`` has lumped masses.

    In every form M_k is the whole drive, so inverse dynamics is M_k minus the efforts along the coordinate.
    """
    links = tree(system)
    places = Places(links)
    loads = Loads(system, links, places)
    p, sense = linkage(system, links, loads, leaves)
    made = equations(form, p)
    names = system.coordinate_names
    number, efforts = links.of_coordinate, loads.efforts
    quantities: dict[str, Nested] = {
        "M": tuple(
            tuple(sense[a] * sense[b] * made.mass.get((number[a], number[b]), ZERO) for b in names) for a in names
        ),
        "h": tuple(sense[a] * made.h[number[a]] for a in names),
        "gravity": tuple(sense[a] * p.G0[number[a]] for a in names),
        "applied": tuple(sense[a] * p.M_sum[number[a]] + efforts[a] for a in names),
        "inverse_dynamics": tuple(sense[a] * made.drives[number[a]] - efforts[a] for a in names),
    }
    bodies = tuple(body.name for body in given.bodies)
    native = Lazy({"r": lambda: tuple(places.origin(name) for name in bodies)}) | made.native
    indices = {"r": (bodies, ("x", "y", "z"))}
    named = planar_stages(p, made, links, system)
    return Derivation(formalism, given, quantities, named, native, indices=indices)
