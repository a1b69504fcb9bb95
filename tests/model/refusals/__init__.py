"""Refusals of models, elastic bodies, beams, formulas and derivations in full."""

from __future__ import annotations

from collections.abc import Iterator

from mbconcord.model.checks.physics import physics
from mbconcord.model.derivation import Derivation
from mbconcord.model.elastic.table import read_table
from mbconcord.model.expressions.formula import parse_formula

from ...expressions import test_formula
from ...said import Case, Tables
from .. import test_beams, test_derivation, test_elastic, test_elastic_table, test_inertia, test_model


def _model() -> Iterator[Case]:
    for title, (make, *_) in test_model.REFUSED.items():
        yield title, make


def _inertia() -> Iterator[Case]:
    for title, (build, values, *_) in test_inertia.WRONG.items():
        for policy in ("error", "warn"):
            yield (
                f"{title}: {policy}",
                lambda build=build, values=values, policy=policy: [
                    str(d) for d in physics(build(), {"m1": 1.0} | values, policy)
                ],
            )


def _elastic() -> Iterator[Case]:
    for title, (make, *_) in test_elastic.WRONG.items():
        yield title, lambda make=make: [": ".join(said) for said in make()]
    for title, (change, _) in test_elastic_table.WRONG.items():
        yield (f"table: {title}", lambda change=change: read_table(change(test_elastic_table.TEXT), "beam.csv"))


def _beams() -> Iterator[Case]:
    for title, (make, *_) in test_beams.REFUSED.items():
        yield title, make


def _formulas() -> Iterator[Case]:
    for text, *_ in test_formula.BAD:
        yield repr(text), lambda text=text: parse_formula(text, file="f.txt")


def _derivations() -> Iterator[Case]:
    for quantities, place, said in test_derivation.BAD:
        yield (f"{place}: {said}", lambda quantities=quantities: Derivation("hand", test_derivation.SYSTEM, quantities))


TABLES: Tables = {
    "model": _model,
    "inertia": _inertia,
    "elastic": _elastic,
    "beams": _beams,
    "formulas": _formulas,
    "derivations": _derivations,
}
