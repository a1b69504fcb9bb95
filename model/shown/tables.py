"""Values as tables: of pandas, and as HTML for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from ..limits import cut

if TYPE_CHECKING:
    from pandas import DataFrame

#: So many rows of a table are shown in a notebook.
MOST_ROWS: Final = 60


def frame(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> DataFrame:
    """A table of pandas with these columns, a row for each mapping. pandas is imported here, when it is wanted."""
    from pandas import DataFrame

    return DataFrame(list(rows), columns=list(columns))


def html_table(
    title: str, headers: Sequence[str], rows: Iterable[Sequence[object]], notes: Iterable[str] = ()
) -> str:
    """A heading, a table and lines below it; the text of all is escaped, but of cells that are :class:`Markup`."""
    waiting = iter(rows)
    shown = list(islice(waiting, MOST_ROWS))
    left = sum(1 for _ in waiting)
    head = "".join(f"<th>{escape(header)}</th>" for header in headers)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in shown)
    said = [*notes, *([f"and {left:,} more rows"] if left else [])]
    below = "".join(f"<p>{escape(note)}</p>" for note in said)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" if shown else ""
    return f"<div><p><b>{escape(title)}</b></p>{table}{below}</div>"


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def _cell(value: object) -> str:
    return f"<td>{value if isinstance(value, Markup) else escape(cut(str(value)))}</td>"
