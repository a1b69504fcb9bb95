"""The regressor: coefficients of inverse dynamics, which is linear in the inertial parameters of rigid bodies.

    τ = Y(q, q', q'', t) π + all that is not the inertia of a body

π has ten parameters of every body: mass m, first moment m c (mx, my, mz) and tensor J (Jxx, Jyy, Jzz, Jxy, Jxz, Jyz),
elements of the matrix, about the origin of the body's frame and in its axes. Y includes weight. Flywheels, armatures,
added inertia of a fluid and applied forces are in the other term.

A formalism derives τ with symbols m, c, J_C for every body. With J = J_C + m (c·c E - c cᵀ), at m = 1, c = 0, J_C = 0

    ∂τ/∂m = Y_m ,   ∂τ/∂c = Y_mc ,   ∂τ/∂J_C = Y_J

and as Y depends on none of them, these are the columns for every body.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import partial
from typing import Final

from ..body import Body, Inertia, tensor
from ..coordinate import Parameter
from ..derivation import Derivation, Lazy
from ..diagnostics import FormalismError, error
from ..expressions import ONE, ZERO, Expression, jacobian, substitute, symbol
from ..expressions.traversal import Nested
from ..naming import Namer
from ..system import System
from ..transformation import vector
from .dynamics import ALONG, Dynamics, Matrix, inverse_dynamics

# Derivatives among the quantities of a derivation, each made when it is asked for.


#: Of inverse dynamics, of forward dynamics.
OF_INVERSE: Final = ("dtau_dq", "dtau_dv")
OF_FORWARD: Final = ("da_dq", "da_dv", "da_dtau")
#: The matrix of h by rates.
CORIOLIS: Final = "C"
REGRESSOR: Final = "regressor"
#: All derivatives, in the order in which they are shown.
DERIVED: Final = (CORIOLIS, *OF_INVERSE, *OF_FORWARD, REGRESSOR)


def with_derivatives(
    derivation: Derivation, derive: Callable[[System], Derivation], wanted: Collection[str] = DERIVED
) -> Derivation:
    """Return a derivation whose native quantities have the wanted derivatives, or raise FormalismError on access.

    Parameters
    ----------
    derivation
    derive : derives an open tree by the same formalism, for the regressor
    wanted : names of the derivatives, of :data:`DERIVED` or changes of inverse dynamics of :data:`.ALONG`
    """
    own, system = Dynamics(derivation), derivation.system
    names = system.coordinate_names
    makers: dict[str, Callable[[], Nested]] = {
        name: partial(getattr, own, name) for name in DERIVED if name != REGRESSOR
    }
    makers[REGRESSOR] = partial(regressor, system, derive)
    makers |= {name: partial(own.change, order) for name, (of, order) in ALONG.items() if of == "inverse_dynamics"}
    makers = {name: maker for name, maker in makers.items() if name in wanted}
    axes = {name: (names, labels(system) if name == REGRESSOR else names) for name in makers if name in DERIVED}
    return replace(derivation, native=Lazy(makers) | derivation.native, indices={**axes, **derivation.indices})


#: The parameters of a body, in the order of columns.
TEN: Final = ("m", "mx", "my", "mz", "Jxx", "Jyy", "Jzz", "Jxy", "Jxz", "Jyz")


def with_inertia(system: System) -> tuple[Body, ...]:
    """Return the bodies that have columns in the regressor: those with a mass or a tensor."""
    return tuple(body for body in system.bodies if not body.inertia.is_zero)


def labels(system: System) -> tuple[str, ...]:
    """Name the columns of the regressor, body by body: ``link1.mx``."""
    return tuple(f"{body.name}.{part}" for body in with_inertia(system.open_loops()) for part in TEN)


def inertial_parameters(system: System) -> tuple[Expression, ...]:
    """Return the inertial parameters π (10 b) of b bodies, in the order of the regressor's columns."""
    found: list[Expression] = []
    for body in with_inertia(system.open_loops()):
        own = body.inertia
        found += [own.mass, *(own.mass * c for c in own.centre), *own.tensor_about_origin()]
    return tuple(found)


def regressor(system: System, derive: Callable[[System], Derivation]) -> Matrix:
    """Derive Y (n×10 b) of the open tree by a formalism, for b bodies that have inertia.

    Parameters
    ----------
    system
    derive : derives an open tree by the formalism

    Raises
    ------
    FormalismError
        A body is elastic; the formalism delivers no inverse dynamics.
    """
    require_rigid(system)
    tree = system.open_loops()
    symbols = _symbols(tree)
    tau = inverse_dynamics(derive(_with_symbols(tree, symbols)))
    variables = [x for own in symbols.values() for x in own]
    masses = {own[0] for own in symbols.values()}
    units = {x: ONE if x in masses else ZERO for x in variables}
    rows, k = jacobian(tau, variables), len(variables)
    found = substitute([x for row in rows for x in row], units)
    return tuple(tuple(found[i * k : (i + 1) * k]) for i in range(len(rows)))


def require_rigid(system: System) -> None:
    """Raise :class:`FormalismError` where a body is elastic."""
    found = [
        error(
            f"bodies/{body.name}/modes",
            "inverse dynamics is not linear in ten parameters of an elastic body: there is no regressor",
            "take the model without its modes",
        )
        for body in system.bodies
        if body.modal
    ]
    if found:
        raise FormalismError(found)


def _symbols(tree: System) -> dict[str, tuple[Expression, ...]]:
    """Return for each body with inertia ten symbols with unused names: mass, centre and central tensor."""
    namer = Namer(tree.names)
    return {
        body.name: tuple(symbol(namer.fresh(f"{part}_{k}")) for part in TEN)
        for k, body in enumerate(with_inertia(tree), 1)
    }


def _with_symbols(tree: System, symbols: Mapping[str, tuple[Expression, ...]]) -> System:
    bodies = [
        replace(body, inertia=Inertia(own[0], vector(own[1:4]), tensor(own[4:]))) if own else body
        for body, own in ((body, symbols.get(body.name)) for body in tree.bodies)
    ]
    added = [Parameter(x.data, ONE) for own in symbols.values() for x in own]
    return replace(tree, bodies=tuple(bodies), parameters=(*tree.parameters, *added))
