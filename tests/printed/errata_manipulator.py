"""Errata of Golomazdin & Dmitrochenko 2022: the end position of the arm, figs. 11 and 12, monomial by monomial."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib.resources import files

from mbconcord.converters.registry import read_text
from mbconcord.model.expressions import ONE, ZERO, Expression, cos, sin, substitute, symbol
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.system import System
from mbconcord.model.transformation import AXES
from mbconcord.validation.judge.monomials import TermDifference, differences

#: Which angle an index of fig. 12's c and s means: the legend with 4 and 5 exchanged, and UM's zero of x2.
UM_ANGLES = {"1": "z1", "2": "x1", "3": "x2 + pi/2", "4": "x3", "5": "z2", "6": "z3"}


def end_position(system: System) -> list[Expression]:
    """World coordinates of the last body's frame, by eqs. (10)-(12) of Golomazdin & Dmitrochenko; axes ±x, ±y, ±z."""
    rows = [[ONE if i == k else ZERO for k in range(3)] for i in range(3)]
    position = [ZERO, ZERO, ZERO]
    for body in system.path(system.bodies[-1].name):
        for et in body.joint:
            axis, amount = next(
                (i, amount)
                for i, name in enumerate("xyz")
                for direction, amount in ((1, et.amount), (-1, -et.amount))
                if et.axis == tuple(direction * x for x in AXES[name])
            )
            if et.is_translation:
                position = [p + row[axis] * amount for p, row in zip(position, rows, strict=True)]
                continue
            c, s, a, b = cos(amount), sin(amount), (axis + 1) % 3, (axis + 2) % 3
            for row in rows:
                row[a], row[b] = c * row[a] + s * row[b], c * row[b] - s * row[a]
    return position


def printed(rows: list[str], angles: Mapping[str, str] | None = None) -> list[Expression]:
    """Printed rows as expressions; ``angles`` says which angle the index of each c and s means."""
    names = {
        symbol(name + index): function(parse_formula(angle))
        for index, angle in (angles or {}).items()
        for name, function in (("c", cos), ("s", sin))
    }
    return substitute(map(parse_formula, rows), names)


def manipulator_prints() -> dict[str, list[Expression]]:
    """The rows of fig. 11 and of fig. 12 in the names of the line.

    ``fig12 read`` is fig. 12 with each sign ``*`` between two monomials read as a minus.
    """
    folder = files("mbconcord.fixtures")
    prints = tomllib.loads(folder.joinpath("um_prints/manipulator_position.toml").read_text("utf-8"))
    as_read = [row.replace("c3*k", "c3 - k") for row in prints["fig12"]["rows"]]
    return {
        "fig11": printed(prints["fig11"]["rows"]),
        "fig12": printed(prints["fig12"]["rows"], UM_ANGLES),
        "fig12 read": printed(as_read, UM_ANGLES),
    }


def manipulator_differences() -> dict[str, list[tuple[TermDifference, ...]]]:
    """Row by row the monomials in which the prints of :func:`manipulator_prints` differ from the arm's end position."""
    text = files("mbconcord.fixtures").joinpath("mbsd/arm.mbsd").read_text("utf-8")
    exact = end_position(read_text(text, "arm.mbsd").system)
    return {
        name: [differences(a, b) for a, b in zip(exact, rows, strict=True)]
        for name, rows in manipulator_prints().items()
    }


def _table(rows: list[tuple[TermDifference, ...]]) -> str:
    lines = ["| row | monomial | exact | printed |", "|---|---|---|---|"]
    for number, terms in enumerate(rows, 1):
        lines += [f"| {number} | `{t.monomial}` | {t.first} | {t.second} |" for t in terms]
        if not terms:
            lines.append(f"| {number} | none: equal | | |")
    return "\n".join(lines)


def manipulator() -> str:
    """End position of the six-link arm: figs. 11 and 12 of Golomazdin & Dmitrochenko 2022."""
    found = manipulator_differences()
    return f"""\
## Golomazdin & Dmitrochenko 2022: end position of the arm `zk>xk>xk>zk>xk>zk`

The exact position is the product of the arm's matrices, eqs. (10)-(12). Monomials that a print does not share
with it, with their coefficients:

**Fig. 11** (the paper's generator), in the copy used here:

{_table(found["fig11"])}

Row 1 has a factor `sin(x2)` too many in its k5 term; the k6 term of the same row, which must have the same
factors, does not have it. Whether the figure or the copy of the paper used here errs is not known. Without it
fig. 11 is exact.

**Fig. 12** (Universal Mechanism), with `x2_UM = x2 + pi/2` and with the indices 4 and 5 of the legend
exchanged (4 is x3, 5 is z2), as it stands in the copy:

{_table(found["fig12"])}

In row 2 a `*` stands twice where two monomials meet (`c1*c2*c3*k4*c1*s2*s3`, the same with k3): that would be
a square of a length. Read as a minus there, what remains is:

{_table(found["fig12 read"])}

Row 1: `+k5*c2*c3*c4*s1` should have a minus, as the k6 term has. Row 2: `+k5*c1*c3*c5*s2*s4` and
`+k5*c1*c2*c5*s3*s4` should have a minus, as the k6 terms have. Row 3: `base` is the height of UM's base, not
in the line.
"""
