"""Losses of a model in blocks of known input.dat files."""

from __future__ import annotations

from collections.abc import Iterator

from mbconcord.converters import losses
from mbconcord.model import Loss, System

from .. import HOLDS

#: What the reader of an input.dat keeps in the metadata.
METADATA = ("um:text", "um:coordinates", "um:bodies", "um:identifiers", "um:functions")


def list_losses(system: System) -> Iterator[Loss]:
    """Yield losses in the order of the model; those of single fields are found on writing them."""
    yield from losses.coordinates(system, HOLDS)
    yield from _parameters(system)
    yield from _functions(system)
    yield from losses.bodies(system, HOLDS)
    yield from losses.forces(system, HOLDS)
    yield from losses.constraints(system, HOLDS)
    yield from losses.armatures(system, HOLDS)
    yield from _metadata(system)


def beside_the_text(system: System) -> Iterator[Loss]:
    """Yield losses of a model whose input.dat is written unchanged: content that no input.dat can hold."""
    yield from losses.initial_values(system, HOLDS)
    yield from _metadata(system)


def _functions(system: System) -> Iterator[Loss]:
    """Yield losses of functions: one with a formula only loses its name."""
    for f in system.functions:
        instead = "an input.dat has none: its formula stands in its place"
        yield Loss(
            f"functions/{f.name}", "the function", instead if f.formula is not None else HOLDS.reason, acts=False
        )


def _metadata(system: System) -> Iterator[Loss]:
    """Yield losses of metadata of other formats, and of entries with UM's prefix that no reader of its files made."""
    yield from losses.metadata(system, HOLDS)
    for key in sorted(system.metadata):
        if key.startswith("um:") and key not in METADATA:
            yield Loss(f"metadata/{key}", "what is kept there", HOLDS.reason, acts=False)


def _parameters(system: System) -> Iterator[Loss]:
    for p in system.parameters:
        if p.value is None:
            reason = "UM needs a number: 0 is written, marked 'no value'"
            yield Loss(f"parameters/{p.name}", "that it has no value", reason, acts=False)
    chosen = [p.name for p in system.parameters if p.value is not None and p.origin != "given"]
    if chosen:
        what = f"that nobody gave the values of {', '.join(chosen)}"
        yield Loss("parameters", what, "an identifier has a value only", acts=False)
