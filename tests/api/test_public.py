"""The names at top level: lazy, typed, documented, and their examples true."""

from __future__ import annotations

import ast
import doctest
import inspect
import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import mbconcord
from mbconcord import results

#: Results that have no forces left out, with the reason.
WITHOUT_FORCES = {"Assembled": "positions alone", "Conversion": "what a format cannot hold is a loss"}
#: Results whose methods have examples.
RESULTS = ("Comparison", "Equations", "Numbers")
STUB = Path(mbconcord.__file__).with_suffix(".pyi")
FUNCTIONS = (
    "assert_agrees",
    "assert_same_machine",
    "base_parameters",
    "certify",
    "check",
    "compare",
    "compare_pairs",
    "compile",
    "convert",
    "derive",
    "equilibrium",
    "evaluate",
    "linearize",
)


def stubbed() -> dict[str, str]:
    """Names and modules of the stub that type checkers read."""
    return {
        alias.asname or "": node.module or ""
        for node in ast.parse(STUB.read_text("utf-8")).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def test_type_checkers_see_what_is_imported() -> None:
    assert stubbed() == mbconcord._PUBLIC | dict.fromkeys(mbconcord._MODULES, "")
    for name in mbconcord._PUBLIC:
        assert getattr(mbconcord, name).__name__ == name
    assert {*mbconcord._PUBLIC, *mbconcord._MODULES, "__version__"} == set(dir(mbconcord)) and len(dir(mbconcord)) <= 30
    with pytest.raises(AttributeError, match="no attribute 'chek'"):
        _ = mbconcord.chek


def test_every_result_says_what_is_left_out_of_its_numbers() -> None:
    """A result has ``left_out``, and its line names it; or a reason is listed."""
    found = {name: getattr(results, name) for name in dir(results) if isinstance(getattr(results, name), type)}
    said = {name for name, c in found.items() if hasattr(c, "left_out") or "left_out" in c.__dataclass_fields__}
    assert found.keys() - said == WITHOUT_FORCES.keys()


def test_importing_loads_nothing() -> None:
    heavy = "m.partition('.')[0] in ('mbconcord', 'numpy', 'pandas')"
    code = f"import sys, mbconcord; print(*(m for m in sys.modules if {heavy}))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert found.split() == ["mbconcord"]


@pytest.mark.slow
def test_tables_alone_load_pandas() -> None:
    code = (
        "import sys, mbconcord as mb; r = mb.read(text='z i2 $3 g', format='mbsd'); mb.check(r, states=1);"
        "mb.compile(r)([0.0])._repr_html_ and print('pandas' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert found.split() == ["False"]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_says_everything(name: str) -> None:
    """Each parameter, what it raises, and an example that runs."""
    function = getattr(mbconcord, name)
    text = inspect.getdoc(function) or ""
    for section in ("Parameters\n---", "Raises\n---", "Examples\n---"):
        assert section in text
    listed = text.partition("Parameters\n")[2].partition("\n\n")[0]
    for parameter in inspect.signature(function).parameters:
        assert parameter in listed, parameter


@pytest.mark.parametrize("name", [*FUNCTIONS, "Mechanism", *RESULTS])
def test_examples_of_docstrings_are_true(name: str) -> None:
    found = getattr(results if name in RESULTS else mbconcord, name)
    members = [found, *(vars(found).values() if inspect.isclass(found) else ())]
    tried = 0
    for member in members:
        for test in doctest.DocTestFinder(recurse=False).find(member, name, globs={}) if callable(member) else ():
            result = doctest.DocTestRunner(verbose=False).run(test)
            tried += result.attempted
            assert not result.failed
    assert tried


@pytest.mark.parametrize("name", [n for n in (*stubbed(), *vars(results)) if n[0].isupper()])
def test_public_methods_are_documented(name: str) -> None:
    bare = [
        n
        for n, x in inspect.getmembers(getattr(mbconcord, name, getattr(results, name, None)), inspect.isfunction)
        if n[0] != "_" and not x.__doc__
    ]
    assert bare == []


#: Functions and methods that take names.
TAKERS = [getattr(mbconcord, name) for name in mbconcord._PUBLIC if callable(getattr(mbconcord, name))]
TAKERS += [results.Linearization.abcd]


def test_whatever_takes_names_takes_one_string_as_one_name() -> None:
    """Letters of a string are no names."""
    found = [
        f"{function.__qualname__}({p.name}: {p.annotation})"
        for function in TAKERS
        for p in inspect.signature(function).parameters.values()
        if re.search(r"(Iterable|Sequence|Collection)\[str\b", str(p.annotation))
        and not str(p.annotation).startswith("str |")
        and p.name != "findings"
    ]
    assert not found


def test_one_string_is_one_name() -> None:
    model = mbconcord.Mechanism("m")
    for name, along in {"x": "x", "y": "y", "xy": "z"}.items():
        model = model.body(f"body of {name}", on=None, mass=1).slides(name, along=along)
    near = mbconcord.linearize(model, inputs="xy", witness=False)
    found = near.abcd(inputs="xy", outputs="xy'")
    assert (found.inputs, found.outputs) == (("xy",), ("xy'",)) and found.C.shape == (1, 6)
    at = {"q": [0, 0, 0], "v": [0, 0, 0]}
    for refused, said in {
        partial(mbconcord.linearize, hold="yx"): "no such coordinate 'yx'",
        partial(mbconcord.linearize, independent="yx"): "no such coordinate 'yx'",
        partial(mbconcord.equilibrium, hold="yx"): "no such coordinate 'yx'",
        partial(mbconcord.assemble, hold="yx"): "no such coordinate 'yx'",
        partial(mbconcord.check, claims="al", states=1): "there is no claim 'al'",
        partial(mbconcord.check, formalisms="lagrang", states=1): "lagrang",
        partial(mbconcord.evaluate, **at, a={"x": 1.0, "y": 1.0}, hold="xy", driven="yx"): "no acceleration of yx",
        partial(mbconcord.simulate, until=0.1, stops="xy - w"): "w",
    }.items():
        with pytest.raises(mbconcord.MbconcordError, match=rf"\b{said}"):
            refused(model)


def arm() -> mbconcord.Mechanism:
    return mbconcord.Mechanism("arm").gravity(y=-9.81).body("a", mass=1, inertia=(1, 1, 1)).turns("q", about="z")


#: Public function -> a call with a model.
OF_MODELS: dict[str, Callable[[Any], object]] = {
    "animate": mbconcord.animate,
    "assemble": mbconcord.assemble,
    "assert_agrees": lambda model: mbconcord.assert_agrees(model, states=1),
    "assert_same_machine": lambda model: mbconcord.assert_same_machine(model, model, states=1),
    "base_parameters": mbconcord.base_parameters,
    "certify": lambda model: mbconcord.certify(model, formalisms="lagrange"),
    "check": lambda model: mbconcord.check(model, states=1),
    "compare": lambda model: mbconcord.compare(model, model, states=1),
    "compile": mbconcord.compile,
    "convert": lambda model: mbconcord.convert(model, to="urdf"),
    "derive": mbconcord.derive,
    "ensemble": lambda model: mbconcord.ensemble(model, [[0.1, 0.0]], 0.02, 0.01, witness=False),
    "equilibrium": mbconcord.equilibrium,
    "evaluate": mbconcord.evaluate,
    "export": lambda model: mbconcord.export(model, "out", "M"),
    "linearize": mbconcord.linearize,
    "simulate": lambda model: mbconcord.simulate(model, 0.01),
    "states": lambda model: mbconcord.strategies.states(model).example(),
    "try_faults": lambda model: mbconcord.testing.try_faults("lagrange", [], [model]),
    "write": lambda model: mbconcord.write(model, "urdf"),
}
#: Those of files and of others' equations -> what they say of a model.
OF_FILES: dict[str, tuple[Callable[[Any], object], str]] = {
    "compare_pairs": (
        lambda model: mbconcord.compare_pairs([(model, model)]),
        r"pairs/1: error: found \w+, expected paths of two files .mbconcord.compare compares models",
    ),
    "own": (mbconcord.own, r"own: error: found \w+ .expected KanesMethod"),
    "read": (mbconcord.read, r"source: error: found \w+, expected a path .give a model as it is"),
}
BUILT = (arm, lambda: arm().build(), lambda: mbconcord.read(text="z(q) i1 $1 g9.81-y", format="mbsd"))


def test_every_public_function_is_called_with_a_model() -> None:
    functions = {name for name in mbconcord._PUBLIC if not inspect.isclass(getattr(mbconcord, name))}
    assert functions == (OF_MODELS.keys() - {"states", "try_faults"}) | OF_FILES.keys()


@pytest.mark.filterwarnings("ignore::hypothesis.errors.NonInteractiveExampleWarning")
@pytest.mark.parametrize("build", BUILT, ids=["Mechanism", "System", "Reading"])
@pytest.mark.parametrize("name", OF_MODELS)
def test_it_takes_a_mechanism_a_system_and_what_was_read(
    name: str, build: Callable[[], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    OF_MODELS[name](build())


@pytest.mark.parametrize("build", BUILT, ids=["Mechanism", "System", "Reading"])
@pytest.mark.parametrize("name", OF_FILES)
def test_what_is_of_files_says_so_of_a_model(name: str, build: Callable[[], object]) -> None:
    call, said = OF_FILES[name]
    with pytest.raises(mbconcord.MbconcordError, match=said):
        call(build())


def test_write_says_what_to_do_with_a_path() -> None:
    with pytest.raises(mbconcord.MbconcordError, match=r"model: error: found str, .*mbconcord.convert converts one"):
        mbconcord.write("arm.urdf", "mjcf")  # type: ignore[arg-type]
