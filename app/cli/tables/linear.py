"""Matrices and modes as tables, a line of the witnesses' judgement, and results of linearize and equilibrium."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from mbconcord.api.linearize import Linearization, RootLocus, StateSpace
from mbconcord.model.system import System
from mbconcord.reports.description import in_units
from mbconcord.reports.table import short, table
from mbconcord.simulation.linear.relative import RelativeMotion
from mbconcord.validation.judge.evidence import Comparison, verdict
from mbconcord.witnessed import list_fields, list_head

from ..output import say, with_head

#: Matrices with more rows are not printed.
LARGEST: Final = 8


def describe_agreement(comparisons: Sequence[Comparison]) -> str:
    """Describe the verdict, its witnesses, and the comparison closest to its tolerance."""
    names = dict.fromkeys(name for c in comparisons for name in (c.a, c.b) if name)
    said = verdict(comparisons)
    lines = [f"{said}: {', '.join(names)}"]
    worst = max(comparisons, key=lambda c: c.excess)
    if worst.discrepancy is not None:
        pair = f"{worst.a} and {worst.b}"
        lines[0] += f"; closest {worst.quantity} by {pair}, {short(worst.discrepancy)} of {short(worst.tolerance)}"
    lines += [f"{c.quantity}: {c.explanation}" for c in comparisons if c.verdict != "agrees" and c.explanation]
    return "\n".join(lines)


def linear_text(found: Linearization, system: System) -> str:
    """Return the text of a linearization: its state, modes, matrices, and matrices of outputs."""
    head = f"{found.system}: linear by {found.formalism} at t = {found.state.t:g} s, {found.standing}"
    lines = [
        head + not_compared(found.comparisons), f"independent: {', '.join(found.positions) or 'nothing moves'}",
    ]  # fmt: skip
    if found.relative:
        lines.insert(1, _describe_neutral(found.relative))
    if found.positions != found.rates:
        lines.append(f"independent rates: {', '.join(found.rates)}")
    if found.periodic:
        rows = ((f"{x.real:.9g}", f"{x.imag:.9g}", f"{abs(x):.9g}") for x in found.periodic.multipliers)
        lines.append("\n" + table(("multiplier", "imaginary", "size"), rows) + "\n")
    if found.kind in ("neither", "periodic"):
        lines.append("modes and matrices of this moment: --json, or --output with .json or .npz")
        return "\n".join(lines)
    if found.modes:
        headers = ("mode", "kind", "rad/s", "Hz", "damping", "1/s", "e-fold s", *found.coordinates)
        modes = map(_mode, range(1, len(found.modes) + 1), [found] * len(found.modes))
        lines.append("\n" + table(headers, modes))
        along, bodies = found.shares
        if bodies and len(found.coordinates) + len(bodies) <= LARGEST:
            headers = ("share of energy", *found.coordinates, *bodies)
            shares = np.hstack([along, np.array([*bodies.values()]).T]).tolist()
            cells = (("-" if x != x else f"{x:.4g}" for x in row) for row in shares)
            lines.append("\n" + table(headers, ((str(k), *row) for k, row in enumerate(cells, 1))))
    if len(found.rates) > LARGEST:
        lines.append(f"\nmatrices of {len(found.rates)} rows: --json, or --output with .json or .npz")
    else:
        lines += (_matrix_text(found, name) for name in _choose_matrices(found))
    if found.relative:
        lines.append("\nA_rel is x' = A_rel x in the frame that moves along; other matrices are those of this moment.")
    if found.space:
        lines.append("\ny = C x + D u:\n" + _output_text(found.space))
    lines.append("\n" + in_units(system, "rows of M, C and K are forces: N along m, N m along rad"))
    return "\n".join(lines)


def sweep_text(found: RootLocus) -> str:
    """Return the text of a sweep: the rightmost eigenvalue at each value, and the crossings."""
    head = f"{found.system}: eigenvalues over {found.name} by {found.formalism}" + not_compared(found.comparisons)
    rows = []
    for row in found.rows:
        if row.spectrum is None:
            rows.append((f"{row.value:.9g}", *["-"] * 4))
            continue
        s = max(row.spectrum.without_rounding, key=lambda s: (s.real, s.imag), default=0j)
        counts = (str(row.spectrum.growing), str(row.spectrum.family))
        rows.append((f"{row.value:.9g}", *counts, f"{s.real:.9g}", f"{abs(s.imag):.9g}"))
    lines = [head, "", table((found.name, "growing", "families", "largest 1/s", "its rad/s"), rows)]
    generators = list(dict.fromkeys(_name_directions(row.spectrum.along) for row in found.rows if row.spectrum))
    lines.append(f"imaginary parts are seen from the frame that moves {'; or '.join(generators)}")
    if found.crossings:
        crossed = (
            (one.kind, f"{one.value:.12g}", f"{one.eigenvalue.imag:.9g}", f"{one.change:+d}" if one.change else "0")
            for one in found.crossings
        )
        lines += ["", table(("crossing", found.name, "rad/s", "growing"), crossed)]
    lines.append(
        "no crossing was found" if not found.crossings else "two crossings within a step that cancel are not seen"
    )
    return "\n".join(lines)


def _name_directions(names: Iterable[str]) -> str:
    return ", ".join(name if " " in name else f"along {name}" for name in names) or "nowhere"


def _describe_neutral(relative: RelativeMotion) -> str:
    """Return a text on the neutral directions of a steady motion, and on families of motions near it."""
    symmetry = f"neutral: {', '.join(relative.symmetry)}" if relative.symmetry else "no neutral direction"
    families = "family" if relative.family == 1 else "families"
    named = f": {', '.join(relative.names)}" if relative.names else ""
    return f"{symmetry}; {relative.family} {families} of modes at frequency zero{named}"


def say_found(
    command: str, found: Any, text: str, read: Callable[[Any, str], Comparison], more: Iterable[str],
    written: str | None, gap: str = "",
) -> Any:  # fmt: skip
    """Print a result and its agreement; return it with the comparison of its text, if it has any other."""
    form, judged = found.to_json(), found.comparisons
    say(with_head(text, list_head(command, (*list_fields(form), *more), judged, bool(judged))))
    if judged:
        found = replace(found, comparisons=(*judged, read(form, text)))
        say(gap + describe_agreement(found.comparisons))
    if written:
        say(f"written: {written}")
    return found


def not_compared(comparisons: Sequence[Comparison]) -> str:
    """Return the words to add to a headline if nothing was compared; else an empty text."""
    return "" if comparisons else "; no witness"


def _mode(number: int, found: Linearization) -> tuple[str, ...]:
    mode = found.modes[number - 1]
    s = mode.eigenvalue
    eigenvalue = f"{s.real:.6g}" if not s.imag else f"{s.real:.6g} ± {s.imag:.6g}i"
    damping = "-" if np.isnan(mode.damping) else f"{mode.damping:.6g}"
    time = "-" if np.isnan(mode.time) else f"{mode.time:.6g}"
    return (
        str(number), mode.kind, f"{mode.omega:.9g}", f"{mode.hertz:.9g}", damping, eigenvalue, time,
        *(_amplitude(x) for x in mode.shape.tolist()),
    )  # fmt: skip


def _amplitude(x: complex) -> str:
    """Format an amplitude: ``0.5``, or ``0.5∠-30°`` with a phase lag."""
    return f"{x.real:.4g}" if not x.imag else f"{abs(x):.4g}∠{np.degrees(np.angle(x)):.4g}°"


def _choose_matrices(found: Linearization) -> list[str]:
    """Return the names of matrices to print: M, and those among parts of C and K, B and A_rel that are not zero."""
    names = ["M", "damping", "gyroscopic", "stiffness", "circulatory", "B", *["A_rel"] * (found.relative is not None)]
    arrays = found.arrays()
    return [name for name in names if arrays[name].size and (name == "M" or arrays[name].any())]


def _matrix_text(found: Linearization, name: str) -> str:
    names, columns = found.names_of(name)
    rows = zip(names, found.arrays()[name].tolist(), strict=True)
    return "\n" + table((name, *columns), ((row, *(f"{x + 0.0:.9g}" for x in line)) for row, line in rows))


def _output_text(space: StateSpace) -> str:
    rows = zip(space.outputs, np.hstack([space.C, space.D]).tolist(), strict=True)
    return table(("output", *space.states, *space.inputs), ((y, *(f"{x:.9g}" for x in line)) for y, line in rows))
