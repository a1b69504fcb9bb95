"""Writing the native format: a model to JSON text, the same bytes for the same model."""

from __future__ import annotations

from mbconcord.converters.format import Writing
from mbconcord.converters.json_text import render
from mbconcord.model.diagnostics import WriteError, error
from mbconcord.model.system import System

from . import FORMAT_NAME
from .layout import SYSTEM
from .reader import VERSION


def write(system: System) -> Writing:
    """Write the native JSON text of a model without loss: ``read(write(system).text).system == system``.

    Raises
    ------
    WriteError
        The metadata or a name contains something that JSON texts cannot hold.
    """
    text = render({"format": FORMAT_NAME, "version": VERSION, **SYSTEM.write(system)}) + "\n"
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as problem:
        found = ascii(text[problem.start : problem.end])
        raise WriteError(error("", f"the name or text {found} has half a character", "rename it")) from None
    return Writing(text)
