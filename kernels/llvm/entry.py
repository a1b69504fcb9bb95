"""The function that NumPy calls, ``void kernel(char **args, intp *dims, intp *steps, void *data)``: a loop over tiles.

``dims[0]`` is the number of states; ``steps`` are first the strides of all operands from state to state, then, for
each operand that has an axis, that from number to number.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from .layouts import starts
from .vector import Vector, literal

#: Bytes of packed numbers that stand on the stack; more are allocated by each call.
STACK = 262_144
NAME = "kernel"


def entry(inputs: Sequence[int], outputs: Sequence[int], slots: int, vector: Vector, direct: bool = False) -> str:
    """Write the entry function.

    Parameters
    ----------
    inputs, outputs : length of each operand's axis; 0: one number, without an axis
    slots : vectors of scratch
    direct : True if there is a function ``@direct``, to be called if all operands are columns
    """
    sizes = [max(1, n) for n in (*inputs, *outputs)]
    begin = starts(sizes[: len(inputs)], vector)
    end = starts(sizes[len(inputs) :], vector)
    total = (begin[-1] + end[-1] + slots) * vector.bytes + vector.bytes
    blocks = [*begin[:-1], *(begin[-1] + place for place in end[:-1])]
    scratch = (begin[-1] + end[-1]) * vector.bytes
    many = total > STACK
    taken = f"call ptr @malloc(i64 {total})" if many else f"alloca i8, i64 {total}, align {vector.bytes}"
    axes = _axes((*inputs, *outputs))
    body = "\n  ".join(_operands(axes, vector))
    blocked = "\n  ".join(
        f"%block{i} = getelementptr i8, ptr %all, i64 {place * vector.bytes}" for i, place in enumerate(blocks)
    )
    moved = [_move(i, len(inputs), n) for i, n in enumerate(sizes)]
    packs, unpacks = ("\n  ".join(part) for part in (moved[: len(inputs)], moved[len(inputs) :]))
    named = enumerate(sizes[len(inputs) :], len(inputs))
    blanks = "\n  ".join(
        f"call void @blank(ptr %base{i}, i64 %outer{i}, i64 %inner{i}, i64 {n}, i64 %total)" for i, n in named
    )
    return f"""{_blank(vector)}
define void @{NAME}(ptr %args, ptr %dims, ptr %steps, ptr %data) {{
entry:
  %total = load i64, ptr %dims
  %none = icmp eq i64 %total, 0
  br i1 %none, label %done, label %begin
begin:
  {body}
  %taken = {taken}
  %lost = icmp eq ptr %taken, null
  br i1 %lost, label %blank, label %there
blank:
  {blanks}
  br label %done
there:
  %up = getelementptr i8, ptr %taken, i64 {vector.bytes - 1 if many else 0}
  %all = call ptr @llvm.ptrmask.p0.i64(ptr %up, i64 {-vector.bytes})
  %out = getelementptr i8, ptr %all, i64 {begin[-1] * vector.bytes}
  %scratch = getelementptr i8, ptr %all, i64 {scratch}
  {blocked}
{_columns(len(sizes), vector) if direct else "  br label %packed"}
packed:
  %first = phi i64 [ 0, %there ]{", [ %whole, %directed ]" if direct else ""}
  br label %tile
tile:
  %s = phi i64 [ %first, %packed ], [ %next, %tile ]
  %left = sub i64 %total, %s
  %count = call i64 @llvm.umin.i64(i64 %left, i64 {vector.width})
  {packs}
  call void @core(ptr %all, ptr %out, ptr %scratch)
  {unpacks}
  %next = add i64 %s, {vector.width}
  %more = icmp ult i64 %next, %total
  br i1 %more, label %tile, label %end
end:
  {"call void @free(ptr %taken)" if many else ""}
  br label %done
done:
  ret void
}}
"""


def _columns(count: int, vector: Vector) -> str:
    """Write the loop over whole vectors of states for operands with adjacent neighbouring states."""
    dense = [
        f"%dense{i} = icmp eq i64 %outer{i}, {vector.size}\n  %straight{i + 1} = and i1 %straight{i}, %dense{i}"
        for i in range(count)
    ]
    at = [f"%column{i} = getelementptr i8, ptr %base{i}, i64 %states" for i in range(count)]
    arguments = ", ".join(f"ptr %column{i}, i64 %inner{i}" for i in range(count))
    lines = "\n  ".join(dense)
    return f"""  %whole = and i64 %total, {-vector.width}
  %straight0 = icmp ne i64 %whole, 0
  {lines}
  br i1 %straight{count}, label %direct, label %packed
direct:
  %d = phi i64 [ 0, %there ], [ %dnext, %direct ]
  %states = mul i64 %d, {vector.size}
  {chr(10).join(at)}
  call void @direct({arguments})
  %dnext = add i64 %d, {vector.width}
  %dmore = icmp ult i64 %dnext, %whole
  br i1 %dmore, label %direct, label %directed
directed:
  %rest = icmp ult i64 %whole, %total
  br i1 %rest, label %packed, label %end"""


def _axes(counts: Sequence[int]) -> list[int | None]:
    """Return the index in ``steps`` of the stride between numbers; None if there is no axis."""
    found: list[int | None] = []
    place = len(counts)
    for count in counts:
        found.append(place if count else None)
        place += bool(count)
    return found


def _operands(axes: Sequence[int | None], vector: Vector) -> Iterator[str]:
    """Yield base and strides of each operand."""
    for i, axis in enumerate(axes):
        yield f"%argument{i} = getelementptr ptr, ptr %args, i64 {i}"
        yield f"%base{i} = load ptr, ptr %argument{i}"
        yield f"%step{i} = getelementptr i64, ptr %steps, i64 {i}"
        yield f"%outer{i} = load i64, ptr %step{i}"
        if axis is None:
            yield f"%inner{i} = add i64 0, {vector.size}"
        else:
            yield f"%axis{i} = getelementptr i64, ptr %steps, i64 {axis}"
            yield f"%inner{i} = load i64, ptr %axis{i}"


def _move(i: int, inputs: int, n: int) -> str:
    name = "pack" if i < inputs else "unpack"
    arguments = f"ptr %at{i}, i64 %outer{i}, i64 %inner{i}, i64 {n}, i64 %count, ptr %block{i}"
    return (
        f"%along{i} = mul i64 %s, %outer{i}\n  %at{i} = getelementptr i8, ptr %base{i}, i64 %along{i}\n"
        f"  call void @{name}({arguments})"
    )


def _blank(vector: Vector) -> str:
    """Write a function that fills an operand with NaN if memory for the work could not be allocated."""
    return f"""
define internal void @blank(ptr %base, i64 %outer, i64 %inner, i64 %n, i64 %total) noinline cold {{
entry:
  br label %state
state:
  %s = phi i64 [ 0, %entry ], [ %snext, %stateend ]
  %along = mul i64 %s, %outer
  %first = getelementptr i8, ptr %base, i64 %along
  br label %number
number:
  %e = phi i64 [ 0, %state ], [ %enext, %number ]
  %offset = mul i64 %e, %inner
  %there = getelementptr i8, ptr %first, i64 %offset
  store {vector.scalar} {literal(math.nan)}, ptr %there, align {vector.size}
  %enext = add i64 %e, 1
  %emore = icmp ult i64 %enext, %n
  br i1 %emore, label %number, label %stateend
stateend:
  %snext = add i64 %s, 1
  %smore = icmp ult i64 %snext, %total
  br i1 %smore, label %state, label %end
end:
  ret void
}}
"""
