"""From the model to the text of an SDF."""

from __future__ import annotations

from mbconcord.converters.carried import gone, remarks
from mbconcord.converters.constants import Numbers
from mbconcord.converters.format import Writing
from mbconcord.converters.losses import elastic
from mbconcord.converters.xml_text import printed
from mbconcord.model import Loss, System
from mbconcord.model.diagnostics import WriteError
from mbconcord.model.elastic.rigid import rigid

from .holds import HOLDS
from .reader import read
from .writing.lost import lost
from .writing.model import Model
from .writing.template import Template

HEAD = '<?xml version="1.0" encoding="utf-8"?>'


def write(system: System) -> Writing:
    """The SDF of a model.

    A model that was read from an SDF of one file is written by it: as it stands where nothing but the state changed,
    else anew, with what lies beside the equations of motion in its place by the names of links and joints. Joints stand
    in the frames of their parents and links in those of their joints; a joint of several coordinates that SDF has not
    becomes joints of one, with links without mass between them.

    Identity: ``write(read(write(m))) = write(m)``.

    Raises
    ------
    WriteError
        A number that has no value; a negative mass.
    """
    losses: list[Loss] = [*elastic(system, HOLDS)]
    system = rigid(system)
    template, numbers = Template.of(system), Numbers(system, "an SDF")
    if template is not None and template.says(system):
        every = {f"{kind}/{x.name}": x.name for kind in _KINDS for x in getattr(system, kind)}
        return Writing(template.text, (*losses, *lost(system, (), every, True, True)))
    model = Model(system, numbers, template)
    comments, unwritable = remarks(system, model.root)
    text = "\n".join([HEAD, *comments, *printed(model.root)]) + "\n"
    if numbers.missing:
        raise WriteError(numbers.missing.values())
    losses += [*model.names.losses(), *unwritable]
    losses += lost(system, numbers.used, model.held, template is not None, model.in_order)
    if template is not None:
        known = {loss.place for loss in losses}
        losses += (loss for loss in gone(system, read(text, "-").system, "SDF") if loss.place not in known)
    return Writing(text, tuple(losses), model.coordinates)


_KINDS = ("forces", "constraints", "armatures")
