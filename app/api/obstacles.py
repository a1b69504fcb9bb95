"""Obstacles of a formalism to a model, and the formalisms that take it."""

from __future__ import annotations

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model import System
from mbconcord.model.diagnostics import FormalismError, error


def choose_formalism(asked: str | Formalism | None, system: System) -> Formalism:
    """Return the requested formalism, or the first that takes the model, with its constraints if any does."""
    if asked is not None:
        return registry.formalism(asked) if isinstance(asked, str) else asked
    able = (by for by in map(registry.formalism, registry.names()) if not by.constraint_obstacles(system))
    return next(able, registry.formalism(registry.DEFAULT))


def require(chosen: Formalism, system: System) -> None:
    """Refuse features that the formalism does not support; for constraints, name the formalisms that do.

    Raises
    ------
    FormalismError
        There is an obstacle.
    """
    if not system.constraints:
        chosen.require(system)
        return
    obstacles = chosen.constraint_obstacles(system)
    if obstacles:
        others = (registry.formalism(name) for name in registry.names())
        able = [other.name for other in others if other is not chosen and not other.constraint_obstacles(system)]
        remedy = f"--formalism {' or '.join(able)} takes this model" if able else ""
        raise FormalismError([error(o.place, o.reason, remedy) for o in obstacles])
