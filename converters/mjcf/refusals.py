"""Rules of MuJoCo's compiler for masses and inertias: it refuses a whole model if one body breaks a rule."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from mbconcord.converters.constants import ConstantReader
from mbconcord.converters.floats import Array
from mbconcord.model import Body, System
from mbconcord.model.diagnostics import Diagnostic
from mbconcord.model.elastic.rigid import rigid
from mbconcord.model.expressions import Expression

#: mjMINVAL: lower bound of mass and moments of a body with joints, or of a body that is fixed on it.
LEAST: Final = 1e-15
#: Lower bound of the eigenvalues of a ``fullinertia``.
LEAST_FULL: Final = 1e-14
#: Rounding of a decomposition, as a part of the largest moment.
ROUNDING: Final = 1e-12
HEAVY: Final = "give it mass and moments above 1e-15, or fix a body on it that has them"
TRIANGLE: Final = 'give a tensor that a body can have, or <compiler balanceinertia="true"/>, which replaces it'


def refusals_of_urdf(system: System, told: Collection[str] = ()) -> Iterator[Diagnostic]:
    """Yield a warning of the first body of a URDF that MuJoCo refuses, but for places in ``told``, and the number left.

    In a URDF every nonzero tensor is a ``fullinertia``, and collision shapes give inertia to links without any. The
    effect of ``<mujoco>`` on masses and tensors is not known here: no body is judged then.
    """
    if any(o.kind == "extension" and o.acts and "MuJoCo" in o.place for o in system.omissions):
        return
    shaped = {o.place.partition("/")[2] for o in system.omissions if o.kind == "collision-shape"}
    unknown = {b.name for b in system.bodies if b.inertia.is_zero and b.name in shaped}
    full = {b.name for b in system.bodies if any(b.inertia.tensor)}
    found = [d for d in refusals(system, full, unknown) if d.place not in told]
    if found:
        more = f"; {len(found) - 1} more are such" if len(found) > 1 else ""
        message = found[0].message.replace("this:", "this URDF:") + more
        yield replace(found[0], message=message)


def refusals(
    system: System, full: Collection[str] | None = None, unknown: Collection[str] = ()
) -> Iterator[Diagnostic]:
    """Yield a warning for each body that MuJoCo refuses.

    ``full`` names bodies with ``fullinertia``; None: those of the writer. ``unknown`` are bodies whose inertia in
    MuJoCo is not that of the model.
    """
    system = rigid(system)
    numbers = ConstantReader(system, "an MJCF")
    fixed: dict[str, list[Body]] = {}
    for body in system.bodies:
        if body.parent is not None and not body.coordinates:
            fixed.setdefault(body.parent, []).append(body)
    lumps = {body.name: None if body.name in unknown else _lump(body, numbers) for body in system.bodies}
    for body in system.bodies:
        lump = lumps[body.name]
        if lump is None:
            continue
        mass, tensor = lump
        products = bool((tensor != np.diag(np.diag(tensor))).any())
        whole = products if full is None else body.name in full
        small, middle, large = np.linalg.eigvalsh(tensor) if products else np.sort(np.diag(tensor))
        word = "fullinertia" if whole else "inertia"
        if body.coordinates and not _is_heavy(body, fixed, lumps):
            least = min(mass, small)
            yield _refuse(body, f"its mass {mass:g} kg or its least moment {least:g} kg m² is too small", HEAVY)
        elif not body.inertia.is_zero and whole and small <= LEAST_FULL:
            yield _refuse(body, f"its fullinertia has an eigenvalue {small:g}, which is not positive", HEAVY)
        elif small + middle < large * (1 - ROUNDING):
            sides = f"{large:.6g} > {small:.6g} + {middle:.6g} kg m²"
            yield _refuse(body, f"its {word} breaks the triangle inequality: {sides}", TRIANGLE)
        elif products and small + middle < large * (1 + ROUNDING):
            what = f"its {word} keeps the triangle inequality without slack, and rounding decides"
            yield _refuse(body, what, TRIANGLE, "may")


def _refuse(body: Body, what: str, remedy: str, sure: str = "will") -> Diagnostic:
    message = f"MuJoCo {sure} refuse this: body {body.name}, {what}"
    return Diagnostic("warning", f"bodies/{body.name}/inertia", message, remedy)


def _is_heavy(body: Body, fixed: dict[str, list[Body]], lumps: dict[str, tuple[float, Array] | None]) -> bool:
    """Return True if a body, or a body that is fixed on it, has mass and moments; unknown masses count as such."""
    waiting = [body]
    while waiting:
        found = waiting.pop()
        lump = lumps[found.name]
        if lump is None or min(lump[0], np.linalg.eigvalsh(lump[1])[0]) > LEAST:
            return True
        waiting += fixed.get(found.name, [])
    return False


def _lump(body: Body, numbers: ConstantReader) -> tuple[float, Array] | None:
    """Return mass and tensor of a body; None if a number has no value."""
    place = f"bodies/{body.name}/inertia"

    def real(x: Expression) -> float:
        return float(x.value) if x.op == "num" else float(numbers.precise(place, x))

    found = real(body.inertia.mass), np.array([[real(x) for x in row] for row in body.inertia.matrix()])
    return None if numbers.missing else found
