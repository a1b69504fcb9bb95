"""Derivatives among the quantities of a derivation, each made when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from typing import Final

from ..derivation import Derivation
from ..expressions.nested import Nested
from ..lazy import Lazy
from ..system import System
from .dynamics import Dynamics
from .regressor import labels, regressor

#: Of inverse dynamics, of forward dynamics.
OF_INVERSE: Final = ("dtau_dq", "dtau_dv")
OF_FORWARD: Final = ("da_dq", "da_dv", "da_dtau")
REGRESSOR: Final = "regressor"
#: All derivatives, in the order in which they are shown.
DERIVED: Final = (*OF_INVERSE, *OF_FORWARD, REGRESSOR)


def with_derivatives(
    derivation: Derivation, derive: Callable[[System], Derivation], wanted: Collection[str] = DERIVED
) -> Derivation:
    """A derivation that has its derivatives natively; FormalismError where one that there is not is asked for.

    Parameters
    ----------
    derivation
    derive : the same formalism's derivation of a tree, for the regressor
    wanted : which
    """
    own, system = Dynamics(derivation), derivation.system
    names = system.coordinate_names
    makers: dict[str, Callable[[], Nested]] = {
        name: partial(getattr, own, name) for name in (*OF_INVERSE, *OF_FORWARD)
    }
    makers[REGRESSOR] = partial(regressor, system, derive)
    makers = {name: maker for name, maker in makers.items() if name in wanted}
    axes = {name: (names, labels(system) if name == REGRESSOR else names) for name in makers}
    return replace(
        derivation, native=Lazy(makers) | derivation.native, indices={**axes, **derivation.indices}
    )
