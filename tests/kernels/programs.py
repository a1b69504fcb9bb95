"""Programs for the tests of what rewrites them: random ones, of models, and written out by hand."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import strategies as st

from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.formalisms.registry import formalism
from mbconcord.kernels.order import is_leaf
from mbconcord.kernels.split import Split
from mbconcord.model.derivation import flatten
from mbconcord.model.expressions import numpy_arithmetic, symbol
from mbconcord.model.expressions.evaluate import run
from mbconcord.model.expressions.node import ADD, SYM
from mbconcord.model.expressions.program import Program, ProgramStep, program
from mbconcord.model.numbers import define
from mbconcord.model.system import System

from ..expressions.graph_states import FUNCTIONS, state
from ..expressions.recipes import expressions

#: Several results over the same symbols, with what they share.
graphs = st.lists(expressions(), min_size=1, max_size=6).map(
    lambda found: [*found, *(a * b for a, b in pairwise(found))]
)


def equations(system: System, *quantities: str) -> Program:
    """The program of quantities of a model by Newton and Euler."""
    derived = formalism("newton_euler").derive(system)
    values = [x for name in quantities for x in flatten(derived.quantities[name])]
    return program(define(values, system.functions))


def robot(name: str) -> System:
    return read(folder("robots") / f"{name}.mbsd").system


def sums(text: str) -> Program:
    """Sums as written, such as ``"s=a+b t=s+c"``, in that order; a letter that nothing makes is a symbol."""
    made = [line.split("=") for line in text.split()]
    names = [name for name, _ in made]
    letters = sorted({x for _, formula in made for x in formula.split("+")} - set(names))
    places = {name: i for i, name in enumerate([*letters, *names])}
    steps = [ProgramStep(SYM, (), symbol(name)) for name in letters]
    steps += [ProgramStep(ADD, tuple(places[x] for x in formula.split("+")), symbol(name)) for name, formula in made]
    return Program(tuple(steps), (len(steps) - 1,))


def require_complete(made: Split) -> None:
    """Every part finds its operands among leaves, its own steps and the slots, as these stand when it is called."""
    steps = made.program.steps
    scratch: list[int | None] = [None] * made.slots
    results = dict(made.leaves)
    assert all(is_leaf(steps[place]) for place in results.values())
    for part in made.parts:
        assert not set(part.taken.values()) & set(part.given.values())
        assert all(scratch[slot] == place for place, slot in part.taken.items())
        known = set(part.taken)
        for place in part.places:
            assert all(is_leaf(steps[arg]) or arg in known for arg in steps[place].args)
            known.add(place)
        for place, slot in part.given.items():
            assert place in part.places
            scratch[slot] = place
        assert all(place in part.places for _, place in part.results)
        results |= dict(part.results)
    assert [results[i] for i in range(len(made.program.outputs))] == list(made.program.outputs)


def numbers(lines: Program, seed: int) -> np.ndarray:
    """The results at a state, NaN and infinity where there is none."""
    values = {name: np.float64(x) for name, x in state(seed).items()}
    with np.errstate(all="ignore"):
        return np.array(run(lines, values, numpy_arithmetic(), FUNCTIONS), dtype=float)


def same_bits(one: np.ndarray, other: np.ndarray) -> bool:
    """Equal, zeros with their signs; NaN equals NaN."""
    equal = (one == other) & (np.signbit(one) == np.signbit(other))
    return bool((equal | (np.isnan(one) & np.isnan(other))).all())
