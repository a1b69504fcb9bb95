"""Obstacles of all forms, and of each form alone."""

from __future__ import annotations

from mbconcord.formalisms.interface import features_refused
from mbconcord.model import System
from mbconcord.model.derivation import Obstacle
from mbconcord.model.features import OPEN_TREES

from . import planarity
from .tree import tree

NAME = "telegin"
TAKES = OPEN_TREES | {"follower_forces"}
SPATIAL = "spatial"


def form_obstacles(system: System, form: str | None) -> tuple[Obstacle, ...]:
    """List the obstacles of a form to this model; None: the form chosen by the model.

    The spatial form takes any open tree: joints of several coordinates and prescribed motions are split
    by massless links. The planar forms take single revolute joints with parallel axes; bodies without
    coordinates are part of the link that carries them.
    """
    found = features_refused(NAME, TAKES, system)
    if found or form in (None, SPATIAL):
        return found
    assert form is not None
    return tuple(planarity.obstacles(system, tree(system), form))
