"""The reference table: rows are models with numbers from outside this project, columns are formalisms.

A formalism that is registered is a column, each of its forms another: nothing here names one.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from mbconcord.fixtures import folder
from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.evaluation import Array

from . import by_hand, golden, konoplev, linkages, programs
from .row import Row, solved

CATALOG: list[dict[str, Any]] = tomllib.loads((folder() / "catalog.toml").read_text("utf-8"))["model"]
#: path -> what is known of it
FILES: dict[str, str] = {m["file"]: m["known"] for m in CATALOG}
#: Files of which no two formalisms give all that is asked, as the catalog has it.
NOT_CHECKED = frozenset(m["file"] for m in CATALOG if m.get("verdict") == "not checked")
#: name -> what makes the row, when it is asked for
ROWS: dict[str, Callable[[], Row]] = {
    **golden.rows(FILES),
    **konoplev.rows(FILES),
    **linkages.rows(),
    **programs.rows(),
    **by_hand.rows(),
}
COLUMNS = tuple(
    asked
    for name in registry.names()
    for asked in (name, *(f"{name}:{form}" for form in registry.formalism(name).forms))
)


@cache
def row(name: str) -> Row:
    """The row of that name."""
    return ROWS[name]()


def numbers(formalism: Formalism, asked: Row) -> Iterator[dict[str, Array]]:
    """What a formalism gives for a row: evaluated from its derivation, and its own way where it has one."""
    if asked.closed:
        motion = formalism.constrained_motion(asked.system, asked.states)
        assert motion is not None, "it declares no obstacle and gives no motion"
        yield solved(motion)
        return
    yield formalism.evaluate(asked.system, asked.states).quantities
    if type(formalism).evaluate is not Formalism.evaluate:
        yield Formalism.evaluate(formalism, asked.system, asked.states).quantities


def differences(formalism: Formalism, name: str) -> list[str]:
    """What a formalism, as it is or in a variant of its own, gives of a row that the source contradicts."""
    return [message for found in numbers(formalism, row(name)) for message in row(name).differences(found)]
