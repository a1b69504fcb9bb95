"""Equations made readable: text, LaTeX, MathML, NumPy-Python, C99, JSON, and closed forms of small systems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mbconcord.model.derivation import Derivation
from mbconcord.model.notation.listing import Listing

from . import listing as balances
from . import source
from .latex import latex
from .listed import write_listing
from .listing import choose, closing
from .mathml import mathml
from .text import mapping, text


def render(derivation: Derivation, names: Sequence[str], output: str) -> Any:
    """Write quantities in a notation: a text, or a mapping (``json``); without names, all canonical quantities.

    The name ``equations`` adds the equations themselves, over the labels of the quantities; for a model with
    constraints they are included if no name is given. A :class:`Listing` is printed whole, since its lines use each
    other's names.
    """
    if isinstance(derivation, Listing):
        return write_listing(derivation, output)
    stated = balances.equations(derivation) if balances.is_stated(derivation, names) else None
    wanted = [name for name in names if name != balances.EQUATIONS or stated is None]
    quantities = choose(derivation, wanted) if wanted or not names else {}
    if output in ("python", "c") and stated is not None:
        quantities = choose(derivation, (*balances.PARTS, *closing(derivation))) | quantities
    notation = {"latex": latex, "mathml": mathml, "json": mapping, "python": source.python, "c": source.c99}
    return notation.get(output, text)(derivation, quantities, stated)


def closed_form(derivation: Derivation, names: Sequence[str], output: str) -> Any:
    """Write simplified closed forms of a small system, as text, LaTeX or (``json``) a mapping."""
    from .latex import write_closed_forms  # SymPy is slow to load

    return write_closed_forms(derivation, names, output)
