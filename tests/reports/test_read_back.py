"""What is printed in a notation that this project reads, text and JSON, is read back to the very nodes of the graph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import pytest

from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.formalisms.interface import Formalism
from mbconcord.formalisms.registry import BUILT_IN, formalism
from mbconcord.model import System
from mbconcord.model.derivation import Derivation, Nested, flatten
from mbconcord.model.expressions import Expression, substitute, symbol
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.notation.listing import Listing
from mbconcord.reports.equations import render

from ..cli.test_cli_derive_closed import TIER, plain_name

FILES = (
    "mbsd/double_pendulum.mbsd",
    "mbsd/moving_support.mbsd",
    "mbsd/four_bar.mbsd",
    "konoplev/mechanism.mbsd",
    "tp/table1.tp.csv",
    *(pytest.param(name, marks=pytest.mark.slow) for name in ("mbsd/patu655.mbsd", "konoplev/gyrostat.mbs.json")),
)


@cache
def system(file: str) -> System:
    """A fixture."""
    return read(folder() / file).system


def takers(file: str) -> Iterator[Formalism]:
    """Every formalism that takes the model with its constraints."""
    chosen = map(formalism, BUILT_IN)
    return (each for each in chosen if not each.constraint_obstacles(system(file)))


@cache
def made(file: str) -> list[Derivation]:
    """The equations by everybody."""
    return [each.derive_whole(system(file)) for each in takers(file)]


def everything(derivation: Derivation) -> dict[str, Nested]:
    """The canonical quantities and the formalism's own."""
    return {**derivation.native, **derivation.quantities}


class Reader:
    """Reads formulas one after the other, each over the names of those before it."""

    def __init__(self) -> None:
        self.known: dict[Expression, Expression] = {}

    def formula(self, text: str) -> Expression:
        """The node, with the names put back."""
        safe = TIER.sub(lambda m: plain_name(m[0]), text)
        return substitute([parse_formula(safe)], self.known)[0]

    def assignment(self, name: str, text: str) -> Expression:
        """One more name; its node."""
        found = self.formula(text)
        self.known[symbol(plain_name(name) if "{" in name else name)] = found
        return found


def same(found: Iterable[Expression], expected: Iterable[Expression]) -> bool:
    """Whether they are the same nodes."""
    return all(a is b for a, b in zip(found, expected, strict=True))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("file", FILES)
def test_json_is_read_back(file: str) -> None:
    for derivation in made(file):
        reader, whole = Reader(), everything(derivation)
        data = render(derivation, list(whole), "json")
        for stage in data["stages"]:
            for line in stage["assignments"]:
                reader.assignment(line["name"], line["expression"])
        for name, value in whole.items():
            assert same(map(reader.formula, flat(data["quantities"][name])), flatten(value)), name


def flat(value: Any) -> list[str]:
    """The texts of nested lists."""
    return [x for item in value for x in flat(item)] if isinstance(value, list) else [value]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("file", FILES)
def test_text_is_read_back(file: str) -> None:
    """Assignments by their names, elements of quantities in their order.

    Where the paper's own notation stands for the assignments (static moments), JSON alone has both.
    """
    for derivation in made(file):
        if any(stage.written for stage in derivation.stages):
            continue
        reader, whole = Reader(), everything(derivation)
        elements: list[Expression] = []
        for name, text in lines(render(derivation, list(whole), "text")):
            if "[" in name or name in whole:
                elements.append(reader.formula(text))
            else:
                reader.assignment(name, text)
        assert same(elements, (x for value in whole.values() for x in flatten(value))), derivation.formalism


def lines(text: str) -> Iterator[tuple[str, str]]:
    """Names and formulas of the lines that are no comments and no equations."""
    for line in text.split("\n# equations\n")[0].splitlines():
        if line and not line.startswith("#"):
            name, formula = line.split(" = ", 1)
            yield name, formula


@pytest.mark.parametrize("file", ["konoplev/mechanism.mbsd", "mbsd/four_bar.mbsd", "mbsd/patu655.mbsd"])
@pytest.mark.parametrize("output", ["text", "json"])
def test_lists_are_read_back(file: str, output: str) -> None:
    """What a paper's list says in a line is the formula over the names of the lines before it."""
    found = [x for x in (each.listing(system(file)) for each in takers(file)) if isinstance(x, Listing)]
    assert found
    for listing in found:
        names = {symbol(plain_name(a.name)): symbol(a.name) for a in listing.assignments if "{" in a.name}
        reader = Reader()
        reader.known = names
        printed = render(listing, [], output)
        if output == "json":
            stages = printed[listing.notation.stages]
            items = [a for stage in stages for a in stage.get("assignments") or stage["items"]]
            pairs = [(a["name"], a["expression"]) for a in items]
        else:
            pairs = list(lines(printed))[: len(listing.assignments)]
        assert [name for name, _ in pairs] == [a.name for a in listing.assignments]
        assert same((reader.formula(text) for _, text in pairs), (a.expression for a in listing.assignments))
