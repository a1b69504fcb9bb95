"""Conversion of the model to an MJCF text."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from mbconcord.converters import losses
from mbconcord.converters.carried import Carried, remarks
from mbconcord.converters.constants import ConstantReader
from mbconcord.converters.fittings import NO_FITTINGS, Fitted, Fittings
from mbconcord.converters.format import Writing
from mbconcord.converters.losses import elastic
from mbconcord.converters.xml_text import print_document
from mbconcord.model import Loss, System
from mbconcord.model.diagnostics import WriteError
from mbconcord.model.elastic.rigid import rigid

from . import HOLDS
from .reader import read
from .vocabulary import TEXT
from .writing.model import MjcfModel

# Losses when a model is written as an MJCF.


def list_losses(
    system: System, used: Collection[str], held: Mapping[str, str], fitted: Fitted | None
) -> Iterator[Loss]:
    """Yield the losses of a model in an MJCF, in the order of the model.

    ``used``: parameters whose values are written; ``held``: by place of a written part, the name that it is read back
    with, empty if it has none; ``fitted``: omissions that are written; None if the source text is written unchanged.
    """
    yield from _coordinates(system, held)
    yield from losses.parameters(system, used, "MJCF", held)
    yield from losses.functions(system, HOLDS)
    yield from losses.in_time(system, HOLDS)
    yield from losses.bodies(system, HOLDS)
    yield from losses.acting(system, HOLDS, held)
    yield from losses.metadata(system, HOLDS)
    for key in sorted(system.metadata):
        if key.startswith("mjcf:") and not (key == TEXT and fitted is None):
            what = "what the source says beside the motion: shapes, materials, sensors" if key == TEXT else "it"
            yield Loss(f"metadata/{key}", what, "the MJCF is written anew", acts=False)
    if fitted is not None:
        yield from fitted.losses
        yield from losses.list_omission_losses(fitted.list_rest(system.omissions), HOLDS)


def _coordinates(system: System, held: Mapping[str, str]) -> Iterator[Loss]:
    for loss in losses.coordinates(system, HOLDS):
        if loss.place not in held:
            yield loss


# The MJCF that a model was read from is written again if nothing changed.


def text_of(system: System) -> tuple[str, System] | None:
    """Return a model's MJCF from its metadata and the model read from it; None if it is not that of the model."""
    kept = Carried.from_metadata(system, TEXT, read)
    return (kept.text, kept.system) if kept is not None and kept.says(system) else None


def write(system: System, fittings: Fittings = NO_FITTINGS) -> Writing:
    """Write the MJCF of a model.

    A model that was read from an MJCF that attaches no other and is unchanged is written as it was, with what it
    includes. Any other is written in the form that most programs read: radians, quaternions, one inertia per body, no
    classes; with limits and dry friction.

    Identity: ``write(read(write(m))) = write(m)``.

    Raises
    ------
    WriteError
        A number has no value; a mass is negative.
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
        return Writing(text, (*losses, *list_losses(system, (), every, None)))
    numbers = ConstantReader(system, "an MJCF")
    model = MjcfModel(system, numbers, fittings)
    comments, unwritable = remarks(system, model.root)
    made = print_document(comments, model.root)
    if numbers.missing:
        raise WriteError(numbers.missing.values())
    losses += [*model.losses, *unwritable, *list_losses(system, numbers.used, model.held, model.fitted)]
    return Writing(made, tuple(losses), model.names.coordinates, fitted=model.fitted.places)


_KINDS = ("forces", "constraints", "armatures")
