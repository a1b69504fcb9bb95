"""Findings about a table, in the language of its headers."""

from __future__ import annotations

from typing import Final

from mbconcord.converters.findings import Findings
from mbconcord.model.diagnostics import Location, ReadError, Severity

from .columns import Language

#: key -> (message, remedy) in English, (message, remedy) in Russian
TEXTS: Final[dict[str, tuple[tuple[str, str], tuple[str, str]]]] = {
    "no rows": (
        ("found a header and no rows; expected a row for each body", "add the bodies"),
        ("есть заголовок, но нет строк; нужна строка на каждое тело", "добавьте тела"),
    ),
    "missing column": (
        ("there is no column {column}; the header has {found}", "add the column {column}"),
        ("нет столбца {column}; в заголовке {found}", "добавьте столбец {column}"),
    ),
    "unknown column": (
        ("found a column {found}; expected one of {expected}", "rename or delete it"),
        ("найден столбец {found}; ожидается один из {expected}", "переименуйте или удалите его"),
    ),
    "second column": (
        ("a second column {column}; the first is column {first}", "keep one"),
        ("второй столбец {column}; первый — столбец {first}", "оставьте один"),
    ),
    "mixed separators": (
        ("found {found!r} in a table whose columns are separated by {separator!r}", "use one separator"),
        ("найден разделитель {found!r}, а столбцы разделены {separator!r}", "используйте один разделитель"),
    ),
    "width": (
        ("row {row} has {found} cells; expected {expected}", "one cell for each column"),
        ("в строке {row} ячеек: {found}; ожидается {expected}", "по одной ячейке на столбец"),
    ),
    "empty": (
        ("row {row}, column {column}: the cell is empty; expected {expected}", "fill it"),
        ("строка {row}, столбец {column}: ячейка пуста; ожидается {expected}", "заполните её"),
    ),
    "merged": (
        ("cells {cells} of the header are merged; expected a name in each cell", "unmerge them"),
        ("ячейки заголовка {cells} объединены; нужно имя в каждой ячейке", "разъедините их"),
    ),
    "formula": (
        ("cell {cell}: its formula gives {found}; expected a value", "repair the formula"),
        ("ячейка {cell}: формула даёт {found}; ожидается значение", "исправьте формулу"),
    ),
    "uncomputed": (
        (
            "cell {cell}: its formula {found} has no stored value",
            "open and save the workbook, or write the value",
        ),
        (
            "ячейка {cell}: у формулы {found} нет сохранённого значения",
            "откройте и сохраните книгу или впишите значение",
        ),
    ),
    "number": (
        ("row {row}, column {column}: found {found!r}; expected a number", "{remedy}"),
        ("строка {row}, столбец {column}: найдено {found!r}; ожидается число", "{remedy}"),
    ),
    "decimal comma": (
        ("a decimal comma is read in tables separated by ';'", ""),
        ("десятичная запятая читается в таблицах с разделителем ';'", ""),
    ),
    "row number": (
        ("row {row}, column {column}: found {found!r}; expected {expected}", "rows are numbered in order"),
        (
            "строка {row}, столбец {column}: найдено {found!r}; ожидается {expected}",
            "строки нумеруются по порядку",
        ),
    ),
    "base": (
        (
            "row {row}, column {column}: found {found!r}; expected 0 (the fixed frame) or a body",
            "as in 0 or 2",
        ),
        (
            "строка {row}, столбец {column}: найдено {found!r}; ожидается 0 (неподвижная СК) или номер тела",
            "например 0 или 2",
        ),
    ),
    "base after": (
        (
            "row {row}, column {column}: the base {found} does not stand before body {body}",
            "a base stands before the bodies it carries: renumber",
        ),
        (
            "строка {row}, столбец {column}: база {found} стоит не раньше тела {body}",
            "база стоит раньше тел, которые она несёт: перенумеруйте",
        ),
    ),
    "joint": (
        ("row {row}, column {column}: found {found!r}; expected {expected}", "one of the two"),
        ("строка {row}, столбец {column}: найдено {found!r}; ожидается {expected}", "одно из двух"),
    ),
    "axis": (
        (
            "row {row}, column {column}: found {found!r}; expected an axis of {frame}: {expected}, "
            "with or without -",
            "a joint's axis is an axis of its base",
        ),
        (
            "строка {row}, столбец {column}: найдено {found!r}; ожидается ось {frame}: {expected}, "
            "с минусом или без",
            "ось КП — ось базы",
        ),
    ),
    "direction": (
        (
            "row {row}, column {column}: found {found!r}; expected 0 or an axis of body {body}: {expected}, "
            "with or without -",
            "d points from the pole to the mass centre of the augmented body",
        ),
        (
            "строка {row}, столбец {column}: найдено {found!r}; ожидается 0 или ось тела {body}: {expected}, "
            "с минусом или без",
            "d направлен от полюса к центру масс дополненного тела",
        ),
    ),
    "axis name": (
        ("row {row}, column {column}: found {found!r}; expected {expected!r}", "{reason}"),
        ("строка {row}, столбец {column}: найдено {found!r}; ожидается {expected!r}", "{reason}"),
    ),
    "keeps": (("a prismatic body keeps the axes of its base", ""), ("ПКП сохраняет оси базы", "")),
    "turns": (
        ("a revolute body keeps the axis it turns about; the others are its own", ""),
        ("ВКП сохраняет ось вращения; остальные оси свои", ""),
    ),
    "needs": (
        ("the column {column} needs the column {needed}", "add {needed}, or delete {column}"),
        ("столбцу {column} нужен столбец {needed}", "добавьте {needed} или удалите {column}"),
    ),
    "inconsistent d": (
        (
            "row {row}, column {column}: found {found}; by the masses the mass centre of the augmented body "
            "lies at {distance} m along {true}",
            "{remedy}",
        ),
        (
            "строка {row}, столбец {column}: найдено {found}; по массам центр масс дополненного тела "
            "лежит на расстоянии {distance} м вдоль {true}",
            "{remedy}",
        ),
    ),
    "write d": (("write {d}, or correct the masses", ""), ("напишите {d} или исправьте массы", "")),
    "leave d": (
        ("leave the cell empty (d follows from the masses), or correct the masses", ""),
        ("оставьте ячейку пустой (d следует из масс) или исправьте массы", ""),
    ),
    "differs": (
        (
            "row {row}, column {column}: found {found}; by the other columns it is {true}",
            "correct one of them",
        ),
        (
            "строка {row}, столбец {column}: найдено {found}; по другим столбцам {true}",
            "исправьте одно из них",
        ),
    ),
    "completed": (
        ("c of {bodies}: d completes its digits (by {change} m at most)", ""),
        ("c {bodies}: цифры дополнены по d (не более чем на {change} м)", ""),
    ),
    "negative q": (
        (
            "row {row}, column {column}: the initial q of a prismatic joint is {found}; "
            "the paper wants q >= 0 (the equations do not)",
            "turn the axis round: q = {axis}",
        ),
        (
            "строка {row}, столбец {column}: исходное q поступательной пары {found}; в статье q >= 0 "
            "(уравнениям это не нужно)",
            "разверните ось: q = {axis}",
        ),
    ),
    "lamina": (
        (
            "no I_xx, I_yy: they are taken as I_zz / 2, those of a plate; a planar motion does not use them",
            "",
        ),
        ("нет I_xx, I_yy: взяты I_zz / 2, как у пластины; в плоском движении они не участвуют", ""),
    ),
    "frames": (("НКО = ({names})", ""), ("НКО = ({names})", "")),
    "gravity row": (
        (
            "row {row}: found {found} cells; expected a magnitude (m/s²) and a direction: a named axis or three "
            "numbers",
            "as in g;9.81;-y or g;9.81;0;-1;0; without gravity g;0",
        ),
        (
            "строка {row}: ячеек {found}; ожидается величина (м/с²) и направление: имя оси или три числа",
            "например g;9.81;-y или g;9.81;0;-1;0; без силы тяжести g;0",
        ),
    ),
    "negative gravity": (
        (
            "row {row}, column {column}: found {found}; a magnitude is not negative",
            "turn the direction round",
        ),
        (
            "строка {row}, столбец {column}: найдено {found}; величина не отрицательна",
            "разверните направление",
        ),
    ),
    "gravity direction": (
        (
            "row {row}, column {column}: found {found!r}; expected x, y or z, with or without -, or three numbers, "
            "not all zero",
            "the direction in which things fall",
        ),
        (
            "строка {row}, столбец {column}: найдено {found!r}; ожидается x, y или z, с минусом или без, или три "
            "числа, не все нули",
            "направление, куда падают тела",
        ),
    ),
    "gravity": (
        ("the table has no row of gravity: 9.81 along -y", ""),
        ("в таблице нет строки силы тяжести: 9.81 вдоль -y", ""),
    ),
    "no values": (
        ("without values, which numbers would need: {names}", ""),
        ("без значений, нужных для чисел: {names}", ""),
    ),
    "unreadable": (
        ("not a workbook: {found}", "save it as .xlsx"),
        ("не книга: {found}", "сохраните её как .xlsx"),
    ),
}


def said(language: Language, key: str, **values: object) -> tuple[str, str]:
    """Message and remedy in a language."""
    message, remedy = TEXTS[key][language == "ru"]
    return message.format(**values), remedy.format(**values)


class Messages(Findings):
    """Findings about one table, in the language of its headers."""

    def __init__(self, file: str, language: Language) -> None:
        super().__init__(file)
        self.language = language

    def text(self, key: str, **values: object) -> str:
        """A piece of a message."""
        return said(self.language, key, **values)[0]

    def wrong(self, key: str, line: int, column: int, /, **values: object) -> None:
        """An error at a line and column of the file."""
        self.refuse(Location(self.file, line, column), *said(self.language, key, **values))

    def stop(self) -> None:
        """Raise the errors in the order in which they were met: in a table the first causes others before it."""
        if self.errors:
            raise ReadError(self.errors)

    def say(
        self, severity: Severity, key: str, line: int, column: int, place: str = "", /, **values: object
    ) -> None:
        """A warning or note."""
        message, remedy = said(self.language, key, **values)
        self.remark(severity, "", Location(self.file, line, column), message, remedy, place)
