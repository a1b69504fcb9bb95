"""Physical checks of what the author gave as numbers: a finding about it belongs to the text.

Values that rest on defaults are left out: defaults are there to be replaced, and are checked when numbers are
needed.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from mbconcord.model import Bipolar, Body, Diagnostic, Inertia, NumbersError, Parameter, Point, Rod, System
from mbconcord.model.checks.physics import physics
from mbconcord.model.expressions import ONE, ZERO, Expression, symbols, undefined_functions
from mbconcord.model.numbers import parameter_values

NOWHERE = Point(None)


def implausible(system: System) -> list[Diagnostic]:
    """Findings about what follows from the author's values: divisions by zero, masses, inertias."""
    given: dict[str, Parameter] = {}
    pending = [p for p in system.parameters if p.origin == "given" and p.value is not None]
    while True:
        ready = [p for p in pending if p.value is not None and _rests_on(given, [p.value])]
        if not ready:
            break
        given.update((p.name, p) for p in ready)
        pending = [p for p in pending if p.name not in given]
    bodies = tuple(Body(body.name, None, (), _known(body.inertia, given)) for body in system.bodies)
    massive = [
        replace(e, first=NOWHERE, second=NOWHERE)
        for e in (*system.forces, *system.constraints)
        if isinstance(e, (Bipolar, Rod)) and _rests_on(given, [e.mass])
    ]
    part = System(
        system.name,
        parameters=tuple(given.values()),
        bodies=bodies,
        forces=tuple(replace(e, law=ZERO) for e in massive if isinstance(e, Bipolar)),
        constraints=tuple(replace(e, length=ZERO) for e in massive if isinstance(e, Rod)),
    )
    try:
        return physics(part, parameter_values(part))
    except NumbersError as problem:
        return list(problem.diagnostics)


def _rests_on(given: Collection[str], values: list[Expression]) -> bool:
    """Whether values are made of numbers and the given parameters alone."""
    return symbols(values) <= set(given) and not undefined_functions(values)


def _known(inertia: Inertia, given: Collection[str]) -> Inertia:
    """What of an inertia rests on given values; the rest is replaced by what no check objects to."""
    mass = inertia.mass if _rests_on(given, [inertia.mass]) else ONE
    centre = inertia.centre if _rests_on(given, [*inertia.centre]) else NOWHERE.position
    return Inertia(mass, centre, inertia.tensor) if _rests_on(given, [*inertia.tensor]) else Inertia(mass)
