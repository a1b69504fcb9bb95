"""From the model to the text of an MJCF."""

from __future__ import annotations

from mbconcord.converters.carried import remarks
from mbconcord.converters.constants import Numbers
from mbconcord.converters.format import Writing
from mbconcord.converters.losses import elastic
from mbconcord.converters.xml_text import printed
from mbconcord.model import Loss, System
from mbconcord.model.diagnostics import WriteError
from mbconcord.model.elastic.rigid import rigid

from .holds import HOLDS
from .writing.lost import lost
from .writing.model import Model
from .writing.template import text_of

HEAD = '<?xml version="1.0" encoding="utf-8"?>'


def write(system: System) -> Writing:
    """The MJCF of a model.

    A model that was read from an MJCF of one file, and has not changed since, is written as that. Every other is
    written in the form that most programs read: radians, quaternions, one inertia for each body, no classes, no shapes.

    Identity: ``write(read(write(m))) = write(m)``.

    Raises
    ------
    WriteError
        A number that has no value; a negative mass.
    """
    losses: list[Loss] = [*elastic(system, HOLDS)]
    system = rigid(system)
    kept = text_of(system)
    if kept is not None:
        text, said = kept
        every = {f"{kind}/{x.name}": x.name for kind in _KINDS for x in getattr(system, kind)}
        every |= {f"coordinates/{c.name}/drive": "" for c in system.coordinates}
        every |= {f"parameters/{p.name}": p.name for p in system.parameters}
        for own, theirs in zip(system.coordinates, said.coordinates, strict=True):
            every |= {f"coordinates/{own.name}/position": ""} if own.position == theirs.position else {}
            every |= {f"coordinates/{own.name}/velocity": ""} if own.velocity == theirs.velocity else {}
        return Writing(text, (*losses, *lost(system, (), every, True)))
    numbers = Numbers(system, "an MJCF")
    model = Model(system, numbers)
    comments, unwritable = remarks(system, model.root)
    made = "\n".join([HEAD, *comments, *printed(model.root)]) + "\n"
    if numbers.missing:
        raise WriteError(numbers.missing.values())
    losses += [*model.losses, *unwritable, *lost(system, numbers.used, model.held, False)]
    return Writing(made, tuple(losses), model.names.coordinates)


_KINDS = ("forces", "constraints", "armatures")
