"""Hypothesis strategy of valid texts of a format: as people type them, or as the format's writer writes them."""

from __future__ import annotations

from typing import Any

from hypothesis import reject
from hypothesis import strategies as st

from mbconcord.converters import registry
from mbconcord.model.diagnostics import WriteError, error
from mbconcord.model.system import System

from . import mbsd_texts
from .strategies import systems

#: Formats with texts that no writer would write.
TYPED = {"mbsd": mbsd_texts.texts}


def texts(format: str, models: st.SearchStrategy[System] | None = None) -> st.SearchStrategy[str]:
    """Texts that ``mbconcord.read_text(text, format=…)`` reads.

    Parameters
    ----------
    format : name of a format that can be written
    models : whose texts they are; None: MBSD as people type it, of other formats trees of up to four bodies

    Raises
    ------
    MbconcordError
        There is no such format, or nothing reads or writes it.
    """
    record = registry.format_named(format)
    if models is None and format in TYPED:
        return TYPED[format]()
    if record.write is None or record.read is None:
        raise WriteError(error("format", f"{format} is not read and written", "name a format that is"))
    return _written(format, systems(max_bodies=4) if models is None else models)


@st.composite
def _written(draw: Any, format: str, models: st.SearchStrategy[System]) -> str:
    """A model's text, without what the format cannot hold; a model of which nothing can be written is none."""
    try:
        return registry.write(draw(models), format).text
    except WriteError:
        reject()
