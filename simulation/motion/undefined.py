"""Accelerations without a number: which formula of the model has none at a state, and for which argument."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np

from mbconcord.formalisms import registry
from mbconcord.model.checks.scope import SystemScopes, name_tables
from mbconcord.model.checks.scope import formulas as places
from mbconcord.model.expressions import ONE, TIME, Expression, directional, evaluate, rate, symbol
from mbconcord.model.expressions.arithmetic import numpy_arithmetic
from mbconcord.model.expressions.interpolant import Interpolant
from mbconcord.model.expressions.node import FUN, POW
from mbconcord.model.expressions.text import short_text
from mbconcord.model.expressions.traversal import topological
from mbconcord.model.force import LENGTH, LENGTH_RATE, Bipolar, Torsion, law_at
from mbconcord.model.kinematics import put_in_words
from mbconcord.model.system import System

from ..poses import measured, poses
from .formulas import MotionFormulas, Put

START: Final = "start where it has a value, or give it a formula that has one there"
APART: Final = "start where they are apart; a law that is a multiple of @, such as -k*@, needs no direction"
NUMBERS: Final = "look for a division by zero, a root of a negative number, or numbers beyond the range of floats"
#: Characters of a formula that is shown.
SHOWN: Final = 60


def find_undefined(system: System, made: MotionFormulas, numbers: Put, x: Sequence[float]) -> tuple[str, str, str]:
    """Return place, description and remedy of a formula that has no number at (t, q, q').

    Laws come first, at their distances and angles; then prescribed motions and constraints with their rates; then the
    equations themselves.
    """
    system = put_in_words(system, registry.formalism(made.formalism).motions)
    search = _Search(system, numbers, x)
    for place, formulas, scope in places(SystemScopes(system)):
        kind = place.partition("/")[0]
        if "t" in scope.names and kind not in ("functions", "omissions"):
            found = search.find(place, formulas)
            if found:
                return place, *found
    equations = [*made.every(), *made.applied, *(made.acceleration if made.acceleration is not None else ())]
    return f"coordinates/{system.coordinate_names[0]}", search.name(equations) or "no numbers", NUMBERS


class _Search:
    """Search at one state of a system for a formula without a number."""

    def __init__(self, system: System, numbers: Put, x: Sequence[float]) -> None:
        self.system, self.numbers = system, numbers
        self.forces = {f"forces/{force.name}": force for force in system.forces}
        names = system.coordinate_names
        self.values = dict(zip(("t", *names, *(f"{name}'" for name in names)), x, strict=True))
        self.moving = {TIME: ONE} | {symbol(name): rate(name) for name in names}
        self.of_body = poses(system)

    def find(self, place: str, formulas: Iterable[Expression]) -> tuple[str, str] | None:
        """Return what has no number in the formulas at a place, and a remedy; None if all have numbers."""
        force, wanted, values = self.forces.get(place), list(formulas), self.values
        if isinstance(force, (Bipolar, Torsion)):
            length, change = self._numbers(*measured(self.system, force, self.of_body))
            if isinstance(force, Bipolar) and length == 0:
                return "its points coincide (@ = 0): it has no direction there, and @' no value", APART
            values = {**values, "@": length, "@'": change}
            wanted = [law_at(force.law, LENGTH, LENGTH_RATE)]
        wanted = self.numbers.apply(wanted)
        if place.startswith(("bodies/", "constraints/")):
            for _ in range(2):
                wanted += directional(wanted, self.moving)
        named = self.name(wanted, values)
        return (named, START) if named else None

    def name(self, formulas: Iterable[Expression], values: Mapping[str, float] | None = None) -> str:
        """Name what has no number in the first formula that has none; empty if all have one."""
        wanted = list(formulas)
        nodes = topological(wanted)
        with np.errstate(all="ignore"):
            found = evaluate(nodes, self.values if values is None else values, numpy_arithmetic())
        of = dict(zip(nodes, map(float, found), strict=True))
        node = next((x for x in wanted if not np.isfinite(of[x])), None)
        while node is not None:
            wrong = next((x for x in node.args if not np.isfinite(of[x])), None)
            if wrong is None:
                return name_tables(_describe(node, [of[x] for x in node.args]), self.system)
            node = wrong
        return ""

    def _numbers(self, value: Expression, change: Expression) -> tuple[float, float]:
        with np.errstate(all="ignore"):
            a, b = evaluate(self.numbers.apply([value, change]), self.values, numpy_arithmetic())
        return float(a), float(b)


def _describe(node: Expression, arguments: Sequence[float]) -> str:
    """Describe a node that has no number although its arguments have numbers."""
    text, inner = (short_text(x, SHOWN) for x in (node, node.args[0] if node.args else node))
    if node.op is POW and arguments[0] == 0:
        return f"a division by {inner}, which is 0"
    if node.op is FUN and isinstance(node.data, Interpolant):
        return f"{text} has no value for {inner} = {arguments[0]:.6g}, beyond its table, {node.data.ends}"
    if node.op is FUN and len(arguments) == 1:
        return f"{text} has no value for {inner} = {arguments[0]:.6g}"
    return f"{text} has no value for {', '.join(f'{x:.6g}' for x in arguments)}"
