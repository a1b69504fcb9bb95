"""The intermediates of a derivation under the names of the paper."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from mbconcord.model.derivation import Stage
from mbconcord.model.expressions import ZERO, Expression
from mbconcord.model.naming import Named, Namer

from .body import BodyTerms
from .medium import MediumTerms
from .vectors import Triple


def rows(body: BodyTerms, names: tuple[str, ...]) -> Iterator[tuple[Expression, ...]]:
    """Yield the six rows of Φ over all coordinates."""
    for part in (body.D, body.B):
        for axis in range(3):
            yield tuple(part[name][axis] if name in part else ZERO for name in names)


def stages(bodies: Iterable[BodyTerms], fluids: Iterable[MediumTerms], taken: Collection[str]) -> Iterator[Stage]:
    """Yield the intermediates of every body as the paper groups them; numbers and bare symbols get no name.

    ``taken`` are names of the model.
    """
    listed = list(bodies)
    around = [
        (f"{letter}_{part.name}", vector)
        for part in fluids
        for letter, vector in zip(("p", "H", "dp", "dH"), (*part.impulse, *part.bias), strict=True)
    ]
    groups: list[tuple[str, str, Callable[[BodyTerms], Iterator[tuple[str, Triple]]]]] = [
        ("D", "D_i: displacements of the centres of mass, eq. (4), world axes", lambda b: columns_of("D", b.name, b.D)),
        ("B", "B_i: rotations, eq. (4), body axes", lambda b: columns_of("B", b.name, b.B)),
        ("ω", "Angular velocities, body axes", lambda b: iter([(f"omega_{b.name}", b.omega)])),
        (
            "W'",
            "W'_i: accelerations at q'' = 0 (w in world axes, eps in body axes)",
            lambda b: iter([(f"w_{b.name}", b.W[0]), (f"eps_{b.name}", b.W[1])]),
        ),
        ("K", "K_i: gyroscopic moments ω × Jω, body axes", lambda b: iter([(f"K_{b.name}", b.K)])),
        (
            "G",
            "G_i: applied forces and moments at the centres of mass",
            lambda b: iter([(f"F_{b.name}", b.load[0]), (f"M_{b.name}", b.load[1])]),
        ),
    ]
    grouped = [(name, title, [pair for b in listed for pair in vectors(b)]) for name, title, vectors in groups]
    fluid = "Impulse p, moment of impulse H of the fluid, and their rates at q'' = 0, body axes"
    namer = Namer(taken, signed=True)
    for name, title, pairs in [*grouped, ("Λ", fluid, around)]:
        found = namer.assignments(item for pair in pairs for item in components(*pair))
        if found:
            yield Stage(name, title, found)


def components(label: str, vector: Triple) -> Iterator[Named]:
    """Yield a vector's components with their names."""
    return zip((f"{label}_x", f"{label}_y", f"{label}_z"), vector, strict=True)


def columns_of(letter: str, body: str, columns: Mapping[str, Triple]) -> Iterator[tuple[str, Triple]]:
    """Yield the columns of D or B with their names."""
    for name, column in columns.items():
        yield f"{letter}_{body}_{name}", column
