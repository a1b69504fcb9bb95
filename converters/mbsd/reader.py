"""Conversion of an MBSD text to the model, by outline, drafts, bodies, connectors, assignments; the order of names.

Equal models have equal lists: the reader puts parameters and functions in the order in which a text displays
expressions, whatever the text's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from lark import Token, Tree

from mbconcord.converters.format import Reading
from mbconcord.model import (
    Bipolar,
    Body,
    Coordinate,
    Frame,
    FrameCoincidence,
    Function,
    Gravity,
    JointEffort,
    Location,
    ModelError,
    NumbersError,
    Omission,
    Parameter,
    ReadError,
    Rod,
    System,
)  # fmt: skip
from mbconcord.model.constraint import Constraint
from mbconcord.model.coordinate import WANTED
from mbconcord.model.expressions import Expression, symbols, topological, undefined_functions
from mbconcord.model.expressions.formula_errors import RESERVED
from mbconcord.model.force import Force, read_word
from mbconcord.model.numbers import known_values
from mbconcord.model.numerals import UNIT, UNIT_NAMES

from .reading.bodies import loops, read_bodies, read_gravity, read_links
from .reading.drafts import Drafts, drafts
from .reading.items import Outline
from .reading.parts import parts
from .reading.scope import MbsdScope, definition, likely_product
from .syntax import comments, parse


def natural(name: str) -> tuple[tuple[int, str], ...]:
    """Return the sort key that puts m2 before m10."""
    pieces = (p.lstrip("0") if p.isdecimal() else p for p in re.findall(r"\d+|\D+", name))
    return tuple((len(p), p) if not p or p.isdecimal() else (-1, p) for p in pieces)


def expressions(
    bodies: Sequence[Body],
    coordinates: Sequence[Coordinate],
    gravity: Gravity | None,
    forces: Sequence[Force],
    constraints: Sequence[Constraint],
) -> Iterator[Expression]:
    """Yield the expressions of a model that MBSD holds, in the order of its text."""
    for body in bodies:
        yield from (et.amount for et in body.joint)
        yield from (body.inertia.mass, *body.inertia.tensor_about_origin(), *body.inertia.centre)
    for coordinate in coordinates:
        yield from (coordinate.position, coordinate.velocity)
    for force in forces:
        if isinstance(force, JointEffort):
            yield force.expression()
        elif isinstance(force, Bipolar):
            law = force.law
            yield from (*force.first.position, *force.second.position, force.mass)
            if isinstance(law, Expression):
                yield law
    for constraint in constraints:
        if isinstance(constraint, Rod):
            yield from (*constraint.first.position, *constraint.second.position, constraint.length, constraint.mass)
        elif isinstance(constraint, FrameCoincidence):
            yield from _frames(constraint.first, constraint.second)
    if gravity is not None:
        yield gravity.value


def _frames(*frames: Frame) -> Iterator[Expression]:
    for frame in frames:
        yield from (et.amount for et in frame.transformations)


def parameter_order(
    values: Iterable[Expression],
    coordinates: Iterable[str],
    functions: Iterable[Function],
    assigned: Mapping[str, Expression],
) -> list[str]:
    """List parameters in order of appearance: in ``values``, in functions, as ``assigned``, in assigned formulas."""
    others = {name + prime for name in coordinates for prime in ("", "'")} | {"t", "@", "@'"}
    order: dict[str, None] = {}

    def visit(names: Iterable[str]) -> None:
        for name in sorted(names, key=natural):
            order.setdefault(name)

    for value in values:
        visit(name for name in symbols([value]) - others if not read_word(name))
    for function in functions:
        if function.formula is not None:
            visit(symbols([function.formula]) - set(function.arguments))
    visit(assigned)
    pending = list(order)
    while pending:
        name = pending.pop(0)
        for more in sorted(symbols([assigned[name]]) if name in assigned else (), key=natural):
            if more not in order:
                order.setdefault(more)
                pending.append(more)
    return list(order)


def function_order(values: Iterable[Expression], defined: Mapping[str, Function]) -> list[Function]:
    """List functions in order of appearance, undeclared ones too, with arguments; then unused ones."""
    order: dict[str, None] = {}
    calls: dict[str, list[tuple[Expression, ...]]] = {}
    queue = list(values)

    def meet(name: str) -> None:
        formula = defined[name].formula if name in defined else None
        if name not in order and formula is not None:
            queue.append(formula)
        order.setdefault(name)

    at = 0
    for unused in (None, *sorted(defined, key=natural)):
        if unused is not None:
            meet(unused)
        while at < len(queue):
            for name in sorted(undefined_functions([queue[at]]), key=natural):
                meet(name)
            for node in topological([queue[at]]):
                if node.op == "call":
                    calls.setdefault(node.data[0], []).append(node.args)
            at += 1
    return [defined.get(name) or Function(name, _arguments(calls[name])) for name in order]


def _arguments(calls: list[tuple[Expression, ...]]) -> tuple[str, ...]:
    """Return names of arguments for an undeclared function: those of its calls if all are the same, or x1, x2, …."""
    first = calls[0]
    plain = all(arg.op == "sym" for arg in first) and len(set(first)) == len(first)
    if plain and all(call == first for call in calls):
        return tuple(arg.data for arg in first)
    return tuple(f"x{i}" for i in range(1, len(first) + 1))


def read(text: str, file: str) -> Reading:
    """Read the model of an MBSD text; its comments become omissions of the model.

    Raises
    ------
    ReadError
        Every finding with file, line and column, what was found and what was expected.
    """
    tree = parse(text, file)
    plan = parts(tree, file)
    made = drafts(plan)
    if not made.bodies and not plan.findings.errors:
        plan.findings.refuse(Location(file, 1, 1), "found no body, expected at least one", "as in 'z i g'")
    assigned = {a.name for a in plan.assignments}
    scope = MbsdScope(plan.findings, made.coordinates, made.auxiliary, _functions(tree, made), assigned)
    reading = _read(scope, plan, made)
    said = tuple(Omission(f"comment/{n}", "comment", c, "none") for n, c in enumerate(comments(text), 1))
    return replace(reading, system=replace(reading.system, omissions=said)) if said else reading


def _functions(tree: Tree[Token], made: Drafts) -> set[str]:
    """Return names that are called or defined, without coordinates: primes of such names are derivatives."""
    names = set()
    for node in tree.iter_subtrees():
        token = node.children[0] if node.children else None
        if node.data in ("call", "definition") and isinstance(token, Token):
            names.add(str(token).partition("'")[0])
    return names - set(made.coordinates) - set(made.auxiliary)


def _read(scope: MbsdScope, plan: Outline, made: Drafts) -> Reading:
    tree = read_bodies(scope, made, plan.common)
    bipolars, constraints = read_links(scope, made, [e.name for e in tree.efforts])
    forces = (*tree.efforts, *bipolars)
    gravity = read_gravity(scope, made)
    values, formulas = _assignments(scope, plan)
    _check_names(scope)
    loops(values, formulas, scope)
    scope.findings.stop()
    shown = list(expressions(tree.bodies, tree.coordinates, gravity, forces, constraints))
    functions = function_order([*shown, *values.values()], formulas)
    names = parameter_order(shown, made.coordinates.keys() | made.auxiliary.keys(), functions, values)
    file = scope.findings.file
    name = "mbsd" if file in ("-", "") else Path(file).stem
    try:
        system = System(
            name,
            tuple(tree.coordinates),
            tuple(_parameter(scope, n, values) for n in names),
            tuple(functions),
            gravity,
            tuple(tree.bodies),
            forces,
            tuple(constraints),
        )
    except ModelError as problem:
        raise ReadError(map(scope.findings.locate, problem.diagnostics)) from None
    try:
        known_values(system, origins=WANTED)
    except NumbersError as problem:
        raise ReadError(map(scope.findings.locate, problem.diagnostics)) from None
    _warn(scope, values, formulas)
    return Reading(system, scope.findings.remarks(), scope.findings.locations)


def _assignments(scope: MbsdScope, plan: Outline) -> tuple[dict[str, Expression], dict[str, Function]]:
    values: dict[str, Expression] = {}
    formulas: dict[str, Function] = {}
    seen: dict[str, Location] = {}
    for a in plan.assignments:
        if a.name in seen:
            first = seen[a.name]
            message = f"a second assignment of {a.name}; the first is in line {first.line}, column {first.column}"
            scope.findings.refuse(a.at, message, "expected one")
            continue
        seen[a.name] = a.at
        if a.name in RESERVED:
            scope.findings.refuse(a.at, f"found {a.name} =, expected a name without a meaning of its own")
        elif a.name in scope.coordinates or a.name in scope.auxiliary:
            message = f"found an assignment of {a.name}, which is a coordinate; expected a parameter"
            scope.findings.refuse(a.at, message, "an initial position is written °value after the letter")
        elif not a.name.isidentifier():
            scope.findings.refuse(a.at, f"{a.name!r} is no name: letters, digits and _ make names")
        elif a.arguments is None:
            scope.findings.locations[f"parameters/{a.name}"] = a.at
            values[a.name] = scope.expression(a.value, "constant", f"parameters/{a.name}")
        else:
            scope.findings.locations[f"functions/{a.name}"] = a.at
            formula = definition(scope, a)
            formulas[a.name] = Function(a.name, a.arguments, formula)
            call = scope.calls.get(a.name)
            if call is not None and len(call.args) != len(a.arguments):
                arity = len(call.args)
                message = f"{a.name} has {arity} argument{'s' * (arity != 1)} here, expected {len(a.arguments)}"
                defined = f"it is defined in line {a.at.line}, column {a.at.column}"
                scope.findings.refuse(scope.locate(call), message, defined)
    return values, formulas


def _check_names(scope: MbsdScope) -> None:
    """Refuse names with two meanings."""
    degrees = {**scope.coordinates, **scope.auxiliary}
    for name, at in degrees.items():
        if name in RESERVED:
            message = f"found {name} as a coordinate's name; it has a meaning of its own"
            scope.findings.refuse(at, message, "expected another name", f"coordinates/{name}")
        elif name in scope.defaults:
            message = f"the coordinate {name!r} has the default name of a parameter"
            scope.findings.refuse(at, message, "expected another name", f"coordinates/{name}")
    for name in sorted(scope.functions):
        number = _number(scope, name)
        if number is None:
            continue
        call, place = scope.calls.get(name), f"functions/{name}"
        if call is None:
            message = f"{name!r} is used as a number and defined as a function"
            scope.findings.refuse(number, message, "expected one meaning", place)
        else:
            message = (
                f"{name!r} is called as a function here, but is a number in line {number.line}, column {number.column}"
            )
            product = likely_product(call)
            remedy = f"for a product write {product}" if product else "expected one meaning"
            scope.findings.refuse(scope.locate(call), message, remedy, place)


def _number(scope: MbsdScope, name: str) -> Location | None:
    """Return where a name is used as a number, has its default, or is assigned; None if it is not a number."""
    default = scope.defaults.get(name)
    used = scope.parameters.get(name) or (default.at if default else None)
    return used or scope.findings.locations.get(f"parameters/{name}")


def _parameter(scope: MbsdScope, name: str, values: dict[str, Expression]) -> Parameter:
    default = scope.defaults.get(name)
    at = scope.parameters.get(name) or (default.at if default else None)
    place = f"parameters/{name}"
    if at is not None:
        scope.findings.locations.setdefault(place, at)
    if name in values:
        return Parameter(name, values[name])
    if default is None:
        return Parameter(name)
    scope.findings.note(default.at, place, f"no value given: {default.words} by default")
    return Parameter(name, default.value, "default")


def _warn(scope: MbsdScope, values: dict[str, Expression], formulas: dict[str, Function]) -> None:
    for name in (*values, *formulas):
        if name not in scope.defaults and name not in scope.parameters and name not in scope.calls:
            place = f"{'parameters' if name in values else 'functions'}/{name}"
            message = "it is assigned, but nothing uses it"
            at = scope.findings.locations[place]
            scope.findings.remark("warning", "", at, message, "look for a misprint", place)
    for name, at in scope.parameters.items():
        if name in UNIT_NAMES and name not in values:
            message = f"read as a parameter without value: 10{name} is 10 times it"
            scope.findings.remark("warning", "", at, message, UNIT, f"parameters/{name}")
    for name, call in scope.calls.items():
        if name not in formulas:
            product = likely_product(call)
            meant = f"; for a product write {product}" if product else ""
            message, remedy = "a function without a formula", f"define it: {name}(…) = …{meant}"
            scope.findings.remark("warning", "", scope.locate(call), message, remedy, f"functions/{name}")
