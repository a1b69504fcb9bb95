"""Matrices and modes as tables, and what witnesses say of them in a line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from mbconcord.api.linear_analysis.linearize import Linearization
from mbconcord.model.system import System
from mbconcord.reports.table import short, table
from mbconcord.validation.judge.evidence import Comparison, verdict

from ..output import say
from .units import in_units

#: Matrices with more rows are not printed.
LARGEST: Final = 8


def agreed(comparisons: Sequence[Comparison]) -> str:
    """The verdict, its witnesses, and the comparison that came closest to its tolerance."""
    names = dict.fromkeys(name for c in comparisons for name in (c.a, c.b) if name)
    said = verdict(comparisons)
    lines = [f"{said}: {', '.join(names)}"]
    worst = max(comparisons, key=lambda c: c.excess)
    if worst.discrepancy is not None:
        pair = f"{worst.a} and {worst.b}"
        lines[0] += (
            f"; closest {worst.quantity} by {pair}, {short(worst.discrepancy)} of {short(worst.tolerance)}"
        )
    lines += [
        f"{c.quantity}: {c.explanation}" for c in comparisons if c.verdict != "agrees" and c.explanation
    ]
    return "\n".join(lines)


def print_linear(found: Linearization, system: System) -> None:
    """What was linearised where, its modes, its matrices."""
    kind = "in equilibrium" if found.equilibrium else "no equilibrium"
    stability = {True: "stable", False: "unstable", None: "stable but for modes at frequency zero"}[
        found.stable
    ]
    say(f"{found.system}: linear by {found.formalism} at t = {found.state.t:g} s, {kind}, {stability}")
    say(f"independent: {', '.join(found.positions) or 'nothing moves'}")
    if found.positions != found.rates:
        say(f"independent rates: {', '.join(found.rates)}")
    if found.modes:
        headers = ("mode", "kind", "rad/s", "Hz", "damping", "1/s", *found.coordinates)
        say("\n" + table(headers, map(_mode, range(1, len(found.modes) + 1), [found] * len(found.modes))))
    if len(found.rates) > LARGEST:
        say(f"\nmatrices of {len(found.rates)} rows: --json, or --output with .json or .npz")
    else:
        for name in _shown(found):
            _print_matrix(found, name)
    say("\n" + in_units(system, "rows of M, C and K are forces: N along m, N m along rad"))


def _mode(number: int, found: Linearization) -> tuple[str, ...]:
    mode = found.modes[number - 1]
    s = mode.eigenvalue
    eigenvalue = f"{s.real:.6g}" if not s.imag else f"{s.real:.6g} ± {s.imag:.6g}i"
    damping = "-" if np.isnan(mode.damping) else f"{mode.damping:.6g}"
    return (
        str(number), mode.kind, f"{mode.omega:.9g}", f"{mode.hertz:.9g}", damping, eigenvalue,
        *(_amplitude(x) for x in mode.shape.tolist()),
    )  # fmt: skip


def _amplitude(x: complex) -> str:
    """``0.5``; ``0.5∠-30°`` of one that lags."""
    return f"{x.real:.4g}" if not x.imag else f"{abs(x):.4g}∠{np.degrees(np.angle(x)):.4g}°"


def _shown(found: Linearization) -> list[str]:
    """M and the parts of C and K that are not zero; B."""
    names = ["M", "damping", "gyroscopic", "stiffness", "circulatory", "B"]
    arrays = found.arrays()
    return [name for name in names if arrays[name].size and (name == "M" or arrays[name].any())]


def _print_matrix(found: Linearization, name: str) -> None:
    shown = found.matrix(name)
    rows = ((row, *(f"{x:.9g}" for x in shown.loc[row].tolist())) for row in shown.index)
    say("\n" + table((name, *map(str, shown.columns)), rows))
