"""What the modules of a reading share: findings, expressions, and short ways to an attribute's value.

A message ends with the certainty of what it says about UM where that is less than seen in real files: ``[I]``
inferred, ``[M]`` from memory of the manuals, ``[?]`` unknown.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from mbconcord.converters.findings import Findings
from mbconcord.model import Omission
from mbconcord.model.expressions import Expression
from mbconcord.model.limits import UM_OMITTED, too_many
from mbconcord.model.omission import Effect
from mbconcord.model.transformation import Vector

from ..tree import Attribute, Block
from .expressions import Expressions
from .objects import Thing, single
from .omitted import described, short


@dataclass
class Reading:
    """One reading of one file."""

    file: str
    findings: Findings
    expressions: Expressions
    omitted: list[tuple[Block | Attribute, Omission]] = field(default_factory=list)
    described: int = 0

    def omit(self, kind: str, what: Block | Attribute, thing: Thing, effect: Effect, name: str = "") -> None:
        """Record that the model does not hold a block or attribute of an object."""
        if self.described > UM_OMITTED:
            return
        place, text, parameters = described(what, thing, name)
        self.described += len(text)
        if self.described > UM_OMITTED:
            things = "characters of what is left out, variables written out each time"
            self.findings.refuse(what.at(self.file), f"found {too_many(self.described, things, UM_OMITTED)}")
        self.omitted.append((what, Omission(f"{kind}/{place}", kind, short(text), effect, parameters)))

    def said(self, name: str, text: str, at: Block | Attribute) -> None:
        """Record a comment that stands beside a block or attribute."""
        self.omitted.append((at, Omission(f"comment/{name}", "comment", " ".join(text.split()), "none")))

    def omissions(self) -> tuple[Omission, ...]:
        """What was left out, in the order of the file; afterwards the findings know where each stands."""
        found = sorted(self.omitted, key=lambda pair: (pair[0].line, pair[0].column))
        for what, omission in found:
            self.findings.locations.setdefault(f"omissions/{omission.place}", what.at(self.file))
        return tuple(omission for _, omission in found)

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
