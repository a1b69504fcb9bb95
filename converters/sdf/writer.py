"""Conversion of the model to an SDF text."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from mbconcord.converters import losses
from mbconcord.converters.carried import list_lost_omissions, list_part_losses, remarks
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
from .writing.elements import SdfTemplate
from .writing.model import SdfModel

# Losses of a model in an SDF.


def list_losses(
    system: System, used: Collection[str], held: Mapping[str, str], fitted: Fitted | None, in_order: bool
) -> Iterator[Loss]:
    """Yield the losses of a model in an SDF, in the order of the model.

    ``used`` names parameters with written values. ``held`` maps places of written forces, constraints and armatures to
    the names that are read back. ``fitted`` records the omissions that are written, None if the text is based on the
    model's own SDF. ``in_order`` is True if coordinates keep their order.
    """
    yield from (loss for loss in losses.coordinates(system, HOLDS) if loss.place != "coordinates")
    if not in_order:
        what = f"the order {', '.join(system.coordinate_names)}"
        yield Loss("coordinates", what, HOLDS.why("coordinate_order"), acts=False)
    yield from losses.parameters(system, used, "SDF")
    yield from list_part_losses(system, HOLDS, held, TEXT, fitted)


def write(system: System, fittings: Fittings = NO_FITTINGS) -> Writing:
    """Write the SDF of a model.

    A model that was read from a single SDF file is written from it: unchanged if only the state differs, else anew,
    with content other than the equations of motion placed by the names of links and joints; any other model gets
    the limits, friction and shapes in ``fittings``. Joints are placed in frames of their parents, links in those of
    their joints; a joint of several coordinates that SDF lacks becomes joints of one, with massless links between.

    Identity: ``write(read(write(m))) = write(m)``.

    Raises
    ------
    WriteError
        A number has no value; a mass is negative.
    """
    losses: list[Loss] = [*elastic(system, HOLDS)]
    system = rigid(system)
    template, numbers = SdfTemplate.from_system(system), ConstantReader(system, "an SDF")
    if template is not None and template.says(system):
        every = {f"{kind}/{x.name}": x.name for kind in _KINDS for x in getattr(system, kind)}
        return Writing(template.text, (*losses, *list_losses(system, (), every, None, True)))
    model = SdfModel(system, numbers, template, fittings)
    comments, unwritable = remarks(system, model.root)
    text = print_document(comments, model.root)
    if numbers.missing:
        raise WriteError(numbers.missing.values())
    losses += [*model.names.losses(), *unwritable]
    losses += list_losses(system, numbers.used, model.held, model.fitted, model.in_order)
    if template is not None:
        losses += [*list_lost_omissions(system, read(text, "-").system, "SDF", losses)]
    places = frozenset() if model.fitted is None else model.fitted.places
    return Writing(text, tuple(losses), model.coordinates, fitted=places)


_KINDS = ("forces", "constraints", "armatures")
