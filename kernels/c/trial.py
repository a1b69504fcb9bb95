"""The exported test program: the library's results against stored numbers, each within its own bound."""

from __future__ import annotations

from collections.abc import Sequence

from mbconcord.records import dataclass

from .library import Library
from .texts import literal, template


@dataclass(frozen=True)
class StoredNumbers:
    """Numbers that the test program stores: inputs, expected results and their bounds.

    Attributes
    ----------
    parameters : (parameters,)
    states : (n, state)
    expected : (n, results)
        Rounded from many digits.
    bounds : (n, results)
        How far rounding alone may move each result.
    """

    parameters: Sequence[float]
    states: Sequence[Sequence[float]]
    expected: Sequence[Sequence[float]]
    bounds: Sequence[Sequence[float]]


def trial(library: Library, known: StoredNumbers) -> dict[str, str]:
    """Return the test program: name of the file -> its text."""
    text = template("trial.c").format(
        name=library.plain,
        N=library.upper,
        count=len(known.states),
        parameters=_row([*known.parameters, 0.0]),
        states=_rows(known.states),
        expected=_rows(known.expected),
        bounds=_rows(known.bounds),
    )
    return {f"{library.plain}_test.c": text}


def _rows(rows: Sequence[Sequence[float]]) -> str:
    return ",\n".join(f"    {{\n{_row(row)}\n    }}" for row in rows)


def _row(row: Sequence[float]) -> str:
    """Write the numbers of a row, one per line."""
    return ",\n".join(f"        {literal(x)}" for x in row)
