"""What Pogorelov's direct method does not take."""

from __future__ import annotations

import pytest

from mbconcord.formalisms.virtual_work import VirtualWork
from mbconcord.model import Bipolar, Body, Coordinate, Frame, FrameCoincidence, Inertia, Point, Rod, System, translation
from mbconcord.model.diagnostics import FormalismError
from mbconcord.model.expressions import as_expression

SLIDER = Body("b", None, (translation("x", "u"),), Inertia(1))


REFUSED = {
    "constraints/rod": {"constraints": (Rod("rod", Point(None), Point("b"), as_expression(1)),)},
    "constraints/cut": {"constraints": (FrameCoincidence("cut", Frame("b"), Frame(None)),)},
}


@pytest.mark.parametrize("place", REFUSED)
def test_what_it_does_not_take_is_named(place: str) -> None:
    system = System("s", **({"coordinates": (Coordinate("u"),), "bodies": (SLIDER,)} | REFUSED[place]))
    with pytest.raises(FormalismError, match=place):
        VirtualWork().derive(system)


def test_bipolar_force_between_coinciding_points() -> None:
    force = Bipolar("f", Point("b"), Point("b"), as_expression(1))
    system = System("s", (Coordinate("u"),), bodies=(SLIDER,), forces=(force,))
    with pytest.raises(FormalismError, match=r"forces/f.*coincide"):
        VirtualWork().derive(system)
