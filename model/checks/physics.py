"""Physics of a model: masses and inertias that a body can have, once numbers are known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from ..diagnostics import Diagnostic, error
from ..expressions import Expression, ExpressionError, evaluate
from ..force import Bipolar
from ..functions import define
from .model import Model

#: Relative slack of physical conditions: published inertias carry about nine digits.
PHYSICS_SLACK = 1e-9


def physics(system: Model, values: Mapping[str, float]) -> list[Diagnostic]:
    """Findings about masses and inertias, given the parameters' values (name -> float)."""
    return list(_findings(system, values))


def _findings(system: Model, values: Mapping[str, float]) -> Iterator[Diagnostic]:
    def numbers(place: str, outputs: Iterable[Expression]) -> list[float] | Diagnostic:
        try:
            found = [float(x) for x in evaluate(define(outputs, system.functions), values)]
        except ExpressionError as problem:
            return error(place, str(problem), "give the parameter a value that has a meaning")
        if not np.isfinite(found).all():
            return error(place, "a value is not finite", "give the parameters smaller values")
        return found

    inertias = [(f"bodies/{b.name}/inertia", b.inertia, "body") for b in system.bodies]
    for body in system.bodies:
        inertias += [
            (f"bodies/{body.name}/flywheels/{w.name}", w.inertia, "flywheel") for w in body.flywheels
        ]
    for place, inertia, what in inertias:
        found = numbers(place, [inertia.mass, *inertia.centre, *inertia.tensor])
        yield from [found] if isinstance(found, Diagnostic) else _inertia(place, what, found)
    for body in system.bodies:
        if body.added_inertia:
            place = f"bodies/{body.name}/added_inertia"
            found = numbers(place, [x for row in body.added_inertia.rows for x in row])
            yield from [found] if isinstance(found, Diagnostic) else _added_inertia(place, found)
    for element in system.massive():
        place = f"{'forces' if isinstance(element, Bipolar) else 'constraints'}/{element.name}"
        found = numbers(place, [element.mass])
        yield from [found] if isinstance(found, Diagnostic) else _mass(place, "element", found[0])


def _mass(place: str, what: str, mass: float) -> Iterator[Diagnostic]:
    if mass < 0:
        yield error(f"{place}/mass", f"the {what}'s mass is {mass:.6g} kg", "a mass is not negative")


def _inertia(place: str, what: str, numbers: list[float]) -> Iterator[Diagnostic]:
    """Mass not negative; tensor about the centre of mass with moments that some distribution of mass has."""
    mass, x, y, z, xx, yy, zz, xy, xz, yz = numbers
    if mass < 0:
        yield from _mass(place, what, mass)
        return
    # Tensors are often given about the origin: the shift to the centre costs digits of m r².
    slack = PHYSICS_SLACK * max(*map(abs, numbers[4:]), mass * (x * x + y * y + z * z))
    moments = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    shown = ", ".join(f"{m:.6g}" for m in moments)
    if moments[0] < -slack:
        yield error(
            f"{place}/tensor",
            f"principal moments {shown} kg m² about the centre of mass: one is negative",
            "about the frame's origin the tensor must exceed that of the mass at its centre",
        )
    elif moments[0] + moments[1] < moments[2] - slack:
        yield error(
            f"{place}/tensor",
            f"principal moments {shown} kg m² violate the triangle inequality",
            "no distribution of mass has one moment larger than the other two together",
        )


def _added_inertia(place: str, numbers: list[float]) -> Iterator[Diagnostic]:
    """The fluid's kinetic energy ½ VᵀΛV is not negative."""
    moments = np.linalg.eigvalsh(np.reshape(numbers, (6, 6)))
    if moments[0] < -PHYSICS_SLACK * np.abs(moments).max():
        message = f"the smallest eigenvalue of Λ is {moments[0]:.6g}: a motion with negative energy"
        yield error(place, message, "Λ is positive semidefinite")
