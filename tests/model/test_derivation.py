"""What a derivation may hold: quantities of known names, of the model's shape, over the model's symbols."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mbconcord import read
from mbconcord.formalisms import registry
from mbconcord.model import Body, Coordinate, Function, Parameter, System, rotation
from mbconcord.model.derivation import QUANTITIES, Assignment, Derivation, Lazy, LazySequence, Stage
from mbconcord.model.diagnostics import FormalismError
from mbconcord.model.expressions import PI_NODE, TIME, ZERO, Expression, call, number, rate, sin, symbol, symbols
from mbconcord.model.expressions.traversal import topological, unknowns
from mbconcord.model.notation.listing import Listing

FIXTURES = Path(__file__).parents[2] / "fixtures" / "mbsd"
A, B = symbol("a"), symbol("b")
V, W = rate("a"), rate("a", 2)
SYSTEM = System(
    "two turns",
    (Coordinate("a"), Coordinate("b")),
    (Parameter("m", number(2)),),
    (Function("f", ("x",), symbol("x") ** 2), Function("g", ("x", "y"))),
    bodies=(Body("one", None, (rotation("z", "a"),)), Body("two", "one", (rotation("z", "b"),))),
)
ROW = (A, B)

GOOD: list[Mapping[str, Any]] = [
    {},
    {"M": ((A, B), (B, ZERO)), "h": (V * V, TIME), "acceleration": (PI_NODE, symbol("m"))},
    {"h": (call("f", [A]), call("g", [A, B], (1, 0)))},
    {"inverse_dynamics": (W * A, rate("b", 2))},
    {"inverse_dynamics": (W, A), "gravity": ROW},
    {name: (ROW, ROW) if name == "M" else ROW for name in QUANTITIES},
]

#: Quantities, the place and what the message says.
BAD: list[tuple[Mapping[str, Any], str, str]] = [
    ({"nonsense": ROW}, "hand/nonsense", "no quantity 'nonsense'"),
    ({"m": (ROW, ROW)}, "hand/m", "no quantity 'm'"),
    ({"M": ROW}, "hand/M", "2 expressions for a model of 2 coordinates, where 2 rows of 2 expressions are expected"),
    ({"M": ((A,),)}, "hand/M", "1 row of 1 expression for"),
    ({"M": (ROW, (A,))}, "hand/M", "a tuple of 2 expressions, 1 expression for"),
    ({"M": (ROW, ROW, ROW)}, "hand/M", "3 rows of 2 expressions for"),
    ({"M": [ROW, ROW]}, "hand/M", "a list for"),
    ({"M": ((ROW, ROW), (ROW, ROW))}, "hand/M", "2 rows of 2 rows of 2 expressions for"),
    *[
        ({name: value}, f"hand/{name}", said)
        for name in QUANTITIES
        if name != "M"
        for value, said in (
            ((A,), "1 expression for a model of 2 coordinates, where 2 expressions are expected"),
            ((ROW, ROW), "2 rows of 2 expressions for"),
            ((), "empty for"),
            (A, "one expression for"),
            ((A, 1.0), "a tuple of one expression, a float for"),
            ((A, symbol("l")), "it uses l, which the model does not have"),
            ((A, sin(symbol("l'") * B) + symbol("k")), "it uses k, l', which"),
            ((A, call("u", [A])), "it uses u() of 1 argument, which"),
            ((A, call("f", [A, B])), "it uses f() of 2 arguments, which"),
            ((A, rate("a", 3)), "it uses a''', which"),
        )
    ],
    *[
        ({name: (W, A)}, f"hand/{name}", "it uses a'', which the model does not have; q'' stands in")
        for name in ("h", "gravity", "applied", "acceleration")
    ],
    ({"inverse_dynamics": (W, A), "h": (W, A)}, "hand/h", "it uses a''"),
    ({"h": ROW, "gravity": (A, symbol("k"))}, "hand/gravity", "it uses k"),
]


@pytest.mark.parametrize("quantities", GOOD)
def test_what_fits_is_taken(quantities: Mapping[str, Any]) -> None:
    made = Derivation("hand", SYSTEM, quantities)
    assert made.quantities == quantities


@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize(("quantities", "place", "said"), BAD)
def test_what_does_not_fit_is_refused(quantities: Mapping[str, Any], place: str, said: str, lazy: bool) -> None:
    """At once; a quantity that is made when it is asked for, then."""
    given = Lazy({name: lambda value=value: value for name, value in quantities.items()}) if lazy else quantities
    with pytest.raises(FormalismError) as caught:
        made = Derivation("hand", SYSTEM, given)
        assert lazy
        for name in made.quantities:
            _ = made.quantities[name]
    assert [d.place for d in caught.value.diagnostics] == [place]
    assert said in caught.value.diagnostics[0].message


def test_all_findings_come_at_once() -> None:
    with pytest.raises(FormalismError) as caught:
        Derivation("hand", SYSTEM, {"h": (A,), "gravity": (B,)})
    assert [d.place for d in caught.value.diagnostics] == ["hand/h", "hand/gravity"]


def test_nothing_is_made_before_it_is_asked_for() -> None:
    def never() -> Any:
        raise AssertionError

    made = Derivation("hand", SYSTEM, Lazy({"h": lambda: ROW, "M": never}))
    assert made.quantities["h"] == ROW
    again = replace(made, formalism="other")
    assert again.quantities["h"] is made.quantities["h"]
    joined = Lazy({"h": lambda: ROW, "M": never}) | {"h": (B,), "D": ((A,),)}
    assert list(joined) == ["h", "M", "D"] and joined["h"] == (B,) and joined["D"] == ((A,),)


def _turning(*names: str) -> System:
    """The same with joints along these coordinates."""
    bodies = tuple(Body(name, None, (rotation("z", name),)) for name in names)
    return replace(SYSTEM, coordinates=tuple(map(Coordinate, names)), bodies=bodies)


WIDER = replace(SYSTEM, parameters=(*SYSTEM.parameters, Parameter("k", number(3))))
FULL = {"h": (V + symbol("m"), call("f", [A])), "gravity": ROW}


@pytest.mark.parametrize("lazy", [False, True])
def test_what_was_checked_is_not_walked_over_again_where_the_model_knows_as_much(
    lazy: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = Lazy({name: lambda value=value: value for name, value in FULL.items()}) if lazy else FULL
    made = Derivation("hand", SYSTEM, given)
    assert dict(made.quantities) == FULL
    monkeypatch.setattr("mbconcord.model.checks.model.unknowns", lambda *_: pytest.fail("walked over"))
    for system in (SYSTEM, WIDER):
        assert dict(replace(made, system=system, rows=("row",)).quantities) == FULL


@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize(
    ("system", "said"),
    [
        (replace(SYSTEM, parameters=()), "it uses m"),
        (replace(SYSTEM, functions=SYSTEM.functions[1:]), "it uses f() of 1 argument"),
        (_turning("b", "c"), "it uses a, a'"),
        (_turning("a", "b", "c"), "for a model of 3 coordinates"),
    ],
)
def test_what_was_checked_is_refused_of_a_model_that_knows_less(system: System, said: str, lazy: bool) -> None:
    given = Lazy({name: lambda value=value: value for name, value in FULL.items()}) if lazy else FULL
    made = Derivation("hand", SYSTEM, given)
    assert dict(made.quantities) == FULL
    with pytest.raises(FormalismError) as caught:
        _ = replace(made, system=system).quantities["h"]
    assert said in caught.value.diagnostics[0].message


def test_what_was_changed_since_it_was_checked_is_checked_again() -> None:
    made = Derivation("hand", SYSTEM, FULL)
    made.quantities["h"] = (symbol("k"), A)  # type: ignore[index]
    with pytest.raises(FormalismError, match="it uses k"):
        replace(made, rows=("row",))


@pytest.mark.parametrize("look", [len, list, lambda stages: stages[0], lambda stages: stages[-1:]])
def test_stages_are_made_once_when_they_are_looked_at(look: Callable[[Any], Any]) -> None:
    stages, made = (Stage("I", "", (Assignment("s", A),)),), list[str]()

    def make() -> tuple[Stage, ...]:
        made.append("made")
        return stages

    derivation = Derivation("hand", SYSTEM, {"h": ROW}, LazySequence(make))
    assert made == []
    assert look(derivation.stages) == look(stages) and derivation.assignments == stages[0].assignments
    assert made == ["made"]


@pytest.mark.parametrize("n", [0, 1, 3])
def test_the_shape_is_the_models(n: int) -> None:
    names = [f"q{i}" for i in range(n)]
    bodies = tuple(Body(f"b{i}", None, (rotation("z", name),)) for i, name in enumerate(names))
    system = System("any", tuple(map(Coordinate, names)), bodies=bodies)
    row = tuple(map(symbol, names))
    Derivation("hand", system, {"M": (row,) * n, "h": row})
    for wrong in ({"M": (row,) * (n + 1)}, {"h": (*row, ZERO)}):
        with pytest.raises(FormalismError):
            Derivation("hand", system, wrong)


def listing(*lines: tuple[str, Expression], h: Expression = A) -> Listing:
    return Listing("hand", SYSTEM, {"h": (h, B)}, (Stage("I", "", tuple(Assignment(*x) for x in lines)),))


def test_lines_of_a_listing_are_symbols_of_those_after_them() -> None:
    x, y = symbol("x"), symbol("y")
    listing(("x", sin(A)), ("y", x * W), h=y + A)
    for wrong, place, said in (
        (lambda: listing(("y", x * B), ("x", sin(A)), h=y), "hand/y", "it uses x, which neither"),
        (lambda: listing(("x", A * B), ("x", sin(A))), "hand/x", "'x' is a name already"),
        (lambda: listing(("m", A * B)), "hand/m", "'m' is a name already"),
        (lambda: listing(("x", A * B), h=y), "hand/h", "it uses y"),
    ):
        with pytest.raises(FormalismError) as caught:
            wrong()
        assert [d.place for d in caught.value.diagnostics] == [place]
        assert said in caught.value.diagnostics[0].message


def test_names_of_a_derivation_are_no_symbols() -> None:
    with pytest.raises(FormalismError):
        Derivation("hand", SYSTEM, {"h": (symbol("x"), B)}, (Stage("I", "", (Assignment("x", sin(A)),)),))


@pytest.mark.parametrize("name", registry.names())
@pytest.mark.parametrize("model", ["double_pendulum", "u_z-jg", "springs"])
def test_every_formalism_delivers_what_fits(name: str, model: str) -> None:
    """And it is the check that would tell: in a model that lacks one of the symbols the same equations are refused."""
    system = read(FIXTURES / f"{model}.mbsd").system
    found = registry.formalism(name).derive(system)
    outputs = found.outputs()
    assert {x for x in topological(outputs) if x.op in ("sym", "call")} == set(unknowns(outputs))
    joints = (rotation("z", n) for n in system.coordinate_names)
    bodies = tuple(Body(f"b{i}", None, (joint,)) for i, joint in enumerate(joints))
    bare = System("bare", system.coordinates, (), system.functions, bodies=bodies)
    used = symbols(outputs) & {p.name for p in system.parameters}
    assert used
    Derivation(name, replace(bare, parameters=tuple(map(Parameter, used))), dict(found.quantities))
    for missing in used:
        less = replace(bare, parameters=tuple(Parameter(n) for n in used if n != missing))
        with pytest.raises(FormalismError, match=f"it uses {missing}, which"):
            Derivation(name, less, dict(found.quantities))
