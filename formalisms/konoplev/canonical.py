"""Conversion of Konoplev's equations to the canonical ones: M = A(q), h = b, weight and the rest of Q, in the model's
order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbconcord.model.derivation import Nested
from mbconcord.model.expressions import as_expression

from . import gathered
from .aggregates import Aggregates, bias_forces, mass_matrix, sum_applied_forces, weights, with_armatures
from .structure import Direction
from .vectors import Matrix, Vector


def canonical(system: Aggregates) -> dict[str, Any]:
    """Compute M (rows), h, gravity and applied in the order of the model's coordinates."""
    model, tree, inertias = system.mechanism.system, system.tree, system.inertias
    names, acting = model.coordinate_names, sum_applied_forces(system)
    if gathered.deep(tree):
        own = gathered.mass_matrix(tree, inertias)
        b, weight = gathered.bias_forces(tree, inertias), gathered.weights(tree, inertias, system.fall)
    else:
        own = mass_matrix((body.z, body.rows) for body in system.bodies)
        b, weight = bias_forces(system.bodies), weights(system.bodies)
    A = with_armatures(own, model, tree, system.arithmetic.to_scalar)
    return {
        "M": square(A, names),
        "h": column(b, names),
        "gravity": column(weight, names),
        "applied": tuple(acting.get(name, 0) for name in names),
    }


def square(found: Mapping[tuple[Direction, Direction], Any], names: Sequence[str]) -> Matrix:
    """Complete a symmetric matrix from the elements on one side of its diagonal."""
    by_name = {(a.coordinate, b.coordinate): x for (a, b), x in found.items()}
    by_name |= {(b, a): x for (a, b), x in by_name.items()}
    return tuple(tuple(by_name.get((a, b), 0) for b in names) for a in names)


def column(found: Mapping[Direction, Any], names: Sequence[str]) -> Vector:
    """Arrange values into a vector in the order of the coordinate names."""
    by_name = {d.coordinate: x for d, x in found.items()}
    return tuple(by_name.get(name, 0) for name in names)


def nodes(value: Any) -> Nested:
    """Convert nested tuples of scalars to expressions: a structural zero becomes the node ZERO."""
    return tuple(map(nodes, value)) if isinstance(value, tuple) else as_expression(value)


def arrays(value: Any, count: int) -> NDArray[np.float64]:
    """Convert nested tuples of scalars to an array (N, …) over the states."""
    if isinstance(value, tuple):
        items = [arrays(item, count) for item in value]
        return np.stack(items, axis=1) if items else np.zeros((count, 0))
    return np.broadcast_to(np.asarray(value, dtype=float), (count,))


def canonical_arrays(system: Aggregates, count: int) -> dict[str, NDArray[np.float64]]:
    """Evaluate the canonical quantities of a numeric system over N states: M (N, n, n), the others (N, n)."""
    n = len(system.mechanism.system.coordinates)
    return {
        name: arrays(value, count).reshape((count, n, n) if name == "M" else (count, n))
        for name, value in canonical(system).items()
    }
