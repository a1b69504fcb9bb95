"""Every witness is asked through one interface, and its answer compared by one function."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.formalisms.registry import formalism
from mbconcord.validation.judge.agreement import compare, compare_with
from mbconcord.validation.judge.formalism import FormalismWitness
from mbconcord.validation.judge.states import draw
from mbconcord.validation.judge.trial import Trial, trial
from mbconcord.validation.judge.witness import Original, SilentError, Witness
from mbconcord.validation.witnesses.direct.tree import Direct
from mbconcord.validation.witnesses.links.link_by_link import LinkByLink
from mbconcord.validation.witnesses.maximal.free_bodies import Maximal
from mbconcord.validation.witnesses.peers.program import ProgramWitness
from mbconcord.validation.witnesses.sums.joint_forces import BodySums
from mbconcord.validation.witnesses.text import SecondReading, both_sides, machines

READ = read(folder() / "mbsd/double_pendulum.mbsd")
TEXT = Original(READ.text, "mbsd")
#: Witness -> what it delivers of a double pendulum.
WITNESSES: dict[str, tuple[Callable[[], Witness], set[str]]] = {
    "newton_euler": (
        lambda: FormalismWitness(formalism("newton_euler")),
        {"M", "h", "gravity", "applied", "inverse_dynamics", "acceleration"},
    ),
    "direct": (Direct, {"M", "h", "gravity", "applied", "inverse_dynamics"}),
    "maximal": (Maximal, {"inverse_dynamics", "acceleration"}),
    "sympy": (
        lambda: ProgramWitness("sympy", TEXT), {"M", "h", "gravity", "applied", "inverse_dynamics", "acceleration"},
    ),
    "bodies": (BodySums, {"joint_forces"}),
    "second reading": (SecondReading, {f"text: {x}" for x in ("poses", "inertia", "gravity", "applied", "start")}),
    "links": (
        lambda: LinkByLink(formalism("newton_euler")), {"M q''", "h", "gravity", "inverse_dynamics"},
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def made() -> Trial:
    """A question that Lagrange's formalism has answered."""
    drawn = draw(READ.system, 2, 0)
    return trial(drawn.system, drawn.states, [formalism("lagrange")], text=TEXT)


@pytest.mark.parametrize("name", WITNESSES)
def test_a_witness_answers(name: str, made: Trial) -> None:
    make, quantities = WITNESSES[name]
    witness = make()
    assert witness.name == name if name != "links" else witness.name == "newton_euler"
    assert witness.obstacles(made.original) == ()
    answer = witness.answer(made)
    assert {*answer.numbers.quantities, *answer.beside} == quantities
    found, _ = compare_with(made, witness, "numbers")
    assert {c.quantity for c in found} == quantities - {*answer.beside}
    assert {c.verdict for c in found} <= {"agrees"}


def test_quantities_beside_the_canonical_ones_are_compared_by_their_labels(made: Trial) -> None:
    reader, text = both_sides(made, machines(made))
    found = {c.quantity: c for c, _ in compare(reader, text, made)}
    assert {*found} == WITNESSES["second reading"][1] and {c.verdict for c in found.values()} == {"agrees"}
    assert found["text: inertia"].entry[0].startswith("body")


def test_a_witness_with_an_obstacle_is_not_checked_with_the_reason() -> None:
    system = read(folder() / "elastic/planar_arm.mbs.json").system
    drawn = draw(system, 1, 0)
    made = trial(drawn.system, drawn.states, [formalism("flexible")])
    (row,), answer = compare_with(made, Maximal(), "free bodies")
    assert answer is None and row.verdict == "not checked" and "elastic" in row.explanation
    with pytest.raises(SilentError, match="telegin"):
        FormalismWitness(formalism("telegin")).answer(made)
