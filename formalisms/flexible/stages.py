"""Names of the intermediates: the passes as the paper prints them.

``V3_x`` … ``V3_wz`` are the components of V_3, velocity of A_3 and angular velocity, in the axes of link 3; the same
six of ``h3``, ``C3``, ``p3``, ``u3``, ``dV3``, ``F3``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from mbconcord.model.derivation import Assignment, Nested, Stage, flatten
from mbconcord.model.expressions import Expression, as_expression, topological
from mbconcord.model.naming import Namer, unsigned

from .equations import Equations

SIX = ("x", "y", "z", "wx", "wy", "wz")


def stages(eq: Equations, quantities: Mapping[str, Nested]) -> tuple[Stage, ...]:
    """The passes of a derivation; what no quantity needs has no name."""
    needed = {n for n in topological(flatten(tuple(quantities.values()))) if n.args and not n.constant}
    namer = Namer(eq.system.names, needed.__contains__)
    closed: list[tuple[str, str, int]] = []

    def close(name: str, title: str) -> None:
        closed.append((name, title, len(namer.found) - sum(n for *_, n in closed)))

    k, J, count = eq.k, eq.J, range(len(eq.links))
    for j in count:
        _name(namer, f"R{j + 1}", k.turn[j])
        _name(namer, f"D{j + 1}", k.arm[j], "xyz")
    for j in count:
        _name(namer, f"V{j + 1}", k.velocities[j], SIX)
        _name(namer, f"h{j + 1}", k.bias[j], SIX)
    for j in count:
        _name(namer, f"Jrr{j + 1}", J.rr[j])
        _name(namer, f"Jre{j + 1}", J.re[j])
        _name(namer, f"C{j + 1}", eq.resisting.joints[j], SIX)
        _name(namer, f"Ce{j + 1}", eq.resisting.modal[j])
    close("first pass", "Joints and velocities, inertia and forces of the links, in their own axes")
    for j in reversed(count):
        _name(namer, f"F{j + 1}", eq.held.joints[j], SIX)
    close("inverse dynamics", "What the joints transmit for given accelerations")
    if "acceleration" in quantities:
        for j in reversed(count):
            own = eq.motion.eliminated[j]
            _name(namer, f"K{j + 1}", own.K)
            _name(namer, f"p{j + 1}", own.p, SIX)
            _name(namer, f"u{j + 1}", own.u, SIX)
            if own.Z is not None:
                _name(namer, f"Z{j + 1}", own.Z)
        close("second pass", "Inertia and forces handed to the base, unknown accelerations eliminated")
        for j in count:
            _name(namer, f"dV{j + 1}", eq.motion.V[j], SIX)
        close("third pass", "Accelerations from the base to the tips")
    return _ordered(namer.found, closed)


def _name(namer: Namer, stem: str, values: Any, parts: Iterable[str] | None = None) -> None:
    """Name the elements of a scalar, vector or matrix: ``stem_part``, ``stem_i``, ``stem_i_k``."""
    array = np.asarray(values, dtype=object)
    labels = (
        [f"_{p}" for p in parts]
        if parts
        else ["".join(f"_{i + 1}" for i in at) for at in np.ndindex(array.shape)]
    )
    for label, x in zip(labels, array.ravel(), strict=True):
        node = as_expression(x)
        name = f"{stem}{label}"
        namer.name(f"minus_{name}" if node.op == "neg" else name, unsigned(node))


def _ordered(found: Mapping[Expression, str], closed: list[tuple[str, str, int]]) -> tuple[Stage, ...]:
    """The stages; an intermediate that one of an earlier stage needs stands there, before it."""
    owners = [i for i, stage in enumerate(closed) for _ in range(stage[2])]
    earliest = dict(zip(found, owners, strict=True))
    order = topological(found)
    for node in reversed(order):  # users stand after what they use
        for inner in node.args:
            earliest[inner] = min(earliest.get(inner, earliest[node]), earliest[node])
    lines: list[list[Assignment]] = [[] for _ in closed]
    for node in order:
        if node in found:
            lines[earliest[node]].append(Assignment(found[node], node))
    made = zip(closed, lines, strict=True)
    return tuple(Stage(name, title, tuple(own)) for (name, title, _), own in made if own)
