"""Measure, and write docs/performance.json, its picture, and tests/laboratory/performance/performance.md.

    python -m laboratory.performance

The page and its picture with logarithmic axes come from the measurements of one run.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .bench.peers import LIMITS, MOTION, measure
from .bench.peers.mechanisms import ALONG, JACOBIANS

WIDTH, HEIGHT, LEFT, BELOW, RIGHT, TOP = 420.0, 240.0, 60.0, 40.0, 130.0, 12.0
COLOURS = ("#0b6", "#c33", "#36c", "#b80")
Curve = Sequence[tuple[float, float]]


def picture(chains: Sequence[Mapping[str, Any]]) -> str:
    """Draw SVG."""
    curves: dict[str, Curve] = {"here": [(m["coordinates"], m["columns"]) for m in chains]}
    for name in chains[0]["others"]:
        times = ((m["coordinates"], m["others"][name]["time"]) for m in chains)
        found = [(n, time) for n, time in times if time is not None]
        curves |= {name: found} if found else {}
    points = [point for curve in curves.values() for point in curve]
    x = PlotAxis([n for n, _ in points], LEFT, LEFT + WIDTH)
    y = PlotAxis([time for _, time in points], TOP + HEIGHT, TOP)
    size = f"{LEFT + WIDTH + RIGHT:g} {TOP + HEIGHT + BELOW:g}"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" role="img"',
            'font-family="sans-serif" font-size="11">',
            "<title>Nanoseconds per state against the number of bodies</title>",
            f'<rect x="{LEFT:g}" y="{TOP:g}" width="{WIDTH:g}" height="{HEIGHT:g}" fill="none" stroke="#888"/>',
            *_ticks(chains, points, x, y),
            *(line for i, (name, curve) in enumerate(curves.items()) for line in _draw_curve(i, name, curve, x, y)),
            "</svg>\n",
        ]
    )


class PlotAxis:
    """Numbers to places: logarithmic from end to end."""

    def __init__(self, values: Sequence[float], first: float, last: float) -> None:
        self._low, self._high = math.log(min(values)) - 0.15, math.log(max(values)) + 0.15
        self._first, self._last = first, last

    def __call__(self, value: float) -> float:
        """Place a value on the axis."""
        part = (math.log(value) - self._low) / (self._high - self._low)
        return self._first + part * (self._last - self._first)


def _ticks(chains: Sequence[Mapping[str, Any]], points: Curve, x: PlotAxis, y: PlotAxis) -> Iterator[str]:
    for m in chains:
        n = m["coordinates"]
        yield f'<text x="{x(n):.1f}" y="{TOP + HEIGHT + 16:g}" text-anchor="middle">{n}</text>'
    yield f'<text x="{LEFT + WIDTH / 2:g}" y="{TOP + HEIGHT + 32:g}" text-anchor="middle">bodies</text>'
    low, high = (math.log10(end(time for _, time in points)) for end in (min, max))
    for power in range(math.ceil(low), math.floor(high) + 1):
        at = y(10.0**power)
        yield f'<path d="M{LEFT:g} {at:.1f}H{LEFT + WIDTH:g}" stroke="#ddd"/>'
        yield f'<text x="{LEFT - 6:g}" y="{at + 4:.1f}" text-anchor="end">{10**power:,} ns</text>'


def _draw_curve(i: int, name: str, curve: Curve, x: PlotAxis, y: PlotAxis) -> Iterator[str]:
    colour = COLOURS[i % len(COLOURS)]
    places = [f"{x(n):.1f},{y(time):.1f}" for n, time in curve]
    yield f'<polyline points="{" ".join(places)}" fill="none" stroke="{colour}" stroke-width="2"/>'
    n, time = curve[-1]
    yield f'<text x="{x(n) + 8:.1f}" y="{y(time) + 4:.1f}" fill="{colour}">{name}</text>'


QUANTITIES = {
    "inverse_dynamics": "inverse dynamics", "acceleration": "forward dynamics", "M": "M",
    MOTION: "pose and Jacobian of tool0", "dtau_dq, dtau_dv": "slopes of inverse dynamics",
    "da_dq, da_dv, da_dtau": "slopes of forward dynamics", "regressor_nonzero": "regressor, entries not zero",
    "M_lower": "M, lower triangle", ALONG: "and slopes along a direction", JACOBIANS: "and Jacobians",
}  # fmt: skip

HEAD = """# Performance

Equations of motion as [machine code](../../../docs/kernels.md) beside other programs, in one run on one machine.
`make bench` measures this and writes the page, its picture and `docs/performance.json`, with all numbers; `python -m
laboratory.bench peers` prints the same.

## Method

* One core; times are of the processor. Each is the median of seven rounds, in each of which every program has
  its turn of at least 0.02 s. A ratio is the median of the ratios within a round.
* A program is measured if its results at 200 states are those of this program, within 1e-9 of the largest.
* The batch is 10,000 random states in memory: by columns (the states of a coordinate side by side) or by rows.
  Other programs get rows. They go from state to state; the machine code takes eight at once.
* Pinocchio is compiled from its headers with `-O3 -march=native`, with the models' joints alone (up to 15 %
  faster): `rnea`, `aba` and `crba` by the faster convention, `computeJointJacobians` and `getFrameJacobian` in
  world axes. MuJoCo: `mj_kinematics`, `mj_comPos`, then `mj_jacBody`, or `mj_comVel`, `mj_rne`, or `mj_makeM`,
  `mj_factorM`, `mj_solveM`. CasADi generates C of the same operations, with these flags.
* With constraints there are no springs and drives, states are on the constraints, and Pinocchio's
  `constraintDynamics` (`computeConstraintDynamicsDerivatives`) is the fastest of eight ways within 1e-9: axes of body
  or world; singular rows not softened, or by 1e-12, 1e-10, 1e-8 in 1, 3, 5 turns. Of slopes only the
  accelerations beside them are compared: across the constraints slopes depend on how rows are written.
* `pip install 'mbconcord[peers]'`, or `MBCONCORD_PEERS` names another `site-packages`; and a compiler.
"""


def page(results: Mapping[str, Any]) -> str:
    """Write the text."""
    return "\n".join(_parts(results)) + "\n"


def _parts(results: Mapping[str, Any]) -> Iterator[str]:
    yield HEAD
    yield from _table(("machine", ""), results["machine"].items())
    yield ""
    yield from _table(("program", "version"), results["versions"].items())
    names = list(results["batches"][0]["others"])
    yield "\n## Batches\n\nNanoseconds per state. *Near* is the time of 480 states by columns, again and again: what a"
    yield "batch takes longer, it waits for memory, which other work on the machine uses too.\n"
    yield from _table(("", "columns", "rows", "near", *names), (_times(m, names) for m in results["batches"]))
    yield "\nHow many times as fast as the others, from columns / from rows; in brackets what is claimed, bold what is"
    yield "missed.\n"
    yield from _table(("", *names), (_ratios(m, names) for m in (*results["batches"], *results["chains"])))
    yield "\n## Machines with constraints\n"
    yield 'As above: nanoseconds per state, then how many times as fast; `compile(model, …, parameters="fixed")`.\n'
    closed = results["mechanisms"]
    yield from _table(("", "columns", "rows", "near", *names), (_times(m, names) for m in closed))
    yield ""
    yield from _table(("", *names), (_ratios(m, names) for m in closed))
    yield "\n## Claims beside no program\n"
    shown = (
        (row["claim"], f"{number(row['measured'])} {row['unit']}", _limit(row), row["note"])
        for row in results["claims"]
    )
    yield from _table(("", "measured", "claimed", ""), shown)
    yield "\n## Before the first state\n"
    yield "Operations after common parts are shared, seconds to derive the quantity and to compile it, nanoseconds of"
    yield "one state in bound arrays.\n"
    header = ("", "multiplications", "additions", "derived, s", "compiled, s", "one state, ns")
    yield from _table(header, (_costs(m) for m in (*results["batches"], *closed)))
    yield "\n## Against the number of bodies\n"
    yield "Inverse dynamics of chains about x, y and z in turn, with full tensors; nanoseconds per state, by columns.\n"
    header = ("bodies", "operations", "derived, s", "compiled, s", "here", *names)
    yield from _table(header, (_chain(m, names) for m in results["chains"]))
    yield "\n![Nanoseconds per state against the number of bodies](../../../docs/pictures/performance.svg)"
    yield "\n## Derivation beside SymPy\n"
    yield "M, h and Q of a planar pendulum with symbolic lengths and masses, by Lagrange's equations here and by"
    yield "`LagrangesMethod` there; seconds.\n"
    pendulums = ((p["links"], f"{p['here']:.4f}", f"{p['sympy']:.2f}") for p in results["pendulums"])
    yield from _table(("links", "here", "SymPy"), pendulums)


def _table(header: Sequence[object], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    yield f"| {' | '.join(map(str, header))} |"
    yield "|---" * len(header) + "|"
    for row in rows:
        yield f"| {' | '.join(map(str, row))} |"


def _what(measured: Mapping[str, Any]) -> str:
    return f"{measured['model']}, {QUANTITIES[measured['quantity']]}"


def number(value: float) -> str:
    """Format three digits, no decimals beyond 100."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _time(other: Mapping[str, Any]) -> str:
    return other["note"] if other["time"] is None else number(other["time"])


def _times(measured: Mapping[str, Any], names: Iterable[str]) -> list[str]:
    own = (number(measured[layout]) for layout in ("columns", "rows", "near"))
    return [_what(measured), *own, *(_time(measured["others"][name]) for name in names)]


def _ratios(measured: Mapping[str, Any], names: Iterable[str]) -> list[str]:
    claimed = LIMITS.get((measured["model"], measured["quantity"]))
    cells = [_what(measured)]
    for name in names:
        faster = measured["others"][name]["faster"]
        limits = (claimed if name.startswith("Pinocchio") else None) or (None, None)
        cells.append(" / ".join(map(ratio, faster or (), limits)))
    return cells


def _limit(row: Mapping[str, Any]) -> str:
    bound = "" if row["limit"] is None else f"{'≤' if row['at_most'] else '≥'} {row['limit']:g}"
    return f"**{bound}**" if row["met"] is False else bound


def ratio(value: float, limit: float | None) -> str:
    """Format with its limit, bold if missed."""
    if limit is None:
        return number(value)
    shown = number(value) if value >= limit else f"**{number(value)}**"
    return f"{shown} (≥ {limit:g})"


def _costs(m: Mapping[str, Any]) -> list[str]:
    return [
        _what(m), f"{m['multiplications']:,}", f"{m['additions']:,}",
        f"{m['derived']:.4f}", f"{m['compiled']:.2f}", number(m["one"]),
    ]  # fmt: skip


def _chain(m: Mapping[str, Any], names: Iterable[str]) -> list[str]:
    operations = m["multiplications"] + m["additions"]
    own = [f"{operations:,}", f"{m['derived']:.3f}", f"{m['compiled']:.2f}", number(m["columns"])]
    return [str(m["coordinates"]), *own, *(_time(m["others"][name]) for name in names)]


DOCS, PAGE = (Path(__file__).parents[1] / name for name in ("docs", "tests/laboratory/performance/performance.md"))


def main() -> None:
    """Measure everything, then write the files."""
    results = asdict(measure())
    text = json.dumps(results, indent=1, ensure_ascii=False) + "\n"
    (DOCS / "performance.json").write_text(text, encoding="utf-8")
    read = json.loads(text)
    PAGE.write_text(page(read), encoding="utf-8")
    (DOCS / "pictures" / "performance.svg").write_text(picture(read["chains"]), encoding="utf-8")


if __name__ == "__main__":
    main()
