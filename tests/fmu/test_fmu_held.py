"""``check --against fmu:FILE`` of a machine with constraints: accelerations on these, and nothing beyond them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import mbconcord as mb
from mbconcord.api.check import Check
from mbconcord.api.exporting import fmu as exporting
from mbconcord.validation.judge.evidence import ACCELERATION

from ..cli.commands import Run, runner
from ..kernels.compiler import needs_compiler
from .test_fmu_witness import insert

pytest.importorskip("scipy", reason="SciPy, of the extra [sim], is not installed")
pytestmark = needs_compiler
FIXTURES = Path(__file__).parents[2] / "fixtures"
CRANK = (FIXTURES / "native/slider_crank.mbs.json").read_text(encoding="utf-8")
CRANK = CRANK.replace("4 - 0.1*crank'", "4 - 2*crank - 0.1*crank'")
PUSHED = "constrained acceleration with efforts"
MACHINES = {
    "slider-crank": (CRANK, "native"),
    "parallelogram that passes its change point": ((FIXTURES / "mbsd/four_bar.mbsd").read_text("utf-8"), "mbsd"),
    "Bennett's linkage": ((FIXTURES / "overconstrained/bennett.mbs.json").read_text("utf-8"), "native"),
    "sleigh": ((FIXTURES / "native/chaplygin_sleigh.mbs.json").read_text("utf-8"), "native"),
    "universal joint": ((FIXTURES / "native/universal_joint.mbs.json").read_text("utf-8"), "native"),
    "ball on a turntable": ((FIXTURES / "native/ball_on_turntable.mbs.json").read_text("utf-8"), "native"),
}


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    return runner(capsys, monkeypatch, tmp_path)


def build(
    folder: Path, text: str = CRANK, kind: str = "native", change: Callable[[dict[str, str]], None] | None = None,
    **options: Any,
) -> Path:  # fmt: skip
    """An FMU of the text, whose C was changed before it was compiled."""
    with pytest.MonkeyPatch.context() as patch:
        make = exporting.compile_binary

        def changed(files: dict[str, str], name: str) -> tuple[bytes, str]:
            own = dict(files)
            if change is not None:
                change(own)
            found = make(own, name)
            assert found[0], found[1]
            return found

        patch.setattr(exporting, "compile_binary", changed)
        options = {"formalism": "virtual_work", "witness": False} | options
        mb.export(mb.read(text=text, format=kind), folder / "made.fmu", **options)
    return folder / "made.fmu"


def check(path: Path, text: str = CRANK, kind: str = "native", **told: Any) -> Check:
    model = mb.read(text=text, format=kind)
    found: Check = mb.check(
        model, against=mb.own(f"fmu:{path}", allow_binary=True, **told), formalisms=["lagrange", "newton_euler"],
        states=4,
    )  # fmt: skip
    return found


def find_wrong(found: Check) -> dict[str, tuple[str, ...]]:
    return {c.quantity: c.entry for c in found.comparisons if c.verdict == "disagrees"}


@pytest.mark.slow
@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("machine", MACHINES)
def test_it_agrees_on_the_constraints_alone(tmp_path: Path, machine: str, version: int) -> None:
    text, kind = MACHINES[machine]
    found = check(build(tmp_path, text, kind, fmi=version), text, kind)
    assert found.verdict == "agrees", found.comparisons
    assert found.headline == (
        "agrees, accelerations on the constraints alone, asked at 4 states: "
        "never for reactions and motions, nor events and stops elsewhere"
    )
    assert {(c.b, c.quantity) for c in found.comparisons} == {
        (who, quantity) for who in ("lagrange", "newton_euler") for quantity in (ACCELERATION, PUSHED)
    }
    said = "\n".join(map(str, found.diagnostics))
    assert "they do not tell M, gravity and h; nothing is said of reactions, nor of the constraints" in said
    assert "no independent witness" in said and "it moves states" not in said


#: What is wrong in the machine of which the FMU is made -> its text, by a replacement.
FAULTS = {
    "another mass": ('"mass": 0.6', '"mass": 0.6006'),
    "another length": ('"constant": 0.8', '"constant": 0.8008'),
    "a spring of the other sign": ("- 2*crank -", "+ 2*crank -"),
    "a slide that is turned": ('"translation": [3, 4, 0]', '"translation": [3, 4.004, 0]'),
    "a damper of the other sign": ("- 0.1*crank'", "+ 0.1*crank'"),
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_another_machine_disagrees_by_its_acceleration(tmp_path: Path, fault: str) -> None:
    old, new = FAULTS[fault]
    assert CRANK.count(old) == 1
    found = check(build(tmp_path, CRANK.replace(old, new)))
    wrong = find_wrong(found)
    assert found.verdict == "disagrees" and ACCELERATION in wrong
    assert wrong[ACCELERATION][0] in ("crank", "rod", "piston")
    assert "alone" not in found.headline


@pytest.mark.slow
def test_efforts_that_are_wrong_are_told_apart(tmp_path: Path) -> None:
    after = "evaluate_motion(s, d->p, dx + COORDINATES);"
    turned = insert(after, f"double p[SET]; memcpy(p, d->p, sizeof p); p[1] *= -1; {after.replace('d->p', 'p')}")
    found = check(build(tmp_path, change=turned))
    assert found.verdict == "disagrees" and {*find_wrong(found)} == {PUSHED}
    assert all("with the efforts crank " in c.explanation for c in found.comparisons if c.verdict == "disagrees")


@pytest.mark.slow
def test_without_efforts_it_is_compared_without(tmp_path: Path) -> None:
    found = check(build(tmp_path, inputs="none"))
    assert found.verdict == "agrees" and {c.quantity for c in found.comparisons} == {ACCELERATION}
    (said,) = (d.message for d in found.diagnostics if d.place == "fmu/asked")
    assert "at rest and with reversed rates;" in said


#: What puts each state that an importer sets onto the FMU's own constraints, without a word.
PROJECTS = (
    "    memcpy(COMPONENT->d.x, x, sizeof COMPONENT->d.x);\n    COMPONENT->d.known = 0;",
    "    memcpy(COMPONENT->d.x, x, sizeof COMPONENT->d.x);\n    (void)project(&COMPONENT->d);",
)


@pytest.mark.slow
@pytest.mark.parametrize("machine", ["slider-crank", "parallelogram that passes its change point", "sleigh"])
def test_an_fmu_that_projects_is_tied_and_agrees(tmp_path: Path, machine: str) -> None:
    """In a parallelogram rates are equal: which state is the rate of which coordinate only names say."""
    text, kind = MACHINES[machine]
    found = check(build(tmp_path, text, kind, insert(*PROJECTS)), text, kind)
    assert found.verdict == "agrees", found.comparisons
    assert "it moves states" not in "\n".join(map(str, found.diagnostics))


@pytest.mark.slow
def test_an_fmu_that_projects_onto_other_constraints_is_told(tmp_path: Path) -> None:
    old, new = FAULTS["another length"]
    found = check(build(tmp_path, CRANK.replace(old, new), change=insert(*PROJECTS)))
    assert found.verdict == "disagrees" and ACCELERATION in find_wrong(found)
    assert "it moves states that satisfy the model's constraints, " in "\n".join(map(str, found.diagnostics))


@pytest.mark.slow
def test_parameters_of_the_constraints_keep_their_values(tmp_path: Path) -> None:
    """With a crank of a random length the machine would not close; the mass is drawn, and one not taken disagrees."""
    values = '"parameters": [{"name": "r", "value": 0.3}, {"name": "m", "value": 0.6}], "bodies": ['
    text = CRANK.replace('"bodies": [', values)
    text = text.replace('"constant": 0.3}', '"constant": "r"}').replace('"mass": 0.6', '"mass": "m"')
    found = check(build(tmp_path, text), text)
    (said,) = (d.message for d in found.diagnostics if d.place == "fmu/parameters" and "compared" in d.message)
    assert found.verdict == "agrees" and said == "compared at the model's values and at drawn ones of m"
    change = insert("d->p[r - VR_P] = value;", "{ if (r < VR_P + COORDINATES) d->p[r - VR_P] = value; }")
    deaf = check(build(tmp_path, text, change=change), text)
    assert deaf.verdict == "disagrees" and ACCELERATION in find_wrong(deaf)


#: What an FMU does when it is asked for derivatives -> what is said of it.
HARM = {
    "gives what is no number": ("dx[COORDINATES] = NAN; return OK;", "no numbers at the state crank ="),
    "fails": ('return fail(c, "no more");', "no more"),
    "ends": ("exit(0);", "its process ended"),
}


@pytest.mark.slow
@pytest.mark.parametrize("harm", HARM)
def test_an_fmu_that_does_harm_is_no_verdict(run: Run, tmp_path: Path, harm: str) -> None:
    """Near its start it is sound: it is tied, and fails at the states of the comparison."""
    code, said = HARM[harm]
    after = "    return are_finite(dx, n) ? OK : fail(c"
    build(tmp_path, change=insert(after, f"    if (fabs(c->d.x[0] - 0.2) > 0.1) {{ {code} }}\n{after}"))
    (tmp_path / "crank.mbs.json").write_text(CRANK, encoding="utf-8")
    words = ("check", "crank.mbs.json", "--against", "fmu:made.fmu", "--allow", "binary", "--formalisms", "lagrange")
    done = run(*words)
    assert done.code == 2 and said in done.err and "agrees" not in done.out and "disagrees" not in done.out


def test_an_fmu_in_other_coordinates_is_refused(tmp_path: Path) -> None:
    small = build(tmp_path, "z(crank)i(l)$1 g-y; l=1", "mbsd", formalism="lagrange")
    said = "the FMU has 2 states, the model 3 coordinates with rates: its tool has solved the constraints"
    with pytest.raises(mb.MbconcordError, match=said) as problem:
        check(small)
    assert "export it with all coordinates as states" in str(problem.value)


@pytest.mark.slow
def test_motions_of_co_simulation_are_not_compared(tmp_path: Path) -> None:
    mb.export(mb.read(text=CRANK, format="native"), tmp_path / "cs.fmu", kind="cs", witness=False)
    with pytest.raises(mb.MbconcordError, match=r"the model has constraints.*export it for Model Exchange"):
        check(tmp_path / "cs.fmu")
