"""The mass matrix of deep machines by Lagrange: bodies joined to one give the slopes of all momenta."""

from mbconcord.formalisms.lagrange import joined
from mbconcord.formalisms.lagrange.kinematics import Frame
from mbconcord.model import Inertia
from mbconcord.model.expressions import as_expression
from mbconcord.validation.strategies.trees import random_system


def test_a_body_seen_from_its_carrier():
    """Mass 2 at (0, 1, 0) with moments 5, 6, 7 there, turned by a right angle about z and carried to (3, 0, 1).

    The turn brings the centre to (-1, 0, 0) and the moments to 6, 5, 7; from the carrier the centre is at (2, 0, 1), so
    s = (4, 0, 2), and J = diag(6, 5, 7) + 2 ((4 + 1) E - d dᵀ) with d = (2, 0, 1).
    """
    zero, one, two, three = map(as_expression, range(4))
    frame = Frame(((zero, -one, zero), (one, zero, zero), (zero, zero, one)), (three, zero, one))
    seen = joined.Joined.from_inertia(Inertia(two, (0, 1, 0), (5, 6, 7))).to_outer_frame(frame)
    assert [x.data for x in seen.s] == [4, 0, 2]
    assert [x.data for x in seen.J] == [6 + 2, 5 + 10, 7 + 8, 0, -4, 0]


def test_only_deep_machines_of_rigid_bodies_are_joined():
    assert joined.deep(random_system(34, 5, flywheels=True))
    assert not joined.deep(random_system(2, 3))
    assert not joined.deep(random_system(34, 5, added_inertia=True))
