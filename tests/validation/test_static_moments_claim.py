"""The claim that static moments are Lagrange's gravity terms: random trees, every fixture, and what breaks it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from laboratory.faults.models import everything
from mbconcord.converters import registry
from mbconcord.fixtures import folder
from mbconcord.formalisms.interface import Formalism
from mbconcord.formalisms.lagrange import Lagrange
from mbconcord.formalisms.registry import formalism
from mbconcord.model.derivation import Derivation
from mbconcord.model.expressions import as_expression
from mbconcord.model.system import System
from mbconcord.validation.claims import ALL, MOMENTS, statics
from mbconcord.validation.judge.states import draw
from mbconcord.validation.judge.trial import Trial, trial
from mbconcord.validation.strategies.trees import random_system

CLAIM = next(claim for claim in ALL if claim.name == "static_moments")
STATIC = formalism("static_moments")
FILES = sorted(
    path.relative_to(folder()).as_posix()
    for name in ("tp", "mbsd", "konoplev", "robots")
    for path in folder(name).iterdir()
    if path.name.endswith((".tp.csv", ".mbsd", ".mbs.json"))
)


def tried(system: System, seed: int, *formalisms: Formalism) -> Trial:
    drawn = draw(system, 2, seed)
    return trial(drawn.system, drawn.states, formalisms)


def test_the_sentence() -> None:
    assert CLAIM.sentence.startswith("Static moments are Lagrange's gravity terms")


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize("block", range(5))
def test_random_trees(block: int) -> None:
    """50 open trees with every feature they may have, to 1e-12 of the bodies' contributions."""
    for seed in range(10 * block, 10 * block + 10):
        made = tried(random_system(seed, 1 + seed % 6), seed, Lagrange(), STATIC)
        found = CLAIM.check(made)
        assert [(c.a, c.b, c.quantity, c.verdict) for c in found] == [
            ("lagrange", STATIC.name, "gravity", "agrees"),
            (STATIC.name, STATIC.name, "gravity", "agrees"),
        ]
        assert all(c.discrepancy is not None and c.discrepancy <= 1e-12 for c in found)


@pytest.mark.parametrize("file", FILES)
def test_fixtures(file: str) -> None:
    """Open trees agree; what is none (loops, flywheels) is not checked, with the reason."""
    system = registry.read(folder() / file).system
    made = tried(system, 3, Lagrange(), STATIC)
    found = CLAIM.check(made)
    if STATIC.obstacles(system):
        assert {(c.verdict, c.explanation) for c in found} <= {("not checked", "no static moments")}
    else:
        assert [c.verdict for c in found] == ["agrees", "agrees"]


@pytest.mark.slow
def test_most_fixtures_are_open_trees() -> None:
    takes = [file for file in FILES if not STATIC.obstacles(registry.read(folder() / file).system)]
    assert len(takes) >= 40 and {f for f in FILES if f.startswith(("tp/", "robots/"))} <= set(takes)


class Wrong(Formalism):
    """Static moments with one component of one vector changed; its rows of gravity stay right."""

    name, title, reference, takes = STATIC.name, STATIC.title, STATIC.reference, STATIC.takes

    def __init__(self, link: int, component: int) -> None:
        self.link, self.component = link, component

    def derive(self, system: System) -> Derivation:
        found = STATIC.derive(system)
        vectors: list[Any] = [list(vector) for vector in found.native[MOMENTS]]  # type: ignore[union-attr]
        vectors[self.link][self.component] += as_expression(0.001)
        return replace(found, native={MOMENTS: tuple(map(tuple, vectors))})


@pytest.mark.slow
@pytest.mark.parametrize("component", range(3))
def test_a_wrong_static_moment_is_noticed(component: int) -> None:
    """Of the first joint, which turns about a general axis under general gravity."""
    made = tried(everything(), 1, Lagrange(), Wrong(0, component))
    assert {(c.a, c.verdict) for c in CLAIM.check(made)} == {("lagrange", "disagrees"), (STATIC.name, "disagrees")}


def test_without_static_moments_nothing_is_claimed() -> None:
    (found,) = CLAIM.check(tried(everything(), 1, Lagrange()))
    assert (found.verdict, found.explanation) == ("not checked", "no static moments")


def test_the_rows_are_those_of_statics() -> None:
    """A sliding link is pulled by all that it carries, whatever stands on it."""
    made = tried(everything(), 1, STATIC)
    rows = statics(made.kinematics, made.derivations[STATIC.name])
    np.testing.assert_allclose(rows, made.evaluations[STATIC.name].quantities["gravity"], rtol=1e-12, atol=1e-10)
