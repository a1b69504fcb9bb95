"""Blocks of the original file that are kept when the file is generated anew; losses of a model in the blocks known.

The generated file is one flat object: content of the main object that refers to bodies and identifiers still in the
model is kept; the rest is a loss, found when the new file is read (:func:`list_dropped`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from mbconcord.converters import losses
from mbconcord.converters.losses import Holds, list_omission_losses
from mbconcord.model import Loss, Omission, System
from mbconcord.model.limits import COUNT_DIGITS
from mbconcord.records import dataclass, field, replace

from .. import HOLDS
from ..reading.reading import NO_VALUE, remark_of
from ..tree import Attribute, UmBlock, UmDocument
from .fields import BASE, EXTERNAL, Fields

#: Blocks that the model holds: they are generated.
HELD = frozenset({"const", "egravity", "subs", "body", "joint", "bfrc"})
#: Blocks that stand before the bodies.
EARLY = frozenset({"cnstpages", "var", "curve"})
_REFERENCES = frozenset({"bd1", "bd2", "body", "bodyref1", "bodyref2", "extbody"})
_WORD = re.compile(r"[^\W\d]\w*")
_SUBSYSTEM = "the file is written without subsystems"
WRITTEN_ANEW = "the file is written anew from the model, which does not hold it"
#: Attributes of blocks that are generated, which the model does not hold.
_UNHELD = frozenset({"AutoCalcInertia", "canlinear"})


@dataclass(frozen=True)
class UmKept:
    """Kept content of a file: attributes of its head, images, other blocks.

    Maps from the model's names: to numbers of images of bodies and bipolar elements, points of bodies, names of
    joints that carry bodies, comments of parameters. ``reasons`` maps names of dropped blocks to the reasons why.
    """

    head: tuple[Attribute, ...] = ()
    images: tuple[UmBlock, ...] = ()
    image_of: dict[str, int] = field(default_factory=dict)
    link_image: dict[str, int] = field(default_factory=dict)
    points: dict[str, tuple[Attribute, ...]] = field(default_factory=dict)
    joints: dict[str, str] = field(default_factory=dict)
    early: tuple[UmBlock, ...] = ()
    late: tuple[UmBlock, ...] = ()
    remarks: dict[str, str] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)


def keep(document: UmDocument, system: System, fields: Fields) -> UmKept:
    """Select the content to keep from the document of the model's source."""
    main = document.main
    if main is None:
        return UmKept()
    gone = _identifiers(main) - fields.parameters
    known = {body.name: fields.names.body(body.name) for body in system.bodies}
    known |= {BASE: BASE, EXTERNAL: EXTERNAL}
    reasons: dict[str, str] = {}
    kept = [made for b in main.blocks if (made := _block(b, known, gone, reasons)) is not None]
    images = tuple(b for b in kept if b.keyword == "go")
    if len(images) != len(main.all("go")):  # their numbers no longer fit
        images = ()
    points = {
        body.text("name"): tuple(a for a in body.attributes if a.key.endswith("points") and not _words(a) & gone)
        for body in main.all("body")
    }
    for path, _ in _objects(main, ()):
        if path:
            what = "the subsystem: names of its identifiers, points of its bodies"
            fields.lose(f"um/{'.'.join(path)}", what, _SUBSYSTEM, acts=False)
    for block in document.walk():
        for attribute in (a for a in block.attributes if a.key in _UNHELD):
            name = block.text("name") or block.heading
            fields.lose(f"um/{name}", f"{attribute.key}={attribute.value}", WRITTEN_ANEW, acts=False)
    return UmKept(
        main.attributes,
        images,
        _numbers(main.all("body"), len(images)),
        _numbers(main.all("bfrc"), len(images)),
        points,
        _joint_names(main, system),
        tuple(b for b in kept if b.keyword in EARLY),
        tuple(b for b in kept if b.keyword not in EARLY and b.keyword != "go"),
        _remarks(main, system),
        reasons,
    )


def list_dropped(before: System, after: System, reasons: Mapping[str, str]) -> Iterator[Loss]:
    """Yield losses for omissions of the original file that the rewritten file lacks."""
    again = Counter(map(_identify_omission, after.omissions))
    for omission in before.omissions:
        told = _identify_omission(omission)
        again[told] -= 1
        if again[told] < 0:
            name = omission.place.partition("/")[2]
            yield from list_omission_losses([omission], Holds(reason=reasons.get(name, WRITTEN_ANEW)))


def _identify_omission(omission: Omission) -> tuple[str, str]:
    """Return the identity of an omission: comments by text, images by elements, the rest by place."""
    text = re.sub(r"^[\w.]+: ", "", omission.what)
    return omission.kind, text if omission.kind in ("comment", "image") else omission.place


def _objects(main: UmBlock, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], UmBlock]]:
    """Yield an object and those in it, each with its path."""
    yield path, main
    for subs in main.all("subs"):
        for inner in subs.all("main"):
            yield from _objects(inner, (*path, subs.text("name")))


def _remarks(main: UmBlock, system: System) -> dict[str, str]:
    """Find the comments of identifiers by their names in the model."""
    renamed = {original: name for name, original in system.metadata.get("um:identifiers", {}).items()}
    found = {}
    for path, inner in _objects(main, ()):
        for attribute in (a for block in inner.all("const") for a in block.attributes if a.key == "cnst"):
            name, remark = remark_of(attribute)
            full = ".".join((*path, name))
            if remark not in ("", NO_VALUE):
                found[renamed.get(full, full)] = remark
    return found


def _numbers(blocks: Iterable[UmBlock], count: int) -> dict[str, int]:
    """Return the numbers of images by the names of the blocks that use one of them."""
    shown = {b.text("name"): b.get("igrobj") for b in blocks}
    whole = {name: int(n) for name, n in shown.items() if n.isdecimal() and len(n) <= COUNT_DIGITS}
    return {name: n for name, n in whole.items() if 1 <= n <= count}


def _joint_names(main: UmBlock, system: System) -> dict[str, str]:
    """Find the names of joints by the bodies they carry."""
    parents = {body.name: body.parent or BASE for body in system.bodies}
    names = {}
    for joint in main.all("joint"):
        first, second = joint.text("bd1"), joint.text("bd2")
        for child, parent in ((second, first), (first, second)):
            if parents.get(child) == parent:
                names[child] = joint.text("name")
    return names


def _words(attribute: Attribute) -> set[str]:
    """Return the names in a value, outside quotation marks."""
    return set(_WORD.findall(re.sub(r'"[^"]*"', "", attribute.value)))


def _identifiers(main: UmBlock) -> set[str]:
    rows = [a.value for block in main.all("const") for a in block.attributes if a.key == "cnst"]
    return {match[1] for row in rows if (match := re.match(r"\(\s*(\w+)", row))}


def _block(block: UmBlock, known: dict[str, str], gone: set[str], reasons: dict[str, str]) -> UmBlock | None:
    """Update the body names in a block; None, with a reason, if it cannot be kept."""
    if block.keyword in HELD:
        return None
    name = block.text("name") or block.text("element") or block.heading
    attributes = []
    for a in block.attributes:
        if a.key in _REFERENCES:
            written = known.get(a.value.strip('"'))
            if written is None:
                reasons[name] = f"the model has no body {a.value}"
                return None
            a = replace(a, value=f'"{written}"')
        attributes.append(a)
    if block.keyword == "conn":
        reasons[name] = _SUBSYSTEM
        return None
    used = {word for b in block.walk() for a in b.attributes for word in _words(a)} & gone
    if used:
        reasons[name] = f"the model has no parameter {', '.join(sorted(used))}"
        return None
    return replace(block, attributes=tuple(attributes))


#: What the reader of an input.dat keeps in the metadata.
METADATA = ("um:text", "um:coordinates", "um:bodies", "um:identifiers", "um:functions")


def list_losses(system: System) -> Iterator[Loss]:
    """Yield the losses of a model in its order; losses of single fields are found when the fields are written."""
    yield from losses.coordinates(system, HOLDS)
    yield from _parameters(system)
    yield from _functions(system)
    yield from losses.bodies(system, HOLDS)
    yield from losses.forces(system, HOLDS)
    yield from losses.constraints(system, HOLDS)
    yield from losses.armatures(system, HOLDS)
    yield from losses.points(system, HOLDS)
    yield from _metadata(system)


def beside_the_text(system: System) -> Iterator[Loss]:
    """Yield losses of a model whose input.dat is written unchanged: content that no input.dat can hold."""
    yield from losses.initial_values(system, HOLDS)
    yield from losses.points(system, HOLDS)
    yield from _metadata(system)


def _functions(system: System) -> Iterator[Loss]:
    """Yield losses of functions: one with a formula only loses its name."""
    for f in system.functions:
        instead = "an input.dat has none: its formula stands in its place"
        yield Loss(
            f"functions/{f.name}", "the function", instead if f.formula is not None else HOLDS.reason, acts=False
        )


def _metadata(system: System) -> Iterator[Loss]:
    """Yield losses of metadata of other formats, and of entries with UM's prefix that no reader of its files made."""
    yield from losses.metadata(system, HOLDS)
    for key in sorted(system.metadata):
        if key.startswith("um:") and key not in METADATA:
            yield Loss(f"metadata/{key}", "what is kept there", HOLDS.reason, acts=False)


def _parameters(system: System) -> Iterator[Loss]:
    for p in system.parameters:
        if p.value is None:
            reason = "UM needs a number: 0 is written, marked 'no value'"
            yield Loss(f"parameters/{p.name}", "that it has no value", reason, acts=False)
    chosen = [p.name for p in system.parameters if p.value is not None and p.origin != "given"]
    if chosen:
        what = f"that nobody gave the values of {', '.join(chosen)}"
        yield Loss("parameters", what, "an identifier has a value only", acts=False)
