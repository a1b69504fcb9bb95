"""Conversion of an MBSD text to the model: outline, drafts, bodies, connectors, assignments, defaults."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from lark import Token, Tree

from mbconcord.converters.format import Reading
from mbconcord.model import Function, Location, ModelError, NumbersError, Omission, Parameter, ReadError, System
from mbconcord.model.coordinate import WANTED
from mbconcord.model.expressions import Expression
from mbconcord.model.expressions.formula_errors import RESERVED
from mbconcord.model.numbers import known_values
from mbconcord.model.numerals import UNIT, UNIT_NAMES

from .order import expressions, function_order, parameter_order
from .reading.bodies import loops, read_bodies, read_gravity, read_links
from .reading.drafts import Drafts, drafts
from .reading.items import Outline
from .reading.parts import parts
from .reading.scope import MbsdScope, definition, likely_product
from .syntax import comments, parse


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
