"""Topology of the tree: bases, carrying chains, carried links; k-1 in the paper is the base of k."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

GROUND = 0


class Topology:
    """A forest of links 1…N in which a base has a smaller number than what it carries; 0 is the ground."""

    def __init__(self, base: Mapping[int, int]) -> None:
        #: base(k), written k-1 in the paper.
        self.base = dict(base)
        self.links = tuple(self.base)

    @cached_property
    def inward(self) -> tuple[int, ...]:
        """Links N…1, each before its base."""
        return self.links[::-1]

    @cached_property
    def children(self) -> Mapping[int, tuple[int, ...]]:
        """ch(k): the links adjacent to k that it carries."""
        return {k: tuple(j for j in self.links if self.base[j] == k) for k in (GROUND, *self.links)}

    @cached_property
    def chain(self) -> Mapping[int, tuple[int, ...]]:
        """The carrying chain of k, from its root to k."""
        found: dict[int, tuple[int, ...]] = {GROUND: ()}
        for k in self.links:
            found[k] = (*found[self.base[k]], k)
        return found

    @cached_property
    def sub(self) -> Mapping[int, tuple[int, ...]]:
        """Link k and all it carries, in order of numbers."""
        return {k: tuple(i for i in self.links if k in self.chain[i]) for k in self.links}

    def carriers(self, k: int) -> tuple[int, ...]:
        """Return the carrying chain of k without k."""
        return self.chain[k][:-1]

    def find_descendants(self, k: int) -> tuple[int, ...]:
        """Return the links that k carries, without k."""
        return self.sub[k][1:]

    def path(self, k: int, i: int) -> tuple[int, ...]:
        """List the links strictly after k up to i, for k in the chain of i (or the ground); empty for i = k."""
        chain = self.chain[i]
        return chain[chain.index(k) + 1 :] if k != GROUND else chain

    def next_link(self, i: int, k: int) -> int:
        """Return the link that follows i on the way to k: the paper's i+1."""
        return self.path(i, k)[0]

    def walk_inward(self, k: int) -> Iterable[int]:
        """Yield k, base(k), … while there is a link below: the indices i of (10), (12) and (18)."""
        return (i for i in reversed(self.chain[k]) if self.base[i] != GROUND)
