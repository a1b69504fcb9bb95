"""The table of forces at joints and cuts: numbers that are known, what is open, who disagrees, in every report."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mbconcord.converters.registry import read, read_text
from mbconcord.fixtures import folder
from mbconcord.model import System
from mbconcord.model.diagnostics import DisagreementError
from mbconcord.reports import reactions as reported
from mbconcord.reports import render
from mbconcord.reports.reactions import HEADERS, OPEN, TITLE, reactions
from mbconcord.validation.check import check
from mbconcord.validation.judge.evidence import Comparison, Evidence
from mbconcord.validation.witnesses.sums.constrained_forces import Witnessed

TWO = ("newton_euler", "virtual_work")
#: 2 kg at rest, 1 m below the fixed point to which a rod holds them.
HANGING = "u(x) v(y)°-1 $2 #bob ; g10-y \\ #bob :(1) < #0"


def checked(system: System) -> Evidence:
    return check(system, formalisms=TWO, states=1, claims=(), exact="off")


def hanging() -> Evidence:
    return checked(read_text(HANGING, format="mbsd").system)


def test_a_weight_pulls_its_rod_and_rests_on_nothing_else() -> None:
    found = reactions(hanging())
    assert found is not None and found.table is not None
    assert found.table.headers == HEADERS and HEADERS[4:] == (
        "Fx, N", "Fy, N", "Fz, N", "Mx, N m", "My, N m", "Mz, N m",
    )  # fmt: skip
    by = "newton_euler, virtual_work, bodies"
    assert found.table.rows == (
        ("joint of bob", "bob", "ground", by, *"000000"),
        ("rod1", "ground", "bob", by, "0", "-20", *"0000"),
    )
    assert found.note.count("agree to") == 2 and OPEN not in found.note


def test_a_crank_bears_its_drive() -> None:
    """The effort 4 - 0.1 q' at 3 rad/s about its axis; across a plane loop of space nothing is told."""
    found = reactions(checked(read(folder() / "native/slider_crank.mbs.json").system))
    assert found is not None and found.table is not None
    assert found.table.rows[0][6:] == (OPEN, OPEN, OPEN, "3.7")
    assert f"{OPEN}: rows that depend on each other share it in any way." in found.note


@pytest.mark.parametrize("kind", ["r.html", "r.md"])
def test_reports_have_it_of_closed_models_alone(kind: str) -> None:
    tree = checked(read_text("z i g", format="mbsd").system)
    assert reactions(tree) is None and TITLE not in render([tree], kind)
    assert TITLE in render([hanging()], kind)


def test_who_disagrees_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    evidence, six = hanging(), np.ones((1, 6))
    wrong = Comparison("a", "b", "cut_forces", "disagrees", entry=("rod1", "Fx"), values=(1.0, 2.0))
    made = Witnessed({"a": six, "b": 2 * six}, {}, (wrong,))
    monkeypatch.setattr(reported, "compare_constrained_forces", lambda *_: made)
    found = reactions(evidence)
    assert found is not None
    assert "At cuts a and b disagree at rod1 Fx: (1.0, 2.0)." in found.note
    assert "At joints no two witnesses were compared." in found.note and "agree to" not in found.note


@pytest.mark.parametrize(
    "change",
    [
        ("At cuts", "At joints"), ("newton_euler, virtual_work", "newton_euler"), ("e-1", "e-2"),
        ("agree to", "disagree at"), ("At joints newton_euler, virtual_work, bodies agree to", "At joints no two"),
    ],
)  # fmt: skip
def test_sentences_that_tell_of_other_comparisons_are_refused(
    change: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the slider-crank joints and cuts agree to other numbers, and another formalism has cuts."""
    evidence, own = checked(read(folder() / "native/slider_crank.mbs.json").system), reported._judge_forces
    found = reactions(evidence)
    assert found is not None and change[0] in found.note
    monkeypatch.setattr(reported, "_judge_forces", lambda *given: own(*given).replace(*change))
    with pytest.raises(DisagreementError, match=r"forces at joints and cuts: error: found .*, not 'At "):
        reactions(evidence)


def test_where_a_model_does_not_close_or_a_formalism_fails_this_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    evidence = hanging()
    far = read_text(HANGING.replace("(1)", "(1) {9, 0}").replace("u(x) ", "").replace("v(y)°-1", "v(y)"), format="mbsd")
    apart = reactions(replace(evidence, system=far.system))
    assert apart is not None and apart.table is None
    assert apart.note.startswith("Not known where the model begins: cannot be closed")
    monkeypatch.setattr(reported, "compare_constrained_forces", lambda *_: 1 / 0)
    found = reactions(evidence)
    assert found is not None and found.table is None and found.note == "ZeroDivisionError: division by zero"


def test_printed_forces_are_compared_with_sums_and_the_comparison_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison is kept whatever it says, so nothing that chooses can silence it."""
    evidence, right = hanging(), reported._number

    def judge() -> list[tuple[str, str, str]]:
        found = reported.confirm(evidence).comparisons[len(evidence.comparisons) :]
        return [(c.claim, c.quantity, c.verdict) for c in found]

    assert judge() == [("report", "printed joint forces", "agrees")]
    monkeypatch.setattr(reported, "_number", lambda x, rounding: right(2 * x, rounding))
    assert judge() == [("report", "printed joint forces", "disagrees")]


def test_sums_are_no_witness_of_themselves() -> None:
    """Where no formalism bears a model's joints, the printed forces are the sums, which nobody has compared."""
    evidence = hanging()
    alone = replace(evidence, witnesses=())
    (found,) = reported.confirm(alone).comparisons[len(evidence.comparisons) :]
    assert (found.quantity, found.verdict) == ("printed joint forces", "not checked")
    assert found.explanation == "the sums over the bodies are the printed ones, as no formalism has them"
