"""The MJCF that a model was read from: written again where nothing changed."""

from __future__ import annotations

from dataclasses import replace

from mbconcord.converters.carried import stateless
from mbconcord.model import System
from mbconcord.model.diagnostics import MbconcordError

from ..reader import read
from ..vocabulary import TEXT


def text_of(system: System) -> tuple[str, System] | None:
    """The text in a model's metadata and what it says, where that is this model: all of it but the state."""
    kept = system.metadata.get(TEXT)
    if kept is None:
        return None
    try:
        text = "\n".join(kept)
        said = read(text, "-").system
    except (MbconcordError, TypeError):
        return None
    return (text, said) if stateless(said) == stateless(replace(system, name=said.name)) else None
