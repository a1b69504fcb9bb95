"""Seconds over which motions are evidence."""

from __future__ import annotations

from math import isfinite
from typing import Final

from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.reports.extras import optional

#: What simulating needs.
PACKAGES: Final = ("scipy", "threadpoolctl")


def require_span(seconds: float | None) -> None:
    """Refuse what is no time to move in; a package that is missing.

    Raises
    ------
    MbconcordError
        It is not positive and finite; SciPy, of the extra ``[sim]``, is not installed.
    """
    if seconds is None:
        return
    if not (isfinite(seconds) and seconds > 0):
        raise MbconcordError(error("simulate", f"found {seconds:g} s", "give seconds, for example 1"))
    for package in PACKAGES:
        optional(package, "sim", "simulation")


def require_none(seconds: float | None) -> None:
    """Refuse motions where equations of another program, which have none, are compared."""
    if seconds is not None:
        message = "found beside equations or numbers of another program: motions are those of the model alone"
        raise MbconcordError(error("simulate", message, "check them one by one"))
