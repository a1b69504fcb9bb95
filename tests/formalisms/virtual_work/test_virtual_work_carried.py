"""Deep machines by virtual work: sums that are gathered from the tips are those body by body."""

from mbconcord.formalisms.virtual_work import carried
from mbconcord.model.expressions import as_expression
from mbconcord.validation.strategies.trees import random_system


def test_only_deep_machines_of_rigid_bodies_gather():
    deep, shallow = random_system(34, 5, flywheels=True), random_system(2, 3)
    assert carried.deep(deep)
    assert not carried.deep(shallow)
    wet = random_system(34, 5, added_inertia=True)
    assert not carried.deep(wet)


def test_a_ball_seen_from_elsewhere():
    """Mass 2, J = 3 E, from (1, 2, 2) away: s = m d; J = 3 + 2 (9 - d_i²) on the diagonal, -2 d_i d_k beside it."""
    two, three, zero = map(as_expression, (2, 3, 0))
    ball = carried.Whole(two, (zero, zero, zero), (three, three, three, zero, zero, zero))
    seen = ball.shift(tuple(map(as_expression, (1, 2, 2))))
    assert [x.data for x in seen.s] == [2, 4, 4]
    assert [x.data for x in seen.J] == [19, 13, 13, -4, -4, -8]
    back = seen.shift(tuple(map(as_expression, (-1, -2, -2))))
    assert back == ball
