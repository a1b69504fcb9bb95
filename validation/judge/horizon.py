"""Horizon of compared motions and their tolerance, as parts of a verdict."""

from __future__ import annotations

from math import isfinite
from typing import Any

from mbconcord.model.diagnostics import NumbersError, error
from mbconcord.model.shown import count
from mbconcord.records import dataclass

from .tolerances import MOTION


@dataclass(frozen=True)
class Horizon:
    """The time up to which a model's motion is compared.

    Attributes
    ----------
    asked, reached : seconds after the start, the least over all starts
    starts : how many
    growth : the largest G up to there
    tolerance : relative, of positions and rates there
    steps : the most that any run made until there
    reason : why it is less than requested; empty if it is not
    """

    asked: float
    reached: float
    starts: int
    growth: float
    tolerance: float
    steps: int
    reason: str = ""

    @property
    def words(self) -> str:
        """``in motion to 0.84 s of 2 s``."""
        if not self.reached:
            return f"not in motion to {self.asked:g} s"
        whole = "" if self.reached >= self.asked else f" of {self.asked:g} s"
        return f"in motion to {self.reached:.4g} s{whole}"

    def to_json(self) -> dict[str, Any]:
        """Convert to the form of ``--json``."""
        return {
            "asked": self.asked, "reached": self.reached, "starts": self.starts, "growth": self.growth,
            "tolerance": self.tolerance, "steps": self.steps, "integration": MOTION, "reason": self.reason,
        }  # fmt: skip

    def explain(self) -> str:
        """Explain the tolerance."""
        starts = count(self.starts, "start")
        text = (
            f"from {starts} to {self.reached:.4g} s: each of at most {count(self.steps, 'step')} errs by {MOTION:g}, "
            f"neighbouring starts move apart by a factor of {self.growth:.3g} at most; together "
            f"{self.tolerance:.2g} of 1 + |q|"
        )
        return f"{text}; {self.reason}" if self.reason else text


def require_span(seconds: float) -> None:
    """Refuse what is no time to move in.

    Raises
    ------
    NumbersError
        It is not positive and finite.
    """
    if not (isfinite(seconds) and seconds > 0):
        raise NumbersError(error("simulate", f"found {seconds:g} s", "give seconds, for example 1"))
