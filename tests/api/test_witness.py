"""What is compiled, exported and printed is compared with the interpreter: planted faults are named, and none else."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbconcord as mb
from mbconcord.api import interpreted
from mbconcord.api.compiling import witness as links_witness
from mbconcord.api.compiling.compiled import Compiled
from mbconcord.api.compiling.direct import DirectFunction
from mbconcord.api.interpreted import NOT_COMPARED
from mbconcord.kernels import sincos
from mbconcord.kernels.c import texts as c_sincos
from mbconcord.kernels.links import function
from mbconcord.kernels.llvm import build, engine, links
from mbconcord.kernels.llvm import sincos as llvm_sincos
from mbconcord.model.diagnostics import DisagreementError
from mbconcord.model.expressions import bounds, code

from ..cli.commands import Run, runner
from ..kernels.compiler import needs_compiler

#: The module, whose function has its name.
listed = import_module("mbconcord.reports.equations.listed")
FIXTURES = Path(__file__).parents[2] / "fixtures"
PENDULUM, PANDA = str(FIXTURES / "mbsd" / "double_pendulum.mbsd"), str(FIXTURES / "robots" / "panda.mbsd")
ARM = str(FIXTURES / "urdf" / "arm.urdf")
#: A number to which x 2/π is added: from 1e7 rad on the sum passes 2^53, and the nearest whole number is lost.
SHORT_OF_ROOM = 9007199248374792.0
needs_llvm = pytest.mark.skipif(bool(engine.missing()), reason="llvmlite is not installed")


@pytest.fixture
def new_code(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing that was built before is taken."""
    monkeypatch.setenv("MBCONCORD_KERNEL_CACHE", str(tmp_path / "kernels"))
    monkeypatch.setattr(build, "_BUILT", {})
    monkeypatch.setattr(function, "_LOADED", {})


@needs_llvm
@pytest.mark.usefixtures("new_code")
def test_sines_beyond_1e7_rad(monkeypatch: pytest.MonkeyPatch) -> None:
    assert sincos.MAGIC != SHORT_OF_ROOM
    monkeypatch.setattr(llvm_sincos, "MAGIC", SHORT_OF_ROOM)
    with pytest.raises(DisagreementError, match=r"M\[z1, z2\]: error: llvm gives .*, the interpreter .* at z1"):
        mb.compile(PENDULUM, backend="llvm")


@needs_llvm
@pytest.mark.usefixtures("new_code")
def test_a_force_that_is_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    before = links._Step.__init__

    def wrong(self: Any, *given: Any) -> None:
        before(self, *given)
        self._targets = [(base, 1 if base == "%force" else place) for base, place in self._targets]

    monkeypatch.setattr(links._Step, "__init__", wrong)
    with pytest.raises(DisagreementError, match="witness/inverse_dynamics"):
        mb.compile(PANDA, "inverse_dynamics", per_link=True, backend="llvm")


@needs_llvm
@pytest.mark.usefixtures("new_code")
def test_machine_code_of_links_is_marked_once_it_was_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = mb.compile(PANDA, "inverse_dynamics", per_link=True, backend="llvm").function.loop  # type: ignore[attr-defined]
    assert loop.is_marked(False) and not loop.is_marked(True)
    monkeypatch.setattr(Compiled, "_compare", lambda *_: pytest.fail("it was compared before"))
    mb.compile(PANDA, "inverse_dynamics", per_link=True, backend="llvm")


def negative_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts of negative factors lose their signs."""
    monkeypatch.setattr(code._Python, "literal", lambda _, value: repr(abs(value)))


def test_signs_in_generated_python(monkeypatch: pytest.MonkeyPatch) -> None:
    several = mb.compile(ARM, formalism="lagrange", backend="numpy")
    negative_is_lost(monkeypatch)
    with pytest.raises(DisagreementError, match="python gives"):
        mb.compile(ARM, formalism="lagrange", backend="python")
    with pytest.raises(DisagreementError, match="numpy, one state gives"):
        several()


def test_blocks_that_are_transposed(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(self: Any, rows: Any, n: int) -> dict[str, Any]:
        return {"M": np.ascontiguousarray(rows).reshape(n, 2, 2)}

    monkeypatch.setattr(Compiled, "_arrays", wrong)
    with pytest.raises(DisagreementError, match=r"witness/M\[z\d, z\d\]"):
        mb.compile(PENDULUM, "M", backend="numpy")


@needs_llvm
def test_blocks_of_direct_calls_that_are_transposed(monkeypatch: pytest.MonkeyPatch) -> None:
    before = DirectFunction.evaluate

    def wrong(self: Any, operands: Any) -> Any:
        found, check = before(self, operands)
        return {name: x[:, ::-1] for name, x in found.items()}, check

    monkeypatch.setattr(DirectFunction, "evaluate", wrong)
    with pytest.raises(DisagreementError, match=r"witness/M\[z\d, z\d\]"):
        mb.compile(PENDULUM, "M", backend="llvm")


def test_accelerations_that_do_not_solve(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(self: Any, found: dict[str, Any], *_: Any) -> tuple[()]:
        found["acceleration"] = np.linalg.solve(found["M"], (found["gravity"] - found["h"])[..., None])[..., 0]
        return ()

    monkeypatch.setattr(Compiled, "_complete", wrong)
    with pytest.raises(DisagreementError, match="M acceleration"):
        mb.compile(ARM, "acceleration", backend="numpy")


def test_bounds_and_the_interpreter_are_compared_with_50_digits(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Tell, when code is made, of bounds that are too narrow and of a number that is off in all floats alike."""
    monkeypatch.setattr(bounds, "U", 2.0**-70)
    with pytest.raises(
        DisagreementError, match=r"witness/\w+: error: arithmetic of 50 digits gives .* the interpreter"
    ):
        mb.compile(ARM, formalism="lagrange", backend="numpy")
    with pytest.raises(DisagreementError, match=r"error: floats give .*, 40 digits .*; rounding explains"):
        mb.export(ARM, tmp_path, "M", formalism="lagrange")
    links = mb.compile(PANDA, "inverse_dynamics", per_link=True, backend="numpy")
    with pytest.raises(DisagreementError, match=r"inverse_dynamics\[\w+\]: error: arithmetic of 50 digits gives"):
        links(*[[[0.1] * 9]] * 2, a=[[0.1] * 9])
    monkeypatch.undo()
    honest = interpreted.in_blocks
    monkeypatch.setattr(interpreted, "in_blocks", lambda *given: honest(*given) * (1 + 1e-12))
    with pytest.raises(DisagreementError, match="arithmetic of 50 digits"):
        mb.compile(ARM, formalism="lagrange", backend="numpy")


def test_what_is_not_compared_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    off = mb.compile(PENDULUM, witness=False)
    assert f"{NOT_COMPARED}: witness=False" in [d.message for d in off.warnings]
    monkeypatch.setattr(links_witness, "MOST", 3)
    found = mb.compile(PANDA, "inverse_dynamics", per_link=True)
    assert "9 links" in found.witness.message and found.witness in found.warnings
    monkeypatch.undo()
    chain = mb.read(text=" > ".join(["z i1 $1", "x i1 $1"] * 150) + " g-y", format="mbsd")
    long = mb.compile(chain, "inverse_dynamics", per_link=True, backend="numpy")
    long(*[[[0.1] * 300]] * 2, a=[[0.1] * 300])
    assert long.witness.message.endswith("299 of these have no bound there")
    assert "witness=False" in mb.export(PENDULUM, tmp_path, "M", witness=False).witness.message
    assert mb.compile(PENDULUM).warnings == ()


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    return runner(capsys, monkeypatch, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("language", ["jax", "casadi"])
def test_signs_in_exported_modules(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, language: str) -> None:
    negative_is_lost(monkeypatch)
    words = ("export", ARM, "out", "--formalism", "lagrange", "--language", language)
    found = run(*words)
    assert found.code == 1 and "over NumPy gives" in found.err and "the interpreter" in found.err
    assert not (tmp_path / "out").exists()
    assert run(*words, "--no-witness").out.endswith(f"witness: {NOT_COMPARED}: --no-witness\n")


@pytest.mark.slow
@needs_compiler
def test_the_self_test_in_c_runs(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("export", PENDULUM, "out", "--formalism", "lagrange", "--quantity", "M")
    assert "results at 11 states are right" in run(*words).out
    monkeypatch.setattr(c_sincos, "SINE", (*c_sincos.SINE[:1], 2 * c_sincos.SINE[1], *c_sincos.SINE[2:]))
    monkeypatch.setattr(c_sincos, "COSINE", (*c_sincos.COSINE[:1], 2 * c_sincos.COSINE[1], *c_sincos.COSINE[2:]))
    found = run(*words, "--force")
    assert found.code == 1 and "expected" in found.err


@pytest.mark.parametrize("output", ["text", "python"])
def test_signs_in_printed_lists(run: Run, monkeypatch: pytest.MonkeyPatch, output: str) -> None:
    before: Callable[..., Any] = listed.to_text
    words = ("derive", PENDULUM, "--formalism", "telegin", "--output", output)
    assert run(*words).err == ""
    if output == "text":
        monkeypatch.setattr(listed, "to_text", lambda x: before(x).replace("2*Jc_2_2", "Jc_2_2"))
    else:
        monkeypatch.setattr(listed, "Python", type("Wrong", (listed.Python,), {"number": lambda *_: (0, ["1.0"])}))
    found = run(*words)
    assert found.code == 1 and f"the printed {output} gives" in found.err
    assert "not compared" in run(*words, "--no-witness").err


@pytest.mark.parametrize(("base", "value", "lost"), [("2.375", "1", "{0}"), ("3.375", "0", "1.0")])
def test_a_parameter_that_drops_out_at_its_own_value(
    monkeypatch: pytest.MonkeyPatch, base: str, value: str, lost: str
) -> None:
    model = mb.read(text=f"z i({base}^b) $1 ; b={value}", format="mbsd")
    mb.compile(model, "M", backend="python", parameters="fixed")
    for language in (code._Python, code._Scalar):
        monkeypatch.setattr(language, "power", lambda _, base, exponent: lost.format(base))
    with pytest.raises(DisagreementError, match="python gives"):
        mb.compile(model, "M", backend="python")
