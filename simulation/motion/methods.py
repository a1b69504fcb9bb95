"""Integrators by name with the packages besides SciPy that each needs, and what a run does where nothing is said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

PACKAGES: Final[Mapping[str, tuple[str, ...]]] = {
    "dop853": (),
    "radau": (),
    "lsoda": (),
    "cvode": ("sksundae",),
    "ida": ("sksundae",),
}
#: What each is for.
PURPOSES: Final[Mapping[str, str]] = {
    "dop853": "explicit (default)",
    "radau": "implicit, for stiff models",
    "lsoda": "multistep, stiff where the motion is, for friction that sticks",
    "cvode": "Adams of SUNDIALS, with few evaluations where these are dear",
    "ida": "of SUNDIALS, for stiff models away from singular positions",
}
DEFAULT: Final = "dop853"
#: The speed below which dry friction slips (m/s, rad/s).
SLIP: Final = 1e-3
