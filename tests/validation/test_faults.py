"""Every seeded fault of every formalism is caught, and injecting one leaves no trace."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

import mbconcord.formalisms
from mbconcord.formalisms.registry import BUILT_IN, formalism
from mbconcord.formalisms.telegin.planar import PLANAR
from mbconcord.model import MbconcordError
from mbconcord.model.features import OPEN_TREES, features
from mbconcord.validation.claims import ALL, BY_NAME
from mbconcord.validation.faults.catch import Catch
from mbconcord.validation.faults.injection import Fault, altered, injected
from mbconcord.validation.faults.models import STATES, everything, subjects
from mbconcord.validation.faults.score import against_honest, catcher, faults, objections, score, scored
from mbconcord.validation.faults.tables import subtle
from mbconcord.validation.judge.states import draw
from mbconcord.validation.judge.trial import trial

TABLE = [(name, fault) for name in BUILT_IN for fault in faults(name)]


@pytest.mark.sampled(40)
@pytest.mark.slow
@pytest.mark.parametrize(("name", "fault"), TABLE, ids=[f"{name}: {fault.title}" for name, fault in TABLE])
def test_the_claims_catch(name: str, fault: Fault) -> None:
    """A subtle one by the comparison alone, which knows what floats explain, and as faintly as it is."""
    assert fault.formalism == name
    caught = catcher(fault)
    assert caught is not None
    assert 0 < caught.discrepancy < 1e-8 if fault in subtle.FAULTS else caught.discrepancy > 1e-6
    assert caught.claim == "agreement" or fault not in subtle.FAULTS


KINDS = {
    "factor": subtle.FACTOR, "off-plane": subtle.OFF_PLANE, "at speed": subtle.AT_SPEED,
    "offset centre": subtle.OFFSET_CENTRE,
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_every_formalism_has_a_subtle_fault_of_each_kind(kind: str) -> None:
    static = {"static_moments"} if kind == "at speed" else set()
    assert {fault.formalism for fault in KINDS[kind]} == set(BUILT_IN) - static


def test_subtle_faults_change_the_ninth_digit() -> None:
    tiny = ("1e-9", "1e-10")
    assert all(any(x in f.faulty and x not in f.original for x in tiny) for f in subtle.FAULTS)


def test_states_of_a_longer_draw_begin_with_those_of_a_shorter() -> None:
    assert draw(everything(), 10, 1).states[:STATES] == subjects()[0].states


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_formalism_has_ten_different_faults(name: str) -> None:
    table = faults(name)
    assert len(table) >= 10
    assert (
        len({fault.title for fault in table})
        == len({(f.module, f.original, f.faulty) for f in table})
        == len(table)
    )


@pytest.mark.sampled(20)
@pytest.mark.slow
@pytest.mark.parametrize("index", range(len(subjects())))
def test_no_claim_objects_to_an_honest_formalism(index: int) -> None:
    system = subjects()[index].system
    takers = {name for name in BUILT_IN if not formalism(name).obstacles(system)}
    assert len(takers) >= 2, "a fault is seen by comparison too"
    for name in takers:
        made = against_honest(formalism(name), index)
        assert set(made.evaluations) == takers
        assert [
            claim.name
            for claim in ALL
            if claim.name not in BY_NAME and objections(claim, made, formalism(name))
        ] == []


@pytest.mark.rest
@pytest.mark.slow
def test_the_score_counts_and_names_survivors(monkeypatch: pytest.MonkeyPatch) -> None:
    real = faults("virtual_work")[0]
    harmless = Fault("nothing wrong", real.module, real.original, f"({real.original})")
    monkeypatch.setattr("mbconcord.validation.faults.score.faults", lambda name: (real, harmless))
    monkeypatch.setattr("mbconcord.validation.faults.score.constraint_faults", lambda name: ())
    found = score("virtual_work")
    assert (found.caught, found.total, found.survivors) == (1, 2, (harmless,))
    ((fault, caught),) = found.found
    assert (fault, found.claims, found.faintest) == (real, {"agreement": 1}, (real, caught))


def test_the_score_counts_faults_of_motions_with_constraints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mbconcord.validation.faults.score.faults", lambda name: ())
    monkeypatch.setattr("mbconcord.validation.faults.score.constraint_catcher", lambda fault: None)
    assert {name: score(name).total for name in BUILT_IN if score(name).total} == {
        "lagrange": 10, "newton_euler": 28, "virtual_work": 23, "konoplev": 8, "telegin": 8,
    }  # fmt: skip


@pytest.mark.slow
def test_a_crash_is_no_catch() -> None:
    real = faults("virtual_work")[0]
    assert catcher(Fault("it raises", real.module, real.original, "undefined_name")) is None


def test_the_faintest_is_the_smallest_discrepancy() -> None:
    one, other, third = faults("virtual_work")[:3]
    found = scored([(one, Catch("fields", "M", 0.5)), (other, Catch("agreement", "h", 0.25)), (third, None)])
    assert found.faintest == (other, Catch("agreement", "h", 0.25))
    assert (found.survivors, found.claims) == ((third,), {"fields": 1, "agreement": 1})


@pytest.mark.slow
def test_the_registry_never_holds_a_faulty_formalism() -> None:
    code = (
        "from mbconcord.formalisms.registry import formalism\n"
        "from mbconcord.validation.faults.injection import injected\n"
        "from mbconcord.validation.faults.score import faults\n"
        "with injected(faults('lagrange')[0]) as faulty:\n"
        "    inside = formalism('lagrange')\n"
        "assert type(inside) is not type(faulty) and inside is formalism('lagrange')\n"
        "import sys\n"
        "assert type(inside) is sys.modules['mbconcord.formalisms.lagrange'].Lagrange"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_machine_has_every_feature() -> None:
    assert {feature for feature, _ in features(everything())} == OPEN_TREES
    used = {feature for drawn in subjects() for feature, _ in features(drawn.system)}
    assert used == OPEN_TREES | {
        "bushings",
        "torsions",
        "flywheels",
        "added_inertia",
        "elastic_modes",
        "armatures",
    }


def _disk() -> Iterator[tuple[str, str]]:
    for path in sorted(Path(mbconcord.formalisms.__file__).parent.rglob("*.py")):
        yield str(path), sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("name", BUILT_IN)
def test_injection_leaves_modules_and_disk_untouched(name: str) -> None:
    fault = faults(name)[0]
    honest = formalism(name)
    modules = {key: value for key, value in sys.modules.items() if key.startswith("mbconcord.formalisms")}
    disk, finders = dict(_disk()), list(sys.meta_path)
    attribute = getattr(mbconcord.formalisms, name)
    with pytest.raises(ZeroDivisionError), injected(fault) as faulty:
        assert type(faulty) is not type(honest)
        assert type(faulty).__module__ == type(honest).__module__
        assert sys.modules[fault.module] is not modules[fault.module]
        _ = 1 / 0
    after = {key: value for key, value in sys.modules.items() if key.startswith("mbconcord.formalisms")}
    assert after.keys() == modules.keys()
    assert all(after[key] is modules[key] for key in modules)
    assert getattr(mbconcord.formalisms, name) is attribute
    assert sys.meta_path == finders
    assert dict(_disk()) == disk
    assert formalism(name) is honest


def test_a_faulty_copy_does_not_change_the_honest_formalism() -> None:
    drawn = draw(everything(), 2, 1)
    name = "virtual_work"
    before = trial(drawn.system, drawn.states, [formalism(name)]).evaluations[name]
    with injected(faults(name)[0]) as faulty:
        wrong = trial(drawn.system, drawn.states, [faulty]).evaluations[name]
        meanwhile = trial(drawn.system, drawn.states, [formalism(name)]).evaluations[name]
    for quantity, values in before.quantities.items():
        assert (meanwhile.quantities[quantity] == values).all()
    assert any((wrong.quantities[q] != before.quantities[q]).any() for q in before.quantities)


@pytest.mark.parametrize(
    ("source", "message"), [("a + b", "does not stand"), ("x - y; x - y", "stands 2 times")]
)
def test_a_text_that_does_not_stand_exactly_once_is_refused(source: str, message: str) -> None:
    with pytest.raises(MbconcordError, match=message):
        altered(source, Fault("sign", "mbconcord.formalisms.lagrange", "x - y", "x + y"))


@pytest.mark.parametrize("form", PLANAR)
def test_every_planar_form_has_a_fault_of_sign(form: str) -> None:
    """Caught on the planar linkage alone: no other model is taken by the form."""
    own = [fault for fault in faults("telegin") if fault.form == form]
    assert any(bare(fault.original) == bare(fault.faulty) for fault in own)
    with injected(own[0]) as faulty:
        assert faulty.form == form
        taken = [i for i, drawn in enumerate(subjects()) if not faulty.obstacles(drawn.system)]
    assert taken == [len(subjects()) - 1]


def bare(text: str) -> str:
    """A source text without signs."""
    return text.replace("-", "").replace("+", "")
