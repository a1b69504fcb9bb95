"""Errata of Konoplev 1989 that no number proves: letters, dots, indices, references; read from their context."""

from __future__ import annotations

#: number, place, printed, meant
ROWS = (
    (3, "(1.3)", "no number", "the recurrence of relative twists is (1.3), as §3 cites it"),
    (9, "example, s_3^{2-5} and s_3^{3-6}", "r_c³", "r_c1³"),
    (13, "(2.1)", "V^{lk*}, A^{lk*}", "V̇, Ȧ"),
    (14, "above (2.3)", "S (4.6)", "S (1.6)"),
    (15, "(2.4)", "F_+ with stacked u_+ and n_+", "u^{lk} and n^{lk} of the pair alone, which S_+ leaves"),
    (16, "after (2.4)", "aggregates (1.2); M (4.7); ‖j‖ᵀ", "aggregates (2.1); M (1.6)-(1.7); ‖f‖ᵀ"),
    (17, "(3.1)", "M f q", "M f q̇"),
    (18, "(3.2)", "Lᵀ M f q of the link itself", "V of the parent and M f q̇, summed over the chain (lk)_-"),
    (19, "(3.3)", "q* = ‖q^{11}, q^{ν2*}, …‖", "all rates"),
    (26, "(4.3)-(4.5)", "A_p^{σt-α}", "A_p, 6×6, of body p"),
    (29, "after (4.5)", "algorithms (4.5) and (4.6)", "(1.11) and (4.5), it seems: (4.6) are the constraints"),
    (32, "item 6", "block rows 6×6m; V without rates", "block rows of Sᵀ, 6×n; V = Σ sᵀ q̇ + V of the link after it"),
    (33, "tier A-I", "D_1³", "p_1³"),
    (58, "example, V_1", "V_1 = s_1^{1-2,T}, s_2¹ = ‖…‖, a comma", "V_1 = s_1^{1-2,T} ṡ_2¹ = ‖…‖, a product"),
    (
        59,
        "example, V_3, second and third entry",
        "r_c c_1³ θ_6³",
        "r_c1³ θ̇_6³ in the second, r_c1³ c θ_6³ in the third",
    ),
    (68, "b-V, b_22 and b_32", "s_{3,i} beside z_{3,i}", "ṡ_{3,i}, of tier b-IV"),
)


def section() -> str:
    """What follows the table of numbers in tests/printed/errata.md."""
    lines = [
        "",
        "Errors of notation, which no number shows:",
        "",
        "| # | place | printed | meant |",
        "|---|---|---|---|",
    ]
    lines += [f"| {number} | {place} | {printed} | {meant} |" for number, place, printed, meant in ROWS]
    return "\n".join(lines) + "\n"
