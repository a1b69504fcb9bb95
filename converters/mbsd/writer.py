"""Conversion of the model to a canonical MBSD text: comments, a chain per line, gravity and assignments last."""

from __future__ import annotations

from collections.abc import Iterator

from mbconcord.converters import losses
from mbconcord.converters.format import Writing
from mbconcord.converters.losses import elastic
from mbconcord.model import Bipolar, Body, FrameCoincidence, Function, JointEffort, Loss, Rod, System
from mbconcord.model.coordinate import Effort
from mbconcord.model.diagnostics import WriteError, error
from mbconcord.model.elastic.rigid import rigid
from mbconcord.model.expressions import ONE, ZERO, Expression, symbols, undefined_functions
from mbconcord.model.force import LENGTH, LENGTH_RATE, LinearLaw
from mbconcord.model.transformation import shift
from mbconcord.records import replace

from . import HOLDS
from .reader import expressions, natural
from .syntax import STANDARD_GRAVITY, plain, to_degrees
from .writing.rename import MbsdNames, axis_index, choose_names
from .writing.script import Link, Script, Unit, needs, offset, units

WIDTH = 100


def write(system: System) -> Writing:
    """Write the canonical MBSD text of a model.

    Identity: for a model that was read from MBSD, ``read(write(m)) == m``; for any model
    ``write(read(write(m))) = write(m)``.

    Raises
    ------
    WriteError
        The model has no body.
    """
    if not system.bodies:
        raise WriteError(error("bodies", "a model without bodies; an MBSD text has at least one", "add a body"))
    losses: list[Loss] = [*elastic(system, HOLDS)]
    points = {f"bodies/{p.name}": f"points/{p.name}" for p in system.points}
    system = _weld_points(rigid(system), losses)
    names = choose_names(system, losses)
    losses = [replace(loss, place=points.get(loss.place, loss.place)) for loss in losses]
    order = units(system)
    script = Script(system, names, order, losses)
    lines = [*_comments(system), *_chains(system, order, script)]
    if system.gravity is not None:
        lines.append(f"; {_gravity(system, script)}")
    lines += _assignments(system, script)
    losses += list_losses(system)
    renamed = {name: names.symbols[name] for name in system.coordinate_names if name in names.symbols}
    return Writing("\n".join(lines) + "\n", tuple(losses), renamed)


def _weld_points(system: System, losses: list[Loss]) -> System:
    """Return the model with massless bodies in place of its named points; append what this loses to ``losses``."""
    for p in system.points:
        reason = "it is written as a body without mass, which moves as it does"
        losses.append(Loss(f"points/{p.name}", f"that it is a point of {p.body!r}", reason, acts=False))
    welded = [Body(p.name, p.body, shift(p.position)) for p in system.points]
    return replace(system, bodies=(*system.bodies, *welded), points=()) if welded else system


def on_one_line(text: str) -> str:
    """Write an MBSD text on one line: comments dropped, look-alike characters replaced, single blanks."""
    return " ".join(plain(text).split())


def _comments(system: System) -> Iterator[str]:
    """Yield the comments of the source, one per line, to precede the model."""
    for omission in system.omissions:
        if omission.kind == "comment" and (said := " ".join(omission.what.lstrip("%").split())):
            yield f"% {said}"


def _chains(system: System, order: list[Unit], script: Script) -> list[str]:
    numbers = {body.name: i for i, body in enumerate(system.bodies, 1)}
    named = _find_referenced(order) | {b.name for b in system.bodies if b.name != f"body{numbers[b.name]}"}
    suffixes = _suffixes(system, script)
    lines: list[str] = []
    previous: Unit | None = None
    for unit in order:
        if isinstance(unit, Body):
            items: list[str] = []
            if previous is None:
                script.declare_rest(items)
            items += script.items(unit.joint, suffixes)
            items += _inertia(unit, numbers[unit.name], bool(items) and items[-1].lstrip("-")[0] in "xyz", script)
            if unit.name in named or not items:
                items.append(f"#{script.names.body(unit.name)}")
            text = " ".join(items)
            if isinstance(previous, Body) and unit.parent == previous.name:
                lines[-1] += f" > {text}"
            else:
                root = "" if unit.parent is None else f"#{script.names.body(unit.parent)} "
                root = "#0 " if not root and text.startswith("#") else root
                lines.append(("\\ " if lines else "") + root + text)
        else:
            lines.append("\\ " + _link(unit, script))
        previous = unit
    return lines


def _find_referenced(order: list[Unit]) -> set[str]:
    """Return the bodies whose names the text needs."""
    found: set[str] = set()
    previous: Unit | None = None
    for unit in order:
        follows = isinstance(unit, Body) and isinstance(previous, Body) and unit.parent == previous.name
        if not follows:
            found |= needs(unit)
        previous = unit
    return found


def _suffixes(system: System, script: Script) -> dict[str, str]:
    """Map each coordinate to the text of its initial values and joint force."""
    turning = {name for name, et in script.introduced.items() if not et.is_translation}
    efforts: dict[str, list[Expression]] = {}
    for force in system.forces:
        if isinstance(force, JointEffort):
            efforts.setdefault(force.coordinate, []).append(force.expression())
    for coordinate in system.coordinates:
        if isinstance(coordinate.drive, Effort):
            efforts.setdefault(coordinate.name, []).append(coordinate.drive.value)
    suffixes = {}
    for coordinate in system.coordinates:
        text = ""
        if coordinate.position:
            position = coordinate.position
            text += "°" + script.value(to_degrees(position) if coordinate.name in turning else position)
        if coordinate.velocity:
            text += "'" + script.value(coordinate.velocity)
        if coordinate.name in efforts:
            text += '"' + script.value(sum(efforts[coordinate.name][1:], efforts[coordinate.name][0]))
        suffixes[coordinate.name] = text
    return suffixes


def _inertia(body: Body, n: int, turns_last: bool, script: Script) -> list[str]:
    """Write mass, tensor about origin, centre of body n, except defaults; turns_last: its joint ends in a rotation."""
    inertia = body.inertia
    items = [] if script.generates([inertia.mass], [f"m{n}"], ONE) else ["$" + script.value(inertia.mass)]
    moments = [f"I{axis}{n}" for axis in "xyz"]
    shifted = any(inertia.centre)
    if shifted and not items:
        implied = False  # a centre of mass must follow $ or [
    elif turns_last:
        implied = not any(inertia.tensor[3:]) and script.generates(inertia.tensor[:3], moments, ONE)
    else:
        implied = not any(inertia.tensor)
    if not implied:
        items.append(_tensor(inertia.tensor_about_origin(), moments, script))
    if shifted:
        rho = [f"rho_{axis}{n}" for axis in "xyz"]
        x, y, z = map(script.text, inertia.centre)
        own = script.generates(inertia.centre, rho, ZERO)
        items.append("{}" if own else f"{{{x}, {y}, {z}}}" if inertia.centre[2] else f"{{{x}, {y}}}")
    return items


def _tensor(about: tuple[Expression, ...], names: list[str], script: Script) -> str:
    products = any(about[3:])
    if not products and script.generates(about[:3], names, ONE):
        return "[]"
    return f"[{', '.join(map(script.text, about if products else about[:3]))}]"


def _link(link: Link, script: Script) -> str:
    first = "#0" if link.first.body is None else f"#{script.names.body(link.first.body)}"
    second = "#0" if link.second.body is None else f"#{script.names.body(link.second.body)}"
    if isinstance(link, FrameCoincidence):
        left = script.items(link.first.transformations)
        right = script.items(link.second.transformations)
        return " ".join([first, *left, "=", *right, "<", second])
    left = script.items(offset(link.first.position))
    mass = f", {script.text(link.mass)}" if link.mass else ""
    if isinstance(link, Rod):
        sign = f":({script.text(link.length)}{mass})"
    else:
        law = link.law.force_at(LENGTH, LENGTH_RATE) if isinstance(link.law, LinearLaw) else link.law
        sign = f':"({script.text(law)}{mass})'
    return " ".join([first, *left, sign, *script.items(offset(link.second.position)), "<", second])


def _gravity(system: System, script: Script) -> str:
    assert system.gravity is not None
    own = script.generates([system.gravity.value], ["g"], STANDARD_GRAVITY)
    value = "g" if own else "g" + script.value(system.gravity.value)
    index = axis_index(system.gravity.direction)
    if index is None:
        return f"{value}{{{', '.join(map(script.text, system.gravity.direction))}}}"
    return value + ("" if system.gravity.direction[index] is ONE else "-") + "xyz"[index]


def _assignments(system: System, script: Script) -> list[str]:
    """Write definitions of functions, and values of parameters except those that the reader gives by default."""
    parts = []
    for function in sorted(system.functions, key=lambda f: natural(f.name)):
        if function.formula is not None:
            parts.append(_definition(function, script.names))
    for p in sorted(system.parameters, key=lambda p: natural(script.names.written_name(p.name))):
        if p.value is None or (p.origin == "default" and p.name in script.generated):
            continue
        parts.append(f"{script.names.written_name(p.name)} = {script.text(p.value)}")
        if p.origin != "given":
            reason = "MBSD has no sign for it; the value is written as given"
            script.losses.append(
                Loss(f"parameters/{p.name}", f"the origin {p.origin!r} of its value", reason, acts=False)
            )
    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1]) + len(part) + 3 <= WIDTH:
            lines[-1] += f", {part}"
        else:
            if lines:
                lines[-1] += ","
            lines.append(f"{'  ' if lines else '; '}{part}")
    return lines


def _definition(function: Function, names: MbsdNames) -> str:
    assert function.formula is not None
    head = f"{names.functions.get(function.name, function.name)}({', '.join(function.arguments)})"
    return f"{head} = {names.text(function.formula)}"


# What is lost when a model is written as an MBSD text.


def list_losses(system: System) -> Iterator[Loss]:
    """Yield losses in the order of the model."""
    yield from losses.order(system, HOLDS)
    yield from losses.coordinates(system, HOLDS)
    yield from losses.normal_forces(system, HOLDS)
    yield from _list_unused(system)
    yield from losses.bodies(system, HOLDS)
    yield from losses.forces(system, HOLDS, dict(_forces(system)))
    yield from losses.constraints(system, HOLDS, dict(_constraints(system)))
    yield from losses.armatures(system, HOLDS)
    yield from losses.metadata(system, HOLDS)
    yield from losses.omissions(system, HOLDS)


def _list_unused(system: System) -> Iterator[Loss]:
    """Yield losses of unused parameters and functions without a value: the text cannot name them."""
    values = list(expressions(system.bodies, system.coordinates, system.gravity, system.forces, system.constraints))
    values += [c.drive.value for c in system.coordinates if isinstance(c.drive, Effort)]
    values += [p.value for p in system.parameters if p.value is not None]
    values += [f.formula for f in system.functions if f.formula is not None]
    used, called = symbols(values), undefined_functions(values)
    reason = "nothing in the text uses it, and MBSD has no declarations without a value"
    for p in system.parameters:
        if p.value is None and p.name not in used:
            yield Loss(f"parameters/{p.name}", "the parameter", reason, acts=False)
    for f in system.functions:
        if f.formula is None and f.name not in called:
            yield Loss(f"functions/{f.name}", "the function", reason, acts=False)


def _forces(system: System) -> Iterator[tuple[str, str]]:
    """Yield each force's name and the name that the reader will give it: the coordinate's, or a numbered one."""
    number = 0
    for force in system.forces:
        number += isinstance(force, Bipolar)
        given = force.coordinate if isinstance(force, JointEffort) else f"bipolar{number}"
        yield force.name, force.name if force.name.rstrip("_") == given.rstrip("_") else given


def _constraints(system: System) -> Iterator[tuple[str, str]]:
    """Yield each rod's or closure's name and the numbered name that the reader will give it."""
    numbers = {"rod": 0, "closure": 0}
    for constraint in system.constraints:
        if isinstance(constraint, (Rod, FrameCoincidence)):
            kind = "rod" if isinstance(constraint, Rod) else "closure"
            numbers[kind] += 1
            yield constraint.name, f"{kind}{numbers[kind]}"
