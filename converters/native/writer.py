"""Writing the native format: a model to JSON text, the same bytes for the same model."""

from __future__ import annotations

from mbconcord.converters.format import Writing
from mbconcord.converters.json_text import render
from mbconcord.model.diagnostics import WriteError, error
from mbconcord.model.system import System

from .layout import SYSTEM
from .reader import FORMAT_NAME, VERSION


def write(system: System) -> Writing:
    """The native JSON text of a model; nothing is lost: ``read(write(system).text).system == system``.

    Raises
    ------
    WriteError
        The metadata or a name holds what JSON texts cannot.
    """
    text = render({"format": FORMAT_NAME, "version": VERSION, **SYSTEM.write(system)}) + "\n"
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as problem:
        found = ascii(text[problem.start : problem.end])
        raise WriteError(error("", f"the name or text {found} has half a character", "rename it")) from None
    return Writing(text)
