"""Closed forms of the short lines (fixtures/mbsd/golden.toml) at states and parameters drawn here."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from functools import partial
from random import Random
from typing import Any

from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.model import State, System
from mbconcord.model.expressions import Expression, evaluate
from mbconcord.model.expressions.arithmetic import mpmath_arithmetic
from mbconcord.model.expressions.formula import parse_formula

from .row import DOUBLE, Row, row

GOLDEN = tomllib.loads((folder("mbsd") / "golden.toml").read_text("utf-8"))["golden"]
EXACT = mpmath_arithmetic(60)
STATES = 5


def system(file: str, golden: Mapping[str, Any]) -> System:
    """The model of a file that the closed forms are for."""
    found = read(folder() / file).system
    assert list(found.coordinate_names) == golden["coordinates"]
    return found


def formulas(golden: Mapping[str, Any]) -> dict[str, list[Expression]]:
    """M row by row, h and gravity as flat lists."""
    matrix = [text for texts in golden["M"] for text in texts]
    texts = {"M": matrix, "h": golden["h"], "gravity": golden["gravity"]}
    return {quantity: [parse_formula(text) for text in found] for quantity, found in texts.items()}


def closed_form(file: str, golden: Mapping[str, Any]) -> Row:
    """The closed forms in sixty digits, rounded once."""
    model, dice, n = system(file, golden), Random(golden["line"]), len(golden["coordinates"])
    drawn = []
    known: dict[str, list[Any]] = {quantity: [] for quantity in formulas(golden)}
    for _ in range(STATES):
        q, v = ({name: dice.uniform(-2, 2) for name in golden["coordinates"]} for _ in range(2))
        drawn.append(State(0.0, q, v, {}, {p.name: dice.uniform(0.3, 3) for p in model.parameters}))
        symbols = drawn[-1].parameters | q | {f"{name}'": rate for name, rate in v.items()}
        exact = {name: EXACT.number(0) + value for name, value in symbols.items()}
        for quantity, expressions in formulas(golden).items():
            numbers = [float(x) for x in evaluate(expressions, exact, EXACT)]
            known[quantity].append([numbers[i : i + n] for i in range(0, n * n, n)] if quantity == "M" else numbers)
    return row(model, drawn, DOUBLE, known)


def held(files: Mapping[str, str]) -> dict[str, Mapping[str, Any]]:
    """Files whose closed form is known, by the catalog: path -> its entry."""
    entries = {golden["line"]: golden for golden in GOLDEN}
    found = {}
    for file, told in files.items():
        if "golden.toml" in told:
            line = told.partition(" under ")[2].partition(";")[0]
            found[file] = entries[line or (folder() / file).read_text("utf-8").strip()]
    return found


def rows(files: Mapping[str, str]) -> dict[str, Callable[[], Row]]:
    """One for each file: path -> what the catalog says is known."""
    return {file: partial(closed_form, file, golden) for file, golden in held(files).items()}
