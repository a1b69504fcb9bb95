"""Elastic modes of a body: displacements by modal coordinates, in a frame at the inboard joint.

A point r0 of the body goes to r0 + Σ φ_k q_k. To keep the stiffness of a beam that rotates fast or is loaded along its
axis, products of modal coordinates move points too, r0 + Σ φ_k q_k + Σ φ_ab q_a q_b: bending draws the tip of a beam
back, φ_ab = -∫ f_a′ f_b′ dx along its axis. Their integrals follow those of the modes.
"""

from __future__ import annotations

from collections.abc import Iterable

from mbconcord.records import dataclass, replace

from ..diagnostics import ModelError, error
from ..expressions import Expression, Scalar, as_expression
from ..transformation import Vector, vector

Matrix = tuple[tuple[Expression, ...], ...]


def matrix(rows: Iterable[Iterable[Scalar]]) -> Matrix:
    """Convert rows of scalars to a tuple of tuples of expressions."""
    return tuple(tuple(map(as_expression, row)) for row in rows)


@dataclass(frozen=True, slots=True)
class ElasticNode:
    """An attachment point: its undeformed position, and its displacements by N modes (Φ and Ψ, 3×N).

    Φ has a column more for every product of modal coordinates that moves points.
    """

    name: str
    position: Vector
    translation: Matrix
    rotation: Matrix

    def __post_init__(self) -> None:
        object.__setattr__(self, "position", vector(self.position))
        object.__setattr__(self, "translation", matrix(self.translation))
        object.__setattr__(self, "rotation", matrix(self.rotation))


@dataclass(frozen=True, slots=True)
class ElasticModes:
    """Shape integrals of an elastic body with N modes, in body axes (SI).

    Attributes
    ----------
    coordinates : names of the N modal coordinates in the system (m, for shapes that are 1 at the tip)
    first_moments : N rows of 3: S_k = ∫φ_k dm
    second_moments : (N+1)×(N+1) blocks, each 3×3: P_kl = ∫φ_k φ_lᵀ dm, φ_0 = r0 (P_lk = P_klᵀ)
    stiffness, damping : N×N
    section_inertia : 3×3 I_s, 3×N D and N×N R_ee of the sections' rotary inertia; empty when there is none
    nodes : attachment points
    products : pairs of modal coordinates whose products move points; ``first_moments`` and ``second_moments`` have
        their rows and columns after those of the modes, and Φ of the nodes has their columns
    """

    coordinates: tuple[str, ...]
    first_moments: Matrix
    second_moments: tuple[tuple[Matrix, ...], ...]
    stiffness: Matrix
    damping: Matrix
    section_inertia: tuple[Matrix, ...] = ()
    nodes: tuple[ElasticNode, ...] = ()
    products: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        n = len(self.coordinates)
        object.__setattr__(self, "coordinates", tuple(self.coordinates))
        for name in ("first_moments", "stiffness", "damping"):
            object.__setattr__(self, name, matrix(getattr(self, name)))
        blocks = tuple(tuple(matrix(block) for block in row) for row in self.second_moments)
        object.__setattr__(self, "second_moments", blocks)
        object.__setattr__(self, "section_inertia", tuple(matrix(m) for m in self.section_inertia))
        object.__setattr__(self, "nodes", tuple(self.nodes))
        object.__setattr__(self, "products", tuple((a, b) for a, b in self.products))
        fields = n + len(self.products)
        also = f" and {fields - n} product{'s' * (fields - n != 1)} of them" if self.products else ""
        shapes: list[tuple[str, Matrix, int, int]] = [
            ("first_moments", self.first_moments, fields, 3),
            ("stiffness", self.stiffness, n, n),
            ("damping", self.damping, n, n),
        ]
        for node in self.nodes:
            shapes.append((f"nodes/{node.name}/translation", node.translation, 3, fields))
            shapes.append((f"nodes/{node.name}/rotation", node.rotation, 3, n))
        if self.section_inertia:
            sizes = zip(self.section_inertia, (3, 3, n), (3, n, n), strict=False)
            shapes += [("section_inertia", value, rows, columns) for value, rows, columns in sizes]
        findings = [
            error(
                f"modes/{name}",
                f"{_size(value)} where {rows} by {columns} are expected for {n} mode{'s' * (n != 1)}{also}",
                "one row or column for each mode, in the order of the coordinates",
            )
            for name, value, rows, columns in shapes
            if _differs(value, rows, columns)
        ]
        if len(self.section_inertia) not in (0, 3):
            findings.append(error("modes/section_inertia", "expected three matrices: I_s, D and R_ee"))
        foreign = sorted({name for pair in self.products for name in pair} - {*self.coordinates})
        if foreign:
            remedy = f"known: {', '.join(self.coordinates)}"
            findings.append(error("modes/products", f"there is no mode {', '.join(foreign)}", remedy))
        square = len(blocks) == fields + 1 and all(len(row) == fields + 1 for row in blocks)
        if not square or any(_differs(block, 3, 3) for row in blocks for block in row):
            findings.append(error("modes/second_moments", f"expected {fields + 1} by {fields + 1} blocks of 3 by 3"))
        if findings:
            raise ModelError(findings)

    def with_point(self, mass: Expression, at: Vector) -> ElasticModes:
        """Return the modes with a point mass at the origin or at a node added: S_k += m φ_k, P_kl += m φ_k φ_lᵀ."""
        node = next((n for n in self.nodes if n.position == at), None)
        if node is None:
            return self
        moved = [at, *zip(*node.translation, strict=True)]
        first = tuple(
            tuple(x + mass * y for x, y in zip(row, own, strict=True))
            for row, own in zip(self.first_moments, moved[1:], strict=True)
        )
        second = tuple(
            tuple(
                tuple(
                    tuple(x + mass * (a * b) for x, b in zip(line, own, strict=True))
                    for line, a in zip(block, other, strict=True)
                )
                for block, own in zip(row, moved, strict=True)
            )
            for row, other in zip(self.second_moments, moved, strict=True)
        )
        return replace(self, first_moments=first, second_moments=second)


def _size(value: Matrix) -> str:
    """Describe the size of a matrix: ``2 by 3``."""
    return f"{len(value)} by {'/'.join(dict.fromkeys(str(len(row)) for row in value)) or 0}"


def _differs(value: Matrix, rows: int, columns: int) -> bool:
    return len(value) != rows or any(len(row) != columns for row in value)
