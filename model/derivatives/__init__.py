"""Derivatives of the equations of motion, as quantities of a derivation.

    τ(q, q', q'', t) = M q'' + h - gravity - applied            inverse dynamics
    q''(q, q', τ, t) = M⁻¹ (τ + gravity + applied - h)          forward dynamics, at τ = 0

``dtau_dq``, ``dtau_dv``: of τ by q and q'; ``da_dq``, ``da_dv``, ``da_dtau``: of q'' by q, q' and a further force τ
along the coordinates. ``C``: the Coriolis matrix, of h by rates. ``regressor``: of τ by the ten inertial parameters of
every body, in which it is linear. They are exact, by the graph, of the formalism's own equations: formalisms that
differ have other derivatives. ``dtau_along``, ``da_along``, ``dlambda_along``: changes of τ, q'' and multipliers along
a direction of q and q'; ``d2tau_along``, ``d2a_along``, ``d2lambda_along`` second derivatives along it.
"""

from .dynamics import (
    ALONG,
    CHANGE,
    CHANGES,
    OF_ROWS,
    change_along,
    constrained_residuals,
    constrained_slopes,
    inverse_dynamics,
    require_free,
    require_parts,
    slopes,
)
from .regressor import DERIVED, OF_FORWARD, TEN, inertial_parameters, labels, require_rigid, with_derivatives

__all__ = [
    "ALONG", "CHANGE", "CHANGES", "DERIVED", "OF_FORWARD", "OF_ROWS", "TEN", "change_along",
    "constrained_residuals", "constrained_slopes", "inertial_parameters", "inverse_dynamics", "labels", "require_free",
    "require_parts", "require_rigid", "slopes", "with_derivatives",
]  # fmt: skip
