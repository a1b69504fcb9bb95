"""Displays of values: in a line, as a pandas table, and as HTML for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from .limits import cut

if TYPE_CHECKING:
    from pandas import DataFrame

# Values in one line.


def line(kind: str, name: str, *facts: str) -> str:
    """Write a line such as ``<System arm: 2 bodies, 2 coordinates>``."""
    subject = f"{kind} {name}" if name else kind
    said = ", ".join(filter(None, facts))
    return f"<{subject}: {said}>" if said else f"<{subject}>"


def count(number: int, thing: str, things: str = "") -> str:
    """Write ``1 body``, ``2 bodies``."""
    return f"{number:,} {thing if number == 1 else things or f'{thing}s'}"


# Values as tables: of pandas, and as HTML for notebooks.


#: So many rows of a table are shown in a notebook.
MOST_ROWS: Final = 60


def frame(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> DataFrame:
    """Make a pandas table with these columns, a row for each mapping. Imports pandas only when called."""
    from pandas import DataFrame

    return DataFrame(list(rows), columns=list(columns))


def html_table(title: str, headers: Sequence[str], rows: Iterable[Sequence[object]], notes: Iterable[str] = ()) -> str:
    """Write a heading, a table and lines below it; all text is escaped, except :class:`Markup` cells."""
    from html import escape  # not before: terminals need none

    waiting = iter(rows)
    shown = list(islice(waiting, MOST_ROWS))
    left = sum(1 for _ in waiting)
    head = "".join(f"<th>{escape(header)}</th>" for header in headers)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in shown)
    said = [*notes, *([f"and {count(left, 'more row')}"] if left else [])]
    below = "".join(f"<p>{escape(note)}</p>" for note in said)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" if shown else ""
    return f"<div><p><b>{escape(title)}</b></p>{table}{below}</div>"


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def _cell(value: object) -> str:
    from html import escape

    return f"<td>{value if isinstance(value, Markup) else escape(cut(str(value)))}</td>"
