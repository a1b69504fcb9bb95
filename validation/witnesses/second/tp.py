"""Reading of a ТП table at one state: rows are read in order; each names its axes after those of its base body.

The joint of body i is at R_i from its base's origin; m_oi is the body's own mass, m_i that with all bodies j on it:

    m_oi c_i + Σ m_j R_j = m_i d_i d̄_i        (d̄_i: an axis)

This gives the mass centre c_i if a table has only d_i, and else more digits of the components of c_i across d̄_i.
"""

from __future__ import annotations

import re

from .formula import Number, number
from .machine import NOWHERE, At, SecondMachine, SecondSolid, SecondStep, Triple, UnreadError, X, Y, Z, symmetric

COLUMNS = frozenset(
    ["i", "i-1", "КП", "q", "d", "x", "y", "z", "m_o", "R_x", "R_y", "R_z", "c_x", "c_y", "c_z",
     "I_xx", "I_yy", "I_zz", "I_xy", "I_xz", "I_yz", "m_i", "d_i", "q0"]
)  # fmt: skip
_DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
JOINTS = {"ВКП": True, "ПКП": False}
LETTERS = "xyz"
AXES = (X, Y, Z)


def read(text: str, at: At) -> SecondMachine:
    """Read the machine of a table at a state."""
    lines = [line.split(";") for line in text.removeprefix("\ufeff").splitlines() if line.strip()]
    table = [[cell.strip() for cell in line] for line in lines]
    weight = table.pop(0) if table and table[0][0] == "g" else None
    if len(table) < 2 or not set(table[0]) <= COLUMNS or len(set(table[0])) != len(table[0]):
        raise UnreadError("the heads of the columns")
    rows = [dict(zip(table[0], line, strict=False)) for line in table[1:]]
    if any(len(line) != len(table[0]) for line in table[1:]):
        raise UnreadError("rows of another length")
    return _SecondTpTable(rows, at).machine(weight)


class _SecondTpTable:
    def __init__(self, rows: list[dict[str, str]], at: At) -> None:
        self.rows, self.at = rows, at
        self.names: list[tuple[str, ...]] = [tuple(LETTERS)]
        self.base = [0]
        self.axis: list[tuple[int, int]] = [(0, 0)]
        for n, row in enumerate(rows, 1):
            if row.get("i", str(n)) != str(n) or row["КП"] not in JOINTS:
                raise UnreadError(f"row {n}")
            base = int(self._text(row, "i-1", str(n - 1)))
            if not 0 <= base < n:
                raise UnreadError(f"the base of row {n}")
            letter, sign = self._find_signed(row["q"], self.names[base])
            turned = tuple(
                name if k == letter or not JOINTS[row["КП"]] else f"{LETTERS[k]}_{n}"
                for k, name in enumerate(self.names[base])
            )
            if turned != tuple(row[a] for a in LETTERS):
                raise UnreadError(f"the names of the axes of row {n}")
            self.names.append(turned)
            self.base.append(base)
            self.axis.append((letter, sign))
        self.carried = [[j for j, b in enumerate(self.base) if j and b == n] for n in range(len(self.base))]
        self.whole: dict[int, Number] = {}
        self.own: dict[int, Number] = {}
        for n in range(len(rows), 0, -1):
            self._masses(n)

    def _text(self, row: dict[str, str], key: str, otherwise: str) -> str:
        found = row.get(key, otherwise)
        if not found.isdecimal():
            raise UnreadError(f"{key} {found!r:.20}")
        return found

    def _find_signed(self, text: str, names: tuple[str, ...]) -> tuple[int, int]:
        name = text.removeprefix("-")
        if name not in names:
            raise UnreadError(f"the axis {text!r:.20}")
        return names.index(name), -1 if text.startswith("-") else 1

    def _number(self, n: int, key: str) -> Number:
        """Return a number of row n; if its column is missing, the value of that parameter in the state."""
        row = self.rows[n - 1]
        name = f"{key}{n}" if key != "d_i" else f"d_{n}"
        if key not in row:
            if name not in self.at.open and name not in self.at.set:
                raise UnreadError(f"{name}, which the table does not have")
            return number(self.at.set.get(name, self.at.open.get(name, 0.0)))
        if _DECIMAL.fullmatch(row[key]) is None:
            raise UnreadError(f"the number {row[key]!r:.20}")
        return number(row[key])

    def _three(self, n: int, keys: str) -> list[Number]:
        return [self._number(n, f"{keys}_{a}") for a in LETTERS]

    def _arm(self, n: int) -> list[Number]:
        if "R_x" not in self.rows[n - 1] and not self.base[n]:
            return [number(0)] * 3
        return self._three(n, "R")

    def _masses(self, n: int) -> None:
        row, above = self.rows[n - 1], sum((self.whole[j] for j in self.carried[n]), number(0))
        self.own[n] = self._number(n, "m_i") - above if "m_i" in row and "m_o" not in row else self._number(n, "m_o")
        self.whole[n] = self.own[n] + above

    def _centre(self, n: int) -> Triple:
        row, own = self.rows[n - 1], self.own[n]
        others = [sum((self.whole[j] * self._arm(j)[k] for j in self.carried[n]), number(0)) for k in range(3)]
        along = None if row["d"] in ("0", "") else self._find_signed(row["d"], self.names[n])
        if "c_x" in row:
            centre = self._three(n, "c")
            given = bool(row["d"]) and "R_x" in row
            if given and own:
                centre = [-others[k] / own if along is None or k != along[0] else centre[k] for k in range(3)]
        elif not row["d"]:
            raise UnreadError(f"d of row {n}, which is empty")
        else:
            first = [number(0)] * 3
            if along is not None:
                first[along[0]] = along[1] * self.whole[n] * self._number(n, "d_i")
            centre = [(s - o) / own for s, o in zip(first, others, strict=True)] if own else first
        return float(centre[0]), float(centre[1]), float(centre[2])

    def machine(self, weight: list[str] | None) -> SecondMachine:
        """Return the machine whose bodies are the rows of the table."""
        solids, starts = [], {}
        for n, row in enumerate(self.rows, 1):
            turn, (letter, sign) = JOINTS[row["КП"]], self.axis[n]
            x, y, z = AXES[letter]
            arm = tuple(SecondStep(False, a, (float(r), 0.0, 0.0)) for a, r in zip(AXES, self._arm(n), strict=True))
            joint = SecondStep(turn, (sign * x, sign * y, sign * z), coordinate=f"q{n}")
            parts = [float(self._number(n, f"I_{k}")) for k in ("xx", "yy", "zz", "xy", "xz", "yz")]
            parent = f"body{self.base[n]}" if self.base[n] else None
            solids.append(
                SecondSolid(f"body{n}", parent, (*arm, joint), float(self.own[n]), self._centre(n), symmetric(*parts))
            )
            starts[f"q{n}"] = (float(self._number(n, "q0")) if row.get("q0") else 0.0, 0.0)
        return SecondMachine(tuple(starts), tuple(solids), self._gravity(weight), starts=starts)

    def _gravity(self, weight: list[str] | None) -> Triple:
        """Return gravity: 9.81 m/s² along -y, or the row's size along its signed axis or vector of three numbers."""
        if weight is None:
            return 0.0, -9.81, 0.0
        cells = [cell for cell in weight[1:] if cell]
        if not cells or len(cells) not in (1, 2, 4):
            raise UnreadError("the row of gravity")
        size = float(cells[0])
        if len(cells) == 1:
            return NOWHERE
        if len(cells) == 2:
            letter, sign = self._find_signed(cells[1], tuple(LETTERS))
            found = [size * sign * (k == letter) for k in range(3)]
        else:
            way = [float(c) for c in cells[1:]]
            found = [size * w / sum(x * x for x in way) ** 0.5 for w in way]
        return found[0], found[1], found[2]
