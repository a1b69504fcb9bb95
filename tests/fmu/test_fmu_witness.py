"""``check --against fmu:FILE``: an FMU as a witness; FMUs that are wrong, and FMUs that do harm."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import mbconcord as mb
from mbconcord.api.check import Check
from mbconcord.api.exporting import fmu as exporting
from mbconcord.kernels.fmu.description import name_library, name_platform
from mbconcord.validation.against import fmu, fmu_archive

from ..cli.commands import Run, runner
from ..kernels.compiler import COMPILER, needs_compiler

TEXT = "zi > zig"
ARM = "z(a)i(L)$(m)j(0.4) > x(b)i(0.5)$2j(0.3) g9.81-y ; L=1.2, m=3"
MODELS = {"double": TEXT, "arm": ARM}
LIMITED = sys.platform.startswith("linux")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    return runner(capsys, monkeypatch, tmp_path)


def build(
    folder: Path, change: Callable[[dict[str, str]], None] | None = None, text: str = TEXT, version: int = 2,
    **options: Any,
) -> Path:  # fmt: skip
    """An FMU of the text, whose C was changed before it was compiled."""
    with pytest.MonkeyPatch.context() as patch:
        make = exporting.compile_binary

        def changed(files: Mapping[str, str], name: str) -> tuple[bytes, str]:
            own = dict(files)
            if change is not None:
                change(own)
            found = make(own, name)
            assert found[0], found[1]
            return found

        patch.setattr(exporting, "compile_binary", changed)
        target = folder / f"made{version}.fmu"
        options = {"fmi": version, "formalism": "newton_euler", "witness": False} | options
        mb.export(mb.read(text=text, format="mbsd"), target, **options)
    return target


def insert(old: str, new: str) -> Callable[[dict[str, str]], None]:
    def change(files: dict[str, str]) -> None:
        name = next(name for name, text in files.items() if old in text)
        files[name] = files[name].replace(old, new, 1)

    return change


def check(path: Path, text: str = TEXT, **options: Any) -> Check:
    model = mb.read(text=text, format="mbsd")
    options = {"formalisms": ["lagrange"], "states": 4} | options
    found: Check = mb.check(model, against=mb.own(f"fmu:{path}", allow_binary=True), **options)
    return found


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("name", MODELS)
def test_an_fmu_of_a_model_agrees_with_it(tmp_path: Path, name: str, version: int) -> None:
    found = check(build(tmp_path, text=MODELS[name], version=version), MODELS[name])
    assert found.verdict == "agrees"
    assert {c.quantity for c in found.comparisons} == {"M", "acceleration", "gravity", "h", "linear in rates"}
    said = "\n".join(map(str, found.diagnostics))
    assert "no independent witness" in said and "at drawn ones of" in said
    assert found.to_json()["against"]["equations"].startswith("fmu:")


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("robot", ["robots/ur5.mbsd"])
def test_a_robot_goes_round(tmp_path: Path, robot: str) -> None:
    model = mb.read(Path(__file__).parents[2] / "fixtures" / robot)
    mb.export(model, tmp_path / "x.fmu", formalism="newton_euler", witness=False)
    found = mb.check(
        model, against=f"fmu:{tmp_path / 'x.fmu'}", allow_binary=True, formalisms=["lagrange", "virtual_work"], states=3
    )
    assert found.verdict == "agrees", found.comparisons


#: A change of the C of an exported FMU -> a quantity that disagrees, and its entry.
FAULTS = {
    "a part in 10^9 of an acceleration": (
        "evaluate_motion(s, d->p, dx + COORDINATES);",
        "evaluate_motion(s, d->p, dx + COORDINATES); dx[COORDINATES + 1] *= 1 + 1e-9;", "acceleration", ("z2",),
    ),
    "a constant force": (
        "evaluate_motion(s, d->p, dx + COORDINATES);",
        "evaluate_motion(s, d->p, dx + COORDINATES); dx[COORDINATES] += 1e-6;", "gravity", ("z1",),
    ),
    "a parameter that is not taken": ("d->p[r - VR_P] = value", "(void)value", "acceleration", None),
}  # fmt: skip


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_in_the_source_disagrees(tmp_path: Path, fault: str) -> None:
    old, new, quantity, entry = FAULTS[fault]
    found = check(build(tmp_path, insert(old, new)))
    wrong = {c.quantity: c for c in found.comparisons if c.verdict == "disagrees"}
    assert found.verdict == "disagrees" and quantity in wrong, found.comparisons
    assert entry is None or wrong[quantity].entry == entry
    assert {wrong[quantity].a, wrong[quantity].b} == {"fmu", "lagrange"}


#: A pendulum that somebody wrote by hand for FMI 2.0: q'' = -g/L cos q + tau/(m L^2).
PENDULUM = "z(z1) i(L) $(m) g(g)-y ; L=2, m=3, g=9.81"
WRITTEN = r"""
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static double r[8] = {0, 0, 0, 0, 3, 2, 9.81, 0}; /* q, w, (a), tau, m, L, g, t */
void *fmi2Instantiate(const char *n, int k, const char *g, const char *p, const void *c, int v, int l)
{ (void)n, (void)k, (void)p, (void)c, (void)v, (void)l; return strcmp(g, "own") ? 0 : r; }
void fmi2FreeInstance(void *i) { (void)i; }
int fmi2SetupExperiment(void *i, int d, double e, double t, int s, double u)
{ (void)i, (void)d, (void)e, (void)s, (void)u; r[7] = t; return 0; }
int fmi2EnterInitializationMode(void *i) { (void)i; return 0; }
int fmi2ExitInitializationMode(void *i) { (void)i; return 0; }
int fmi2EnterContinuousTimeMode(void *i) { (void)i; return 0; }
int fmi2NewDiscreteStates(void *i, void *e) { (void)i; memset(e, 0, 5 * sizeof(int)); return 0; }
int fmi2SetTime(void *i, double t) { (void)i; r[7] = t; return 0; }
int fmi2SetContinuousStates(void *i, const double *x, size_t n) { (void)i; memcpy(r, x, n * sizeof *x); return 0; }
int fmi2GetContinuousStates(void *i, double *x, size_t n) { (void)i; memcpy(x, r, n * sizeof *x); return 0; }
int fmi2SetReal(void *i, const unsigned *at, size_t n, const double *x)
{ (void)i; while (n--) r[at[n]] = x[n]; return 0; }
int fmi2GetDerivatives(void *i, double *dx, size_t n)
{
    (void)i, (void)n;
    double q = r[0], w = r[1], tau = r[3], m = r[4], L = r[5], g = r[6], t = r[7];
    double a = -g / L * cos(q) + tau / (m * L * L);
    (void)w, (void)t;
    dx[0] = w;
    /* HERE */
    dx[1] = a;
    return 0;
}
"""
VARIABLES = (("shaft.phi", "local"), ("shaft.w", "local"), ("shaft.a", "local"), ("drive.tau", "input"),
             ("rod.m", "parameter"), ("rod.L", "parameter"), ("world.g", "parameter"))  # fmt: skip
NAMED = {"coordinates": {"z1": "shaft.phi"}, "inputs": {"z1": "drive.tau"}}


def write(folder: Path, code: str = "", compiled: bool = True) -> Path:
    """The pendulum, with code in its derivatives."""
    rows = []
    for k, (name, kind) in enumerate(VARIABLES):
        state = {1: ' derivative="1"', 2: ' derivative="2"'}.get(k, "")
        start = f' start="{(3, 2, 9.81)[k - 4]}"' if kind == "parameter" else ""
        varies = ' variability="fixed"' if kind == "parameter" else ""
        rows.append(f'<ScalarVariable name="{name}" valueReference="{k}" causality="{kind}"{varies}>'
                    f"<Real{state}{start}/></ScalarVariable>")  # fmt: skip
    text = (
        '<fmiModelDescription fmiVersion="2.0" guid="own" generationTool="somebody">'
        '<ModelExchange modelIdentifier="made"/>'
        f"<ModelVariables>{''.join(rows)}</ModelVariables>"
        '<ModelStructure><Derivatives><Unknown index="2"/><Unknown index="3"/></Derivatives></ModelStructure>'
        "</fmiModelDescription>"
    )
    source, binary = folder / "made.c", folder / name_library("made")
    source.write_text(WRITTEN.replace("/* HERE */", code), encoding="utf-8")
    words = [str(COMPILER), "-std=gnu99", "-O0", "-fPIC", "-shared", str(source), "-o", str(binary), "-lm"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return pack(folder / "own.fmu", {XML: text, f"binaries/{name_platform(2)}/{binary.name}": binary.read_bytes()})


def check_written(path: Path, text: str = PENDULUM, **told: Any) -> Check:
    own = mb.own(f"fmu:{path}", allow_binary=True, **(told or NAMED))
    model = mb.read(text=text, format="mbsd")
    return mb.check(model, against=own, formalisms=["lagrange"], states=3)


#: Code after the acceleration of the pendulum -> what disagrees; the sign of the weights, damping, and more.
WRONG = {
    "": set(),
    "a += 2 * g / L * cos(q);": {"gravity", "acceleration"},
    "a -= 1e-3 * w;": {"linear in rates", "acceleration"},
    "a -= 1e-3 * w * w;": {"h", "acceleration"},
    "a -= tau / (2 * m * L * L);": {"M", "gravity"},
    "a -= 2 * tau / (m * L * L);": {"M", "gravity"},
    "a += 1e-3 * t;": {"gravity", "acceleration"},
    "a *= L / 2;": {"M", "acceleration"},
}  # fmt: skip


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize("code", WRONG)
def test_an_fmu_of_another_hand_is_checked_part_by_part(tmp_path: Path, code: str) -> None:
    found = check_written(write(tmp_path, code))
    wrong = {c.quantity for c in found.comparisons if c.verdict == "disagrees"}
    assert WRONG[code] <= wrong and found.verdict == ("disagrees" if WRONG[code] else "agrees")
    said = "\n".join(map(str, found.diagnostics))
    assert "independent" not in said
    assert not code.startswith("a += 2") or "gravity" in said[said.index("fmu/why") :], said
    assert code != "a *= L / 2;" or "equal at the model's values of the parameters" in said
    assert "linear in rates" not in wrong or wrong == {"linear in rates", "acceleration"}


@needs_compiler
def test_efforts_that_saturate_are_told_and_not_taken_for_inertia(tmp_path: Path) -> None:
    code = (
        "{ double most = 5; double u = tau > most ? most : tau < -most ? -most : tau; a += (u - tau) / (m * L * L); }"
    )
    found = check_written(write(tmp_path, code))
    rows = {c.quantity: c for c in found.comparisons}
    assert {name: c.verdict for name, c in rows.items()} == {"acceleration": "agrees", "M": "not checked"}
    assert "its accelerations are not affine in its efforts, which may saturate" in rows["M"].explanation
    assert found.verdict == "not checked" and not found.stands


@needs_compiler
def test_efforts_that_act_by_their_squares_are_told(tmp_path: Path) -> None:
    found = check_written(write(tmp_path, "a += 1e-7 * tau * tau;"))
    assert {(c.quantity, c.verdict) for c in found.comparisons} == {("acceleration", "agrees"), ("M", "not checked")}


#: Functions of initialization of the pendulum, which computes its inertia from its parameters then.
ENTERING = "int fmi2EnterInitializationMode(void *i) { (void)i;"


@needs_compiler
def test_an_fmu_that_computes_on_entering_initialization_is_not_accused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ENTERING in WRITTEN
    own = WRITTEN.replace(ENTERING, f"static double J = 12; {ENTERING} J = r[4] * r[5] * r[5];")
    monkeypatch.setitem(globals(), "WRITTEN", own)
    path = write(tmp_path, "a = (tau - m * g * L * cos(q)) / J;")
    found = check_written(path)
    assert found.verdict == "agrees", found.comparisons
    assert "at drawn ones of" in "\n".join(map(str, found.diagnostics))


@needs_compiler
def test_parameters_of_fmi_3_are_set_before_initialization(tmp_path: Path) -> None:
    def fix_on_entering(files: dict[str, str]) -> None:
        for old, new in (
            ("static int set(Data *d", "static int entered;\nstatic int set(Data *d"),
            ("d->p[r - VR_P] = value;", "{ if (r < VR_P + COORDINATES || !entered) d->p[r - VR_P] = value; }"),
            ("    begin_at(i, has, tolerance, t);", "    begin_at(i, has, tolerance, t);\n    entered = 1;"),
            ("    begin(&c->d);", "    begin(&c->d);\n    entered = 0;"),
        ):  # fmt: skip
            assert any(old in text for text in files.values()), old
            insert(old, new)(files)

    found = check(build(tmp_path, fix_on_entering, ARM, version=3), ARM)
    assert found.verdict == "agrees", found.comparisons


@needs_compiler
def test_efforts_that_do_nothing_are_no_agreement(tmp_path: Path) -> None:
    found = check_written(write(tmp_path, "a -= tau / (m * L * L);"))
    assert {(c.quantity, c.verdict) for c in found.comparisons} == {("acceleration", "agrees"), ("M", "not checked")}
    assert found.verdict == "not checked" and not found.stands
    assert "its efforts do not move every coordinate" in "\n".join(map(str, found.comparisons))


@needs_compiler
def test_verdict_says_what_an_fmu_was_never_asked(tmp_path: Path) -> None:
    """A stop beyond all states that are drawn changes nothing of the answers."""
    found = check_written(write(tmp_path, "if (q > 50) a -= 1e3 * (q - 50);"))
    assert found.headline == "agrees, asked at 3 states: never for motions, nor events and stops elsewhere"
    assert found.to_json()["against"]["asked"] in found.headline
    (said,) = (d.message for d in found.diagnostics if d.place == "fmu/asked")
    q, t = ([f(x) for f in (min, max)] for x in ([s.q["z1"] for s in found.states], [s.t for s in found.states]))
    assert said.startswith(f"asked for derivatives within z1 {q[0]:.3g} to {q[1]:.3g}, t {t[0]:.3g} to {t[1]:.3g}, at")
    wrong = check_written(write(tmp_path, "a -= 1e-3 * w;"))
    assert "asked at" not in wrong.headline


@needs_compiler
def test_starts_that_are_not_the_models_are_told(tmp_path: Path) -> None:
    found = check_written(write(tmp_path), PENDULUM.replace("m=3", "m=4"))
    assert found.verdict == "agrees"
    assert "starts of the FMU are not the model's values, to which they were set: rod.m = 3.0 (4.0)" in "\n".join(
        map(str, found.diagnostics)
    )


@needs_compiler
def test_the_cause_of_another_model_is_named(tmp_path: Path) -> None:
    found = check(build(tmp_path, text=ARM.replace("$2", "$4")), ARM)
    said = [str(d) for d in found.diagnostics if d.place == "fmu/why"]
    assert found.verdict == "disagrees" and len(said) == 1 and "doubled" in said[0], said


@needs_compiler
def test_the_command(run: Run, tmp_path: Path) -> None:
    write(tmp_path)
    names = ("--map", "coordinates:z1=shaft.phi", "--map", "inputs:z1=drive.tau", "--map", "symbols:world.g=9.81")
    words = ("check", "one.mbsd", "--against", "fmu:own.fmu", "--formalisms", "lagrange", "--states", "2", *names)
    refused = run(*words)
    assert refused.code == 2 and "run it if you trust it: --allow binary" in refused.err and not refused.out
    done = run(*words, "--allow", "binary", "--verbose", "--report", "r.xml")
    assert done.code == 0 and "fmu, lagrange" in done.out and "--allow binary" in done.out
    assert "fmu" in Path("r.xml").read_text("utf-8")
    said = run(*words, "--allow", "binary", "--json").json["against"]
    assert said["equations"] == "fmu:own.fmu" and said["matching"]["coordinates"] == {"z1": "shaft.phi"}
    write(tmp_path, "exit(3);")
    dead = run(*words, "--allow", "binary")
    assert dead.code == 2 and "nothing is said of the model" in dead.err and "disagrees" not in dead.out
    for more in (("--exact", "on"), ("--map", "bodies:1=b"), ("--simulate", "1")):
        assert run(*words, "--allow", "binary", *more).code == 2


@needs_compiler
def test_states_that_are_matched_by_order_are_in_the_verdict(tmp_path: Path) -> None:
    path = write(tmp_path)
    found = check_written(path, inputs=NAMED["inputs"])
    assert found.verdict == "agrees after matching"
    asked = ", asked at 3 states: never for motions, nor events and stops elsewhere"
    assert found.headline == f"agrees after taking its states in their order{asked}"
    assert "--map 'coordinates:z1=shaft.phi'" in "\n".join(map(str, found.diagnostics))
    for told, said in (
        ({"coordinates": {"z1": "shaft.psi"}}, "shaft.psi is no state of the FMU"),
        ({"coordinates": {"c": "shaft.phi"}}, "the model has no 'c'"),
        ({"coordinates": {"z1": "shaft.w"}}, "is no state of the FMU, but z1 needs its rate"),
        ({**NAMED, "rates": {"z1": "shaft.phi"}}, "the rate of z1 is shaft.w, by its derivative"),
        ({**NAMED, "inputs": {"z1": "tau"}}, "the FMU has no input 'tau'"),
        ({**NAMED, "symbols": {"J": "m"}}, "the FMU has 0 parameters 'J'"),
        ({**NAMED, "symbols": {"rod.m": "2*M"}}, "is no formula of the model's parameters"),
    ):  # fmt: skip
        with pytest.raises(mb.MbconcordError, match=said):
            check_written(path, **told)
    with pytest.raises(mb.MbconcordError, match="positions that are left: shaft"):
        check_written(path, TEXT, rates={})


#: Code in fmi2GetDerivatives -> what is said; none: it is compared as if it had not.
HARM = {
    "writes to address 0": ("*(volatile int *)0 = 1;", "its process ended with signal SIGSEGV"),
    "never returns": ("for (volatile int k = 0;; k++) {}", "no answer in 1 s"),
    "takes memory": (
        "for (;;) { char *p = malloc(1 << 24); if (!p) return 3; memset(p, 1, 1 << 24); }",
        "fmi2GetDerivatives gives status 3",
    ),
    "exits": ("exit(0);", "its process ended with exit code 0"),
    "says that it is done": (r'printf("{\"end\": true}\n"); fflush(stdout);', ""),
    "prints without end": ('for (int k = 0; k < 100000; k++) puts("ha");', ""),
    "writes among the answers": (
        r'for (int k = 3; k < 10; k++) { const char *s = "{\"end\": true}\n"; if (write(k, s, strlen(s))) {} }',
        "its process wrote other lines than the answers",
    ),
    "writes answers without numbers": (
        r'for (int k = 3; k < 10; k++) { const char *s = "{\"d\": [\"a\", 1]}\n"; if (write(k, s, strlen(s))) {} }',
        "its process wrote other lines than the answers",
    ),
    "writes brackets": (
        "for (int k = 3; k < 10; k++) { static char s[100001]; memset(s, 91, 100000); s[100000] = 10;"
        " if (write(k, s, 100001)) {} }",
        "its process ended with exit code 0",
    ),
    "gives an error": ("return 3;", "fmi2GetDerivatives gives status 3"),
    "gives NaN": ("if (r[6] != 0) a = 0.0 / 0.0;", "its derivatives are no numbers at the state"),
    "writes a file": ('FILE *f = fopen("HARMED", "w"); if (f) { fputs("x", f); fclose(f); }', ""),
    "leaves a process": ("if (fork() == 0) for (;;) pause();", ""),
}  # fmt: skip


@needs_compiler
@pytest.mark.skipif(not LIMITED, reason="limits of processes are those of Linux here")
@pytest.mark.parametrize("harm", HARM)
def test_an_fmu_that_does_harm_does_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, harm: str) -> None:
    code, said = HARM[harm]
    harmed = tmp_path / "harmed"

    path = write(tmp_path, code.replace("HARMED", str(harmed)))
    if "no answer" in said:
        monkeypatch.setattr(fmu_archive, "FMU_SECONDS", 1)
    monkeypatch.setattr(fmu_archive, "FMU_MEMORY", 400_000_000)
    started: list[int] = []
    start = subprocess.Popen.__init__

    def note(self: Any, *arguments: Any, **options: Any) -> None:
        start(self, *arguments, **options)
        started.append(self.pid)

    monkeypatch.setattr(subprocess.Popen, "__init__", note)
    if said:
        with pytest.raises(mb.MbconcordError, match=said) as raised:
            check_written(path)
        assert "nothing is said of the model" in str(raised.value) or "look at it there" in str(raised.value)
    else:
        assert check_written(path).verdict == "agrees"
    assert not harmed.exists() or not harmed.stat().st_size
    for _ in range(600):  # what is killed ends when it is next given a processor
        if not (left := [pid for group in started for pid in alive(group)]):
            break
        time.sleep(0.1)
    assert started and not left


def alive(group: int) -> list[int]:
    """Processes of a group that have not ended."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                state, _, own = (folder / "stat").read_text().rpartition(")")[2].split()[:3]
            except OSError:
                continue
            if int(own) == group and state != "Z":
                found.append(int(folder.name))
    return found


def pack(target: Path, members: Mapping[str, bytes | str], link: str = "") -> Path:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
        if link:
            entry = zipfile.ZipInfo(link)
            entry.external_attr = 0o120777 << 16
            archive.writestr(entry, "/etc/passwd")
    return target


HEAD = '<fmiModelDescription fmiVersion="{}" guid="x" instantiationToken="x">{}</fmiModelDescription>'
EXCHANGE = '<ModelExchange modelIdentifier="{}"/><ModelVariables/><ModelStructure/>'
FINE = HEAD.format("2.0", EXCHANGE.format("made"))
XML = "modelDescription.xml"
ARCHIVES: dict[str, tuple[Callable[[], dict[str, bytes | str]], str]] = {
    "outside": (lambda: {XML: FINE, "../../etc/x": "x"}, "'../../etc/x' leads outside, or is a link"),
    "absolute": (lambda: {XML: FINE, "/etc/x": "x"}, "'/etc/x' leads outside"),
    "backslash": (lambda: {XML: FINE, "a\\..\\b": "x"}, "leads outside"),
    "bomb": (
        lambda: {XML: FINE, "resources/x": bytes(2_000_000)}, "inflates to 2,000,\\d+ bytes, at most 1,000,000 are"
    ),
    "many": (lambda: {XML: FINE, **{f"resources/{i}": "" for i in range(2001)}}, "it has 2,002 members"),
    "long": (lambda: {XML: FINE + " " * 5_000_001}, "has more than 5,000,000 bytes"),
    "doctype": (lambda: {XML: f"<!DOCTYPE x [<!ENTITY a 'b'>]>{FINE}"}, "a document type"),
    "nothing": (lambda: {"x": "y"}, "it has no modelDescription.xml"),
    "garbage": (lambda: {XML: b"\xff\xfe\x00garbage"}, "not UTF-8"),
    "no xml": (lambda: {XML: "garbage"}, "modelDescription.xml"),
    "another": (lambda: {XML: "<robot/>"}, "found <robot>: 2.0 and 3.0 are read"),
    "FMI 1": (lambda: {XML: HEAD.format("1.0", "")}, "found FMI 1.0: 2.0 and 3.0 are read"),
    "name": (lambda: {XML: HEAD.format("2.0", EXCHANGE.format("../x"))}, "its modelIdentifier is '../x'"),
    "no structure": (lambda: {XML: HEAD.format("3.0", "<ModelVariables/>")}, "has no ModelStructure"),
    "broken": (
        lambda: {XML: HEAD.format("2.0", '<ModelVariables><ScalarVariable name="a"><Real/></ScalarVariable>'
                                  "</ModelVariables><ModelStructure/>")}, "its description is broken: KeyError"),
    "co-simulation": (lambda: {XML: FINE.replace("ModelExchange", "CoSimulation")}, "it has no binary for"),
    "neither": (lambda: {XML: FINE.replace("ModelExchange", "Another")}, "neither Model Exchange nor Co-Simulation"),
    "name of a simulation": (
        lambda: {XML: FINE.replace("<ModelVariables", '<CoSimulation modelIdentifier="../x"/><ModelVariables')},
        "its modelIdentifier is '../x'"),
    "a step that is no number": (
        lambda: {XML: FINE.replace("<ModelVariables", '<DefaultExperiment stepSize="NaN"/><ModelVariables')},
        "its description is broken: ValueError step nan"),
    "platform": (lambda: {XML: FINE, "binaries/win16/made.dll": "x"}, "has no binary for .*: there are win16"),
    "factor": (
        lambda: {XML: FINE.replace("<ModelVariables/>", '<UnitDefinitions><Unit name="a"><BaseUnit factor="a"/></Unit>'
                                   "</UnitDefinitions><ModelVariables/>")}, "its description is broken: ValueError"),
    "an infinite factor": (
        lambda: {XML: FINE.replace("<ModelVariables/>", '<UnitDefinitions>\n<Unit name="a"><BaseUnit factor="INF"/>'
                                   "</Unit></UnitDefinitions><ModelVariables/>")},
        "modelDescription.xml:2:16: .*the unit 'a' has factor inf, offset 0.0"),
    "no offset": (
        lambda: {XML: FINE.replace("<ModelVariables/>", '<UnitDefinitions><Unit name="a"><BaseUnit offset="NaN"/>'
                                   "</Unit></UnitDefinitions><ModelVariables/>")}, "has factor 1.0, offset nan"),
    **{f"reference {r[:30]}": (
        lambda r=r: {XML: FINE.replace("<ModelVariables/>", f'<ModelVariables>\n<ScalarVariable name="q" '  # type: ignore[misc]
                                       f'valueReference="{r}"><Real/></ScalarVariable></ModelVariables>')},
        f"modelDescription.xml:2:1: .*the valueReference of 'q' is '{r[:20]}.*, expected 0 to 4,294,967,295")
        for r in ("4294967296", "-1", "1.5", "", "9" * 5000)},
    "states": (
        lambda: {XML: FINE, f"binaries/{name_platform(2)}/{name_library('made')}": "x"}, "it has no continuous states"),
}  # fmt: skip


@pytest.mark.parametrize("case", ARCHIVES)
def test_an_archive_that_does_harm_is_refused(tmp_path: Path, case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if case == "bomb":
        monkeypatch.setattr(fmu_archive, "FMU_BYTES", 1_000_000)
    make, said = ARCHIVES[case]
    path = pack(tmp_path / "x.fmu", make())
    before = {*tmp_path.parent.rglob("*")}
    with pytest.raises(mb.MbconcordError, match=said):
        mb.own(f"fmu:{path}", allow_binary=True)
    assert {*tmp_path.parent.rglob("*")} == before


def test_links_and_members_that_come_twice_are_refused(tmp_path: Path) -> None:
    path = pack(tmp_path / "x.fmu", {XML: FINE}, link="resources/a")
    with pytest.raises(mb.MbconcordError, match="'resources/a' leads outside, or is a link"):
        mb.own(f"fmu:{path}", allow_binary=True)
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr(XML, FINE)
    with pytest.raises(mb.MbconcordError, match=r"is there twice|leads outside"):
        mb.own(f"fmu:{path}", allow_binary=True)
    (tmp_path / "text.fmu").write_text("no zip", encoding="utf-8")
    with pytest.raises(mb.MbconcordError, match="it is no archive"):
        mb.own(f"fmu:{tmp_path / 'text.fmu'}", allow_binary=True)


def test_damaged_archives_are_refused(tmp_path: Path) -> None:
    named = pack(tmp_path / "x.fmu", {XML: FINE, "resources/é": "x"})
    named.write_bytes(named.read_bytes().replace("é".encode(), b"\xff\xfe"))
    packed = tmp_path / "y.fmu"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr(XML, FINE)
    data = packed.read_bytes()
    at = data.index(XML.encode()) + len(XML) + 9
    packed.write_bytes(data[:at] + b"\xff" * 40 + data[at + 40 :])
    for path in (named, packed):
        with pytest.raises(mb.MbconcordError, match="it is no archive that can be read"):
            mb.own(f"fmu:{path}", allow_binary=True)


@needs_compiler
def test_units_of_types_are_those_of_variables(tmp_path: Path) -> None:
    path = write(tmp_path)
    with zipfile.ZipFile(path) as archive:
        members: dict[str, bytes | str] = {name: archive.read(name) for name in archive.namelist()}
    degrees = (
        '<UnitDefinitions><Unit name="deg"><BaseUnit rad="1" factor="0.0174532925199433"/></Unit></UnitDefinitions>'
        '<TypeDefinitions><SimpleType name="Angle"><Real unit="deg"/></SimpleType></TypeDefinitions><ModelVariables>'
    )
    text = bytes(members[XML]).decode() if isinstance(members[XML], bytes) else ""
    text = text.replace("<ModelVariables>", degrees)
    members[XML] = text.replace("<Real/>", '<Real declaredType="Angle"/>', 1)
    with pytest.raises(mb.MbconcordError, match="is no unit of SI alone"):
        check_written(pack(tmp_path / "y.fmu", members))


#: Unit of the angle that the description does not define -> whether it is one of SI.
UNDEFINED = {"deg": False, "": True, "rad": True, "1": True, "mm": False, "Nm": False, "rev": False, "N.m.s/rad": True,
             "kg.m2": True, "m/s2": True, "m.s-2": True, "rad/s": True, "kN": False, "rad/min": False}  # fmt: skip


@needs_compiler
def test_units_that_are_not_defined_are_those_of_si(tmp_path: Path) -> None:
    path = write(tmp_path)
    with zipfile.ZipFile(path) as archive:
        members: dict[str, bytes | str] = {name: archive.read(name) for name in archive.namelist()}
    text = bytes(members[XML]).decode() if isinstance(members[XML], bytes) else ""
    model = mb.read(text=PENDULUM, format="mbsd")
    for unit, fine in UNDEFINED.items():
        members[XML] = text.replace("<Real/>", f'<Real unit="{unit}"/>', 1)
        own = mb.own(f"fmu:{pack(tmp_path / 'y.fmu', members)}", allow_binary=True, **NAMED)
        if fine:
            assert fmu.tie(model.system, own).q == (0,)
            continue
        said = f"y.fmu: error: the unit '{unit}' of its shaft.phi is no unit of SI alone .*gives no factor"
        with pytest.raises(mb.MbconcordError, match=said):
            fmu.tie(model.system, own)


@needs_compiler
def test_a_binary_that_is_none_is_not_loaded(tmp_path: Path) -> None:
    path = write(tmp_path)
    with zipfile.ZipFile(path) as archive:
        members: dict[str, bytes | str] = {name: archive.read(name) for name in archive.namelist()}
    for name in members:
        if name.startswith("binaries/"):
            members[name] = b"\x7fELF no binary"
    with pytest.raises(mb.MbconcordError, match="its binary is not loaded"):
        check_written(pack(tmp_path / "y.fmu", members))


def test_the_process_of_an_fmu_imports_nothing_of_ours() -> None:
    text = "import sys; sys.argv = ['x']; import runpy; runpy.run_path({!r}); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", text.format(os.fspath(fmu_archive.CHILD))], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert not [name for name in done.stdout.split() if name.partition(".")[0] in ("mbconcord", "numpy")]
