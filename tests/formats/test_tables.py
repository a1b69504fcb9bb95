"""Tables in MBSD, in native JSON and by hand: columns of CSV files, round trips, and what is refused with its line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbconcord as mb
from mbconcord.model.diagnostics import ModelError, ReadError

CSV = "time, height, other\n0, 0, 1\n0.5, 1.2, 2\n\n1.25, 1.2, 3\n2, 0.3, 1\n"
LINE = 'y(c)"(-10*c\' - 100*(c - road(t))) $2 #a g9.81-y; road(x) = table("road.csv", time, height, cubic, hold)\n'
ROWS = "table(x, 0, 0, 0.5, 1.2, 1.25, 1.2, 2, 0.3, cubic, hold)"


def written(folder: Path, csv: str = CSV, line: str = LINE) -> str:
    (folder / "road.csv").write_text(csv, "utf-8")
    (folder / "a.mbsd").write_text(line, "utf-8")
    return str(folder / "a.mbsd")


def test_columns_of_a_file_are_a_function_that_both_formats_write_with_its_rows(tmp_path: Path) -> None:
    model = mb.read(written(tmp_path))
    (road,) = model.system.functions
    assert str(road.formula) == ROWS
    for name in ("b.mbsd", "b.mbs.json"):
        mb.convert(model, str(tmp_path / name))
        (again,) = mb.read(str(tmp_path / name)).system.functions
        assert again.formula is road.formula
    assert f"road(x) = {ROWS}" in (tmp_path / "b.mbsd").read_text("utf-8")
    (found,) = json.loads((tmp_path / "b.mbs.json").read_text("utf-8"))["functions"]
    assert found["table"] == {
        "x": [0, 0.5, 1.25, 2], "y": [0, 1.2, 1.2, 0.3], "method": "cubic", "beyond": "hold"
    }  # fmt: skip


def test_the_first_column_is_that_of_the_arguments_and_semicolons_may_separate(tmp_path: Path) -> None:
    line = LINE.replace("time, height, cubic, hold", "height")
    found = mb.read(written(tmp_path, CSV.replace(",", ";"), line)).system.functions[0].formula
    assert str(found) == "table(x, 0, 0, 0.5, 1.2, 1.25, 1.2, 2, 0.3)"


@pytest.mark.parametrize("end", ["\r", "\r\n"])
def test_lines_may_end_as_old_programs_end_them_and_in_commas(tmp_path: Path, end: str) -> None:
    written(tmp_path)
    (tmp_path / "road.csv").write_bytes(CSV.replace("\n", f",,{end}").replace(f"\r{end}", end).encode())
    assert str(mb.read(str(tmp_path / "a.mbsd")).system.functions[0].formula) == ROWS


@pytest.mark.parametrize(
    ("csv", "line", "said"),
    [
        (CSV.replace("2, 0.3", "1.25, 0.3"), LINE, r"road.csv:6:1: .*argument 1.25 does not lie beyond 1.25"),
        (CSV.replace("2, 0.3", "2, nan"), LINE, r"road.csv:6:1: .*'nan' in the column 'height' is not a number"),
        (CSV.replace("2, 0.3, 1", "2"), LINE, r"road.csv:6:1: .*'' in the column 'height' is not a number"),
        (CSV, LINE.replace("height", "hight"), r"road.csv:1:1: .*no column 'hight' \(did you mean 'height'"),
        (
            CSV,
            LINE.replace("road.csv", "rood.csv"),
            r"a.mbsd:1:60: .*rood.csv: No such file or directory \(did you mean road.csv\?\)$",
        ),
        (CSV, LINE.replace("road.csv", "../road.csv"), r"a.mbsd:1:60: .*outside the folder of the model"),
        (CSV, LINE.replace("hold)", "wait)"), r"a.mbsd:1:60: .*1 argument and 3 columns"),
        ("time, height\n0, 1\n", LINE, r"road.csv:1:1: .*two rows at least, found 1"),
        (CSV.replace("2, 0.3", "2, 1e99999999"), LINE, r"road.csv:6:1: .*'1e99999999' in .* is not a number"),
        (CSV.replace("2, 0.3", "2, 1_0"), LINE, r"road.csv:6:1: .*'1_0' in .* is not a number"),
        (CSV.replace("2, 0.3", "2, 1/0"), LINE, r"road.csv:6:1: .*'1/0' in .* is not a number"),
        (CSV.replace("2, 0.3", "2, 1e400"), LINE, r"road.csv:6:1: .*beyond the range of floats"),
        (CSV.replace("2, 0.3", "1.2500001, 1e300"), LINE, r"road.csv:5:1: .*beyond the range of floats"),
        (CSV.replace("2, 0.3", f"2, {'1' * 200000}"), LINE, r"road.csv:6:1: .*field larger than field limit"),
        ("time, height\n0, 0\n0,5, 1,5\n", LINE, r"road.csv:3:1: .*4 cells under 2 names"),
        (
            CSV.replace("height", "hold"),
            LINE.replace("height, cubic, ", ""),
            r"road.csv:1:1: .*a column is called 'hold'",
        ),
        (CSV, LINE.replace("hold)", "linear)"), r"a.mbsd:1:60: .*cubic and linear cannot both hold"),
    ],
)
def test_what_is_wrong_in_a_table_is_named_with_its_line(tmp_path: Path, csv: str, line: str, said: str) -> None:
    with pytest.raises(ReadError, match=said):
        mb.read(written(tmp_path, csv, line))


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"x": [0, 1, 1], "y": [1, 2, 3]}, "functions/road.*row 3: the argument 1 does not lie beyond 1"),
        ({"x": [0], "y": [1]}, "two rows at least"),
        ({"x": [0, 1], "y": [1]}, "2 arguments and 1 value"),
        ({"x": [0, 1], "y": [1, "b"]}, "row 2: b is not a number"),
        ({"x": [0, 1], "y": [1, 2], "method": "cubc"}, "one of linear, cubic"),
        ({"x": [0, 1], "y": [1, 2], "beyond": "stay"}, "one of refuse, hold, extend"),
    ],
)
def test_native_tables_are_refused_by_their_rows(table: Any, said: str) -> None:
    text = {"format": "mbconcord", "version": 1, "name": "a", "functions": [
        {"name": "road", "arguments": ["x"], "table": table}]}  # fmt: skip
    with pytest.raises(ReadError, match=said):
        mb.read(text=json.dumps(text), format="native")


def test_by_hand_a_table_is_a_file_columns_or_two_sequences(tmp_path: Path) -> None:
    (tmp_path / "road.csv").write_text(CSV, "utf-8")
    columns = {"time": [0, 0.5, 1.25, 2], "height": np.array([0, 1.2, 1.2, 0.3])}
    ways: list[tuple[Any, dict[str, Any]]] = [
        (tmp_path / "road.csv", {"y": "height"}), (columns, {"y": "height"}), (tuple(columns.values()), {}),
    ]  # fmt: skip
    made = []
    for data, named in ways:
        cart = mb.Mechanism("cart").table("road", data, **named, method="cubic", beyond="hold")
        cart.body("a", mass=2).slides("c", along="y").effort("e", "c", "-100*(c - road(t))")
        made.append(cart.build().functions[0].formula)
    assert made[0] is made[1] is made[2]
    assert str(made[0]) == ROWS


@pytest.mark.parametrize(
    ("data", "named", "said"),
    [
        (([0, 1, 1], [1, 2, 3]), {}, "row 3: the argument 1 does not lie beyond 1"),
        (([0, 1], [1, float("nan")]), {}, "row 2: nan is not a number"),
        ({"t": [0, 1], "y": [1, 2]}, {"y": "yy"}, "no column 'yy'"),
        ("nowhere.csv", {"y": "y"}, "nowhere.csv: No such file"),
    ],
)
def test_by_hand_a_wrong_table_is_refused(data: Any, named: dict[str, str], said: str) -> None:
    with pytest.raises(ModelError, match=f"functions/road.*{said}"):
        mb.Mechanism("cart").table("road", data, **named)


def test_a_linear_table_prescribes_no_motion() -> None:
    text = "j(road(t)) z(a) i(1) $1 #a g9.81-y; road(x) = again(x), again(x) = table(x, 0, 0, 1, 1, 2, 0)"
    with pytest.raises(ReadError, match=r"its rate jumps at each row of a linear table.*method cubic"):
        mb.read(text=text, format="mbsd")
    mb.read(text=text.replace("2, 0)", "2, 0, cubic)"), format="mbsd")
