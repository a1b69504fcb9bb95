"""The support polygon of a walking machine from above, with the plumb point of its mass centre, as SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import StringIO
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..extras import optional


def support_plot(
    point: ArrayLike,
    feet: ArrayLike,
    polygon: ArrayLike,
    margin: float,
    labels: tuple[str, str] = ("x, m", "z, m"),
) -> str:
    """SVG of the plumb point, the feet (N, 2), and the polygon (K, 2) that they span; the title states the margin.

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


def margin_plot(
    places: Sequence[float], margins: Mapping[str, Sequence[float]], label: str = "row of the gait"
) -> str:
    """SVG of margins of static stability (m) over a gait, a line for each payload; below zero the machine falls.

    Parameters
    ----------
    places : along the gait: times (s), or numbers of rows
    margins : of each payload by what it is called
    label : what the places are

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
