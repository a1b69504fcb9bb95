"""Integrands as expressions of t, q and q' alone: functions expanded, parameters replaced by numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.checks.scope import SystemScopes
from mbconcord.model.checks.scope import formulas as places
from mbconcord.model.derivation import Derivation, Nested
from mbconcord.model.derivatives import require_parts
from mbconcord.model.diagnostics import Diagnostic, NumbersError, error
from mbconcord.model.expressions import (
    ONE,
    TIME,
    ZERO,
    Expression,
    ExpressionError,
    directional,
    evaluate_float,
    gradient,
    number,
    rate,
    symbol,
    symbols,
    topological,
    undefined_functions,
)
from mbconcord.model.expressions.calculus import Substitution
from mbconcord.model.expressions.traversal import flatten
from mbconcord.model.force import LENGTH, LENGTH_RATE, Bipolar
from mbconcord.model.functions import Definitions
from mbconcord.model.normal_forces import Pressed, hold_across, list_normal_forces
from mbconcord.model.numbers import parameter_values
from mbconcord.model.system import System
from mbconcord.records import dataclass, replace

from ..rows import ConstraintRows, constraint_rows

# Formulas that cannot be integrated, found where they stand in the model: functions that nobody gave, no numbers.


class Put(Protocol):
    """Substitution of formulas for functions and numbers for parameters."""

    def apply(self, outputs: Iterable[Expression]) -> list[Expression]:
        """Rewrite the outputs in t, q and q' alone."""


def require_known(system: System, numbers: Put) -> None:
    """Refuse a model with a formula that has no number, with the place.

    Raises
    ------
    NumbersError
        A function has no formula; a constant has no number.
    """
    findings = [d for place, values, _ in places(SystemScopes(system)) for d in _unknown(place, values, numbers)]
    if findings:
        raise NumbersError(findings)


def _unknown(place: str, values: Iterable[Expression], numbers: Put) -> Iterator[Diagnostic]:
    if place.startswith(("functions/", "parameters/")):  # where they are used, if they are
        return
    try:
        given = numbers.apply(values)
        for name in sorted(undefined_functions(given)):
            yield error(place, f"the function {name}() has no formula", f"define it: {name}(…) = …")
        for node in topological(given):
            if node.constant and node.op not in ("num", "pi"):
                evaluate_float(node, {})
    except (ExpressionError, ArithmeticError) as problem:
        yield error(place, f"a formula has no number: {problem}", "give the parameters values that have a meaning")


#: An array of expressions.
Formula = NDArray[np.object_]


@dataclass(frozen=True)
class Energies:
    """T and Π of the open tree, and the terms of their balance.

    With L = T - Π and H = Σ q'_i ∂T/∂q'_i - L the equations of Lagrange give dH/dt = Q·q' - ∂L/∂t, Q the applied forces
    and the reactions. Without prescribed motions H is T + Π.

    Attributes
    ----------
    kinetic, potential, hamiltonian : T, Π, H (J)
    explicit : ∂L/∂t (W)
    momenta : ∂T/∂q' at q' = 0 (n,), which only prescribed motions cause
    """

    kinetic: Expression
    potential: Expression
    hamiltonian: Expression
    explicit: Expression
    momenta: Formula


@dataclass(frozen=True)
class MotionFormulas:
    """Equations of a system with n coordinates and m constraint rows by a formalism, and the simulation's own rows.

    Attributes
    ----------
    mass (n, n), force (n,), applied (n,) : M; gravity + applied - h; applied alone
    acceleration (n,) : q'' if the formalism solves the open tree itself, else None
    D (m, n), rest (m,) : D and γ̃ of the formalism's rows D q'' + γ̃ = 0
    rows : names of these rows
    closing : the simulation's own m' rows, in k coordinates
    position (m',), slopes (m', k), flow (m',) : f, D = ∂f/∂q and γ of the latter, D q' + γ = 0
    energies : None where no formalism has them
    pressed : equations from which normal forces, symbols in the others, are solved; None if the system has none
    """

    formalism: str
    mass: Formula
    force: Formula
    applied: Formula
    acceleration: Formula | None
    D: Formula
    rest: Formula
    rows: tuple[str, ...]
    closing: ConstraintRows
    position: Formula
    slopes: Formula
    flow: Formula
    energies: Energies | None
    pressed: PressedFormulas | None = None

    def replace_nodes(self, replacements: Mapping[Expression, Expression]) -> MotionFormulas:
        """Replace nodes in the formulas."""
        put = Substitution(replacements)

        def new(value: Formula) -> Formula:
            return array(put.apply(value.ravel().tolist()), value.shape)

        energies = self.energies
        if energies is not None:
            scalars = (energies.kinetic, energies.potential, energies.hamiltonian, energies.explicit)
            kinetic, potential, hamiltonian, explicit = put.apply(scalars)
            energies = Energies(kinetic, potential, hamiltonian, explicit, new(energies.momenta))
        return MotionFormulas(
            self.formalism, new(self.mass), new(self.force), new(self.applied),
            None if self.acceleration is None else new(self.acceleration), new(self.D), new(self.rest),
            self.rows, self.closing, new(self.position), new(self.slopes), new(self.flow), energies,
            replace(self.pressed, formulas=self.pressed.formulas.replace_nodes(replacements)) if self.pressed else None,
        )  # fmt: skip

    def every(self) -> list[Expression]:
        """List all expressions in the formulas."""
        arrays = (self.mass, self.force, self.D, self.rest, self.position, self.slopes, self.flow)
        found = [x for value in arrays for x in value.ravel()]
        if self.energies is not None:
            found += [self.energies.kinetic, self.energies.potential, *self.energies.momenta]
        return found + self.pressed.formulas.every() if self.pressed else found


@dataclass(frozen=True)
class PressedFormulas:
    """Equations of a system with rows that press: their multipliers give the normal forces.

    Attributes
    ----------
    of : the system, names of normal forces, and the rows that press
    formulas : equations of that system by the same formalism
    """

    of: Pressed
    formulas: MotionFormulas


class EquationNumbers:
    """Substitution of formulas for functions and numbers for parameters."""

    def __init__(
        self, system: System, parameters: Mapping[str, float], varied: Mapping[str, Expression] | None = None,
        kept: Collection[str] = (),
    ) -> None:  # fmt: skip
        """Collect numbers of parameters; ``varied`` adds terms to some, which formulas of these contain too.

        Parameters in ``kept`` stay symbols.
        """
        laws = {p.name: p.varies for p in system.parameters if p.varies is not None and p.name not in parameters}
        values = parameter_values(system, dict(parameters) | dict.fromkeys(laws, 1.0))  # 1 until its law is put in
        given = {p.name: p.value for p in system.parameters if p.name not in parameters}
        self._functions = Definitions(system.functions)
        known = {symbol(name): _exact(given.get(name), value) for name, value in values.items() if name not in kept}
        timed = Substitution(known).apply(self._functions.apply(laws.values()))
        known |= dict(zip(map(symbol, laws), timed, strict=True))
        added = {symbol(name): known[symbol(name)] for name in laws}
        added |= {symbol(name): known[symbol(name)] + u for name, u in (varied or {}).items()}
        while added:
            known |= added
            formulas = {symbol(n): x for n, x in given.items() if x is not None and symbol(n) not in added}
            among = {
                name
                for name, x in formulas.items()
                if symbols(self._functions.apply([x])) & {str(y.data) for y in added}
            }
            new = [*among]
            added = dict(
                zip(new, Substitution(known).apply(self._functions.apply(formulas[x] for x in new)), strict=True)
            )
        self._values = Substitution(known)
        self.laws = {x: law for x, law in known.items() if laws and "t" in symbols([law])}

    def apply(self, outputs: Iterable[Expression]) -> list[Expression]:
        """Rewrite the outputs in t, q and q' alone."""
        return self._values.apply(self._functions.apply(outputs))

    def change_energy(self, kinetic: Expression, names: Sequence[str]) -> Expression:
        """Return Σ (∂L/∂μ + ∂H/∂μ) μ' of parameters μ that vary: equations of motion do not differentiate them."""
        if not self.laws:
            return ZERO
        rates = {rate(name): rate(name) for name in names}
        momenta = directional(self._functions.apply([kinetic]), rates)  # Σ q'_i ∂T/∂q'_i = H + L
        flow = zip(self.laws, directional(self.laws.values(), {TIME: ONE}), strict=True)
        return self.apply(directional(momenta, dict(flow)))[0]

    def array(self, value: Nested) -> Formula:
        """Convert a quantity to an array of expressions in t, q and q' alone."""
        flat = np.array(value, dtype=object)
        return array(self.apply(flat.ravel().tolist()), flat.shape)


def _exact(given: Expression | None, value: float) -> Expression:
    """Return a parameter's number as the author wrote it; for a formula, the float of its value."""
    return given if given is not None and given.op == "num" else number(Fraction(value))


def array(values: Iterable[Expression], shape: tuple[int, ...]) -> Formula:
    """Convert expressions to an array of objects."""
    flat = list(values)
    found = np.empty(len(flat), dtype=object)
    found[:] = flat
    return found.reshape(shape)


def formulas(
    system: System, by: Formalism, parameters: Mapping[str, float], kept: Collection[str] = ()
) -> MotionFormulas:
    """Derive the equations of a system by a formalism; normal forces that are ``kept`` are symbols in them.

    Raises
    ------
    FormalismError
        The formalism does not take the model; the message says why.
    NumbersError
        A parameter has no value.
    """
    numbers = EquationNumbers(system, parameters, kept=kept)
    require_known(system, numbers)
    derivation = by.derive_whole(with_limits(system, numbers))
    own, n = derivation.quantities, len(system.coordinates)
    require_parts(derivation)
    closing = constraint_rows(system)
    k, m = len(closing.coordinates), len(derivation.rows)
    solved = not m and "acceleration" in own
    gravity, applied, h = (flatten(own[name]) for name in ("gravity", "applied", "h"))
    balance = (a + b - c for a, b, c in zip(gravity, applied, h, strict=True))
    names = closing.coordinates
    still = dict.fromkeys((rate(name) for name in names), ZERO)
    flow = Substitution(still).apply(row.speed for row in closing.rows)
    count = len(closing.rows)
    pressed = hold_across(system) if kept and list_normal_forces(system) else None
    D = numbers.array(derivation.native["D"]) if m else np.empty((0, n), dtype=object)
    return MotionFormulas(
        by.name,
        numbers.array(own["M"]).reshape(n, n),
        array(numbers.apply(balance), (n,)),
        numbers.array(own["applied"]),
        numbers.array(own["acceleration"]) if solved else None,
        D.reshape(m, n),
        numbers.array(derivation.native["γ̃"]) if m else np.empty(0, dtype=object),
        derivation.rows,
        closing,
        array(numbers.apply(row.position for row in closing.rows), (count,)),
        array(numbers.apply(d for row in closing.rows for d in row.D), (count, k)),
        array(numbers.apply(flow), (count,)),
        _energies(system, derivation, numbers),
        PressedFormulas(pressed, formulas(pressed.system, by, parameters, kept)) if pressed else None,
    )


def with_limits(system: System, numbers: EquationNumbers) -> System:
    """Put numbers into those force laws that vanish with the distance only by these numbers, such as l0 = 0."""
    forces = []
    for force in system.forces:
        if isinstance(force, Bipolar) and force.force_per_length(LENGTH, LENGTH_RATE) is None:
            put = replace(force, law=numbers.apply([force.force(LENGTH, LENGTH_RATE)])[0])
            force = force if put.force_per_length(LENGTH, LENGTH_RATE) is None else put
        forces.append(force)
    return replace(system, forces=tuple(forces))


def _energies(system: System, derivation: Derivation, numbers: EquationNumbers) -> Energies | None:
    """Return the energies from T and Π of the derivation, or of the first formalism that has them; None without."""
    found = energy_of(system, derivation)
    if found is None:
        return None
    kinetic, potential = numbers.apply(found)
    change = numbers.change_energy(found[0], system.coordinate_names)
    rates = [rate(name) for name in system.coordinate_names]
    momenta = gradient(kinetic, rates)
    twice = sum((p * v for p, v in zip(momenta, rates, strict=True)), ZERO)
    (explicit,) = directional([kinetic - potential], {TIME: ONE})
    still = Substitution(dict.fromkeys(rates, ZERO)).apply(momenta)
    return Energies(kinetic, potential, twice - kinetic + potential, explicit - change, array(still, (len(rates),)))


def energy_of(system: System, derivation: Derivation) -> tuple[Expression, Expression] | None:
    """Return T and Π of a system's open tree (J)."""
    open_tree = system.open_loops()
    candidates = (registry.formalism(name) for name in registry.names())
    others = (by.derive(open_tree) for by in candidates if not by.obstacles(open_tree))
    for made in chain((derivation,), others):
        if {"T", "Π"} <= made.native.keys():
            T, potential = made.native["T"], made.native["Π"]
            assert isinstance(T, Expression) and isinstance(potential, Expression)
            return T, potential
    return None
