"""A recursion with numbers: which link is carried by which, what kind it is of, and the numbers of all links."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbconcord.model.coordinate import Function
from mbconcord.model.expressions import Expression
from mbconcord.model.expressions.levels import Levels, levels, run_levels
from mbconcord.model.expressions.program import program
from mbconcord.model.numbers import define
from mbconcord.model.recursion import Recursion

Array = NDArray[np.float64]
Places = NDArray[np.int64]


@dataclass(frozen=True)
class Layout:
    """A recursion as arrays; ``functions`` are the model's, whose formulas are put into its numbers."""

    recursion: Recursion
    functions: tuple[Function, ...] = ()

    @cached_property
    def carriers(self) -> Places:
        """(L,) places of the links' carriers."""
        return np.array([link.carrier for link in self.recursion.links], dtype=np.int64)

    @cached_property
    def kinds(self) -> Places:
        """(L,) places of the links' kinds."""
        return np.array([link.kind for link in self.recursion.links], dtype=np.int64)

    @cached_property
    def columns(self) -> Places:
        """(L,) the motion of each link: of its coordinate, or after those of all coordinates a prescribed one."""
        prescribed = iter(range(self.recursion.coordinates, len(self.recursion.links)))
        links = self.recursion.links
        return np.array(
            [next(prescribed) if link.coordinate is None else link.coordinate for link in links],
            dtype=np.int64,
        )

    @property
    def width(self) -> int:
        """Most numbers of a link."""
        return max((len(link.numbers) for link in self.recursion.links), default=0)

    @cached_property
    def runs(self) -> Places:
        """(R, 3) runs of neighbours of one kind: the first, after the last, the kind."""
        kinds = self.kinds
        edges = [0, *(np.flatnonzero(np.diff(kinds)) + 1).tolist(), len(kinds)] if len(kinds) else [0]
        found = [(i, j, kinds[i]) for i, j in pairwise(edges)]
        return np.array(found, dtype=np.int64).reshape(-1, 3)

    def numbers(self, values: Mapping[str, Any]) -> tuple[Array, Array]:
        """Numbers of the links (L, width), padded with zeros, and what stands in the fixed frame (S,).

        ``values`` : of the parameters

        Raises
        ------
        ExpressionError
            A symbol or a function has no value.
        """
        return self.tables(values_of(self.constants, values)[:, 0])

    def tables(self, found: Array) -> tuple[Array, Array]:
        """What :attr:`constants` gives as such arrays."""
        links = self.recursion.links
        table = np.zeros((len(links), self.width))
        lengths = np.array([len(link.numbers) for link in links], dtype=np.int64)
        table[np.arange(self.width) < lengths[:, None]] = found[: lengths.sum()]
        ground = np.zeros(len(self.recursion.slots))
        places = {slot: i for i, slot in enumerate(self.recursion.slots)}
        ground[[places[slot] for slot in self.recursion.ground]] = found[lengths.sum() :]
        return table, ground

    def prescribed(self, values: Mapping[str, Any]) -> Array:
        """Prescribed shifts and angles, their rates and accelerations (3, P, n); ``values`` of t and parameters."""
        return self.motions(values_of(self.moving, values))

    def motions(self, found: Array) -> Array:
        """What :attr:`moving` gives as such an array."""
        return np.moveaxis(found.reshape(-1, 3, found.shape[1]), 0, 1)

    @property
    def driven(self) -> int:
        """How many motions are prescribed."""
        return len(self.recursion.links) - self.recursion.coordinates

    @property
    def formulas(self) -> list[Expression]:
        """Of all numbers, of what stands in the fixed frame, of prescribed motions."""
        return [*self._constant, *self._moving]

    @cached_property
    def _constant(self) -> list[Expression]:
        links = chain.from_iterable(link.numbers for link in self.recursion.links)
        return define([*links, *self.recursion.ground.values()], self.functions)

    @cached_property
    def _moving(self) -> list[Expression]:
        return define([x for link in self.recursion.links for x in link.motion or ()], self.functions)

    @cached_property
    def constants(self) -> Levels:
        """What computes all numbers, and what stands in the fixed frame."""
        return planned(self._constant)

    @cached_property
    def moving(self) -> Levels:
        """What computes prescribed motions, three for each."""
        return planned(self._moving)


def planned(outputs: list[Expression]) -> Levels:
    """What computes the outputs."""
    return levels(program(outputs))


def values_of(plan: Levels, values: Mapping[str, Any]) -> Array:
    """The outputs (m, n), or (m, 1) of numbers alone."""
    return run_levels(plan, {name: values[name] for name in plan.symbols if name in values})
