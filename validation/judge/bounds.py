"""Evaluation of a derivation at states, with error bounds: the canonical quantities, values and bounds.

Two witnesses of one system agree in an entry where |a - b| ≤ the sum of their bounds: then the arithmetic of floats
alone explains the difference. Beyond it, it cannot.

>>> given = inputs(system, states)
>>> first, second = (BoundedEquations(d).at(given) for d in derivations)
>>> gap = np.abs(first["M"].values - second["M"].values) / (first["M"].bounds + second["M"].bounds)
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import accumulate, chain, pairwise
from typing import Any

import numpy as np

from mbconcord.model.coordinate import Function
from mbconcord.model.derivation import EFFORT, Derivation, Nested, flatten
from mbconcord.model.evaluation import KEPT, known_program, program_of
from mbconcord.model.expressions import Expression, Operations, count_parts
from mbconcord.model.expressions.bounds import FACTOR, U
from mbconcord.model.expressions.evaluate import run
from mbconcord.model.expressions.levels import levels
from mbconcord.model.expressions.program import Program, extend, part_of, program
from mbconcord.model.functions import define
from mbconcord.model.mixed import find_imposed_accelerations, free
from mbconcord.model.numbers import Instance

from .solutions import Bounded, force, solution
from .uncertainty import Inputs

#: What the equations of motion are made of.
PARTS = ("M", "h", "gravity", "applied")
#: Rows of constraints that a closed derivation has natively: D (m, n) and γ̃ (m) of D q'' + γ̃ = 0.
ROWS = ("D", "γ̃")
#: Accelerations that drives impose, as one more output of the program.
IMPOSED = "imposed"


class BoundedEquations:
    """The quantities of a derivation as one program, for evaluation with bounds at any states.

    Natively delivered rows of constraints, ``D`` and ``γ̃``, are included.

    Attributes
    ----------
    derivation : Derivation
    names : of the coordinates
    quantities : canonical ones that are in the program
    places : quantity -> places of its scalars among the program's outputs

    Raises
    ------
    ExpressionError
        A number of the equations is beyond the range of floats.
    """

    def __init__(self, derivation: Derivation, quantities: Collection[str] | None = None) -> None:
        """Select ``quantities`` of the canonical ones; None: all that the derivation delivers."""
        self.derivation = derivation
        self.quantities = tuple(name for name in derivation.quantities if quantities is None or name in quantities)
        self.names = derivation.system.coordinate_names
        closing = {name: derivation.native[name] for name in ROWS if name in derivation.native}
        drives = find_imposed_accelerations(derivation.system)
        closing |= {IMPOSED: (*drives.values(),)} if drives else {}
        self._free = free(derivation.system)
        self._nested: dict[str, Nested] = {name: derivation.quantities[name] for name in self.quantities}
        self._nested |= closing
        scalars = {name: list(flatten(value)) for name, value in self._nested.items()}
        self._scalars = [x for own in scalars.values() for x in own]
        self.places = _places(scalars)
        beside = [x for name in closing for x in scalars[name]]
        lines = self._program(define(beside, derivation.system.functions))
        self._levels = levels(lines)
        self._kept = lines if self.size <= KEPT else None
        self._needed: dict[tuple[str, ...], Program] = {}
        self._counted = None if self._kept else self._count(lines)

    @property
    def size(self) -> int:
        """Steps of the program."""
        return self._levels.size

    @property
    def program(self) -> Program:
        """Program of all scalars; a large one is not stored, but compiled anew at each access."""
        return self._kept or self.lines(self.derivation.system.functions)

    def evaluate(self, given: Inputs) -> dict[str, Bounded]:
        """Evaluate every quantity: ``M`` (N, n, n), ``D`` (N, m, n), the others (N, n) or (N, m).

        Missing inverse dynamics, accelerations and efforts are completed where M, h and the forces are present.

        Raises
        ------
        ExpressionError
            A symbol or a function has no value.
        """
        return self.whole(self.own(given), given)

    def whole(self, own: Mapping[str, Bounded], given: Inputs) -> dict[str, Bounded]:
        """Return the delivered quantities, with those that follow from them."""
        found = dict(own)
        return complete(found, self._accelerations(given), self._expand_imposed(found.pop(IMPOSED, None)), self._free)

    def own(self, given: Inputs) -> dict[str, Bounded]:
        """Return the delivered quantities, as :meth:`evaluate` has them, without completion."""
        values, bounds = given.run(self._levels)
        found: dict[str, Bounded] = {}
        for name, nested in self._nested.items():
            by_state = (np.ascontiguousarray(x[self.places[name]].T) for x in (values, bounds))
            shape = (given.count, *self._shape(name, nested))
            found[name] = Bounded(*(x.reshape(shape) for x in by_state))
        return found

    def exactly(self, at: Instance, names: Sequence[str]) -> dict[str, list[Any]]:
        """Evaluate quantities at the first state, in the instance's arithmetic.

        Raises
        ------
        ExpressionError
            A symbol has no value, a divisor is zero, or an argument is outside the domain of its function.
        """
        lines = self.program
        own = {name: lines.outputs[self.places[name]] for name in names}
        needed = lines if [*names] == [*self.places] else self._needed.get(tuple(names))
        if needed is None:
            needed = part_of(lines, chain.from_iterable(own.values()))
            self._needed |= {tuple(names): needed} if self._kept else {}  # asked again for other states, or digits
        numbers = iter(run(needed, at.environments[0], at.arithmetic))
        return {name: [next(numbers) for _ in places] for name, places in own.items()}

    def operations(self) -> dict[str, Operations]:
        """Count operations per canonical quantity, and of all together (``"all"``: shared ones count once)."""
        return self._counted or self._count(self.program)

    def _count(self, lines: Program) -> dict[str, Operations]:
        own = {name: lines.outputs[self.places[name]] for name in self.quantities}
        parts = own | {"all": tuple(i for places in own.values() for i in places)}
        return dict(zip(parts, count_parts(lines, parts.values()), strict=True))

    def lines(self, functions: Iterable[Function]) -> Program:
        """Compile the scalars with these functions inserted."""
        return program(define(self._scalars, functions))

    def _program(self, beside: Sequence[Expression]) -> Program:
        """Return the program of the quantities and of formulas ``beside``; part of a compiled one, if possible."""
        whole, derivation = known_program(self.derivation), self.derivation
        if len(self.quantities) == len(derivation.quantities):
            own = whole or program_of(derivation)
        elif whole is not None:
            ends = _places({name: list(flatten(value)) for name, value in derivation.quantities.items()})
            own = part_of(whole, chain.from_iterable(whole.outputs[ends[name]] for name in self.quantities))
        else:
            roots = [x for name in self.quantities for x in flatten(derivation.quantities[name])]
            own = program(define(roots, derivation.system.functions))
        return extend(own, beside) if beside else own

    def _shape(self, name: str, nested: Nested) -> tuple[int, ...]:
        n = len(self.names)
        if name == IMPOSED:
            return (n - len(self._free),)
        if name in ROWS:
            assert isinstance(nested, tuple)
            return (len(nested), n) if name == "D" else (len(nested),)
        return (n, n) if name == "M" else (n,)

    def _expand_imposed(self, known: Bounded | None) -> Bounded | None:
        """Return imposed accelerations (N, n), zero along free coordinates; None if none is imposed."""
        if known is None:
            return None
        places = [i for i in range(len(self.names)) if i not in self._free]
        whole = [np.zeros((len(known.values), len(self.names))) for _ in range(2)]
        for wide, own in zip(whole, (known.values, known.bounds), strict=True):
            wide[:, places] = own
        return Bounded(*whole)

    def _accelerations(self, given: Inputs) -> Bounded:
        """Return the given q'' (N, n)."""
        shape = (len(self.names), given.count)
        columns = ([table[f"{name}''"] for name in self.names] for table in (given.values, given.bounds))
        return Bounded(*(np.ascontiguousarray(np.array(rows, dtype=float).reshape(shape).T) for rows in columns))


def _places(scalars: Mapping[str, Sequence[Expression]]) -> dict[str, slice]:
    """Return slices of each name's scalars among all."""
    ends = accumulate(map(len, scalars.values()), initial=0)
    return {name: slice(*pair) for name, pair in zip(scalars, pairwise(ends), strict=True)}


def evaluate_bounded(derivation: Derivation, given: Inputs) -> dict[str, Bounded]:
    """Evaluate the quantities of a derivation at given inputs; see :class:`BoundedEquations`."""
    return BoundedEquations(derivation).evaluate(given)


def complete(
    quantities: Mapping[str, Bounded], a: Bounded, given: Bounded | None = None, places: Sequence[int] = ()
) -> dict[str, Bounded]:
    """Add missing inverse dynamics M a + h - gravity - applied and accelerations to the quantities.

    If drives impose accelerations, ``given`` (N, n) has them, and zeros at the ``places`` of the free coordinates; then
    the mixed problem is solved: the right side r_F - M_FI a_I is minus the inverse dynamics of ``given``, and the
    efforts are the inverse dynamics of the solution.
    """
    found = dict(quantities)
    if all(name in found for name in PARTS):
        with np.errstate(all="ignore"):
            if "inverse_dynamics" not in found:
                found["inverse_dynamics"] = _inverse_dynamics(found, a)
            if "acceleration" not in found:
                found["acceleration"] = (
                    solution(found["M"], force(found)) if given is None else _solve_mixed(found, given, places)
                )
            if given is not None and EFFORT not in found:
                needed = _inverse_dynamics(found, found["acceleration"])
                for part in (needed.values, needed.bounds):
                    part[:, places] = 0.0
                found[EFFORT] = needed
    return found


def _solve_mixed(q: Mapping[str, Bounded], given: Bounded, places: Sequence[int]) -> Bounded:
    """Solve the mixed problem for accelerations (N, n)."""
    left, own = _inverse_dynamics(q, given), q["M"]
    free = Bounded(own.values[:, places][:, :, places], own.bounds[:, places][:, :, places])
    found = solution(free, Bounded(-left.values[:, places], left.bounds[:, places]))
    values, bounds = given.values.copy(), given.bounds.copy()
    values[:, places], bounds[:, places] = found.values, found.bounds
    return Bounded(values, bounds)


def _inverse_dynamics(q: Mapping[str, Bounded], a: Bounded) -> Bounded:
    mass, rest = q["M"], [q["h"], q["gravity"], q["applied"]]
    h, gravity, applied = rest
    values = np.einsum("sij,sj->si", mass.values, a.values) + h.values - gravity.values - applied.values
    size, about = np.abs(mass.values), np.abs(a.values)
    off = np.einsum("sij,sj->si", mass.bounds, about + a.bounds) + np.einsum("sij,sj->si", size, a.bounds)
    terms = np.einsum("sij,sj->si", size, about)
    for part in rest:
        off, terms = off + part.bounds, terms + np.abs(part.values)
    off = FACTOR * (off + (a.values.shape[1] + 3) * U * terms)
    return Bounded(values, np.where(np.isfinite(values) & np.isfinite(off), off, np.inf))
