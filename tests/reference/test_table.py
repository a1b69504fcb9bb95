"""Every formalism, in each of its forms, gives the numbers of every source; what it does not take it refuses aloud."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model import Constant, System
from mbconcord.model.derivation import Obstacle
from mbconcord.model.diagnostics import FormalismError
from mbconcord.model.features import features

from .golden import GOLDEN, held
from .row import DOUBLE, Row
from .table import COLUMNS, FILES, NOT_CHECKED, ROWS, numbers, row

#: A model that every formalism takes, in every form.
PENDULUM = "mbsd/zig.mbsd"
#: What is given of a closed system.
CLOSED = frozenset(
    {"M", "h", "gravity", "applied", "acceleration", "multipliers", "reactions", "rank"}
)  # fmt: skip
#: Files of numbers that the table reads; the catalog names them.
SOURCES = (
    "golden.toml", "konoplev/", "tp/vectors.json", ".reference.json", "reference_numbers.json", "mass matrix",
    "by hand",
)  # fmt: skip


@pytest.mark.sampled(5)
@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("name", ROWS)
def test_numbers_from_outside(name: str, column: str) -> None:
    formalism, asked = registry.formalism(column), row(name)
    declared_as_features(formalism, asked.system)
    obstacles = refusal(formalism, asked)
    if obstacles:
        refused_aloud(formalism, asked, obstacles)
        return
    first, *others = numbers(formalism, asked)
    for found in (first, *others):
        assert promised(column, asked) <= set(found)
        assert asked.differences(found) == []
    itself = replace(asked, digits=DOUBLE, known={name: first[name] for name in asked.known.keys() & first.keys()})
    assert [itself.differences(found) for found in others] == [[]] * len(others)


def refusal(formalism: Formalism, asked: Row) -> tuple[Obstacle, ...]:
    """Why it does not take the row; of a closed row, why it gives no motion with the constraints."""
    of = formalism.constraint_obstacles if asked.closed else formalism.obstacles
    return of(asked.system)


def declared_as_features(formalism: Formalism, system: System) -> None:
    """The open tree's obstacles are the features that it does not declare; a form may have more, off the plane."""
    lacking = {(o.place, o.feature) for o in registry.formalism(formalism.name).obstacles(system)}
    assert lacking == {(place, f) for f, place in features(system) if f not in formalism.takes}
    own = {(o.place, o.feature) for o in formalism.obstacles(system)}
    assert own == lacking or (formalism.form and own > lacking and not plane_linkage(system))


def plane_linkage(system: System) -> bool:
    """One turn for each body, all turns about one axis: what no form has a reason to refuse."""
    moving = [[et for et in b.joint if not isinstance(et.motion, Constant)] for b in system.bodies]
    turns = {et.axis for b in system.bodies for et in b.joint if not et.is_translation}
    return all(len(m) == 1 and not m[0].is_translation for m in moving) and len(turns) == 1


def refused_aloud(formalism: Formalism, asked: Row, obstacles: tuple[Obstacle, ...]) -> None:
    """No numbers, but an error at every place that is an obstacle; of a closed row its constraints or joints."""
    if asked.closed:
        held_by = {"bodies", *(f"constraints/{c.name}" for c in asked.system.constraints)}
        held_by |= {f"bodies/{b.name}/joint" for b in asked.system.bodies}
        assert {o.place for o in obstacles} <= held_by | {o.place for o in formalism.obstacles(asked.system)}
    if asked.closed and type(formalism).constrained_motion is not Formalism.constrained_motion:
        with pytest.raises(FormalismError) as error:
            formalism.constrained_motion(asked.system, asked.states)
    else:
        with pytest.raises(FormalismError) as error:
            formalism.derive(asked.system)
    assert {d.place for d in error.value.diagnostics} == {o.place for o in obstacles}


def promised(column: str, asked: Row) -> frozenset[str]:
    """What it has to give for a row, known or not: a motion with constraints is of M, h and the forces."""
    return CLOSED if asked.closed else delivered(column)


@cache
def delivered(column: str) -> frozenset[str]:
    """What a formalism gives, the same of every open tree."""
    found, *_ = numbers(registry.formalism(column), row(PENDULUM))
    return frozenset(found)


# --- the table compares something -------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("column", COLUMNS)
def test_every_quantity_of_every_column_is_compared(column: str) -> None:
    formalism = registry.formalism(column)
    taken = [asked for asked in map(row, ROWS) if not refusal(formalism, asked)]
    known = {quantity for asked in taken for quantity in asked.known}
    assert delivered(column) <= known
    solves = type(formalism).constrained_motion is not Formalism.constrained_motion
    assert any(asked.closed for asked in taken) == solves


@pytest.mark.parametrize("name", ROWS)
def test_every_row_has_two_witnesses(name: str) -> None:
    """The source alone stands beside one formalism where the catalog says that no other takes the model."""
    taking = sum(not refusal(f, row(name)) for f in map(registry.formalism, registry.names()))
    assert taking >= (1 if name in NOT_CHECKED else 2)


def test_every_model_with_numbers_from_outside_is_a_row() -> None:
    known = {file for file, told in FILES.items() if any(source in told for source in SOURCES)}
    known -= {file for file, told in FILES.items() if "test_armatures.py" in told}
    assert known <= set(ROWS)
    assert {golden["line"] for golden in GOLDEN} == {golden["line"] for golden in held(FILES).values()}
