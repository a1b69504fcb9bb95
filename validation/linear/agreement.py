"""Reduced matrices by several formalisms, each by its own expressions: in 50 digits they are the same."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.diagnostics import FormalismError
from mbconcord.model.expressions import ExpressionError
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.simulation.linear.equations import Equations, equations
from mbconcord.simulation.linear.equilibrium import Resting
from mbconcord.simulation.linear.linearised import Linearised, units_of
from mbconcord.simulation.linear.reduction import Reduced

from ..judge.evidence import Comparison, Verdict
from ..judge.floats import EXACT, digits
from ..judge.tolerances import AT_REST, LINEAR_DIGITS, LINEAR_SAME
from ..progress import counted
from .exact import Referee, differences, on_constraints, refereed

#: Name of the other side where derivatives are compared with differences.
DIFFERENCES = "differences"
#: What is compared.
MATRICES = ("M", "C", "K", "B")


@dataclass(frozen=True)
class _Witness:
    made: Equations
    found: Referee


def linear_evidence(
    system: System, found: Linearised, formalisms: Sequence[Formalism], inputs: Sequence[str] | None,
    hold: Collection[str] = (),
) -> tuple[Comparison, ...]:  # fmt: skip
    """What other formalisms, differences and 50 digits say of linearised equations.

    Parameters
    ----------
    system, found
    formalisms : those to ask; who cannot take the model, or delivers no equations of motion, is not
    inputs, hold : as they were linearised with
    """
    at, units = on_constraints(system, found.state), None
    witnesses: dict[str, _Witness] = {}
    said: list[Comparison] = []
    for by in counted("formalism", formalisms, lambda f: f.name):
        if by.constraint_obstacles(system) if system.constraints else by.obstacles(system):
            continue
        try:
            made = equations(system, by, found.state.parameters, inputs, sorted(hold))
            floats = made.numbers(_values(made, found.state))
            units = units_of(floats.M) if units is None else units
            witnesses[by.name] = _Witness(made, refereed(made, at, found.choice, floats.D, units))
        except FormalismError:  # it delivers no equations of motion
            continue
        except Exception as problem:  # whatever a formalism raises is evidence against it
            lost = isinstance(problem, ExpressionError)
            verdict: Verdict = "not checked" if lost else "disagrees"
            explanation = f"{type(problem).__name__}: {problem}"
            said.append(Comparison(by.name, "", "linear equations", verdict, explanation=explanation))
    return (*said, *_compared(found, witnesses))


def _values(made: Equations, state: State) -> dict[str, Any]:
    q, v = ([x[name] for name in made.names] for x in (state.q, state.v))
    return made.values(state.t, q, v, [0.0] * len(q), [0.0] * len(made.rows))


def _compared(found: Linearised, witnesses: Mapping[str, _Witness]) -> Iterator[Comparison]:
    if len(witnesses) < 2:
        who = next(iter(witnesses), "")
        reason = f"only {who} delivers it; two are needed" if who else "no formalism delivers it"
        yield Comparison(who, "", "linear equations", "not checked", explanation=reason)
    for (a, x), (b, y) in combinations(witnesses.items(), 2):
        for name in MATRICES:
            yield from _matrix(a, b, name, x.found.reduced, y.found.reduced, found, LINEAR_SAME)
    for name, witness in witnesses.items():
        yield from _by_differences(name, witness)
    own = witnesses.get(found.formalism)
    if own is not None:
        floats = Reduced(found.M, found.C, found.K, found.B, None, None, None)
        for name in MATRICES:
            yield from _matrix(found.formalism, EXACT, name, floats, own.found.reduced, found, LINEAR_DIGITS)


def _matrix(
    a: str, b: str, name: str, x: Reduced, y: Reduced, found: Linearised, tolerance: float
) -> Iterator[Comparison]:  # fmt: skip
    """The entry of a reduced matrix that differs most, in units in which coordinates compare."""
    first, second = getattr(x, name), getattr(y, name)
    if not second.size:
        return
    rows, columns = (
        found.rates,
        {"K": found.positions, "B": [u.name for u in found.inputs]}.get(name, found.rates),
    )
    own = np.sqrt(np.abs(np.diag(y.M).astype(float)))
    of = dict(zip(found.rates, own.tolist(), strict=True))
    right = np.ones(len(columns)) if name == "B" else np.array([of.get(c, 1.0) for c in columns])
    weights = np.outer(own, right)
    yield _worst(
        a, b, f"linear {name}", first, second, weights, _sizes(name, y, weights), (rows, columns), tolerance
    )


def _sizes(name: str, found: Reduced, weights: Any) -> float:
    """How large the entries of a matrix are, in these units: those of C beside the root of those of K, and K beside C².

    What is zero because terms cancel is judged by the terms.
    """

    def largest(matrix: Any) -> float:
        return float((np.abs(matrix.astype(float)) / weights).max(initial=0.0))

    if name == "B":
        return float((np.abs(found.rates.astype(float)).sum(axis=0)[:, None] / weights).max(initial=0.0))
    if name == "M":
        return largest(found.M)
    if found.K.shape != found.C.shape:
        return max(largest(getattr(found, name)), 1e-300)
    k, c = largest(found.K), largest(found.C)
    return max(k, c * c) if name == "K" else max(c, k**0.5)


def _worst(
    a: str, b: str, quantity: str, x: Any, y: Any, weights: Any, size: float, axes: Sequence[Sequence[str]],
    tolerance: float,
) -> Comparison:  # fmt: skip
    gaps = np.abs((x - y).astype(float)) / weights
    place = tuple(int(i) for i in np.unravel_index(int(np.argmax(gaps)), gaps.shape))
    largest = max(size, float((np.abs(y.astype(float)) / weights).max()))
    discrepancy = float(gaps[place]) / largest if largest > 0 else 0.0
    agrees = bool(np.isfinite(discrepancy)) and discrepancy <= tolerance
    entry = tuple(axis[i] for axis, i in zip(axes, place, strict=False))
    explanation = "" if agrees else f"{a}: {_digits(x[place])}; {b}: {_digits(y[place])}"
    return Comparison(
        a, b, quantity, "agrees" if agrees else "disagrees", discrepancy, tolerance,
        scale=largest * float(weights[place]), entry=entry, values=(float(x[place]), float(y[place])),
        explanation=explanation, noticeable=tolerance, zero=not (x.any() or y.any()), claim="linear",
    )  # fmt: skip


def _digits(value: Any) -> str:
    return digits(value) if hasattr(value, "context") else repr(float(value))


def _by_differences(name: str, witness: _Witness) -> Iterator[Comparison]:
    """Derivatives by the graph, against differences of the same equations."""
    rows = [*witness.made.names, *witness.made.rows]
    for what, graph, difference in differences(witness.made, witness.found):
        if graph.size:
            said = f"linear {what} along a direction"
            yield _worst(
                name, DIFFERENCES, said, graph, difference, np.ones(len(graph)), 0.0, (rows,), LINEAR_SAME
            )


def equilibrium_evidence(
    system: System, found: Resting, formalisms: Sequence[Formalism], hold: Collection[str] = ()
) -> tuple[Comparison, ...]:
    """Whether the forces of every formalism balance at an equilibrium, the constraints' own reactions found by each.

    Parameters
    ----------
    system : at rest, at the time of the equilibrium
    found, formalisms, hold
    """
    said = []
    for by in counted("formalism", formalisms, lambda f: f.name):
        if by.constraint_obstacles(system) if system.constraints else by.obstacles(system):
            continue
        try:
            made = equations(system, by, found.state.parameters, (), sorted(hold))
            said.append(_balanced(made, found))
        except FormalismError:  # it delivers no equations of motion
            continue
        except Exception as problem:  # whatever a formalism raises is evidence against it
            explanation = f"{type(problem).__name__}: {problem}"
            said.append(Comparison(by.name, "", "balance", "disagrees", explanation=explanation))
    if len(said) < 2:
        who = said[0].a if said else ""
        reason = f"only {who} delivers it; two are needed" if who else "no formalism delivers it"
        said.append(Comparison(who, "", "balance", "not checked", explanation=reason))
    return tuple(said)


def _balanced(made: Equations, found: Resting) -> Comparison:
    """The forces that a formalism leaves on the admitted motions, by what forces are made of."""
    left = found.shapes.T @ made.numbers(_values(made, found.state)).force
    part = np.abs(left) * found.units / found.size if found.size > 0 else np.abs(left)
    i = int(np.argmax(part)) if len(part) else 0
    worst = float(part[i]) if len(part) else 0.0
    agrees = worst <= AT_REST
    return Comparison(
        made.formalism, "equilibrium", "balance", "agrees" if agrees else "disagrees", worst, AT_REST,
        scale=float(found.size / found.units[i]) if len(part) else 0.0, state=found.state,
        entry=(found.rates[i],) if len(part) else (), values=(float(left[i]), 0.0) if len(part) else None,
        explanation="" if agrees else f"{made.formalism} leaves a force of {left[i]:.6g}", claim="linear",
    )  # fmt: skip
