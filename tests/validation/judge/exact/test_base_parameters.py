"""Base parameters: known counts, combinations by hand, the rank beside singular values, and that they carry τ."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import mbconcord
from mbconcord.cli import main
from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.formalisms.registry import formalism
from mbconcord.model import Body, Coordinate, Gravity, Inertia, Parameter, System, rotation, translation
from mbconcord.model.diagnostics import FormalismError
from mbconcord.model.expressions import Expression, as_expression, number, symbol
from mbconcord.validation.judge.exact.base_parameters import base_parameters
from mbconcord.validation.judge.states import draw, draw_states
from mbconcord.validation.strategies.trees import random_system

HEAVY = Inertia(number(1), (0.1, 0.2, 0.3), (1, 2, 2.5, 0.1, 0.2, 0.3))


def arm(axes: str, length: Any, turn: bool, gravity: Any = (0, 0, -1), kinds: str = "") -> System:
    """Links whose frames lie in their joints; each joint carries the next one at a distance, turned."""
    bodies, parent = [], None
    for k, axis in enumerate(axes):
        turned = (rotation("z", number(Fraction(1, 3))),) * turn
        before = () if parent is None else (translation("x", length), *turned)
        joint = translation if kinds[k : k + 1] == "p" else rotation
        moves = (*before, joint(axis, f"q{k + 1}"))
        bodies.append(Body(f"l{k + 1}", parent, moves, HEAVY))
        parent = f"l{k + 1}"
    coordinates = tuple(Coordinate(f"q{k + 1}") for k in range(len(axes)))
    weight = Gravity(as_expression(9.81), gravity) if gravity else None
    lengths = (Parameter(str(length)),) if isinstance(length, Expression) else ()
    return System("arm", coordinates, lengths, (), weight, tuple(bodies))


#: Revolute arms: 7 n - 4 p - 2 w base parameters, p leading parallel axes and w whether gravity is along them; p - w
#: more terms where gravity is missing (Mayeda, Yoshida, Osuka 1990). A slide along gravity tells the mass alone.
KNOWN = {
    "pendulum": (arm("z", 1, False, (0, -1, 0)), 3),
    "pendulum about the vertical": (arm("z", 1, False), 1),
    "planar 2R in the vertical plane": (arm("zz", 0.5, False, (0, -1, 0)), 6),
    "planar 2R without gravity": (arm("zz", 0.5, False, None), 4),
    "6R with a vertical first axis": (arm("zxyzxy", 0.5, True), 36),
    "6R with a first axis that is not vertical": (arm("zxyzxy", 0.5, True, (0, -1, 0)), 38),
    "slide along gravity": (arm("z", 1, False, kinds="p"), 1),
    "UR5": (read(folder() / "robots/ur5.mbsd").system, 36),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", KNOWN)
def test_known_counts(name: str) -> None:
    system, rank = KNOWN[name]
    assert base_parameters(system, formalism("newton_euler")).rank == rank


def test_two_links_by_hand() -> None:
    """The mass of the second link at its joint, at the tip of the first: J₁ + m₂ l², m₁x + m₂ l."""
    found = base_parameters(KNOWN["planar 2R in the vertical plane"][0], formalism("lagrange"))
    assert [str(base) for base in found.base] == [
        "l1.Jzz + 0.25 l2.m", "l1.mx + 0.5 l2.m", "l1.my", "l2.Jzz", "l2.mx", "l2.my",
    ]  # fmt: skip
    assert found.base[0].added == {"l2.m": Fraction(1, 4)}
    assert {"l1.m", "l1.Jxx", "l2.mz"} <= set(found.idle) and "l2.m" not in found.idle


TREES = [draw(random_system(700 + seed, 1 + seed % 2), 1, 0).system for seed in range(4)]


@pytest.mark.parametrize("system", [*TREES, arm("zxy", 0.5, True)], ids=lambda s: f"{len(s.bodies)} bodies")
def test_the_rank_is_that_of_numbers_and_the_sums_carry_tau(system: System) -> None:
    """Beside it: singular values of the regressor at random states, and Y π = Y_base π_base in floats."""
    by = formalism("newton_euler")
    found = base_parameters(system, by)
    (first,) = draw_states(system, 1, 1)
    values = {p.name: first.parameters[p.name] for p in system.parameters if p.name in first.parameters}
    given = [replace(s, parameters=values) for s in draw_states(system, 30, 2)]
    Y = np.asarray(mbconcord.evaluate(system, given, formalism=by, quantities="regressor")["regressor"])
    rows = Y.reshape(-1, Y.shape[-1])
    sizes = np.linalg.norm(rows, axis=0)
    singular = np.linalg.svd(rows / np.where(sizes > 1e-9, sizes, 1), compute_uv=False)
    assert int((singular > 1e-9 * singular[0]).sum()) == found.rank
    if any(c is None for base in found.base for c in base.added.values()):
        return
    π = np.random.default_rng(3).uniform(-1, 1, len(found.parameters))
    of = dict(zip(found.parameters, π, strict=True))
    whole = [of[b.parameter] + sum(float(c or 0) * of[n] for n, c in b.added.items()) for b in found.base]
    columns = [found.parameters.index(b.parameter) for b in found.base]
    assert rows[:, columns] @ whole == pytest.approx(rows @ π, rel=1e-9, abs=1e-9 * np.abs(rows).max())


def test_formalisms_find_the_same() -> None:
    system = arm("zx", 0.5, False, (0, -1, 0))
    first, *others = [base_parameters(system, formalism(n)) for n in ("lagrange", "newton_euler", "konoplev")]
    assert all((o.base, o.idle) == (first.base, first.idle) for o in others)


def test_coefficients_that_are_no_rationals_are_floats() -> None:
    """Parallel axes with a turn of 1/3 rad between them: the second link's J is the first's, its mass at l."""
    (base, *_) = base_parameters(arm("zz", 0.5, True), formalism("newton_euler")).base
    assert base.parameter == "l1.Jzz"
    mixed = base_parameters(arm("zx", 0.5, True), formalism("newton_euler")).base[0].added
    assert any(isinstance(c, float) for c in mixed.values())


def test_a_length_without_value_stands_open() -> None:
    found = base_parameters(arm("zz", symbol("l"), False, (0, -1, 0)), formalism("newton_euler"))
    assert found.rank == 6 and str(found.base[1]) == "l1.mx + (…) l2.m"


def test_info_shows_them(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(folder() / "mbsd/double_pendulum.mbsd")
    assert main(["info", path, "--base-parameters", "--quiet"]) == 0
    shown = capsys.readouterr().out
    assert "base parameters: 6 of 20 inertial parameters, by" in shown and "\n  body2.mx + body2.m\n" in shown
    assert main(["info", str(folder() / "elastic/planar_arm.mbs.json"), "--base-parameters"]) == 2
    assert "elastic body" in capsys.readouterr().err


def test_an_elastic_body_has_none() -> None:
    with pytest.raises(FormalismError, match="elastic body"):
        mbconcord.base_parameters(folder() / "elastic/planar_arm.mbs.json", "flexible")


def test_they_show_themselves() -> None:
    found = mbconcord.base_parameters(KNOWN["planar 2R without gravity"][0])
    assert "4 of 20 inertial parameters, by" in repr(found)
    assert found.to_json()["rank"] == 4 and len(found.to_json()["idle"]) == len(found.idle)


@pytest.mark.slow
def test_they_are_a_table() -> None:
    found = mbconcord.base_parameters(KNOWN["planar 2R without gravity"][0])
    assert list(found.to_frame()["parameter"].unique()) == [b.parameter for b in found.base]


def test_those_of_a_closed_model_are_said_to_be_of_its_open_tree(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", str(folder() / "mbsd/four_bar.mbsd"), "--base-parameters", "--quiet"]) == 0
    assert "base parameters of the open tree: 9 of 30 inertial parameters" in capsys.readouterr().out
    found = mbconcord.base_parameters(str(folder() / "mbsd/four_bar.mbsd"))
    (said,) = found.diagnostics
    assert "of the open tree" in said.message and "of the open tree" in repr(found)
    pendulum = mbconcord.read(text="z j-2 $3 g9.81", format="mbsd")
    assert not mbconcord.base_parameters(pendulum).diagnostics
