"""Arguments of another kind than a method of a mechanism declares: each is refused by name, none ends inside."""

import inspect
from pathlib import Path

import numpy as np
import pytest
import sympy

import mbconcord
from mbconcord.api.request import fits
from mbconcord.model.beams import ClampedFree, bending, round_section
from mbconcord.model.diagnostics import MbconcordError

WRONG = {
    "None": None, "number": 7, "fraction": 2.5, "text": "x y", "nan": float("nan"), "truth": True,
    "path": Path("x.urdf"),
    "bytes": b"xyz", "names": ["x"], "none in a list": [None], "mapping": {"a": 1}, "mapping of numbers": {3: 4},
    "set": {1, 2, 3}, "pair": ("x", 3), "object": object(), "type": int, "array": np.zeros(2),
    "arrays": np.zeros((2, 2)),
    "matrix": sympy.zeros(2, 2), "complex": 2j, "generator": (x for x in "xy"), "nested": [[1, 2], [3]],
}  # fmt: skip
#: An argument that each name takes where another one is wrong.
RIGHT = {
    "name": "new", "on": "arm", "coordinate": "a", "first": "arm", "second": "fore", "coefficients": {"a": 1},
    "turns_with": {"a": 1}, "arguments": ["t"], "data": {"x": [0, 1], "y": [0, 1]}, "y": "y", "about": "z",
    "along": "z", "axes": "world", "modes": {"e": bending(2, ClampedFree(1))}, "section": round_section(0.01),
    "components": (0, 0, 1), "added": np.eye(6), "by": 1, "given": {},
}  # fmt: skip
OPEN = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
METHODS = {name: f for name, f in inspect.getmembers(mbconcord.Mechanism, callable) if not name.startswith("_")}
ARGUMENTS = [
    (method, p.name)
    for method, f in METHODS.items()
    for p in list(inspect.signature(f).parameters.values())[1:]
    if p.kind not in OPEN
]


#: Where a method takes another value than most, or needs an argument that has a default.
OF_ONE = {
    "body": {"about": "com"}, "gravity": {"magnitude": 9.8, "along": "-z"},
    "coordinate": {"coordinate": "new"}, "point": {"body": "arm"},
    "slides": {"coordinate": "c", "along": "z"}, "turns": {"coordinate": "c", "about": "z"}, "table": {"y": "y"},
    "normal_force": {"of": "arm"}, "drive": {"effort": 1}, "stop": {"law": "kelvin_voigt", "lower": -1},
    "contact": {"law": "kelvin_voigt"}, "rope": {"law": "kelvin_voigt"}, "rolling": {"on": "fore", "radius": 1},
}  # fmt: skip


def call(method, wrong):
    """Call a method of a new mechanism with arguments that it takes, but for those given; then build."""
    made = mbconcord.Mechanism("two").body("arm", mass=1).turns("a", about="z").body("fore", on="arm", mass=1)
    made.shift(1).turns("b", about="z")
    by_place, by_name = [], {}
    for p in list(inspect.signature(METHODS[method]).parameters.values())[1:]:
        if p.kind not in OPEN:
            default = RIGHT.get(p.name, 1) if p.default is p.empty else p.default
            value = {**OF_ONE.get(method, {}), **wrong}.get(p.name, default)
            by_place += [value] * (p.kind is p.POSITIONAL_ONLY)
            by_name |= {p.name: value} if p.kind is not p.POSITIONAL_ONLY else {}
    by_name |= {"k": 1} if method in ("stop", "contact", "rope") else {}
    found = getattr(made, method)(*by_place, **by_name)
    if method == "coordinate":
        made.slides(along="x", map="new")
    return found if method == "build" else made.build()


@pytest.mark.parametrize("method", METHODS)
def test_method_takes_what_the_walk_gives(method):
    call(method, {})


@pytest.mark.parametrize(("method", "argument"), ARGUMENTS)
def test_wrong_kinds_are_refused_and_not_met_inside(method, argument):
    for words, value in WRONG.items():
        try:
            call(method, {argument: value})
        except MbconcordError:
            continue
        except Exception as problem:
            pytest.fail(f"{method}({argument}={words}): {type(problem).__name__}: {problem}")


def is_declared(method, argument):
    """Return True if the annotation says all: an amount, and what is read item by item, is judged where it is read."""
    return not fits(object(), str(inspect.signature(METHODS[method]).parameters[argument].annotation))


@pytest.mark.parametrize(("method", "argument"), [pair for pair in ARGUMENTS if is_declared(*pair)])
def test_text_is_never_another_kind(method, argument):
    for value in (7, object(), b"x", Path("x")):
        with pytest.raises(MbconcordError, match=argument):
            call(method, {argument: value})


def test_name_of_a_mechanism_is_text():
    with pytest.raises(MbconcordError, match="name: found int 7"):
        mbconcord.Mechanism(7)


def test_one_argument_of_a_function_is_one_name():
    made = mbconcord.Mechanism("m").function("lift", "time", "2*time").build()
    assert made.functions[0].arguments == ("time",)


def test_keys_of_a_mapping_are_no_components():
    made = mbconcord.Mechanism("m").parameters(x=1, y=2, z=3)
    with pytest.raises(MbconcordError, match="expected several numbers"):
        made.body("b", mass=1, com={"x": 3, "y": 1, "z": 2})


def is_open(method):
    """Return True if the method takes any keyword."""
    return any(p.kind is p.VAR_KEYWORD for p in inspect.signature(METHODS[method]).parameters.values())


@pytest.mark.parametrize("method", [name for name in METHODS if not is_open(name)])
def test_a_keyword_that_there_is_not_is_told_with_those_that_there_are(method):
    known = [p for p in inspect.signature(METHODS[method]).parameters if p != "self"]
    with pytest.raises(TypeError, match=rf"{method}\(\) takes no tensr= \(.*{known[0] if known else ''}"):
        getattr(mbconcord.Mechanism("m"), method)(tensr=1)
