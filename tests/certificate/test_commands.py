"""The commands certify and verify: exit codes, what is written and what is not."""

from __future__ import annotations

from pathlib import Path

import pytest

import mbconcord
from mbconcord.certificate import emit, process
from mbconcord.certificate.emit import seal
from mbconcord.certificate.process import UNDECIDED, Verified
from mbconcord.fixtures import folder
from mbconcord.model.diagnostics import MbconcordError

from ..cli.commands import Run, runner
from .written import VECTORS

run = pytest.fixture(runner)


@pytest.fixture(autouse=True)
def files(run: Run) -> None:
    Path("p.mbsd").write_text("z j-2 $3 g9.81", encoding="utf-8")


@pytest.mark.slow
def test_a_certificate_is_written_and_verified(run: Run) -> None:
    done = run("certify", "p.mbsd", "--formalisms", "lagrange", "--output", "p.cert")
    assert done.code == 0 and done.out.startswith("M: mechanics of p = lagrange\n")
    assert done.out.endswith("written: p.cert\n")
    text = Path("p.cert").read_text("ascii")
    right = run("verify", "p.cert", "--require", "mechanics,M")
    assert right.code == 0 and right.out.startswith("p.cert: proved\n  M: mechanics of p = lagrange\n")
    Path("wrong.cert").write_text(seal(text.replace("s 1 z1", "s 2 z1").splitlines()[:-1]), encoding="ascii")
    Path("short.cert").write_text(text[:-2], encoding="ascii")
    wrong = run("verify", "p.cert", "wrong.cert", "-q")
    assert (wrong.code, wrong.out) == (1, "p.cert: proved\nwrong.cert: refused\n")
    every = run("verify", "wrong.cert", "short.cert", "p.cert", "--json")
    assert every.code == 2
    assert [x["verdict"] for x in every.json["certificates"]] == ["refused", "not readable", "proved"]
    assert run("verify", "p.cert", "--require", "rows").code == 1


def test_a_difference_is_verified_by_the_file_of_differences(run: Run) -> None:
    done = run("verify", str(VECTORS / "difference.cert"))
    assert done.code == 0 and "h 1 of lagrange and hand at least 2.2 apart" in done.out


def test_to_standard_output_goes_the_certificate_alone(run: Run) -> None:
    done = run("certify", "p.mbsd")
    assert done.code == 0 and done.out.startswith("mbcert 1\n") and "proved (error < 2^-" in done.err
    silent = run("certify", "p.mbsd", "--no-witness", "--output", "p.cert", "--json")
    assert silent.code == 0 and silent.json["verdict"] is None and silent.json["bytes"] == len(done.out)


def test_nothing_is_written_over_what_is_read(run: Run) -> None:
    before = Path("p.mbsd").read_text("utf-8")
    assert run("certify", "p.mbsd", "--output", "p.mbsd").code == 2
    assert Path("p.mbsd").read_text("utf-8") == before
    assert run("certify", "p.mbsd", "--formalisms", "lagrnge").code == 2
    assert run("verify", "p.mbsd", "--seed", "xyz").code == 2


def test_what_is_refused_is_not_written(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emit, "QUANTITIES", ("M", "h", "gravity"))
    right = emit._put_rows
    monkeypatch.setattr(
        emit,
        "_put_rows",
        lambda steps, name, *rest: right(steps, {"h": "gravity", "gravity": "h"}.get(name, name), *rest),
    )
    done = run("certify", "p.mbsd", "--formalisms", "lagrange", "--output", "p.cert")
    assert done.code == 1 and "of lagrange is not that of mechanics of p" in done.err and not Path("p.cert").exists()


def test_what_is_not_decided_is_said(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "LIMITS", (1, 1 << 20, 1 << 20))  # no memory to start in
    assert process.verify("p.mbsd").code == UNDECIDED
    monkeypatch.setattr(emit, "verify_text", lambda text: Verified(UNDECIDED, ("not decided",)))
    assert run("certify", "p.mbsd", "--output", "p.cert").code == 3
    with pytest.raises(MbconcordError, match="not decided"):
        mbconcord.certify("p.mbsd")


def test_a_certificate_says_what_is_left_out(run: Run) -> None:
    tensor = " ".join(f'i{x}="{int(x[0] == x[1])}"' for x in ("xx", "yy", "zz", "xy", "xz", "yz"))
    body = f'<link name="a"><inertial><mass value="2"/><inertia {tensor}/></inertial></link>'
    joint = '<joint name="j" type="planar"><parent link="w"/><child link="a"/><dynamics friction="0.3"/></joint>'
    Path("r.urdf").write_text(f'<robot name="r"><link name="w"/>{body}{joint}</robot>', encoding="utf-8")
    done = run("certify", "r.urdf", "--output", "r.cert")
    assert done.code == 3 and "dry friction of a joint" in done.out
    assert run("certify", "r.urdf", "--output", "r.cert", "--accept-omissions", "joint-friction=1", "--force").code == 0
    verified = run("verify", "r.cert")
    assert "Noted by its author, not proved: the model is without 1 dry friction of a joint" in verified.out


def test_check_certifies_what_it_proves(run: Run) -> None:
    done = run("check", "p.mbsd", "--certificate", "p.cert", "-q")
    assert (done.code, done.out) == (0, "1 file: 1 agrees\n")
    assert done.err.startswith("certificate: p.cert: proved (error < 2^-1") and "not certified" not in done.err
    evidence = mbconcord.check("p.mbsd")
    exact = {c.quantity for c in evidence.comparisons if c.exact and c.exact.kind == "identical"}
    proved = run("verify", "p.cert").out
    assert {"M", "h", "gravity", "applied"} <= exact
    assert all(f"  {name}: mechanics of p = lagrange = " in proved for name in exact - {"acceleration"})


@pytest.mark.slow
def test_check_says_which_proofs_are_not_in_the_certificate(run: Run) -> None:
    done = run("check", "rod.mbsd", "--report", "rod.cert")
    assert done.code == run("check", "rod.mbsd").code
    assert Path("rod.cert").exists() and "certificate: rod.cert: proved" in done.out
    assert "not certified: constrained acceleration, rank, reactions: constraint rows of " in done.out
    verified = run("verify", "rod.cert").out.splitlines()
    M, rows = ({*line.split()} for line in verified if line.startswith(("  M: ", "  rows: ")))
    assert {*done.out.rpartition("rows of ")[2].partition(" are not")[0].split(", ")} == M - rows - {"M:"}


@pytest.mark.slow
def test_check_certifies_own_equations(run: Run) -> None:
    Path("own.m").write_text("z1 = q(1); w = v(1);\nM = [12];\nf = [-6*9.81*sin(z1)];\n", encoding="utf-8")
    assert run("check", "p.mbsd", "--against", "matlab:own.m", "--report", "p.cert", "--report", "p.md").code == 0
    assert Path("p.md").exists() and run("check", "p.mbsd", "--report", "p.cert", "--report", "q.cert").code == 2
    forces = [line for line in run("verify", "p.cert").out.splitlines() if line.startswith(("  M: ", "  force: "))]
    assert len(forces) == 2 and all(line.endswith(" = own") for line in forces)
    Path("own.m").write_text("z1 = q(1); w = v(1);\nM = [12];\nf = [-6*9.8*sin(z1)];\n", encoding="utf-8")
    wrong = run("check", "p.mbsd", "--against", "matlab:own.m", "--certificate", "wrong.txt")
    assert wrong.code == 1 and "force 1 of own is not that of mechanics of p" in wrong.err
    assert not Path("wrong.txt").exists()


@pytest.mark.slow
def test_check_refuses_a_certificate_with_the_piece_that_hinders(run: Run) -> None:
    arm = folder() / "elastic/soft_arm.mbs.json"
    done = run("check", str(arm), "--report", "arm.cert", "--states", "1", "--claims", "none")
    assert done.code == 3 and not Path("arm.cert").exists()
    assert "bodies/boom/modes/nodes/mid: formalisms have no identical equations: its turn" in done.err
    done = run("check", "p.mbsd", "one.mbsd", "--report", "p.cert")
    assert done.code == 2 and "found 2 models, expected the one that it is of" in done.err
    assert run("check", "p.mbsd", "--report", "p.mbsd").code == 2
