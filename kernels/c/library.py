"""Shipped files: a header, a source with the functions of one state and of many, and a file for CMake."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

from mbconcord.model.expressions import Expression, ExpressionError
from mbconcord.model.expressions.code import harmless, write_c_tables
from mbconcord.model.expressions.evaluate import missing_names
from mbconcord.model.expressions.program import program
from mbconcord.records import dataclass, field

from ..order import choose_order, is_leaf
from ..split import LENGTH, SHORT, Split, reciprocals
from . import texts as sincos
from .steps import Steps, split_stages
from .texts import distinct, identifier, literal, template

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
