"""Which inertial parameters a model's equations depend on."""

from __future__ import annotations

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.checks.physics import Policy
from mbconcord.validation.exact.base_parameters import BaseParameters
from mbconcord.validation.exact.base_parameters import base_parameters as found_by

from .models import Model, Parameters, source
from .source import located


def base_parameters(
    model: Model,
    formalism: str | Formalism = registry.DEFAULT,
    *,
    parameters: Parameters | None = None,
    physics: Policy | None = None,
    format: str | None = None,
) -> BaseParameters:
    """The base parameters of a model: the sums of inertial parameters that inverse dynamics depends on.

    Their number is the rank of the regressor, exact over a prime field. Of a model with constraints they are those of
    its open tree.

    Parameters
    ----------
    model : path, what :func:`mbconcord.read` gave, System or Mechanism
    formalism : by whose equations
    parameters : values by name; of a parameter without value what is told holds for almost all values
    physics : what is made of masses and inertias that no body has; None: what the format's record says
    format : of the file, where its name does not tell

    Raises
    ------
    FormalismError
        The formalism does not take the model, or a body is elastic, and why.

    Examples
    --------
    >>> import mbconcord
    >>> pendulum = mbconcord.read_text("z j-2 $3 g9.81", format="mbsd")
    >>> for base in mbconcord.base_parameters(pendulum).base:
    ...     print(base)
    body1.Jzz - 4 body1.m
    body1.mx
    body1.my - 2 body1.m
    """
    found = source(model, format, physics, parameters).plausible()
    by = registry.formalism(formalism) if isinstance(formalism, str) else formalism
    with located(found):
        by.require(found.system.opened())
        return found_by(found.system, by)
