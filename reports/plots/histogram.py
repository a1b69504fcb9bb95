"""Histogram of discrepancies relative to their tolerances, as a small picture."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Final

from mbconcord.model.diagnostics import DisagreementError, error
from mbconcord.validation.judge.evidence import decade

#: Ends of the decades of discrepancy / tolerance; what is beyond stands in the first or last column.
LEAST, MOST = -5, 4
WIDTH, HEIGHT, LEFT = 46.0, 70.0, 6.0
LABELS: Final = ("0", "≤ 10⁻⁴", "≤ 10⁻³", "≤ 10⁻²", "≤ 10⁻¹", "≤ 1", "≤ 10¹", "≤ 10²", "≤ 10³", "&gt; 10³")
#: Bars with their counts; marks below them, the limit among these.
BAR: Final = re.compile(
    r'<rect( class="over")? x="(\S+)" y="(\S+)" width="\S+" height="(\S+)"/><text x="(\S+)" y="\S+">(\d+)<'
)
LOW: Final = str.maketrans({"0": "e", "⁻": "-", "¹": "1", "²": "2", "³": "3", "⁴": "4"})
MARK: Final = re.compile(r'class="axis" x="(\S+)" y="98">([^<]+)<|class="limit" d="M(\S+) ')


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
        Bars, labels or the limit that are drawn differ from the counts within powers of ten.
    """
    return _confirm(_columns(counts(excesses)), [(x, 1) for x in excesses])


def draw_counts(decades: Mapping[int | None, int]) -> str:
    """Draw the histogram of counts: exponent of ten above the discrepancies (None: exact zeros) -> their number."""
    found = [0] * (MOST - LEAST + 1)
    for exponent, count in decades.items():
        found[_column(exponent)] += count
    return _confirm(_columns(found), [(0.0 if k is None else float(f"1e{k}"), n) for k, n in decades.items()])


def _confirm(drawn: str, own: Sequence[tuple[float, int]]) -> str:
    """Return a drawing if it shows pairs (discrepancy / tolerance, number), counted within powers of ten."""
    tops = [0.0, *(10.0**k for k in range(LEAST + 1, MOST)), math.inf]
    within = [sum(n for x, n in own if x <= top or top == math.inf) for top in tops]
    columns = {k: n - before for k, (n, before) in enumerate(zip(within, [0, *within], strict=False)) if n > before}
    most = max(columns.values(), default=1)
    expected = [(k, n, k > 0 and tops[k - 1] >= 1, HEIGHT * math.log(1 + n, 1 + most)) for k, n in columns.items()]
    shown = [
        (round((float(x) - LEFT) / WIDTH - 0.5, 2), int(n), bool(over), float(h))
        for over, left, y, h, x, n in BAR.findall(drawn)
        if abs(float(y) + float(h) - 14 - HEIGHT) < 0.2 and float(x) == float(left) + 20
    ]  # fmt: skip
    off = max((abs(a[3] - b[3]) for a, b in zip(shown, expected, strict=False)), default=0.0)
    marks = {
        round((float(x or limit) - LEFT) / WIDTH, 2): (label[:1], float(label.strip("≤&gt; 0").translate(LOW) or 0))
        for x, label, limit in MARK.findall(drawn)
    }
    named = {k + 0.5: ("≤", x) for k, x in enumerate(tops)} | {0.5: ("0", 0.0), len(tops) - 0.5: ("&", tops[-2])}
    named[float(sum(top <= 1 for top in tops))] = "", 0.0
    if [x[:3] for x in shown] != [x[:3] for x in expected] or off > 0.1 or marks != (named if columns else {}):
        said = f"columns {[x[:3] for x in shown]}, heights {off:.1f} off, expected {[x[:3] for x in expected]}"
        raise DisagreementError(error("histogram", said, "do not trust it; please report the model and the command"))
    return drawn


def _columns(found: Sequence[int]) -> str:
    if not sum(found):
        return ""
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" class="histogram" viewBox="0 0 472 118" role="img">']
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
        parts.append(f'<text class="axis" x="{x + WIDTH / 2:g}" y="{14 + HEIGHT + 14:g}">{LABELS[column]}</text>')
    limit = LEFT + WIDTH * (1 - LEAST)
    parts.append(f'<path class="limit" d="M{limit:g} 6V{14 + HEIGHT:g}"/>')
    parts.append(f'<text class="axis" x="236" y="{14 + HEIGHT + 30:g}">discrepancy / tolerance</text></svg>')
    return "".join(parts)
