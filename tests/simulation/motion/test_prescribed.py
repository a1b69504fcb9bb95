"""Efforts along a motion that is given: closed forms, free motions that need none, the formalisms' mixed problem."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import mbconcord
from mbconcord.formalisms import registry
from mbconcord.model import State
from mbconcord.model.diagnostics import NumbersError
from mbconcord.simulation.motion.prescribed import PrescribedTable

from ..mechanisms import fixture

#: A point of 1 kg on an arm of 1 m.
ARM = "z(a) i1 $1 [0,0,0] g9.81-y"
T = np.linspace(0.0, 1.0, 21)


def read(text: str) -> Any:
    return mbconcord.read(text=text, format="mbsd")


def test_an_arm_by_hand() -> None:
    """a = t²: the moment is m L² 2 + m g L cos t²."""
    table = pandas.DataFrame({"t": T, "a": T**2, "a'": 2 * T, "a''": 2.0})
    found = mbconcord.simulate(read(ARM), motion=table).to_frame()
    assert np.allclose(found["lambda[drive of a]"], 2 + 9.81 * np.cos(T**2), rtol=0, atol=1e-13)
    assert np.allclose(found["power"], found["lambda[drive of a]"] * 2 * T, rtol=0, atol=1e-12)


def test_a_spline_stands_for_what_is_missing_and_it_is_said() -> None:
    found = mbconcord.simulate(read(ARM), motion=pandas.DataFrame({"t": T, "a": np.sin(2 * T)}))
    table = found.to_frame()
    assert np.allclose(table["a'"], 2 * np.cos(2 * T), atol=2e-6)
    assert np.allclose(table["lambda[drive of a]"], -4 * np.sin(2 * T) + 9.81 * np.cos(np.sin(2 * T)), atol=1e-3)
    assert ["spline" in d.message for d in found.diagnostics] == [True]


#: Closed and open mechanisms, and as many coordinates as they have degrees of freedom.
FREELY = {
    "mbsd/double_pendulum.mbsd": ("z1", "z2"),
    "mbsd/patu655.mbsd": ("y1", "z1", "z2", "y2", "z3"),
    "um/four_bar/input.dat": None,
}


@pytest.mark.slow
@pytest.mark.parametrize("file", FREELY)
@pytest.mark.parametrize("by", ["lagrange", "konoplev"])
def test_a_free_motion_needs_no_effort_and_has_the_same_reactions(file: str, by: str) -> None:
    system = fixture(file)
    driven = FREELY[file] or system.coordinate_names[:1]
    free = mbconcord.simulate(system, 0.3, tolerance=1e-11, step_out=0.1, formalism="lagrange")
    found = mbconcord.simulate(system, motion=free.to_frame(), driven=driven, formalism=by)
    assert np.abs(found.q - free.q).max() < 1e-9 and np.abs(found.a - free.a).max() < 1e-6
    table = found.to_frame()
    size = 1 + max(abs(row.kinetic) + abs(row.potential) for row in free.found)
    for name in driven:
        assert np.abs(table[f"lambda[drive of {name}]"]).max() < 1e-9 * size


def test_the_order_of_columns_does_not_matter() -> None:
    table = pandas.DataFrame({"z2": np.sin(T), "t": T, "z1": T**2})
    system = fixture("mbsd/double_pendulum.mbsd")
    first, second = (mbconcord.simulate(system, motion=t).to_frame() for t in (table, table[["t", "z1", "z2"]]))
    pandas.testing.assert_frame_equal(first, second)


def test_a_singular_position_is_said() -> None:
    """Stretched out, a parallelogram's efforts are not unique."""
    found = mbconcord.simulate(
        fixture("mbsd/four_bar.mbsd"), motion=pandas.DataFrame({"t": [0, 0.1, 0.2], "z1": [0, 0.1, 0.4]})
    )
    assert any("folded or singular at t = 0:" in d.message for d in found.diagnostics)


@pytest.mark.parametrize(
    ("columns", "driven", "words"),
    [
        ({"t": T, "a": T}, ("b",), "no such coordinate 'b'"),
        ({"t": T, "b": T}, None, "the column 'b', no coordinate of the model"),
        ({"t": T}, None, "no coordinate of the model"),
        ({"a": T}, None, "the table has no column 't'"),
        ({"t": T[::-1], "a": T}, None, "row 2 is not later than the one before"),
        ({"t": [0.0], "a": [0.0]}, None, "it has one row"),
        ({"t": [0.0, 1.0], "a": [0.0, np.nan]}, None, "no finite number"),
        ({"t": [0.0, 1.0], "a": ["0", "x"]}, None, "no finite number"),
    ],
)
def test_wrong_tables_are_refused(columns: dict[str, Any], driven: Any, words: str) -> None:
    with pytest.raises(NumbersError, match=words):
        mbconcord.simulate(read(ARM), motion=pandas.DataFrame(columns), driven=driven)


@pytest.mark.parametrize(
    ("file", "columns", "words"),
    [
        ("mbsd/double_pendulum.mbsd", {"z1": T}, "it leaves z2 free"),
        ("um/four_bar/input.dat", None, "cannot all be given: the constraints tie them"),
    ],
)
def test_what_is_left_free_or_given_twice_is_refused(file: str, columns: Any, words: str) -> None:
    system = fixture(file)
    columns = columns or {name: np.linspace(x, x + 0.1, 21) for name, x in _own(system).items()}
    with pytest.raises(NumbersError, match=words):
        mbconcord.simulate(system, motion=pandas.DataFrame({"t": T, **columns}))


def test_where_the_mechanism_does_not_close_is_told() -> None:
    """A rod of 1 m holds a point that a slide takes away 1.5 m."""
    system = read("u(x)°0.5 v(y)°0.8 $1 #a ; g \\ #a :(1) < #0").system
    with pytest.raises(NumbersError, match=r"at t = 0\.6: cannot be closed.* a gap of 0\.1"):
        mbconcord.simulate(system, motion=pandas.DataFrame({"t": T[::4], "x": 0.5 + T[::4]}))


def test_a_motion_or_an_end() -> None:
    for more in ({}, {"until": 1.0, "motion": pandas.DataFrame({"t": T, "a": T})}):
        with pytest.raises(NumbersError, match="give the end of a simulation, or a motion"):
            mbconcord.simulate(read(ARM), **more)


def test_a_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "motion.csv"
    pandas.DataFrame({"t": T, "a": T**2}).to_csv(file, index=False)
    assert len(mbconcord.simulate(read(ARM), motion=file).found) == len(T)


def test_two_rows_make_a_line() -> None:
    given = PrescribedTable.from_columns(np.array([0.0, 2.0]), {"a": np.array([1.0, 2.0])}, {}, {})
    assert given.v.ravel().tolist() == [0.5, 0.5] and given.a.ravel().tolist() == [0.0, 0.0]


def _own(system: Any) -> dict[str, float]:
    from mbconcord.simulation.keeping import place_state

    assert registry.names()
    return dict(place_state(system, State()).state.q)
