"""Why a table disagrees: planted causes are named, in the model and in the table, and nothing that does not fit."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from mbconcord.model.state import State
from mbconcord.validation.against.programs import against_table
from mbconcord.validation.judge.kinematics import TreeKinematics
from mbconcord.validation.judge.states import complete_state
from mbconcord.validation.witnesses.direct.tree import direct
from mbconcord.validation.witnesses.printed.reader import parse_table

from ...explain.planted import ROWS, model
from .against_models import said, text_model

BODY = "b"
TWO = model("two")
#: Rows of the table of planted causes: what is planted leaves M regular, and the motion shows it.
PLANTED = [row for row in ROWS if row[2] not in ("b is dropped", "the tensor of b is dropped")]


def printed(system, count=8):
    """What another program that has the model prints: accelerations, weights, and where a body is."""
    random = Random(3)
    names = system.coordinate_names

    def drawn():
        return {name: round(random.uniform(-2, 2), 4) for name in names}

    states = [complete_state(system, State(0.0, drawn(), drawn(), dict.fromkeys(names, 0.0)), 0) for _ in range(count)]
    q = direct(system, states).quantities
    right = q["gravity"] + q["applied"] - q["h"]
    acceleration = np.linalg.solve(q["M"], right[:, :, None])[:, :, 0]
    place = TreeKinematics(system, states).frame(BODY).position
    return [
        {f"{name} [rad, exact]": state.q[name] for name in names}
        | {f"{name}' [rad/s, exact]": state.v[name] for name in names}
        | {f"{name}'' [rad/s^2]": acceleration[i, j] for j, name in enumerate(names)}
        | {f"gravity[{name}] [N m]": q["gravity"][i, j] for j, name in enumerate(names)}
        | {f"position[{BODY}, {axis}] [m]": place[i, j] for j, axis in enumerate("xyz")}
        for i, state in enumerate(states)
    ]


def answered(system, rows):
    """What is said of a table of 9 digits; states have all of theirs."""
    digits = [";".join(f"{x:.17g}" if "exact" in k else f"{x:.9g}" for k, x in row.items()) for row in rows]
    table = parse_table("\n".join([";".join(rows[0]), *digits]) + "\n", "t.csv")
    found = against_table(system, table, formalisms=("newton_euler",))
    return found.verdict, said(found, "table/why")


def test_of_a_table_that_agrees_nothing_is_said():
    assert answered(TWO, printed(TWO)) == ("agrees", "")


@pytest.mark.sampled(40)
@pytest.mark.parametrize("row", PLANTED, ids=[row[2] for row in PLANTED])
def test_a_change_of_the_model_is_named(row):
    _, plant, words = row
    verdict, why = answered(TWO, printed(plant(TWO)))
    assert verdict == "disagrees"
    assert why.startswith("why: the table equals the model when "), why
    assert words in why


def changed(key, change, at=None):
    """The numbers of a column, or of one row of it, otherwise than they are."""
    return [
        {k: change(x) if key in k and at in (None, i) else x for k, x in row.items()}
        for i, row in enumerate(printed(TWO))
    ]


@pytest.mark.sampled(12)
@pytest.mark.parametrize(
    ("key", "change", "at", "words"),
    [
        ("m1'' ", lambda x: -x, None, "column m1'' [rad/s^2] has the other sign"),
        ("l1 ", np.degrees, None, "column l1 [rad, exact] is in degrees, not in radians"),
        ("rad/s, exact", np.degrees, None, "each of the columns l1' [rad/s, exact], m1' [rad/s, exact] is in degrees"),
        ("gravity[", lambda x: 1000 * x, None, "each of the columns gravity[l1] [N m], gravity[m1] [N m] is 1000"),
        ("[rad", np.degrees, None, "m1'' [rad/s^2] is in degrees, not in radians"),
        ("position[b, z]", lambda x: x / 1000, None, "column position[b, z] [m] is divided by 1000"),
        ("gravity[m1]", lambda x: -x, 3, "row 4, column gravity[m1] [N m], is "),
        ("position[b, x]", lambda x: 10 * x, 0, "(the point)"),
        ("m1 ", lambda x: -x, 5, "row 6, column m1 [rad, exact], is "),
    ],
)
def test_what_is_written_otherwise_in_the_table_is_named(key, change, at, words):
    names = TWO.coordinate_names
    key, words = (x.replace("l1", names[0]).replace("m1", names[1]) for x in (key, words))
    verdict, why = answered(TWO, changed(key, change, at))
    assert verdict == "disagrees"
    assert words in why


@pytest.mark.slow
@pytest.mark.rest
def test_misprints_in_two_rows_are_named_together():
    rows = printed(TWO)
    rows[2]["position[b, y] [m]"] *= -1
    shown = f"{rows[6]['position[b, z] [m]']:.9g}"
    other = shown[:-3] + str((int(shown[-3]) + 4) % 10) + shown[-2:]
    rows[6]["position[b, z] [m]"] = float(other)
    _, why = answered(TWO, rows)
    assert "row 3, column position[b, y] [m], is " in why
    assert f"row 7, column position[b, z] [m], is {shown}, not {other} (one digit)" in why


@pytest.mark.slow
@pytest.mark.rest
def test_no_misprint_is_named_where_most_rows_would_have_one():
    (row,) = printed(TWO, 1)
    key = next(k for k in row if "''" in k)
    verdict, why = answered(TWO, [row | {key: -row[key]}])
    assert verdict == "disagrees" and "why: " in why and "row 1, column" not in why


@pytest.mark.slow
@pytest.mark.rest
def test_where_no_single_change_fits_none_is_named():
    rows = changed("gravity[", lambda x: 1.37 * x)
    rows = [{k: 1.21 * x if "position" in k else x for k, x in row.items()} for row in rows]
    verdict, why = answered(TWO, rows)
    assert verdict == "disagrees"
    assert why == "why: no cause of the catalogue; 8 of 8 rows differ"


LINKS = " > ".join(["z i1 $1"] * 13) + " ; g-y"


def test_large_models_are_not_searched():
    chain = text_model(LINKS)
    names = chain.coordinate_names
    row = {f"{name} [rad, exact]": 0.1 for name in names} | {f"gravity[{names[0]}] [N m]": 1.0}
    verdict, why = answered(chain, [row, row])
    assert verdict == "disagrees"
    assert "not searched: 13 bodies, of which every change would be tried (at most 12)" in why
