"""The row of gravity above a table's header: what it means, what it refuses, and that it comes back."""

from __future__ import annotations

import random
from dataclasses import replace

import openpyxl
import pytest

from mbconcord.converters import registry
from mbconcord.converters.tp import FORMAT
from mbconcord.converters.tp.writer import to_plain_table
from mbconcord.model import Gravity, Parameter, ReadError
from mbconcord.model.expressions import as_expression, evaluate, number, symbol
from mbconcord.model.transformation import vector
from mbconcord.validation.compare import same_machine

from .test_tp import LEG, english, system, text
from .test_tp_refusals import refusals
from .test_tp_writer import DOWN, LOSSES, back, model_with, written

MASSES = text("leg.tp.csv")


def under(row, table=MASSES):
    return f"{row}\n{table}"


def acceleration(model, g=1.0):
    """Gravity in fixed axes (m/s²), the parameter g in it."""
    return tuple(map(float, evaluate(model.gravity_vector, {"g": g})))


ROWS = [
    ("g;9.81;-z", (0, 0, -9.81)),
    ("g;1.62;y", (0, 1.62, 0)),
    ("g;9.81;−x;;;", (-9.81, 0, 0)),
    (" g ; 9,81 ; - z", (0, 0, -9.81)),
    ("g;7;2;-3;6", (2, -3, 6)),
    ("g;7;-0.2;0.3;-0.6", (-2, 3, -6)),
    ("g;0", (0, 0, 0)),
    ("g;0;-z", (0, 0, 0)),
    ("g;0;0;0;-1", (0, 0, 0)),
    ("g;;-z", (0, 0, -1)),
    ("\ufeff\n\ng;;0;3;-4", (0, 0.6, -0.8)),
]


@pytest.mark.parametrize(("row", "expected"), ROWS)
def test_a_row_is_an_acceleration(row, expected):
    model = system(under(row))
    assert acceleration(model) == pytest.approx(expected, rel=1e-15)
    assert replace(model, gravity=DOWN, parameters=()) == system(MASSES)
    assert [p.name for p in model.parameters] == ["g"] * (row.strip("\ufeff\n").startswith("g;;"))


@pytest.mark.parametrize(
    "change",
    [english, lambda s: s.replace(";", ","), lambda s: s.replace(";", "\t"), lambda s: s.replace("\n", "\r\n")],
    ids=["English", "commas", "tabs", "CRLF"],
)
def test_the_row_is_read_in_every_way_of_writing_a_table(change):
    head, _, table = change(under("g;7;2;-3;6")).partition("\n")
    model = system(f"{head}\n\n{table}")
    assert replace(model, omissions=()) == system(under("g;7;2;-3;6"))
    assert not any("9.81" in d.message for d in registry.read_text(under("g;7;z"), "t.tp.csv").diagnostics)


def test_the_format_is_told_with_the_row_too():
    assert registry.detect("-", under("g;9.81;-z", LEG)).name == "tp"
    assert registry.detect("-", under("g;9.81;-z", english(LEG))).name == "tp"
    for other in ("g;9.81;-z\n", "h;9.81;-z\n" + LEG, "g;9.81;-z\ng;9.81;-z\n" + LEG):
        assert not FORMAT.sniff(other)


REFUSED = [
    ("g;9.81", 1, ("строка g", "ячеек 2", "g;9.81;-y")),
    ("g", 1, ("ячеек 1",)),
    ("g;9.81;0;-1", 1, ("ячеек 4",)),
    ("g;9.81;0;-1;0;0", 1, ("ячеек 6",)),
    ("g;-9.81;y", 3, ("строка g, столбец 2", "-9.81", "разверните направление")),
    ("g;abc;y", 3, ("строка g, столбец 2", "'abc'", "число")),
    ("g;9.81;w", 8, ("строка g, столбец 3", "'w'", "x, y или z")),
    ("g;9.81;x_1", 8, ("'x_1'",)),
    ("g;9.81;0;0;0", 8, ("не все нули",)),
    ("g;9.81;0;up;0", 10, ("строка g, столбец 4", "'up'")),
    ("g,9.81,-y", 2, ("','", "один разделитель")),
]


@pytest.mark.parametrize(("row", "column", "pieces"), REFUSED)
def test_refused(row, column, pieces):
    first = refusals(under(row))[0]
    assert (first.location.line, first.location.column) == (1, column), str(first)
    assert all(piece in str(first) for piece in pieces) and first.remedy, str(first)


def test_refused_in_english_and_where_the_table_is_missing():
    assert "row g, column 3: found 'w'; expected x, y or z" in str(refusals(under("g;9.81;w", english(MASSES)))[0])
    assert refusals("g;9.81;-y\n")[0].location.line == 1
    assert refusals(under("g;9.81;-y", MASSES.replace("ВКП;z_1", "ШКП;z_1")))[0].location.line == 4


def falling(value, *direction):
    return Gravity(as_expression(value), vector(direction))


WRITTEN = [
    (DOWN, ""),
    (None, "g;0"),
    (falling(0, 0, 0, 1), "g;0"),
    (falling(number("-9.81"), 0, 1, 0), ""),
    (falling(number("9.81"), 0, 0, -1), "g;9.81;-z"),
    (falling(number("-1.62"), 1, 0, 0), "g;1.62;-x"),
    (falling(7, 2, -3, 6), "g;7;2;-3;6"),
    (falling(1, 1, -1, 0), "g;1;1;-1;0"),
    (falling(1, number("0.1"), 0, number("-0.25")), "g;1;2;0;-5"),
    (falling(symbol("g"), 0, 0, -1), "g;;-z"),
]


@pytest.mark.parametrize(("gravity", "row"), WRITTEN)
def test_written(gravity, row):
    free = (Parameter("g"),) if gravity is not None and gravity.value is symbol("g") else ()
    model = model_with(gravity=gravity, parameters=free)
    writing = written(model)
    assert writing.text.partition("i;")[0] == (f"{row}\n" if row else "")
    assert writing.losses == ()
    assert acceleration(back(model)) == pytest.approx(acceleration(model), rel=1e-15)
    assert written(back(model)).text == writing.text


@pytest.mark.slow
def test_any_direction_comes_back_to_the_last_digits_and_stays():
    """Directions of doubles, of short decimals, of whole numbers: the second table is the first."""
    source = random.Random(7)
    for _ in range(60):
        kinds = (lambda: source.uniform(-1, 1), lambda: source.randint(-9, 9), lambda: source.randint(-999, 999) / 1000)
        kind = source.choice(kinds)
        direction = [kind() for _ in range(3)]
        if any(direction):
            model = model_with(
                gravity=falling(number(repr(source.uniform(0.1, 20))), *map(number, map(repr, direction)))
            )
            assert acceleration(back(model)) == pytest.approx(acceleration(model), rel=1e-15, abs=1e-15)
            assert written(back(model)).text == written(model).text


def test_a_formula_of_gravity_is_a_number_or_a_loss():
    two = (Parameter("a", number(2)), Parameter("b"))
    known = model_with(gravity=falling(symbol("a") * 3, 0, 0, -1), parameters=two[:1])
    assert written(known).text.startswith("g;6;-z\n")
    assert [loss.place for loss in written(known).losses] == ["parameters/a"]
    open_ = model_with(gravity=falling(symbol("b") * symbol("a"), 0, 0, -1), parameters=two)
    assert written(open_).text.startswith("g;;-z\n")
    assert "gravity" in [loss.place for loss in written(open_).losses]


@pytest.mark.parametrize("row", ["g;9.81;-z", "g;7;2;-3;6", "g;;y", "g;0"])
@pytest.mark.parametrize("table", ["leg.tp.csv", "table5.tp.csv"])
def test_through_a_workbook_native_and_the_paper(row, table, tmp_path):
    model = system(under(row, text(table)))
    path = tmp_path / "t.tp.xlsx"
    path.write_bytes(registry.encode(registry.write(model, "tp"), str(path), "tp"))
    assert registry.read(path).system == model
    native = registry.read_text(registry.write(model, "native").text, "t.mbs.json").system
    assert native == model
    assert written(native).text == written(model).text


def test_the_paper_s_table_has_no_row_of_gravity():
    assert to_plain_table(written(system(under("g;7;2;-3;6"))).text) == text("table5.tp.csv")


def test_a_merged_row_of_gravity_is_refused(tmp_path):
    path = tmp_path / "t.tp.xlsx"
    path.write_bytes(registry.encode(registry.write(system(under("g;9.81;-z")), "tp"), str(path), "tp"))
    book = openpyxl.load_workbook(path)
    assert [cell.value for cell in book.active[1]][:3] == ["g", 9.81, "-z"]
    book.active.merge_cells("C1:D1")
    book.save(path)
    with pytest.raises(ReadError, match="C1:D1"):
        registry.read(path)


def test_no_loss_speaks_of_gravity_any_more_and_the_machine_is_the_same():
    assert not any(place == "gravity" for _, place, _ in LOSSES)
    for gravity in (None, falling(number("9.81"), 0, 0, -1), falling(number("1.62"), 1, 2, 3)):
        model = replace(system(MASSES), gravity=gravity)
        assert same_machine(model, back(model), 2).verdict == "agrees"
