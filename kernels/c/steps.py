"""The operations of a program in C99, one per line, in functions that take a block of states each.

A block is an array of lanes: number k of lane l is ``x[k * LANES + l]``. The text is included twice: with one lane it
is the function of one state, with several that of a batch. One operation a line, so that no compiler fuses two.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from mbconcord.model.expressions import ExpressionError, evaluate
from mbconcord.model.expressions.interpolant import Interpolant
from mbconcord.model.expressions.node import ADD, FUN, MUL, NEG, POW, SYM
from mbconcord.model.expressions.program import DIV, SUB, Program, ProgramStep

from ..order import is_leaf
from ..split import LENGTH, ProgramPart, Split, split_groups
from .texts import literal

# A program in parts that a C compiler turns into vector code.
#
# Each part is a loop over the lanes of a block of states, and a compiler vectorises such a loop where nothing but
# sums, products and quotients stand in it. So elementary functions have parts of their own: first what the arguments
# of the first functions need, then these functions, then what the arguments of the functions of those need, and so on;
# what no function waits for comes last.


#: Functions that C has as operations of vectors.
PLAIN: Final = ("abs", "sign")


def is_function(step: ProgramStep) -> bool:
    """Return True if a step is a function (sine, root, power …), which is never in one part with other operations."""
    return step.op is POW or (step.op is FUN and step.node.data not in PLAIN)


def split_stages(lines: Program, length: int = LENGTH) -> Split:
    """Split a program into parts of at most ``length`` steps; either all steps of a part are functions or none is."""
    steps = lines.steps
    stage = _stages(lines)
    groups: dict[tuple[int, bool], list[int]] = {}
    for place, step in enumerate(steps):
        if not is_leaf(step):
            groups.setdefault((stage[place], is_function(step)), []).append(place)
    cut = [part for key in sorted(groups) for part in _cut(groups[key], length)]
    return split_groups(lines, cut)


def _stages(lines: Program) -> Sequence[int]:
    """Return stages of steps: for a function the longest chain of functions before it, else the first that needs it."""
    steps = lines.steps
    depth = [0] * len(steps)  # functions on the way to a step, itself included
    for place, step in enumerate(steps):
        below = max((depth[arg] for arg in step.args), default=0)
        depth[place] = below + (is_function(step) and not is_leaf(step))
    last = max(depth, default=0)
    stage = [last] * len(steps)
    for place in range(len(steps) - 1, -1, -1):
        step = steps[place]
        if is_leaf(step):
            continue
        if is_function(step):
            stage[place] = depth[place] - 1
        for arg in step.args:
            stage[arg] = min(stage[arg], stage[place])
    return stage


def _cut(group: Sequence[int], length: int) -> list[Sequence[int]]:
    return [group[first : first + length] for first in range(0, len(group), length)]


_SIGNS: Final = {ADD: "+", SUB: "-", MUL: "*", DIV: "/"}
_LOOP: Final = "    for (int l = 0; l < LANES; ++l) {"


class Steps:
    """Writer of a program's parts.

    Parameters
    ----------
    made : the parts of the program, functions apart from other steps
    state : names of symbols -> places in the array of a state
    parameters : names of symbols -> places in the array of parameters, one for all lanes
    prefix : prefix of names of tables, since one source may include several libraries

    Raises
    ------
    ExpressionError
        A constant is beyond the range of floats.
    """

    def __init__(self, made: Split, state: Mapping[str, int], parameters: Mapping[str, int], prefix: str = "") -> None:
        self.made, self.prefix = made, prefix
        self.steps = made.program.steps
        self.leaves: dict[int, str] = {}
        for place, step in enumerate(self.steps):
            if step.op is SYM:
                name = step.node.data
                lane = f"s[{state[name]} * LANES + l]" if name in state else f"p[{parameters[name]}]"
                self.leaves[place] = lane
            elif is_leaf(step):
                self.leaves[place] = _constant(step)

    @property
    def tables(self) -> dict[Interpolant, str]:
        """Tables that the steps look up -> the names of the C functions that do it."""
        found = dict.fromkeys(s.node.data for s in self.steps if isinstance(s.node.data, Interpolant))
        return {table: f"{self.prefix}table_{i}" for i, table in enumerate(found)}

    def text(self) -> str:
        """Write the functions, and ``run``, which calls them."""
        functions = [self._part(i, part) for i, part in enumerate(self.made.parts)]
        return "\n".join([*functions, self._run()])

    def _part(self, number: int, part: ProgramPart) -> str:
        functions = is_function(self.steps[part.places[0]])
        body = self._functions(part) if functions else self._arithmetic(part)
        return _function(f"part_{number}", [*_mark_unused("s", "p", "r", "w"), *body])

    def _arithmetic(self, part: ProgramPart) -> Iterator[str]:
        named = {place: f"w[{slot} * LANES + l]" for place, slot in part.taken.items()} | self.leaves
        yield _LOOP
        for i, place in enumerate(part.places):
            step = self.steps[place]
            yield f"        const double t{i} = {_operation(step, [named[arg] for arg in step.args])};"
            named[place] = f"t{i}"
        for target, place in _targets(part):
            yield f"        {target} = {named[place]};"
        yield "    }"

    def _functions(self, part: ProgramPart) -> Iterator[str]:
        named = {place: f"w[{slot} * LANES + l]" for place, slot in part.taken.items()} | self.leaves
        tables = self.tables
        turning: dict[int, dict[str, int]] = {}
        targets: dict[int, list[str]] = {}
        for target, place in _targets(part):
            targets.setdefault(place, []).append(target)
        for place in part.places:
            step = self.steps[place]
            if step.op is FUN and step.node.data in ("sin", "cos"):
                turning.setdefault(step.args[0], {})[step.node.data] = place
                continue
            yield _LOOP
            yield f"        const double t = {_write_call(step, [named[arg] for arg in step.args], tables)};"
            yield from (f"        {target} = t;" for target in targets[place])
            yield "    }"
        if turning:
            yield "    double x[LANES], sine[LANES], cosine[LANES];"
        for angle, found in turning.items():
            yield _LOOP
            yield f"        x[l] = {named[angle]};"
            yield "    }"
            yield "    LANED(sincos)(x, sine, cosine);"
            yield _LOOP
            for name, place in found.items():
                value = "sine[l]" if name == "sin" else "cosine[l]"
                yield from (f"        {target} = {value};" for target in targets[place])
            yield "    }"

    def _run(self) -> str:
        """Write the function that calls the parts in order and stores the results that are numbers or symbols."""
        body = list(_mark_unused("s", "p", "r"))
        if self.made.slots:
            body.append(f"    double w[{self.made.slots} * LANES];")
        scratch = "w" if self.made.slots else "NULL"
        body += [f"    LANED(part_{i})(s, p, r, {scratch});" for i in range(len(self.made.parts))]
        if self.made.leaves:
            body.append(_LOOP)
            body += [f"        r[{i} * LANES + l] = {self.leaves[place]};" for i, place in self.made.leaves]
            body.append("    }")
        return _function("run", body, scratch=False)


def _function(name: str, body: Sequence[str], scratch: bool = True) -> str:
    """Write a function of s: state, p: parameters, r: results, w: numbers passed from part to part."""
    last = ",\n    double *restrict w" if scratch else ""
    head = f"static void LANED({name})(const double *restrict s, const double *restrict p, double *restrict r{last})"
    return "\n".join([head, "{", *body, "}", ""])


def _mark_unused(*names: str) -> Iterator[str]:
    yield "    " + " ".join(f"(void){name};" for name in names)


def _targets(part: ProgramPart) -> Iterator[tuple[str, int]]:
    """Yield the destinations of numbers of a part, and their places."""
    for place, slot in part.given.items():
        yield f"w[{slot} * LANES + l]", place
    for result, place in part.results:
        yield f"r[{result} * LANES + l]", place


def _constant(step: ProgramStep) -> str:
    (value,) = evaluate([step.node], {})
    if not math.isfinite(value):
        raise ExpressionError(f"the constant {step.node!r} is beyond the range of floating-point numbers")
    return literal(value)


def _operation(step: ProgramStep, args: Sequence[str]) -> str:
    sign = _SIGNS.get(step.op)
    if sign:
        return f"{args[0]} {sign} {args[1]}"
    if step.op is NEG:
        return f"-{args[0]}"
    if step.node.data == "abs":
        return f"fabs({args[0]})"
    return f"({args[0]} > 0.0) ? 1.0 : ({args[0]} < 0.0) ? -1.0 : {args[0]} * 0.0"


def _write_call(step: ProgramStep, args: Sequence[str], tables: Mapping[Interpolant, str]) -> str:
    data = step.node.data
    name = "pow" if step.op is POW else tables[data] if isinstance(data, Interpolant) else data
    return f"{name}({', '.join(args)})"
