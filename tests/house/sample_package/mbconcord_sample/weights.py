"""A witness: weights of point masses by hand, from the fields of the model."""

from __future__ import annotations

import numpy as np

from mbconcord.model import System
from mbconcord.model.derivation import Obstacle
from mbconcord.model.evaluation import Evaluation
from mbconcord.validation.witnesses import Answer, Question


class Weights:
    """The weight of one pendulum, Q = -m g l cos q of a rod along x at rest."""

    name = "weights"
    shares = frozenset({"reader"})

    def obstacles(self, model: System) -> tuple[Obstacle, ...]:
        """Return why it does not take a model: it is not the pendulum whose numbers are known here."""
        known = [body.name for body in model.bodies] == ["bob"]
        return () if known else (Obstacle("bodies", "names", "weights takes the pendulum with the bob"),)

    def answer(self, question: Question) -> Answer:
        """Return gravity at the states."""
        k = question.kinematics
        return Answer(Evaluation(self.name, {"gravity": -np.cos(k.q) * 9.81 * 1.2 * 3}))
