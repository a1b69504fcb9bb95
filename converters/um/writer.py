"""From the model to the text of an input.dat, version 80."""

from __future__ import annotations

from mbconcord.converters.format import Writing
from mbconcord.model import Loss, System
from mbconcord.model.diagnostics import WriteError, error

from .document import render
from .encoding import encode
from .writing.generated import generate
from .writing.lost import beside_the_text
from .writing.names import choose_names
from .writing.template import KEY, Template


def write(system: System) -> Writing:
    """The input.dat of a model; what it does not hold, or what no UM file seen confirms, as losses.

    A model that was read from an input.dat is written by it: as it stands when nothing changed, with the numbers
    that changed in their places when only values of parameters or initial positions did. Any other model is
    written as one flat object; of a file's blocks those are kept that the model does not hold.

    Identities: ``read(write(m)) == m`` up to metadata and losses; ``write(read(write(m))) = write(m)``.

    Raises
    ------
    WriteError
        The model has no body.
    """
    if not system.bodies:
        raise WriteError(
            error("bodies", "a model without bodies; an input.dat has at least one", "add a body")
        )
    template = Template.of(system)
    losses: list[Loss] = []
    if template is None and KEY in system.metadata:
        losses.append(Loss(f"metadata/{KEY}", "the file that is kept there", "it cannot be read"))
    text = template.patched(system, losses) if template else None
    if text is not None:
        return Writing(text, (*losses, *beside_the_text(system)))
    made = render(generate(system, losses, template))
    if not made.isascii() and encode(made, "input.dat") == made.encode("utf-8"):
        reason = "no code page has them all: written in UTF-8, in which no UM file was seen"
        losses.append(Loss("names", "certainty about letters outside ASCII", reason))
    return Writing(made, tuple(losses), choose_names(system, []).coordinates)
