"""``derive --subsystems``: the equations of groups of coordinates, with the terms by which they act on each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.derivation import Derivation
from mbconcord.model.diagnostics import FormalismError, error
from mbconcord.model.system import System

HELP = (
    "divide the equations between groups of coordinates, as in q1,q2/q3, or 'branches', if the formalism does: of each "
    "group its own part, the interaction with the others, and the force; own + interaction = force"
)


def divided(chosen: Formalism, system: System, text: str) -> Derivation:
    """The equations of the groups that a text names.

    Raises
    ------
    FormalismError
        The formalism does not divide its equations, or the groups do not hold every coordinate once.
    """
    if not chosen.divides:
        having = [f"--formalism {name}" for name in registry.names() if registry.formalism(name).divides]
        message = f"{chosen.name} does not divide its equations"
        raise FormalismError(error("--subsystems", message, f"use {' or '.join(having)}" if having else ""))
    return chosen.divide(system, groups(system, text))


def groups(system: System, text: str) -> Mapping[str, Sequence[str]]:
    """Coordinates by group, each group by its text; ``branches`` are those of the tree, by their first body."""
    if text == "branches":
        return by_branch(system)
    parts = ([name.strip() for name in part.split(",") if name.strip()] for part in text.split("/"))
    return {", ".join(part): part for part in parts if part}


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
