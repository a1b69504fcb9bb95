"""Integrators by name with the packages besides SciPy that each needs, and what a run does where nothing is said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

PACKAGES: Final[Mapping[str, tuple[str, ...]]] = {"dop853": (), "radau": (), "ida": ("sksundae",)}
DEFAULT: Final = "dop853"
#: The speed below which dry friction slips (m/s, rad/s).
SLIP: Final = 1e-3
