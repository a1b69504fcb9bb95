"""Programs that run one after the other on the numbers of a state, and again where one of these says so.

Numbers have names; a program reads those that are its symbols, and its outputs replace those that its pass names. All
backends run a routine in the same way, and no number of a state depends on the other states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mbconcord.model.expressions import Expression, symbols
from mbconcord.records import dataclass

#: Number of states that NumPy moves together, so that their numbers stay near the processor.
BLOCK: Final = 4096

Array = NDArray[np.float64]
Run = Callable[[Mapping[str, Any]], Array]


@dataclass(frozen=True, slots=True)
class Pass:
    """A program of a routine.

    Attributes
    ----------
    outputs : what the program computes
    targets : name of the number that each output replaces
    largest : names that several outputs may have: the number becomes the largest of these and zero, NaN apart
    given : numbers that are stored before the program runs
    """

    outputs: tuple[Expression, ...]
    targets: tuple[str, ...]
    largest: tuple[str, ...] = ()
    given: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Repeat:
    """Passes that run as often as the number ``often`` says, which is that of all states.

    With a ``flag`` they run at most so often, while this number is not zero; a state whose flag is zero stays.
    """

    passes: tuple[Pass | Repeat, ...]
    often: str
    flag: str = ""


@dataclass(frozen=True, slots=True)
class Routine:
    """Passes, and the names of the numbers that are the results."""

    passes: tuple[Pass | Repeat, ...]
    results: tuple[str, ...]

    @property
    def programs(self) -> list[tuple[Expression, ...]]:
        """Outputs of the passes; each program once."""
        return [*dict.fromkeys(x.outputs for x in _walk(self.passes) if isinstance(x, Pass))]

    @property
    def made(self) -> dict[str, None]:
        """Names of the numbers that passes store, in their order."""
        each = (x for x in _walk(self.passes) if isinstance(x, Pass))
        return dict.fromkeys(name for x in each for name in (*dict(x.given), *x.targets))

    @property
    def symbols(self) -> set[str]:
        """Names of the numbers that the routine reads."""
        loops = {x.often for x in _walk(self.passes) if isinstance(x, Repeat)}
        return loops | symbols([x for outputs in self.programs for x in outputs])

    def describe(self) -> str:
        """Return all but the programs as text."""
        numbers = {outputs: i for i, outputs in enumerate(self.programs)}

        def describe(each: Pass | Repeat) -> Any:
            if isinstance(each, Repeat):
                return each.often, each.flag, [describe(x) for x in each.passes]
            return numbers[each.outputs], each.targets, each.largest, each.given

        return repr((self.results, [describe(x) for x in self.passes]))

    def over(self, make: Callable[[Sequence[Expression]], Run]) -> Run:
        """Return the function from numbers or arrays (n,) by name to the results (m, n), over what runs programs."""
        runs = {outputs: make(outputs) for outputs in self.programs}

        def run(values: Mapping[str, Any]) -> Array:
            count = max(map(np.size, values.values()))
            wide = {name: np.broadcast_to(np.asarray(x, dtype=float), (count,)) for name, x in values.items()}
            found = np.empty((len(self.results), count))
            with np.errstate(all="ignore"):
                for first in range(0, count, BLOCK):
                    part = slice(first, first + BLOCK)
                    memory = {name: x[part] for name, x in wide.items()}
                    memory |= {name: np.zeros(found[0, part].shape) for name in self.made if name not in memory}
                    _run(self.passes, memory, runs, None)
                    found[:, part] = [memory[name] for name in self.results]
            return found

        return run


def _walk(passes: Sequence[Pass | Repeat]) -> Iterator[Pass | Repeat]:
    """Yield all passes, those that are repeated with their loops."""
    for each in passes:
        yield each
        if isinstance(each, Repeat):
            yield from _walk(each.passes)


def _run(passes: Sequence[Pass | Repeat], memory: dict[str, Any], runs: Mapping[Any, Run], open_: Any) -> None:
    """Run passes on a memory; where ``open_`` is False, nothing changes."""
    for each in passes:
        if isinstance(each, Repeat):
            for _ in range(int(memory[each.often][0])):
                moves = memory[each.flag] != 0 if each.flag else None
                if moves is not None and not moves.any():
                    break
                _run(each.passes, memory, runs, moves)
            continue
        before = {**memory}
        shape = next(iter(memory.values())).shape
        memory |= {name: np.full(shape, x) for name, x in each.given}
        rows = np.broadcast_to(runs[each.outputs](memory), (len(each.outputs), *shape))
        for name, row in zip(each.targets, rows, strict=True):
            if name not in each.largest:
                memory[name] = row
        for name in each.largest:
            memory[name] = np.fmax.reduce([np.zeros(shape), *(x for y, x in zip(each.targets, rows) if y == name)])
        if open_ is not None:
            memory |= {name: np.where(open_, x, before[name]) for name, x in memory.items()}
