"""Numbers of a user against ours: where they differ, by how much, and what was not compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from mbconcord.model.derivation import QUANTITIES
from mbconcord.model.diagnostics import Diagnostic, NumbersError, among, error
from mbconcord.model.evaluation import Array, Evaluation
from mbconcord.model.shown import count, html_table, line
from mbconcord.reports.quantities import quantities, table_of
from mbconcord.validation.judge.comparison import compare_evaluations
from mbconcord.validation.judge.evidence import Comparison, Verdict, verdict
from mbconcord.validation.judge.frames import comparisons_frame
from mbconcord.validation.judge.kinematics import Kinematics
from mbconcord.validation.judge.scale import scales

from .states import Given

if TYPE_CHECKING:
    from pandas import DataFrame

#: What the user's numbers are called.
YOURS = "yours"


@dataclass(frozen=True, repr=False)
class Agreement:
    """Numbers of a user against those of a formalism, at the same states.

    Attributes
    ----------
    comparisons : of each quantity that was compared, its worst entry
    missing : quantities that were there to compare and were not
    count : at how many states
    """

    comparisons: tuple[Comparison, ...]
    missing: tuple[str, ...]
    count: int

    @property
    def verdict(self) -> Verdict:
        """Of what was compared: ``missing`` says what was not."""
        return verdict(self.comparisons)

    def __repr__(self) -> str:
        compared = ", ".join(f"{c.quantity}{' (zero)' * c.zero}" for c in self.comparisons)
        at = f"{compared} compared at {count(self.count, 'state')}"
        missing = f"not compared: {', '.join(self.missing)}" if self.missing else ""
        return line("Agreement", "", self.verdict, at, missing)

    def _repr_html_(self) -> str:
        headers, rows = table_of(quantities(self.comparisons))
        return html_table(repr(self)[1:-1], headers, rows, self._explanations())

    def _explanations(self) -> Sequence[str]:
        return [f"{c.quantity}: {c.explanation}" for c in self.comparisons if c.explanation]

    def to_frame(self) -> DataFrame:
        """A table of pandas: of each quantity the entry that comes closest to what it may be, or farthest beyond."""
        return comparisons_frame(self.comparisons)


def agreement(
    formalism: str, given: Given, ours: Mapping[str, Array], own: Mapping[str, ArrayLike], digits: int | None
) -> Agreement:
    """See :meth:`mbconcord.Numbers.compare`.

    Parameters
    ----------
    formalism, given : whose ours are, and at which states
    ours : arrays as they are handed out, without an axis of states where it is one state
    own, digits : the user's, and with how many digits they were printed

    Raises
    ------
    NumbersError
        A quantity that is not among ours, another shape, or entries that are not numbers.
    """
    closed = bool(given.system.constraints)
    able = tuple(name for name in QUANTITIES if name in ours and not (closed and name == "acceleration"))
    arrays = _arrays(given, ours, own, able)
    if digits is not None and not 1 <= digits <= 17:
        raise NumbersError(error("digits", f"found {digits}", "1 to 17 significant digits"))
    system = given.system.opened()
    states = given.states()
    lifted = {name: ours[name][None] if given.single else ours[name] for name in arrays}
    bounds = {} if digits is None else {name: _rounding(x, digits) for name, x in arrays.items()}
    found = compare_evaluations(
        Evaluation(formalism, lifted), Evaluation(YOURS, arrays, bounds=bounds),
        scales(Kinematics(system, states)), states, system.coordinate_names,
    )  # fmt: skip
    return Agreement(tuple(found), tuple(name for name in ours if name not in arrays), given.count)


def _arrays(
    given: Given, ours: Mapping[str, Array], own: Mapping[str, ArrayLike], able: Sequence[str]
) -> dict[str, Array]:
    """The user's arrays (n, …)."""
    found: dict[str, Array] = {}
    findings: list[Diagnostic] = []
    for name, value in own.items():
        place = f"{YOURS}/{name}"
        if name not in able:
            findings.append(error(place, "there is nothing to compare it with", among(name, able)))
            continue
        try:
            array = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError):
            findings.append(error(place, "not an array of numbers", f"give one of shape {ours[name].shape}"))
            continue
        if array.shape != ours[name].shape:
            message = f"found shape {array.shape}, expected {ours[name].shape}"
            findings.append(error(place, message, f"coordinates: {', '.join(given.system.coordinate_names)}"))
            continue
        found[name] = array[None] if given.single else array
    if not own:
        findings.append(error(YOURS, "there is nothing to compare", f"give some of {', '.join(able)}"))
    if findings:
        raise NumbersError(findings)
    return found


def _rounding(x: Array, digits: int) -> Array:
    """Half a unit of the last of so many significant digits."""
    with np.errstate(all="ignore"):
        exponent = np.where(x == 0, 0.0, np.floor(np.log10(np.abs(x))))
    return np.where(x == 0, 0.0, 0.5 * 10.0 ** (exponent + 1 - digits))
