"""Integrators by name with the packages other than SciPy that each needs, and the defaults of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.system import System

# By whose equations a model is simulated where nobody is asked for.


def quickest(system: System) -> Formalism:
    """Return the formalism with the fastest equations: for a tree one that solves them; the default if none can."""
    able = [by for by in map(registry.formalism, registry.names()) if not by.constraint_obstacles(system)]
    if not system.constraints:
        for by in able:
            if by.solves:
                return by
    return able[0] if able else registry.formalism(registry.DEFAULT)


PACKAGES: Final[Mapping[str, tuple[str, ...]]] = {
    "dop853": (),
    "radau": (),
    "lsoda": (),
    "cvode": ("sksundae",),
    "ida": ("sksundae",),
    "auto": (),
}
#: What each is for.
PURPOSES: Final[Mapping[str, str]] = {
    "dop853": "explicit (default)",
    "radau": "implicit, for stiff models",
    "lsoda": "multistep, stiff where the motion is, for friction that sticks",
    "cvode": "Adams of SUNDIALS, with few evaluations where these are dear",
    "ida": "of SUNDIALS, for stiff models away from singular positions",
    "auto": "lsoda where an estimate at the start calls the model stiff, else dop853",
}
DEFAULT: Final = "dop853"
#: The speed below which dry friction slips (m/s, rad/s).
SLIP: Final = 1e-3
