"""XML texts carried with a model: their comments, whether they still describe it, and the names that XML can write."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Self

from mbconcord.converters.findings import Findings
from mbconcord.converters.fittings import Fitted
from mbconcord.converters.format import Reading
from mbconcord.converters.losses import Holds, acting, bodies, functions, in_time, list_omission_losses, metadata
from mbconcord.converters.xml_attributes import limit_shapes
from mbconcord.converters.xml_text import COMMENT, UNWRITABLE, XmlDocument, XmlElement, parse
from mbconcord.model import Coordinate, Loss, System
from mbconcord.model.diagnostics import MbconcordError
from mbconcord.model.naming import Namer
from mbconcord.records import dataclass, replace


def stateless(system: System) -> System:
    """Return the model without state, metadata and omissions, which XML texts of models do not contain."""
    coordinates = tuple(Coordinate(c.name, drive=c.drive) for c in system.coordinates)
    return replace(system, coordinates=coordinates, metadata={}, omissions=())


Reader = Callable[[str, str], Reading]


@dataclass(frozen=True)
class Carried:
    """A document kept in a model's metadata, its text, and the model that it reads as."""

    document: XmlDocument
    text: str
    system: System

    @classmethod
    def from_metadata(cls, system: System, key: str, read: Reader) -> Self | None:
        """Restore the text from the metadata under a key; None if missing or unreadable."""
        lines = system.metadata.get(key)
        if lines is None:
            return None
        try:
            text = "\n".join(lines)
            return cls(parse(text, key), text, read(text, "-").system)
        except (MbconcordError, TypeError):
            return None

    def says(self, system: System) -> bool:
        """Return True if the text describes this model, apart from its name and state."""
        return stateless(system) == stateless(replace(self.system, name=system.name))

    @property
    def model(self) -> XmlElement | None:
        """The element that holds links and joints."""
        return self.document.root

    def element(self, tag: str, name: str) -> XmlElement | None:
        """Return the link or joint of that name."""
        return self._elements_by_name.get((tag, name))

    @cached_property
    def _elements_by_name(self) -> dict[tuple[str, str], XmlElement]:
        inside = () if self.model is None else self.model.children
        return {(e.tag, e.attributes.get("name", "")): e for e in inside}


def rename(names: Iterable[str], namer: Namer, taken: Container[str], plain: Callable[[str], str]) -> dict[str, str]:
    """Map each name that ``plain`` changes, as it cannot be written, or that is taken, to a new name."""
    return {name: namer.fresh(now) for name in names if (now := plain(name)) != name or name in taken}


def replace_unwritable(name: str) -> str:
    """Replace the characters of a name that XML cannot write."""
    return UNWRITABLE.sub("_", name)


class XmlNames:
    """Names of links and joints in the text, in separate name spaces; no link of a ``rooted`` model is ``world``."""

    def __init__(self, system: System, world: str, rooted: bool = True) -> None:
        bodies = [body.name for body in system.bodies]
        self.world, self.links, self.joints = world, Namer((*bodies, world)), Namer(system.coordinate_names)
        self.bodies = rename(bodies, self.links, {world} if rooted else (), replace_unwritable)
        self.coordinates = rename(system.coordinate_names, self.joints, (), replace_unwritable)

    def losses(self) -> Iterator[Loss]:
        """Yield losses of names that are changed in the text."""
        for part, new in (("coordinates", self.coordinates), ("bodies", self.bodies)):
            for name, now in new.items():
                reason = f"{self.world!r} is the fixed frame" if name == self.world else "XML has no way to write it"
                yield Loss(f"{part}/{name}", f"the name {name!r}", f"{reason}; it is written as {now}", acts=False)


def read_root(
    root: XmlElement, tag: str, kept: Mapping[str, list[str]], findings: Findings, convert: Callable[[], System]
) -> Reading:
    """Read a document whose root must have this tag, by ``convert``; ``kept``, if any, becomes the model's metadata."""
    findings.require_root(root.at, root.tag, tag)
    limit_shapes(root, findings)
    findings.stop()
    system = convert()
    return Reading(replace(system, metadata=kept) if kept else system, findings.remarks(), findings.locations)


def list_part_losses(
    system: System, holds: Holds, held: Mapping[str, str], key: str, fitted: Fitted | None
) -> Iterator[Loss]:
    """Yield all losses but those of coordinates and parameters; ``held`` maps places of written parts to their names.

    ``fitted`` is None if the source text, metadata under ``key``, is written back; else that entry is lost.
    """
    yield from functions(system, holds)
    yield from in_time(system, holds)
    yield from bodies(system, holds)
    yield from acting(system, holds, held)
    yield from metadata(system, holds)
    own = key.partition(":")[0]
    for name in sorted(system.metadata):
        if name.startswith(f"{own}:") and not (name == key and fitted is None):
            reason = f"it is no {own.upper()} that can be read"
            yield Loss(f"metadata/{name}", "what is kept there", reason, acts=False)
    if fitted is not None:
        yield from fitted.losses
        yield from list_omission_losses(fitted.list_rest(system.omissions), holds)


def list_lost_omissions(system: System, said: System, written: str, known: Iterable[Loss]) -> Iterator[Loss]:
    """Yield losses of omissions of the source text that a newly written text, called ``written``, no longer has.

    ``said`` is the model as read from the new text; ``known`` are losses that are reported already.
    """
    places = {loss.place for loss in known}
    left = Counter((o.kind, o.what) for o in said.omissions)
    for omission in system.omissions:
        key = omission.kind, omission.what
        if left[key]:
            left[key] -= 1
        elif omission.kind not in ("encoding", "line-end") and f"omissions/{omission.place}" not in places:
            reason = f"the {written} is written anew, and what had it is no more there, or elsewhere"
            yield Loss(f"omissions/{omission.place}", f"the {omission.kind} {omission.what:.60}", reason, omission.acts)


def remarks(system: System, written: XmlElement) -> tuple[list[str], list[Loss]]:
    """Return comments of the source, to precede the model, that the text lacks; and losses of those XML cannot hold."""
    inside = Counter(" ".join(e.text.split()) for e in written.walk() if e.tag == COMMENT)
    found: list[str] = []
    losses: list[Loss] = []
    for omission in system.omissions:
        if omission.kind != "comment":
            continue
        said = " ".join(omission.what.split())
        if inside[said]:
            inside[said] -= 1
        elif "--" in said or said.endswith("-") or not said.isprintable():
            reason = "a comment of XML has no two hyphens and no control characters"
            losses.append(Loss(f"omissions/{omission.place}", f"the comment {said:.60}", reason, acts=False))
        else:
            found.append(f"<!-- {said} -->")
    return found, losses
