"""A motion drawn: positions, rates, energies and gaps over time, as SVG and as a page."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from io import StringIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbconcord.simulation.motion.trajectory import Trajectory

from ..extras import optional

Array = NDArray[np.float64]
#: Lines of a panel that are named one by one.
NAMED = 12
#: What is smaller is drawn as this on a logarithmic axis.
LEAST = 1e-17


def motion_plot(motion: Trajectory) -> str:
    """SVG of a motion, a panel for each kind of quantity.

    Raises
    ------
    MbconcordError
        matplotlib, of the extra ``plot``, is not installed.
    """
    rc_context = optional("matplotlib", "plot", "drawing a motion").rc_context
    figures = optional("matplotlib.figure", "plot", "drawing a motion")
    panels = list(_panels(motion))
    with rc_context({"svg.hashsalt": "mbconcord"}):
        figure: Any = figures.Figure(figsize=(8.0, 2.4 * len(panels)), layout="constrained")
        axes = np.atleast_1d(figure.subplots(len(panels), sharex=True))
        for axis, (label, lines, logarithmic) in zip(axes, panels, strict=True):
            for name, values in lines.items():
                axis.plot(motion.t, values, linewidth=1.2, label=name)
            axis.set_ylabel(label)
            axis.grid(alpha=0.3)
            if logarithmic:
                axis.set_yscale("log")
            if len(lines) <= NAMED:
                axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize="small", frameon=False)
        axes[0].set_title(motion.system)
        axes[-1].set_xlabel("t, s")
        drawn = StringIO()
        figure.savefig(drawn, format="svg", metadata={"Date": None})
    return drawn.getvalue()


def _panels(motion: Trajectory) -> Iterator[tuple[str, dict[str, Array], bool]]:
    """(label, lines by name, logarithmic)."""
    yield "positions, m or rad", dict(zip(motion.coordinates, motion.q.T, strict=True)), False
    yield "rates, per s", {f"{n}'": x for n, x in zip(motion.coordinates, motion.v.T, strict=True)}, False
    energies = {
        name: np.array([getattr(row, name) for row in motion.found])
        for name in ("kinetic", "potential", "work")
    }
    if np.isfinite(energies["kinetic"]).any():
        yield "energies, J", energies, False
        yield "balance, J", {"balance": np.array([row.balance for row in motion.found])}, False
    if any(row.gap for row in motion.found):
        gaps = np.array([[row.gap, row.rate_gap] for row in motion.found]).T
        yield "gaps", dict(zip(("position", "rate"), np.fmax(gaps, LEAST), strict=True)), True


def motion_page(motion: Trajectory) -> str:
    """A page with the drawing and what was said of the run; it loads nothing."""
    svg = motion_plot(motion)
    said = [motion.stopped] if motion.stopped else []
    remarks = "".join(f"<li>{escape(str(d))}</li>" for d in (*motion.diagnostics, *said))
    title = escape(f"Motion of {motion.system}")
    how = escape(
        f"{motion.formalism}, {motion.method}, tolerance {motion.tolerance:g}, {motion.evaluations:,} evaluations"
    )
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        "<style>body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
        f"svg{{max-width:100%;height:auto}}</style></head><body><h1>{title}</h1><p>{escape(how)}</p>"
        f"<ul>{remarks}</ul>{svg[svg.index('<svg') :]}</body></html>\n"
    )
