"""What pictures show: everything is fastened where the model has it, and many poses at once are those one by one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mbconcord.converters.registry import read, read_text
from mbconcord.fixtures import folder
from mbconcord.model import State, System
from mbconcord.model.diagnostics import DisagreementError
from mbconcord.model.expressions import evaluate
from mbconcord.model.functions import Definitions
from mbconcord.model.numbers import environment
from mbconcord.reports.pictures import frames
from mbconcord.reports.pictures.picture import picture
from mbconcord.reports.pictures.scene import Scene, scene, scene_at
from mbconcord.simulation.poses import poses

FIXTURES = (
    "mbsd/double_pendulum.mbsd", "mbsd/four_bar.mbsd", "mbsd/patu655.mbsd", "mbsd/springs.mbsd", "robots/ur5.mbsd",
    "mbsd/moving_support.mbsd", "elastic/nodal_tree.mbs.json", "elastic/soft_arm.mbs.json",
    "native/rubber_mounts.mbs.json", "native/universal_joint.mbs.json", "native/quick_return.mbs.json",
)  # fmt: skip
POSES = 3


def system(name: str) -> System:
    return read(folder() / name).system


def poses_of(model: System) -> list[State]:
    random = np.random.default_rng(3)
    q = 0.3 * random.normal(size=(POSES, len(model.coordinates)))
    return [State(0.4 * k, dict(zip(model.coordinate_names, row.tolist(), strict=True))) for k, row in enumerate(q)]


def at_once(model: System, states: list[State]) -> Scene:
    values = environment(model, [State()])[0]
    moving = {n: np.array([s.q[n] for s in states]) for n in model.coordinate_names}
    return scene_at(model, values | moving | {"t": np.array([s.t for s in states])}, {}, True)


@pytest.mark.parametrize("name", FIXTURES)
def test_many_poses_are_those_one_by_one(name: str) -> None:
    model = system(name)
    states = poses_of(model)
    shown = at_once(model, states)
    for k, state in enumerate(states):
        one = scene_at(model, environment(model, [state])[0], {}, True)
        lines = {(line.kind, line.body, *at(line.start, 0), *at(line.end, 0)) for line in one.lines}
        many = {(line.kind, line.body, *at(line.start, k), *at(line.end, k)) for line in shown.lines}
        assert lines <= many, "a piece that has no length at one pose may have one at another"
        for a, b in zip(one.joints, shown.joints, strict=True):
            assert at(a.point, 0) == at(b.point, k) and at(a.axis, 0) == at(b.axis, k)


def at(point: np.ndarray, k: int) -> tuple[float, ...]:
    """A point at a pose, to what it is seen by."""
    return tuple(np.round(point[k] if point.ndim > 1 else point, 9) + 0.0)


@pytest.mark.parametrize("name", FIXTURES)
def test_masses_are_where_the_graph_of_simulation_has_them(name: str) -> None:
    """Frames are followed in numbers here and as expressions there: two pieces of code that share nothing."""
    model = system(name)
    states = poses_of(model)
    shown = dict(at_once(model, states).masses)
    assert shown or all(body.modal for body in model.bodies)
    found = poses(model)
    for k, values in enumerate(environment(model, states)):
        for body in model.bodies:
            if body.name in shown:
                centre = found[body.name].shift(body.inertia.centre).r
                there = evaluate(Definitions(model.functions).apply(centre), values)
                assert shown[body.name].reshape(-1, 3)[k if shown[body.name].ndim > 1 else 0] == pytest.approx(
                    there, abs=1e-12
                )


def test_loops_are_closed_and_stand_on_both_feet() -> None:
    shown = scene(system("mbsd/four_bar.mbsd"))
    assert sorted(tuple(np.round(p, 12)) for p in shown.ground) == [(0, 0, 0), (1, 0, 0)]
    (closure,) = (joint for joint in shown.joints if joint.kind == "closure")
    ends = [line.end for line in shown.lines if line.body in ("coupler", "rocker") and line.kind == "link"]
    assert any(np.allclose(closure.point, end) for end in ends)
    assert not any(line.kind == "gap" for line in shown.lines)


@pytest.mark.parametrize(
    ("name", "place", "wrong"),
    [
        ("mbsd/four_bar.mbsd", "Scene.plane", lambda _: 1), ("mbsd/double_pendulum.mbsd", "Scene.plane", lambda _: 0),
        ("robots/ur5.mbsd", "Scene.plane", lambda _: 2), ("robots/ur5.mbsd", "AZIMUTH", 0.9),
        ("robots/ur5.mbsd", "rotate_vectors", lambda rotation, vector: vector),
        ("mbsd/four_bar.mbsd", "_PictureDrawing.to_picture", lambda self, p: (p[0], p[1] - 999)),
    ],
)  # fmt: skip
def test_a_picture_of_another_plane_or_pose_is_a_disagreement(
    monkeypatch: pytest.MonkeyPatch, name: str, place: str, wrong: object
) -> None:
    assert "not checked" not in picture(system(name))[1]
    monkeypatch.setattr(f"mbconcord.reports.pictures.{'picture' if 'Picture' in place else 'scene'}.{place}", wrong)
    with pytest.raises(DisagreementError, match=r"picture: error: joints or masses are drawn .* pixels"):
        picture(system(name))


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("mbsd/double_pendulum.mbsd", lambda found: replace(found, gravity=-found.gravity), "gravity is drawn along"),
        ("mbsd/branched.mbsd", lambda found: replace(found, lines=[x for x in found.lines if x.kind != "arm"]),
         "no line leads to the mass centre of"),
        ("mbsd/four_bar.mbsd", lambda found: replace(found, lines=[replace(x, end=1.1 * x.end) for x in found.lines]),
         "an end of a line is drawn"),
        ("mbsd/springs.mbsd", lambda found: replace(found, lines=[
            replace(x, start=x.start * 1.1) if x.kind == "bipolar" else x for x in found.lines]),
         "an end of a line is drawn"),
        ("robots/ur5.mbsd", lambda found: replace(found, ground=(np.array([0.1, 0.0, 0.0]),)),
         "an end of a line is drawn"),
    ],
)  # fmt: skip
def test_lines_supports_and_arrows_are_judged_too(
    monkeypatch: pytest.MonkeyPatch, name: str, change: Callable[[Scene], Scene], said: str
) -> None:
    model = system(name)
    monkeypatch.setattr("mbconcord.reports.pictures.picture.scene", lambda *given: change(scene(*given)))
    with pytest.raises(DisagreementError, match=said):
        picture(model)


def test_axes_drawn_elsewhere_are_a_disagreement_where_no_point_leaves_the_plane(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        "mbconcord.reports.pictures.picture.basis", lambda *_: np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 1.0]])
    )
    with pytest.raises(DisagreementError, match="axes are drawn along"):
        picture(system("mbsd/double_pendulum.mbsd"))


def test_points_on_a_line_may_be_seen_from_anywhere() -> None:
    """A sprung column was drawn in space, and judged as drawn in the first plane of its joints."""
    assert "not checked: shapes" in picture(system("um/suspension"))[1]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda curve: 1.3 * curve, "a shape is drawn .* outside of every shape"),
        (lambda curve: curve + 0.1, "a shape is drawn .* outside of every shape"),
        (lambda curve: 0.6 * curve, "shapes are drawn .* pixels wide, expected"),
    ],
)
def test_outlines_stand_within_their_shapes(
    monkeypatch: pytest.MonkeyPatch, change: Callable[[np.ndarray], np.ndarray], said: str
) -> None:
    model = system("urdf/arm.urdf")
    assert "not checked" not in picture(model)[1]
    list_curves = frames._list_curves
    monkeypatch.setattr(frames, "_list_curves", lambda *given: [change(x) for x in list_curves(*given)])
    with pytest.raises(DisagreementError, match=said):
        picture(model)
    assert "not checked: shapes" in picture(system("mjcf/hopper.xml"))[1]


def test_a_loop_that_stands_open_is_shown_so() -> None:
    shown = scene(read_text("z°10 i #a > z°20 i #b ; g-y \\ #b z = {3, 0} < #0", format="mbsd").system)
    (gap,) = (line for line in shown.lines if line.kind == "gap")
    assert np.linalg.norm(gap.end - gap.start) > 0.5


def test_a_closure_that_slides_shows_its_way() -> None:
    """The lever's pin, 0.2 m out on the crank: from there it slides in the slot."""
    model = system("native/quick_return.mbs.json")
    shown = scene_at(model, environment(model, [State(q={"crank": 0.0, "lever": 0.0})])[0], {}, True)
    (way,) = (line for line in shown.lines if line.kind == "slide")
    (closure,) = (joint for joint in shown.joints if joint.kind == "closure")
    assert way.start == pytest.approx([0.2, 0, 0]) and way.end == pytest.approx([0, -0.5, 0])
    assert closure.point == pytest.approx(way.end)


@pytest.mark.parametrize("name", ["mbsd/springs.mbsd", "mbsd/andrews.mbsd", "mbsd/patu655.mbsd"])
def test_elements_hang_on_bodies_or_on_the_ground(name: str) -> None:
    """Each end of a spring and a rod is an end of a link, a joint, a mass, or a stand."""
    shown = scene(system(name))
    held = [line.end for line in shown.lines if line.kind == "link"] + [j.point for j in shown.joints]
    held += [*shown.ground, *(p for _, p in shown.masses)]
    ends = [p for line in shown.lines if line.kind in ("bipolar", "rod") for p in (line.start, line.end)]
    assert ends
    for end in ends:
        assert min(np.linalg.norm(end - p) for p in held) < 1e-9


def test_the_fixtures_are_there() -> None:
    assert all((Path(folder()) / name).exists() for name in FIXTURES)
