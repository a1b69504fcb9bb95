"""XML texts with positions: elements know where they stand. No entities, no document types, bounded in size and depth.

Expat reads; nothing is fetched, expanded or executed. Names keep their prefixes as they stand (``drake:gear_ratio``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import pairwise
from typing import Final
from xml.parsers import expat

from mbconcord.model.diagnostics import Diagnostic, Location, ReadError, error
from mbconcord.model.limits import XML_CHARACTERS, XML_DEPTH, XML_ELEMENTS, too_many

#: The tag of a comment, which no element can have.
COMMENT: Final = "!--"
#: How deep each level of a printed element stands to the right of the one above it.
INDENT: Final = "  "

#: Longer elements are told by their beginning and a digest.
LONGEST: Final = 1000

_DECLARED = re.compile(r"""<\?xml[^>]*?\bencoding\s*=\s*["']([^"']*)["']""")
_ESCAPES: Final = {
    "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;",
}  # fmt: skip
_UNDECLARED: Final = expat.errors.codes[expat.errors.XML_ERROR_UNDEFINED_ENTITY]


@dataclass(slots=True, eq=False)
class Element:
    """An element or, by the tag :data:`COMMENT`, a comment.

    Attributes
    ----------
    tag : str
    attributes : dict of str
    at : Location
        Where its ``<`` stands.
    content : list of Element and str
        Elements, comments and text in their order; of a comment its text.
    """

    tag: str
    attributes: dict[str, str]
    at: Location
    content: list[Element | str] = field(default_factory=list)

    @property
    def children(self) -> Iterator[Element]:
        """The elements in it, without comments."""
        return (c for c in self.content if not isinstance(c, str) and c.tag != COMMENT)

    @property
    def text(self) -> str:
        """The text in it, without that of elements and comments, blanks at its ends removed."""
        return "".join(c for c in self.content if isinstance(c, str)).strip()

    def all(self, tag: str) -> list[Element]:
        """The elements of that tag directly in it."""
        return [child for child in self.children if child.tag == tag]

    def first(self, tag: str) -> Element | None:
        """The first of them."""
        return next((child for child in self.children if child.tag == tag), None)

    def walk(self) -> Iterator[Element]:
        """It, and all elements and comments below it, in the order of the text."""
        waiting: list[Element] = [self]
        while waiting:
            found = waiting.pop()
            yield found
            waiting += reversed([c for c in found.content if not isinstance(c, str)])


class _RefusedError(Exception):
    """Ends the parser: where and what is wrong, and what to do."""


class _Builder:
    """What expat calls."""

    def __init__(self, parser: expat.XMLParserType, file: str) -> None:
        self.parser, self.file = parser, file
        self.open: list[Element] = []
        self.root: Element | None = None
        self.outside: list[Element] = []
        self.count = 0

    @property
    def here(self) -> Location:
        return Location(self.file, self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1)

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.count += 1
        if self.count > XML_ELEMENTS:
            raise self.too_many()
        if len(self.open) == XML_DEPTH:
            deep = too_many(XML_DEPTH + 1, "elements within one another", XML_DEPTH)
            raise _RefusedError(self.here, deep, "no model is nested so deep")
        element = Element(tag, attributes, self.here)
        if self.open:
            self.open[-1].content.append(element)
        else:
            self.root = element
        self.open.append(element)

    def end(self, tag: str) -> None:
        self.open.pop()

    def data(self, text: str) -> None:
        self.open[-1].content.append(text)

    def comment(self, text: str) -> None:
        self.count += 1
        if self.count > XML_ELEMENTS:
            raise self.too_many()
        found = Element(COMMENT, {}, self.here, [text])
        (self.open[-1].content if self.open else self.outside).append(found)

    def document_type(self, *given: object) -> None:
        message = "a document type with its entities is not read; expected elements alone"
        remedy = "remove <!DOCTYPE …>, and write out what entities stand for"
        raise _RefusedError(self.here, message, remedy)

    def too_many(self) -> _RefusedError:
        message = too_many(f"more than {XML_ELEMENTS:,}", "elements", XML_ELEMENTS)
        return _RefusedError(self.here, message, "no model has so many")


@dataclass(frozen=True, slots=True)
class Document:
    """The root element of a text, and the comments before and after it."""

    root: Element
    outside: tuple[Element, ...] = ()

    def comments(self) -> Iterator[Element]:
        """All comments: those beside the root, then those in it in the order of the text."""
        yield from self.outside
        yield from (element for element in self.root.walk() if element.tag == COMMENT)


def parse(text: str, file: str) -> Document:
    """The elements of a text.

    Raises
    ------
    ReadError
        No well-formed XML, a document type or an entity, another code page declared than UTF-8, or beyond a limit.
    """
    start = Location(file, 1, 1)
    if len(text) > XML_CHARACTERS:
        raise ReadError(error("", too_many(len(text), "characters", XML_CHARACTERS), "", start))
    _require_declared(text, start)
    parser = expat.ParserCreate()
    builder = _Builder(parser, file)
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = builder.start, builder.end
    parser.CharacterDataHandler, parser.CommentHandler = builder.data, builder.comment
    parser.StartDoctypeDeclHandler = builder.document_type
    try:
        parser.Parse(text, True)
    except _RefusedError as refused:
        at, message, remedy = refused.args
        raise ReadError(error("", message, remedy, at)) from None
    except expat.ExpatError as problem:
        raise ReadError(_malformed(problem, builder)) from None
    except UnicodeEncodeError as problem:
        line = text.count("\n", 0, problem.start) + 1
        column = problem.start - (text.rfind("\n", 0, problem.start) + 1) + 1
        half = f"the character {text[problem.start]!r} is half of one"
        raise ReadError(error("", half, "save the file as UTF-8", Location(file, line, column))) from None
    assert builder.root is not None
    return Document(builder.root, tuple(builder.outside))


def _require_declared(text: str, start: Location) -> None:
    """Refuse a text that says it is in another code page than it was read in, where that makes a difference."""
    declared = _DECLARED.match(text)
    if declared and declared[1].lower() not in ("utf-8", "utf8") and not text.isascii():
        message = f"the text says that it is in {declared[1]}, and it is read as UTF-8"
        raise ReadError(error("", message, 'save it as UTF-8, with encoding="UTF-8"', start))


def _malformed(problem: expat.ExpatError, builder: _Builder) -> Diagnostic:
    at = Location(builder.file, problem.lineno, problem.offset + 1)
    said = expat.ErrorString(problem.code)
    if problem.code == _UNDECLARED:
        return error("", f"{said}: entities are not read", "write out what it stands for", at)
    inside = f" in <{builder.open[-1].tag}>" if builder.open else ""
    return error("", f"no well-formed XML{inside}: {said}", "correct it here or just before", at)


def escaped(text: str) -> str:
    """A text as the value of an attribute."""
    return "".join(_ESCAPES.get(sign, sign) for sign in text) if _SPECIAL.search(text) else text


_SPECIAL = re.compile('[&<>"\n\r\t]')
#: What XML 1.0 has no way to write.
UNWRITABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def printed(element: Element, depth: int = 0) -> Iterator[str]:
    """The lines of an element, without recursion: of chains the elements are as many within one another.

    Identity: what is read from the lines is printed as the same lines.
    """
    within = [_lines(element, depth)]
    while within:
        found = next(within[-1], None)
        if found is None:
            within.pop()
        elif isinstance(found, str):
            yield found
        else:
            within.append(_lines(found, depth + len(within)))


def _lines(element: Element, depth: int) -> Iterator[str | Element]:
    """The lines of an element, and the elements between them."""
    pad = INDENT * depth
    if element.tag == COMMENT:
        yield f"{pad}<!--{element.content[0]}-->"
        return
    head = " ".join(
        (element.tag, *(f'{key}="{escaped(value)}"' for key, value in element.attributes.items()))
    )
    inner = [c for c in element.content if not (isinstance(c, str) and not c.strip())]
    if not inner:
        yield f"{pad}<{head}/>"
    elif any(isinstance(c, str) for c in inner):
        yield f"{pad}<{head}>{_inline(element.content)}</{element.tag}>"
    else:
        yield f"{pad}<{head}>"
        for child in inner:
            assert isinstance(child, Element)
            yield child
        yield f"{pad}</{element.tag}>"


def told(element: Element) -> str:
    """An element in one line; of a long one the beginning and a digest."""
    text = " ".join(line.strip() for line in printed(element))
    if len(text) <= LONGEST:
        return text
    digest = sha256(text.encode()).hexdigest()[:16]
    return f"{text[:LONGEST]}… ({len(text):,} characters, sha256 {digest})"


def _inline(content: Iterable[Element | str]) -> str:
    """Text with the elements in it, as it stood: blanks matter there."""
    parts = []
    for part in content:
        if isinstance(part, str):
            parts.append("".join(_ESCAPES.get(sign, sign) if sign in "&<>\r" else sign for sign in part))
        elif part.tag == COMMENT:
            parts.append(f"<!--{part.content[0]}-->")
        else:
            head = " ".join((part.tag, *(f'{k}="{escaped(v)}"' for k, v in part.attributes.items())))
            parts.append(f"<{head}>{_inline(part.content)}</{part.tag}>" if part.content else f"<{head}/>")
    return "".join(parts)


def lines_of(parts: Iterable[Iterable[str]]) -> list[str]:
    """Groups of lines with an empty line between any two groups that have some."""
    groups = [list(part) for part in parts]
    found = [group for group in groups if group]
    return [line for before, after in pairwise([[], *found]) for line in (*([""] if before else []), *after)]
