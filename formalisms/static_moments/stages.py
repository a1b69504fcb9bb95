"""The intermediates under the paper's names, and its own lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mbconcord.model import System
from mbconcord.model.derivation import Assignment, Stage
from mbconcord.model.expressions import Expression
from mbconcord.model.naming import Named, Namer

from .frames import Frames
from .moments import Moment
from .writeout import WriteOut


def stages(system: System, moments: Sequence[Moment], written: WriteOut, placed: Frames) -> tuple[Stage, ...]:
    """Masses, m_di and m_qj, the write-out, and the vectors НКО in fixed axes."""
    shifts = [m.shift for m in moments if m.shift is not None and m.shift.value]
    namer = Namer(system.names, is_compound)

    def all_of(items: Iterable[Named]) -> tuple[Assignment, ...]:
        """Every one, whatever it is: the lines of the paper are written with these names."""
        return tuple(Assignment(namer.fresh(name), x) for name, x in items)

    made = [
        Stage("m", "masses m_i of the subsystems", all_of(_masses(moments))),
        Stage(
            "m_d", "m_di = m_i d_i, first moments of the augmented bodies",
            all_of((s.name, s.value) for m in moments for s in m.scalars),
        ),
        Stage("m_q", "m_qj = m_j q_j", all_of((s.name, s.value) for s in shifts)),
        Stage(
            "m_c, m_r", "static moments of the subsystems about their poles, (1)-(2)",
            all_of((s.scalar.name, s.scalar.value) for s in written.sums),
            tuple(written.lines()),
        ),
        Stage("НКО", "vectors НКО in fixed axes", namer.assignments(_units(written, placed))),
    ]  # fmt: skip
    return tuple(stage for stage in made if stage.assignments or stage.written)


def _masses(moments: Iterable[Moment]) -> Iterator[Named]:
    return ((f"m_{m.link.number}", m.mass) for m in moments if m.mass.args)


def _units(written: WriteOut, placed: Frames) -> Iterator[Named]:
    for unit in written.units:
        for axis, x in zip("XYZ", placed.units[unit], strict=True):
            yield f"{unit}_{axis}", x


def is_compound(x: Expression) -> bool:
    """Whether a component is worth a name: not cos(q1) or a number."""
    return x.op in ("add", "mul") and not x.constant
