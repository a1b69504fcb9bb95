"""UM's file layout: the tree back to text.

``layout.txt`` shows each block with UM's blanks and line breaks, without values. Layout carries no meaning; blocks that
``layout.txt`` does not have get lines of their own.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Final

from mbconcord.records import dataclass

from .tree import Attribute, Comment, UmBlock, UmDocument

INDENT: Final = "  "
_HEADING = re.compile(r"(\s*)(\$[^\n]*)|(\s*)with (\w+);")
_KEY = re.compile(r"(\s*)(\w+)(\s*=)( *)(0?);")
_SIGNED_COLUMN = re.compile(r"[1-9]\.\d*(E-?\d+)?")


@dataclass(frozen=True)
class _UmPlace:
    """Layout of one key of a block: its index, the blanks before it, its ``=`` and ``;``; ``numeric`` if number-only.

    A number-only field has a column for the sign: ``ex= 1.; ey=-1.;``.
    """

    index: int
    before: str
    equals: str
    semicolon: str
    numeric: bool


@dataclass(frozen=True)
class _Shape:
    """The layout of a block: blanks before ``with``, its keys, the text after the last of them."""

    indent: str
    places: dict[str, _UmPlace]
    after: str


@cache
def shapes() -> tuple[dict[str, _Shape], frozenset[str]]:
    """Return the layout of every known block, and the section headings preceded by an empty line."""
    text = "\n" + files(__package__).joinpath("layout.txt").read_text("utf-8")
    found: dict[str, _Shape] = {}
    spaced: set[str] = set()
    position, empty_line = 0, False
    while match := _HEADING.match(text, position):
        position = match.end()
        if match[2]:
            if empty_line:
                spaced.add(match[2][1:].strip())
            position = match.end()
            continue
        places: dict[str, _UmPlace] = {}
        while key := _KEY.match(text, position):
            spread = key[3] != "="  # "symbolic = false;", but "version=80 ;"
            equals, semicolon = (key[3] + key[4], ";") if spread else ("=", key[4] + ";")
            places[key[2]] = _UmPlace(len(places), key[1], equals, semicolon, bool(key[5]))
            position = key.end()
        blanks = re.compile(r"\s*").match(text, position)
        after = blanks[0] if blanks else ""
        following = text[position + len(after) : position + len(after) + 1]
        empty_line = after.count("\n") > 1 and following == "$"
        kept = after.rpartition("\n")[0] + "\n"
        found[match[4]] = _Shape(
            match[3].rpartition("\n")[2], places, kept if following != "$" else kept.rstrip("\n") + "\n"
        )
    return found, frozenset(spaced)


@cache
def headings() -> frozenset[str]:
    """Return the comments that UM writes by itself: headings of sections."""
    text = files(__package__).joinpath("layout.txt").read_text("utf-8")
    return frozenset(line.lstrip(" $").rstrip() for line in text.splitlines() if line.lstrip().startswith("$"))


_UNKNOWN: Final = _Shape("", {}, "\n")


def render(document: UmDocument) -> str:
    """Write a tree in UM's own layout; ``parse(render(document)) == document``."""
    parts: list[str] = []
    if document.header:
        parts.append(f"{document.header}\n")
    for attribute in document.attributes:
        parts += [*_comments(attribute.comments, ""), f"{attribute.key}={attribute.value};\n"]
    stack: list[tuple[UmBlock, str, bool]] = [(block, "", False) for block in reversed(document.blocks)]
    while stack:
        block, indent, leaving = stack.pop()
        if leaving:
            parts += [*_comments(block.closing, indent), f"{indent}with end;\n"]
            if indent:
                parts.append(f"{indent}\n")
            continue
        parts.append(_block(block, indent))
        inner = indent
        if block.keyword == "main":
            stack.append((block, indent, True))
        elif block.keyword == "subs":
            inner = indent + INDENT
        stack.extend((child, inner, False) for child in reversed(block.blocks))
    if document.ended:
        parts.append("with end;\n")
    return "".join((*parts, *_comments(document.comments, "")))


def _comments(comments: tuple[Comment, ...], indent: str) -> list[str]:
    spaced = shapes()[1]
    return [
        (f"{indent}\n" if c.text in spaced else "") + (f"{indent}$ {c.text}\n" if c.text else f"{indent}$\n")
        for c in comments
    ]


def _block(block: UmBlock, indent: str) -> str:
    """Write the comments, heading and attributes of a block, to the end of its last line."""
    shape = shapes()[0].get(block.keyword, _UNKNOWN)
    parts = [f"{shape.indent}with {block.heading};"]
    index = -1
    for attribute in block.attributes:
        place = shape.places.get(attribute.key)
        if place is None:
            parts.append("\n" + shape.indent + INDENT)
            parts += _lay_out_comments(attribute.comments, shape.indent + INDENT)
            parts.append(f"{attribute.key}={attribute.value};")
            continue
        before = _blanks_before(shape, index, place)
        parts.append(before)
        if attribute.comments:
            inner = before.rpartition("\n")[2] if "\n" in before else shape.indent + INDENT
            parts += ["" if "\n" in before else "\n" + inner, *_lay_out_comments(attribute.comments, inner)]
        parts.append(_attribute(attribute, place))
        index = place.index
    parts.append(_blanks_after(shape, index))
    return "".join((*_comments(block.comments, indent), indent, _indent("".join(parts), block, indent)))


def _indent(text: str, block: UmBlock, indent: str) -> str:
    """Indent the text of a subsystem after every line break outside of values."""
    if not indent:
        return text
    values = [a.value for a in block.attributes if "\n" in a.value]
    pieces, rest = [], text
    for value in values:
        before, _, rest = rest.partition(value)
        pieces += [before.replace("\n", "\n" + indent), value]
    body, last = rest[:-1], rest[-1:]
    return "".join((*pieces, body.replace("\n", "\n" + indent), last))


def _attribute(attribute: Attribute, place: _UmPlace) -> str:
    sign = " " if place.numeric and _SIGNED_COLUMN.fullmatch(attribute.value) else ""
    return f"{attribute.key}{place.equals}{sign}{attribute.value}{place.semicolon}"


def _lay_out_comments(comments: tuple[Comment, ...], indent: str) -> list[str]:
    return [f"$ {c.text}\n{indent}" if c.text else f"$\n{indent}" for c in comments]


def _blanks_before(shape: _Shape, index: int, place: _UmPlace) -> str:
    """Return the blanks before a key that is written after key number ``index``, with line breaks of skipped keys."""
    skipped = [p.before for p in shape.places.values() if index < p.index < place.index and "\n" in p.before]
    indent = (place.before if "\n" in place.before or not skipped else skipped[-1]).partition("\n")
    if indent[1]:
        return _line_end(shape, index) + "\n" + indent[2]
    return indent[0] or ("" if place.index == index + 1 else " ")


def _blanks_after(shape: _Shape, index: int) -> str:
    """Return the text after the last key written."""
    return _line_end(shape, index) + "\n" + shape.after.partition("\n")[2]


def _line_end(shape: _Shape, index: int) -> str:
    """Return the blanks at the end of the line in which key number ``index`` stands."""
    breaks = [p.before for p in shape.places.values() if p.index > index and "\n" in p.before]
    return (breaks[0] if breaks else shape.after).partition("\n")[0]
