"""Histogram of discrepancies relative to their tolerances, as a small picture."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from mbconcord.model.diagnostics import DisagreementError, error
from mbconcord.validation.judge.evidence import decade

#: Ends of the decades of discrepancy / tolerance; what is beyond stands in the first or last column.
LEAST, MOST = -5, 4
WIDTH, HEIGHT, LEFT, BELOW = 46.0, 70.0, 6.0, 34.0


def counts(excesses: Sequence[float]) -> list[int]:
    """Count the discrepancies in each column: the first for exact zeros, then one for every decade.

    Parameters
    ----------
    excesses : discrepancies relative to their tolerances
    """
    found = [0] * (MOST - LEAST + 1)
    for excess in excesses:
        found[_column(decade(excess))] += 1
    return found


def _column(exponent: int | None) -> int:
    return 0 if exponent is None else 1 + min(max(exponent, LEAST + 1), MOST) - (LEAST + 1)


def histogram(excesses: Sequence[float]) -> str:
    """Draw an SVG with a column for every decade; columns beyond the tolerance have the colour of disagreements.

    Raises
    ------
    DisagreementError
        Counts that are drawn, or which columns are beyond, differ from those within powers of ten.
    """
    drawn = _columns(counts(excesses))
    shown = {
        round((float(x) - LEFT) / WIDTH - 0.5): int(n) for x, n in re.findall(r'<text x="(\S+)" [^>]*>(\d+)<', drawn)
    }
    tops = [0.0, *(10.0**k for k in range(LEAST + 1, MOST)), math.inf]
    within = [sum(x <= top or top == math.inf for x in excesses) for top in tops]
    own = {k: n - before for k, (n, before) in enumerate(zip(within, [0, *within], strict=False)) if n > before}
    beyond = sum(tops[k - 1] >= 1 for k in own if k)
    shown = {k: n for k, n in shown.items() if k or n}
    if shown != own or drawn.count("<rect class") != beyond:
        said = f"columns {shown}, {drawn.count('<rect class')} beyond the tolerance, expected {own}, {beyond} beyond"
        raise DisagreementError(error("histogram", said, "do not trust it; please report the model and the command"))
    return drawn


def draw_counts(decades: Mapping[int | None, int]) -> str:
    """Draw the histogram of counts: exponent of ten above the discrepancies (None: exact zeros) -> their number."""
    found = [0] * (MOST - LEAST + 1)
    for exponent, count in decades.items():
        found[_column(exponent)] += count
    return _columns(found)


def _columns(found: Sequence[int]) -> str:
    if not sum(found):
        return ""
    width, height = 2 * LEFT + WIDTH * len(found), HEIGHT + BELOW + 14
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="histogram" viewBox="0 0 {width:g} {height:g}" role="img">'
    ]
    parts.append("<title>Discrepancies of all comparisons in units of what is tolerated</title>")
    for column, count in enumerate(found):
        x = LEFT + WIDTH * column
        size = HEIGHT * math.log1p(count) / math.log1p(max(found))
        beyond = ' class="over"' if column > -LEAST else ""
        if count:
            parts.append(
                f'<rect{beyond} x="{x + 3:g}" y="{14 + HEIGHT - size:.1f}" width="{WIDTH - 6:g}" height="{size:.1f}"/>'
            )
            parts.append(f'<text x="{x + WIDTH / 2:g}" y="{10 + HEIGHT - size:.1f}">{count}</text>')
        parts.append(f'<text class="axis" x="{x + WIDTH / 2:g}" y="{14 + HEIGHT + 14:g}">{_label(column)}</text>')
    limit = LEFT + WIDTH * (1 - LEAST)
    parts.append(f'<path class="limit" d="M{limit:g} 6V{14 + HEIGHT:g}"/>')
    parts.append(f'<text class="axis" x="{width / 2:g}" y="{14 + HEIGHT + 30:g}">discrepancy / tolerance</text></svg>')
    return "".join(parts)


def _label(column: int) -> str:
    if column == 0:
        return "0"
    decade = LEAST + column
    if decade == MOST:
        return f"&gt; 10{_superscript(MOST - 1)}"
    return f"≤ {'1' if decade == 0 else '10' + _superscript(decade)}"


def _superscript(exponent: int) -> str:
    return str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
