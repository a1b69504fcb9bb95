"""Limits of size and number of states for checks: witnesses are compared in matrices of the model's rows."""

from __future__ import annotations

from collections.abc import Sequence

from mbconcord.model.checks.physics import Policy
from mbconcord.model.checks.physics import physics as impossible
from mbconcord.model.diagnostics import Diagnostic, ModelError, NumbersError, error
from mbconcord.model.limits import (
    CHECKED_COORDINATES,
    CHECKED_MATRICES,
    CHECKED_STATES,
    LARGE_STATES,
    LINKED_COORDINATES,
    LINKED_NUMBERS,
    too_many,
)
from mbconcord.model.numbers import has_varying, parameter_values
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import replace


def too_large(system: System) -> bool:
    """Return True if it has more coordinates than matrix comparisons permit."""
    return len(system.coordinates) > CHECKED_COORDINATES


def require_links(system: System, states: int) -> None:
    """Refuse what is too much to be compared link by link.

    Raises
    ------
    NumbersError
        At the first coordinate that is too many, or at ``states``.
    """
    names = system.coordinate_names
    if len(names) > LINKED_COORDINATES:
        found = f"a model of {too_many(len(names), 'coordinates', LINKED_COORDINATES)} to be checked"
        raise NumbersError(error(f"coordinates/{names[LINKED_COORDINATES]}", found, "check its parts"))
    most = min(CHECKED_STATES, max(LARGE_STATES, LINKED_NUMBERS // max(1, len(names))))
    if not 1 <= states <= most:
        found = too_many(states, f"states of a model of {len(names):,} coordinates", most)
        raise NumbersError(error("states", found, "ask for one at least, and again with another seed"))


def require_size(system: System, states: int = 1) -> None:
    """Refuse a model of too many coordinates, or too many states of it, before anything is derived.

    Raises
    ------
    NumbersError
        At the first coordinate that is too many, or at ``states``.
    """
    names = system.coordinate_names
    if len(names) > CHECKED_COORDINATES:
        found = f"a model of {too_many(len(names), 'coordinates', CHECKED_COORDINATES)} to be checked"
        remedy = "evaluate it by one formalism, or check its parts"
        raise NumbersError(error(f"coordinates/{names[CHECKED_COORDINATES]}", found, remedy))
    if states < 1:
        raise NumbersError(error("states", f"{states} states were asked for", "ask for at least one"))
    most = min(CHECKED_STATES, max(LARGE_STATES, CHECKED_MATRICES // max(1, len(names)) ** 2))
    if states > most:
        found = too_many(states, f"states of a model of {len(names):,} coordinates", most)
        raise NumbersError(error("states", found, "ask for fewer, and again with another seed"))


def plausible(system: System, states: Sequence[State], policy: Policy) -> tuple[Diagnostic, ...]:
    """Warn of bodies that are impossible with some state's parameters; raise if the policy refuses them."""
    seen: list[dict[str, float]] = []
    warnings: dict[Diagnostic, None] = {}
    varying = has_varying(system)
    for state in states:
        own = parameter_values(system, state.parameters, t=state.t) if varying else dict(state.parameters)
        if own not in seen:
            seen.append(own)
            findings = impossible(system, parameter_values(system, own), policy)
            if varying:
                findings = [replace(d, message=f"{d.message} at t = {state.t:g}") for d in findings]
            if any(d.severity == "error" for d in findings):
                raise ModelError(findings)
            warnings |= dict.fromkeys(findings)
    return tuple(warnings)
