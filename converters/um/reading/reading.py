"""What the modules of a reading share: findings, expressions, and short ways to an attribute's value.

A message ends with the certainty of what it says about UM where that is less than seen in real files: ``[I]``
inferred, ``[M]`` from memory of the manuals, ``[?]`` unknown.
"""

from __future__ import annotations

from dataclasses import dataclass

from mbconcord.converters.findings import Findings
from mbconcord.model.expressions import Expression
from mbconcord.model.transformation import Vector

from ..tree import Attribute, Block
from .expressions import Expressions
from .objects import Thing, single


@dataclass(frozen=True)
class Reading:
    """One reading of one file."""

    file: str
    findings: Findings
    expressions: Expressions

    def value(self, attribute: Attribute | None, thing: Thing) -> Expression:
        """A constant of the model: a number, or a formula of identifiers; empty is zero."""
        return self.expressions.constant(attribute, thing.scope)

    def vector(self, block: Block, prefix: str, thing: Thing) -> Vector:
        """Three constants: ``ro1x``, ``ro1y``, ``ro1z`` for the prefix ``ro1``."""
        x, y, z = (self.value(block.attribute(prefix + axis), thing) for axis in "xyz")
        return x, y, z

    def single(self, block: Block, *repeated: str) -> None:
        """Refuse attributes that stand twice, but for those listed."""
        single(block, self.findings, repeated)
