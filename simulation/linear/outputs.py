"""Outputs of a linearised system, y = C x + D u: coordinates, rates, accelerations and kinematic quantities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.diagnostics import NumbersError, among, error
from mbconcord.model.expressions import Expression, ExpressionError, evaluate, rate, symbol
from mbconcord.model.expressions.calculus import jacobian
from mbconcord.model.expressions.traversal import flatten
from mbconcord.model.force import Point
from mbconcord.model.kinematics import PointMotion, express_kinematics, read_kinematics
from mbconcord.model.system import System

from ..motion.arrays import Array
from ..motion.formulas import EquationNumbers
from .linearised import Linearised

#: Between a quantity and its entry.
ENTRY: Final = "."


def output_names(system: System, wanted: Sequence[str] | None) -> list[str]:
    """List the entries of outputs by name, ``velocity(hand).x``; None: all coordinates and their rates.

    Raises
    ------
    NumbersError
        A name is no coordinate, rate, acceleration or kinematic quantity; the message names similar ones.
    """
    names = system.coordinate_names
    plain = [*names, *(f"{n}'" for n in names), *(f"{n}''" for n in names)]
    if wanted is None:
        return plain[: 2 * len(names)]
    found: list[str] = []
    for name in wanted:
        whole, entry = _split(name)
        if name in plain:
            found.append(name)
            continue
        known = read_kinematics(system, [whole], "outputs").get(whole)
        if known is None:
            raise NumbersError(error(f"outputs/{name}", "there is none", among(name, [*plain, "velocity(BODY)"])))
        entries = [ENTRY.join(each) for each in known.entries(system)]
        if entry and entry not in entries:
            raise NumbersError(error(f"outputs/{name}", f"it has no entry {entry!r}", among(entry, entries)))
        found += [name] if entry or entries == [""] else [f"{whole}{ENTRY}{each}" for each in entries]
    return found


def _split(name: str) -> tuple[str, str]:
    """Split a name into a quantity and its entry, which may be empty."""
    head, _, entry = name.rpartition(ENTRY)
    return (head, entry) if head and ")" not in entry else (name, "")


def outputs(
    system: System, by: Formalism, found: Linearised, parameters: Mapping[str, float], names: Sequence[str]
) -> tuple[Array, Array, Array, Array]:
    """Return C (y, d + p) and D (y, k) by a formalism's own motions of points, and the sums of their absolute terms.

    Raises
    ------
    NumbersError
        An output has no derivative at the state.
    """
    numbers = EquationNumbers(system, parameters, {u.name: symbol(u.symbol) for u in found.inputs if u.is_parameter})
    own = system.coordinate_names
    formulas = numbers.apply(_formulas(system, by, names))
    variables = [symbol(n) if not k else rate(n, k) for k in range(3) for n in own]
    slopes = jacobian(formulas, [*variables, *(symbol(u.symbol) for u in found.inputs)])
    values = {"t": found.state.t} | {u.symbol: 0.0 for u in found.inputs}
    for k, at in enumerate((found.state.q, found.state.v, dict(zip(own, found.acceleration.tolist(), strict=True)))):
        values |= {n + "'" * k: float(at[n]) for n in own}
    n = len(own)
    try:
        flat = evaluate([x for row in slopes for x in row], values)
    except ExpressionError as problem:
        raise NumbersError(error("outputs", f"no derivative at the state: {problem}", "move the state away")) from None
    J = np.array(flat, dtype=float).reshape(len(names), 3 * n + len(found.inputs))
    q, v, a, u = found.moves
    by_x = np.vstack([q, v, a])
    C, D = J[:, : 3 * n] @ by_x, J[:, 2 * n : 3 * n] @ u + J[:, 3 * n :]
    sizes = np.abs(J[:, : 3 * n]) @ np.abs(by_x), np.abs(J[:, 2 * n : 3 * n]) @ np.abs(u) + np.abs(J[:, 3 * n :])
    return C + 0.0, D + 0.0, *sizes


def _formulas(system: System, by: Formalism, names: Sequence[str]) -> Iterator[Expression]:
    """Yield the formula of each entry by a formalism."""

    def motions(points: Sequence[Point]) -> Sequence[PointMotion]:
        return by.motions(system.open_loops(), points) or ()

    asked = read_kinematics(system, dict.fromkeys(_split(name)[0] for name in names))
    made = express_kinematics(system, motions, asked)
    entries = {
        name: dict(zip(map(ENTRY.join, x.entries(system)), flatten(made[name]), strict=True))
        for name, x in asked.items()
    }
    for name in names:
        whole, entry = _split(name)
        yield entries[whole][entry] if whole in entries else symbol(name)
