"""What cannot be simulated: one line that says where and why, exit code 2, nothing written but what was computed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mbconcord.reports import extras

from ...cli.commands import Run, runner

pytest.importorskip("scipy", reason="SciPy, of the extra [sim], is not installed")

run = pytest.fixture(runner)

#: A point in the plane with what holds it.
POINT = "u(x)°0.5 v(y) $1 #a ; g-y \\ #a "
#: Models that no motion has: what is said of them.
MODELS = {
    "a rod of negative length": (f"{POINT}:(-1) < #0", "constraints/rod1/length: the rod's length is -1 m"),
    "a rod without length": (f"{POINT}:(0) < #0", "constraints/rod1/length: the rod's length is 0 m"),
    "the same by a parameter": (f"{POINT}:(L) < #0 ; L = 0", "the rod's length is 0 m (a length is positive"),
    "a rod from a body to itself": (f"{POINT}:(1) < #a", "a rod from the body 'a' to itself"),
    "a closure of a body with itself": (
        "z(a) i1 $1 #a ; g-y \\ #a z(p) = < #a", "a closure from the body 'a' to itself",
    ),
    "contradictory rods": (
        "u(x)°5 $1 #a ; g \\ #a :(1, 0) {9, 0} < #0 \\ #a :(1, 0) {-9, 0} < #0",
        "constraints/rod1: cannot be closed: in the nearest configuration found a gap of 8 m is left",
    ),
    "a motion that jumps": ("i(sign(t-1)) z(a) -j1 $1 ; g", "it jumps at t = 1, from -1 to 1"),
    "a coordinate without inertia": ("z(a) j1 z(b) $1 [0,0,0]", "no inertia along b"),
    "a mass below zero": ("z(a) i1 $(-1) #a ; g", "mass is -1 kg"),
    "a formula without numbers": (
        "z(a) i(1/k) $1 g ; k = 0",
        "bad.mbsd:1:6: error: bodies/body1/joint/1: division by zero in <1/k>",
    ),
    "a function without formula": (
        "z(a) i(f(t)) $1 g", "bodies/body1/joint/1: the function f() has no formula (define it: f(…) = …)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
def test_what_no_motion_has_is_refused(run: Run, name: str) -> None:
    text, words = MODELS[name]
    Path("bad.mbsd").write_text(text, encoding="utf-8")
    done = run("simulate", "bad.mbsd", "--until", "2", "--output", "out.csv")
    assert done.code == 2 and words in done.err, done.err
    assert not Path("out.csv").exists() and not done.out


#: Options: what is said.
OPTIONS: dict[str, str] = {
    "--until 0": "the end 0 s is not after the start 0 s",
    "--until -1": "the end -1 s is not after the start 0 s",
    "--until nan": "'nan' is not a finite number",
    "--until inf": "'inf' is not a finite number",
    "--until 1e400": "beyond the range of floats",
    "--until 1 --tolerance 0": "tolerance: error: found 0",
    "--until 1 --tolerance 1": "1e-14 to 0.1",
    "--until 1 --step-out 0": "give a positive step",
    "--until 1 --step-out -1": "give a positive step",
    "--until 1 --step-out 1e-9": "more than 1,000,000 rows",
    "--until 1 --slip 0": "slip: error: found 0",
    "--until 1 --method lsdoa": "did you mean 'lsoda'?",
    "--until 1 --method euler": "known: dop853, radau, lsoda, cvode, ida",
    "--until 1 --formalism lagrnge": "did you mean 'lagrange'?",
    "--until 1 --formalism static_moments": "static_moments does not deliver M, h",
    "--until 1 --form rdu": "form: error: lagrange: no form 'rdu' (did you mean 'rud'?",
    "--until 1 --driven z1": "nothing is driven without --motion",
    "--until 1 --actuated z1": "nothing is driven without --motion",
    "--until 1 --motion none.csv": "the motion of --motion has its own times",
    "--motion none.csv": "none.csv: error: No such file",
    "--until 1 --event z3": "the model has no 'z3'",
    "--until 1 --resume two.mbsd": "the table has no column 't'",
    "--until 1 --output nowhere/out.csv": "there is no folder nowhere",
    "--until 1 --output .": "a folder",
    "--until 1 --output out.xls": "no table has the suffix '.xls'",
    "--until 1 --output -": "no table has the suffix ''",
    "--until 1 --output two.mbsd": "would be written over",
    "--until 1 --plot out.png": "no drawing has this suffix",
}


@pytest.mark.parametrize("options", OPTIONS)
def test_bad_options_are_refused(run: Run, options: str) -> None:
    done = run("simulate", "two.mbsd", *options.split())
    assert done.code == 2 and OPTIONS[options] in done.err, done.err
    assert not done.out


def test_a_table_of_another_model_is_refused(run: Run) -> None:
    assert run("simulate", "two.mbsd", "--until", "0.1", "--output", "two.csv").code == 0
    done = run("simulate", "one.mbsd", "--until", "1", "--resume", "two.csv")
    assert done.code == 2 and "the table has the column 'z2': it is of another model" in done.err


@pytest.mark.parametrize(
    ("package", "method"),
    [("scipy", "dop853"), ("threadpoolctl", "dop853"), ("sksundae", "ida"), ("sksundae", "cvode")],
)
def test_a_missing_package_is_named(run: Run, monkeypatch: pytest.MonkeyPatch, package: str, method: str) -> None:
    imported = extras.import_module

    def without(name: str) -> Any:
        if name.partition(".")[0] == package:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return imported(name)

    monkeypatch.setattr(extras, "import_module", without)
    done = run("simulate", "two.mbsd", "--until", "1", "--method", method)
    assert done.code == 2 and "mbconcord[sim]" in done.err and package in done.err
