"""Files of states: JSON that names the coordinates, or the file of a format, told by its suffix."""

from __future__ import annotations

from dataclasses import dataclass

from mbconcord.converters.companions import StateFile
from mbconcord.converters.registry import contents, state_companion
from mbconcord.model.diagnostics import Diagnostic, Location, NumbersError
from mbconcord.model.state import State
from mbconcord.model.system import System

from .json_files import key_location, parsed, text_of, with_floats


@dataclass(frozen=True)
class NamedState(StateFile):
    """A state that names its coordinates, and the text it came from, so that findings about it gain their place."""

    text: str
    state: State

    def of(self, system: System) -> State:
        """The state: the same for every model."""
        return self.state

    def locate(self, finding: Diagnostic) -> Diagnostic:
        """The finding with its location in the state file, when it is about the state."""
        return finding if finding.location else finding.at(_place(self.text, self.file, finding.place))


def read_state(file: str) -> StateFile:
    """Read a state file; findings carry their location in it."""
    companion = state_companion(file)
    if companion is not None:
        return companion.read(contents(file), file)
    text = text_of(file)
    findings: list[Diagnostic] = []
    data = with_floats(parsed(text, file), "state", findings)
    try:
        state = State.from_json(data)
    except NumbersError as problem:
        findings += problem.diagnostics
    if findings:
        raise NumbersError([d.at(_place(text, file, d.place)) for d in findings])
    return NamedState(file, text, state)


def _place(text: str, file: str, place: str) -> Location | None:
    """Where a place such as ``state/q/z1`` stands in a state file."""
    root, *path = place.split("/")
    return key_location(text, file, path) if root == "state" else None
