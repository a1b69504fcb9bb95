"""Quantities of a derivation as a library in C."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from itertools import chain
from random import Random
from typing import Final

import numpy as np

from mbconcord.kernels.c.library import Library
from mbconcord.kernels.c.trial import StoredNumbers
from mbconcord.model.derivation import Derivation, Nested
from mbconcord.model.derivatives import CHANGE
from mbconcord.model.diagnostics import DisagreementError, NumbersError, error
from mbconcord.model.expressions import ExpressionError, mpmath_arithmetic
from mbconcord.model.expressions.bounds import run_bounds
from mbconcord.model.expressions.evaluate import run
from mbconcord.model.expressions.levels import levels
from mbconcord.model.expressions.program import program
from mbconcord.model.numbers import environment
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.reports.equations.languages import SPELLING
from mbconcord.reports.equations.listing import elements
from mbconcord.reports.equations.source import equations_of, given_numbers, prepare
from mbconcord.validation.judge.states import draw

from ..interpreted import REMEDY, WITNESS

# Numbers that an exported library is tested against, computed in many digits at states that are drawn.


#: Number of random states that are stored.
STATES: Final = 8
DIGITS: Final = 40
#: Smallest and largest angles of further states, rad: those whose sines take long parts of π, and denormals.
FAR: Final = ((1.2e7, 9e8), (-9e8, -1.2e7), (5e-324, 2e-308))
#: Factor on the error bounds, as functions of C libraries may be less accurate than the bounds assume.
ROOM: Final = 2.0
#: Largest bound, as a part of one and the largest result of its state: a wider one would test nothing.
CERTAIN: Final = 1e-3
#: Ends of symbols of a state's groups, so that code which takes one group for another computes other numbers.
ENDS: Final = {"v": "'", "a": "''", "dq": CHANGE, "dv": f"'{CHANGE}"}


def compute_known_numbers(system: System, library: Library, seed: int = 0) -> StoredNumbers:
    """Compute a library's results and rounding bounds at random states; parameters without a value are random, too.

    Raises
    ------
    NumbersError
        At no state do all results have values with bounds below :data:`CERTAIN`.
    DisagreementError
        Floats are farther from many digits than their bounds.
    """
    drawn = draw(system, STATES, seed)
    same = drawn.states[0].parameters
    states, expected, bounds = [], [], []
    plan, lines = levels(library.parts.program), program(library.outputs)
    values: dict[str, float] = {}
    dice = Random(seed)
    direction = {name: dice.uniform(-1.0, 1.0) for name in library.symbols if name.endswith(CHANGE)}
    for state in (*drawn.states, *(_turn_state(drawn.system, drawn.states[0], *span) for span in FAR)):
        found = environment(drawn.system, [replace(state, parameters=same)])[0]
        values = {name: float(x) for name, x in found.items()} | direction
        try:
            exact = run(lines, values, mpmath_arithmetic(DIGITS))
            with np.errstate(all="ignore"):
                rounded, off = run_bounds(plan, values)
        except ExpressionError:
            continue
        bound = ROOM * off[:, 0]
        if not np.all(bound <= CERTAIN * (1.0 + max(abs(x) for x in exact))):
            continue
        labels = chain(*library.results.values())
        for label, x, known, most in zip(labels, rounded[:, 0].tolist(), exact, bound, strict=True):
            if abs(known - x) > most:
                message = f"floats give {x!r}, {DIGITS} digits {float(known)!r}; rounding explains {most:.1e}"
                raise DisagreementError(error(f"{WITNESS}/{label}", message, REMEDY))
        states.append([values[(x or "t") + ENDS.get(key, "")] for key, of in library.state.items() for x in of])
        expected.append([float(x) for x in exact])
        bounds.append(bound.tolist())
    if not states:
        message = f"at none of {STATES} drawn states have all results values that rounding leaves certain"
        raise NumbersError(error(library.name, message, "ask for fewer quantities"))
    return StoredNumbers([values[name] for name in library.parameters], states, expected, bounds)


def _turn_state(system: System, state: State, low: float, high: float) -> State:
    """Return a state whose angles are spread evenly between two limits; other positions stay."""
    names = [name for name in state.q if name in system.angles]
    q = {name: low + (high - low) * (i + 0.5) / len(names) for i, name in enumerate(names)}
    return replace(state, q={**state.q, **q})


def library(derivation: Derivation, quantities: Mapping[str, Nested], name: str) -> Library:
    """Return a library in C, of this name, that computes the quantities."""
    listed = {each: list(elements(derivation, each, value)) for each, value in quantities.items()}
    made = prepare(derivation, [e.expression for group in listed.values() for e in group], quantities)
    values, q, v = given_numbers(derivation.system, made)
    return Library(
        name=name,
        about=(
            f"Equations of motion of {derivation.system.name} by {derivation.formalism}.",
            f"{equations_of(derivation)};",
            "rows of rotations in N m, of translations in N. Angles in rad, lengths in m, times in s.",
        ),
        state={"t": {"": "t"}} | {key: dict(zip(made.coordinates, of, strict=True)) for key, of in made.groups.items()},
        parameters=made.parameters,
        results={SPELLING.get(each, each): [e.label for e in group] for each, group in listed.items()},
        outputs=made.outputs,
        initial=[0.0, *q, *v, *[0.0] * len(made.coordinates) * (len(made.groups) - 2)],
        values=[values.get(each, math.nan) for each in made.parameters],
    )
