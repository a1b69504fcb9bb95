"""Texts in XML: elements with their attributes, what stands in them, and numbers of both."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from xml.parsers import expat

from ..machine import UnreadError

#: Files beside a text are no larger.
MOST_BYTES: Final = 100_000_000
_NUMBER: Final = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)


@dataclass(eq=False)
class Tag:
    """An element: its name as it stands, attributes, elements in it, and its own text."""

    name: str
    own: dict[str, str]
    inner: list[Tag] = field(default_factory=list)
    text: str = ""

    def all(self, name: str) -> list[Tag]:
        """The elements of a name directly in it."""
        return [tag for tag in self.inner if tag.name == name]

    def one(self, name: str) -> Tag:
        """The element of a name in it; an empty one where there is none."""
        found = self.all(name)
        if len(found) > 1:
            raise UnreadError(f"a second <{name}> in <{self.name}>")
        return found[0] if found else Tag(name, {})

    def has(self, name: str) -> bool:
        """Whether there is such an element in it."""
        return any(tag.name == name for tag in self.inner)

    def row(self, key: str, default: str) -> list[float]:
        """As many numbers of an attribute as its default has."""
        return numbers(self.own.get(key, default), len(default.split()))

    def number(self, key: str, default: str) -> float:
        """One number of an attribute."""
        return self.row(key, default)[0]

    def inside(self, name: str, default: str) -> list[float]:
        """As many numbers as the default has, of the text of an element in it."""
        return numbers(self.one(name).text if self.has(name) else default, len(default.split()))

    def walk(self) -> Iterator[Tag]:
        """It, and all that stands in it."""
        waiting = [self]
        while waiting:
            found = waiting.pop()
            yield found
            waiting += reversed(found.inner)


def numbers(text: str, count: int = 0) -> list[float]:
    """The numbers that a text shows, so many where that is said."""
    words = text.split()
    if not all(_NUMBER.fullmatch(word) for word in words) or (count and len(words) != count):
        raise UnreadError(f"the numbers {text.strip()!r:.60}")
    return [float(word) for word in words]


def root(text: str, *names: str) -> Tag:
    """The root element of a text, which has one of these names.

    Raises
    ------
    UnreadError
        It is no such text, or has a document type.
    """
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise UnreadError("a document type")
    whole = Tag("", {})
    way = [whole]

    def begin(name: str, own: dict[str, str]) -> None:
        way.append(Tag(name, own))
        way[-2].inner.append(way[-1])

    def end(name: str) -> None:
        way.pop()

    def data(words: str) -> None:
        way[-1].text += words

    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = begin, end, data
    try:
        parser.Parse(text.encode("utf-8"), True)
    except expat.ExpatError as problem:
        raise UnreadError(f"a text that is no XML: {problem}") from None
    if whole.inner[0].name not in names:
        raise UnreadError(f"a text of <{whole.inner[0].name}>")
    return whole.inner[0]


def beside(folder: str, name: str) -> bytes:
    """What stands in a file that a text names, from the folder of the text."""
    if not folder or "://" in name:
        raise UnreadError(f"the file {name}")
    try:
        path = Path(folder, name)
        if path.stat().st_size > MOST_BYTES:
            raise UnreadError(f"the size of the file {name}")
        return path.read_bytes()
    except OSError:
        raise UnreadError(f"the file {name}, which cannot be read") from None
