"""Proof that recursions of several formalisms are the same functions: inverse dynamics in prime fields, link by link.

Rounding of floats over thousands of bodies plays no part: the numbers of links, sines and cosines of joints are values
of one random point of a random field (:mod:`mbconcord.model.expressions.field`), the steps of links are run with them,
and forces along the coordinates are equal or not: inverse dynamics for all positions, rates and accelerations, with
prescribed motions unchanged.

The probability that different functions coincide at the point grows with their degrees, which are followed the same
way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mbconcord.kernels.links.loop import Layout, walk_links
from mbconcord.model.expressions import Expression, as_expression, cos, rate, sin, symbol
from mbconcord.model.expressions.field import DIFFERS, IDENTICAL, UNDECIDED, Plan, Sample, Size, Value
from mbconcord.model.expressions.field.sizes import Over
from mbconcord.model.expressions.node import ADD, FUN, MUL, NEG, NUM, SYM
from mbconcord.model.expressions.program import SUB, ProgramStep, program
from mbconcord.model.functions import define
from mbconcord.model.recursion import ACCELERATION, AMOUNT, LinkKind, Recursion
from mbconcord.model.system import System
from mbconcord.records import dataclass

from ...judge.exact.equations import DRAWS
from ...judge.exactness import Exactness

#: What a step takes of its motion beside the amount, its rate and its acceleration: the functions it may ask of it.
TURNS: Final = ("sin", "cos")
#: Values of a step's inputs -> of its results.
Function = Callable[[Sequence[Any]], Sequence[Any]]


class UnfitError(Exception):
    """Error of a step that prime fields do not support: with a division, a root, or another function."""


def inputs(recursion: Recursion, kind: LinkKind) -> dict[str, int]:
    """Return places of a step's inputs by name: own memory, the carrier's, motion, its sine and cosine, numbers."""
    names = [*recursion.inputs(kind)]
    last = names.index(ACCELERATION.data) + 1
    return {name: i for i, name in enumerate([*names[:last], *TURNS, *names[last:]])}


def in_field(results: Sequence[Expression], places: Mapping[str, int], p: int) -> Function:
    """Return a compiled function that computes a step's results modulo p, in the field or its quadratic extension."""
    lines = program(results)
    text = []
    for i, step in enumerate(lines.steps):
        given = _find_given(step, places)
        if given is not None:
            text.append(f"t{i} = x[{given}]")
            continue
        a = [f"t{k}" for k in step.args]
        if step.op is MUL:
            text.append(f"t{i} = {a[0]} * {a[1]} % p")
        elif step.op is NUM:
            text.append(f"t{i} = {step.node.data.numerator * pow(step.node.data.denominator, -1, p) % p}")
        else:  # reduced by the product, or the result, that it goes to
            text.append(f"t{i} = -{a[0]}" if step.op is NEG else f"t{i} = {a[0]} {_SIGN[step.op]} {a[1]}")
    return _compile(text, [f"t{k} % p" for k in lines.outputs], {"p": p})


def in_degrees(
    results: Sequence[Expression], places: Mapping[str, int], number: Callable[[Expression], Over]
) -> Function:
    """Return a compiled function that bounds a step's results as polynomials, from sizes :class:`Over` of its inputs.

    ``number`` : function from a number in a step to its size
    """
    lines = program(results)
    text, constants = [], {}
    for i, step in enumerate(lines.steps):
        given, mine = _find_given(step, places), f"d{i}, n{i}, w{i}, k{i}"
        if given is not None:
            text.append(f"{mine} = x[{given}]")
            continue
        if step.op is NUM:
            constants[f"c{i}"] = number(step.node)
            text.append(f"{mine} = c{i}")
            continue
        a, b = step.args[0], step.args[-1]
        if step.op is MUL:
            text.append(f"{mine} = d{a} + d{b}, n{a} + n{b}, w{a} + w{b}, k{a} + k{b}")
        elif step.op is NEG:
            text.append(f"{mine} = d{a}, n{a}, w{a}, k{a}")
        else:
            larger = ", ".join(f"({z}{a} if {z}{a} > {z}{b} else {z}{b}){more}" for z, more in _SUM)
            text.append(f"{mine} = {larger}")
    return _compile(text, [f"(d{k}, n{k}, w{k}, k{k})" for k in lines.outputs], constants)


_SIGN: Final = {ADD: "+", SUB: "-"}
#: Of a sum: the larger degree, the larger of both sums of coefficients and a bit, the larger powers of denominators.
_SUM: Final = (("d", ""), ("n", " + 1"), ("w", ""), ("k", ""))


def _find_given(step: ProgramStep, places: Mapping[str, int]) -> int | None:
    """Return the place of a step's input that an operation only reads; None for a computed value."""
    if step.op is SYM:
        return places[step.node.data]
    if step.op is FUN and step.node.data in TURNS and step.node.args == (AMOUNT,):
        return places[step.node.data]
    if step.op is MUL or step.op is NEG or step.op is NUM or step.op in _SIGN:
        return None
    raise UnfitError(f"a step has {step.node!r}")


def _compile(text: Sequence[str], outputs: Sequence[str], known: Mapping[str, Any]) -> Function:
    lines = "\n    ".join([*text, f"return [{', '.join(outputs)}]"])
    namespace: dict[str, Any] = dict(known)
    exec(compile(f"def compiled(x):\n    {lines}\n", "<generated code>", "exec"), namespace)
    function: Function = namespace["compiled"]
    return function


#: Operations in prime fields that ``auto`` allows: some ten seconds.
BUDGET: Final = 40_000_000
#: What stands where nothing was put, and its size.
NOTHING: Final = as_expression(0)
NO_SIZE: Final = Over(0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class LinkRun:
    """A recursion, and the places of its inputs among the outputs of a plan.

    Attributes
    ----------
    numbers : places of the numbers of each link
    ground : places of the memory of the fixed frame
    moving : places, for each motion, of amount, rate, acceleration, sine and cosine
    efforts : places of the effort along each coordinate
    """

    layout: Layout
    numbers: list[list[int]]
    ground: list[int]
    moving: list[list[int]]
    efforts: list[int]

    def forces(self, given: Sequence[Any], steps: Sequence[Sequence[Function]], nothing: Any) -> list[Any]:
        """Compute the forces along the coordinates from the plan's outputs ``given``, without subtracting efforts."""
        numbers, moving = ([[given[i] for i in row] for row in x] for x in (self.numbers, self.moving))
        return walk_links(self.layout, steps, numbers, [given[i] for i in self.ground], moving, nothing)

    def steps(self, write: Any) -> list[list[Function]]:
        """Apply ``write(results, places)`` to the step of each kind in each pass."""
        recursion = self.layout.recursion
        return [
            [write([*kind.steps[turn].results], inputs(recursion, kind)) for kind in recursion.kinds]
            for turn in range(len(recursion.inward))
        ]


class LinkOutputs:
    """Recursions of several formalisms, compared at random points of prime fields.

    Parameters
    ----------
    layouts : recursions by name of the formalism
    system : the model, whose functions may have no formula
    """

    def __init__(self, system: System, layouts: Mapping[str, Layout], seed: int) -> None:
        self.system, self._seed = system, seed
        asked: list[Expression] = []
        self._places: dict[Expression, int] = {}
        self._runs = {name: self._run(layout, asked) for name, layout in layouts.items()}
        self._asked = asked

    @property
    def operations(self) -> int:
        """Number of operations."""
        found = 0
        for run in self._runs.values():
            recursion = run.layout.recursion
            costs = [sum(len(program([*step.results]).steps) for step in kind.steps) for kind in recursion.kinds]
            found += sum(costs[link.kind] for link in recursion.links)
        return DRAWS * found

    def compare(self, a: str, b: str) -> Exactness:
        """Compare inverse dynamics of two formalisms."""
        try:
            return self._compare(a, b)
        except UnfitError as why:
            return Exactness(UNDECIDED, str(why))

    def _compare(self, a: str, b: str) -> Exactness:
        names = self.system.coordinate_names
        equal = [{one[a] == one[b] for one in patterns} for patterns in self._forces]
        found = self._sample.judge(equal, self._all, self._size(a, b))
        if found.kind == IDENTICAL:
            return Exactness(IDENTICAL, log2=found.chance.log2 if found.chance else None)
        if found.kind != DIFFERS:
            return Exactness(UNDECIDED, found.reason)
        wrong = np.array([x != y for x, y in zip(self._forces[0][0][a], self._forces[0][0][b], strict=True)])
        first = next((name for name, x in zip(names, wrong, strict=True) if x), "")
        return Exactness(DIFFERS, outermost(self.system, 2.0 * wrong[None, :]), (first,) if first else ())

    def _number_expression(self, x: Expression, asked: list[Expression]) -> int:
        """Return the number of an expression among the plan's outputs, appended to ``asked`` if new."""
        if x not in self._places:
            self._places[x] = len(asked)
            asked.append(x)
        return self._places[x]

    def _run(self, layout: Layout, asked: list[Expression]) -> LinkRun:
        recursion, names = layout.recursion, self.system.coordinate_names

        def number_expressions(values: Sequence[Expression]) -> list[int]:
            return [self._number_expression(x, asked) for x in define(values, self.system.functions)]

        numbers = [number_expressions(link.numbers) for link in recursion.links]
        lines = (program([*step.results]) for kind in recursion.kinds for step in kind.steps)
        number_expressions(
            [step.node for each in lines for step in each.steps if step.op is NUM]
        )  # their denominators count
        ground = dict(zip(recursion.ground, number_expressions([*recursion.ground.values()]), strict=True))
        nothing = self._number_expression(NOTHING, asked)
        motions = [(symbol(n), rate(n), rate(n, 2)) for n in names]
        motions += [link.motion for link in recursion.links if link.motion is not None]
        return LinkRun(
            layout, numbers, [ground.get(slot, nothing) for slot in recursion.slots],
            [number_expressions((q, v, w, sin(q), cos(q))) for q, v, w in motions],
            number_expressions(recursion.efforts),
        )  # fmt: skip

    @cached_property
    def _sample(self) -> Sample:
        plan = Plan(self._asked)
        return Sample(plan, DRAWS, self._seed, joined=range(len(plan.steps)))

    @cached_property
    def _all(self) -> list[int]:
        plan = self._sample.plan
        return [plan.place[x] for x in self._asked]

    @cached_property
    def _forces(self) -> list[list[dict[str, list[Value]]]]:
        """Inverse dynamics by formalism, for every random point and every choice of signs there."""
        found = []
        for point, patterns in self._sample.runs:
            p = point.field.p
            steps = {name: run.steps(partial(in_field, p=p)) for name, run in self._runs.items()}
            given = ([values[i] for i in self._all] for values in patterns)
            found.append([
                {name: self._less(run, steps[name], own, p) for name, run in self._runs.items()} for own in given
            ])  # fmt: skip
        return found

    def _less(self, run: LinkRun, steps: Sequence[Sequence[Function]], given: Sequence[Value], p: int) -> list[Value]:
        forces = run.forces(given, steps, 0)
        return [(force - given[i]) % p for force, i in zip(forces, run.efforts, strict=True)]

    def _size(self, *names: str) -> Size:
        """Bound the size of the differences of two formalisms' forces as polynomials, for the error probability."""
        sizes = self._sample.sizes
        known, common = sizes.over_one(self._all)

        def number(x: Expression) -> Over:
            return known[self._places[x]]

        def write(results: Sequence[Expression], places: Mapping[str, int]) -> Function:
            return in_degrees(results, places, number)

        largest = NO_SIZE
        for name in names:
            run = self._runs[name]
            forces = run.forces(known, run.steps(write), NO_SIZE)
            for found in (*forces, *(known[i] for i in run.efforts)):
                largest = Over(*map(max, zip(largest, found, strict=True)))
        return sizes.combine(largest._replace(norm=largest.norm + 2), common)


Array = NDArray[np.float64]


def outermost(system: System, beyond: Array) -> str:
    """Return a text that names coordinates that disagree while none farther out does: the difference begins there.

    ``beyond`` (n, C): above one an entry disagrees.
    """
    wrong = {name for name, x in zip(system.coordinate_names, beyond.max(axis=0).tolist(), strict=True) if not x <= 1.0}
    carried: set[str | None] = set()  # bodies that carry one that disagrees
    found = []
    for body in reversed(system.bodies):
        own = [et.coordinate for et in body.joint if et.coordinate in wrong]
        if own and body.name not in carried:
            found.append(f"{own[-1]} (body {body.name})")
        if own or body.name in carried:
            carried.add(body.parent)
    shown = ", ".join(found[::-1][:3]) + (f" and {len(found) - 3} more" if len(found) > 3 else "")
    return f"{len(wrong)} of {len(system.coordinate_names)} entries differ; nothing farther out than {shown} does"
