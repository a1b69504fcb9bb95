"""SDF: inertia that is said, that shapes have, and that stands there where nothing is said."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest

from mbconcord.model.expressions import evaluate_float

from .sdf_texts import link, model, pose, read, within

SHAPES = {  # mass per density, moments per mass: by hand, of whole lengths
    "<box><size>2 4 6</size></box>": (48, [13 / 3, 10 / 3, 5 / 3]),
    "<sphere><radius>0.5</radius></sphere>": (pi / 6, [0.1, 0.1, 0.1]),
    "<cylinder><radius>2</radius><length>6</length></cylinder>": (24 * pi, [4, 4, 2]),
    "<ellipsoid><radii>1 2 3</radii></ellipsoid>": (8 * pi, [13 / 5, 10 / 5, 1]),
    "<capsule><radius>1</radius><length>6</length></capsule>": (
        22 / 3 * pi,
        [(6 * (3 + 36) / 12 + 4 / 3 * (0.4 + 9 / 4 + 9)) / (22 / 3)] * 2 + [(3 + 8 / 15) / (22 / 3)],
    ),
}


@pytest.mark.parametrize(("said", "expected"), SHAPES.items(), ids=SHAPES)
@pytest.mark.parametrize(("inertial", "collision", "density"), [("", "", 1000), ("3", "", 3), ("3", "5", 5)])
def test_inertia_of_shapes_by_hand(said, expected, inertial, collision, density):
    mass, moments = expected
    inertial, collision = (f"<density>{x}</density>" if x else "" for x in (inertial, collision))
    turn = within("1 0 0 0 0 1.5707963267948966", "f")
    text = link(
        inside=f'<inertial auto="true">{inertial}</inertial><collision name="c">{collision}{turn}'
        f"<geometry>{said}</geometry></collision>"
    )
    own = read(model(text + f'<frame name="f" attached_to="a">{pose("0 2 0 0 0 0")}</frame>')).system.bodies[0].inertia
    found = [evaluate_float(x, {}) for x in (own.mass, *own.centre, *own.tensor)]
    y, x, z = moments
    wanted = [1, *np.array([1, 2, 0]) / (density * mass), x, y, z, 0, 0, 0]
    np.testing.assert_allclose(np.array(found) / (density * mass), wanted, rtol=1e-14, atol=1e-14)


def test_what_is_not_said_of_inertia_is_one():
    silent = read(model(link(inside=""))).system.bodies[0].inertia
    assert [evaluate_float(x, {}) for x in (silent.mass, *silent.tensor)] == [1, 1, 1, 1, 0, 0, 0]
    half = read(model(link(inside="<inertial><inertia><ixx>3</ixx></inertia></inertial>"))).system.bodies[0].inertia
    assert [evaluate_float(x, {}) for x in (half.mass, *half.tensor)] == [1, 3, 1, 1, 0, 0, 0]
