"""What is shipped: a header, a source with the functions of one state and of many, and a file for CMake."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from mbconcord.model.expressions import Expression, ExpressionError
from mbconcord.model.expressions.code import harmless
from mbconcord.model.expressions.evaluate import missing_names
from mbconcord.model.expressions.program import program

from ..order import is_leaf, ordered
from ..reciprocals import reciprocals
from ..split import LENGTH, SHORT, Split
from . import sincos
from .stages import staged
from .steps import Steps
from .texts import distinct, identifier, literal

#: What constants of places are not called: other macros and constants.
OWN: Final = (
    "INCLUDED", "STATE", "PARAMETERS", "RESULTS", "LANES", "LIBM", "FMA", "TIMES", "LOST", "REACH", "PI_1", "PI_2",
    "PI_3",
)  # fmt: skip
#: States that are computed at once.
LANES: Final = 8


@dataclass(frozen=True)
class Library:
    """A function of a state as C.

    Attributes
    ----------
    name : what files and functions are called by; made an identifier
    about : lines that say what is computed
    state : the array of a state by groups: group -> label -> symbol, ``{"v": {"z1": "z1'"}, …}``
    parameters : symbols of the parameters
    results : name of a quantity -> labels of its numbers, such as ``M[z1, z2]``
    outputs : the numbers of all quantities in order
    initial : values of the state that a user may begin with
    values : values of the parameters; NaN where there is none
    length : most steps of a function
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
        """What macros and constants begin with."""
        return self.plain.upper()

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        """The symbols of the state, in the order of its array."""
        return tuple(name for group in self.state.values() for name in group.values())

    @cached_property
    def split(self) -> Split:
        """The program as it is written.

        Raises
        ------
        ExpressionError
            A symbol is neither of the state nor a parameter, or a function has no formula.
        """
        lines = program(self.outputs)
        absent = missing_names(lines, (*self.symbols, *self.parameters), ())
        if absent:
            raise ExpressionError(f"no C is written for {', '.join(absent)}: no formula is known")
        kept = reciprocals(lines)
        short = sum(not is_leaf(step) for step in kept.steps) < SHORT
        return staged(
            ordered(kept, ("program",) if short else ("program", "press", "pressh"))[1], self.length
        )

    def files(self) -> dict[str, str]:
        """Name of a file -> its text, without the test program."""
        return {
            f"{self.plain}.h": self._header(),
            f"{self.plain}.c": self._source(),
            f"{self.plain}_steps.h": self._steps(),
            "CMakeLists.txt": CMAKE.format(name=self.plain),
        }

    def _header(self) -> str:
        about = "\n   ".join(map(harmless, self.about))
        taken = set(OWN)
        parts = [
            _enumeration("the array of a state", self._prefixed(self._places(), "STATE", taken)),
            _enumeration("the array of parameters", self._prefixed(self._parameters(), "PARAMETERS", taken)),
            _enumeration("the array of results", self._prefixed(self._results(), "RESULTS", taken)),
        ]
        return HEADER.format(
            name=self.plain,
            N=self.upper,
            about=about,
            places="\n".join(parts),
            lanes=LANES,
            stack=8 * (len(self.symbols) + len(self.outputs) + self.split.slots),
        )

    def _places(self) -> Iterator[tuple[str, str, int]]:
        """(name, what it says, length) of what stands in the array of a state."""
        for group, symbols in self.state.items():
            yield from ((f"{group}_{label}".rstrip("_"), symbol, 1) for label, symbol in symbols.items())

    def _parameters(self) -> Iterator[tuple[str, str, int]]:
        yield from ((f"p_{name}", name, 1) for name in self.parameters)

    def _results(self) -> Iterator[tuple[str, str, int]]:
        for name, labels in self.results.items():
            shown = labels if len(labels) <= 3 else (labels[0], labels[1], "...", labels[-1])
            yield name, ", ".join(shown), len(labels)

    def _prefixed(
        self, places: Iterable[tuple[str, str, int]], total: str, taken: set[str]
    ) -> list[tuple[str, int, str]]:
        """(constant, its value, comment); the last is the length of the array."""
        listed = list(places)
        found, at = [], 0
        for name, (_, said, length) in zip(distinct((x[0] for x in listed), taken), listed, strict=True):
            found.append((f"{self.upper}_{name}", at, said))
            at += length
        return [*found, (f"{self.upper}_{total}", at, "length")]

    def _source(self) -> str:
        return SOURCE.format(
            name=self.plain,
            N=self.upper,
            lanes=LANES,
            sincos=sincos.definitions(self.upper),
            initial=_assigned("state", self.initial),
            values=_assigned("parameters", self.values),
        )

    def _steps(self) -> str:
        state = {name: i for i, name in enumerate(self.symbols)}
        parameters = {name: i for i, name in enumerate(self.parameters)}
        text = Steps(self.split, state, parameters).text()
        turned = any(
            step.node.data in ("sin", "cos") and not is_leaf(step) for step in self.split.program.steps
        )
        own = sincos.function(self.upper) + "\n" if turned else ""
        return f"/* Included by {self.plain}.c, once with one lane and once with several. */\n\n{own}{text}"


def _enumeration(what: str, places: Iterable[tuple[str, int, str]]) -> str:
    rows = [f"    {name} = {value}, /* {harmless(said)} */" for name, value, said in places]
    rows[-1] = rows[-1].replace(", /*", " /*", 1)
    return "\n".join([f"/* Places in {what}. */", "enum {", *rows, "};", ""])


def _assigned(array: str, values: Sequence[float]) -> str:
    lines = [f"    {array}[{i}] = {literal(value)};" for i, value in enumerate(values)]
    return "\n".join(lines or [f"    (void){array};"])


HEADER = """\
/* {about} */

#ifndef {N}_INCLUDED
#define {N}_INCLUDED

#include <stddef.h>

#ifdef __cplusplus
extern "C" {{
#endif

{places}
/* The initial state of the model, and the values of its parameters; NAN where it has none. */
void {name}_initial(double state[]);
void {name}_values(double parameters[]);

/* The results at one state. */
void {name}_evaluate(const double state[], const double parameters[], double results[]);

/* The results at many states, which stand one after the other, as do the results; the same parameters for all.
   {N}_LANES states ({lanes} where the compiler is told no other number) are computed at once, in {stack} bytes of stack
   each. With {N}_LIBM defined sine and cosine are the C library's. */
void {name}_batch(size_t count, const double states[], const double parameters[], double results[]);

#ifdef __cplusplus
}}
#endif

#endif
"""

SOURCE = """\
#include "{name}.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

/* States that a batch takes at once. */
#ifndef {N}_LANES
#define {N}_LANES {lanes}
#endif

{sincos}
#define LANES 1
#define LANED(name) {name}_one_##name
#include "{name}_steps.h"
#undef LANES
#undef LANED

#define LANES {N}_LANES
#define LANED(name) {name}_some_##name
#include "{name}_steps.h"
#undef LANES
#undef LANED

void {name}_initial(double state[])
{{
{initial}
}}

void {name}_values(double parameters[])
{{
{values}
}}

void {name}_evaluate(const double state[], const double parameters[], double results[])
{{
    {name}_one_run(state, parameters, results);
}}

void {name}_batch(size_t count, const double states[], const double parameters[], double results[])
{{
    double s[{N}_STATE * {N}_LANES], r[{N}_RESULTS * {N}_LANES];
    for (size_t first = 0; first < count; first += {N}_LANES) {{
        const size_t left = count - first;
        const size_t lanes = left < {N}_LANES ? left : {N}_LANES;
        for (size_t l = 0; l < {N}_LANES; ++l) {{
            const double *from = states + (first + (l < lanes ? l : lanes - 1)) * {N}_STATE;
            for (size_t k = 0; k < {N}_STATE; ++k) s[k * {N}_LANES + l] = from[k];
        }}
        {name}_some_run(s, parameters, r);
        for (size_t l = 0; l < lanes; ++l) {{
            double *to = results + (first + l) * {N}_RESULTS;
            for (size_t k = 0; k < {N}_RESULTS; ++k) to[k] = r[k * {N}_LANES + l];
        }}
    }}
}}
"""

CMAKE = """\
cmake_minimum_required(VERSION 3.10)
project({name}_equations C)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()

add_library({name}_equations {name}.c {name}.h {name}_steps.h)
target_include_directories({name}_equations PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}})
set_target_properties({name}_equations PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
if(UNIX)
  target_link_libraries({name}_equations PUBLIC m)
endif()

enable_testing()
add_executable({name}_test {name}_test.c)
set_target_properties({name}_test PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
target_link_libraries({name}_test {name}_equations)
add_test(NAME {name} COMMAND {name}_test)
"""
