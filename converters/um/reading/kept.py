"""What the model cannot hold: kept with the document, and said once a kind.

What acts on the motion is a loss; images, sensors and the like are a note. The blocks and attributes that UM's
files are known to have are those of the layout.
"""

from __future__ import annotations

from typing import Final

from ..layout import shapes
from ..tree import Document
from .reading import Reading

#: Forces that no part of the model holds, by keyword (and by type, where that says more).
ACTING: Final = {
    "cfrc": "contact forces",
    "lfrc": "linear force elements (6×6)",
    "sfrc": "special forces",
    "conn": "connections of elements to outer bodies",
}
SPECIAL: Final = {"bushing": "bushings", "maglev": "magnetic forces"}
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


def kept(document: Document, reading: Reading) -> None:
    """Remarks about every kind of block and attribute that the model does not hold."""
    known, _ = shapes()
    for block in document.walk():
        at = block.at(reading.file)
        if block.keyword in ACTING:
            words = SPECIAL.get(block.get("type"), ACTING[block.keyword])
            message = f"{words} ({block.keyword}) are kept and left out: a loss for the motion"
            reading.findings.remark("warning", words, at, message)
        elif block.keyword in SHOWING:
            words = SHOWING[block.keyword]
            message = f"{words} ({block.keyword}) are kept with the file: the model does not hold them"
            reading.findings.remark("note", words, at, message)
        elif block.keyword not in _MODEL | _PARTS:
            message = f"found an unknown block {block.keyword}: kept and left out, perhaps a loss for the motion [?]"
            reading.findings.remark("warning", f"block {block.keyword}", at, message)
            continue
        places = known[block.keyword].places
        for attribute in block.attributes:
            if attribute.key not in places:
                message = (
                    f"found an unknown attribute {attribute.key} in {block.keyword}: kept and left out [?]"
                )
                reading.findings.remark(
                    "warning" if block.keyword in _MODEL else "note",
                    f"attribute {block.keyword} {attribute.key}",
                    attribute.at(reading.file),
                    message,
                )
    for attribute in document.attributes:
        message = f"found an attribute {attribute.key} before any block: kept and left out [?]"
        reading.findings.remark("warning", "attribute before", attribute.at(reading.file), message)
