"""From the model to the text of an input.dat, version 80."""

from __future__ import annotations

from mbconcord.converters.format import Writing
from mbconcord.converters.losses import elastic
from mbconcord.converters.spelling import ENCODING, UTF8, encoding
from mbconcord.model import Loss, System
from mbconcord.model.diagnostics import WriteError, error
from mbconcord.model.elastic.rigid import rigid

from .encoding import suited
from .writing.generated import generate
from .writing.lost import HOLDS, beside_the_text
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
    losses: list[Loss] = [*elastic(system, HOLDS)]
    system = rigid(system)
    template = Template.of(system)
    if template is None and KEY in system.metadata:
        losses.append(Loss(f"metadata/{KEY}", "the file that is kept there", "it cannot be read"))
    text = template.patched(system, losses) if template else None
    renamed: dict[str, str] = {}
    if text is not None:
        losses += beside_the_text(system)
    else:
        text, renamed = generate(system, losses, template), choose_names(system, []).coordinates
    page = _code_page(text, system, template is not None, losses)
    return Writing(text, tuple(losses), renamed, page)


def _code_page(text: str, system: System, own: bool, losses: list[Loss]) -> str:
    """The code page of the file: that of the file which the model was read from, if that was UM's, or the usual one."""
    named = encoding(system)
    if own or named in HOLDS.encodings:
        try:
            text.encode(named)
        except UnicodeEncodeError:
            losses.append(
                Loss(f"omissions/file/{ENCODING}", f"the code page {named}", "it lacks letters of names")
            )
        else:
            return named
    chosen = suited(text)
    if chosen == UTF8 and not text.isascii():
        reason = "no code page has them all: written in UTF-8, in which no UM file was seen"
        losses.append(Loss("names", "certainty about letters outside ASCII", reason))
    return chosen
