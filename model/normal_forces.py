"""Normal forces that laws of friction depend on, solved together with the motion that they make.

A parameter may be the normal force of a guide, a pin or a row. Let k of them, N, stand in the applied forces, which are
linear in them. Then accelerations are affine in N, and so are the reactions R_i that press there::

    R_i = a_i + Σ_j B_ij N_j ,    N_i = |R_i|

R_i is the multiplier of a row, or the two components across the axis of a joint. A formalism finds these as efforts of
the mixed problem: the joint gets two slides across its axis, whose drives impose zero acceleration.

There is one solution where the spectral radius of (|B_ij|) is below one, for N -> |a + B N| contracts. Elsewhere there
may be none, or several (Painlevé): rigid bodies with dry friction say nothing there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mbconcord.records import dataclass, replace

from .constraint import Holonomic
from .coordinate import Coordinate, Motion, Parameter
from .diagnostics import NumbersError, error
from .expressions import ZERO, evaluate_float, number
from .limits import format_names
from .mixed import drive_row
from .naming import Namer
from .system import System
from .transformation import ElementaryTransformation, Variable, Vector, vector

Array = NDArray[np.float64]
#: Components across that are below this part of the others are rounding, and so is what a law is off a straight line.
ROUNDING: Final = 1e-9
#: How near a spectral radius or a pivot may be to where the number of solutions changes.
NEAR: Final = 1e-9
#: Signs of more scalar forces are not tried one by one.
MOST: Final = 12
#: Steps of Newton's method, and of it and the contraction.
NEWTON, STEPS = 50, 500


def list_normal_forces(system: System) -> tuple[Parameter, ...]:
    """List the parameters that are normal forces and have no value of their own."""
    return tuple(p for p in system.parameters if p.normal and p.value is None)


@dataclass(frozen=True)
class Pressed:
    """A system whose drives hold the joints that press, and for each normal force the rows whose multipliers press.

    Attributes
    ----------
    system : with two slides across the axis of each joint whose normal force is sought
    rows : names of rows of constraints and drives, one or two for each of ``names``
    """

    system: System
    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def hold_across(system: System) -> Pressed:
    """Give each joint whose normal force is sought two slides across its axis, with drives of zero acceleration."""
    found, namer = list_normal_forces(system), Namer({*system.names, "t"})
    rows = {c.name: c for c in system.constraints if isinstance(c, Holonomic)}
    bodies = {b.name: b for b in system.bodies}
    added: list[Coordinate] = []
    named: list[tuple[str, ...]] = []
    for p in found:
        if p.normal in rows:
            named.append((p.normal,))
            continue
        body, made = bodies[p.normal], []
        place = next(i for i, step in enumerate(body.joint) if step.coordinate)
        for axis in _list_across(body.joint[place]):
            name = namer.fresh(f"{p.name}_across")
            added.append(Coordinate(name, drive=Motion(ZERO)))
            made.append((ElementaryTransformation("translation", axis, Variable(name)), drive_row(name)))
        joint = (*body.joint[:place], *(step for step, _ in made), *body.joint[place:])
        bodies[p.normal] = replace(body, joint=joint)
        named.append(tuple(row for _, row in made))
    parameters = tuple(replace(p, normal="") if p in found else p for p in system.parameters)
    whole = replace(
        system, coordinates=(*system.coordinates, *added), bodies=tuple(bodies.values()), parameters=parameters
    )
    return Pressed(whole, tuple(p.name for p in found), tuple(named))


def _list_across(step: ElementaryTransformation) -> list[Vector]:
    """Return two unit vectors perpendicular to the axis of a transformation and to each other."""
    own = np.array([evaluate_float(x, {}) for x in step.axis])
    first = np.eye(3)[int(np.abs(own).argmin())]
    first = first - own * (own @ first)
    first /= np.linalg.norm(first)
    return [vector(number(repr(float(x))) for x in each) for each in (first, np.cross(own, first))]


def solve_normal_forces(free: Sequence[Array], slopes: Sequence[Array], names: Sequence[str], when: str = "") -> Array:
    """Solve N_i = |a_i + B_i N| for N (k,); ``free`` are the a_i (d,), ``slopes`` the B_i (d, k).

    Raises
    ------
    NumbersError
        There is no solution, there are several, or it is not known how many; ``when`` says at which state.
    """
    if not all(np.isfinite(x).all() for x in (*free, *slopes)):
        message = f"what presses is undetermined{when}: rows share the load, or there are no accelerations"
        raise NumbersError(error(f"parameters/{format_names(names)}", message, "leave out dependent rows"))
    k = len(names)
    if k == 1 and float(slopes[0][:, 0] @ slopes[0][:, 0]) < 1 - NEAR:
        a, b = free[0], slopes[0][:, 0]
        inner, rest = float(a @ b), 1.0 - float(b @ b)
        return np.array([(inner + np.sqrt(inner * inner + rest * float(a @ a))) / rest])
    sizes = np.array([[np.linalg.norm(B[:, j]) for j in range(k)] for B in slopes]).reshape(k, k)
    if np.abs(np.linalg.eigvals(sizes)).max(initial=0.0) < 1 - NEAR:
        return _contract(free, slopes, names, when)
    found = list(_list_solutions(free, slopes, names, when))
    if len(found) == 1:
        return found[0]
    said = "no normal force satisfies the law of friction"
    if found:
        shown = "; ".join(", ".join(f"{n} = {x:.9g}" for n, x in zip(names, N, strict=True)) for N in found)
        said = f"{len(found)} normal forces satisfy the law of friction, {shown}"
    message = f"{said}{when}: rigid bodies with dry friction say nothing here (Painlevé)"
    raise NumbersError(
        error(f"parameters/{format_names(names)}", message, "less friction, or a contact that gives way")
    )


def _contract(free: Sequence[Array], slopes: Sequence[Array], names: Sequence[str], when: str) -> Array:
    """Iterate to the only solution: by Newton's steps where these stay positive, else N -> |a + B N|."""
    a, N = np.array([np.linalg.norm(x) for x in free]), np.array([np.linalg.norm(x) for x in free])
    for i in range(STEPS):
        R = [x + B @ N for x, B in zip(free, slopes, strict=True)]
        n = np.array([np.linalg.norm(x) for x in R])
        if np.abs(n - N).max(initial=0.0) <= 4 * np.finfo(float).eps * max(a.max(initial=0.0), n.max(initial=0.0)):
            return n
        u = [x / size if size else 0 * x for x, size in zip(R, n, strict=True)]
        A = np.eye(len(N)) - np.array([e @ B for e, B in zip(u, slopes, strict=True)])
        step = np.linalg.solve(A, [e @ x for e, x in zip(u, free, strict=True)])
        N = step if (step >= 0).all() and i < NEWTON else n
    message = f"normal forces are not found{when} in {STEPS} steps: {EDGE}"
    raise NumbersError(error(f"parameters/{format_names(names)}", message, LESS))


def _list_solutions(free: Sequence[Array], slopes: Sequence[Array], names: Sequence[str], when: str) -> Iterator[Array]:
    """Yield all solutions: of scalar forces sign by sign, of one with two components by its quadratic equation."""
    k, place = len(names), f"parameters/{format_names(names)}"
    flat = [_along_line(a, B) for a, B in zip(free, slopes, strict=True)]
    scale = max(np.linalg.norm(a) for a in free)
    found: list[Array] = []
    if all(line is not None for line in flat) and k <= MOST:
        a, B = np.array([x[0] for x in flat if x]), np.array([x[1] for x in flat if x])
        for signs in product((1.0, -1.0), repeat=k):
            A = np.eye(k) - np.array(signs)[:, None] * B
            if np.linalg.svd(A, compute_uv=False).min() <= NEAR:
                raise NumbersError(error(place, f"how many normal forces there are is not known{when}: {EDGE}", LESS))
            found.append(np.linalg.solve(A, np.array(signs) * a))
    elif k == 1:
        a, b = free[0], slopes[0][:, 0]
        if abs(b @ b - 1) <= NEAR:
            raise NumbersError(error(place, f"how many normal forces there are is not known{when}: {EDGE}", LESS))
        inner = (a @ b) ** 2 - (b @ b - 1) * (a @ a)
        for sign in (1.0, -1.0) if inner >= 0 else ():
            found.append(np.array([(-(a @ b) + sign * np.sqrt(inner)) / (b @ b - 1)]))
    else:
        message = f"how many normal forces there are is not known{when}: several joints press in space"
        raise NumbersError(error(place, message, LESS))
    told: list[Array] = []
    for N in found:
        if (-ROUNDING * scale <= N).all() and not any(np.abs(N - other).max() <= ROUNDING * scale for other in told):
            told.append(np.maximum(N, 0.0))
            yield told[-1]


#: Where one more or one less solution is a matter of rounding, and what helps there.
EDGE: Final = "friction is just so large that it locks"
LESS: Final = "less friction, or a normal force with a formula of its own"


def _along_line(a: Array, B: Array) -> tuple[float, Array] | None:
    """Return a (d,) and B (d, k) as components along one direction, None where they span more than that."""
    if len(a) == 1:
        return float(a[0]), B[0]
    left, sizes, _ = np.linalg.svd(np.column_stack([a, B]))
    if sizes[1:].max(initial=0.0) > ROUNDING * sizes[0]:
        return None
    return float(left[:, 0] @ a), left[:, 0] @ B
