"""Derivatives of a model's equations, in addition to a formalism's quantities."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.derivation import QUANTITIES, Derivation, flatten
from mbconcord.model.derivatives import DERIVED, with_derivatives
from mbconcord.model.diagnostics import NumbersError, error
from mbconcord.model.evaluation import Array
from mbconcord.model.expressions import ExpressionError, evaluate, numpy_arithmetic
from mbconcord.model.functions import define
from mbconcord.model.kinematics import KinematicQuantity, express_kinematics, read_kinematics
from mbconcord.model.numbers import Instance
from mbconcord.model.system import System
from mbconcord.records import replace

from .kinematics import require_motions


def derived_whole(by: Formalism, system: System, names: Collection[str] | None = None) -> Derivation:
    """Derive a model with its derivatives natively, or with those of some names alone.

    Parameters
    ----------
    by, system
    names : requested derivatives, possibly among other quantities; None: all derivatives
    """
    whole = by.derive_whole(system)
    if names is None:
        return with_derivatives(whole, by.derive)
    asked = [name for name in names if name in DERIVED]
    return with_derivatives(whole, by.derive, asked) if asked else whole


def derived_asked(
    by: Formalism, system: System, names: Collection[str], derivatives: Collection[str] | None = None
) -> Derivation:
    """Derive by :meth:`Formalism.derive_asked` if that delivers all these canonical quantities, else the whole.

    The complete derivation natively has all derivatives, or those among ``derivatives``, and the kinematic quantities
    among ``names``. Where there are no others, it has nothing else.
    """
    if moving := read_kinematics(system, names):
        others = [name for name in names if name not in moving]
        known = [name for name in derivatives if name not in moving] if derivatives is not None else None
        whole = derived_asked(by, system, others, known) if others else Derivation(by.name, system, {})
        return with_kinematics(whole, by, moving)
    if names and {*names} <= {*QUANTITIES}:
        found = by.derive_asked(system, names)
        if {*names} <= {*found.quantities}:
            return found
    return derived_whole(by, system, derivatives)


def with_kinematics(derivation: Derivation, by: Formalism, asked: Mapping[str, KinematicQuantity]) -> Derivation:
    """Return a derivation with kinematic quantities natively, by the formalism's own motions of points.

    Raises
    ------
    FormalismError
        The formalism has no motions of points, or does not take the model; who has them.
    """
    if not asked:
        return derivation
    system = derivation.system
    tree = system.open_loops()
    require_motions(by, tree, next(iter(asked)))
    made = express_kinematics(system, lambda points: by.motions(tree, points) or (), asked)
    labels = {name: x.indices(system) for name, x in asked.items()}
    return replace(derivation, native={**derivation.native, **made}, indices={**derivation.indices, **labels})


def derivatives_at(system: System, by: Formalism, at: Instance, names: Iterable[str]) -> dict[str, Array]:
    """Compute derivatives (N, n, k) at N states; skip those of ``names`` that are none.

    Raises
    ------
    FormalismError
        The formalism does not take the model, or there is no such derivative of it: why.
    NumbersError
        A model without coordinates, a function without a formula, a division by zero.
    """
    asked = [name for name in names if name in DERIVED]
    if not asked:
        return {}
    if not system.coordinates:
        raise NumbersError(error("coordinates", "the model has no coordinates", "nothing in it moves"))
    derivation = derived_whole(by, system, asked)
    found: dict[str, Array] = {}
    for name in dict.fromkeys(asked):
        rows: Any = derivation.native[name]
        try:
            with np.errstate(all="ignore"):
                numbers = evaluate(define(flatten(rows), system.functions), at.values, numpy_arithmetic())
        except ExpressionError as problem:
            raise NumbersError(error(f"{by.name}/{name}", str(problem))) from None
        columns = [np.broadcast_to(np.asarray(x, dtype=float), (len(at),)) for x in numbers]
        shape = (len(at), len(rows), len(rows[0]) if rows else 0)
        found[name] = np.stack(columns, axis=1).reshape(shape) if columns else np.zeros(shape)
    return found
