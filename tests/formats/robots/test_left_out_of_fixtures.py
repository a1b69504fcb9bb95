"""What fixtures leave out, by place: nothing twice, and nothing that the model holds."""

from __future__ import annotations

import pytest

from mbconcord.converters import registry
from mbconcord.fixtures import folder

#: Limits, sensors, pictures, sites and shapes that nothing touches; tendons, armatures and computed inertias are held.
PLACES = {
    "mjcf/hopper.xml": """comment/1 sensor/jointpos image/world image/side site/shin
        joint-limit/hip joint-limit/knee joint-limit/ankle
        collision-shape/floor collision-shape/trunk collision-shape/head collision-shape/thigh.1
        collision-shape/shank.1 collision-shape/foot.1 collision-shape/foot.2
        saturation/hip saturation/knee saturation/ankle""",
    "mjcf/finger.xml": """comment/1 site/ceiling site/pulley site/hook
        collision-shape/proximal.1 collision-shape/distal.1 collision-shape/lamp.1 collision-shape/lamp.2""",
    "mjcf/linkage.xml": "comment/1",
    "um/four_bar/input.dat": "image/rod",
}


@pytest.mark.parametrize("name", PLACES)
def test_what_a_fixture_leaves_out(name: str) -> None:
    omissions = registry.read(folder() / name).system.omissions
    assert [o.place for o in omissions] == PLACES[name].split()
