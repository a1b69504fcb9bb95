"""One-line reproducers of a model: the shortest among the formats that write on one line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mbconcord.converters import registry
from mbconcord.model.diagnostics import MbconcordError, WriteError, error
from mbconcord.model.system import System

from ..compare import same_machine

#: How many states must tell the line's machine and the model apart before it is called the same.
STATES = 2


def reproducer(system: System) -> str:
    """Write the model as one line of text that :func:`mbconcord.converters.registry.read_text` reads back.

    The line may lose names (forces have none in MBSD, say) as long as it describes the same machine.

    Raises
    ------
    WriteError
        No format writes the model on one line.
    """
    for line, name, renamed in sorted(_lines(system), key=lambda found: len(found[0])):
        if _says(line, name, renamed, system):
            return line
    raise WriteError(error("", "no format writes this model on one line"))


class Reproducer:
    """The reproducer of a model, computed only when printed: ``hypothesis.note(Reproducer(system))``."""

    def __init__(self, system: System) -> None:
        self.system = system

    def __repr__(self) -> str:
        return f"reproduce: {reproducer(self.system)}"


def _lines(system: System) -> Iterator[tuple[str, str, Mapping[str, str]]]:
    """Yield the model on one line, the format's name, and the renamed coordinates, for every format that can."""
    for name in registry.names():
        line = registry.format_named(name).line
        if line is not None:
            try:
                writing = registry.write(system, name)
                yield line(writing.text), name, writing.coordinates
            except MbconcordError:
                continue


def _says(line: str, name: str, renamed: Mapping[str, str], system: System) -> bool:
    """Return True if the line is the model, or at least the same machine."""
    try:
        back = registry.read_text(line, format=name).system
        told = {a: b for a, b in renamed.items() if b in back.coordinate_names}
        return back == system or same_machine(system, back, STATES, coordinates=told).verdict == "agrees"
    except MbconcordError:
        return False
