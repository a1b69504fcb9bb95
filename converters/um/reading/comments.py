"""What the author of a file said in words: comments after ``$``, of identifiers, and of the object."""

from __future__ import annotations

from collections.abc import Iterator

from ..layout import headings
from ..tree import Attribute, Block, Comment, Document
from .identifiers import NO_VALUE, remark_of
from .objects import Thing
from .reading import Reading


def comments(document: Document, things: list[Thing], reading: Reading) -> None:
    """An omission of the model for each, in the order of the file; headings that UM writes itself are none."""
    of = {id(thing.main): thing for thing in things}
    written, block = 0, document.blocks[-1]
    for block in document.walk():
        for at, found in _written(block):
            written += 1
            reading.said(str(written), found.text, at)
        thing = of.get(id(block))
        if thing is not None:
            _of_object(thing, reading)
    for found in _told(document.comments):
        written += 1
        reading.said(str(written), found.text, block)


def _written(block: Block) -> Iterator[tuple[Block | Attribute, Comment]]:
    """The comments of a block, without those of the blocks in it, and beside what they stand."""
    yield from ((block, comment) for comment in _told(block.comments))
    for attribute in block.attributes:
        if attribute.comments:
            yield from ((attribute, comment) for comment in _told(attribute.comments))
    if block.closing:
        *_, last = block.walk()
        yield from ((last, comment) for comment in _told(block.closing))


def _told(found: tuple[Comment, ...]) -> Iterator[Comment]:
    return (comment for comment in found if comment.text and comment.text not in headings())


def _of_object(thing: Thing, reading: Reading) -> None:
    """The comment of an object and those of its identifiers."""
    whole = thing.main.attribute("comments")
    if whole is not None and thing.main.text("comments").strip():
        reading.said(thing.named("comments"), thing.main.text("comments"), whole)
    for block in thing.main.all("const"):
        for attribute in block.attributes:
            name, remark = remark_of(attribute)
            if remark and remark != NO_VALUE:
                reading.said(thing.named(name), f"{thing.named(name)}: {remark}", attribute)
