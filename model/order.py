"""Topological orders of names. They cost time linear in the dependencies."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from heapq import heapify, heappop, heappush


def in_order(needs: Mapping[str, Collection[str]]) -> Iterator[str]:
    """Yield the names, each after those that it needs, otherwise in the given order.

    Names in a cycle, and those that need one of them, are left out.

    >>> list(in_order({"c": ["a"], "b": [], "a": [], "x": ["x"]}))
    ['b', 'a', 'c']
    """
    names = list(needs)
    waiting = {name: {need for need in needed if need in needs} for name, needed in needs.items()}
    users: dict[str, list[int]] = {}
    for i, name in enumerate(names):
        for need in waiting[name]:
            users.setdefault(need, []).append(i)
    ready = [i for i, name in enumerate(names) if not waiting[name]]
    heapify(ready)
    while ready:
        found = names[heappop(ready)]
        yield found
        for i in users.get(found, ()):
            waiting[names[i]].discard(found)
            if not waiting[names[i]]:
                heappush(ready, i)


def generations(needs: Mapping[str, Collection[str]]) -> list[list[str]]:
    """Group the names: the first group needs no others, each further one only names before it.

    >>> generations({"c": ["a", "b"], "b": ["a"], "a": [], "d": []})
    [['a', 'd'], ['b'], ['c']]
    """
    depth: dict[str, int] = {}
    groups: list[list[str]] = []
    for name in in_order(needs):
        depth[name] = max((depth[need] + 1 for need in needs[name] if need in depth), default=0)
        if depth[name] == len(groups):
            groups.append([])
        groups[depth[name]].append(name)
    return groups
