"""The MJCF that a model was read from: written again where nothing changed."""

from __future__ import annotations

from mbconcord.converters.carried import Carried
from mbconcord.model import System

from ..reader import read
from ..vocabulary import TEXT


def text_of(system: System) -> tuple[str, System] | None:
    """The text in a model's metadata and what it says, where that is this model: all of it but name and state."""
    kept = Carried.kept(system, TEXT, read)
    return (kept.text, kept.system) if kept is not None and kept.says(system) else None
