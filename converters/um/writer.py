"""Conversion of the model to the text of an input.dat, version 80."""

from __future__ import annotations

from mbconcord.converters.format import Writing
from mbconcord.converters.losses import elastic
from mbconcord.converters.spelling import ENCODING, UTF8, encoding
from mbconcord.model import Loss, System
from mbconcord.model.diagnostics import WriteError, error
from mbconcord.model.elastic.rigid import rigid

from .encoding import choose_code_page
from .writing.generated import generate
from .writing.lost import HOLDS, beside_the_text
from .writing.names import choose_names
from .writing.template import KEY, UmTemplate


def write(system: System) -> Writing:
    """Write the input.dat of a model; content without a place in it, or unconfirmed by UM files, becomes losses.

    A model that was read from an input.dat is written from it: unchanged if nothing changed, with new numbers in their
    places if only values of parameters or initial positions did. Any other model is written as one flat object, with
    those blocks of its file that the model does not hold.

    Identities: ``read(write(m)) == m`` up to metadata and losses; ``write(read(write(m))) = write(m)``.

    Raises
    ------
    WriteError
        The model has no body.
    """
    if not system.bodies:
        raise WriteError(error("bodies", "a model without bodies; an input.dat has at least one", "add a body"))
    losses: list[Loss] = [*elastic(system, HOLDS)]
    system = rigid(system)
    template = UmTemplate.from_system(system)
    if template is None and KEY in system.metadata:
        losses.append(Loss(f"metadata/{KEY}", "the file that is kept there", "it cannot be read", acts=False))
    text = template.patch(system, losses) if template else None
    renamed: dict[str, str] = {}
    if text is not None:
        losses += beside_the_text(system)
    else:
        text, renamed = generate(system, losses, template), choose_names(system, []).coordinates
    page = _code_page(text, system, template is not None, losses)
    return Writing(text, tuple(losses), renamed, page)


def _code_page(text: str, system: System, own: bool, losses: list[Loss]) -> str:
    """Choose the code page of the file: that of the model's source file if it was UM's, or the usual one."""
    named = encoding(system)
    if own or named in HOLDS.encodings:
        try:
            text.encode(named)
        except UnicodeEncodeError:
            losses.append(
                Loss(f"omissions/file/{ENCODING}", f"the code page {named}", "it lacks letters of names", acts=False)
            )
        else:
            return named
    chosen = choose_code_page(text)
    if chosen == UTF8 and not text.isascii():
        reason = "no code page has them all: written in UTF-8, in which no UM file was seen"
        losses.append(Loss("names", "certainty about letters outside ASCII", reason, acts=False))
    return chosen
