"""Animations of a user's own states: tables, arrays, modes; what is missing or strange is told or refused."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import mbconcord as mb
from mbconcord.fixtures import folder
from mbconcord.model.diagnostics import NumbersError, WriteError

PENDULUM = mb.read(text="z(a)°90 i > z(b) i(L) ; g9.81-y ; L = 2", format="mbsd")
T = np.linspace(0, 1, 5)
SWING = {"t": T, "a": np.sin(T), "b": T}


def test_states_come_as_a_table_a_mapping_arrays_and_states() -> None:
    states = [mb.State(t, {"a": float(np.sin(t)), "b": float(t)}) for t in T]
    q = np.stack([SWING["a"], SWING["b"]], axis=1)
    pages = [
        mb.animate(PENDULUM, SWING), mb.animate(PENDULUM, pandas.DataFrame(SWING)), mb.animate(PENDULUM, q, t=T),
        mb.animate(PENDULUM, states), mb.animate(PENDULUM, {"a": SWING["a"], "b": T}, t=T),
    ]  # fmt: skip
    assert len({page.html for page in pages}) == 1 and not any(page.diagnostics for page in pages)
    assert repr(pages[0]).startswith("<Animation of ") and "5 states" in repr(pages[0])


def test_without_a_table_each_joint_moves_in_turn() -> None:
    shown = mb.animate(PENDULUM)
    (said,) = shown.diagnostics
    assert said.severity == "note" and "each joint in turn moves by 0.5 rad and back" in said.message
    assert shown.frames == 48 and f"<h1>Joints of {PENDULUM.system.name}</h1>" in shown.html
    assert said.message in shown.html
    crane = mb.read(text="v(s) $1 > z(b) i $1 g9.81-y", format="mbsd")
    assert "0.1 m or 0.5 rad" in mb.animate(crane).diagnostics[0].message


def test_without_a_table_a_loop_is_drawn_where_it_begins() -> None:
    shown = mb.animate(folder("mbsd") / "four_bar.mbsd")
    assert shown.frames == 1 and "the initial position alone" in shown.diagnostics[0].message


def test_a_mode_is_a_table_of_one_coordinate() -> None:
    shown = mb.animate(PENDULUM, {"t": T, "b": 0.2 * np.sin(2 * np.pi * T)}, title="Mode 1, 0.5 Hz")
    (said,) = shown.diagnostics
    assert said.severity == "warning" and "a not in the table: drawn where the model begins" in said.message
    assert "<h1>Mode 1, 0.5 Hz</h1>" in shown.html and said.message in shown.html


def test_columns_that_are_not_drawn_are_told_with_what_was_probably_meant() -> None:
    shown = mb.animate(PENDULUM, SWING | {"A": T, "event": [""] * 5, "lambda[rod]": T, "balance": T})
    (said,) = shown.diagnostics
    assert "the column 'A' is not drawn" in said.message and "'a'" in said.remedy


def test_energies_of_a_table_are_plotted() -> None:
    shown = mb.animate(PENDULUM, SWING | {"kinetic": T, "potential": 1 - T, "work": 0 * T})
    assert re.findall(r'\["(kinetic|potential|total|work)"', shown.html) == ["kinetic", "potential", "total"]


def test_one_state_is_a_picture_that_turns() -> None:
    assert "Frames: 1 row." in mb.animate(PENDULUM, {"t": 0.0, "a": 0.3}).html


def test_a_notebook_shows_it_in_a_frame_of_its_own(tmp_path: Path) -> None:
    shown = mb.animate(PENDULUM, SWING, title='"><script>')
    html = shown._repr_html_()
    assert html.count("<") == 2 and html.startswith('<iframe srcdoc="&lt;!DOCTYPE html')
    assert shown.save(tmp_path / "a.html").read_text(encoding="utf-8") == shown.html


@pytest.mark.parametrize(
    ("states", "words"),
    [
        ({"t": T, "x": T}, "the table has no coordinate of the model.*a, b"),
        ({"a": T}, "the table has no column of times"),
        ({"t": T[::-1], "a": T}, "the time goes back from 1 s to 0.75 s, after row 1"),
        ({"t": 0 * T, "a": T}, "all times are 0 s"),
        ({"t": T, "a": [0.0, 1.0, float("nan"), 1.0, 1.0]}, "nan is not a finite number"),
        ({"t": T, "a": list("abcde")}, "expected numbers, found text"),
        ({"t": T, "a": T[:3]}, "given at 3 states"),
        ({"t": T, "a": T, "L": T + 1}, "its value changes from state to state"),
        (np.zeros((5, 3)), r"found an array of shape \(5, 3\)"),
    ],
)
def test_states_that_are_none_are_refused(states: Any, words: str) -> None:
    with pytest.raises(NumbersError, match=words):
        mb.animate(PENDULUM, states, t=None if isinstance(states, dict) else T)


def test_another_suffix_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match=r"no suffix '\.gif'"):
        mb.animate(PENDULUM, SWING).save(tmp_path / "a.gif")


def test_parameters_that_the_model_lacks_are_given() -> None:
    arm = mb.read(text="z(a) i(L)", format="mbsd")
    with pytest.raises(NumbersError, match="parameters/L: has no value"):
        mb.animate(arm, {"t": T, "a": T})
    pages = {mb.animate(arm, {"t": T, "a": T}, parameters={"L": L}).html for L in (1, 2)}
    assert len(pages) == 2 and mb.animate(arm, {"t": T, "a": T, "L": [2.0] * 5}).html in pages
