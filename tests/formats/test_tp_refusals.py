"""What a table refuses: each finding with file, row, column and remedy, in the language of the header."""

from __future__ import annotations

from io import BytesIO

import pytest

from mbconcord.cli import main
from mbconcord.converters import registry
from mbconcord.model import ReadError

from .test_tp import LEG, PLANAR, english, text

MASSES = text("leg.tp.csv")


def refusals(source, file="t.tp.csv"):
    with pytest.raises(ReadError) as caught:
        registry.read_text(source, file)
    return caught.value.diagnostics


def changed(source, row, column, value):
    lines = [line.split(";") for line in source.splitlines()]
    lines[row][lines[0].index(column)] = value
    return "".join(";".join(line) + "\n" for line in lines)


def without(source, column):
    lines = [line.split(";") for line in source.splitlines()]
    at = lines[0].index(column)
    return "".join(";".join(cell for i, cell in enumerate(line) if i != at) + "\n" for line in lines)


def beginning(source, line, name):
    """Where the cell of a column begins in its line, counted from 1."""
    lines = source.splitlines()
    separator = ";" if ";" in lines[0] else ","
    cells = lines[line - 1].split(separator)[: lines[0].split(separator).index(name)]
    return len("".join(cells)) + len(cells) + 1


TABLE = [
    ("missing КП", without(LEG, "КП"), (1, 1), ("нет столбца КП", "добавьте столбец КП")),
    ("missing joint", without(english(LEG), "joint"), (1, 1), ("no column joint", "add the column joint")),
    ("missing d", without(LEG, "d"), (1, 1), ("нет столбца d",)),
    ("missing y", without(english(LEG), "y"), (1, 1), ("no column y",)),
    ("unknown column", LEG.replace(";z\n", ";w\n"), (1, 14), ("'w'", "переименуйте")),
    ("second column", LEG.replace(";z\n", ";y\n"), (1, 14), ("второй столбец y",)),
    ("unknown joint", changed(LEG, 2, "КП", "ШКП"), (3, "КП"), ("строка 2, столбец КП", "'ШКП'", "ВКП, ПКП")),
    ("unknown joint, English", changed(english(LEG), 1, "joint", "S"), (2, "joint"), ("row 1, column joint", "R, P")),
    ("no axis of the base", changed(LEG, 2, "q", "z_2"), (3, "q"), ("строка 2, столбец q", "x_1, y, z_1", "тела 1")),
    ("no unit vector", changed(LEG, 1, "q", "0.6*x+0.7*y"), (2, "q"), ("неподвижной СК", "x, y, z")),
    ("a named axis without minus", changed(LEG, 3, "x", "-x_3"), (4, "x"), ("ожидается 'x_3'", "ось вращения")),
    (
        "a prismatic body turns",
        changed(text("table1.tp.csv"), 2, "x", "x_2"),
        (3, "x"),
        ("ожидается 'x_1'", "ПКП сохраняет"),
    ),
    ("d of another body", changed(LEG, 2, "d", "x_3"), (3, "d"), ("строка 2, столбец d", "x_2, y_2, z_1")),
    ("no d, no masses", changed(LEG, 2, "d", ""), (3, "d"), ("столбец d",)),
    ("base after child", changed(text("table7.tp.csv"), 2, "i-1", "3"), (3, 1), ("база 3", "тела 2", "перенумеруйте")),
    ("its own base", changed(text("table7.tp.csv"), 1, "i-1", "1"), (2, 1), ("база 1",)),
    ("no such base", changed(text("table7.tp.csv"), 3, "i-1", "7"), (4, 1), ("столбец i-1", "'7'")),
    ("negative base", changed(text("table7.tp.csv"), 3, "i-1", "-1"), (4, 1), ("столбец i-1", "'-1'")),
    ("numbers out of order", changed(LEG, 2, "i", "3"), (3, 1), ("строки нумеруются",)),
    ("mixed in the header", LEG.replace("x;y;z", "x,y;z"), (1, 11), ("','", "';'", "один разделитель")),
    ("mixed in a row", LEG.replace("2;ВКП;z_1;x_2;x_2;y_2;z_1", "2,ВКП,z_1,x_2,x_2,y_2,z_1"), (3, 2), ("','",)),
    ("mixed with commas", LEG.replace(";", ",").replace("3,ВКП,", "3;ВКП,"), (4, 2), ("';'",)),
    ("a cell too few", LEG.replace("3;ВКП;z_1;", "3;ВКП;"), (4, 1), ("ячеек: 6", "ожидается 7")),
    ("no rows", LEG.splitlines()[0] + "\n", (1, 1), ("нет строк",)),
    ("no number", changed(MASSES, 2, "m_o", "abc"), (3, "m_o"), ("строка 2, столбец m_o", "'abc'")),
    (
        "an empty number",
        changed(english(MASSES), 2, "own_mass", ""),
        (3, "own_mass"),
        ("row 2, column own_mass", "empty"),
    ),
    ("not finite", changed(MASSES, 2, "m_o", "1e999999"), (3, "m_o"), ("столбец m_o",)),
    (
        "decimal comma with commas",
        changed(MASSES, 1, "m_o", '"2,14"').replace(";", ","),
        (2, "m_o"),
        ("десятичная запятая",),
    ),
    ("centres without masses", without(MASSES, "m_o"), (1, 1), ("столбцу c_x нужен столбец m_o",)),
    ("an arm without z", without(MASSES, "R_z"), (1, 1), ("столбцу R_x нужен столбец R_z",)),
    (
        "d against the masses",
        changed(MASSES, 2, "d", "-x_2"),
        (3, "d"),
        ("строка 2, столбец d", "вдоль x_2", "напишите x_2"),
    ),
    ("d zero against the masses", changed(english(MASSES), 3, "cg", "0"), (4, "cg"), ("m along -y_3", "write -y_3")),
    (
        "masses along no axis",
        changed(english(MASSES), 3, "c_x", "0.49"),
        (4, "cg"),
        ("0.707107*x_3 - 0.707107*y_3", "leave the cell empty"),
    ),
    (
        "negative mass",
        changed(text("two_arm.tp.csv"), 3, "m_o", "-1").replace(";x_1;x_1;y;z_1;2", ";;x_1;y;z_1;2"),
        (4, "m_o"),
        ("-1 kg",),
    ),
    ("impossible tensor", changed(MASSES, 2, "I_yy", "9"), (3, "I_xx"), ("triangle inequality",)),
    (
        "impossible m_i",
        PLANAR.replace("m_o;", "m_o;m_i;").replace(";2;0;", ";2;7;0;").replace("z;1;0.5", "z;1;1;0.5"),
        (2, "m_i"),
        ("столбец m_i", "3"),
    ),
]


@pytest.mark.parametrize(("source", "at", "pieces"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_refused(source, at, pieces):
    first = refusals(source)[0]
    shown = str(first)
    assert shown.startswith(f"t.tp.csv:{at[0]}:"), shown
    for piece in pieces:
        assert piece in shown, shown
    assert first.remedy, shown
    column = beginning(source, *at) if isinstance(at[1], str) else at[1]
    assert (first.location.line, first.location.column) == (at[0], column), shown


def workbook(change):
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    for line in english(LEG).splitlines():
        sheet.append(line.split(";"))
    change(sheet)
    stored = BytesIO()
    book.save(stored)
    return stored.getvalue()


@pytest.mark.parametrize(
    ("change", "at", "pieces"),
    [
        (lambda s: s.merge_cells("E1:G1"), (1, 5), ("E1:G1", "merged", "unmerge")),
        (lambda s: s.__setitem__("C2", "#REF!"), (2, 3), ("C2", "#REF!", "repair the formula")),
        (lambda s: s.__setitem__("C3", "=A1+1"), (3, 3), ("C3", "=A1+1", "no stored value")),
        (lambda s: s.__setitem__("B3", "S"), (3, None), ("row 2, column joint", "'S'")),
    ],
    ids=["merged header", "formula with an error", "formula without value", "as in a text"],
)
def test_workbooks_refused(change, at, pieces, tmp_path):
    path = tmp_path / "t.tp.xlsx"
    path.write_bytes(workbook(change))
    with pytest.raises(ReadError) as caught:
        registry.read(path)
    first = caught.value.diagnostics[0]
    assert first.location.line == at[0] and at[1] in (None, first.location.column)
    for piece in pieces:
        assert piece in str(first)


def test_a_text_named_as_a_workbook_is_refused(tmp_path):
    path = tmp_path / "t.tp.xlsx"
    path.write_text(LEG, encoding="utf-8")
    with pytest.raises(ReadError, match="not a workbook"):
        registry.read(path)


def test_a_negative_start_of_a_prismatic_joint_is_a_warning_and_the_writer_turns_the_axis():
    source = changed(text("quadruped.tp.csv"), 2, "q0", "-0.4")
    reading = registry.read_text(source, "t.tp.csv")
    (warning,) = [d for d in reading.diagnostics if d.severity == "warning"]
    assert warning.place == "coordinates/q2" and "q = -x_1" in warning.remedy and "-0.4" in warning.message
    writing = registry.write(reading.system, "tp")
    row = writing.text.splitlines()[2].split(";")
    assert (row[3], row[-1]) == ("-x_1", "0.4")
    assert [loss.place for loss in writing.losses] == ["coordinates/q2"]


def test_info_tells_warnings(tmp_path, capsys):
    path = tmp_path / "backwards.tp.csv"
    path.write_text(changed(text("quadruped.tp.csv"), 2, "q0", "-0.4"), encoding="utf-8")
    assert main(["info", str(path)]) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"{path}:3:") and "warning: coordinates/q2: строка 2, столбец q0" in line


def test_exit_code_and_lines_of_the_program(tmp_path, capsys):
    path = tmp_path / "bad.tp.csv"
    path.write_bytes(changed(LEG, 2, "КП", "ШКП").encode("cp1251"))
    assert main(["derive", str(path), "--formalism", "static_moments"]) == 2
    assert f"{path}:3:3: error: строка 2, столбец КП" in capsys.readouterr().err
