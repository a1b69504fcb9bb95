"""Errata of Telegin & Kaygorodtsev 2010: what stands in the copy, what is right, and the numbers that decide.

Every row is computed on the branched tree of fixtures/telegin/vectors.json. Where the copy is damaged, the readings
that the damage leaves open are tried.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

from ..reference.linkages import TREE
from .planar_numbers import Tree, dot

Kind = Literal["printed", "damaged"]


@dataclass(frozen=True)
class Erratum:
    """A printed or read formula beside the right one, and the value of each.

    Attributes
    ----------
    number : of the row
    place : where it stands in the paper
    kind : "printed": it stands so in the copy; "damaged": it is one reading of what is left of it
    found, correct : formulas
    quantity : what is computed
    found_value, correct_value : numbers
    """

    number: int
    place: str
    kind: Kind
    found: str
    correct: str
    quantity: str
    found_value: float
    correct_value: float


#: Rows that have no number, and why.
WITHOUT_NUMBER = {
    2: "(2): `R_kj × F_ri` for `R_ki × F_ri`. The index j is bound by nothing, so the printed sum has no value.",
    4: "(22): the diagonal is not defined. `h_kk = 0`, since h is skew-symmetric; i + 1 has no meaning for i = k.",
    8: "(8) and (9): nothing can be read. They are restored from the proof; rows 7 and 9 try what could be meant.",
    10: "(10)-(12): “until the decrement of i equals 1” holds for one root that is numbered 1. Above a root with "
    "another number the rule never stops: it is as long as the base of i is a link.",
    16: "“(19)” beside (18): a label. (19) is H_kk in the proof, the recurrences are (17) and (18).",
    19: "(23): elements with i < k are in none of its cases. They are 0, as the text calls S upper triangular.",
    20: "Algorithm, step 3: joints with the ground are cut only. A loop without the ground needs a cut between two "
    "links, with F on one and -F on the other; the tests solve Watt's six-bar so.",
    22: "Introduction: “k = 1, 2, …, M” is to N, the number of links.",
    23: "Definitions: “m_di = mД” is `m_di = m_i d_i`; nothing else has its dimension there.",
}


@cache
def errata() -> tuple[Erratum, ...]:
    """The rows that have numbers."""
    free, loaded = Tree(TREE, loaded=False), Tree(TREE, loaded=True)
    M1, M1_loaded, M3 = "M_1", "M_1 with the load on link 4", "M_3"
    right, right_loaded = free.rud(free.M_difference), loaded.rud(loaded.M_difference)
    H31, h31, h51 = free.H(3, 1), free.h(3, 1), free.h(5, 1)
    A, _ = free.A_and_B(5, 3)
    T = free.kinetic_energy()
    b31 = sum(free.Js(j, m) for m in free.children(3) for j in free.sub(m))
    upward = sum(free.Js(3, j) for j in free.path(1, 3))
    a51 = free.Js(5, free.after(1, 5))
    H_near = sum(free.J[j] + dot(free.between(1, j), free.s[j]) for j in free.sub(3))
    diagonal = sum(free.Jc(i, j) for j in free.children(1) for i in free.sub(j))
    H11 = free.J[1] + sum(free.H(j, j) for j in free.children(1))
    return (
        Erratum(1, "(20), (24): M_rk", "printed", "M_rk of (2)", "M_rk of (25): that of (2) less those of the adjacent",
                M1_loaded, loaded.rud(loaded.M_sum), right_loaded),
        Erratum(3, "proof of statement 7", "printed", "T = ωᵀ H ω", "T = ½ ωᵀ H ω", "T", 2 * T, T),
        Erratum(5, "(1), second sum", "damaged", "[m_di R^y_ki + Σ B_jj] ω_i²", "[m_di R^y_ki - Σ B_jj] ω_i²",
                M1, free.absolute(1, second=1), right),
        Erratum(6, "(1), first sum", "damaged", "A_k,i+1 ε_i + B_k,i+1 ω_i²", "A_k,i+1 ε_i - B_k,i+1 ω_i²",
                M3, free.absolute(3, first=1), free.absolute(3)),
        Erratum(7, "(3), (8): the letter A", "printed", "A_ki of (3) in (6)", "A_ki of (6) is A_k,i+1 of (3)",
                "A_53", A, free.Jc(5, 5)),
        Erratum(9, "(9), b_ik", "damaged", "Σ J^s_jm + Σ J^s_ij", "Σ J^s_jm - Σ J^s_ij", "b_31",
                b31 + upward, b31 - upward),
        Erratum(11, "(13), carried links", "damaged", "+ h_ik (q'_i² + 2 q'_i ω_i-1)", "- h_ik (q'_i² + 2 q'_i ω_i-1)",
                M1, free.relative(1, sign=1), right),
        Erratum(11, "(13), carried links", "damaged", "- h_ik (q'_i² + q'_i ω_i-1)", "- h_ik (q'_i² + 2 q'_i ω_i-1)",
                M1, free.relative(1, factor=1), right),
        Erratum(12, "(14)", "damaged", "Σ (J_j + m_dj R^x_ij)", "Σ [J_j + m_dj (R^x_kj + R^x_ij)]", "H_31",
                H_near, H31),
        Erratum(12, "(15)", "damaged", "Σ m_dj (R^y_ij - R^y_kj)", "Σ m_dj (R^y_kj - R^y_ij)", "h_31", -h31, h31),
        Erratum(13, "(16), last sum", "damaged", "Σ J^c_jm", "2 Σ J^c_jm", "H_11",
                free.H(1, 1, factor=1), free.H(1, 1)),
        Erratum(14, "(17)", "damaged", "J_k + Σ (H_jj + A_jk)", "J_k + Σ (H_jj + 2 A_jk)", "H_11",
                H11 + diagonal, H11 + 2 * diagonal),
        Erratum(15, "(18)", "damaged", "h_k,i-1 = h_ki - a_k,i-1", "h_k,i-1 = h_ki + a_k,i-1", "h_51",
                free.h(5, 3) - a51, h51),
        Erratum(17, "(24)", "damaged", "signs of J^s exchanged",
                "J^c ε_i + J^s ω_i² of carriers, J^c ε_i - J^s ω_i² of carried links", M1,
                free.rud(free.M_difference, sign=-1), right),
        Erratum(18, "(25)", "damaged", "Σ R_j e_j × F_rj", "Σ R_j e_j × Σ F_ri over what j carries", M1_loaded,
                loaded.rud(lambda k: loaded.M_difference(k, carried=False)), right_loaded),
        Erratum(21, "proof of (1)", "damaged", "- m_ck × Σ […]", "+ k · m_ck × Σ […]", M3,
                free.transported(3, sign=-1), free.transported(3)),
        Erratum(21, "proof of (1), m_ck", "damaged", "m_dk i_k of the augmented body", "Σ m_dj i_j of what k carries",
                M3, free.transported(3, whole=False), free.transported(3)),
    )  # fmt: skip


def section() -> str:
    """The section of tests/printed/errata.md."""
    lines = [
        "## Telegin & Kaygorodtsev 2010: writing out the equations of planar linkages",
        "",
        "The copy used here is damaged in most formulas. *Printed*: it stands so in the copy. *Damaged*: one reading "
        "of what is left of it, which the number refutes; whether the paper errs there cannot be told. The numbers are "
        "those of the branched tree of fixtures/telegin/vectors.json, computed from the links' own masses.",
        "",
        "| # | place | | found | correct | of | gives | correct gives |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for e in errata():
        values = (f"{x:.6g}" for x in (e.found_value, e.correct_value))
        cells = (str(e.number), e.place, e.kind, f"`{e.found}`", f"`{e.correct}`", e.quantity, *values)
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    lines += ["", "Not reproduced, since there is no number to compute:", ""]
    lines += [f"* {number}, {why}" for number, why in WITHOUT_NUMBER.items()]
    return "\n".join(lines) + "\n"
