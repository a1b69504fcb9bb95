"""How far printed numbers may be from those that were printed: half a unit of the last digit.

A column tells its own form. Numbers with equally many decimals are rounded at the last of them; others were printed
with so many significant digits as the longest of them has, zeros at the end left out. Whole numbers without a decimal
point are what they say.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Final

import numpy as np
from numpy.typing import NDArray

#: Digits of a number that are declared to be exact.
EXACT: Final = 0


def room(texts: Sequence[str], digits: int | None) -> NDArray[np.float64]:
    """Half a unit of the last digit of every number of a column, in the unit of the column.

    Parameters
    ----------
    texts : decimal numbers
    digits : significant digits that are declared, :data:`EXACT`, or None: as the column shows
    """
    if digits == EXACT:
        return np.zeros(len(texts))
    numbers = [Decimal(text) for text in texts]
    if digits is None:
        if all(text.strip("+-").isdecimal() for text in texts):
            return np.zeros(len(texts))
        decimals = {int(x.as_tuple().exponent) for x in numbers}
        if len(decimals) == 1 and not any("e" in text.lower() for text in texts):
            return np.full(len(texts), _half(decimals.pop()))
        digits = max(len(x.as_tuple().digits) for x in numbers)
    return np.array([_half(x.adjusted() + 1 - digits) if x else 0.0 for x in numbers])


def _half(power: int) -> float:
    return 0.5 * 10.0**power
