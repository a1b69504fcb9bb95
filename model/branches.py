"""The branches of a tree, by their coordinates."""

from __future__ import annotations

from .system import System


def by_branch(system: System) -> dict[str, tuple[str, ...]]:
    """The coordinates of every branch up to its division, by the name of its first body.

    Every coordinate stands in one branch; a branch without coordinates is left out.
    """
    branch: dict[str | None, str] = {}
    groups: dict[str, tuple[str, ...]] = {}
    for body in system.bodies:
        alone = body.parent is not None and len(system.children(body.parent)) == 1
        branch[body.name] = branch[body.parent] if alone else body.name
        groups[branch[body.name]] = (*groups.get(branch[body.name], ()), *body.coordinates)
    return {name: group for name, group in groups.items() if group}
