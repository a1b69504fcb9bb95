"""Own equations and a model's in the same coordinates, with the same parameters, split into the same parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from mbconcord.model.derivation import Derivation, flatten
from mbconcord.model.diagnostics import Diagnostic, MbconcordError, ReadError, among, error
from mbconcord.model.expressions import (
    ONE,
    TIME,
    ZERO,
    Expression,
    call,
    jacobian,
    rate,
    substitute,
    symbol,
    symbols,
    undefined_functions,
)
from mbconcord.model.expressions.calculus import directional
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.functions import define
from mbconcord.model.system import System
from mbconcord.records import dataclass

from ...judge.exact.sameness import values
from .alone import Matrix, TiedEquations, dot, split_forcing
from .equations import OwnEquations

#: What is compared last, and is no formula: the solution of M u' = f.
ACCELERATION: Final = "acceleration"

Exchange = Mapping[Expression, Expression]


@dataclass(frozen=True)
class Tie:
    """The names, coordinates and speeds in which own equations and those of a model are compared.

    Attributes
    ----------
    q, u : coordinates and speeds in which both are compared
    phi : coordinate -> its formula by ``q``
    forward : True if ``phi`` has formulas of the model's coordinates, False if of the author's
    told : matching of names as shown to the user: name -> formula
    """

    system: System
    own: OwnEquations
    q: tuple[str, ...]
    u: tuple[str, ...]
    phi: Mapping[str, Expression]
    rates: Mapping[str, Expression]
    forward: bool
    told: Mapping[str, str]
    weight: tuple[str, ...]

    def tie_own(self, inserted: Exchange | None = None) -> TiedEquations:
        """Return the author's equations in the common coordinates, split into parts."""
        own = self.own
        M, forcing = own.M, own.forcing
        if not self.forward:
            speeds = dict(zip(map(symbol, own.u), map(rate, own.q), strict=True))
            own = own.with_formulas(substitute(own.formulas, speeds))
            M, forcing = self._move(own.q, own.M, own.forcing)
        flat = substitute([*(x for row in M for x in row), *forcing], inserted or {})
        n = len(self.u)
        M = tuple(tuple(flat[i * n : (i + 1) * n]) for i in range(n))
        return split_forcing(M, flat[n * n :], self.u, self._list_weight(inserted))

    def _list_weight(self, inserted: Exchange | None) -> tuple[str, ...]:
        return tuple(name for name in self.weight if symbol(name) not in (inserted or {}))

    def tie_model(self, derivation: Derivation, inserted: Exchange | None = None) -> TiedEquations:
        """Return the equations of a derivation of the model; ``inserted``: numbers of some of its parameters."""
        system = derivation.system
        n = len(system.coordinates)
        Q = derivation.quantities
        flat = [*flatten(Q["M"]), *(x for name in ("h", "gravity", "applied") for x in flatten(Q[name]))]
        flat = substitute(define(flat, system.functions), values(system, list_symbols(system)))
        flat = substitute(flat, inserted or {})
        M = tuple(tuple(flat[i * n : (i + 1) * n]) for i in range(n))
        h, gravity, applied = (flat[k : k + n] for k in range(n * n, n * n + 3 * n, n))
        forcing = tuple(g + a - x for g, a, x in zip(gravity, applied, h, strict=True))
        if self.forward:
            M, forcing = self._move(system.coordinate_names, M, forcing)
        if self.own.dependent:
            M, forcing = self._depend(M, forcing, inserted or {})
        return split_forcing(M, forcing, self.u, self._list_weight(inserted))

    def find_positions(self) -> tuple[list[Expression], list[Expression], list[list[Expression]]]:
        """Return φ, its rate v in terms of the speeds, and ∂v/∂u, for the coordinates that are transformed."""
        names = [*self.phi, *self.rates]
        motion = self._motion()
        at = [*self.phi.values(), *map(symbol, self.rates)]
        v = [*directional(self.phi.values(), motion), *self.rates.values()]
        return at, v, jacobian(v, [symbol(u) for u in self.u]) if names else []

    def find_bias(self) -> list[Expression]:
        """Return the rate of v at u' = 0."""
        return directional(self.find_positions()[1], self._motion())

    def _motion(self) -> dict[Expression, Expression]:
        """Map ``q``, t and coordinates without formula to their rates, as formulas in the speeds."""
        by_speeds = self.own.qdot if self.forward else tuple(map(symbol, self.u))
        found = dict(zip(map(symbol, self.q), by_speeds, strict=True))
        return found | {symbol(x): v for x, v in self.rates.items()} | {TIME: ONE}

    def _depend(
        self, M: Matrix, forcing: Sequence[Expression], inserted: Exchange
    ) -> tuple[Matrix, tuple[Expression, ...]]:
        """Apply the author's velocity constraints to the rows: [1 Aᵀ] times the rows, then the constraints' rates."""
        ties = self.own.with_formulas(substitute(self.own.formulas, inserted)).dependent
        assert ties is not None
        free = len(self.u) - len(ties.b)
        columns, u = list(zip(*ties.A, strict=True)), [symbol(name) for name in self.u]
        below = list(zip(*M[free:], strict=True))
        tied = [
            tuple(x + dot(column, rest) for x, rest in zip(row, below, strict=True))
            for row, column in zip(M, columns, strict=False)
        ]
        forces = [f + dot(column, forcing[free:]) for f, column in zip(forcing, columns, strict=False)]
        speeds = [dot(row, u) + b for row, b in zip(ties.B, ties.b, strict=True)]
        return (*tied, *ties.B), (*forces, *(-x for x in directional(speeds, self._motion())))

    def _move(
        self, names: Sequence[str], M: Matrix, forcing: Sequence[Expression]
    ) -> tuple[Matrix, tuple[Expression, ...]]:
        """Move M x'' = f from coordinates x = φ(q, t): Φᵀ M Φ u' = Φᵀ (f - M σ), σ being x'' at u' = 0."""
        at, v, turn = self.find_positions()
        place = {x: i for i, x in enumerate((*self.phi, *self.rates))}
        order = [place[x] for x in names]
        at, v, turn = [at[i] for i in order], [v[i] for i in order], [turn[i] for i in order]
        sigma = directional(v, self._motion())
        new = dict(zip(map(symbol, names), at, strict=True)) | dict(zip(map(rate, names), v, strict=True))
        n = len(names)
        flat = substitute([*(x for row in M for x in row), *forcing], new)
        M = tuple(tuple(flat[i * n : (i + 1) * n]) for i in range(n))
        rest = [f - dot(row, sigma) for f, row in zip(flat[n * n :], M, strict=True)]
        columns = list(zip(*turn, strict=True))
        moved = [[dot(row, column) for row in M] for column in columns]
        mass = tuple(tuple(dot(left, right) for right in moved) for left in columns)
        return mass, tuple(dot(column, rest) for column in columns)


def list_symbols(system: System) -> frozenset[str]:
    """Name the parameters that stay symbols: all but formulas of others."""
    return frozenset(p.name for p in system.parameters if p.value is None or p.value.constant)


def tie(system: System, own: OwnEquations) -> Tie:
    """Match the names of own equations with a model's.

    Raises
    ------
    MbconcordError
        A name is unknown on both sides, or coordinates cannot be matched; the message lists findings and known names.
    """
    own = _with_parameters(system, own)
    names, known = system.coordinate_names, {p.name for p in system.parameters}
    mine, yours = dict.fromkeys(names), dict.fromkeys(own.q)
    told = {key: _formula(f"coordinates/{key}", text) for key, text in own.coordinates.items()}
    both = [key for key in told if key not in mine and key not in yours]
    if both:
        raise MbconcordError(
            [
                error(f"coordinates/{key}", f"there is no coordinate {key!r}", among(key, (*mine, *yours)))
                for key in both
            ]
        )
    forward = all(key in mine for key in told)
    if not forward and not all(key in yours for key in told):
        one, other = next(k for k in told if k not in yours), next(k for k in told if k not in mine)
        message = f"{one} is the model's and {other} yours: keys are of one side"
        raise MbconcordError(error("coordinates", message, "write formulas of the other side's names"))
    keys, others = (mine, yours) if forward else (yours, mine)
    phi = {x: told.get(x, symbol(x) if x in others else None) for x in keys}
    rates = {key: _formula(f"rates/{key}", text) for key, text in own.rates.items()}
    missing = [x for x, formula in phi.items() if formula is None and x not in rates]
    if missing:
        pairs = ", ".join(f"{a!r}: {b!r}" for a, b in zip(mine, yours, strict=False) if a not in yours)
        message = f"{', '.join(missing)} of {'the model' if forward else 'yours'} is none of {', '.join(others)}"
        raise MbconcordError(error("coordinates", message, f"say what it is, perhaps coordinates={{{pairs}}}"))
    if not forward and (own.dependent or not own.own_rates):
        message = "found your coordinates by the model's, and speeds that are dependent or not their rates"
        raise MbconcordError(error("coordinates", message, "give the model's coordinates by yours"))
    written = values(system, list_symbols(system))
    kept = {x: formula for x, formula in phi.items() if formula is not None}
    kept = dict(zip(kept, substitute(kept.values(), written), strict=True))
    q = tuple(others)
    u = own.u if forward else tuple(f"{x}'" for x in q)
    allowed = {*q, *known, "t"}
    findings = [
        error(f"coordinates/{x}", f"found {name!r} in its formula", among(name, sorted(allowed)))
        for x, formula in phi.items() if formula is not None
        for name in sorted(symbols([formula]) - allowed)
    ] + [
        error(f"rates/{x}", f"found {name!r} in its formula", among(name, sorted({*allowed, *u})))
        for x, formula in rates.items()
        for name in sorted(symbols([formula]) - allowed - {*u} - {*rates})
    ]  # fmt: skip
    findings += [
        error(
            f"rates/{x}", "expected a coordinate of the model that has no formula", among(x, sorted(mine.keys() - kept))
        )
        for x in rates if x in kept or x not in mine or not forward
    ]  # fmt: skip
    findings += [
        error(f"rates/{x}", "one of your speeds has the name of this coordinate of the model", "rename it")
        for x in rates if x in own.u
    ]  # fmt: skip
    if findings:
        raise MbconcordError(findings)
    weight = tuple(x for x in symbols(system.gravity_vector) if _vanishes(system, x)) if system.gravity else ()
    return Tie(
        system, own, q, u, kept, rates, forward,
        {x: str(told.get(x, x)) for x in keys if x in told} | dict(own.rates), weight,
    )  # fmt: skip


def _vanishes(system: System, name: str) -> bool:
    """Return True if there is no gravity where this parameter is zero."""
    return not any(substitute(system.gravity_vector, {symbol(name): ZERO}))


def _formula(place: str, text: str) -> Expression:
    try:
        return parse_formula(str(text))
    except ReadError as problem:
        raise MbconcordError(Diagnostic("error", place, problem.diagnostics[0].message)) from None


def _with_parameters(system: System, own: OwnEquations) -> OwnEquations:
    """Return the equations with the model's names of parameters and inputs.

    Raises
    ------
    MbconcordError
        The meaning of a name is unknown, or a coordinate has the name of a parameter.
    """
    known = {p.name for p in system.parameters}
    functions = {f.name for f in system.functions}
    places = {x: f"{what}/{x}" for what in ("symbols", "inputs") for x in getattr(own, what)}
    meaning = {symbol(x): _formula(places[x], text) for x, text in {**own.symbols, **own.inputs}.items()}
    flat = own.formulas
    moving = {*own.q, *own.u, "t"}
    findings = [
        error(f"coordinates/{x}", "your coordinate has the name of a parameter of the model", "rename it")
        for x in (*own.q, *own.u) if x in known
    ]  # fmt: skip
    there = symbols(flat) - moving
    for told, place in places.items():
        if told not in there and not own.constraints:  # whose names are not looked at
            findings.append(error(place, "no parameter or input of your equations", among(told, sorted(there))))
    for name in sorted(there):
        if name in functions:
            meaning.setdefault(symbol(name), call(name, [TIME]))
        elif name not in known and symbol(name) not in meaning:
            models = ", ".join(sorted(known)) or "no parameters"
            remedy = f"say what it is: symbols={{{name!r}: …}}, or inputs= where it is a function of time"
            findings.append(error("symbols", f"found {name!r} in your equations; the model has {models}", remedy))
    for x, formula in meaning.items():
        for name in sorted(symbols([formula]) - known - {"t"}):
            place = places.get(str(x.data), "symbols")
            findings.append(error(place, f"found {name!r} in its formula", among(name, sorted(known))))
    for name in sorted(undefined_functions(flat) - functions):
        findings.append(error("own", f"found the function {name!r}", "functions of t alone are inputs"))
    if findings:
        raise MbconcordError(findings)
    new = define(substitute(substitute(flat, meaning), values(system, list_symbols(system))), system.functions)
    return own.with_formulas(new)
