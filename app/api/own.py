"""Own equations of motion, to be checked against a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.records import replace
from mbconcord.validation.against.own.equations import TOLD, OwnEquations, read_own
from mbconcord.validation.against.own.files import FMU, PREFIXES, read_file

from .request import list_names, require_kinds

if TYPE_CHECKING:
    from mbconcord.validation.against.fmu import FmuEquations


@require_kinds
def own(
    source: Any,
    *,
    q: Sequence[Any] | None = None,
    u: Sequence[Any] | None = None,
    qdot: Mapping[Any, Any] | None = None,
    coordinates: Mapping[str, str] | None = None,
    rates: Mapping[str, str] | None = None,
    symbols: Mapping[str, str] | None = None,
    inputs: Mapping[str, str] | None = None,
    parameters: str | Sequence[str] | Mapping[str, float | str] | None = None,
    allow_binary: bool = False,
) -> OwnEquations | FmuEquations:
    """Read equations M u' = forcing that you derived, for ``check(model, against=…)``.

    Parameters
    ----------
    source : SymPy's KanesMethod, LagrangesMethod, System or JointsMethod with its equations formed; ``(M, forcing)``
        or ``{"M": M, "forcing": f}`` of SymPy matrices; or ``{"residual": R}``, a column that is linear in u';
        or functions of NumPy, ``f(q, v, p) -> (M, forcing)`` or by name, ``{"inverse_dynamics": f}``, which are traced;
        or such functions of CasADi or JAX, or expressions of CasADi, whose instructions are converted;
        or ``"eqs:FILE"``, a neutral file of equations; or ``"python:FILE:NAME"``, the text of a function that returns
        M and forcing, or ``"matlab:FILE"``, MATLAB text that makes them, which are read and never run; or
        ``"fmu:FILE"``, an FMU, which is run in a process of its own
    q, u, qdot : for matrices and functions: coordinates, speeds, and formulas of q' in terms of the speeds; None: the
        speeds are the rates
    coordinates : formulas of the model's coordinates in terms of yours, ``{"q1": "th1 - pi/2"}``, or of yours in terms
        of the model's; coordinates with equal names correspond
    rates : formulas, in terms of your speeds, of rates of those coordinates of the model that you do not have
    symbols : formulas of your parameters in terms of the model's, ``{"Izz": "m*L^2/12"}``
    inputs : formulas of your functions of time in terms of the model's parameters
    parameters : numbers of your parameters; or their names, if a function of CasADi or JAX takes a vector p
    allow_binary : whether to run an FMU, which is a program; for an FMU ``coordinates`` and ``rates`` are names of its
        states by the model's coordinates, and ``inputs`` names of efforts by the model's coordinates

    Returns
    -------
    OwnEquations or FmuEquations
        Equations with ``q``, ``u``, ``qdot``, ``M``, ``forcing``, and ``findings`` about contradictions in them.

    Raises
    ------
    MbconcordError
        The equations were not formed, have another form, or contain a value that is neither a number nor a formula.

    Examples
    --------
    >>> import mbconcord
    >>> from sympy import symbols, sin, Matrix
    >>> from sympy.physics.mechanics import dynamicsymbols
    >>> q1 = dynamicsymbols("q1")
    >>> m, l, g = symbols("m l g")
    >>> mine = mbconcord.own((Matrix([m * l**2]), Matrix([-m * g * l * sin(q1)])), q=[q1])
    >>> mine
    <OwnEquations of matrices: 1 speed>
    """
    numbers = {name: str(value) for name, value in parameters.items()} if isinstance(parameters, Mapping) else {}
    told = {"coordinates": coordinates, "rates": rates, "inputs": inputs, "symbols": {**(symbols or {}), **numbers}}
    given = {name: {str(key): str(value) for key, value in (x or {}).items()} for name, x in told.items()}
    if isinstance(source, str) and source.startswith(FMU):
        from mbconcord.validation.against.fmu import read_fmu  # not before: it brings what runs FMUs

        if q is not None or u is not None or qdot is not None:
            raise MbconcordError(error("own", f"found q, u or qdot beside {source!r}", "the FMU has its own"))
        return read_fmu(source.removeprefix(FMU), allow_binary, **given)
    if isinstance(source, str) and source.startswith(PREFIXES):
        found = read_file(source, q, u, qdot)
        both: dict[str, Any] = {name: {**getattr(found, name), **given[name]} for name in TOLD}
        return replace(found, **both)
    from mbconcord.validation.against.own.foreign import adapt  # not before: it brings NumPy
    from mbconcord.validation.against.own.traced import is_traceable, read_functions

    named = None if parameters is None or isinstance(parameters, Mapping) else list_names(parameters)
    source = adapt(source, named)
    if is_traceable(source):
        whole: dict[str, Any] = dict(given)
        return replace(read_functions(source, q, u, qdot), **whole)
    return read_own(source, q=q, u=u, qdot=qdot or {}, **given)
