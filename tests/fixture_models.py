"""Every model of the catalogue of fixtures, and its equations by every formalism that takes it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache

from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.formalisms.registry import BUILT_IN, formalism
from mbconcord.model.derivation import Derivation
from mbconcord.validation.judge.states import DrawnModel, draw

#: Files of models, relative to the folder of fixtures.
MODELS = tuple(
    entry["file"]
    for entry in tomllib.loads((folder() / "catalog.toml").read_text("utf-8"))["model"]
    if entry["file"].endswith((".mbsd", ".tp.csv", ".mbs.json", "input.dat"))
)


@cache
def model(file: str, count: int = 3) -> DrawnModel:
    """The open tree of a fixture, every function defined, at drawn states."""
    return draw(read(folder() / file, physics="ignore").system.open_loops(), count, 1)


def derivations(drawn: DrawnModel) -> Iterator[Derivation]:
    """By every formalism that takes the model."""
    for name in BUILT_IN:
        if not formalism(name).obstacles(drawn.system):
            yield formalism(name).derive(drawn.system)
