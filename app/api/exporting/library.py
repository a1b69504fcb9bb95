"""Quantities of a derivation as a library in C."""

from __future__ import annotations

import math
from collections.abc import Mapping

from mbconcord.kernels.c.library import Library
from mbconcord.model.derivation import Derivation, Nested
from mbconcord.model.expressions import rate
from mbconcord.reports.equations.frameworks import SPELLING
from mbconcord.reports.equations.listing import elements
from mbconcord.reports.equations.solving import equations_of
from mbconcord.reports.equations.source import given_numbers, prepare


def library(derivation: Derivation, quantities: Mapping[str, Nested], name: str) -> Library:
    """The library that computes the quantities."""
    listed = {each: list(elements(derivation, each, value)) for each, value in quantities.items()}
    made = prepare(derivation, [e.expression for group in listed.values() for e in group])
    values, q, v = given_numbers(derivation.system, made)
    return Library(
        name=name,
        about=(
            f"Equations of motion of {derivation.system.name} by {derivation.formalism}.",
            f"{equations_of(derivation)};",
            "rows of rotations in N m, of translations in N. Angles in rad, lengths in m, times in s.",
        ),
        state=_state(made.coordinates),
        parameters=made.parameters,
        results={SPELLING.get(each, each): [e.label for e in group] for each, group in listed.items()},
        outputs=made.outputs,
        initial=[0.0, *q, *v, *(0.0 for _ in made.coordinates)],
        values=[values.get(each, math.nan) for each in made.parameters],
    )


def _state(coordinates: tuple[str, ...]) -> dict[str, dict[str, str]]:
    rates = {group: [str(rate(c, order).data) for c in coordinates] for group, order in (("v", 1), ("a", 2))}
    groups = {"q": coordinates, **rates}
    return {"t": {"": "t"}} | {key: dict(zip(coordinates, of, strict=True)) for key, of in groups.items()}
