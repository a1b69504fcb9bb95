"""Names of links and joints: those of the model, but where SDF has another use for them, or two things have one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mbconcord.converters.xml_text import UNWRITABLE
from mbconcord.model import Loss, System
from mbconcord.model.naming import Namer

from ..vocabulary import WITHIN, WORLD


class Names:
    """Names as they are written: links and joints of one model have names that differ.

    ``joints`` are those of the joints that carry coordinates of the model, by what they are called in it.
    """

    def __init__(self, system: System, joints: Iterable[str]) -> None:
        bodies, joints = [body.name for body in system.bodies], list(joints)
        self.namer = Namer((*bodies, *joints, WORLD))
        self.bodies = dict(self._new(bodies, {WORLD, *joints}))
        self.joints = dict(self._new(joints, {WORLD}))

    def _new(self, names: Iterable[str], taken: set[str]) -> Iterator[tuple[str, str]]:
        for name in names:
            plain = plain_of(name)
            if plain != name or name in taken:
                yield name, self.namer.fresh(plain)

    def body(self, name: str | None) -> str:
        """The link of a body; of the fixed frame the world."""
        return WORLD if name is None else self.bodies.get(name, name)

    def joint(self, name: str) -> str:
        """The joint of that name in the model."""
        return self.joints.get(name, name)

    def fresh(self, name: str) -> str:
        """A new link or joint, by a name that is wanted."""
        return self.namer.fresh(plain_of(name))

    def losses(self) -> Iterator[Loss]:
        """The bodies that are written by other names."""
        for name, now in self.bodies.items():
            reason = "links and joints have different names, and SDF has names of its own"
            yield Loss(f"bodies/{name}", f"the name {name!r}", f"{reason}; it is written as {now}")


def plain_of(name: str) -> str:
    """A name without what SDF reads otherwise: what stands between models, and words within two underscores."""
    plain = UNWRITABLE.sub("_", name).replace(WITHIN, "__").strip()
    plain = plain or "_"
    return f"{plain}_0" if plain.startswith("__") and plain.endswith("__") else plain
