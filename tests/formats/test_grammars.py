"""The tables that are shipped are those of the grammars, and their parsers are those that Lark builds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import lark
import pytest
from lark import Lark
from lark.exceptions import UnexpectedInput
from lark.grammar import Rule
from lark.lexer import TerminalDef

from mbconcord.model.expressions import grammars
from mbconcord.model.expressions.grammars import Grammar

from .grammars import GRAMMARS, text

#: A text of each grammar, and one that it refuses.
TEXTS = {
    "formula": ("2 sin f^2 x - JK'(t)/(1 + a_1)", "2 + * 3"),
    "mbsd": ("z(q)i(L) > zi' \\ #a (x$2)^3 g9.81-y ; L=2, f(t) = t^2", "zi > > $"),
    "um expressions": ('sqr(a) + 2*b^2 - coordinate("x", 1)', "a + )"),
    "matlab": ("function M = f(a)\nM = [a(1,:),2.*a'; -a.^-2];", "M = = 1"),
    "um equations in cplusplus": ("void f(double a) { a = 1.5*cos(a); }", "void f( {"),
    "um equations in pascal": ("a := 1.5*cos(b);", "a := := ;"),
}


@pytest.fixture
def never_built(monkeypatch: pytest.MonkeyPatch) -> None:
    def build(self: Grammar) -> Lark:
        raise AssertionError("a parser was built from its grammar")

    monkeypatch.setattr(Grammar, "build_parser", build)


def test_every_grammar_is_in_the_table() -> None:
    shipped = {
        p.relative_to(p.parents[2])
        for part in ("model", "converters", "validation")
        for p in root(part).rglob("*.lark")
    }
    assert len(shipped) == 7, "tests/formats/grammars.py lists what is made of these files"
    assert TEXTS.keys() == GRAMMARS.keys()


def root(part: str) -> Path:
    return Path(__file__).parents[2] / part


@pytest.mark.parametrize("name", GRAMMARS)
def test_stored_tables_are_those_of_the_grammar(name: str) -> None:
    grammar = GRAMMARS[name]
    if not lark.__version__.startswith("1.3."):
        pytest.skip("the stored tables are those of Lark 1.3; another series builds its own")
    assert grammar.tables_file.read_text("utf-8") == text(grammar), "make tables"


@pytest.mark.parametrize("name", GRAMMARS)
def test_a_parser_is_loaded_and_parses_as_the_built_one(name: str, never_built: None) -> None:
    grammar = GRAMMARS[name]
    loaded = grammar.parser()
    built = Lark(grammar.text, parser="lalr", lexer="contextual", start=grammar.start, maybe_placeholders=False)
    right, wrong = TEXTS[name]
    assert loaded.parse(right) == built.parse(right)
    expected = []
    for parser in (loaded, built):
        with pytest.raises(UnexpectedInput) as caught:
            parser.parse(wrong)
        expected.append((type(caught.value), caught.value.pos_in_stream, _wanted(caught.value)))
    assert expected[0] == expected[1]
    tables, memo = loaded.memo_serialize([TerminalDef, Rule])
    states = tables["parser"]["parser"]["states"]
    assert all(isinstance(n, int) for n in (*states, *memo, *(token for row in states.values() for token in row)))


def _wanted(problem: UnexpectedInput) -> set[str]:
    return set(getattr(problem, "accepts", None) or getattr(problem, "allowed", ()))


@pytest.mark.parametrize("other", ["grammar", "series"])
def test_tables_of_another_grammar_or_another_lark_are_not_used(
    other: str, never_built: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    grammar = GRAMMARS["um expressions"]
    if other == "grammar":
        grammar = replace(grammar, text=grammar.text + "\n")
    else:
        monkeypatch.setattr(grammars.lark, "__version__", "1.4.0")
    with pytest.raises(AssertionError, match="built from its grammar"):
        grammar.parser()
