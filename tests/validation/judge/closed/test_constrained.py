"""Motions with constraints: every witness agrees on random closed models, and every seeded fault is caught."""

from __future__ import annotations

from dataclasses import replace
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from laboratory.faults.models import closed_linkage, closed_subjects, closed_tree, cut_tree
from laboratory.faults.score import forces_against_honest, motions, motions_against_honest, read_faults
from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.formalisms.interface import Formalism
from mbconcord.formalisms.registry import formalism
from mbconcord.model import Holonomic, Nonholonomic, Rod, State, System
from mbconcord.model.diagnostics import ModelError, NumbersError
from mbconcord.model.evaluation import ConstrainedMotion
from mbconcord.testing import Fault, inject
from mbconcord.validation.check import check
from mbconcord.validation.judge.agreement import judge_motions
from mbconcord.validation.judge.closed.compare import find_broken_equations, measure_closed
from mbconcord.validation.judge.evidence import CONSTRAINED
from mbconcord.validation.judge.states import ClosedStates

from ....examples import EXAMPLES
from ....reference.konoplev import CLOSURES, fourbar

WITNESSES = ("lagrange", "newton_euler", "virtual_work", "konoplev", "telegin")


def model(seed: int) -> ClosedStates:
    """Every fifth is a planar linkage, every fifth has cut joints, the others are trees with anything."""
    number, kind = divmod(seed, 5)
    return {0: closed_linkage, 1: cut_tree}[kind](number) if kind < 2 else closed_tree(seed)


# --- agreement -------------------------------------------------------------------------------------


@pytest.mark.sampled(8)
@pytest.mark.parametrize("seed", range(EXAMPLES))
def test_all_witnesses_agree_on_a_seeded_closed_model(seed: int) -> None:
    closed = model(seed)
    found = judge_motions(motions(closed, [*map(formalism, WITNESSES)]))
    planar = not formalism("telegin").constraint_obstacles(closed.system)
    assert planar or seed % 5
    blind = ("ill-conditioned: cond", "every state is close to a singular position")
    for c in found:
        assert c.verdict == "agrees" or (c.verdict == "not checked" and c.explanation.startswith(blind)), c
    asked = len(WITNESSES) if planar else len(WITNESSES) - 1
    assert len(found) == comb(asked, 2) * len(CONSTRAINED) + asked  # own solutions


@pytest.mark.parametrize("seed", range(0, EXAMPLES, 10))
def test_what_agrees_satisfies_the_equations_of_validation_s_own_kinematics(seed: int) -> None:
    """M q'' + h = Q + Dᵀ λ, D q'' = -γ̃, and Dᵀ λ does no work on admitted motions."""
    closed = model(seed)
    assert closed.assembly is not None
    measure = measure_closed(closed.system, closed.assembly)
    motion = motion_of("lagrange", closed)
    for s in range(len(closed.states)):
        assert find_broken_equations(motion, measure, s) == []


def test_reactions_that_do_work_are_told() -> None:
    """Another motion that the constraints admit, balanced by reactions that do work on it."""
    closed = next(c for c in map(model, range(EXAMPLES)) if len(c.system.coordinates) > 2)
    assert closed.assembly is not None
    measure, motion = measure_closed(closed.system, closed.assembly), motion_of("lagrange", closed)
    for s in range(len(closed.states)):
        right = np.linalg.svd(measure.D[s])[2]
        admitted = right[int(measure.rank[s]) :]
        if not (measure.clear[s] and len(admitted)):
            continue
        more = admitted[0] * max(1.0, measure.scale[s])
        acceleration, reactions = motion.acceleration.copy(), motion.reactions.copy()
        acceleration[s] += more / measure.units[s]
        reactions[s] += measure.mass[s] @ more * measure.units[s]
        (line,) = find_broken_equations(replace(motion, acceleration=acceleration, reactions=reactions), measure, s)
        assert "reactions do work on motions that the constraints admit" in line
        return
    pytest.fail("no state leaves a motion open")


def motion_of(name: str, closed: ClosedStates) -> ConstrainedMotion:
    motion = formalism(name).constrained_motion(closed.system, closed.states)
    assert motion is not None
    return motion


# --- seeded faults ---------------------------------------------------------------------------------


@pytest.mark.sampled(40)
@pytest.mark.slow
@pytest.mark.parametrize("fault", read_faults("constraints"), ids=lambda f: f"{f.formalism}: {f.title}")
def test_a_seeded_fault_is_caught(fault: Fault) -> None:
    with inject(fault) as faulty:
        for closed in closed_subjects():
            if faulty.constraint_obstacles(closed.system):
                continue
            found = [*motions_against_honest(faulty, closed), *forces_against_honest(faulty, closed)]
            caught = [c for c in found if c.verdict == "disagrees"]
            if any(c.discrepancy is not None for c in caught):  # a crash is no catch
                assert all(fault.formalism in (c.a, c.b) for c in caught)
                assert "Error" in caught[0].explanation or all(
                    f"{name}'s" not in c.explanation for c in caught for name in WITNESSES if name != fault.formalism
                )  # whose fault it is, is said
                return
    pytest.fail("no model tells the fault from the truth")


# --- verdicts --------------------------------------------------------------------------------------

FOUR_BAR = folder("konoplev") / "four_bar.mbs.json"


def verdicts(evidence: Any) -> dict[str, str]:
    """Of the comparisons between formalisms."""
    return {c.quantity: c.verdict for c in evidence.comparisons if not c.claim}


def test_one_witness_is_not_checked() -> None:
    evidence = check(read(FOUR_BAR).system, formalisms=["lagrange", "flexible"])
    found = verdicts(evidence)
    assert [found[q] for q in ("M", "h", "gravity", "applied", "inverse_dynamics")] == ["agrees"] * 5
    assert [found[q] for q in CONSTRAINED] == ["not checked"] * 3
    assert "acceleration" not in found  # of the open tree, which is none of the model
    assert evidence.verdict == "not checked"
    assert {w.name: bool(w.constraint_obstacles) for w in evidence.witnesses} == {
        "lagrange": False, "flexible": True,
    }  # fmt: skip


def test_no_witness_is_not_checked() -> None:
    evidence = check(read(FOUR_BAR).system, formalisms=["flexible", "static_moments"])
    assert [verdicts(evidence)[q] for q in CONSTRAINED] == ["not checked"] * 3


class Failing(Formalism):
    """Declares no obstacle, and fails."""

    name, title, reference, takes = "failing", "", "", frozenset()

    def derive(self, system: System) -> Any:
        return replace(formalism("lagrange").derive(system), formalism=self.name)

    def constraint_obstacles(self, system: System) -> tuple[Any, ...]:
        return ()

    def constrained_motion(self, system: System, states: Any) -> Any:
        raise ZeroDivisionError("of all things")


def test_a_witness_that_fails_is_a_finding() -> None:
    evidence = check(read(FOUR_BAR).system, formalisms=["lagrange", "konoplev", Failing()])
    (failure,) = (c for c in evidence.comparisons if c.verdict == "disagrees")
    assert failure.a == "failing" and "of all things" in failure.explanation
    assert evidence.verdict == "disagrees"


@pytest.mark.slow
@pytest.mark.parametrize("quantity", ["acceleration", "reactions", "rank"])
def test_a_planted_difference_is_located(quantity: str) -> None:
    """The entry, the state, the values, and whose numbers break the equations."""

    class Off(Failing):
        name = "off"

        def constrained_motion(self, system: System, states: Any) -> Any:
            motion = formalism("lagrange").constrained_motion(system, states)
            assert motion is not None
            values = getattr(motion, quantity).copy()
            at = (3,) if quantity == "rank" else (3, 1)
            values[at] += 1.0 if quantity == "rank" else 1e-6 * np.abs(values).max()
            tree = replace(motion.tree, formalism="off")
            return replace(motion, tree=tree, **{quantity: values})

    evidence = check(read(FOUR_BAR).system, formalisms=["konoplev", Off()], seed=3)
    (found,) = (c for c in evidence.comparisons if c.verdict == "disagrees")
    assert found.state is evidence.states[3] and {found.a, found.b} == {"konoplev", "off"}
    if quantity == "rank":
        assert found.values == (2.0, 3.0) and "rank 2" in found.explanation
    else:
        assert found.entry == ("q2",) and "off's" in found.explanation
        assert "konoplev's" not in found.explanation
    again = check(read(FOUR_BAR).system, formalisms=["konoplev", Off()], seed=3)
    assert [c.to_json() for c in again.comparisons] == [c.to_json() for c in evidence.comparisons]


def test_redundant_rows_are_compared_too() -> None:
    """λ is not unique, accelerations and reactions are."""
    rows = CLOSURES["rows"]
    again = Holonomic("again", rows[0].expression * 2 + rows[1].expression)
    evidence = check(fourbar(*rows, again, *CLOSURES["point"]), formalisms=["lagrange", "konoplev"])
    assert {c.verdict for c in evidence.comparisons} == {"agrees"}
    (rank,) = (c for c in evidence.comparisons if c.quantity == "rank")
    assert rank.values == (2.0, 2.0)


@pytest.mark.slow
def test_a_loop_closed_twice_is_compared_by_all() -> None:
    """Telegin's reactions of two cuts at one place are not unique; what they do to the joints is."""
    (point,) = CLOSURES["point"]
    system = fourbar(replace(point, name="one"), replace(point, name="again"), *CLOSURES["revolute"])
    evidence = check(system)
    assert {c.verdict for c in evidence.comparisons} == {"agrees"}
    assert {c.b for c in evidence.comparisons if c.quantity == "reactions"} == {*WITNESSES[1:]}
    found = formalism("telegin").constrained_motion(system, [State()])
    assert found is not None and found.rank[0] == 2
    assert np.isnan(found.multipliers).all() and len(found.redundant[0]) == 4


@pytest.mark.slow
def test_rows_as_small_as_a_gap_that_nothing_closes_are_none() -> None:
    """Points of two bodies that are welded coincide but for the last digits: the rank is 0, a campaign found.

    Bounds prove the row of the one derivation, 6e-15, to be none of zero; that of the other is zero by construction.
    """
    evidence = check(read(Path(__file__).parent / "welded_points.mbs.json").system, states=10, seed=2027, exact="off")
    ranks = [c for c in evidence.comparisons if c.quantity == "rank"]
    assert ranks and {(c.verdict, c.values) for c in ranks} == {("agrees", (0.0, 0.0))}
    assert evidence.verdict == "agrees"


def test_points_of_one_link_are_refused() -> None:
    (point,) = CLOSURES["point"]
    with pytest.raises(ModelError, match="to itself"):
        fourbar(replace(point, second=point.first))


@pytest.mark.slow
def test_a_singular_motion_is_not_checked() -> None:
    """Both witnesses say that an admitted motion has no inertia."""
    system = read(folder("mbsd") / "arm.mbsd").system  # its last turn has none
    free = replace(system, constraints=(Nonholonomic("held", {system.coordinate_names[0]: 1}),))
    evidence = check(free, formalisms=["lagrange", "konoplev"])
    found = {c.quantity: c for c in evidence.comparisons}
    assert found["constrained acceleration"].verdict == "not checked"
    held = replace(system, constraints=(Nonholonomic("held", {"z3": 1}),))
    assert {c.verdict for c in check(held, formalisms=["lagrange", "konoplev"]).comparisons} == {"agrees"}


# --- states ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_states_satisfy_the_constraints_and_depend_on_the_seed_alone() -> None:
    system = read(FOUR_BAR).system
    evidence, again, other = (check(system, seed=seed) for seed in (1, 1, 2))
    assert evidence.states == again.states != other.states
    motion = formalism("lagrange").constrained_motion(system, evidence.states)
    assert motion is not None and not [d for d in motion.diagnostics if d.severity == "error"]
    assert len({round(s.q["q1"], 3) for s in evidence.states}) == 10


@pytest.mark.slow
def test_a_given_state_is_moved_onto_the_constraints_and_that_is_said() -> None:
    system = read(FOUR_BAR).system
    given = State(q={"q1": 0.9}, v={"q1": 1.0})
    evidence = check(system, given=[given])
    assert any("does not satisfy the constraints" in d.message for d in evidence.diagnostics)
    assert evidence.verdict == "agrees" and abs(evidence.states[0].q["q1"] - 0.9) < 0.3
    closed = check(system, given=list(evidence.states))
    assert not any("does not satisfy" in d.message for d in closed.diagnostics)
    assert closed.states[0].q == pytest.approx(evidence.states[0].q, abs=1e-12)


@pytest.mark.slow
def test_a_loop_that_cannot_close_is_said_to_be_open() -> None:
    (point,) = CLOSURES["point"]
    evidence = check(fourbar(Rod("far", point.first, point.second, 100)))
    found = verdicts(evidence)
    assert [found[q] for q in CONSTRAINED] == ["not checked"] * 3 and found["M"] == "agrees"
    assert any("50 of 50 states are left out" in d.message for d in evidence.diagnostics)


def test_a_state_that_names_what_is_not_there_is_refused() -> None:
    with pytest.raises(NumbersError, match="no such coordinate"):
        check(read(FOUR_BAR).system, given=[State(q={"q9": 1.0})])
