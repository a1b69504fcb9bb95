"""Answers: the changes of one model that make it the other, in sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mbconcord.model.system import System
from mbconcord.records import dataclass, field

from ..judge.evidence import Comparison
from .fields import FieldTable

#: Less of scale is single precision.
SINGLE = 1e-6
#: So many other causes that make the same change are printed.
MOST_ALIKE = 4


@dataclass(frozen=True)
class Cause:
    """A change of a model.

    Attributes
    ----------
    place : place of the changed field, ``bodies/forearm/inertia``
    said : the change as a clause, ``the tensor of forearm is taken about the origin of its frame``
    system : the model with the change made
    """

    place: str
    said: str
    system: System

    def to_json(self) -> dict[str, str]:
        """Convert to a mapping."""
        return {"place": self.place, "said": self.said}


@dataclass(frozen=True)
class CauseStep:
    """Causes with the same effect, the commonest first."""

    causes: tuple[Cause, ...]

    def __str__(self) -> str:
        first, *alike = self.causes
        if not alike:
            return first.said
        others = "; ".join(cause.said for cause in alike[:MOST_ALIKE])
        more = f"; and {len(alike) - MOST_ALIKE} more" if len(alike) > MOST_ALIKE else ""
        return f"{first.said} (the same change: {others}{more})"


@dataclass(frozen=True)
class Causes:
    """Causes of the difference of B from A.

    Attributes
    ----------
    steps : tuple of Step
        Changes that have to be made together; empty if no cause was found.
    backwards : bool
        True if the changes turn B into A; False if they turn A into B.
    shares : mapping
        If no cause was found: body -> part of the difference that its inertia alone can explain, 0 to 1.
    located : str
        If no cause was found: what is known about the place of the difference, in words.
    invisible : tuple of str
        Bodies whose inertias differ without any effect on the motion.
    reason : str
        Reason why no search was made; empty if one was.
    names : tuple of str
        Names by which the sentences call the two models.
    compared : tuple of str
        The only quantities that become equal, if the other side is not a model; else empty.
    fields : FieldTable or None
        The fields that differ; None where the two cannot be set side by side.
    stopped : str
        Reason why the search is not complete; empty if it is.
    comparisons : tuple of Comparison
        Comparisons by which witnesses check the fields.
    converted : tuple of str
        Changes that a converter made to one model; everything else here is about the models with these undone.
    left : float
        Largest difference of the two with these undone, relative to its scale.
    """

    steps: tuple[CauseStep, ...] = ()
    backwards: bool = False
    shares: Mapping[str, float] = field(default_factory=dict)
    located: str = ""
    invisible: tuple[str, ...] = ()
    reason: str = ""
    names: tuple[str, str] = ("A", "B")
    compared: tuple[str, ...] = ()
    fields: FieldTable | None = None
    stopped: str = ""
    comparisons: tuple[Comparison, ...] = ()
    converted: tuple[str, ...] = ()
    left: float = 0.0

    @property
    def is_found(self) -> bool:
        """True if a cause was found."""
        return bool(self.steps or self.converted)

    def _describe_converted(self) -> str:
        """Write a line for each change that a converter made, and the difference left with all undone."""
        if not self.converted:
            return ""
        rest = "nothing, but for single precision," if self.left <= SINGLE else f"{self.left:.2g} of scale"
        said = "\n  ".join(("why, each undone and compared again:", *self.converted))
        return f"{said}\nwithout these {rest} is left"

    def __str__(self) -> str:
        table = str(self.fields) if self.fields else ""
        known = bool(self.fields and self.fields.rows)
        if table and self.names != ("A", "B"):
            table = f"A is {self.names[0]}, B is {self.names[1]}\n{table}"
        return "\n".join(filter(None, (self._describe_converted(), table, self._describe_search(known), self.stopped)))

    @property
    def brief(self) -> str:
        """The causes in a line: the largest fields that differ, with what is left unexplained, or the first fault."""
        if self.fields and (said := self.fields.brief):
            return "; ".join(filter(None, (*self.converted, said, self.stopped)))
        if self.converted:
            return "; ".join(self.converted)
        return " ".join("; ".join(filter(None, (self._describe_search(False), self.stopped))).split())

    def _describe_search(self, known: bool) -> str:
        """Write the causes found in the catalogue; if fields are known (``known``), as the same in other words."""
        if self.reason:
            return f"why: not searched: {self.reason}"
        if self.steps:
            other, one = self.names[::-1] if self.backwards else self.names
            within = f" in {', '.join(self.compared)}" if self.compared else ""
            before = "the same change in other words" if known else "why"
            return f"{before}: {one} equals {other}{within} when {', and when '.join(map(str, self.steps))}"
        unnamed = "" if known and self.fields and self.fields.is_whole else self._describe_unnamed()
        return "\n".join(filter(None, (unnamed, self._unseen())))

    def _describe_unnamed(self) -> str:
        if not self.shares and not self.located:
            return ""
        carried = ", ".join(f"{share:.0%} by {name}" for name, share in _largest(self.shares))
        said = f"the inertia of one body carries of the difference: {carried}" if carried else ""
        return "; ".join(filter(None, ("why: no cause of the catalogue", self.located, said)))

    def _unseen(self) -> str:
        if not self.invisible:
            return ""
        return f"why: inertia differs and cannot be seen in the motion: {', '.join(self.invisible)}"

    def to_json(self) -> dict[str, Any]:
        """Convert to the form of ``compare --why --json``."""
        return {
            "found": self.is_found,
            "changed": self.names[self.backwards],
            "steps": [[cause.to_json() for cause in step.causes] for step in self.steps],
            "shares": dict(self.shares),
            "located": self.located,
            "invisible": list(self.invisible),
            "reason": self.reason,
            "compared": list(self.compared),
            "fields": self.fields.to_json() if self.fields else None,
            "stopped": self.stopped,
            "converted": list(self.converted),
            "said": str(self),
        }


def _largest(shares: Mapping[str, float]) -> list[tuple[str, float]]:
    """Return the three largest shares."""
    return sorted(((n, s) for n, s in shares.items() if s > 0.005), key=lambda item: -item[1])[:3]
