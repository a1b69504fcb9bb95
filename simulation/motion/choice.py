"""By whose equations a model is simulated where nobody is asked for."""

from __future__ import annotations

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.system import System


def quickest(system: System) -> Formalism:
    """The formalism with the quickest equations: of a tree one that solves them; the default where none is able."""
    able = [by for by in map(registry.formalism, registry.names()) if not by.constraint_obstacles(system)]
    if not system.constraints:
        for by in able:
            if by.solves:
                return by
    return able[0] if able else registry.formalism(registry.DEFAULT)
