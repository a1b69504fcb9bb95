"""Inertia from meshes: of files beside a model and in packages that the user names."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from mbconcord.converters import registry
from mbconcord.model import ReadError, System
from mbconcord.model.expressions import evaluate_float

#: A box of 2 x 4 x 6 m whose corner is the origin, of density 1000 kg/m³: centre and moments by mass.
SIZES = (2, 4, 6)
CENTRE, MOMENTS = [1, 2, 3], [13 / 3, 10 / 3, 5 / 3]
CORNERS = [(x, y, z) for x in (0, 2) for y in (0, 4) for z in (0, 6)]
FACES = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4),
         (1, 5, 7), (1, 7, 3)]  # fmt: skip


def msh() -> bytes:
    """In MuJoCo's own form."""
    numbers = [x for corner in CORNERS for x in corner]
    return struct.pack(f"<4i{len(numbers)}f36i", 8, 0, 0, 12, *numbers, *(i for face in FACES for i in face))


def obj() -> bytes:
    lines = [f"v {x} {y} {z}" for x, y, z in CORNERS] + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in FACES]
    return "\n".join(lines).encode()


def mjcf(file: str) -> str:
    return (
        f'<mujoco><asset><mesh name="m" file="{file}" scale="1 1 1"/></asset><worldbody><body name="a">'
        '<joint name="j"/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>'
    )


def sdf(file: str) -> str:
    return (
        '<sdf version="1.11"><model name="r"><link name="a"><inertial auto="true"/><collision name="c"><geometry>'
        f"<mesh><uri>{file}</uri></mesh></geometry></collision></link></model></sdf>"
    )


FORMATS = {"mjcf": mjcf, "sdf": sdf}


def weighs(system: System) -> bool:
    """Whether the body has the inertia of the box."""
    own = system.body("a").inertia
    found = np.array([evaluate_float(x, {}) for x in (own.mass, *own.centre, *own.tensor)])
    mass = 1000 * np.prod(SIZES)
    expected = [mass, *CENTRE, *(mass * m for m in MOMENTS), 0, 0, 0]
    return bool(np.allclose(found, expected, rtol=1e-9, atol=1e-6))


def write(tmp_path: Path, kind: str, file: str) -> Path:
    path = tmp_path / "model" / f"robot.{kind}"
    path.parent.mkdir(exist_ok=True)
    path.write_text(FORMATS[kind](file), "utf-8")
    return path


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("make", [msh, obj])
def test_a_mesh_beside_the_model_weighs(kind: str, make, tmp_path: Path) -> None:
    if make is obj:
        pytest.importorskip("trimesh", reason="trimesh, of the extra [mesh], is not installed")
    path = write(tmp_path, kind, f"meshes/box.{make.__name__}")
    (path.parent / "meshes").mkdir()
    (path.parent / "meshes" / f"box.{make.__name__}").write_bytes(make())
    reading = registry.read(path)
    assert weighs(reading.system)
    assert "computed-inertia" not in {o.kind for o in reading.system.omissions}


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("named", ["robots", "robots/arms"])
@pytest.mark.parametrize("scheme", ["package", "model"])
def test_a_mesh_in_a_package_that_is_named_weighs(kind: str, named: str, scheme: str, tmp_path: Path) -> None:
    (tmp_path / "robots" / "arms").mkdir(parents=True)
    (tmp_path / "robots" / "arms" / "box.msh").write_bytes(msh())
    path = write(tmp_path, kind, f"{scheme}://arms/box.msh")
    assert weighs(registry.read(path, package_path=[tmp_path / named]).system)
    (left,) = [o for o in registry.read(path).system.omissions if o.kind == "computed-inertia"]
    assert left.effect == "inertia" and "--read package-path=FOLDER" in left.what


@pytest.mark.parametrize("kind", FORMATS)
def test_what_is_included_may_stand_in_a_folder_that_is_named(kind: str, tmp_path: Path) -> None:
    inside = {"mjcf": "<mujocoinclude><worldbody><body name='b'/></worldbody></mujocoinclude>",
              "sdf": "<sdf version='1.9'><model name='m'><link name='b'/></model></sdf>"}[kind]  # fmt: skip
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "b.xml").write_text(inside, "utf-8")
    path = write(tmp_path, kind, "no.msh")
    said = {"mjcf": '<include file="../parts/b.xml"/></mujoco>',
            "sdf": "<include><uri>../parts/b.xml</uri></include></model></sdf>"}[kind]  # fmt: skip
    end = {"mjcf": "</mujoco>", "sdf": "</model></sdf>"}[kind]
    path.write_text(path.read_text("utf-8").replace(end, said), "utf-8")
    names = {body.name for body in registry.read(path, package_path=[tmp_path / "parts"]).system.bodies}
    assert names & {"b", "m::b"}
    with pytest.raises(ReadError, match=r"from outside the folder of the model .*--read package-path=FOLDER"):
        registry.read(path, package_path=[tmp_path / "model"])


@pytest.mark.parametrize("face", ["0 1 9", "0 1 1.5", "0 1 -1"])
def test_a_face_of_vertices_that_there_are_not_is_told(face: str) -> None:
    text = mjcf("").replace('file=""', f'vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="{face}"')
    (said,) = (d for d in registry.read_text(text, "m.xml").diagnostics if "is not known" in d.message)
    assert "names a vertex that there is not" in said.message and said.severity == "warning"
