"""The inertial parameters on which a model's equations depend."""

from __future__ import annotations

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.checks.physics import Policy
from mbconcord.simulation.motion.trajectory import quickest
from mbconcord.validation.judge.exact.base_parameters import BaseParameters
from mbconcord.validation.witnesses.base import judge_base

from .request import require_kinds
from .source import Model, Parameters, locate_errors, source


@require_kinds
def base_parameters(
    model: Model,
    formalism: str | Formalism | None = None,
    *,
    parameters: Parameters | None = None,
    physics: Policy | None = None,
    format: str | None = None,
) -> BaseParameters:
    """Find the base parameters of a model: the sums of inertial parameters that inverse dynamics depends on.

    Their number is the rank of the regressor, exact over a prime field. For a model with constraints the result is that
    of its open tree.

    Parameters
    ----------
    model : path, result of :func:`mbconcord.read`, System or Mechanism
    formalism : source of the equations; None: the one that simulates the open tree fastest
    parameters : values by name; for parameters without a value the result is true of almost all values
    physics : treatment of impossible masses and inertias; None: the format's default
    format : of the file, if its name does not determine it

    Raises
    ------
    FormalismError
        The formalism does not take the model, a body is elastic, or right angles written in decimals decide the rank.
    DisagreementError
        Sums over the bodies at other states give another rank or other sums, or a printed sum is another one.

    Examples
    --------
    >>> import mbconcord
    >>> pendulum = mbconcord.read(text="z j-2 $3 g9.81", format="mbsd")
    >>> for base in mbconcord.base_parameters(pendulum).base:
    ...     print(base)
    body1.Jzz - 4 body1.m
    body1.mx
    body1.my - 2 body1.m
    """
    found = source(model, format, physics, parameters).plausible()
    by = registry.formalism(formalism) if isinstance(formalism, str) else formalism
    by = by or quickest(found.system.open_loops())
    with locate_errors(found):
        return judge_base(found.system, by)[0]
