"""The function that NumPy calls, ``void kernel(char **args, intp *dims, intp *steps, void *data)``: a loop over tiles.

``dims[0]`` is the number of states; ``steps`` are first the strides of all operands from state to state, then, for
each operand that has an axis, that from number to number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate

from .layouts import padded
from .vector import Vector

#: Bytes of packed numbers that stand on the stack; more are allocated by each call.
STACK = 262_144
NAME = "kernel"


def starts(sizes: Sequence[int], vector: Vector) -> list[int]:
    """Place of the first vector of each operand in the packed block, and its length."""
    return [0, *accumulate(padded(size, vector) for size in sizes)]


def entry(inputs: Sequence[int], outputs: Sequence[int], slots: int, vector: Vector) -> str:
    """The function.

    Parameters
    ----------
    inputs, outputs : numbers of each operand; 0: one number, without an axis
    slots : vectors of scratch
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
    body = "\n  ".join(_operands(axes, sizes, blocks, vector))
    moved = [_move(i, len(inputs), n) for i, n in enumerate(sizes)]
    packs, unpacks = ("\n  ".join(part) for part in (moved[: len(inputs)], moved[len(inputs) :]))
    return f"""
define void @{NAME}(ptr %args, ptr %dims, ptr %steps, ptr %data) {{
entry:
  %total = load i64, ptr %dims
  %none = icmp eq i64 %total, 0
  br i1 %none, label %done, label %begin
begin:
  %taken = {taken}
  %lost = icmp eq ptr %taken, null
  br i1 %lost, label %done, label %there
there:
  %up = getelementptr i8, ptr %taken, i64 {vector.bytes - 1 if many else 0}
  %all = call ptr @llvm.ptrmask.p0.i64(ptr %up, i64 {-vector.bytes})
  %out = getelementptr i8, ptr %all, i64 {begin[-1] * vector.bytes}
  %scratch = getelementptr i8, ptr %all, i64 {scratch}
  {body}
  br label %tile
tile:
  %s = phi i64 [ 0, %there ], [ %next, %tile ]
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


def _axes(counts: Sequence[int]) -> list[int | None]:
    """Where in ``steps`` the stride from number to number stands; None: there is no axis."""
    found: list[int | None] = []
    place = len(counts)
    for count in counts:
        found.append(place if count else None)
        place += bool(count)
    return found


def _operands(
    axes: Sequence[int | None], sizes: Sequence[int], blocks: Sequence[int], vector: Vector
) -> Iterator[str]:
    """Base, strides and block of each operand."""
    for i, (axis, block) in enumerate(zip(axes, blocks, strict=True)):
        yield f"%argument{i} = getelementptr ptr, ptr %args, i64 {i}"
        yield f"%base{i} = load ptr, ptr %argument{i}"
        yield f"%step{i} = getelementptr i64, ptr %steps, i64 {i}"
        yield f"%outer{i} = load i64, ptr %step{i}"
        yield f"%block{i} = getelementptr i8, ptr %all, i64 {block * vector.bytes}"
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
