"""Angular velocities of bodies, held against the rates of their orientations: what equations say without a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from mbconcord.model.diagnostics import DisagreementError, MbconcordError
from mbconcord.model.expressions import ONE, TIME, ZERO, Expression, ExpressionError, rate, substitute, symbol, symbols
from mbconcord.model.expressions.calculus import directional
from mbconcord.model.expressions.field import DIFFERS, IDENTICAL, compare

from .alone import dot

#: Entry of Ṙ Rᵀ = -[ω]× that is minus each component of ω, in the axes of the body.
PLACES = (2, 1), (0, 2), (1, 0)


class Frames(Protocol):
    """Reading of SymPy's entries, as one of :class:`.equations.Reading`."""

    @property
    def functions(self) -> Mapping[str, Any]:
        """Functions of time that were met, by name."""

    def read(self, place: str, x: Any) -> Expression:
        """Convert one entry."""

    def hold(self) -> None:
        """Hold the entries against SymPy's own floats."""


def find_wrong_turning(
    method: Any, start: Callable[[], Frames], qdot: Mapping[str, Expression],
    solved: Mapping[Expression, Expression] | None,
) -> tuple[tuple[str, ...], tuple[str, ...]]:  # fmt: skip
    """Return which angular velocities of Kane's bodies are no rates of orientations, proved, and what is left out.

    Parameters
    ----------
    method : KanesMethod
    start : starts a reading of entries
    qdot : coordinate -> its rate by the speeds
    solved : dependent speeds by the others; None: they are not known
    """
    found, left = [], []
    for frame in dict.fromkeys(body.frame for body in method.bodies if hasattr(body, "frame")):
        name = frame.name
        try:
            reason = _compare(frame, method._inertial, start(), qdot, solved)
        except DisagreementError:
            raise
        except (MbconcordError, ExpressionError, ValueError) as problem:
            reason = problem.diagnostics[0].message if isinstance(problem, MbconcordError) else str(problem)
            reason = reason.partition("\n")[0] or "its orientation is not known"
        if reason is True:
            found.append(f"the angular velocity of {name} is not the rate of its orientation")
        elif reason:
            left.append(f"the angular velocity of {name} was not looked at: {reason}")
    return tuple(found), tuple(left)


def _compare(
    frame: Any, inertial: Any, reading: Frames, qdot: Mapping[str, Expression],
    solved: Mapping[Expression, Expression] | None,
) -> bool | str:  # fmt: skip
    """Return True if ω is not the rate of the orientation, and a reason where that cannot be said."""
    axes, turning = frame.dcm(inertial), frame.ang_vel_in(inertial).to_matrix(frame)
    entries = [reading.read(f"{frame.name}[{i + 1}]", x) for i, x in enumerate([*axes, *turning])]
    speeds = {str(x.data) for x in solved or ()}
    moving = {*qdot, *(f"{x}'" for x in qdot)}
    used = symbols(entries[:9])
    others = sorted(name for name in reading.functions if name in used and name not in moving | speeds)
    if others:
        return f"its orientation depends on {', '.join(others)}, whose rate is not known"
    if solved is None:
        return "the dependent speeds are not known by the others"
    reading.hold()
    entries = substitute(substitute(entries, {rate(x): by for x, by in qdot.items()}), solved)
    motion = {symbol(x): by for x, by in zip(qdot, substitute(qdot.values(), solved), strict=True)} | {TIME: ONE}
    R = _rows(entries[:9])
    unit = [(dot(R[i], R[k]), ONE if i == k else ZERO) for i in range(3) for k in range(i + 1)]
    if any(x.kind != IDENTICAL for x in compare(unit)):
        return "its axes are not proved to be of unit length and normal to each other"
    slopes = _rows(directional(entries[:9], motion))
    pairs = [(-dot(slopes[i], R[k]), w) for (i, k), w in zip(PLACES, entries[9:], strict=True)]
    return any(x.kind == DIFFERS for x in compare(pairs))


def _rows(flat: Sequence[Expression]) -> list[Sequence[Expression]]:
    return [flat[i : i + 3] for i in (0, 3, 6)]
