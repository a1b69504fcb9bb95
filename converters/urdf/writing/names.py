"""Names of links and joints: those of the model, but where XML cannot write them or the fixed frame has one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mbconcord.converters.xml_text import UNWRITABLE
from mbconcord.model import Loss, System
from mbconcord.model.naming import Namer

from ..vocabulary import WORLD


class Names:
    """Names as they are written, of links and of joints: each kind has its own."""

    def __init__(self, system: System, rooted: bool) -> None:
        bodies = [body.name for body in system.bodies]
        self.links, self.joints = Namer((*bodies, WORLD)), Namer(system.coordinate_names)
        self.bodies = dict(self._new(bodies, self.links, {WORLD} if rooted else set()))
        self.coordinates = dict(self._new(system.coordinate_names, self.joints, set()))

    @staticmethod
    def _new(names: Iterable[str], namer: Namer, taken: set[str]) -> Iterator[tuple[str, str]]:
        for name in names:
            plain = UNWRITABLE.sub("_", name)
            if plain != name or name in taken:
                yield name, namer.fresh(plain)

    def body(self, name: str | None) -> str:
        """The link of a body; of the fixed frame the root."""
        return WORLD if name is None else self.bodies.get(name, name)

    def coordinate(self, name: str) -> str:
        """The joint of a coordinate."""
        return self.coordinates.get(name, name)

    def between(self, name: str) -> str:
        """A link of no body."""
        return self.links.fresh(UNWRITABLE.sub("_", name))

    def fixed(self, name: str) -> str:
        """A joint of no coordinate, by a name that is wanted."""
        return self.joints.fresh(UNWRITABLE.sub("_", name))

    def losses(self) -> Iterator[Loss]:
        """The names that are written as others."""
        for part, new in (("coordinates", self.coordinates), ("bodies", self.bodies)):
            for name, now in new.items():
                reason = f"{WORLD!r} is the fixed frame" if name == WORLD else "XML has no way to write it"
                yield Loss(f"{part}/{name}", f"the name {name!r}", f"{reason}; it is written as {now}")
