"""Names of intermediates: one for each, none twice, none of the model."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import mbconcord.formalisms
from mbconcord.model.derivation import Assignment
from mbconcord.model.expressions import Expression, cos, number, symbol
from mbconcord.model.naming import Namer

X, Y = symbol("x"), symbol("y")


@pytest.mark.parametrize(
    ("taken", "wanted", "given"),
    [
        ((), ["a", "b"], ["a", "b"]),
        (("a",), ["a", "b"], ["a_", "b"]),
        (("a", "a_"), ["a"], ["a__"]),
        ((), ["a", "a", "a"], ["a", "a_", "a__"]),
        (("a_",), ["a", "a"], ["a", "a__"]),
        ((), ["a_", "a", "a"], ["a_", "a", "a__"]),
    ],
)
def test_a_name_is_of_one_thing(taken: tuple[str, ...], wanted: list[str], given: list[str]) -> None:
    namer = Namer(taken)
    assert [namer.fresh(name) for name in wanted] == given


@pytest.mark.parametrize(
    ("x", "worth"),
    [(X, False), (-X, False), (number(2), False), (cos(number(2)), False), (X + Y, True), (cos(X), True)],
)
def test_numbers_and_symbols_keep_their_own_names(x: Expression, worth: bool) -> None:
    assert (Namer(()).name("a", x) == "a") is worth


def test_an_expression_has_its_first_name() -> None:
    namer = Namer(["c"])
    items = [("a", X + Y), ("b", X + Y), ("c", X * Y), ("c", cos(X)), ("d", -(X * Y)), ("e", -cos(Y)), ("f", cos(Y))]
    assert namer.assignments(items) == (
        Assignment("a", X + Y),
        Assignment("c_", X * Y),
        Assignment("c__", cos(X)),
        Assignment("e", -cos(Y)),
    )
    assert list(namer.found.values()) == ["a", "c_", "c__", "e"]


def test_signs_may_tell_expressions_apart() -> None:
    namer = Namer((), signed=True)
    items = [("a", X * Y), ("b", -(X * Y)), ("c", X * Y)]
    assert [a.name for a in namer.assignments(items)] == ["a", "b"]


def test_what_is_worth_a_name_is_asked_without_the_sign() -> None:
    asked: list[Expression] = []
    Namer((), lambda x: bool(asked.append(x))).name("a", -(X * Y))
    assert asked == [X * Y]


@pytest.mark.slow
def test_formalisms_have_no_rule_of_their_own() -> None:
    """An underscore is put to a name in one place."""
    for path in Path(mbconcord.formalisms.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.AugAssign):
                assert not (isinstance(node.value, ast.Constant) and node.value.value == "_"), path.name
