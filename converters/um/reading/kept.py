"""What the model cannot hold: kept with the document, an omission of the model each, and said once a kind.

What acts on the motion is a warning; images, sensors and the like are a note. The blocks and attributes that UM's
files are known to have are those of the layout.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Final

from ..layout import shapes
from ..tree import Block, Document
from .objects import Thing
from .reading import Reading

#: Forces that no part of the model holds, by keyword (and by type, where that says more).
ACTING: Final = {
    "cfrc": "contact forces",
    "lfrc": "linear force elements (6×6)",
    "sfrc": "special forces",
    "conn": "connections of elements to outer bodies",
}
SPECIAL: Final = {"bushing": "bushings", "maglev": "magnetic forces"}
#: Kinds of omissions, by keyword or type.
KINDS: Final = {
    "cfrc": "contact",
    "lfrc": "linear-element",
    "sfrc": "special-force",
    "bushing": "bushing",
    "maglev": "magnetic-force",
    "conn": "connection",
    "go": "image",
    "curve": "curve",
    "var": "variable",
    "sensor": "sensor",
    "cnstpages": "page",
}
#: Blocks that only show, name or measure something.
SHOWING: Final = {
    "go": "images",
    "curve": "curves",
    "var": "variables",
    "sensor": "sensors",
    "cnstpages": "pages of identifiers",
}
_MODEL: Final = frozenset(
    {"main", "const", "egravity", "subs", "body", "joint", "jnt1dof", "jnt6dof", "et", "scalarforce", "bfrc"}
)
_PARTS: Final = frozenset({"ge", "curveexpression", "end"})


def kept(document: Document, things: list[Thing], reading: Reading) -> None:
    """Remarks and omissions: every kind of block and attribute that the model does not hold."""
    known, _ = shapes()
    for block, thing in _walk(document, things):
        at, kind = block.at(reading.file), KINDS.get(block.keyword, "block")
        if block.keyword in ACTING:
            special = block.get("type") if block.keyword == "sfrc" else ""
            words = SPECIAL.get(special, ACTING[block.keyword])
            message = f"{words} ({block.keyword}) are kept and left out: a loss for the motion"
            reading.findings.remark("warning", words, at, message)
            reading.omit(KINDS.get(special, kind), block, thing, "forces")
        elif block.keyword in SHOWING:
            words = SHOWING[block.keyword]
            message = f"{words} ({block.keyword}) are kept with the file: the model does not hold them"
            reading.findings.remark("note", words, at, message)
            reading.omit(kind, block, thing, "none")
        elif block.keyword not in _MODEL | _PARTS:
            message = f"found an unknown block {block.keyword}: kept and left out, perhaps a loss for the motion [?]"
            reading.findings.remark("warning", f"block {block.keyword}", at, message)
            reading.omit(kind, block, thing, "unknown")
            continue
        _attributes(block, thing, known[block.keyword].places, reading)
    for attribute in document.attributes:
        message = f"found an attribute {attribute.key} before any block: kept and left out [?]"
        reading.findings.remark("warning", "attribute before", attribute.at(reading.file), message)
        reading.omit("attribute", attribute, things[0], "unknown")


def _attributes(block: Block, thing: Thing, places: Container[str], reading: Reading) -> None:
    """Attributes of a known block that no file seen has: in a block of the model they may act."""
    for attribute in block.attributes:
        if attribute.key in places:
            continue
        message = f"found an unknown attribute {attribute.key} in {block.keyword}: kept and left out [?]"
        modelled, at = block.keyword in _MODEL, attribute.at(reading.file)
        kind = f"attribute {block.keyword} {attribute.key}"
        reading.findings.remark("warning" if modelled else "note", kind, at, message)
        if modelled:
            owner = block.text("name") or block.heading
            reading.omit("attribute", attribute, thing, "unknown", f"{owner}/{attribute.key}")


def _walk(document: Document, things: list[Thing]) -> Iterator[tuple[Block, Thing]]:
    """All blocks, each with the object that it stands in."""
    of = {id(thing.main): thing for thing in things}
    stack = [(block, things[0]) for block in reversed(document.blocks)]
    while stack:
        block, around = stack.pop()
        thing = of.get(id(block), around)
        yield block, thing
        stack.extend((inner, thing) for inner in reversed(block.blocks))
