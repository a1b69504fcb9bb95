"""States shared among threads by their first axis: NumPy releases the GIL while machine code runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from math import prod
from typing import Any, Final

import numpy as np

from .operands import Array, Operand, Result, loop_shape

#: States of a thread are a whole number of these, so that none shares a vector or a line of memory with another's.
ROWS: Final = 64


def shared(
    function: Callable[..., Any], given: Sequence[Any], outs: tuple[Array, ...] | None,
    operands: Sequence[Operand], results: Sequence[Result], threads: int,
) -> Any:  # fmt: skip
    """``function(*given, out=outs)``, a part of the states by each thread."""
    held = [np.asarray(x) for x in given]
    shape = loop_shape(held, operands)
    if not shape or shape[0] < 2 * ROWS:
        return function(*held) if outs is None else function(*held, out=outs)
    pairs = zip(held, operands, strict=True)
    wide = [np.broadcast_to(x, (*shape, x.shape[-1]) if o.axis else shape) for x, o in pairs]
    if outs is None:
        dtype = np.float32 if all(x.dtype == np.float32 for x in held) else np.float64
        outs = tuple(np.empty((*shape, prod(r.shape)), dtype) for r in results)
    step = -(-shape[0] // (threads * ROWS)) * ROWS
    parts = [slice(first, first + step) for first in range(0, shape[0], step)]
    pool = _pool(threads)
    jobs = [
        pool.submit(function, *(x[part] for x in wide), out=tuple(x[part] for x in outs)) for part in parts
    ]
    for job in jobs:
        job.result()
    return outs


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    """Threads that stay: to start two takes as long as thousands of states."""
    return ThreadPoolExecutor(threads, "mbconcord")


if hasattr(os, "register_at_fork"):  # a forked process has none of them
    os.register_at_fork(after_in_child=_pool.cache_clear)
