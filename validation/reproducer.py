"""One line that reproduces a model: MBSD where it can hold the machine, native JSON where it cannot."""

from __future__ import annotations

import json

from mbconcord.converters import registry
from mbconcord.model.diagnostics import MbconcordError
from mbconcord.model.system import System

from .same_machine import same_machine

#: How many states must tell the line's machine and the model apart before it is called the same.
STATES = 2


def reproducer(system: System) -> str:
    """The model as one line of text that :func:`mbconcord.converters.registry.read_text` reads back.

    MBSD may lose names (forces have none in it) as long as the machine it says is the same.
    """
    try:
        line = " ".join(registry.write(system, "mbsd").text.split())
        same = same_machine(system, registry.read_text(line, format="mbsd").system, STATES)
    except MbconcordError:
        return native_line(system)
    return line if same.verdict == "agrees" else native_line(system)


class Line:
    """The reproducer of a model, made when it is printed: ``hypothesis.note(Line(system))`` costs nothing else."""

    def __init__(self, system: System) -> None:
        self.system = system

    def __repr__(self) -> str:
        return f"reproduce: {reproducer(self.system)}"


def native_line(system: System) -> str:
    """The model in native JSON, on one line."""
    data = json.loads(registry.write(system, "native").text)
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
