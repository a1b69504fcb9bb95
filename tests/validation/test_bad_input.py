"""At the edge of what floats hold: never an agreement about nothing, never a false alarm."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mbconcord.converters.registry import read, read_text
from mbconcord.fixtures import folder
from mbconcord.formalisms.registry import formalism
from mbconcord.model import ModelError, NumbersError, State, System
from mbconcord.model.diagnostics import ReadError
from mbconcord.model.evaluation import Evaluation, evaluate_derivation
from mbconcord.model.expressions import as_expression, sqrt, symbol
from mbconcord.validation.check import check
from mbconcord.validation.claims import DEFAULT
from mbconcord.validation.judge import formalism as trials
from mbconcord.validation.judge.evidence import Comparison, Evidence

from .fakes import Altered, double_pendulum, entry


def compared(evidence: Evidence, verdict: str) -> set[str]:
    """Quantities that the formalisms compare with this verdict."""
    return {c.quantity for c in evidence.comparisons if c.verdict == verdict and not c.claim}


def disagreements(evidence: Evidence) -> list[Comparison]:
    return [c for c in evidence.comparisons if c.verdict == "disagrees"]


# --- models ----------------------------------------------------------------------------------------

PENDULUM = "z i(L) > z i(L) g"
MOTION = {"M", "h", "inverse_dynamics", "acceleration"}
#: A short line, the quantities that are not checked, and words that say why.
MODELS: dict[str, tuple[str, set[str], str]] = {
    "lengths of 1e200": (f"{PENDULUM} ; L=1e200", MOTION, "no numbers along z1, z2"),
    "lengths of 1e160": (f"{PENDULUM} ; L=1e160", MOTION, "no numbers along z1, z2"),
    "lengths of 1e-160": (f"{PENDULUM} ; L=1e-160", {"h", "acceleration"}, "leave no digits"),
    "lengths of 1e-200": (f"{PENDULUM} ; L=1e-200", {"acceleration"}, "loses all digits in double precision"),
    "squares that overflow": ("z i(1e200) > z i(1e200) g", {*MOTION, "derivation"}, "no numbers along z1, z2"),
    "no mass at the end": ("z i > z i $(m) g ; m=0", {"acceleration"}, "no inertia along z2"),
    "no mass at all": ("z i $0 > z i $0 g", {"acceleration"}, "no inertia"),
    "no mass, nothing else": ("z j $0 g", {"acceleration"}, "no inertia along z1"),
}  # fmt: skip


@pytest.mark.sampled(6)
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("claims", [DEFAULT, ("all",)], ids=["default", "all"])
def test_a_model_beyond_floats_is_not_checked_where_it_has_no_digits(model: str, claims: tuple[str, ...]) -> None:
    text, blind, words = MODELS[model]
    evidence = check(read_text(text, format="mbsd").system, states=3, claims=claims)
    assert disagreements(evidence) == []
    assert evidence.verdict == "not checked"
    assert compared(evidence, "not checked") == blind
    reasons = {c.explanation for c in evidence.comparisons if c.verdict == "not checked"}
    assert any(words in reason for reason in reasons)


@pytest.mark.slow
def test_a_model_that_nothing_moves_is_not_checked_and_not_accused(capfd: pytest.CaptureFixture[str]) -> None:
    evidence = check(read_text("j1 $1 g9.81-y", format="mbsd").system, states=2, simulate=0.1)
    assert disagreements(evidence) == []
    assert evidence.verdict == "not checked"
    assert capfd.readouterr() == ("", "")  # LAPACK prints of itself where it is given nothing


def test_warnings_of_numpy_are_none_of_the_user_s(recwarn: pytest.WarningsRecorder) -> None:
    for model in ("lengths of 1e200", "no mass at the end"):
        check(read_text(MODELS[model][0], format="mbsd").system, states=1)
    assert [str(w.message) for w in recwarn] == []


#: Numbers that are none as floats, and the place that is told.
REFUSED = [
    ("z i(L) g ; L=1e400", "parameters/L: "),
    ("z i(L) g ; L=1e-400", "parameters/L: error: 1.000e-400 is beyond the range of floats"),
    ("z i(1e400) g", "bodies/body1/joint/1: error: 1.000e+400 is beyond the range of floats"),
    ("z i(L*10^400) g ; L=1", "bodies/body1/joint/1: error: 1.000e+400 is beyond the range of floats"),
    ("z i(L) g ; L=a*1e200, a=1e200", "parameters/L: "),
    ("z i(L) g ; L=1/a, a=0", "parameters/L: "),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), REFUSED)
def test_a_number_that_is_none_is_the_model_s_error(text: str, message: str) -> None:
    with pytest.raises((NumbersError, ReadError)) as refused:  # the reader or the check, with the same place
        check(read_text(text, format="mbsd").system, states=1)
    assert message in str(refused.value)


def scaled(system: System, factor: float) -> System:
    """All masses and tensors multiplied."""
    by = as_expression(factor)

    def of(inertia: Any) -> Any:
        return replace(inertia, mass=inertia.mass * by, tensor=tuple(x * by for x in inertia.tensor))

    return replace(system, bodies=tuple(replace(b, inertia=of(b.inertia)) for b in system.bodies))


#: Models of many kinds; all of them agree as they are.
FILES = ["mbsd/springs.mbsd", "mbsd/free_body.mbsd", "mbsd/moving_support.mbsd", "robots/ur5.mbsd", "tp/leg.tp.csv"]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("factor", [1e12, 1e-12])
def test_scaled_masses_agree(file: str, factor: float) -> None:
    assert check(scaled(read(folder() / file).system, factor), states=2).verdict == "agrees"


@pytest.mark.sampled(12)
@pytest.mark.slow
@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("claims", [DEFAULT, ("all",)], ids=["default", "all"])
def test_coordinates_of_a_million_radians_agree(file: str, claims: tuple[str, ...]) -> None:
    """Formalisms that add angles lose six digits, and their bounds say so."""
    system = read(folder() / file).system
    names = system.coordinate_names
    q = {name: 1e6 * (1 + 0.137 * i) * (-1) ** i for i, name in enumerate(names)}
    v, a = ({name: x - 0.3 * i for i, name in enumerate(names)} for x in (1.0, -0.7))
    evidence = check(system, given=[State(1.0, q, v, a)], claims=claims)
    assert disagreements(evidence) == []
    assert evidence.verdict == "agrees" or file.startswith("tp/")


# --- states ----------------------------------------------------------------------------------------

#: Distance of the pitch from π/2, and what becomes of the accelerations.
SINGULAR = [
    (0.0, "not checked", "loses all digits in double precision along yaw, roll"),
    (1e-8, "not checked", "loses all digits in double precision along yaw, roll"),
    (1e-6, "agrees", ""),  # to the digits of more precise numbers
    (1e-3, "agrees", ""),
    (-1e-3, "agrees", ""),
]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("off", "verdict", "words"), SINGULAR)
@pytest.mark.parametrize("rate", [1.0, 1e6])
def test_near_a_gimbal_lock_only_accelerations_are_lost(off: float, verdict: str, words: str, rate: float) -> None:
    system = read(folder("mbsd") / "gimbal.mbsd").system
    v = {"yaw": rate, "pitch": -2.0 * rate, "roll": 0.5 * rate}
    state = State(0.0, {"yaw": 0.3, "pitch": math.pi / 2 + off, "roll": 0.7}, v, v)
    evidence = check(system, given=[state])
    assert disagreements(evidence) == []
    assert compared(evidence, "agrees") == {"M", "h", "gravity", "applied", "inverse_dynamics"} | (
        {"acceleration"} if verdict == "agrees" else set()
    )
    reasons = {c.explanation for c in evidence.comparisons if c.quantity == "acceleration" and not c.claim}
    # M of some is proved regular, and their numbers have no digit
    assert all(words in reason or reason.startswith("ill-conditioned, ") for reason in reasons)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("where", ["t", "q", "v", "a", "parameters"])
def test_a_state_with_no_number_is_refused(bad: float, where: str) -> None:
    part: Any = bad if where == "t" else {"m1" if where == "parameters" else "z1": bad}
    with pytest.raises((NumbersError, ModelError), match=f"{abs(bad)}|not finite"):
        check(double_pendulum(), given=[State(**{where: part})])


def test_a_state_of_rest_is_not_agreement_about_nothing() -> None:
    """Without weight and forces, at rest and without accelerations, everything but M is zero."""
    system = replace(double_pendulum(), gravity=None, forces=())
    evidence = check(system, given=[State(q={"z1": 0.4, "z2": 1.0})])
    assert evidence.verdict == "agrees"
    assert {c.quantity for c in evidence.comparisons if not c.claim and not c.zero} == {"M"}


def test_quantities_that_are_zero_at_all_states_are_not_checked() -> None:
    massless = read_text("z i $0 g", format="mbsd").system
    only = ["lagrange", Altered(lambda q: {k: x for k, x in q.items() if k in ("M", "h", "gravity")})]
    evidence = check(massless, formalisms=only, states=3)
    assert compared(evidence, "agrees") == {"M", "h", "gravity"}
    assert all(c.zero for c in evidence.comparisons if c.verdict == "agrees" and not c.claim)
    assert evidence.verdict == "not checked"
    assert any("nothing was compared" in d.message for d in evidence.diagnostics)


# --- formalisms ------------------------------------------------------------------------------------

Break = Callable[[Any], Any]
#: What an entry of an honest derivation is made into.
MEANINGLESS: dict[str, Break] = {
    "a square root of a negative number": lambda x: x + sqrt(-1 - symbol("z1") ** 2),
    "an overflow of its own": lambda x: x * (10**200 + symbol("z1")) ** 2,
    "a wrong sign hidden in an overflow": lambda x: -x * (10**200 + symbol("z1")) ** 2 / (10**200 + symbol("z1")) ** 2,
    "a wrong sign beside lost digits": lambda x: -x + (symbol("z1") + 10**9) - symbol("z1") - 10**9,
}  # fmt: skip
HONEST = ("lagrange", "virtual_work")


@pytest.mark.parametrize("quantity", ["M", "h", "gravity", "applied"])
@pytest.mark.parametrize("how", MEANINGLESS)
def test_a_formalism_without_numbers_or_with_wrong_ones_disagrees(how: str, quantity: str) -> None:
    at = (0, 1) if quantity == "M" else (0,)
    evidence = check(double_pendulum(), formalisms=[*HONEST, Altered(entry(quantity, at, MEANINGLESS[how]))], states=4)
    assert evidence.verdict == "disagrees"
    bad = [c for c in disagreements(evidence) if not c.claim]
    assert quantity in {c.quantity for c in bad}
    assert all("altered" in (c.a, c.b) for c in bad)


#: What a formalism delivers instead of expressions of the right shape.
SHAPELESS: dict[str, Any] = {
    "floats": (0.5, 1.5),
    "NaN": (math.nan, math.nan),
    "an array": np.zeros(2),
    "too few": (as_expression(1),),
    "a number": 3.0,
    "nothing": None,
    "words": ("a", "b"),
}


@pytest.mark.parametrize("what", SHAPELESS)
def test_a_formalism_that_delivers_no_expressions_is_a_finding(what: str) -> None:
    altered = Altered(lambda q: q | {"h": SHAPELESS[what]})
    evidence = check(double_pendulum(), formalisms=[*HONEST, altered], states=2)
    (finding,) = disagreements(evidence)
    assert (finding.a, finding.quantity) == ("altered", "derivation")
    assert "Error" in finding.explanation and compared(evidence, "agrees") >= {"M", "h", "gravity"}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("quantity", ["M", "h", "gravity", "applied", "inverse_dynamics", "acceleration"])
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("states", [[0], [1], [0, 1, 2]], ids=str)
def test_floats_that_are_none_never_agree(
    quantity: str, bad: float, states: Sequence[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One witness's own floats, whatever its equations say."""
    honest = trials.evaluate_measured

    def spoilt(*given: Any) -> Evaluation:
        found = honest(*given)
        if found.formalism == "virtual_work":
            for s in states:
                found.quantities[quantity][(s, 0, 1) if quantity == "M" else (s, 1)] = bad
        return found

    monkeypatch.setattr(trials, "evaluate_measured", spoilt)
    evidence = check(double_pendulum(), formalisms=HONEST, states=3)
    assert quantity not in compared(evidence, "agrees")
    assert evidence.verdict != "agrees"


def test_formalisms_that_raise_are_findings_whatever_they_raise() -> None:
    for problem in (KeyError("k"), ZeroDivisionError(), RecursionError(), AssertionError("a"), OverflowError("o")):

        class Raising(Altered):
            def derive(self, system: System) -> Any:
                raise problem  # noqa: B023

        evidence = check(double_pendulum(), formalisms=[*HONEST, Raising(dict)], states=1)
        (finding,) = disagreements(evidence)
        assert type(problem).__name__ in finding.explanation
    assert formalism("lagrange").name == HONEST[0]


SINGULAR_LINES = {
    "z(a) i1 $1e-15 > z(b) i0.5 $1 > z(c) i0.3 $1e15 g": "loses all digits in double precision along a, b, c",
    "z(a) i1e-9 > z(b) i1 $1 [0,0,0] g": "loses all digits in double precision along a, b",
    "z(a) z(b) i0.3 $1.7 g": "is singular: no inertia along a, b",
    "z(a) i(sin(p)^2 + cos(p)^2 - 1) > z(b) i0.7 $1.7 [0,0,0] g ; p = 0.3": "is singular: no inertia along a, b",
    "z(a) i(sqrt(2)^2 - 2) > z(b) i0.7 $1.7 [0,0,0] g": "is singular: no inertia along a, b",
    "z(a) i(1e-9*abs(p)) > z(b) i1 $1 [0,0,0] g ; p = 0.3": "is singular to rounding: double precision shows",
    "z(a) j $0 g": "is singular: no inertia along a",
}


@pytest.mark.parametrize("line", SINGULAR_LINES)
def test_no_inertia_is_said_where_the_exact_mass_matrix_has_none(line: str) -> None:
    """It was said of every matrix that is singular to rounding, such as that of masses 1e-15 and 1e15."""
    system = read_text(line, "a.mbsd").system
    state = State(q={name: 0.3 + 0.2 * i for i, name in enumerate(system.coordinate_names)})
    for name in ("lagrange", "newton_euler"):
        (finding,) = evaluate_derivation(formalism(name).derive(system), [state]).diagnostics
        assert SINGULAR_LINES[line] in finding.message and finding.remedy


#: Formulas of parameters without a number in a model, and the place that its refusal names.
WITHOUT_NUMBER = [
    ("z(q1) j(1/(k-1)) $2 ; g9.81-y; k=1", "bodies/body1/joint/1"),
    ("z(q1) j(sqrt(k)) $2 ; g9.81-y; k=-1", "bodies/body1/joint/1"),
    ("z(q1) j(exp(k)) $2 ; g9.81-y; k=1000", "bodies/body1/joint/1"),
    ("z(q1) j(k/m) $2 ; g9.81-y; k=0, m=0", "bodies/body1/joint/1"),
    ("z(q1) j1 $2 ; g(1/k)-y; k=0", "gravity"),
    ('z"(1/a) i g ; a=0', "forces/z1"),
    ('z"(sin(z1)/a) i g ; a=0', "forces/z1"),
    ("z(q1) j1 $(log(k)) ; g9.81-y; k=-2", "bodies/body1/inertia"),
    ("z(q1) j(k) $2 ; g9.81-y; m=0, k=1/m", "parameters/k"),
]


@pytest.mark.parametrize(("text", "place"), WITHOUT_NUMBER)
def test_a_formula_without_a_number_is_refused_and_accuses_nobody(text: str, place: str) -> None:
    for policy in ("error", "warn", "ignore"):
        with pytest.raises((ReadError, ModelError, NumbersError)) as caught:
            check(read_text(text, format="mbsd", physics=policy).system, states=1)  # the reader or the check
        (found,) = caught.value.diagnostics
        assert found.place.startswith(place) and "a value that has a meaning" in found.remedy


def test_a_formula_without_a_number_is_refused_in_a_model_of_python() -> None:
    arm = read_text("z(q1) j(1/k) $2 ; g9.81-y; k=1", format="mbsd").system
    arm = replace(arm, parameters=tuple(replace(p, value=as_expression(0)) for p in arm.parameters))
    with pytest.raises(ModelError, match="bodies/body1/joint/1: error: division by zero in <1/k>"):
        check(arm, states=1, physics="ignore")
