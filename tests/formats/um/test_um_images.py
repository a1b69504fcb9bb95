"""Images of an input.dat, contact points and planes: drawn where UM has them, or named as not drawn."""

from __future__ import annotations

import json

import numpy as np
import pytest

import mbconcord as mb
from mbconcord.converters import registry
from mbconcord.fixtures import folder
from mbconcord.model.numbers import environment
from mbconcord.reports.pictures.picture import picture
from mbconcord.reports.pictures.scene import scene_at
from mbconcord.validation.witnesses.tracks import BEGIN, END, check_page

JOINT = """with body1; name="B"; igrobj=1; m=1; ixx=1; iyy=1; izz=1;
with joint1; name="j"; type=comm; bd1="Base0"; bd2="B";
with et; type=tc; ex=1; ey=0; ez=0;
with et; type=rv; ex=0; ey=0; ez=1; coord0=90;
"""
HEAD = """with main; autogravity=true;
with const;
cnst=(p# 0.5);
with egravity; gravityz=-1;
"""


def text(*elements: str, image: str = "", beside: str = "", rest: str = "") -> str:
    """A body that stands at x = 1, turned by 90 degrees about z, with an image of these elements."""
    inside = "".join(f"with ge; {element}\n" for element in elements)
    return f'{HEAD}with go; name="G"; {image}\n{inside}{beside}{JOINT}{rest}with end;\n'


def read_drawn(source: str) -> np.ndarray:
    """All points of the outlines in world axes, at the model's own state."""
    system = registry.read_text(source, "model/input.dat", "um").system
    shown = scene_at(system, environment(system, [mb.State()])[0], {}, True)
    points = [
        shown.frames[body][1] + curve @ shown.frames[body][0].T for body, curves in shown.outlines for curve in curves
    ]
    return np.concatenate(points)


def box(points: np.ndarray) -> list[list[float]]:
    return [np.round(points.min(axis=0), 9).tolist(), np.round(points.max(axis=0), 9).tolist()]


@pytest.mark.parametrize(
    ("element", "low", "high"),
    [
        # a body's x is the world's y, its y the world's -x; z is that of both
        ("type=BAR; box=p,0.2,0.4;", [0.9, -0.25, 0], [1.1, 0.25, 0.4]),
        ("type=BAR; box=p,0.2,0.4; p1z=1; axis1=2; angle1=90;", [0.9, 0, 0.75], [1.1, 0.4, 1.25]),
        ("type=BAR; box=p,0.2,; p2x=0.3;", [0.9, 0.05, 0], [1.1, 0.55, 0]),
        ("type=CYLINDER; h=p; r1=0.2; r2=0.2; npc=20;", [0.8, -0.2, 0], [1.2, 0.2, 0.5]),
        ("type=CYLINDER; h=p; r1=0.2; r2=0.1; axis1=1; angle1=-90;", [0.5, -0.2, -0.2], [1, 0.2, 0.2]),
        ("type=ELLIPSOID; abc=0.1,0.2,0.3; nm=40; nl=25;", [0.8, -0.1, -0.3], [1.2, 0.1, 0.3]),
        (
            "type=POLYGON; Vertices = { 0,0,0; 0.1,0,0; 0,0.2,0; 0,0,0.3 }; Faces = { 1,1,2,3; 1,1,2,4; };",
            [0.8, 0, 0], [1, 0.1, 0.3],
        ),
    ],
)  # fmt: skip
def test_an_image_is_drawn_in_its_place(element: str, low: list[float], high: list[float]) -> None:
    assert box(read_drawn(text(element))) == [low, high]


def test_a_cone_is_wide_where_it_stands() -> None:
    points = read_drawn(text("type=CYLINDER; h=p; r1=0.2; r2=0.1;"))
    assert np.hypot(*(points[points[:, 2] == 0.0][:, :2] - [1, 0]).T) == pytest.approx(0.2)
    assert np.hypot(*(points[points[:, 2] > 0.0][:, :2] - [1, 0]).T) == pytest.approx(0.1)


def test_a_polygon_has_the_edges_of_its_faces() -> None:
    faces = "1,1,2,3,4; 1,1,2,5; 1,2,3,5; 1,3,4,5; 1,4,1,5;"
    corners = "0,0,0; 1,0,0; 1,1,0; 0,1,0; 0.5,0.5,1;"
    source = text(f"type=POLYGON; Vertices = {{ {corners} }}; Faces = {{ {faces} }};")
    (shape,) = registry.fittings(registry.read_text(source, "-", "um").system, seen=True).shapes
    assert sorted(shape.edges) == [(0, 1), (0, 3), (0, 4), (1, 2), (1, 4), (2, 3), (2, 4), (3, 4)]


def test_images_stand_in_images() -> None:
    inner = 'with go; name="inner"; p1x=0.5;\nwith ge; type=BAR; box=0.2,0.2,0.2; p1z=1;\n'
    found = box(read_drawn(text("type=GO; gestyle=new; p1y=2; igo=1;", image="p1z=3;", beside=inner)))
    assert found == [[-1.1, 0.4, 4.0], [-0.9, 0.6, 4.2]]


@pytest.mark.parametrize(
    ("element", "said"),
    [
        ("type=SPRING; h=1; r=0.05; n=5; np=25;", "image G: SPRING"),
        ("type=PROFILED; proftype=ptUser2D;", "image G: PROFILED"),
        ("type=GO; gestyle=new; igo=0;", "image G: GO with igo=0"),
        ("type=GO; gestyle=new; igo=7;", "image G: GO with igo=7"),
        ("type=BAR; box=1,2;", "image G: BAR"),
        ("type=POLYGON; Vertices = { 0,0,0; }; Faces = { 1,1,2; };", "image G: POLYGON"),
    ],
)
def test_what_is_not_drawn_is_named(element: str, said: str) -> None:
    source = text(element, "type=BAR; box=0.1,0.1,0.1;")
    system = registry.read_text(source, "model/input.dat", "um").system
    assert picture(system)[1].endswith(f"; not drawn: {said}")
    assert f"<p>Not drawn: {said}.</p>" in mb.animate(system).html
    assert len(read_drawn(source)), "the rest is drawn"


def test_contact_points_and_planes_are_drawn() -> None:
    contact = """with cfrc; name="c"; type={}; bd1="B"; bd2="Base0"; reverse=true;
px=; py=; pz=-1; ex=0; ey= 1.; ez=0; clearance=; {}
"""
    points = contact.format("plane_point", "points={ '0.5' '' '-1'  '' 'p' '' };")
    system = registry.read_text(text(rest=points), "-", "um").system
    shown = scene_at(system, environment(system, [mb.State()])[0], {}, True)
    first, second, plane = shown.outlines
    assert [body for body, _ in shown.outlines] == ["B", "B", None]
    assert [curve.tolist() for _, (curve,) in (first, second)] == [[[0.5, 0, -1]], [[0, 0.5, 0]]]
    assert plane[1][0][:, 1] == pytest.approx(0.0) and plane[1][0].mean(axis=0)[2] == pytest.approx(-1.0)
    ball = read_drawn(text(rest=contact.format("plane_sphere", "sx=; sy=; sz=0.2; sr=0.3;")))
    assert box(ball[:75]) == [[0.7, -0.3, -0.1], [1.3, 0.3, 0.5]]
    odd = registry.read_text(text(rest=points.replace("clearance=;", "clearance=0.1;")), "-", "um").system
    assert picture(odd)[1].endswith("; not drawn: contact c")


def test_frames_of_shapes_are_judged() -> None:
    system = mb.read(folder() / "um/suspension/input.dat").system
    t = np.linspace(0.0, 1.0, 4)
    q = np.outer(np.sin(t), [0.1, 0.2])
    html = mb.animate(system, q, t=t).html
    assert {c.verdict for c in check_page(system, html, t, q, {})} == {"agrees"}
    head, _, rest = html.partition(BEGIN)
    data, _, after = rest.partition(END)
    page = json.loads(data)
    page["shapes"][0][1:3] = page["shapes"][0][2:0:-1]
    wrong = f"{head}{BEGIN}{json.dumps(page)}{END}{after}"
    found = [c.quantity for c in check_page(system, wrong, t, q, {}) if c.verdict == "disagrees"]
    assert found == ["frames of shapes"]


def test_shapes_of_a_urdf_are_drawn_too() -> None:
    system = mb.read(folder() / "urdf/arm.urdf").system
    shown = scene_at(system, environment(system, [mb.State()])[0], {}, True)
    curves = np.concatenate([c for body, own in shown.outlines for c in own if body == "upper_arm"])
    assert box(curves) == [[-0.03, -0.03, 0.0], [0.03, 0.03, 0.3]]
