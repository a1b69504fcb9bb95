"""A routine as text of LLVM: its programs are cores over one packed memory, their results are put into it after each.

``@core(in, out, scratch)``: every number with a name is at ``in``; scratch holds those that are no operand or result,
then the results of a program, then what its parts leave to each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..routine import Pass, Repeat, Routine
from .emitter import write_function
from .vector import Vector, Writer


def write_routine(routine: Routine, places: Mapping[str, int], left: int, vector: Vector) -> str:
    """Write the function of a tile.

    ``places`` are those of the vectors of all names, ``left`` is the number of vectors in scratch before the results.
    """
    body = Writer(vector)
    most = max(map(len, routine.programs))
    for name, first in (("results", left), ("slots", left + most)):
        body.do(f"%{name} = getelementptr inbounds i8, ptr %scratch, i64 {first * vector.bytes}")
    numbers = {outputs: i for i, outputs in enumerate(routine.programs)}
    _Passes(body, numbers, places).write(routine.passes, "")
    return write_function("core", body)


class _Passes:
    def __init__(self, body: Writer, numbers: Mapping[Any, int], places: Mapping[str, int]) -> None:
        self._body, self._numbers, self._places = body, numbers, places

    def write(self, passes: Sequence[Pass | Repeat], open_: str) -> None:
        """Write passes; ``open_`` are flags of the lanes that change, empty if all do."""
        for each in passes:
            if isinstance(each, Repeat):
                self._repeat(each)
            else:
                self._pass(each, open_)

    def _address(self, index: int, base: str = "%in") -> str:
        size = self._body.vector.bytes
        place = self._body.let(f"getelementptr inbounds i8, ptr {base}, i64 {index * size}")
        return f"ptr {place}, align {size}"

    def _load(self, index: int, base: str = "%in") -> str:
        return self._body.let(f"load {self._body.vector}, {self._address(index, base)}")

    def _store(self, name: str, value: str, open_: str) -> None:
        """Put a vector into the memory; where lanes do not change, their numbers stay."""
        body, v = self._body, self._body.vector
        if open_:
            kept = self._load(self._places[name])
            value = body.let(f"select {v.with_scalar('i1')} {open_}, {v} {value}, {v} {kept}")
        body.do(f"store {v} {value}, {self._address(self._places[name])}")

    def _pass(self, each: Pass, open_: str) -> None:
        body, v = self._body, self._body.vector
        for name, given in each.given:
            self._store(name, body.number(given), open_)
        body.do(f"call void @core{self._numbers[each.outputs]}(ptr %in, ptr %results, ptr %slots)")
        found: dict[str, str] = {}
        for i, name in enumerate(each.targets):
            value = self._load(i, "%results")
            if name in each.largest:
                most = found.get(name, body.number(0.0))
                more = body.let(f"fcmp ogt {v} {value}, {most}")
                value = body.let(f"select {v.with_scalar('i1')} {more}, {v} {value}, {v} {most}")
            found[name] = value
        for name, value in found.items():
            self._store(name, value, open_)

    def _repeat(self, each: Repeat) -> None:
        """Write a loop; no lane's number of turns depends on the others, as those that stay do not change."""
        body, v = self._body, self._body.vector
        turn, start, end = (body.fresh(x) for x in ("turn", "start", "end"))
        first = body.let(f"extractelement {v} {self._load(self._places[each.often])}, i32 0")
        often = body.let(f"fptosi {v.scalar} {first} to i64")
        count = f"%{body.fresh('count')}"
        body.lines.insert(0, f"  {count} = alloca i64")  # once: what stands in a loop would take memory at every turn
        body.do(f"store i64 0, ptr {count}")
        body.do(f"br label %{turn}")
        body.label(turn)
        done = body.let(f"load i64, ptr {count}")
        more = body.let(f"icmp slt i64 {done}, {often}")
        open_ = ""
        if each.flag:
            open_ = body.let(f"fcmp une {v} {self._load(self._places[each.flag])}, zeroinitializer")
            bits = body.let(f"bitcast {v.with_scalar('i1')} {open_} to i{v.width}")
            some = body.let(f"icmp ne i{v.width} {bits}, 0")
            more = body.let(f"and i1 {more}, {some}")
        body.do(f"br i1 {more}, label %{start}, label %{end}")
        body.label(start)
        self.write(each.passes, open_)
        body.do(f"store i64 {body.let(f'add i64 {done}, 1')}, ptr {count}")
        body.do(f"br label %{turn}")
        body.label(end)
