"""Errata of Golomazdin & Dmitrochenko 2022 beside the arm: pendulums, the check against UM, the crane's cylinder."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files

from mbconcord.converters.registry import read_text
from mbconcord.formalisms.registry import formalism
from mbconcord.model.expressions import Expression, evaluate_float
from mbconcord.model.expressions.formula import parse_formula

from .errata_manipulator import end_position

#: Where the rows are evaluated: lengths and masses 1, the angle 0.3.
VALUES = {"z1": 0.3, "x1": 0.3, "i1": 1.0, "j1": 1.0, "k1": 1.0, "m1": 1.0, "g": 9.81}
#: BDy, which the paper gives twice: in its line and in the table of fig. 15.
IN_LINE, IN_TABLE = 0.104, 1.04

#: What no number shows.
NOTATION = (
    "After (5): “equation (2.3)”; the paper's equations are (1) to (19), none has such a number. The print: the "
    "sentence comes from a text with other numbers.",
    "After fig. 15: “the table on figure 7”, twice; the table of lengths is that of fig. 15. The print.",
    "Fig. 15, table: BC_x, JJ_x and JJ_y for BG_x, JI_x and JI_y of the line; in the line l for I (Glx, Jlx). The "
    "scan, it seems.",
    "(15): the first sum is ∂²L/∂@̇_i∂@̇_j @̈_j, the second ∂²L/∂@̇_i∂@_j @̇_j; dots are lost. The scan, it seems.",
    "(16): the bracket that opens with the force is not closed.",
)


@dataclass(frozen=True)
class Erratum:
    """What is printed, what is right, the value of each, and whether the paper or the copy errs."""

    place: str
    printed: str
    correct: str
    of: str
    printed_value: float
    correct_value: float
    whose: str


def errata() -> Iterator[Erratum]:
    """Rows that have a number."""
    side = "the print: both have the sign of +∂Π/∂q, as if Q stood beside M q''"
    for line, printed in (("zig", "g*i1*m1*cos(z1)"), ("zjg", "-g*j1*m1*sin(z1)")):
        (right,) = formalism("lagrange").derive(read_text(line, "-", "mbsd").system).quantities["gravity"]
        assert isinstance(right, Expression)
        yield Erratum(f"fig. 7, {line}", f"Q = {printed}", f"Q = -({printed})", "Q of (8)",
                      value(parse_formula(printed)), value(right), side)  # fmt: skip
    yield Erratum("fig. 9 b, row 3", "-_c1*_k1", "_c1*_k1", "height of `xk`",
                  value(parse_formula("-cos(x1)*k1")), tip("xk", 2),
                  "the print or the scan; row 3 of fig. 9 a is right")  # fmt: skip
    yield Erratum("pendulums, shift along x", "zj_g", "zi_g", "x of the mass", tip("zj", 0), tip("zi", 0),
                  "the print or the scan; fig. 7 has zig")  # fmt: skip
    yield Erratum("pendulums, shift along -y", "-zj_g", "z-j_g", "y of the mass", tip("-zj", 1), tip("z-j", 1),
                  "the print or the scan: by the BNF a sign is that of the letter after it")  # fmt: skip


def value(expression: Expression) -> float:
    """The value of an expression at the state of the rows."""
    return evaluate_float(expression, VALUES)


def tip(line: str, axis: int) -> float:
    """A coordinate of the end of a short line, eqs. (10)-(12)."""
    return value(end_position(read_text(line, "-", "mbsd").system)[axis])


def boom_angles(depth: float) -> tuple[float, float]:
    """Angles of the boom (degrees) at which the cylinder CD of the crane is as long as CD0, for BDy = ``depth``.

    C and B are points of the tower, D is a point of the boom, which turns about B: |CB + R(z) BD| = CD0.
    """
    p = lengths()
    x, y = -p["ABx"] - p["ACx"], p["ABy"] - p["ACy"]
    far, near = math.hypot(x, y), math.hypot(p["BDx"], depth)
    between = math.acos((p["CD0"] ** 2 - far**2 - near**2) / (2 * far * near))
    turned = (math.atan2(y, x) + sign * between - math.atan2(depth, p["BDx"]) for sign in (1, -1))
    first, second = (math.degrees(math.remainder(angle, 2 * math.pi)) for angle in turned)
    return first, second


def lengths() -> dict[str, float]:
    """Parameters of the crane that are lengths printed in the paper, by name."""
    text = files("mbconcord.fixtures").joinpath("mbsd/patu655.mbsd").read_text("utf-8")
    parameters = read_text(text, "patu655.mbsd").system.parameters
    printed = {"ABx", "ABy", "ACx", "ACy", "BDx", "BDy", "CD0"}
    return {x.name: evaluate_float(x.value, {}) for x in parameters if x.name in printed and x.value is not None}


def section() -> str:
    """The section of tests/printed/errata.md."""
    lines = [
        "## Golomazdin & Dmitrochenko 2022: pendulums, the check against UM, the crane",
        "",
        "Values are those with masses and lengths 1, g = 9.81, the angle 0.3. The copy used here is a scan; whose the "
        "error seems to be is said beside it. All formulas of the figures, the right ones too, stand "
        "side by side in `tests/printed/prints.md`.",
        "",
        "| place | printed | correct | of | printed gives | correct gives | whose |",
        "|---|---|---|---|---|---|---|",
    ]
    for e in errata():
        cells = (e.place, f"`{e.printed}`", f"`{e.correct}`", e.of, f"{e.printed_value:.6g}", f"{e.correct_value:.6g}")
        lines.append(f"| {' | '.join(cells)} | {e.whose} |")
    line, table = (" and ".join(f"{a:.0f}°" for a in boom_angles(depth)) for depth in (IN_LINE, IN_TABLE))
    lines += [
        "",
        f"BDy, where the crane's cylinder CD holds the boom, is {IN_LINE} in the line and {IN_TABLE} in the table of "
        f"fig. 15: a misprint of one of them. The length CD0 = {lengths()['CD0']} does not decide: with {IN_LINE} the "
        f"cylinder has it at boom angles of {line}, with {IN_TABLE} at {table}. The models here have the line's.",
        "",
        "Without effect on a number:",
        "",
        *(f"* {line}" for line in NOTATION),
    ]
    return "\n".join(lines) + "\n"
