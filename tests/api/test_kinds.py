"""Arguments of another kind than a public function declares: each ends in an error of ours, with place and remedy."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbconcord as mb
from mbconcord.api.request import fits

ARM = mb.read(text="z(q) i1 $1 g9.81-y", format="mbsd")
WRONG: tuple[Any, ...] = (
    5, -1, True, 2.5, float("nan"), None, "", "nonsense", b"q", [], [1], ["nonsense"], ["M", "M"], [[1, 2], [3]], {1},
    {1: 2}, {"q": "a"}, {"q": None}, object(), np.array([1.0, 2.0]), np.array([["a"]]),
)  # fmt: skip
#: Function -> arguments with which it takes little time.
CALLS: dict[str, dict[str, Any]] = {
    "assemble": {},
    "compile": {"backend": "numpy", "witness": False, "quantities": "acceleration"},
    "convert": {"to": "urdf"},
    "derive": {},
    "ensemble": {"states": None, "until": 0.02, "step": 0.01, "witness": False, "backend": "numpy"},
    "equilibrium": {"witness": False},
    "evaluate": {"witness": False},
    "export": {"folder": "out", "quantities": "M", "witness": False},
    "linearize": {"witness": False},
    "simulate": {"until": 0.01, "witness": False},
}


def list_arguments() -> Iterator[tuple[str, str]]:
    for name in CALLS:
        known = list(inspect.signature(getattr(mb, name)).parameters)
        yield from ((name, argument) for argument in known[1:])


@pytest.mark.parametrize(("name", "argument"), [*list_arguments()])
def test_a_wrong_kind_is_refused_and_not_met_inside(
    name: str, argument: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    annotation = str(inspect.signature(getattr(mb, name)).parameters[argument].annotation)
    for value in WRONG:
        given = {**CALLS[name], argument: value}
        if fits(value, annotation):
            try:
                getattr(mb, name)(ARM, **given)
            except mb.MbconcordError:
                continue
            except Exception as problem:
                pytest.fail(f"{name}({argument}={value!r}): {type(problem).__name__}: {problem}")
        else:
            with pytest.raises(mb.MbconcordError, match=rf"^{name}: error: {argument}: found .* \(expected "):
                getattr(mb, name)(ARM, **given)


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("compile", {"actuated": 5}, "compile: error: actuated: found int 5 (expected text or a list of"),
        ("compile", {"actuated": [1]}, "compile: error: actuated: found list [1] (expected text or a list"),
        ("simulate", {"tolerance": "a"}, "simulate: error: tolerance: found str 'a' (expected a number or"),
        ("equilibrium", {"steady": {"q'": "a"}}, "equilibrium: error: steady: found dict"),
        ("assemble", {"others": -1}, "others: error: found -1 (give 0 or more)"),
        ("own", {"coordinates": {"q": 1}}, "own: error: coordinates: found dict {'q': 1} (expected"),
    ],
)
def test_the_message_names_argument_and_kind(name: str, given: dict[str, Any], said: str) -> None:
    with pytest.raises(mb.MbconcordError) as problem:
        getattr(mb, name)(ARM, **given)
    assert str(problem.value).startswith(said)


@pytest.mark.parametrize(
    ("value", "annotation"),
    [
        (np.float64(1), "float"), (np.array(1.0), "float | None"), (np.int64(2), "int"), (np.True_, "bool"),
        (np.array(["a", "b"]), "str | Sequence[str]"), (("a",), "Iterable[str]"), (Path("x"), "str | PathLike[str]"),
        (chain("ab"), "str | Iterable[str]"), ({"m": 2}, "Parameters | None"), (3, "States | None"),
    ],
)  # fmt: skip
def test_what_serves_is_taken(value: Any, annotation: str) -> None:
    assert fits(value, annotation)
