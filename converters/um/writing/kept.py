"""Blocks of the file that a model was read from, kept where the file is generated anew.

The generated file is one flat object: what stands in the main object and refers to bodies and identifiers that the
model still has is kept; the rest is a loss.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from mbconcord.model import System

from ..document import Attribute, Block, Document
from .fields import Fields
from .names import BASE, EXTERNAL

#: Blocks that the model holds: they are generated.
HELD = frozenset({"const", "egravity", "subs", "body", "joint", "bfrc"})
#: Blocks that stand before the bodies.
EARLY = frozenset({"cnstpages", "var", "curve"})
_REFERENCES = frozenset({"bd1", "bd2", "body", "bodyref1", "bodyref2", "extbody"})
_WORD = re.compile(r"[^\W\d]\w*")
_SUBSYSTEM = "the file is written without subsystems"


@dataclass(frozen=True)
class Kept:
    """What of a file is kept: attributes of its head, images, other blocks.

    By the model's names: the numbers of images of bodies and bipolar elements, the points of bodies, and the names
    of the joints that carry bodies.
    """

    head: tuple[Attribute, ...] = ()
    images: tuple[Block, ...] = ()
    image_of: dict[str, int] = field(default_factory=dict)
    link_image: dict[str, int] = field(default_factory=dict)
    points: dict[str, tuple[Attribute, ...]] = field(default_factory=dict)
    joints: dict[str, str] = field(default_factory=dict)
    early: tuple[Block, ...] = ()
    late: tuple[Block, ...] = ()


def keep(document: Document, system: System, fields: Fields) -> Kept:
    """What of the document that a model was read from is kept."""
    main = document.main
    if main is None:
        return Kept()
    gone = _identifiers(main) - fields.parameters
    known = {body.name: fields.names.body(body.name) for body in system.bodies}
    known |= {BASE: BASE, EXTERNAL: EXTERNAL}
    kept = [made for b in main.blocks if (made := _block(b, known, gone, fields)) is not None]
    images = tuple(b for b in kept if b.keyword == "go")
    if len(images) != len(main.all("go")):  # their numbers no longer fit
        images = ()
    points = {
        body.text("name"): tuple(
            a for a in body.attributes if a.key.endswith("points") and not _words(a) & gone
        )
        for body in main.all("body")
    }
    for place, what in _inner(main, ""):
        fields.lose(place, what, _SUBSYSTEM)
    _forces(document, fields)
    return Kept(
        main.attributes,
        images,
        _numbers(main.all("body"), len(images)),
        _numbers(main.all("bfrc"), len(images)),
        points,
        _joint_names(main, system),
        tuple(b for b in kept if b.keyword in EARLY),
        tuple(b for b in kept if b.keyword not in EARLY and b.keyword != "go"),
    )


def _numbers(blocks: Iterable[Block], count: int) -> dict[str, int]:
    """Numbers of images by the names of the blocks that have one of so many."""
    shown = {b.text("name"): b.get("igrobj") for b in blocks}
    return {name: int(n) for name, n in shown.items() if n.isdecimal() and 1 <= int(n) <= count}


def _joint_names(main: Block, system: System) -> dict[str, str]:
    """The names of joints by the bodies they carry."""
    parents = {body.name: body.parent or BASE for body in system.bodies}
    names = {}
    for joint in main.all("joint"):
        first, second = joint.text("bd1"), joint.text("bd2")
        for child, parent in ((second, first), (first, second)):
            if parents.get(child) == parent:
                names[child] = joint.text("name")
    return names


def _words(attribute: Attribute) -> set[str]:
    """Names in a value, outside quotation marks."""
    return set(_WORD.findall(re.sub(r'"[^"]*"', "", attribute.value)))


def _identifiers(main: Block) -> set[str]:
    rows = [a.value for block in main.all("const") for a in block.attributes if a.key == "cnst"]
    return {match[1] for row in rows if (match := re.match(r"\(\s*(\w+)", row))}


def _block(block: Block, known: dict[str, str], gone: set[str], fields: Fields) -> Block | None:
    """The block with the written names of the bodies it refers to; None, with a loss, when it cannot stay."""
    if block.keyword in HELD:
        return None
    name = block.text("name") or block.text("element") or block.heading
    attributes = []
    for a in block.attributes:
        if a.key in _REFERENCES:
            written = known.get(a.value.strip('"'))
            if written is None:
                fields.lose(f"um/{name}", f"the block {block.heading}", f"the model has no body {a.value}")
                return None
            a = replace(a, value=f'"{written}"')
        attributes.append(a)
    if block.keyword == "conn":
        fields.lose(f"um/{name}", "the block conn", _SUBSYSTEM)
        return None
    used = {word for b in block.walk() for a in b.attributes for word in _words(a)} & gone
    if used:
        listed = ", ".join(sorted(used))
        fields.lose(f"um/{name}", f"the block {block.heading}", f"the model has no parameter {listed}")
        return None
    return replace(block, attributes=tuple(attributes))


def _inner(main: Block, path: str) -> Iterator[tuple[str, str]]:
    """(place, what) of the blocks in subsystems that the model does not hold."""
    for subs in main.all("subs"):
        name = f"{path}{subs.text('name')}."
        for inner in subs.all("main"):
            words = dict.fromkeys(b.keyword for b in inner.blocks if b.keyword not in HELD)
            if words:
                yield f"um/{name[:-1]}", f"its blocks {', '.join(words)}, and points of its bodies"
            yield from _inner(inner, name)


def _forces(document: Document, fields: Fields) -> None:
    """Scalar forces that the reader leaves out: they have no place in the model."""
    for block in document.walk():
        for force in block.all("scalarforce"):
            kind, text = force.get("type"), force.get("expression")
            free = block.keyword == "jnt6dof" and kind != "none"
            if free or kind not in ("none", "expression", "linear") or "coordinate" in text:
                what = f"the scalar force of type {kind or 'nothing'}"
                fields.lose(f"um/{force.text('name')}", what, "the model does not hold it")
