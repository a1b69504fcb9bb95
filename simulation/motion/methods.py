"""Integrators by name, and the packages besides SciPy that each needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

PACKAGES: Final[Mapping[str, tuple[str, ...]]] = {"dop853": (), "radau": (), "ida": ("sksundae",)}
DEFAULT: Final = "dop853"
