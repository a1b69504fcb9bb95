"""A motion over time as SVG: coordinates, rates, energies and constraint gaps.

Few coordinates share a panel for those in metres and a panel for those in radians. Of many, each has its own small
panel.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from io import StringIO
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mbconcord.records import dataclass
from mbconcord.simulation.motion.trajectory import Trajectory

from ..extras import optional

if TYPE_CHECKING:
    from mbconcord.simulation.linear.sweep import SweptMotion

# The support polygon of a walking machine from above, with the plumb point of its mass centre, as SVG.


def support_plot(
    point: ArrayLike, feet: ArrayLike, polygon: ArrayLike, margin: float, labels: tuple[str, str] = ("x, m", "z, m")
) -> str:
    """Plot the plumb point, the feet (N, 2) and their polygon (K, 2) as SVG; the title states the margin.

    Raises
    ------
    MbconcordError
        matplotlib, of the extra ``plot``, is not installed.
    """
    rc_context = optional("matplotlib", "plot", "drawing a support polygon").rc_context
    figures = optional("matplotlib.figure", "plot", "drawing a support polygon")
    p, at, hull = (np.asarray(given, float) for given in (point, feet, polygon))
    with rc_context({"svg.hashsalt": "mbconcord"}):
        figure: Any = figures.Figure(figsize=(4.5, 4.0))
        axes = figure.add_subplot()
        axes.fill(*hull.T, facecolor="#dbe7f3", edgecolor="#0b66c3")
        axes.plot(*at.T, "o", color="#4a6078", label="feet")
        axes.plot(*p, "x" if margin < 0 else "+", markersize=12, color="#b3261e", label="mass centre")
        axes.set(xlabel=labels[0], ylabel=labels[1], aspect="equal")
        axes.set_title(f"static stability margin {margin:.4g} m")
        axes.legend(loc="best")
        drawn = StringIO()
        figure.savefig(drawn, format="svg", metadata={"Date": None})
    return drawn.getvalue()


def margin_plot(places: Sequence[float], margins: Mapping[str, Sequence[float]], label: str = "row of the gait") -> str:
    """Plot margins of static stability (m) over a gait, a line per payload; below zero the machine falls.

    Parameters
    ----------
    places : values of the horizontal axis: times (s), or numbers of rows
    margins : name of a payload -> its margins at these places (m)
    label : label of the horizontal axis

    Raises
    ------
    MbconcordError
        matplotlib, of the extra ``plot``, is not installed.
    """
    rc_context = optional("matplotlib", "plot", "drawing margins of stability").rc_context
    figures = optional("matplotlib.figure", "plot", "drawing margins of stability")
    with rc_context({"svg.hashsalt": "mbconcord"}):
        figure: Any = figures.Figure(figsize=(6.0, 3.6))
        axes = figure.add_subplot()
        axes.axhline(0, color="#b3261e", linewidth=1)
        for name, values in margins.items():
            axes.plot(places, values, marker="o", markersize=3, label=name)
        axes.set(xlabel=label, ylabel="margin, m")
        least = min((x for values in margins.values() for x in values), default=0.0)
        axes.set_title(f"static stability margin, least {least:.4g} m")
        axes.legend(loc="best")
        drawn = StringIO()
        figure.savefig(drawn, format="svg", metadata={"Date": None})
    return drawn.getvalue()


# Eigenvalues over a parameter or a rate: a root locus, a Campbell diagram.


def sweep_plot(found: SweptMotion) -> str:
    """Plot real and imaginary parts of eigenvalues over the swept quantity, with crossings, as SVG.

    If the swept quantity is a rate of the motion, a line shows where frequencies equal this rate.

    Raises
    ------
    MbconcordError
        matplotlib, of the extra ``plot``, is not installed.
    """
    figures = optional("matplotlib.figure", "plot", "drawing eigenvalues")
    with optional("matplotlib", "plot", "drawing eigenvalues").rc_context(STYLE):
        figure: Any = figures.Figure(figsize=(WIDTH, 6.4))
        upper, lower = figure.subplots(2, 1, sharex=True)
        known = [(row.value, s) for row in found.rows if row.spectrum for s in row.spectrum.values]
        grows = [(x, s) for x, s in known if s.real > 0]
        for axis, what, part in ((upper, "real part, 1/s", "real"), (lower, "imaginary part, rad/s", "imag")):
            axis.plot([x for x, _ in known], [getattr(s, part) for _, s in known], ".", color="#0b66c3", markersize=3)
            axis.plot([x for x, _ in grows], [getattr(s, part) for _, s in grows], ".", color="#b3261e", markersize=3)
            axis.set_ylabel(what)
            axis.grid(alpha=0.3)
            for one in found.crossings:
                axis.axvline(one.value, color="#4a6078", linewidth=0.8, linestyle="--")
        upper.axhline(0, color="#1b2733", linewidth=0.8)
        for one in found.crossings:
            upper.annotate(
                f"{one.kind} {one.value:.9g}", (one.value, 1.0), xycoords=("data", "axes fraction"), rotation=90,
                ha="right", va="top", fontsize=7,
            )  # fmt: skip
        name = found.name.removesuffix("'")
        if name != found.name and all(list(row.spectrum.along) == [name] for row in found.rows if row.spectrum):
            values = [row.value for row in found.rows]
            lower.plot(values, [abs(x) for x in values], color="#4a6078", linewidth=0.8, label=f"|{found.name}|")
            lower.legend(loc="best", fontsize="small", frameon=False)
        lower.set_xlabel(found.name)
        upper.set_title(f"Eigenvalues of {found.system} over {found.name}: {found.formalism}")
        drawn = StringIO()
        figure.savefig(drawn, format="svg", metadata={"Date": None})
    return drawn.getvalue()


Array = NDArray[np.float64]
#: Lines of a panel that are named one by one; of more coordinates each has a panel.
NAMED = 8
#: Coordinates that have small panels: those that move most; so many in a row.
SMALL, COLUMNS = 24, 4
#: Inches of a wide panel and of a small one.
WIDTH, HIGH, LOW, HEADING = 8.5, 1.9, 1.1, 0.2
#: Inches above and below them, and between them.
MARGIN, GAP = 0.45, 0.4
#: Lines of a fan, and its bands: name, lower and upper line, colour.
QUARTILES: Final = ("min", "25 %", "median", "75 %", "max")
BANDS: Final = (("all motions", "min", "max", "#dbe7f3"), ("middle half", "25 %", "75 %", "#9dbfe3"))
DOT: Final = "'"
#: What is smaller is drawn as this on a logarithmic axis.
LEAST = 1e-17


@dataclass(frozen=True)
class Panel:
    """A panel with lines by name over time, or a heading if it has no lines; narrow panels lie side by side.

    The lines of a ``fan`` are quartiles and ends, with bands between them; its number begins the identifiers of these.
    """

    label: str
    lines: Mapping[str, Array]
    logarithmic: bool = False
    across: int = COLUMNS
    fan: int | None = None

    @property
    def small(self) -> bool:
        """True for a panel of one column."""
        return self.across == 1

    @property
    def height(self) -> float:
        """Height of the panel in inches."""
        return HEADING if not self.lines else LOW if self.small else HIGH


STYLE: Final = {
    "svg.hashsalt": "mbconcord", "svg.fonttype": "none", "font.size": 8, "axes.linewidth": 0.6,
}  # fmt: skip


def motion_plot(motion: Trajectory, units: Mapping[str, str]) -> str:
    """Plot a motion as SVG; ``units`` maps its coordinates to their units.

    Raises
    ------
    MbconcordError
        matplotlib, of the extra ``plot``, is not installed.
    """
    drawn = StringIO()
    with optional("matplotlib", "plot", "drawing a motion").rc_context(STYLE):
        motion_figure(motion, units).savefig(drawn, format="svg", metadata={"Date": None})
    return drawn.getvalue()


def motion_figure(motion: Trajectory, units: Mapping[str, str]) -> Any:
    """Plot a motion as a figure of matplotlib.

    Raises
    ------
    MbconcordError
        matplotlib, of the extra ``plot``, is not installed.
    """
    title = f"Motion of {motion.system}: {motion.formalism}, {motion.method}"
    return _draw_figure(list(_panels(motion, units)), motion.t, title)


def fan_plot(title: str, t: Array, quartiles: Mapping[str, Array], units: Mapping[str, str]) -> str:
    """Plot many motions as SVG: for each coordinate bands from least to largest and of the middle half, and the median.

    Parameters
    ----------
    quartiles : least, 25 %, median, 75 % and largest value (5, k) of each coordinate ``z1`` and rate ``z1'``
    units : units of the coordinates by name

    Raises
    ------
    MbconcordError
        matplotlib, of the extra ``plot``, is not installed.
    """
    drawn = StringIO()
    with optional("matplotlib", "plot", "drawing many motions").rc_context(STYLE | {"path.simplify": False}):
        fan_figure(title, t, quartiles, units).savefig(drawn, format="svg", metadata={"Date": None})
    return drawn.getvalue()


def fan_figure(title: str, t: Array, quartiles: Mapping[str, Array], units: Mapping[str, str]) -> Any:
    """Plot many motions as a figure of matplotlib; arguments and errors are those of :func:`fan_plot`."""
    names = [name for name in quartiles if name in units]
    spread = {name: (x := quartiles[name][[0, -1]])[np.isfinite(x)] for name in names}
    chosen, small = (_most(spread, units), True) if len(names) > NAMED else (names, False)
    pairs = [[(n, ""), (n, DOT)] for n in chosen]
    panels = [
        Panel(f"{n}{dot}, {units[n]}{'/s' * len(dot)}", dict(zip(QUARTILES, quartiles[n + dot], strict=True)),
              across=1 if small else COLUMNS // 2, fan=i)
        for i, (n, dot) in enumerate(chain(*(zip(*pairs, strict=True) if small else pairs)))
    ]  # fmt: skip
    some = f"; {len(chosen)} of {len(names)} coordinates, which spread or move most" if len(chosen) < len(names) else ""
    return _draw_figure(panels, t, title + some)


def fan_page(title: str, remarks: Sequence[str], svg: str) -> str:
    """Return a page, which loads nothing, with a picture and remarks above it."""
    said = "".join(f"<p>{escape(text)}</p>" for text in remarks)
    head = f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
    style = "<style>body{font:15px sans-serif;margin:2em}svg{max-width:100%;height:auto}</style></head>"
    return f"{head}{style}<body><h1>{escape(title)}</h1>{said}{svg[svg.index('<svg') :]}</body></html>\n"


def _draw_figure(panels: Sequence[Panel], t: Array, title: str) -> Any:
    rc_context = optional("matplotlib", "plot", "drawing a motion").rc_context
    figures = optional("matplotlib.figure", "plot", "drawing a motion")
    rows = _rows(panels)
    heights = [row[0].height for row in rows]
    beside = 0.7 if rows[0][0].across == COLUMNS // 2 else 0.35
    whole = sum(heights) + GAP * (len(rows) - 1) + 2 * MARGIN
    with rc_context(STYLE):
        figure: Any = figures.Figure(figsize=(WIDTH, whole))
        grid = figure.add_gridspec(
            len(rows), COLUMNS, height_ratios=heights, hspace=GAP * len(rows) / sum(heights), wspace=beside,
            left=0.09, right=0.86, top=1 - MARGIN / whole, bottom=MARGIN / whole,
        )  # fmt: skip
        for i, row in enumerate(rows):
            for k, panel in enumerate(row):
                axis = figure.add_subplot(grid[i, k * panel.across : (k + 1) * panel.across])
                _draw(axis, panel, t)
                if i == len(rows) - 1:
                    axis.set_xlabel("t, s")
        figure.suptitle(title, fontsize=10, y=1 - 0.12 / whole, va="top")
        if any(panel.fan == 0 for panel in panels):
            shown = figure.axes[0].get_legend_handles_labels()
            figure.legend(*shown, loc="upper left", bbox_to_anchor=(0.865, 1 - MARGIN / whole), frameon=False)
    return figure


def _draw(axis: Any, panel: Panel, t: Array) -> None:
    if not panel.lines:
        axis.axis("off")
        axis.text(0, 0, panel.label, fontweight="bold", transform=axis.transAxes)
        return
    if panel.fan is not None:
        known = np.isfinite(panel.lines["median"])
        t, lines = t[known], {name: values[known] for name, values in panel.lines.items()}
        for what, low, high, colour in BANDS:
            ends = np.concatenate([lines[low], lines[high][::-1]])
            axis.fill([*t, *t[::-1]], ends, facecolor=colour, label=what, gid=f"fan-{panel.fan}-{what.split()[0]}")
        axis.plot(t, lines["median"], color="#0b3d78", linewidth=1.2, label="median", gid=f"fan-{panel.fan}-median")
        axis.ticklabel_format(useOffset=False)
    for name, values in panel.lines.items() if panel.fan is None else ():
        axis.plot(t, values, linewidth=1.0 if panel.small else 1.2, label=name)
    axis.grid(alpha=0.3)
    axis.margins(x=0)
    if panel.logarithmic:
        axis.set_yscale("log")
    if panel.small:
        axis.tick_params(labelsize=6)
        axis.locator_params(nbins=3)
        axis.set_title(panel.label, fontsize=7, pad=2, loc="right")
        return
    axis.set_ylabel(panel.label)
    if panel.fan is None:
        axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize="small", frameon=False)


def _rows(panels: Sequence[Panel]) -> list[list[Panel]]:
    """Arrange panels in rows: a wide panel alone, narrow panels side by side."""
    rows: list[list[Panel]] = []
    for panel in panels:
        wide = panel.across
        if not (rows and rows[-1][0].across == wide and wide * (len(rows[-1]) + 1) <= COLUMNS):
            rows.append([])
        rows[-1].append(panel)
    return rows


def _panels(motion: Trajectory, units: Mapping[str, str]) -> Iterator[Panel]:
    names = motion.coordinates
    position, rate = dict(zip(names, motion.q.T, strict=True)), dict(zip(names, motion.v.T, strict=True))
    for title, dot, values in (("Positions", "", position), ("Rates", "'", rate)):
        per = "/s" if dot else ""
        if len(names) <= NAMED:
            for unit in dict.fromkeys(units[n] for n in names):
                lines = {f"{n}{dot}": x for n, x in values.items() if units[n] == unit}
                yield Panel(f"{title.lower()}, {unit}{per}", lines)
            continue
        chosen = _most(position, units)
        some = len(chosen) < len(names)
        yield Panel(f"{title} of {len(chosen)} of {len(names)} coordinates, which move most" if some else title, {})
        for n in chosen:
            yield Panel(f"{n}{dot}, {units[n]}{per}", {n: values[n]}, across=1)
    if motion.rows:
        found = np.array([row.multipliers for row in motion.found]).reshape(len(motion.found), len(motion.rows))
        told = {row: values for row, values in zip(motion.rows, found.T, strict=True) if np.isfinite(values).any()}
        if told:  # what rows leave open is in no row of the table
            yield Panel("multipliers, N or N m", told)
    energies = {
        name: np.array([getattr(row, name) for row in motion.found]) for name in ("kinetic", "potential", "work")
    }
    if np.isfinite(energies["kinetic"]).any():
        yield Panel("energies, J", energies)
        yield Panel("balance, J", {"balance": np.array([row.balance for row in motion.found])})
    if any(row.gap for row in motion.found):
        gaps = np.array([[row.gap, row.rate_gap] for row in motion.found]).T
        yield Panel("constraint error", dict(zip(("position", "rate"), np.fmax(gaps, LEAST), strict=True)), True)


def _most(values: Mapping[str, Array], units: Mapping[str, str]) -> list[str]:
    """Return names of the coordinates that move most, relative to the largest motion in their unit, in model order."""
    reach = {n: float(np.ptp(x)) if len(x) else 0.0 for n, x in values.items()}
    largest = {unit: max(reach[n] for n in reach if units[n] == unit) or 1.0 for unit in {units[n] for n in reach}}
    ranked = sorted(reach, key=lambda n: -reach[n] / largest[units[n]])[:SMALL]
    return [n for n in values if n in ranked]
