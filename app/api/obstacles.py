"""Obstacles of a formalism to a model, and the formalisms that take it."""

from __future__ import annotations

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model import System
from mbconcord.model.diagnostics import FormalismError, error


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
