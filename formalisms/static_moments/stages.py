"""The intermediates under the paper's names, and its own lines."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from mbconcord.model import System
from mbconcord.model.derivation import Assignment, Stage
from mbconcord.model.expressions import Expression

from .frames import Frames
from .moments import Moment
from .writeout import WriteOut

Named = tuple[str, Expression]


def stages(system: System, moments: Sequence[Moment], written: WriteOut, placed: Frames) -> tuple[Stage, ...]:
    """Masses, m_di and m_qj, the write-out, and the vectors НКО in fixed axes."""
    shifts = [m.shift for m in moments if m.shift is not None and m.shift.value]
    made = [
        Stage("m", "masses m_i of the subsystems", _all(_masses(moments), system.names)),
        Stage(
            "m_d", "m_di = m_i d_i, first moments of the augmented bodies",
            _all(((s.name, s.value) for m in moments for s in m.scalars), system.names),
        ),
        Stage("m_q", "m_qj = m_j q_j", _all(((s.name, s.value) for s in shifts), system.names)),
        Stage(
            "m_c, m_r", "static moments of the subsystems about their poles, (1)-(2)",
            _all(((s.scalar.name, s.scalar.value) for s in written.sums), system.names),
            tuple(written.lines()),
        ),
        Stage("НКО", "vectors НКО in fixed axes", _all(_units(written, placed), system.names)),
    ]  # fmt: skip
    return tuple(stage for stage in made if stage.assignments or stage.written)


def _masses(moments: Iterable[Moment]) -> Iterator[Named]:
    return ((f"m_{m.link.number}", m.mass) for m in moments if m.mass.args)


def _units(written: WriteOut, placed: Frames) -> Iterator[Named]:
    """Components that are worth a name: not those of cos(q1) or of a number."""
    seen: set[Expression] = set()
    for unit in written.units:
        for axis, x in zip("XYZ", placed.units[unit], strict=True):
            inner = x.args[0] if x.op == "neg" else x
            if inner.op in ("add", "mul") and not inner.constant and inner not in seen:
                seen.add(inner)
                yield f"{unit}_{axis}", x


def _all(items: Iterable[Named], taken: Collection[str]) -> tuple[Assignment, ...]:
    """Assignments; a name that the model has taken gets an underscore."""
    made = []
    for name, expression in items:
        while name in taken:
            name += "_"
        made.append(Assignment(name, expression))
    return tuple(made)
