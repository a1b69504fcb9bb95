"""The smallest model that has everything tests of the model vary: a slider q, a parameter m1, a function JK(t)."""

from __future__ import annotations

from typing import Any

from mbconcord.model import Body, Coordinate, Function, Inertia, Parameter, System, translation
from mbconcord.model.expressions import symbol

m1, q = symbol("m1"), symbol("q")
SLIDE = (translation("x", "q"),)


def model(**more: Any) -> System:
    """The slider, with fields of the system replaced; coordinates of modes are listed where nobody says so."""
    modal = dict.fromkeys(name for b in more.get("bodies", ()) for name in b.modal if name != "q")
    given: dict[str, Any] = {
        "name": "model",
        "coordinates": (Coordinate("q"), *(Coordinate(name) for name in modal)),
        "parameters": (Parameter("m1", 2),),
        "functions": (Function("JK", ("t",)),),
        "bodies": (Body("b", None, SLIDE, Inertia(m1)),),
    }
    return System(**(given | more))


def carrying(**more: Any) -> System:
    """The slider, its one body with these fields."""
    return model(bodies=(Body("b", None, SLIDE, **more),))
