"""The joints of a model that came from a robot's file, by the names that other programs know them by."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mbconcord.model.system import System


@dataclass(frozen=True)
class Joint:
    """A joint: its name in the file, its body, and where its coordinates stand in the model's order."""

    name: str
    body: str
    at: tuple[int, ...]


def joints(system: System) -> Iterator[Joint]:
    """The joints that move: ``deck_TX``, ``deck_TY``, ``deck_RZ`` are coordinates of ``deck``."""
    order = {name: i for i, name in enumerate(system.coordinate_names)}
    for body in system.bodies:
        names = body.coordinates
        if names:
            name = names[0] if len(names) == 1 else names[0].rpartition("_")[0] or names[0]
            yield Joint(name, body.name, tuple(order[n] for n in names))
