"""The third place of a function of states is nobody's: accelerations are ``a=``, the time is ``t=``."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import mbconcord as mb
from mbconcord.api.compiling.links import LinkArrays
from mbconcord.fixtures import folder

UR5 = folder() / "robots" / "ur5.mbsd"


@cache
def whole() -> mb.results.Compiled:
    return mb.compile(UR5, "inverse_dynamics", "newton_euler", backend="numpy")


@cache
def links() -> mb.results.Compiled:
    made = mb.compile(UR5, "inverse_dynamics", per_link=True)
    assert type(made.arrays) is LinkArrays
    return made


def of_states() -> list[Any]:
    """Return every public function with an argument q, and what they give that is called with states."""
    found = [getattr(mb, name) for name in dir(mb) if not name.startswith("_")]
    functions = [
        f for f in found if inspect.isfunction(f) and "q" in inspect.signature(f).parameters and f is not mb.own
    ]
    return [*functions, mb.results.Compiled.__call__, LinkArrays.__call__]


@pytest.mark.parametrize("function", of_states(), ids=lambda f: f.__qualname__)
def test_only_q_and_v_of_a_state_have_places(function: Callable[..., Any]) -> None:
    known = inspect.signature(function).parameters.values()
    places = [p.name for p in known if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    leading = [name for name in places if name not in ("self", "model", "until")]
    assert leading in (["q"], ["q", "v"]) or not {"q", "v"} & {*leading}
    if "q" in places:
        named = next(p.name for p in known if p.name in ("t", "a"))
        with pytest.raises(TypeError, match=f"expected at most .*name the others: .*{named}= "):
            function(*[None] * (len(places) + 1))


@pytest.mark.parametrize("function", [*of_states(), mb.check, mb.compare], ids=lambda f: f.__qualname__)
def test_a_keyword_that_is_not_there_is_named_with_the_function(function: Callable[..., Any]) -> None:
    """It named the class of the request, ``CheckRequest.__init__``."""
    if any(p.kind is p.VAR_KEYWORD for p in inspect.signature(function).parameters.values()):
        pytest.skip("it takes any keyword")
    with pytest.raises(TypeError, match=rf"^{function.__qualname__}\(\) .*formlism"):
        function("z j-1 $1 g", formlism="lagrange")


@pytest.mark.parametrize(
    "choose",
    [whole, lambda: whole().arrays, lambda: whole().arrays.bind, links, lambda: links().arrays],
    ids=["compiled", "arrays", "bind", "links", "arrays of links"],
)
def test_third_array_is_refused_and_accelerations_are_named(choose: Callable[[], Callable[..., Any]]) -> None:
    call = choose()
    q, v, a = np.random.default_rng(1).uniform(-1, 1, (3, 6))
    with pytest.raises(TypeError, match=r"name the others: .*a="):
        call(q, v, a)
    with pytest.raises(TypeError, match=r"(?i)multiple values|twice"):
        call(q, v, q=q, a=a)
    assert call(q, v, a=a) is not None


def test_place_of_an_operand_that_is_not_needed_is_nobodys() -> None:
    """The acceleration of a slider needs no rates: its second place was once that of the accelerations."""
    k = mb.compile(mb.read(text="u $2", format="mbsd"), "inverse_dynamics", backend="numpy").arrays
    assert k(a=[3.0]).tolist() == [6.0]
    with pytest.raises(mb.MbconcordError, match="expected a, found 1: q"):
        k([3.0])


def test_generated_code_refuses_the_places_of_the_compiled_equations() -> None:
    made: dict[str, Any] = {}
    exec(mb.derive(UR5, "newton_euler").render("python", ["inverse_dynamics"]), made)
    q, v, a = np.random.default_rng(1).uniform(-1, 1, (3, 6))
    found = made["quantities"](0.0, q, v, a)["inverse_dynamics"]
    assert np.allclose(found, whole()(q, v, a=a)["inverse_dynamics"])
    with pytest.raises(TypeError, match="t a number"):
        made["quantities"](q, v, a)
