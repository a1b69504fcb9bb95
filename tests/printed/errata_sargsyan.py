"""Errata of Sargsyan, Stepanyan & Gevorgyan 2005: each printed form beside the one that the vectors confirm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from laboratory.machines import ACCELERATION, LENGTHS
from mbconcord.formalisms.flexible import Flexible
from mbconcord.testing import Fault, inject

from ..formalisms.flexible import arms

_PACKAGE = "mbconcord.formalisms.flexible."


@dataclass(frozen=True)
class Erratum:
    """A place: what is printed, what is meant, and a change of the recursion that computes what is printed."""

    place: str
    printed: str
    meant: str
    literal: Fault
    why: str


ERRATA = (
    Erratum(
        "(1)",
        "no elastic forces",
        "K_e q^e + D_e q̇^e in C^e",
        Fault("no elastic forces", _PACKAGE + "equations", "Equations.elastic", "times(x.stiffness, k.q)",
              "0 * times(x.stiffness, k.q)"),
        "a clamped beam with a force at its tip has no static deflection; with the term it has FL³/3EI",
    ),
    Erratum(
        "(2)-(5)",
        "ᵇR_j Φ_j(A_b)",
        "ᵇY_j Φ_j(A_b), Y carries over the arm from the node to the joint",
        Fault("no arm", _PACKAGE + "kinematics", "Kinematics.bends", "self._carrying(self.arm)",
              "self._carrying(0 * self.arm)"),
        "the same where joint and node coincide; a joint that slides is displaced from its node",
    ),
    Erratum(
        "(2)-(5)",
        "Φ of unstated size, read as 3×N",
        "Φ is 6×N, displacement and rotation of the section",
        Fault("no turn", _PACKAGE + "kinematics", "Kinematics.bends", "[x.moves, x.turns]", "[x.moves, 0 * x.turns]"),
        "with three rows a moment at the node would not bend the link",
    ),
    Erratum(
        "(4), (5)",
        "K, m without a definition, read with J_ee of (1)",
        "K = J_rr* - J_re* J_ee*⁻¹ J_er*, m = C_r* - J_re* J_ee*⁻¹ C_e*, with the blocks of (2), (3)",
        Fault("unstarred", _PACKAGE + "recursion", "inwards", "eliminate_modes(re[j], ee[j], c[j], bent[j])",
              "eliminate_modes(re[j], J.ee[j][..., :sizes[j], :sizes[j]], c[j], bent[j])"),
        "the modes carry what hangs on the nodes",
    ),
)  # fmt: skip
#: Case c: in space, two nodes, a slide beside a node; d1: the paper's own example in motion.
CASES = ("c", "d1")

#: What is printed otherwise than meant, without effect on a number, or has none.
NOTATION = (
    "(1), in the copy used here: J_πj, J_πej, J_eπj are J_rr, J_re, J_er, and Ṽ_j, q̃_j^e are V̇_j, q̈_j^e; rows 1 and 3 "
    "of (2) print J_rj*, J_ej* for J_rr*, J_er* of (1).",
    "(2): limits ξ_j, ζ_j and ξ_l, ζ_l are the same; the sets {C_l}, {A_l} have the letters of a link and a point.",
    "(5): d̈_c is the given acceleration q̈_c.",
    "Section 3, procedure 3: j = 1, …, p for j = 1, …, n; there are n unknowns.",
    "Section 4: q_2^c(0) is q_2^e(0), and the “linear deformation” ²ü_2(A_3) is the displacement u_2(A_3).",
)


def deviations(erratum: Erratum | None, case: str) -> dict[str, float]:
    """Largest deviation from the vectors, of q̈, q̈^e and efforts, each by the largest of its kind; None: as meant."""
    if erratum is None:
        return _against(Flexible(), case)
    with inject(erratum.literal) as literal:
        assert isinstance(literal, Flexible) or literal.name == "flexible"
        return _against(literal, case)


def _against(by: object, case: str) -> dict[str, float]:
    given = arms.VECTORS[case]
    found = by.solve(arms.system(case), [arms.state(case)])  # type: ignore[attr-defined]
    joints = len(given["acceleration"])
    efforts = [
        float(found.efforts[name][0]) if imposed else tau
        for name, imposed, tau in zip(arms.joints(case), given["imposed"], given["effort"], strict=True)
    ]
    pairs: Mapping[str, tuple[object, object]] = {
        "q̈": (found.accelerations[0][:joints], given["acceleration"]),
        "q̈^e": (found.accelerations[0][joints:], given["modal_acceleration"]),
        "τ": (efforts, given["effort"]),
    }
    return {key: float(np.abs(np.subtract(a, b)).max() / np.abs(np.asarray(b)).max()) for key, (a, b) in pairs.items()}


def section() -> str:
    """The section of the page."""
    lines = [
        "## Sargsyan, Stepanyan & Gevorgyan 2005: trees with elastic links",
        "",
        "The symbols that the paper leaves to its references were derived anew. The table shows by how much",
        "accelerations of joints and modes and efforts of drives are off, by the largest of each, where a formula is",
        "taken as printed: in a tree in space with two nodes (c), and in the paper's own example in motion (d1), both",
        "of `fixtures/elastic/vectors.toml`. Signs, U, Z and the terms of given accelerations are right as printed.",
        "",
        "| place | printed | meant | c: q̈, q̈^e, τ | d1: q̈, q̈^e, τ | why |",
        "|---|---|---|---|---|---|",
    ]
    for row in ERRATA:
        off = [", ".join(_shown(x) for x in deviations(row, case).values()) for case in CASES]
        lines.append(f"| {row.place} | {row.printed} | {row.meant} | {off[0]} | {off[1]} | {row.why} |")
    turned = ACCELERATION * 0.15**2 / 2
    lines += [
        "",
        f"Section 4 gives q̈_4 = {ACCELERATION} m/s² and calls C_4 a moment. Taken as rad/s², joint 4 turns by",
        f"{turned:.4g} rad in the 0.15 s of the figure; as m/s², link 4 would slide {turned:.4g} m along links of",
        f"{LENGTHS[3]} m. The fixture has the turn; `python -m laboratory.bench four_links` shows both.",
        "",
        "Without effect on a number:",
        "",
        *(f"* {line}" for line in NOTATION),
    ]
    return "\n".join(lines) + "\n"


def _shown(x: float) -> str:
    return "0" if x < 1e-9 else f"{x:.2g}"
