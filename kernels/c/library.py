"""Shipped files: a header, a source with the functions of one state and of many, and a file for CMake.

The operations of a program in C99, one per line, in functions that take a block of states each.

A block is an array of lanes: number k of lane l is ``x[k * LANES + l]``. The text is included twice: with one lane it
is the function of one state, with several that of a batch. One operation a line, so that no compiler fuses two.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

from mbconcord.model.expressions import Expression, ExpressionError, evaluate
from mbconcord.model.expressions.code import harmless, write_c_tables
from mbconcord.model.expressions.evaluate import missing_names
from mbconcord.model.expressions.interpolant import Interpolant
from mbconcord.model.expressions.node import ADD, FUN, MUL, NEG, POW, SYM
from mbconcord.model.expressions.program import DIV, SUB, Program, ProgramStep, program
from mbconcord.records import dataclass, field

from ..order import choose_order, is_leaf
from ..split import LENGTH, SHORT, ProgramPart, Split, reciprocals, split_groups
from . import texts as sincos
from .texts import distinct, identifier, literal, template

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


#: What constants of places are not called: other macros and constants.
OWN: Final = (
    "INCLUDED", "STATE", "PARAMETERS", "RESULTS", "LANES", "LIBM", "ONE", "FMA", "TIMES", "LOST", "REACH", "PI_1",
    "PI_2", "PI_3",
)  # fmt: skip
#: States that are computed at once.
LANES: Final = 8


@dataclass(frozen=True)
class Library:
    """A function of a state as C.

    Attributes
    ----------
    name : name of files and functions, converted to an identifier
    about : lines about the computed quantities
    state : symbols of the array of a state, in order: group -> label -> symbol, ``{"v": {"z1": "z1'"}, …}``
    parameters : symbols of the parameters
    results : name of a quantity -> labels of its numbers, such as ``M[z1, z2]``
    outputs : expressions of all numbers of the quantities, in order
    initial : suggested values of the state
    values : values of the parameters; NaN where there is none
    length : largest number of steps in a function
    """

    name: str
    about: Sequence[str]
    state: Mapping[str, Mapping[str, str]]
    parameters: Sequence[str]
    results: Mapping[str, Sequence[str]]
    outputs: Sequence[Expression]
    initial: Sequence[float]
    values: Sequence[float]
    length: int = LENGTH
    plain: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "plain", identifier(self.name))

    @cached_property
    def upper(self) -> str:
        """Prefix of macros and constants in the header."""
        return self.plain.upper()

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        """The symbols of the state, in the order of its array."""
        return tuple(name for group in self.state.values() for name in group.values())

    @cached_property
    def parts(self) -> Split:
        """Program of the outputs in parts, in the order in which they are written in C.

        Raises
        ------
        ExpressionError
            A symbol is neither of the state nor a parameter, or a function has no formula.
        """
        lines = program(self.outputs)
        absent = missing_names(lines, {*self.symbols, *self.parameters}, ())
        if absent:
            raise ExpressionError(f"no C is written for {', '.join(absent)}: no formula is known")
        kept = reciprocals(lines)
        short = sum(not is_leaf(step) for step in kept.steps) < SHORT
        return split_stages(
            choose_order(kept, ("program",) if short else ("program", "press", "pressh"))[1], self.length
        )

    def files(self) -> dict[str, str]:
        """Return the files by name: name of a file -> its text, without the test program."""
        return {
            f"{self.plain}.h": self._header(),
            f"{self.plain}.c": self._source(),
            f"{self.plain}_steps.h": self._steps(),
            "CMakeLists.txt": template("CMakeLists.txt").format(name=self.plain),
        }

    def _header(self) -> str:
        about = "\n   ".join(map(harmless, self.about))
        taken = set(OWN)
        parts = [
            _enumeration("the array of a state", self._prefix_constants(self._places(), "STATE", taken)),
            _enumeration("the array of parameters", self._prefix_constants(self._parameters(), "PARAMETERS", taken)),
            _enumeration("the array of results", self._prefix_constants(self._results(), "RESULTS", taken)),
        ]
        return template("library.h").format(
            name=self.plain,
            N=self.upper,
            about=about,
            places="\n".join(parts),
            lanes=LANES,
            stack=8 * (len(self.symbols) + len(self.outputs) + self.parts.slots),
        )

    def _places(self) -> Iterator[tuple[str, str, int]]:
        """Yield (name, description, length) of the items in the array of a state."""
        for group, symbols in self.state.items():
            yield from ((f"{group}_{label}".rstrip("_"), symbol, 1) for label, symbol in symbols.items())

    def _parameters(self) -> Iterator[tuple[str, str, int]]:
        yield from ((f"p_{name}", name, 1) for name in self.parameters)

    def _results(self) -> Iterator[tuple[str, str, int]]:
        for name, labels in self.results.items():
            shown = labels if len(labels) <= 3 else (labels[0], labels[1], "...", labels[-1])
            yield name, ", ".join(shown), len(labels)

    def _prefix_constants(
        self, places: Iterable[tuple[str, str, int]], total: str, taken: set[str]
    ) -> list[tuple[str, int, str]]:
        """List (constant, its value, comment); the last is the length of the array."""
        listed = list(places)
        found, at = [], 0
        for name, (_, said, length) in zip(distinct((x[0] for x in listed), taken), listed, strict=True):
            found.append((f"{self.upper}_{name}", at, said))
            at += length
        return [*found, (f"{self.upper}_{total}", at, "length")]

    def _source(self) -> str:
        return template("library.c").format(
            name=self.plain,
            N=self.upper,
            lanes=LANES,
            sincos=sincos.definitions(self.upper),
            initial=_write_assignments("state", self.initial),
            values=_write_assignments("parameters", self.values),
        )

    def _steps(self) -> str:
        state = {name: i for i, name in enumerate(self.symbols)}
        parameters = {name: i for i, name in enumerate(self.parameters)}
        steps = Steps(self.parts, state, parameters, f"{self.plain}_")
        text, tables = steps.text(), write_c_tables(steps.tables, steps.prefix)
        turned = any(step.node.data in ("sin", "cos") and not is_leaf(step) for step in self.parts.program.steps)
        own = sincos.function(self.upper) + "\n" if turned else ""
        once = f"#ifndef {self.upper}_TABLES\n#define {self.upper}_TABLES\n\n{tables}#endif\n\n" if tables else ""
        return f"/* Included by {self.plain}.c, once with one lane and once with several. */\n\n{once}{own}{text}"


def _enumeration(what: str, places: Iterable[tuple[str, int, str]]) -> str:
    rows = [f"    {name} = {value}, /* {harmless(said)} */" for name, value, said in places]
    rows[-1] = rows[-1].replace(", /*", " /*", 1)
    return "\n".join([f"/* Places in {what}. */", "enum {", *rows, "};", ""])


def _write_assignments(array: str, values: Sequence[float]) -> str:
    lines = [f"    {array}[{i}] = {literal(value)};" for i, value in enumerate(values)]
    return "\n".join(lines or [f"    (void){array};"])
