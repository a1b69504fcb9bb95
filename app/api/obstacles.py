"""What a formalism does not take of a model, and who takes it."""

from __future__ import annotations

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model import System
from mbconcord.model.diagnostics import FormalismError, error


def require(chosen: Formalism, system: System) -> None:
    """Refuse what the formalism does not take; where constraints are the reason, say who takes them.

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
        able = [
            other.name for other in others if other is not chosen and not other.constraint_obstacles(system)
        ]
        remedy = f"--formalism {' or '.join(able)} takes this model" if able else ""
        raise FormalismError([error(o.place, o.reason, remedy) for o in obstacles])
