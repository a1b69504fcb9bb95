"""The text files of Universal Mechanism as a flat list of statements: input.dat, .icf, .fin, .sim, .cp, .var.

Which block stands in which is decided from the list (:mod:`.syntax`). The statements form a regular language, so one
pass of one pattern finds them; a list, however long, is one value. Blanks and line ends between the parts mean nothing.

    file       = [HEADER] (HEADING | KEY [VALUE] ";" | COMMENT)*
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

Expected = Literal["KEY", "HEADING", "VALUE", "SEMICOLON"]

_BLANK: Final = r"[ \t\r\n\f]*+"
#: ``with joint12;``
_HEADING: Final = r"with\s+[^\W\d]\w*\s*;"
#: ``rcx=``, ``symbolic =``
_KEY: Final = r"[^\W\d]\w*[ \t]*="
#: A list, which ends with ``};`` and may hold ``;``; a value, which may go on in lines that begin nothing; a string.
_VALUE: Final = (
    r"\{[^}]*+(?:\}(?!\s*;)[^}]*+)*\}"
    r"|[^\s;$\"{](?:[^;$\"\r\n]++|\"[^\"]*\"|\r?\n\s*+(?!with\s|\$|[^\W\d]\w*\s*=))*"
    r"|\"[^\"]*\"(?:[^;$\"\r\n]++|\"[^\"]*\")*"
)
_COMMENT: Final = r"\$[^\r\n]*"
_STATEMENT: Final = re.compile(
    f"{_BLANK}(?:(?P<heading>{_HEADING})|(?P<key>{_KEY}){_BLANK}(?P<value>(?>{_VALUE})?+){_BLANK};"
    f"|(?P<comment>{_COMMENT}))"
)
#: ``icf``, ``par``, ``var`` alone on the first line.
_HEADER: Final = re.compile(rf"{_BLANK}(?P<header>(?!{_HEADING}|{_KEY})[A-Za-z]+(?=[ \t]*\r?\n))")
_KEY_HERE: Final = re.compile(f"{_BLANK}{_KEY}{_BLANK}")
_VALUE_HERE: Final = re.compile(f"(?>{_VALUE}){_BLANK}")
_BLANK_HERE: Final = re.compile(_BLANK)

Kind = Literal["header", "heading", "key", "comment"]


class Statement(NamedTuple):
    """A statement: the text that it begins with and where (an offset); of an attribute also its value and where."""

    kind: Kind
    text: str
    at: int
    value: str = ""
    value_at: int = 0


class UnexpectedError(Exception):
    """A sign that fits nowhere: its offset, and what may stand there."""

    def __init__(self, at: int, expected: tuple[Expected, ...]) -> None:
        super().__init__(at, expected)
        self.at = at
        self.expected = expected


def statements(text: str) -> Iterator[Statement]:
    """The statements of a text in order.

    Raises
    ------
    UnexpectedError
        At the first sign that begins or continues no statement.
    """
    header = _HEADER.match(text)
    end = 0
    if header is not None:
        yield Statement("header", header["header"], header.start("header"))
        end = header.end()
    while found := _STATEMENT.match(text, end):
        kind = found.lastgroup
        end = found.end()
        if kind == "value":
            yield Statement("key", found["key"], found.start("key"), found["value"], found.start("value"))
        else:
            other: Kind = "heading" if kind == "heading" else "comment"
            yield Statement(other, found[other], found.start(other))
    blank = _BLANK_HERE.match(text, end)
    assert blank is not None
    if blank.end() < len(text):
        raise _unexpected(text, end)


def _unexpected(text: str, end: int) -> UnexpectedError:
    """What is wrong after the last whole statement, which ends there."""
    key = _KEY_HERE.match(text, end)
    if key is None:
        blank = _BLANK_HERE.match(text, end)
        return UnexpectedError(blank.end() if blank else end, ("KEY", "HEADING"))
    value = _VALUE_HERE.match(text, key.end())
    if value is None:
        return UnexpectedError(key.end(), ("VALUE", "SEMICOLON"))
    return UnexpectedError(value.end(), ("SEMICOLON",))
