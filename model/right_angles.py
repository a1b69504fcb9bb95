"""Right angles that a file writes in digits."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from math import pi
from typing import Any, Final

from mbconcord.records import fields, replace

from .expressions import PI_NODE, Expression, apply, evaluate_float, substitute, topological
from .system import System
from .transformation import Constant, ElementaryTransformation

#: An angle this near to a multiple of 90 degrees was written for it (rad).
WRITTEN: Final = 1e-9
#: So was one whose last digit alone is off, if it has so many behind the point: 1.570796, and 1.5708 is an angle.
PLACES: Final = 6
#: Functions whose constant arguments are angles.
TURNS: Final = ("sin", "cos", "tan")


def snap_angles(system: System) -> tuple[System, tuple[str, ...]]:
    """Take angles that were written for a multiple of 90 degrees for it; return the model and what was written.

    They are within 1e-9 rad of it, or off by less than their last digit, of six or more behind the point.
    """
    written: dict[Expression, Expression] = {}

    def snap(angle: Expression) -> Expression:
        if not angle.constant or angle in written:
            return written.get(angle, angle)
        value = evaluate_float(angle, {})
        exact = PI_NODE * Fraction(round(2 * value / pi), 2)
        places = -int(Decimal(repr(value)).as_tuple().exponent)
        near = max(WRITTEN, 10.0**-places if places >= PLACES else 0.0)
        if exact is not angle and abs(value - evaluate_float(exact, {})) < near:
            written[angle] = exact
        return written.get(angle, angle)

    def change(value: Any) -> Any:
        if isinstance(value, Expression):
            found = [x for x in topological([value]) if x.op == "fun" and x.data in TURNS and x.args[0].constant]
            return substitute([value], {x: apply(x.data, snap(x.args[0])) for x in found})[0] if found else value
        if (
            isinstance(value, ElementaryTransformation)
            and isinstance(value.motion, Constant)
            and value.kind == "rotation"
        ):
            return replace(value, motion=Constant(change(snap(value.motion.value))))
        if isinstance(value, Mapping):
            return {key: change(inner) for key, inner in value.items()}
        if isinstance(value, tuple):
            return tuple(map(change, value))
        if hasattr(value, "__dataclass_fields__"):
            new = {f.name: change(getattr(value, f.name)) for f in fields(value) if f.init}
            same = all(new[name] is getattr(value, name) or new[name] == getattr(value, name) for name in new)
            return value if same else replace(value, **new)
        return value

    changed = replace(system, **{f.name: change(getattr(system, f.name)) for f in fields(system) if f.name in SNAPPED})
    return changed, tuple(map(str, written))


#: Parts of a model that have angles.
SNAPPED: Final = ("bodies", "forces", "constraints", "gravity")
