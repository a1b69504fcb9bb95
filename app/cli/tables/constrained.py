"""The numbers of a system with constraints, as ``evaluate`` shows them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mbconcord.model.evaluation import ConstrainedMotion
from mbconcord.reports.equations.balances import units
from mbconcord.reports.table import table

from ..output import say


def constrained(motion: ConstrainedMotion) -> dict[str, Any]:
    """Keys of ``evaluate --json`` beside those of the open tree; what is not unique is NaN, printed as null."""
    about: dict[str, Any] = {
        "rows": list(motion.rows),
        "rank": int(motion.rank[0]),
        "redundant": list(motion.redundant[0]),
    }
    result = {
        "acceleration": numbers_or_none(motion.acceleration[0]),
        "constraints": about,
        "D": motion.D[0].tolist(),
        "lambda": motion.multipliers[0].tolist(),
        "reactions": numbers_or_none(motion.reactions[0]),
    }
    if motion.from_bodies:
        about["on_bodies"] = list(motion.from_bodies.rows)
        about["residual"] = float(motion.from_bodies.residual[0])
        result["reactions_from_bodies"] = numbers_or_none(motion.from_bodies.values[0])
    return result


def numbers_or_none(values: Any) -> list[float] | None:
    """A list of numbers; None where none of them could be computed."""
    found: list[float] | None = values.tolist() if np.isfinite(values).any() or not values.size else None
    return found


def print_constraints(result: dict[str, Any]) -> None:
    """The rows as a table: D and λ."""
    about, names = result["constraints"], result["coordinates"]
    redundant = f"; redundant: {', '.join(about['redundant'])}" if about["redundant"] else ""
    count = len(about["rows"])
    print(f"\nconstraints: {count} {'row' if count == 1 else 'rows'}, rank {about['rank']}{redundant}\n")
    lines = zip(about["rows"], result["D"], result["lambda"], strict=True)
    rows = [(row, *map(repr, D), "null" if math.isnan(x) else repr(x)) for row, D, x in lines]
    say(table(("D", *names, "lambda"), rows))
    if "residual" in about:
        print(f"\n{_residual(about)}")
    print(f"\n{units(about['rows'])}")


def _residual(about: dict[str, Any]) -> str:
    """How far S_R R is from Dᵀ λ of the same rows."""
    others = [row for row in about["rows"] if row not in about["on_bodies"]]
    which = f" of {', '.join(about['on_bodies'])}; no body bears {', '.join(others)}" if others else ""
    found = "not determined" if math.isnan(about["residual"]) else f"{about['residual']:.2g}"
    return f"reactions_from_bodies is S_R R{which}; largest difference from D^T lambda of these rows: {found}"
