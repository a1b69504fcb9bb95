"""Kernels of formulas, for tests; they are skipped where llvmlite is not installed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from mbconcord.kernels.llvm.build import BuildTask, build
from mbconcord.kernels.llvm.cache import Cache
from mbconcord.kernels.llvm.engine import missing
from mbconcord.kernels.llvm.options import Options
from mbconcord.model.expressions import Expression
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.expressions.program import program

needs_llvm = pytest.mark.skipif(bool(missing()), reason=f"{missing()}: pip install 'mbconcord[jit]'")


def task(formulas: Sequence[str | Expression], *operands: tuple[str, ...] | str, **options: Any) -> BuildTask:
    outputs = [parse_formula(x) if isinstance(x, str) else x for x in formulas]
    return BuildTask(program(outputs), operands, (len(outputs),), Options(**options))


def ufunc(formulas: Sequence[str | Expression], *operands: tuple[str, ...] | str, **options: Any) -> Any:
    return build(task(formulas, *operands, **options), Cache(None)).ufunc
