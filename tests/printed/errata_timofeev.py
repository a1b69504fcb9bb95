"""Errata of Timofeev's paper: its printed static moments against those written out from its own tables."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any

from mbconcord.converters.registry import read_text
from mbconcord.formalisms.static_moments import expand_sums
from mbconcord.formalisms.static_moments.links import links
from mbconcord.formalisms.static_moments.moments import moments
from mbconcord.formalisms.static_moments.writeout import write_out
from mbconcord.model.expressions import ZERO, Expression, substitute, symbol
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.system import System
from mbconcord.validation.judge.monomials import TermDifference, differences

from ..formalisms.static_moments.formulas import machine_moment

#: Where each formula that errs stands, and what is to be said of it.
REMARKS = {
    ("table3", "m_2"): "Section 4: at a line break the sign stands twice, `- + m_c1 y_5` (transcribed with the "
    "first); the plus is right, as the next line has it.",
    ("table7", "m_2"): "Section 8: by table 7 the bodies adjacent to 1 are 2 and 3, so that body 2 carries none "
    "and m_2 = 0. The result for m_1 is right: (2) has both shifts.",
    ("table8", "m_1"): "Table 8, row 1: d = x_1 should be y, as in table 2, whose leg it is; the printed moment "
    "is that of the corrected table.",
    ("hexapod", "m_c"): "Section 10: the line above lists six equal terms m_n y.",
}


#: What else is printed otherwise than meant, without effect on a formula or a number.
NOTATION = (
    "Section 1: “in the works [2, 3]”; the list of literature has two items, and the introduction says [1, 2].",
    "Sections 4 and 7: m_c2 = m_d4 - m_d3 and m_c2 = -m_d3 + m_d4 are the same sum.",
    "Section 8, title: “Двуркий” for “Двурукий”.",
    "Section 9: m_d, m_c, m_b and m_n of a leg are letters of the hull too (m_d d, m_c); the results are right.",
    "Sections 9 and 10: “moment of leg i: m_1, …” and x_i count legs; with the numbers of table 5 they are x_2 and y_3 "
    "of each leg.",
)


def printed() -> dict[str, Any]:
    """The transcription of the printed formulas."""
    return tomllib.loads(files("mbconcord.fixtures").joinpath("tp/printed.toml").read_text("utf-8"))


def table(file: str) -> System:
    """A table of the paper."""
    text = files("mbconcord.fixtures").joinpath("tp", file).read_text("utf-8")
    return read_text(text, file).system


def compared() -> Iterator[tuple[str, str, tuple[TermDifference, ...]]]:
    """(table or machine, moment, terms in which the print differs from the derivation) for every print."""
    for name, entry in printed().items():
        where = {key: parse_formula(text) for key, text in entry["where"].items()}
        if "leg" in entry:
            made = machine_moment(table(entry["leg"]), entry["legs"])
            yield name, "m_c", differences(vector(made), _meant(entry["moment"], where))
            continue
        written = write_out(moments(links(table(entry["file"]))))
        for number, text in entry["moments"].items():
            made = expand_sums(written, int(number))
            yield name, f"m_{number}", differences(vector(made), _meant(text, where))


def vector(terms: Mapping[str, Expression]) -> Expression:
    """A moment as one expression, its vectors as symbols."""
    return sum((scalar * symbol(unit) for unit, scalar in terms.items()), ZERO)


def _meant(text: str, where: Mapping[str, Expression]) -> Expression:
    """A printed formula over m_d, m_q and the vectors."""
    names = {symbol(key): value for key, value in where.items()}
    found = parse_formula(text)
    for _ in names:
        found = substitute([found], names)[0]
    return found


def timofeev() -> str:
    """The page's section."""
    rows = ["| where | moment | term | derived | printed |", "|---|---|---|---|---|"]
    notes, total, wrong = [], 0, 0
    for name, moment, terms in compared():
        total += 1
        if terms:
            wrong += 1
            head = f"| {name} | {moment} |"
            rows += [f"{head} `{t.monomial}` | {t.first} | {t.second} |" for t in terms]
            notes.append(f"* {REMARKS[name, moment]}")
    return f"""\
## Timofeev: static moments written out from tables of parameters

{total} printed moments are compared term by term with those that formulas (1) and (2) give for the paper's
own tables (`fixtures/tp/printed.toml`); {total - wrong} are the same. The others:

{chr(10).join(rows)}

{chr(10).join(notes)}

Without effect on a formula or a number:

{chr(10).join(f"* {line}" for line in NOTATION)}
"""
