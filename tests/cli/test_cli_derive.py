"""``mbconcord derive``: every notation gives the numbers of ``evaluate``; closed forms; order of names."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from mbconcord.cli import derive
from mbconcord.formalisms.registry import names

from ..formalisms.konoplev.test_konoplev_print import plain
from .commands import Run, runner


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    return runner(capsys, monkeypatch, tmp_path)


FORMALISMS = names()
#: These name every part themselves, so that no formula is too long.
NAME_EVERYTHING = ("newton_euler",)
#: static_moments prints vectors in the notation of its paper: test_static_moments reads those.
WRITTEN_AS_FORMULAS = [name for name in FORMALISMS if name != "static_moments"]


@pytest.mark.parametrize("formalism", FORMALISMS)
def test_derived_python_gives_the_numbers_of_evaluate(run: Run, formalism: str) -> None:
    code = run("derive", "two.mbsd", "--formalism", formalism, "--output", "python").out
    module: dict[str, Any] = {"__name__": "derived"}
    exec(compile(code, "derived.py", "exec"), module)
    data = run("evaluate", "two.mbsd", "--formalism", formalism, "--seed", "5", "--json").json
    found = module["quantities"](data["t"], data["q"], data["v"], data["a"])
    for name, value in found.items():
        assert value.tolist() == _close(data[name])
    with pytest.raises(ValueError, match="unknown"):
        module["quantities"](0, [0, 0], [0, 0], parameters={"X": 1})


@pytest.mark.parametrize("formalism", WRITTEN_AS_FORMULAS)
def test_derived_text_reads_back_to_the_numbers_of_evaluate(run: Run, formalism: str) -> None:
    from mbconcord.model.expressions import evaluate_float
    from mbconcord.model.expressions.formula import parse_formula

    data = run("evaluate", "two.mbsd", "--formalism", formalism, "--seed", "5", "--json").json
    values = dict(data["parameters"]) | {"t": data["t"]}
    for i, name in enumerate(data["coordinates"]):
        values |= {name: data["q"][i], f"{name}'": data["v"][i], f"{name}''": data["a"][i]}
    text = run("derive", "two.mbsd", "--formalism", formalism, "--quantity", "M,h", "--quantity", "gravity").out
    seen = set()
    for line in plain(text).splitlines():
        if line and not line.startswith("#"):
            label, formula = line.split(" = ")
            values[label] = evaluate_float(parse_formula(formula), values)
            seen.add(label)
    names = data["coordinates"]
    assert [[values[f"M[{a}, {b}]"] for b in names] for a in names] == _close(data["M"])
    assert [values[f"h[{a}]"] for a in names] == _close(data["h"])
    assert [values[f"gravity[{a}]"] for a in names] == _close(data["gravity"])
    assert "applied[z1]" not in seen


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no C compiler on this machine")
def test_derived_c_compiles_and_gives_the_numbers_of_evaluate(run: Run, tmp_path: Path) -> None:
    import ctypes

    options = ("--formalism", "newton_euler", "--output", "c", "--quantity", "M,h,gravity,applied")
    code = run("derive", "two.mbsd", *options).out
    assert "out[9]" in code and "out[10]" not in code
    source, library = tmp_path / "derived.c", tmp_path / "derived.so"
    source.write_text(code, encoding="utf-8")
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1", "-shared", "-fPIC"]
    subprocess.run(["gcc", *flags, str(source), "-o", str(library), "-lm"], check=True)
    data = run("evaluate", "two.mbsd", "--formalism", "newton_euler", "--seed", "5", "--json").json
    inputs = [data["t"], *data["q"], *data["v"], *data["a"], *data["parameters"].values()]
    numbers = (ctypes.c_double * len(inputs))(*inputs)
    results = (ctypes.c_double * 10)()
    ctypes.CDLL(str(library)).equations(numbers, results)
    assert list(results) == _close([*data["M"][0], *data["M"][1], *data["h"], *data["gravity"], *data["applied"]])


def _close(value: Any) -> Any:
    """The nested numbers, each to rounding of the largest."""
    size = max((abs(x) for row in value for x in (row if isinstance(row, list) else [row])), default=1.0)
    if value and isinstance(value[0], list):
        return [pytest.approx(row, rel=1e-13, abs=1e-13 * size) for row in value]
    return pytest.approx(value, rel=1e-13, abs=1e-13 * size)


#: specs' golden results, in the order of SymPy's print.
CLOSED = {
    "uvg": {
        "M": [["m1", "0"], ["0", "m1"]], "h": ["0", "0"], "Q": ["0", "-g*m1"],
        "L": "m1*u1'^2/2 + m1*v1'^2/2 - g*m1*v1",
    },
    "zig": {
        "M": [["i1^2*m1"]], "h": ["0"], "Q": ["-g*i1*m1*cos(z1)"],
        "L": "i1^2*m1*z1'^2/2 - g*i1*m1*sin(z1)",
    },
    "zi>zig": {
        "M": [
            ["i1^2*m1 + m2*(i1^2 + 2*i1*i2*cos(z2) + i2^2)", "m2*i2*(i1*cos(z2) + i2)"],
            ["m2*i2*(i1*cos(z2) + i2)", "m2*i2^2"],
        ],
        "h": ["-m2*i1*i2*z2'*(2*z1' + z2')*sin(z2)", "m2*i1*i2*z1'^2*sin(z2)"],
        "Q": ["-g*((m1 + m2)*i1*cos(z1) + m2*i2*cos(z1 + z2))", "-g*m2*i2*cos(z1 + z2)"],
    },
    "u>z-jg": {
        "M": [["m1 + m2", "m2*j1*cos(z1)"], ["m2*j1*cos(z1)", "m2*j1^2"]],
        "h": ["-m2*j1*z1'^2*sin(z1)", "0"],
        "Q": ["0", "-g*m2*j1*sin(z1)"],
    },
    "xy-kg": {
        "M": [["m1*k1^2*cos(y1)^2", "0"], ["0", "m1*k1^2"]],
        "h": ["-m1*k1^2*x1'*y1'*sin(2*y1)", "m1*k1^2*x1'^2*sin(2*y1)/2"],
        "Q": ["-m1*g*k1*sin(x1)*cos(y1)", "-m1*g*k1*cos(x1)*sin(y1)"],
    },
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("text", CLOSED)
def test_closed_forms_are_those_of_the_literature(run: Run, text: str) -> None:
    import sympy

    from mbconcord.model.expressions.formula import parse_formula
    from mbconcord.model.expressions.sympy_exchange import to_sympy

    Path("model.mbsd").write_text(text, encoding="utf-8")
    done = run("derive", "model.mbsd", "--formalism", "lagrange", "--closed-form", "--json").json["quantities"]

    def same(found: Any, wanted: Any) -> None:
        if isinstance(wanted, list):
            for a, b in zip(found, wanted, strict=True):
                same(a, b)
        else:
            difference = to_sympy(parse_formula(found) - parse_formula(wanted))
            assert sympy.simplify(difference) == 0, f"{found} is not {wanted}"
            assert len(found) <= 1.6 * len(wanted) + 8

    for name, wanted in CLOSED[text].items():
        same(done[name], wanted)


@pytest.mark.slow
def test_closed_form_of_a_large_system_is_refused(run: Run) -> None:
    Path("arm.mbsd").write_text("zk>xk>xk>zk>xk>zk g", encoding="utf-8")
    done = run("derive", "arm.mbsd", "--formalism", "lagrange", "--closed-form")
    assert done.code == 2 and "leave --closed-form out" in done.err and not done.out


CLOSED_FORMS = ("--closed-form", "--closed-form --json", "--closed-form --output latex")


@pytest.mark.parametrize(
    "options",
    [
        *(pytest.param(x, marks=pytest.mark.slow) for x in CLOSED_FORMS), "--quantity equations",
        "--formalism konoplev --json", "--formalism konoplev --output c", "--formalism konoplev --subsystems t0/t1",
        "--formalism konoplev --subsystems t0/t1 --output latex", "--output c",
    ],
)  # fmt: skip
def test_every_notation_is_read_back(run: Run, monkeypatch: pytest.MonkeyPatch, options: str) -> None:
    """Closed forms, divided equations, lists of papers and the equations over their parts, too."""
    words = ("derive", "length.mbsd", "--verbose", *options.split())
    Path("length.mbsd").write_text("z(t0) i(L) $1 > z(t1) i(l) $(m) g9.81-y; L=1.2, l=1.1, m=2", encoding="utf-8")
    assert run(*words).code == 0 and "witness: note: the printed" in run(*words).err
    for name in ("render", "closed_form"):
        made = getattr(derive.equations, name)

        def write(*given: Any, made: Any = made) -> Any:
            return json.loads(json.dumps(made(*given)).replace("sin", "cos").replace(" + h[", " - h["))

        monkeypatch.setattr(derive.equations, name, write)
    done = run(*words)
    assert done.code == 1 and ("the interpreter " in done.err or "another M q'' + h" in done.err), done.err


@pytest.mark.parametrize("output", ["text", "json", "latex", "mathml"])
def test_calls_of_functions_and_their_derivatives_are_read_back(
    run: Run, monkeypatch: pytest.MonkeyPatch, output: str
) -> None:
    text = "i(f(t)) z(q) i1 $1 > u(x)\"(g(x, t) - f'(t)) $1 g9.81-y ; f(t)=sin(2 t)+t^2, g(a, b)=a^2 sin(b)"
    Path("called.mbsd").write_text(text, encoding="utf-8")
    words = ("derive", "called.mbsd", "--formalism", "newton_euler", "--output", output)
    assert run(*words).code == 0 and "witness: note: the printed" in run(*words, "-v").err
    made, other = derive.equations.render, {"f''": "f'", "\\u2033": "\\u2032", "\\u2032\\u2032": "\\u2032"}

    def write(*given: Any) -> Any:
        shown = json.dumps(made(*given))
        for old, new in other.items():
            shown = shown.replace(old, new)
        return json.loads(shown)

    monkeypatch.setattr(derive.equations, "render", write)
    done = run(*words)
    assert done.code == 1 and "the interpreter " in done.err, done.err


@pytest.mark.slow
def test_what_is_not_read_back_is_not_checked(run: Run) -> None:
    Path("open.mbsd").write_text('u(x)"(f(x)) $1', encoding="utf-8")
    for words in ("open.mbsd", "open.mbsd --closed-form", "two.mbsd --formalism konoplev --output latex"):
        done = run("derive", *words.split())
        assert done.code == 3 and "not compared with the interpreter" in done.err, words
        assert "not checked: equations" in done.out and run("derive", *words.split(), "--no-witness").code == 0


def test_closed_forms_have_the_functions_of_formulas(run: Run) -> None:
    Path("kink.mbsd").write_text('u(x)"(-abs(x)*x) $1', encoding="utf-8")
    assert "Q[x] = -x*abs(x)\n" in run("derive", "kink.mbsd", "--closed-form").out


@pytest.mark.parametrize("output", ["text", "latex", "python", "c", "json"])
def test_derive_is_the_same_every_time(run: Run, output: str) -> None:
    first, second = (run("derive", "two.mbsd", "--formalism", "virtual_work", "--output", output).out for _ in range(2))
    assert first == second and first


PRINTED = (
    "--output text", "--output latex", "--output mathml", "--output python", "--output c", "--closed-form",
    "--subsystems z1/z2",
)  # fmt: skip


class HeadAlone(str):
    """A text to which nothing is added."""

    def __add__(self, other: str) -> str:
        return self


@pytest.mark.parametrize("options", PRINTED)
@pytest.mark.parametrize("lost", ["equations", "head"])
def test_a_text_without_its_equations_or_its_head_is_seen(
    run: Run, monkeypatch: pytest.MonkeyPatch, options: str, lost: str
) -> None:
    words = ("derive", "two.mbsd", "--formalism", "konoplev" if "sub" in options else "lagrange", *options.split())
    honest = derive.comment
    assert run(*words).code == 0
    monkeypatch.setattr(derive, "comment", lambda *given: HeadAlone(honest(*given)) if lost == "equations" else "")
    done = run(*words)
    assert done.code == 1 and "derive: error: printed text; found no " in done.err


def test_json_of_equations_is_read_back(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("derive", "two.mbsd", "--formalism", "lagrange", "--json")
    assert run(*words).code == 0
    monkeypatch.setattr(derive, "with_evidence", lambda verb, result, *more: result | {"quantities": {}})
    done = run(*words)
    assert done.code == 1 and "derive: error: printed JSON; quantities." in done.err


@pytest.mark.sampled(3)
@pytest.mark.parametrize("formalism", WRITTEN_AS_FORMULAS)
@pytest.mark.parametrize("inertia", ["", "; [] {}"])
def test_each_text_line_uses_names_of_earlier_lines_only(run: Run, formalism: str, inertia: str) -> None:
    from mbconcord.model.expressions import symbols
    from mbconcord.model.expressions.formula import parse_formula

    Path("arm.mbsd").write_text(f"zk>xk>xk>zk>xk>zk g {inertia}", encoding="utf-8")
    info = run("info", "arm.mbsd", "--json").json
    known = {p["name"] for p in info["parameters"]}
    known |= {c["name"] + order for c in info["coordinates"] for order in ("", "'")}
    text = run("derive", "arm.mbsd", "--formalism", formalism, "--quantity", "M,h,gravity").out
    for line in plain(text).splitlines():
        if line and not line.startswith("#"):
            label, formula = line.split(" = ")
            assert symbols([parse_formula(formula)]) <= known, line
            assert label not in known
            assert len(formula) < 6000
            known.add(label)
    assert "s1" in known or not inertia or formalism in NAME_EVERYTHING
