"""Rows from aggregate to aggregate are those over the origins of the frames, and are taken where they cost less."""

from __future__ import annotations

from importlib import import_module
from random import Random

import numpy as np
import pytest

from mbconcord.formalisms.konoplev import Konoplev, chain, operations_of
from mbconcord.formalisms.konoplev.canonical import arrays
from mbconcord.formalisms.konoplev.pair import Pair, Slot, matrices
from mbconcord.formalisms.konoplev.structure import transfer_rows
from mbconcord.formalisms.konoplev.vectors import Batch, Symbolic, Transfer
from mbconcord.model import System
from mbconcord.model.expressions import number, symbol

from ...reference.konoplev import system, vector
from .konoplev_numbers import state_of

seats = import_module("mbconcord.formalisms.konoplev.aggregates")  # the package has a function of this name

Q = {"q": 0.7, "q'": 0.3}


def numeric(expression):
    from mbconcord.model.expressions import evaluate_float

    return evaluate_float(expression, Q) if expression.args or expression.op != "num" else float(expression.data)


def seat(dice: Random) -> Transfer:
    """A constant motion."""
    pair = Pair(tuple(Slot(number(str(round(dice.uniform(-1, 1), 3)))) for _ in range(6)))
    return matrices(pair, numeric).transfer


@pytest.mark.parametrize("alpha", [None, 1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("given", [(True, True), (True, False), (False, True)])
def test_the_element_is_the_product_of_its_motions(alpha, given):
    dice = Random(alpha or 0)
    slots = [Slot(number(str(round(dice.uniform(-1, 1), 3)))) for _ in range(6)]
    if alpha:
        slots[alpha - 1] = Slot(number("0.2"), "q", -1)
    pair = Pair(tuple(slots))
    before, after = (seat(dice) if there else None for there in given)
    found = np.array(seats.element(pair, before, after, numeric).matrix(), dtype=float)
    motions = [before.inverse()] if before else []
    motions += [matrices(pair, numeric).transfer, *([after] if after else [])]
    expected = np.linalg.multi_dot([np.eye(6), *(np.array(m.matrix(), dtype=float) for m in motions)])
    assert np.abs(found - expected).max() < 1e-14


@pytest.mark.parametrize("name", ["chain", "R1"])
@pytest.mark.parametrize("axes", ["central", "principal", "body"])
def test_rows_are_those_over_the_origins(name, axes):
    model: System = chain(5, "rotated") if name == "chain" else system(vector(name))
    found = Konoplev(axes=axes).aggregates(model, Batch(model, [state_of(model)]))
    for body in found.bodies:
        expected = transfer_rows(body.inertia.seat, found.origin[body.number])
        assert body.rows.keys() == expected.keys()
        for d, row in body.rows.items():
            assert np.abs(arrays(row, 1) - arrays(expected[d], 1)).max() < 1e-14


@pytest.mark.parametrize(("kind", "less"), [("parallel", True), ("rotated", True), ("full", True), ("straight", False)])
def test_rows_go_over_aggregates_where_that_costs_less(monkeypatch, kind, less):
    m = 6
    model = chain(m, kind)
    axes = "principal" if kind == "rotated" else "central"
    here = operations_of(Konoplev(axes=axes).derive(model))
    monkeypatch.setattr(seats, "FEWEST", m)
    over_origins = operations_of(Konoplev(axes=axes).derive(model))
    assert (here.mul < over_origins.mul and here.add < over_origins.add) == less
    assert here.mul <= over_origins.mul and here.add <= over_origins.add


def test_constants_that_are_symbols_are_not_multiplied_beforehand():
    turned = Pair((Slot(),) * 3 + (Slot(symbol("p")), Slot(number("0.3")), Slot(coordinate="q")))
    assert not seats.simple(turned)
    assert seats.simple(Pair((Slot(),) * 3 + (Slot(number("0.1")), Slot(number("0.3")), Slot(symbol("p"), "q"))))
    both = Pair((Slot(),) * 4 + (Slot(coordinate="p"), Slot(coordinate="q")))
    assert not seats.simple(both) and Symbolic().to_scalar(symbol("p")) is symbol("p")
