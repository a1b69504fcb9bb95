"""Checks of a model: its structure when it is built, its physics when numbers are known.

Every finding says which thing, which condition, and what to do about it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from .constraint import FrameCoincidence, Holonomic, Nonholonomic, PointCoincidence, Rod
from .coordinate import Effort, Motion
from .diagnostics import Diagnostic, error
from .expressions import Expression, symbols, undefined_functions
from .force import Bipolar, JointEffort, Point, PointForce, Wrench, law_expressions

if TYPE_CHECKING:
    from .system import System

#: Relative slack of physical conditions: published inertias carry about nine digits.
PHYSICS_SLACK = 1e-9


def structure(system: System) -> list[Diagnostic]:
    """Findings about names, order, references and symbols; empty when the model is sound."""
    findings = list(_duplicates(system))
    findings += _tree(system)
    findings += _coordinates(system)
    findings += _references(system)
    findings += _parameters(system)
    findings += _symbols(system)
    return findings


def _duplicates(system: System) -> Iterator[Diagnostic]:
    kinds = {
        "bodies": [b.name for b in system.bodies],
        "coordinates": [c.name for c in system.coordinates],
        "parameters": [p.name for p in system.parameters],
        "functions": [f.name for f in system.functions],
        "forces": [f.name for f in system.forces],
        "constraints": [c.name for c in system.constraints],
    }
    for kind, names in kinds.items():
        for name, count in Counter(names).items():
            if count > 1:
                yield error(f"{kind}/{name}", f"{count} {kind} have this name", "names are unique")
    clash = set(kinds["coordinates"]) & set(kinds["parameters"])
    for name in sorted(clash):
        yield error(f"coordinates/{name}", "a parameter has the same name", "rename one of them")


def _tree(system: System) -> Iterator[Diagnostic]:
    seen: set[str] = set()
    names = {b.name for b in system.bodies}
    for body in system.bodies:
        if body.parent is not None and body.parent not in seen:
            place = f"bodies/{body.name}/parent"
            if body.parent not in names:
                known = ", ".join(sorted(names)) or "none"
                yield error(place, f"there is no body {body.parent!r}", f"known bodies: {known}")
            elif _in_cycle(system, body.name):
                yield error(place, f"{body.name!r} is carried by itself", "a loop needs a constraint")
            else:
                yield error(place, f"its parent {body.parent!r} stands after it", "parents come first")
        seen.add(body.name)


def _in_cycle(system: System, name: str) -> bool:
    parent = {b.name: b.parent for b in system.bodies}
    at, steps = parent.get(name), 0
    while at is not None and at != name and steps <= len(parent):
        at, steps = parent.get(at), steps + 1
    return at == name


def _coordinates(system: System) -> Iterator[Diagnostic]:
    listed = {c.name for c in system.coordinates}
    used = Counter(name for body in system.bodies for name in body.coordinates)
    for name, count in used.items():
        if count > 1:
            yield error(f"coordinates/{name}", f"{count} joints move by it", "one joint per coordinate")
        if name not in listed:
            yield error(f"coordinates/{name}", "a joint moves by it, but the system does not list it")
    for name in sorted(listed - set(used)):
        yield error(f"coordinates/{name}", "no joint moves by it")
    for constraint in system.constraints:
        if isinstance(constraint, FrameCoincidence):
            for name in set(constraint.auxiliary) & listed:
                yield error(
                    f"constraints/{constraint.name}",
                    f"{name!r} is a coordinate of the system and of the cut joint",
                    "a cut joint's coordinates are its own",
                )


def _points(system: System) -> Iterator[tuple[str, str | None]]:
    for force in system.forces:
        if isinstance(force, Bipolar):
            for end in (force.first, force.second):
                yield f"forces/{force.name}", end.body
        elif isinstance(force, (PointForce, Wrench)):
            yield f"forces/{force.name}", force.point.body
    for constraint in system.constraints:
        if isinstance(constraint, (Rod, PointCoincidence, FrameCoincidence)):
            for end2 in (constraint.first, constraint.second):
                yield f"constraints/{constraint.name}", end2.body


def _references(system: System) -> Iterator[Diagnostic]:
    bodies = {b.name for b in system.bodies}
    coordinates = {c.name for c in system.coordinates}
    for place, name in _points(system):
        if name is not None and name not in bodies:
            yield error(place, f"there is no body {name!r}", f"known bodies: {', '.join(sorted(bodies))}")
    for force in system.forces:
        if isinstance(force, JointEffort) and force.coordinate not in coordinates:
            yield error(f"forces/{force.name}", f"there is no coordinate {force.coordinate!r}")
    for constraint in system.constraints:
        if isinstance(constraint, Nonholonomic):
            for name in sorted(set(constraint.coefficients) - coordinates):
                yield error(f"constraints/{constraint.name}", f"there is no coordinate {name!r}")


def _parameters(system: System) -> Iterator[Diagnostic]:
    formulas = {p.name: p.value for p in system.parameters if p.value is not None}
    needs = {name: symbols([value]) for name, value in formulas.items()}
    state: dict[str, int] = {}
    for start in needs:
        trail = [start]
        while trail:
            name = trail[-1]
            state[name] = 1
            following = next((n for n in sorted(needs.get(name, ())) if n in needs and state.get(n) != 2), None)
            if following is None:
                state[name] = 2
                trail.pop()
            elif state.get(following) == 1:
                loop = " -> ".join((*trail[trail.index(following) :], following))
                yield error(f"parameters/{following}", f"defined by itself: {loop}", "break the cycle")
                return
            else:
                trail.append(following)


def _symbols(system: System) -> Iterator[Diagnostic]:
    parameters = {p.name for p in system.parameters}
    coordinates = {c.name for c in system.coordinates}
    state = parameters | coordinates | {f"{c}'" for c in coordinates} | {"t"}
    timed = parameters | {"t"}
    functions = {f.name for f in system.functions}

    def check(place: str, values: Iterable[Expression], allowed: set[str], what: str) -> Iterator[Diagnostic]:
        items = list(values)
        for name in sorted(symbols(items) - allowed):
            remedy = "" if name not in state else f"here only {what} may stand"
            yield error(place, f"{name!r} is not known here", remedy or "declare it as a parameter")
        for name in sorted(undefined_functions(items) - functions):
            yield error(place, f"the function {name!r} is not declared", "declare it, with or without a formula")

    for p in system.parameters:
        if p.value is not None:
            yield from check(f"parameters/{p.name}", [p.value], parameters, "parameters")
    for f in system.functions:
        if f.formula is not None:
            inner = parameters | set(f.arguments)
            yield from check(f"functions/{f.name}", [f.formula], inner, "parameters and its arguments")
    for c in system.coordinates:
        place = f"coordinates/{c.name}"
        yield from check(place, [c.position, c.velocity], parameters, "parameters")
        if isinstance(c.drive, Effort):
            yield from check(f"{place}/drive", [c.drive.value], state, "parameters, q, q' and t")
        elif isinstance(c.drive, Motion):
            yield from check(f"{place}/drive", [c.drive.acceleration], state, "parameters, q, q' and t")
    if system.gravity:
        yield from check("gravity", [system.gravity.value], parameters, "parameters")
    for b in system.bodies:
        place = f"bodies/{b.name}"
        for i, et in enumerate(b.joint):
            if et.coordinate is None:
                constant = type(et.motion).__name__ == "Constant"
                allowed = parameters if constant else timed
                what = "parameters" if constant else "parameters and t"
                yield from check(f"{place}/joint/{i}", [et.amount], allowed, what)
        values = [b.inertia.mass, *b.inertia.centre, *b.inertia.tensor]
        yield from check(f"{place}/inertia", values, parameters, "parameters")
        if b.added_inertia:
            rows = [x for row in b.added_inertia.rows for x in row]
            yield from check(f"{place}/added_inertia", rows, parameters, "parameters")
        for wheel in b.flywheels:
            inner = f"{place}/flywheels/{wheel.name}"
            yield from check(inner, [wheel.angle], timed, "parameters and t")
            own = [wheel.inertia.mass, *wheel.inertia.centre, *wheel.inertia.tensor]
            own += [et.amount for et in wheel.mounting]
            yield from check(inner, own, parameters, "parameters")
    yield from _force_symbols(system, check, parameters, state)


def _force_symbols(system, check, parameters: set[str], state: set[str]) -> Iterator[Diagnostic]:  # type: ignore[no-untyped-def]
    def point(p: Point) -> list[Expression]:
        return list(p.position)

    for f in system.forces:
        place = f"forces/{f.name}"
        if isinstance(f, JointEffort):
            yield from check(place, law_expressions(f.effort), state, "parameters, q, q' and t")
        elif isinstance(f, Bipolar):
            law = parameters | {"t", "@", "@'"}
            yield from check(place, law_expressions(f.law), law, "parameters, t, @ and @'")
            yield from check(place, [f.mass, *point(f.first), *point(f.second)], parameters, "parameters")
        else:
            values = [*f.force, *(f.moment if isinstance(f, Wrench) else ())]
            yield from check(place, values, state, "parameters, q, q' and t")
            yield from check(place, point(f.point), parameters, "parameters")
    for c in system.constraints:
        place = f"constraints/{c.name}"
        if isinstance(c, Rod):
            yield from check(place, [c.length, c.mass, *point(c.first), *point(c.second)], parameters, "parameters")
        elif isinstance(c, PointCoincidence):
            yield from check(place, [*point(c.first), *point(c.second)], parameters, "parameters")
        elif isinstance(c, FrameCoincidence):
            inner = [et.amount for et in (*c.first.transformations, *c.second.transformations) if not et.coordinate]
            yield from check(place, inner, parameters | {"t"}, "parameters and t")
        elif isinstance(c, Holonomic):
            allowed = state - {n for n in state if n.endswith("'")}
            yield from check(place, [c.expression], allowed, "parameters, q and t")
        else:
            allowed = state - {n for n in state if n.endswith("'")}
            yield from check(place, [*c.coefficients.values(), c.rest], allowed, "parameters, q and t")


def physics(system: System, values: Mapping[str, float]) -> list[Diagnostic]:
    """Findings about masses and inertias, given the parameters' values (name -> float)."""
    import numpy as np

    from .expressions import ExpressionError, evaluate

    findings: list[Diagnostic] = []

    def check(place: str, inertia, what: str) -> None:  # type: ignore[no-untyped-def]
        try:
            numbers = evaluate([inertia.mass, *inertia.centre, *inertia.tensor], values)
        except ExpressionError as problem:
            findings.append(error(place, str(problem), "give the parameter a value that has a meaning"))
            return
        mass = float(numbers[0])
        if mass < 0:
            findings.append(error(f"{place}/mass", f"the {what}'s mass is {mass:.6g} kg", "a mass is not negative"))
            return
        xx, yy, zz, xy, xz, yz = map(float, numbers[4:])
        size = max(abs(v) for v in numbers[4:])
        centre = float(sum(v * v for v in numbers[1:4]))
        if not np.isfinite([mass, centre, size]).all():
            findings.append(error(place, f"the {what}'s inertia is not finite"))
            return
        # Tensors are often given about the origin: the shift to the centre costs digits of m r².
        slack = PHYSICS_SLACK * max(size, mass * centre)
        moments = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        shown = ", ".join(f"{m:.6g}" for m in moments)
        if moments[0] < -slack:
            findings.append(
                error(
                    f"{place}/tensor",
                    f"principal moments {shown} kg m² about the centre of mass: one is negative",
                    "about the frame's origin the tensor must exceed that of the mass at its centre",
                )
            )
        elif moments[0] + moments[1] < moments[2] - slack:
            findings.append(
                error(
                    f"{place}/tensor",
                    f"principal moments {shown} kg m² violate the triangle inequality",
                    "no distribution of mass has one moment larger than the other two together",
                )
            )

    for body in system.bodies:
        check(f"bodies/{body.name}/inertia", body.inertia, "body")
        for wheel in body.flywheels:
            check(f"bodies/{body.name}/flywheels/{wheel.name}", wheel.inertia, "flywheel")
    for element in system._massive():
        kind = "forces" if isinstance(element, Bipolar) else "constraints"
        mass = float(evaluate([element.mass], values)[0])
        if mass < 0:
            findings.append(
                error(f"{kind}/{element.name}", f"the mass is {mass:.6g} kg", "a mass is not negative")
            )
    return findings
