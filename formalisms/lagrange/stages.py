"""The intermediates of the derivation by name, in the paper's order; parts have their labels (body 2, wheel 2f1)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from mbconcord.model.derivation import Stage
from mbconcord.model.expressions import Expression
from mbconcord.model.naming import Named, Namer

from .energies import Kinetic
from .parts import Part


def stages(
    parts: Iterable[Part],
    kinetics: Mapping[str, Kinetic],
    fluids: Mapping[str, Kinetic],
    potentials: Mapping[str, Expression],
    momenta: Iterable[Named],
    forces: Iterable[Named],
    taken: Collection[str],
) -> tuple[Stage, ...]:
    """Transformations, velocities, momenta, energies and forces; ``taken`` are names of the model."""
    groups: dict[str, tuple[str, list[Named]]] = {
        "transformations": ("orientation A and origin r in world axes, eqs. (11)-(12)", []),
        "velocities": ("velocity v of the origin and angular velocity w in body axes, eq. (13)", []),
        "momenta": ("w × s with s = mρ_c, and angular momentum K about the origin, eq. (14)", []),
        "medium": ("impulse P and moment of impulse H of the fluid, (P; H) = Λ(v; w), body axes", []),
        "energies": ("kinetic and potential energy, eq. (14), and the fluid's TΛ", []),
        "generalized momenta": ("p = ∂T/∂q', eq. (15)", [(f"p_{name}", value) for name, value in momenta]),
        "forces": ("length, its rate, and force of the bipolar elements", list(forces)),
    }
    for part in parts:
        k, frame = part.label, part.frame
        for i, row in enumerate(frame.A, 1):
            groups["transformations"][1].extend((f"A{k}_{i}{j}", value) for j, value in enumerate(row, 1))
        groups["transformations"][1].extend(components(f"r{k}", frame.r))
        groups["velocities"][1].extend((*components(f"v{k}", frame.u), *components(f"w{k}", frame.w)))
        if k in kinetics:
            own = kinetics[k]
            groups["momenta"][1].extend(
                (*components(f"ws{k}", own.moving), *components(f"K{k}", own.turning))
            )
            groups["energies"][1].extend(((f"T{k}", own.energy), (f"Π{k}", potentials[k])))
        if k in fluids:
            around = fluids[k]
            groups["medium"][1].extend(
                (*components(f"P{k}", around.moving), *components(f"H{k}", around.turning))
            )
            groups["energies"][1].append((f"TΛ{k}", around.energy))
    namer = Namer(taken, is_long)
    made = [Stage(name, title, namer.assignments(items)) for name, (title, items) in groups.items()]
    return tuple(stage for stage in made if stage.assignments)


def components(name: str, vector: Sequence[Expression]) -> Iterator[Named]:
    """A vector's components by name."""
    return zip((f"{name}_x", f"{name}_y", f"{name}_z"), vector, strict=True)


def is_long(x: Expression) -> bool:
    """Whether an expression is worth a name: not z1, cos(z1) or a number."""
    return not x.constant and (x.op in ("add", "mul") or any(arg.args for arg in x.args))
