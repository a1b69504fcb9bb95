"""What a mechanism holds while it is built, and the system that it becomes."""

from __future__ import annotations

from collections.abc import Iterable

from mbconcord.model import (
    Armature,
    Body,
    Coordinate,
    Function,
    Gravity,
    ModelError,
    Parameter,
    System,
)
from mbconcord.model.constraint import Constraint
from mbconcord.model.diagnostics import error
from mbconcord.model.force import Force
from mbconcord.model.shown import count, line


class Draft:
    """The elements so far."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._bodies: list[Body] = []
        self._coordinates: list[Coordinate] = []
        self._parameters: list[Parameter] = []
        self._functions: list[Function] = []
        self._gravity: Gravity | None = None
        self._forces: list[Force] = []
        self._constraints: list[Constraint] = []
        self._armatures: list[Armature] = []

    def __repr__(self) -> str:
        return line(
            "Mechanism", self.name, count(len(self._bodies), "body", "bodies"),
            count(len(self._coordinates), "coordinate"),
        )  # fmt: skip

    def build(self) -> System:
        """The system.

        Raises
        ------
        ModelError
            What only the whole shows, all of it: names in formulas that no one has, bodies that are not there, a body
            that is carried by a later one.
        """
        return System(
            self.name, tuple(self._coordinates), tuple(self._parameters), tuple(self._functions), self._gravity,
            tuple(self._bodies), tuple(self._forces), tuple(self._constraints),
            armatures=tuple(self._armatures),
        )  # fmt: skip

    @staticmethod
    def _new(place: str, name: str, taken: Iterable[str]) -> None:
        if name in taken:
            raise ModelError(error(place, f"{name!r} is there already", "names are unique"))
