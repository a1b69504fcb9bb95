"""Equations made readable: text, LaTeX, NumPy-Python, C99, JSON, and closed forms of small systems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mbconcord.model.derivation import Derivation
from mbconcord.model.listing import Listing

from . import source
from .latex import latex
from .listed import listed
from .listing import choose
from .mapping import mapping
from .text import text


def render(derivation: Derivation, names: Sequence[str], output: str) -> Any:
    """The equations in a notation: a text, or a mapping (``json``); no names: all canonical quantities.

    A :class:`Listing` is printed whole: its lines are over each other's names.
    """
    if isinstance(derivation, Listing):
        return listed(derivation, output)
    quantities = choose(derivation, names)
    if output == "latex":
        return latex(derivation, quantities)
    if output in ("python", "c"):
        return (
            source.python(derivation, quantities)
            if output == "python"
            else source.c99(derivation, quantities)
        )
    if output == "json":
        return mapping(derivation, quantities)
    return text(derivation, quantities)


def closed_form(derivation: Derivation, names: Sequence[str], output: str) -> Any:
    """Simplified closed forms of a small system, as text, LaTeX or (``json``) a mapping."""
    from .closed import closed  # SymPy is slow to load

    return closed(derivation, names, output)
