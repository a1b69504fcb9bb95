"""One witness's motion with constraints: where its equations decide nothing, its coordinates in another order."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.formalisms.interface import Formalism
from mbconcord.formalisms.registry import formalism
from mbconcord.model import System
from mbconcord.model.derivation import Derivation
from mbconcord.model.evaluation import ConstrainedMotion
from mbconcord.model.expressions import sqrt
from mbconcord.validation.check import check
from mbconcord.validation.judge.closed.closed_states import closed_states
from mbconcord.validation.judge.closed.motion import SolvedMotion, motion_of
from mbconcord.validation.judge.solutions import Bounded
from mbconcord.validation.judge.uncertainty import inputs


@pytest.fixture(scope="module")
def motion() -> SolvedMotion:
    closed = closed_states(read(folder("konoplev") / "four_bar.mbs.json").system, 2, 0)
    return motion_of(formalism("lagrange"), closed.system, closed.states, inputs(closed.system, closed.states))


@pytest.mark.parametrize(("sound", "clear", "known"), list(product((True, False), repeat=3)))
def test_numbers_without_bounds_decide_nothing(motion: SolvedMotion, sound: bool, clear: bool, known: bool) -> None:
    """Where equations are no numbers there is something to tell; where they are, their solution has to have bounds."""
    assert motion.bounds is not None
    a = motion.bounds.acceleration
    bounds = a.bounds if known else np.where(np.arange(a.bounds.shape[1]) == 1, np.inf, a.bounds)
    ones = np.ones(len(a.values), dtype=bool)
    found = replace(motion.bounds, acceleration=Bounded(a.values, bounds), sound=ones & sound, clear=ones & clear)
    assert replace(motion, bounds=found).silent.tolist() == [sound and not (clear and known)] * len(ones)


def test_coordinates_in_another_order(motion: SolvedMotion) -> None:
    n = motion.own.acceleration.shape[1]
    order = [*range(1, n), 0]
    turned = motion.reorder(order, "other")
    assert motion.bounds is not None and turned.bounds is not None
    for one, other in (
        (motion.own.acceleration, turned.own.acceleration), (motion.own.reactions, turned.own.reactions),
        (motion.solution.acceleration, turned.solution.acceleration),
        (motion.solution.reactions, turned.solution.reactions),
        (motion.own.tree.quantities["h"], turned.own.tree.quantities["h"]),
        (motion.bounds.acceleration.values, turned.bounds.acceleration.values),
        (motion.bounds.reactions.bounds, turned.bounds.reactions.bounds),
    ):  # fmt: skip
        assert not np.array_equal(one, one[:, order])
        assert np.array_equal(other, one[:, order])
    assert turned.own.tree.formalism == "other"


NAMES = ("lagrange", "newton_euler", "virtual_work", "konoplev", "telegin")
LAGRANGE: Any = type(formalism("lagrange"))


class Wider(LAGRANGE):  # type: ignore[misc]
    """Delivers a column too many."""

    def solve_closed(self, *given: Any) -> tuple[ConstrainedMotion, Derivation]:
        own, equations = super().solve_closed(*given)
        wide = np.concatenate([own.acceleration, own.acceleration[:, :1]], axis=1)
        return replace(own, acceleration=wide), equations


class Singular(LAGRANGE):  # type: ignore[misc]
    """Delivers a motion beside equations that are no numbers."""

    def solve_closed(self, *given: Any) -> tuple[ConstrainedMotion, Derivation]:
        own, equations = super().solve_closed(*given)
        h = tuple(x + sqrt(-1 - x * x) for x in equations.quantities["h"])
        return own, replace(equations, quantities={**equations.quantities, "h": h})


def of(by: Formalism) -> SolvedMotion:
    closed = closed_states(read(folder("konoplev") / "four_bar.mbs.json").system, 2, 0)
    return motion_of(by, closed.system, closed.states, inputs(closed.system, closed.states))


def test_a_motion_of_another_shape_is_refused() -> None:
    with pytest.raises(ValueError, match=r"acceleration has the shape \(2, \d\), not \(2, \d\)"):
        of(Wider())


def test_a_motion_beside_equations_without_numbers_is_no_number() -> None:
    found = of(Singular())
    assert np.isfinite(found.own.acceleration).all()
    assert np.isnan(found.solution.acceleration).all() and np.isnan(found.solution.reactions).all()


def test_room_is_added_to_the_bounds_of_a_quantity(motion: SolvedMotion) -> None:
    closed = closed_states(read(folder("konoplev") / "four_bar.mbs.json").system, 2, 0)
    given = inputs(closed.system, closed.states)
    wide = motion_of(formalism("lagrange"), closed.system, closed.states, given, {"gravity": np.full((2, 1), 1e-3)})
    assert motion.bounds is not None and wide.bounds is not None
    assert (wide.bounds.acceleration.bounds > 1e3 * motion.bounds.acceleration.bounds).all()
    assert np.array_equal(wide.own.acceleration, motion.own.acceleration)


@pytest.mark.slow
@pytest.mark.parametrize("file", ["konoplev/four_bar.mbs.json", "mbsd/patu655.mbsd"])
def test_each_formalism_derives_a_closed_model_once(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The equations of the open tree are those that the motion with constraints is made of.

    Not counted are those of the same model with joints opened, whose forces are coordinates of it.
    """
    made: Counter[str] = Counter()
    model = read(folder() / file).system
    for name in NAMES:
        by: Any = type(formalism(name))

        def counted(self: Any, system: System, derive: Any = by.derive) -> Derivation:
            made[self.name] += system.coordinate_names == model.coordinate_names
            found: Derivation = derive(self, system)
            return found

        monkeypatch.setattr(by, "derive", counted)
    found = check(model, formalisms=NAMES, states=2, exact="off")
    closing = {w.name for w in found.witnesses if not w.constraint_obstacles}
    assert {"lagrange", "newton_euler", "virtual_work", "konoplev"} <= closing
    assert made == {w.name: 1 for w in found.witnesses if not w.obstacles}
