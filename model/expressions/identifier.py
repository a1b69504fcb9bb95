"""Typesetting of names: ``rho_x1`` is ρ with the index x1, ``z1'`` is z with a dot and the index 1."""

from __future__ import annotations

import re
from typing import Final

from mbconcord.records import dataclass

#: Greek letters by name.
GREEK: Final = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "zeta": "ζ", "eta": "η",
    "theta": "θ", "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "rho": "ρ",
    "sigma": "σ", "tau": "τ", "upsilon": "υ", "phi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω",
    "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ",
    "Upsilon": "Υ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Identifier:
    """Parts of a name.

    Attributes
    ----------
    letter : str
        Main part: a letter, the name of a Greek letter, or a word.
    indices : tuple of str
        Its subscripts.
    primes : int
        Number of time derivatives.
    """

    letter: str
    indices: tuple[str, ...]
    primes: int


def identifier(name: str, whole: bool = False) -> Identifier:
    """Split a name into parts: trailing digits of its first word and every word after ``_`` are indices.

    ``whole``: it has no indices.
    """
    bare = name.rstrip("'")
    head, *rest = bare.split("_")
    match = re.fullmatch(r"(.*?)([0-9]*)", head, re.DOTALL)
    assert match is not None
    letter, digits = match.groups()
    if whole or not letter:
        letter, digits, rest = bare, "", []
    return Identifier(letter, tuple(part for part in (digits, *rest) if part), len(name) - len(bare))
