"""Tables on a screen that is narrower than they are: each row becomes a few lines, ``header: cell`` after its name."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence

#: The line below the headers, which shows how wide each column is.
_RULE = re.compile(r" *-+(?:  -+)+$")


def narrowed(text: str, width: int) -> str:
    """The text with the tables that are wider than that laid out anew."""
    return "\n".join(_lines(text.split("\n"), width))


def _lines(lines: Sequence[str], width: int) -> Iterator[str]:
    at = 0
    while at < len(lines):
        rule = lines[at + 1] if at + 1 < len(lines) else ""
        end = _end(lines, at) if _RULE.match(rule) else at
        if max(map(len, lines[at:end]), default=0) > width:
            columns = [match.span() for match in re.finditer("-+", rule)]
            headers, _, *rows = (_cells(line, columns) for line in lines[at:end])
            for row in rows:
                yield from _row(headers, row, columns[0][0], width)
        else:
            end = max(end, at + 1)
            yield from lines[at:end]
        at = end


def _end(lines: Sequence[str], at: int) -> int:
    """Where the table that begins there ends: at an empty line."""
    return next((i for i in range(at + 2, len(lines)) if not lines[i].strip()), len(lines))


def _cells(line: str, columns: Sequence[tuple[int, int]]) -> list[str]:
    starts = [start for start, _ in columns]
    ends = [*starts[1:], None]
    return [line[start:end].strip() for start, end in zip(starts, ends, strict=True)]


def _row(headers: Sequence[str], cells: Sequence[str], indent: int, width: int) -> Iterator[str]:
    said = [f"{header}: {cell}" if header else cell for header, cell in zip(headers[1:], cells[1:]) if cell]
    yield " " * indent + cells[0]
    inner = " " * (indent + 2)
    yield from textwrap.wrap("; ".join(said), max(width, 20), initial_indent=inner, subsequent_indent=inner)
