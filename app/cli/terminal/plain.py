"""Signs that a stream's code page does not have, by others that are read alike: ``<=`` for ≤, ``^2`` for ²."""

from __future__ import annotations

import codecs
from typing import Final

NAME: Final = "mbconcord-plain"
_SIGNS: Final = {
    "≤": "<=", "≥": ">=", "≠": "!=", "≈": "~", "±": "+-", "×": "x", "·": "*", "−": "-", "–": "-", "—": "-", "…": "...",
    "√": "sqrt", "∂": "d", "∞": "inf", "°": " deg", "²": "^2", "³": "^3", "⁴": "^4", "ᵀ": "^T", "′": "'", "″": '"',
    "’": "'", "‘": "'", "“": '"', "”": '"', "«": '"', "»": '"', "№": "No.", "→": "->", "µ": "u", "\u00a0": " ",
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "eps", "θ": "theta", "λ": "lambda", "μ": "mu",
    "π": "pi", "ρ": "rho", "τ": "tau", "φ": "phi", "ψ": "psi", "ω": "omega", "Λ": "Lambda", "Π": "Pi", "Σ": "Sum",
}  # fmt: skip
#: Russian letters as they are commonly written in Latin ones.
_RUSSIAN: Final = {
    "а": "a", "б": "b", "в": "v", "г": "g", "д": "d", "е": "e", "ё": "yo", "ж": "zh", "з": "z", "и": "i", "й": "y",
    "к": "k", "л": "l", "м": "m", "н": "n", "о": "o", "п": "p", "р": "r", "с": "s", "т": "t", "у": "u", "ф": "f",
    "х": "kh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "shch", "ъ": "'", "ы": "y", "ь": "'", "э": "e", "ю": "yu",
    "я": "ya",
}  # fmt: skip


def _replaced(problem: UnicodeError) -> tuple[str, int]:
    """The handler of errors: a substitute for one sign, its number where there is none."""
    if not isinstance(problem, UnicodeEncodeError):
        raise problem
    sign = problem.object[problem.start]
    end = problem.start + 1
    substitute = _SIGNS.get(sign) or _letter(sign)
    if substitute is None:
        code = ord(sign)
        substitute = (
            f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
        )
    return substitute, end


def _letter(sign: str) -> str | None:
    """A Russian letter in Latin ones; None of another sign."""
    lower = sign.lower()
    if lower not in _RUSSIAN:
        return None
    found = _RUSSIAN[lower]
    return found if sign == lower else found.capitalize()


def register() -> str:
    """Make the handler known to the codecs, and its name."""
    codecs.register_error(NAME, _replaced)
    return NAME
