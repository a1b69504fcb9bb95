"""How free closed models are: degrees of freedom, redundant rows and open multipliers, as ``info`` tells them."""

from __future__ import annotations

from pathlib import Path

import pytest

from mbconcord.fixtures import folder
from mbconcord.formalisms.registry import formalism
from mbconcord.model import Holonomic
from mbconcord.model.diagnostics import NumbersError, error
from mbconcord.model.expressions import symbol
from mbconcord.validation.judge.closed import closed_states
from mbconcord.validation.judge.closed.closed_states import RemainingFreedom, freedom

from ....cli.commands import Run, runner
from ....hostile.inputs import _linked
from ....reference.konoplev import CLOSURES, fourbar
from ....reference.test_overconstrained import linkage

BY = [formalism("newton_euler")]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    return runner(capsys, monkeypatch, tmp_path)


@pytest.mark.parametrize(("closure", "repeated"), [("rows", 0), ("point", 1), ("revolute", 3)])
def test_a_four_bar_has_one_degree_of_freedom(closure: str, repeated: int) -> None:
    found = freedom(fourbar(*CLOSURES[closure]), BY)
    assert (found.degrees, found.rank, len(found.redundant)) == (1, 2, repeated)
    assert {*found.redundant} <= {*found.open} and found.by == "newton_euler"


def test_overconstrained_linkages_move() -> None:
    for name, rank in (("bennett", 2), ("bricard", 4)):
        found = freedom(linkage(name), BY)
        assert (found.degrees, found.rank, len(found.rows), len(found.redundant)) == (1, rank, 5, 5 - rank)
        assert found.open == found.rows


@pytest.mark.slow
def test_where_no_state_satisfies_the_constraints_nothing_is_known() -> None:
    never = Holonomic("never", symbol("q1") * symbol("q1") + 1)
    assert freedom(fourbar(never), BY) == RemainingFreedom(0)


def test_nobody_names_the_rows() -> None:
    found = freedom(fourbar(*CLOSURES["rows"]), [formalism("static_moments")])
    assert (found.degrees, found.by, found.rows) == (1, "", ())


def test_info_tells_it(run: Run) -> None:
    file = str(folder() / "overconstrained/bennett.mbs.json")
    told = run("info", file, "-q")
    assert told.code == 0 and "degrees of freedom: 1; rank 2 of 5 rows by lagrange" in told.out
    assert "redundant rows: pivot (z), pivot (angle 1), pivot (angle 2)" in told.out
    facts = run("info", file, "--json").json
    assert facts["freedom"]["degrees"] == 1 and facts["freedom"]["redundant"][0] == "pivot (z)"
    assert {f["name"] for f in facts["formalisms"] if f["takes"]} >= {"lagrange", "newton_euler", "konoplev"}
    assert "freedom" not in run("info", str(folder() / "mbsd/double_pendulum.mbsd"), "--json").json


@pytest.mark.slow
def test_a_long_ring_is_not_counted_before_anything_is_derived(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of a ring of n coordinates have 6 n entries, each of them a product along the ring: n is limited."""

    def derive(*given: object, **named: object) -> None:
        raise NumbersError(error("rows", "derived"))

    monkeypatch.setattr(closed_states, "closed_states", derive)
    counted = {n: 6 * n**2 for n in (80, 100)}
    for n, products in counted.items():
        Path(f"ring{n}.sdf").write_text(_linked(n, ((n - 1, 0),)), encoding="utf-8")
        told = run("info", f"ring{n}.sdf")
        much = f"up to {products:,} products along their loops; expected at most 40,000"
        much = f"1 constraints of {n + 5} coordinates, {much} (describe a part of the machine)"
        reason = much if products > 40_000 else "derived"
        assert told.code == 0 and f"\ndegrees of freedom: not counted: {reason}\n" in told.out
        assert f"warning: degrees of freedom are not counted: {reason}\n" in told.err
    # what is outside of the loop costs nothing
    Path("tail.sdf").write_text(_linked(120, ((9, 0),)), encoding="utf-8")
    assert "degrees of freedom: not counted: derived" in run("info", "tail.sdf").out
