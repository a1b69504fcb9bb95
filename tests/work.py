"""Limits of work in tests: calls, or seconds of the processor with tenfold room; a clock measures what else runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


def processor_seconds() -> float:
    """Return what this process and its children that have ended took of the processor."""
    return sum(os.times()[:4])


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Fail where what is inside takes more seconds of the processor; the limit has tenfold room."""
    began = processor_seconds()
    yield
    spent = processor_seconds() - began
    assert spent < seconds, f"{spent:.1f} s of the processor, at most {seconds} are allowed"


def count_calls(work: Callable[[], object]) -> int:
    """Count the calls of functions, built-in ones too, that a piece of work makes: the same on every machine."""
    calls = 0

    def count(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return calls
