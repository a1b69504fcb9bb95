"""XML texts with positions: elements know their location. No entities, no document types, bounded size and depth.

Expat reads; nothing is fetched, expanded or executed. Names keep their prefixes (``drake:gear_ratio``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from typing import Final
from xml.parsers import expat

from mbconcord.model.diagnostics import Diagnostic, Location, ReadError, error
from mbconcord.model.limits import XML_CHARACTERS, XML_DEPTH, XML_ELEMENTS, too_many
from mbconcord.records import dataclass, field

#: The tag of a comment, which no element can have.
COMMENT: Final = "!--"
#: How deep each level of a printed element stands to the right of the one above it.
INDENT: Final = "  "

#: Longer elements are shown by their beginning and a digest.
LONGEST: Final = 1000

_DECLARED = re.compile(r"""<\?xml[^>]*?\bencoding\s*=\s*["']([^"']*)["']""")
_CUT_OFF = re.compile(rb"<([^\s/>!?<]+)[\s/][^<>]*$")
_ESCAPES: Final = {
    "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;",
}  # fmt: skip
_UNDECLARED: Final = expat.errors.codes[expat.errors.XML_ERROR_UNDEFINED_ENTITY]


@dataclass(slots=True, eq=False)
class XmlElement:
    """An element or, by the tag :data:`COMMENT`, a comment.

    Attributes
    ----------
    tag : str
    attributes : dict of str
    at : Location
        Location of the element's ``<``.
    content : list of Element and str
        Elements, comments and text in their order; for a comment, its text.
    """

    tag: str
    attributes: dict[str, str]
    at: Location
    content: list[XmlElement | str] = field(default_factory=list)

    @property
    def children(self) -> Iterator[XmlElement]:
        """Direct child elements, without comments."""
        return (c for c in self.content if not isinstance(c, str) and c.tag != COMMENT)

    @property
    def text(self) -> str:
        """Text directly in the element, without that of child elements and comments, stripped of blanks at its ends."""
        return "".join(c for c in self.content if isinstance(c, str)).strip()

    def all(self, tag: str) -> list[XmlElement]:
        """Return the direct child elements with that tag."""
        return [child for child in self.children if child.tag == tag]

    def first(self, tag: str) -> XmlElement | None:
        """Return the first direct child with that tag, or None."""
        return next((child for child in self.children if child.tag == tag), None)

    def walk(self) -> Iterator[XmlElement]:
        """Yield this element, and all elements and comments below it, in text order."""
        waiting: list[XmlElement] = [self]
        while waiting:
            found = waiting.pop()
            yield found
            waiting += reversed([c for c in found.content if not isinstance(c, str)])


class _RefusedError(Exception):
    """Error that ends the parser: location, problem, and remedy."""


class _TreeBuilder:
    """Callbacks of expat that build the tree of elements."""

    def __init__(self, parser: expat.XMLParserType, file: str) -> None:
        self.parser, self.file = parser, file
        self.open: list[XmlElement] = []
        self.root: XmlElement | None = None
        self.outside: list[XmlElement] = []
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
        element = XmlElement(tag, attributes, self.here)
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
        found = XmlElement(COMMENT, {}, self.here, [text])
        (self.open[-1].content if self.open else self.outside).append(found)

    def document_type(self, *given: object) -> None:
        message = "a document type with its entities is not read; expected elements alone"
        remedy = "remove <!DOCTYPE …>, and write out what entities stand for"
        raise _RefusedError(self.here, message, remedy)

    def too_many(self) -> _RefusedError:
        message = too_many(f"more than {XML_ELEMENTS:,}", "elements", XML_ELEMENTS)
        return _RefusedError(self.here, message, "no model has so many")


@dataclass(frozen=True, slots=True)
class XmlDocument:
    """The root element of a text, and the comments before and after it."""

    root: XmlElement
    outside: tuple[XmlElement, ...] = ()

    def comments(self) -> Iterator[XmlElement]:
        """Yield all comments: those outside the root, then those inside in text order."""
        yield from self.outside
        yield from (element for element in self.root.walk() if element.tag == COMMENT)


def parse(text: str, file: str) -> XmlDocument:
    """Parse a text to elements.

    Raises
    ------
    ReadError
        XML is not well-formed, has a document type or an entity, declares a code page other than UTF-8, or
        exceeds a limit.
    """
    start = Location(file, 1, 1)
    if len(text) > XML_CHARACTERS:
        raise ReadError(error("", too_many(len(text), "characters", XML_CHARACTERS), "", start))
    _require_declared(text, start)
    parser = expat.ParserCreate()
    builder = _TreeBuilder(parser, file)
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
        raise ReadError(_describe_malformed(problem, builder)) from None
    except UnicodeEncodeError as problem:
        line = text.count("\n", 0, problem.start) + 1
        column = problem.start - (text.rfind("\n", 0, problem.start) + 1) + 1
        half = f"the character {text[problem.start]!r} is half of one"
        raise ReadError(error("", half, "save the file as UTF-8", Location(file, line, column))) from None
    assert builder.root is not None
    return XmlDocument(builder.root, tuple(builder.outside))


def root_of(head: str) -> str:
    """Return the tag of the first element, read from the beginning of a text; empty where there is none.

    Expat reads it, in time that grows with the text: a regular expression over comments may try every division of them.
    """
    found: list[str] = []
    text = head.lstrip("\ufeff \t\r\n").encode("utf-8", "replace")
    parser = expat.ParserCreate("utf-8")

    def start(tag: str, attributes: dict[str, str]) -> None:
        found.append(tag)
        parser.StartElementHandler = None

    parser.StartElementHandler = start
    with suppress(expat.ExpatError):  # what follows the beginning is missing
        parser.Parse(text, False)
    if not found and (cut_off := _CUT_OFF.match(text, max(parser.CurrentByteIndex, 0))):
        return cut_off[1].decode("utf-8", "replace")  # the beginning ends in the tag
    return found[0] if found else ""


def _require_declared(text: str, start: Location) -> None:
    """Refuse a text that is not plain ASCII and declares a code page other than UTF-8, as which it is read."""
    declared = _DECLARED.match(text)
    if declared and declared[1].lower() not in ("utf-8", "utf8") and not text.isascii():
        message = f"the text says that it is in {declared[1]}, and it is read as UTF-8"
        raise ReadError(error("", message, 'save it as UTF-8, with encoding="UTF-8"', start))


def _describe_malformed(problem: expat.ExpatError, builder: _TreeBuilder) -> Diagnostic:
    at = Location(builder.file, problem.lineno, problem.offset + 1)
    said = expat.ErrorString(problem.code)
    if problem.code == _UNDECLARED:
        return error("", f"{said}: entities are not read", "write out what it stands for", at)
    inside = f" in <{builder.open[-1].tag}>" if builder.open else ""
    return error("", f"no well-formed XML{inside}: {said}", "correct it here or just before", at)


def escape(text: str) -> str:
    """Escape a text as the value of an attribute."""
    return "".join(_ESCAPES.get(sign, sign) for sign in text) if _SPECIAL.search(text) else text


_SPECIAL = re.compile('[&<>"\n\r\t]')
#: What XML 1.0 has no way to write.
UNWRITABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def make_element(tag: str, attributes: Mapping[str, str] | None = None, *content: XmlElement | str) -> XmlElement:
    """Return a new element, which has no location in a file."""
    return XmlElement(tag, dict(attributes or {}), Location("", 1, 1), [*content])


def print_document(comments: Iterable[str], root: XmlElement) -> str:
    """Write a document: its declaration, comments, and the root."""
    return "\n".join(['<?xml version="1.0" encoding="utf-8"?>', *comments, *print_lines(root)]) + "\n"


def print_lines(element: XmlElement, depth: int = 0) -> Iterator[str]:
    """Yield the lines of an element without recursion, since chains nest elements deeply.

    Identity: reading the lines and printing them again gives the same lines.
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


def _lines(element: XmlElement, depth: int) -> Iterator[str | XmlElement]:
    """Yield the lines of an element, and the elements between them."""
    pad = INDENT * depth
    if element.tag == COMMENT:
        yield f"{pad}<!--{element.content[0]}-->"
        return
    head = " ".join((element.tag, *(f'{key}="{escape(value)}"' for key, value in element.attributes.items())))
    inner = [c for c in element.content if not (isinstance(c, str) and not c.strip())]
    if not inner:
        yield f"{pad}<{head}/>"
    elif any(isinstance(c, str) for c in inner):
        yield f"{pad}<{head}>{_inline(element.content)}</{element.tag}>"
    else:
        yield f"{pad}<{head}>"
        for child in inner:
            assert isinstance(child, XmlElement)
            yield child
        yield f"{pad}</{element.tag}>"


def summarize_element(element: XmlElement) -> str:
    """Write an element in one line; shorten a long one to its beginning and a digest."""
    text = " ".join(line.strip() for line in print_lines(element))
    if len(text) <= LONGEST:
        return text
    digest = sha256(text.encode()).hexdigest()[:16]
    return f"{text[:LONGEST]}… ({len(text):,} characters, sha256 {digest})"


def _inline(content: Iterable[XmlElement | str]) -> str:
    """Write text with its elements unchanged: blanks matter there."""
    parts = []
    for part in content:
        if isinstance(part, str):
            parts.append("".join(_ESCAPES.get(sign, sign) if sign in "&<>\r" else sign for sign in part))
        elif part.tag == COMMENT:
            parts.append(f"<!--{part.content[0]}-->")
        else:
            head = " ".join((part.tag, *(f'{k}="{escape(v)}"' for k, v in part.attributes.items())))
            parts.append(f"<{head}>{_inline(part.content)}</{part.tag}>" if part.content else f"<{head}/>")
    return "".join(parts)
