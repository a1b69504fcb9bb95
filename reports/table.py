"""Tables in plain text, and numbers in them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

#: Zeros that rounding gave a sign, as tables show them.
ZEROS = {"-0": "0", "-0.0": "0.0"}


def table(headers: Sequence[str], rows: Iterable[Sequence[object]], right: frozenset[int] = frozenset()) -> str:
    r"""Align columns to their widest cell, two blanks apart; columns in ``right`` are flush right.

    A cell has one line: line breaks, which names of files may contain, are shown as ``\n``.
    """
    shown = ([ZEROS.get(x, x) for x in map(str, row)] for row in rows)
    lines = [["\\n".join(cell.splitlines()) for cell in row] for row in (headers, *shown)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(headers))]
    lines.insert(1, ["-" * width for width in widths])
    return "\n".join(
        "  ".join(
            cell.rjust(width) if i in right else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def short(value: float | None) -> str:
    """Write a small number such as a discrepancy: two significant digits, or a dash for None."""
    if value is None:
        return "-"
    return f"{value:.1e}" if value and math.isfinite(value) else f"{value:g}"
