"""Why two models are not the same machine."""

from __future__ import annotations

from collections.abc import Mapping

from mbconcord.model.checks.physics import Policy
from mbconcord.validation.why import Answer
from mbconcord.validation.why import why as searched

from .compare import both_with_values
from .models import Model, Parameters, exact_values, source
from .parameters import Values
from .source import Source, located


def why(
    a: Model,
    b: Model,
    *,
    coordinates: Mapping[str, str] | None = None,
    parameters: Parameters | None = None,
    physics: Policy | None = None,
    seed: int = 0,
) -> Answer:
    """Name what makes one model of the other: a fault of a catalogue, its place, and all that make the same change.

    A cause is stated only where the changed model is the other in every quantity that
    :func:`mbconcord.compare` compares.

    Parameters
    ----------
    a, b : paths, what :func:`mbconcord.read` gave, Systems or Mechanisms
    coordinates : which coordinate of B each of A's is; None: that of the same name, then found by structure
    parameters : values by name, for the model that has them
    physics : what is made of masses and inertias that no body has
    seed : of the states at which they are looked at

    Raises
    ------
    ReadError, ModelError
        A model cannot be read, or a body is physically impossible.
    NumbersError
        Parameters or coordinates that the models do not have.

    Examples
    --------
    >>> import mbconcord
    >>> one, other = (mbconcord.read_text(text, format="mbsd") for text in ("z j-2 $3 g", "z j-2 $6 g"))
    >>> print(mbconcord.why(one, other))
    why: B equals A when the mass of body1 is doubled (the same change: mass and tensor of body1 are doubled)
    """
    first, second = source(a, None, physics), source(b, None, physics)
    first, second = both_with_values(first, second, Values(exact_values(parameters or {})))
    return asked(first, second, coordinates, seed)


def asked(a: Source, b: Source, coordinates: Mapping[str, str] | None, seed: int) -> Answer:
    """Of two sources."""
    with located(a, b):
        return searched(a.system, b.system, seed, coordinates)
