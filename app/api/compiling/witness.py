"""Comparison of results of compiled equations with the interpreter: delivered quantities, and those solved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, partial
from typing import Any, Final

import numpy as np

from mbconcord.kernels.arrays import ArrayFunction
from mbconcord.kernels.links.function import LinkFunction
from mbconcord.model.derivation import EFFORT, Derivation, Nested, flatten
from mbconcord.model.derivatives import ALONG, CHANGE
from mbconcord.model.derivatives import inverse_dynamics as derive_inverse
from mbconcord.model.diagnostics import Diagnostic, DisagreementError, error
from mbconcord.model.evaluation import Array
from mbconcord.model.expressions import Arithmetic, ExpressionError, evaluate, mpmath_arithmetic
from mbconcord.model.expressions.bounds import run_bounds
from mbconcord.model.expressions.evaluate import run
from mbconcord.model.expressions.levels import Levels, levels
from mbconcord.model.expressions.program import Program, program
from mbconcord.model.functions import define
from mbconcord.model.mixed import find_imposed_accelerations, free
from mbconcord.model.recursion import ACCELERATION, AMOUNT, FIXED, RATE, Recursion, carrier, number_of, own
from mbconcord.model.system import System

from ..interpreted import REMEDY, WITNESS, Interpreted, Points, not_compared, note_comparison

# Inverse dynamics by steps of links, interpreted link after link: what code of such steps is compared with.
#
# The loop is its own: the expressions of each step by the interpreter, with running error bounds that go from link to
# link. These grow by |cos| + |sin| at every turn of axes, so they say little of the last links of longer chains.


#: Largest number of links that are interpreted, which takes a third of a millisecond each.
MOST: Final = 300
#: Values and bounds (n,) of a symbol; initial content of a memory.
Number = tuple[Any, Any]
NOTHING: Final[Number] = (0.0, 0.0)
MOTION: Final = tuple(x.data for x in (AMOUNT, RATE, ACCELERATION))
EPSILON: Final = 2.0**-52


def note_of(function: LinkFunction, by: str) -> Diagnostic:
    """Return a note on the comparison of a function's numbers, or that it has too many links to be compared."""
    recursion = function.layout.recursion
    links = len(recursion.links)
    if links > MOST:
        reason = f"{links} links, and {MOST} are interpreted at the most"
        return not_compared(reason, "mbconcord check FILE compares formalisms link by link")
    return note_comparison(f"{by}, link by link", recursion.coordinates)


class InterpretedLinks(Points):
    """Inverse dynamics by the interpreter, link after link, with bounds of its rounding."""

    def __init__(self, function: LinkFunction) -> None:
        super().__init__(function.system)
        self._function = function
        self.rows, self.bounds = self._interpret(self.values, _run_with_bounds, np.zeros(self.count))
        one = np.zeros(1, dtype=object)
        self.compare_digits(
            lambda at, digits: self._interpret(at, partial(_run_in_digits, digits), one)[0, :, 0],
            [f"inverse_dynamics[{name}]" for name in self.coordinates],
        )

    def note(self, by: str) -> Diagnostic:
        """Return a note on the comparison; bounds beyond the largest force, at most of the states, are none."""
        blind = (self.bounds > np.abs(self.rows).max(axis=0, initial=0.0)).sum(axis=1) > self.count / 2
        return note_comparison(by, len(self.rows), int(blind.sum()))

    def has(self, quantity: str) -> bool:
        """Return True: inverse dynamics is the only quantity that is compared here."""
        return True

    def array(self, quantity: str) -> tuple[Array, Array]:
        """Return inverse dynamics and its error bounds, (9, C) each."""
        return self.rows.T, self.bounds.T

    def _interpret(self, values: Mapping[str, Any], run_lines: Runner, zeros: Array) -> Array:
        """Return the forces minus the efforts of drives, and their error bounds, (2, C, states), like ``zeros``."""
        recursion = self._function.layout.recursion
        links = recursion.links
        formulas = [x for link in links for x in (*link.numbers, *(link.motion or ()))]
        wanted = define([*recursion.ground.values(), *formulas, *recursion.efforts], self._function.system.functions)
        taken = run_lines(_plan_lines(wanted), {name: (x, 0.0) for name, x in values.items()})
        fixed = {slot: next(taken) for slot in recursion.ground}
        known = []
        for link in links:
            own_numbers = {number_of(i).data: next(taken) for i in range(len(link.numbers))}
            if link.coordinate is None:
                motion = [next(taken) for _ in MOTION]
            else:
                name = self.coordinates[link.coordinate]
                motion = [(values[name + mark], 0.0) for mark in ("", "'", "''")]
            known.append(own_numbers | dict(zip(MOTION, motion, strict=True)))
        efforts = [*taken]
        found = np.tile(zeros, (2, len(efforts), 1))
        for i, number in _walk(recursion, fixed, known, run_lines):
            found[0, i], found[1, i] = number
        for (value, bound), (effort, off) in zip(np.moveaxis(found, 1, 0), efforts, strict=True):
            bound += off + EPSILON * np.abs(value)
            value -= effort
        return found


#: A program, and its levels; a function that runs it at values of symbols and yields results, all with bounds.
Lines = tuple[Program, Levels]
Runner = Callable[[Lines, Mapping[str, Number]], Iterator[Number]]


def _plan_lines(outputs: Iterable[Any]) -> Lines:
    lines = program([*outputs])
    return lines, levels(lines)


def _run_with_bounds(lines: Lines, known: Mapping[str, Number]) -> Iterator[Number]:
    values, bounds = ({name: known[name][k] for name in lines[1].symbols} for k in (0, 1))
    return iter(zip(*run_bounds(lines[1], values, bounds), strict=True))


def _run_in_digits(digits: Arithmetic, lines: Lines, known: Mapping[str, Number]) -> Iterator[Number]:
    return ((x, 0.0) for x in run(lines[0], {name: x for name, (x, _) in known.items()}, digits))


def _walk(
    recursion: Recursion, fixed: Mapping[str, Number], known: Sequence[Mapping[str, Number]], run_lines: Runner
) -> Iterator[tuple[int, Number]]:
    """Run the recursion over the links; yield each coordinate's number and the force along it with its bound."""
    slots = recursion.slots
    memory = [dict.fromkeys(slots, NOTHING) for _ in range(len(known) + 1)]
    memory[FIXED] |= fixed
    names = [(own(slot).data, carrier(slot).data, slot) for slot in slots]
    lines = cache(lambda kind, turn: _plan_lines(recursion.kinds[kind].steps[turn].results))
    for turn, inward in enumerate(recursion.inward):
        order = range(len(known))
        for i in reversed(order) if inward else order:
            link = recursion.links[i]
            step = recursion.kinds[link.kind].steps[turn]
            mine, below = memory[i], memory[link.carrier]
            given = {**known[i]}
            for here, there, slot in names:
                given[here], given[there] = mine[slot], below[slot]
            found = run_lines(lines(link.kind, turn), given)
            mine |= {slot: next(found) for slot in step.own}
            below |= {slot: next(found) for slot in step.carrier}
            if step.force is not None and link.coordinate is not None:
                yield link.coordinate, next(found)


#: Unit roundoff of a double.
U = 2.0**-53
#: Rounding that sums of n products, or solutions of n equations, may have, in units of n U times the size of the terms.
LOSS = 64.0
#: Part by which changes along a direction may differ from differences in 50 digits.
ALONG_ROUNDING = 1e-12


def compare_delivered(known: Points, by: str, found: Mapping[str, Array]) -> None:
    """Compare the quantities that the derivation delivers with known numbers."""
    for name, array in found.items():
        known.compare(by, name, array, *known.array(name))


def compare_made(known: Points, by: str, system: System, names: Iterable[str], found: Mapping[str, Array]) -> None:
    """Compare quantities computed from M, h and forces; accelerations and efforts by the equations that they solve."""
    own = [name for name in names if not known.has(name)]
    if not own:
        return
    (mass, mass_off), (right, right_off, right_size) = known.array("M"), _right(known)
    n = mass.shape[1]
    if "inverse_dynamics" in own:
        a = known.operand([f"{name}''" for name in system.coordinate_names])
        value = np.array([m @ x for m, x in zip(mass, a, strict=True)]) - right
        size = np.einsum("sij,sj->si", np.abs(mass), np.abs(a)) + right_size
        off = np.einsum("sij,sj->si", mass_off, np.abs(a)) + right_off + LOSS * n * U * size
        known.compare(by, "inverse_dynamics", found["inverse_dynamics"], value, off)
    if not {"acceleration", EFFORT} & {*own}:
        return
    a = found["acceleration"]
    with np.errstate(all="ignore"):
        acting = np.array([m @ x for m, x in zip(mass, a, strict=True)]) - found.get(EFFORT, 0.0)
        length = np.sqrt(np.abs(np.einsum("sii->si", mass)))
        largest = np.max(np.abs(a) * length, axis=1, initial=0.0)
        size = np.einsum("sij,sj->si", np.abs(mass), np.abs(a)) + right_size + n * length * largest[:, None]
        off = np.einsum("sij,sj->si", mass_off, np.abs(a)) + right_off + LOSS * n * U * size
    solved: Any = np.isfinite(a).all(axis=1)  # where M is singular there are none, and a finding says so
    known.compare(by, "M acceleration - effort", acting, right, np.where(solved[:, None], off, np.inf))
    places = [i for i in range(n) if i not in free(system)]
    drives = len(find_imposed_accelerations(system))
    if drives and isinstance(known, Interpreted):
        given, doubt = known.rows[-drives:].T, known.bounds[-drives:].T
        known.compare(by, "acceleration", a[:, places], given, np.where(solved[:, None], doubt, np.inf))


def _right(known: Points) -> tuple[Array, Array, Array]:
    """Return gravity + applied - h, its error bound, and the size of its terms."""
    (gravity, a), (applied, b), (h, c) = map(known.array, ("gravity", "applied", "h"))
    size = np.abs(gravity) + np.abs(applied) + np.abs(h)
    return gravity + applied - h, a + b + c, size


def compare_along(derivation: Derivation, names: Iterable[str], acceleration: Nested, values: Mapping[str, Any]) -> str:
    """Compare changes along a direction with differences in 50 digits at the first state where these have a value.

    ``acceleration`` is what changes, solved for but not differentiated; ``values`` are those of symbols, numbers or
    (S,). Return why nothing was compared; empty if it was.

    Raises
    ------
    DisagreementError
        A difference is larger than the step explains.
    """
    of = {"acceleration": acceleration, "inverse_dynamics": derive_inverse(derivation)}
    of["lambda"] = derivation.native.get("lambda", ())
    system, ten, why = derivation.system, mpmath_arithmetic(), "there is no state"
    own = {name: define(flatten(derivation.native[name]), system.functions) for name in names}
    bases = {base: define(flatten(of[base]), system.functions) for base in {ALONG[name][0] for name in own}}
    outputs, h = [x for base in bases.values() for x in base], ten.convert(Fraction(1, 10**12))
    for s in range(max(map(np.size, values.values()))):
        here = {name: ten.convert(float(x[s]) if np.ndim(x) else float(x)) for name, x in values.items()}
        moved = [name for name in here if f"{name}{CHANGE}" in here]
        try:
            beside = [
                evaluate(outputs, here | {x: here[x] + k * h * here[f"{x}{CHANGE}"] for x in moved}, ten)
                for k in (-1, 0, 1)
            ]
            found = {name: evaluate(x, here, ten) for name, x in own.items()}
        except (ExpressionError, ArithmeticError) as problem:
            why = str(problem)
            continue
        for name, x in found.items():
            first = sum(len(bases[base]) for base in [*bases][: [*bases].index(ALONG[name][0])])
            low, middle, high = (np.array(y[first : first + len(x)]) for y in beside)
            known = (high - low) / (2 * h) if ALONG[name][1] == 1 else (high - 2 * middle + low) / (h * h)
            size = max(map(abs, (*x, *middle, *known)))
            i = int(np.argmax(np.abs(x - known)))
            if abs(x[i] - known[i]) > ALONG_ROUNDING * (size + ALONG_ROUNDING):
                message = f"the formula gives {float(x[i])!r}, differences in 50 digits {float(known[i])!r}"
                label = (derivation.rows if ALONG[name][0] == "lambda" else system.coordinate_names)[i]
                raise DisagreementError(error(f"{WITNESS}/{name}[{label}]", message, REMEDY))
        return ""
    return why


def compare_arrays(known: Interpreted, made: ArrayFunction) -> dict[str, Array]:
    """Compare a function of plain arrays with the interpreter; return the function's results by name."""
    operands: dict[str, Any] = {
        o.name: known.operand(o.symbols) if o.axis else known.operand(o.symbols)[:, 0] for o in made.operands
    }
    with np.errstate(all="ignore"):
        found = made(**operands)
    arrays = found if isinstance(found, tuple) else (found,)
    by_name = {result.name: array for result, array in zip(made.results, arrays, strict=True)}
    for name, array in by_name.items():
        known.compare(f"{made.backend}, arrays", name, array, *known.array(name))
    return by_name
