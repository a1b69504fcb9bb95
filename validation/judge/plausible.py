"""Bodies that are physically impossible, with the values that states give the parameters."""

from __future__ import annotations

from collections.abc import Sequence

from mbconcord.model.checks.physics import Policy
from mbconcord.model.checks.physics import physics as impossible
from mbconcord.model.diagnostics import Diagnostic, ModelError
from mbconcord.model.numbers import parameter_values
from mbconcord.model.state import State
from mbconcord.model.system import System


def plausible(system: System, states: Sequence[State], policy: Policy) -> tuple[Diagnostic, ...]:
    """Warnings of bodies that are impossible with the parameters of some state; raise where they are to be refused."""
    seen: list[dict[str, float]] = []
    warnings: dict[Diagnostic, None] = {}
    for state in states:
        own = dict(state.parameters)
        if own not in seen:
            seen.append(own)
            findings = impossible(system, parameter_values(system, own), policy)
            if any(d.severity == "error" for d in findings):
                raise ModelError(findings)
            warnings |= dict.fromkeys(findings)
    return tuple(warnings)
