"""Other programs as witnesses: their coordinates, what is compared, what is said of one that is not there or wrong."""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path

import numpy as np
import pytest

import mbconcord
from mbconcord.cli import main
from mbconcord.fixtures import folder
from mbconcord.model.diagnostics import MbconcordError
from mbconcord.validation.witnesses.peers import peer, program, read_programs
from mbconcord.validation.witnesses.peers.known import known_causes
from mbconcord.validation.witnesses.peers.peer import Peer, free, in_model, plane, rotation_about

from .programs import ARM, FORMALISMS, GRIPPER, ROVER, VECTORS, Fake, needs

# --- coordinates ----------------------------------------------------------------------------------------


def velocity(pose, q, v, moving):
    """Velocity of the origin, in turned axes or not, and angular velocity in turned axes, by differences."""
    d = 1e-6
    (R1, p1), (R, _), (R2, p2) = (pose(q + s * d * v) for s in (-1, 0, 1))
    speed, spin = (p2 - p1) / (2 * d), R.T @ (R2 - R1) / (2 * d)
    return np.concatenate([R.T @ speed if moving else speed, [spin[2, 1], spin[0, 2], spin[1, 0]]])


def test_a_turn_is_active_and_right_handed():
    np.testing.assert_allclose(rotation_about(2, np.pi / 2) @ [1, 0, 0], [0, 1, 0], atol=1e-16)
    np.testing.assert_allclose(rotation_about(0, np.pi / 2) @ [0, 1, 0], [0, 0, 1], atol=1e-16)
    np.testing.assert_allclose(rotation_about(1, np.pi / 2) @ [0, 0, 1], [1, 0, 0], atol=1e-16)


@pytest.mark.parametrize("moving", [True, False])
def test_velocities_of_a_free_body_are_those_of_its_motion(moving):
    """u = G q', and Ġ q' is what the velocity changes by at a constant rate, by differences."""
    random = np.random.default_rng(1)
    q, v = random.uniform(-1, 1, 6), random.uniform(-1, 1, 6)

    def pose(x):
        block = free(x, v, moving)
        return block.rotation, block.shift

    np.testing.assert_allclose(free(q, v, moving).G @ v, velocity(pose, q, v, moving), atol=1e-9)
    d = 1e-6
    later, before = (free(q + s * d * v, v, moving).G @ v for s in (1, -1))
    np.testing.assert_allclose(free(q, v, moving).rest, (later - before) / (2 * d), atol=1e-9)


def test_velocities_of_a_joint_in_a_plane_are_those_of_its_motion():
    q, v = np.array([0.3, -0.2, 0.7]), np.array([1.1, 0.4, -0.9])

    def pose(x):
        block = plane(x, v)
        return block.rotation, block.shift

    np.testing.assert_allclose(plane(q, v).G @ v, velocity(pose, q, v, moving=True)[[0, 1, 5]], atol=1e-9)
    d = 1e-6
    later, before = (plane(q + s * d * v, v).G @ v for s in (1, -1))
    np.testing.assert_allclose(plane(q, v).rest, (later - before) / (2 * d), atol=1e-9)


def test_equations_of_other_velocities_are_those_of_the_model():
    """Of one mass m whose velocity is u = (q + 1) q': M = m (q + 1)², h = m (q + 1) q'²."""
    q, v, m = 0.5, 2.0, 3.0
    G, rest, zero = np.array([[q + 1]]), np.array([v * v]), np.zeros(1)
    found = in_model(G, rest, np.array([[m]]), zero, np.array([7.0]), np.array([-1.0]))
    assert {name: x.item() for name, x in found.items()} == {
        "M": m * 2.25, "h": m * 1.5 * 4.0, "gravity": 10.5, "applied": -1.5,
    }  # fmt: skip


# --- what is asked and said -----------------------------------------------------------------------------


def test_what_is_asked():
    assert read_programs(None) == read_programs("um:folder") == ()
    assert read_programs("mujoco, pinocchio,mujoco") == ("mujoco", "pinocchio")
    with pytest.raises(MbconcordError, match=r"'um:x' beside 'mujoco'.*known: pinocchio, mujoco, drake, sympy"):
        read_programs("mujoco,um:x")


def checked(monkeypatch: pytest.MonkeyPatch, wrong: str, model: Path = ARM) -> mbconcord.results.Check:
    def open_fake(name: str, text: str, format: str, file: str, packages: tuple[str, ...]) -> Peer:
        assert text == model.read_text("utf-8")
        made = Fake()
        made.wrong = wrong
        return made

    monkeypatch.setattr(program, "open_peer", open_fake)
    monkeypatch.setattr(peer, "find_spec", str)
    return mbconcord.check(model, formalisms=FORMALISMS, states=2, claims=(), against="pinocchio")


def test_a_program_that_agrees_is_a_witness_of_every_quantity(monkeypatch):
    found = checked(monkeypatch, "")
    said = [c.quantity for c in found.comparisons if c.claim == "pinocchio" and c.a == "newton_euler"]
    assert said == ["M", "h", "gravity", "applied", "inverse_dynamics", "acceleration"]
    assert {c.verdict for c in found.comparisons} == {"agrees"} and found.verdict == "agrees"
    assert "pinocchio: note: version 1.2.3, reads the file itself" in map(str, found.diagnostics)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("quantity", ["M", "h", "gravity", "applied", "inverse_dynamics", "acceleration"])
def test_a_program_that_is_wrong_disagrees(monkeypatch, quantity):
    monkeypatch.setattr("mbconcord.validation.explain.programs.why_not_of_program", lambda *_: ())
    found = checked(monkeypatch, quantity)
    wrong = {c.quantity for c in found.comparisons if c.verdict == "disagrees"}
    assert wrong == {quantity} and found.verdict == "disagrees"


@pytest.mark.parametrize(("quantity", "rounding"), [("gravity", 2e-17), ("h", -3e-17)])
@pytest.mark.parametrize("factor", [1.0, 1e6])
def test_rounding_beside_what_is_zero_is_no_difference(monkeypatch, tmp_path, quantity, rounding, factor):
    """No weight acts about an axis through the centre of mass, but a program sums products of numbers to it."""
    wheel = tmp_path / "wheel.urdf"
    wheel.write_text(
        """<robot name="wheel"><link name="world"/><link name="rim"><inertial><mass value="0.5"/>
        <inertia ixx="0.7" iyy="0.4" izz="0.6" ixy="0" ixz="0.03" iyz="0.02"/></inertial></link>
        <joint name="turn" type="continuous"><parent link="world"/><child link="rim"/>
        <origin xyz="0.3 0.6 0.8" rpy="0.1 0.9 0.7"/><axis xyz="-0.2 0.1 -0.6"/></joint></robot>""",
        "utf-8",
    )
    monkeypatch.setattr("mbconcord.validation.explain.programs.why_not_of_program", lambda *_: ())
    monkeypatch.setattr(Fake, "rounding", factor * rounding)
    found = checked(monkeypatch, quantity, wheel)
    assert {c.quantity for c in found.comparisons if c.verdict == "disagrees"} == ({quantity} if factor > 1 else set())


def test_a_known_cause_is_named(monkeypatch):
    monkeypatch.setattr("mbconcord.validation.explain.programs.why_not_of_program", lambda *_: ())
    found = checked(monkeypatch, "M", ROVER)
    (said,) = {c.explanation for c in found.comparisons if c.verdict == "disagrees"}
    assert "known of it" in said and "in the plane xy, whatever its axis (deck)" in said


def test_a_program_that_reads_other_joints_is_no_witness(monkeypatch):
    found = checked(monkeypatch, "joints")
    assert found.verdict == "not checked"
    (said,) = (c.explanation for c in found.comparisons if c.claim == "pinocchio")
    assert said == "has no joint 'elbow'"


@pytest.mark.parametrize(
    ("name", "module", "extra"),
    [
        ("mujoco", "mujoco", "mbconcord[peers]"), ("pinocchio", "pinocchio", "mbconcord[peers]"),
        ("drake", "pydrake", "mbconcord[peers]"), ("openusd", "pxr", "mbconcord[usd]"),
        ("newton", "newton", "newton[importers]"),
    ],
)  # fmt: skip
def test_a_program_that_is_not_there_is_refused_with_the_remedy(monkeypatch, capsys, name, module, extra):
    monkeypatch.setitem(sys.modules, module, None)
    assert main(["check", str(ARM), "--against", name, "--states", "1", "--formalisms", "lagrange,telegin"]) == 2
    said = capsys.readouterr().err
    assert f"{name} needs {module}, which is not installed (pip install '{extra}')" in said


def test_every_program_has_its_module():
    """Also where the program is not installed: a table that names a module that moved is no missing program."""
    made = {(p.stem, n.name) for p in Path(peer.__file__).parent.glob("*.py") for n in ast.parse(p.read_text()).body
            if isinstance(n, ast.ClassDef)}  # fmt: skip
    assert {tuple(where.split(":")) for formats in peer.PEERS.values() for where in formats.values()} <= made


def test_a_module_of_ours_that_is_not_there_is_no_missing_program(monkeypatch):
    monkeypatch.setitem(peer.PEERS, "mujoco", {"urdf": "no_such_module:None"})
    with pytest.raises(ImportError):
        peer.open_peer("mujoco", "")


def test_a_model_of_another_format_or_of_no_file_has_no_such_witness(monkeypatch):
    monkeypatch.setattr(peer, "find_spec", str)
    other = folder() / "mbsd" / "zig.mbsd"
    found = mbconcord.check(other, formalisms=FORMALISMS, states=1, claims=(), against="pinocchio")
    assert "reads urdf, and the model is in mbsd" in str([c.explanation for c in found.comparisons])
    with pytest.raises(MbconcordError, match="name a file"):
        mbconcord.check(mbconcord.read(ARM).system, against="pinocchio")


LINK = '<robot name="r"><link name="a"><inertial>{}<mass value="{}"/><inertia ixx="1"/></inertial></link>{}</robot>'
TURNED = '<origin rpy="0 0.1 0"/>'
FIXED = f'<joint name="f" type="fixed">{TURNED}</joint>'


@pytest.mark.parametrize(
    ("program", "version", "text", "said"),
    [
        ("mujoco", "3.1.2", LINK.format(TURNED, 1, ""), ""),
        ("mujoco", "3.1.3", LINK.format(TURNED, 1, ""), "drops turns of inertials (a)"),
        ("mujoco", "3.13.0", LINK.format(TURNED, 1, ""), "drops turns of inertials (a)"),
        ("mujoco", "3.14.0", LINK.format(TURNED, 1, ""), ""),
        ("mujoco", "3.12.0", LINK.format('<origin rpy="0 0.0 -0"/>', 1, ""), ""),
        ("mujoco", "3.10.0", LINK.format("", 1, FIXED), "merges turned fixed links wrongly (f)"),
        ("mujoco", "3.11.0", LINK.format("", 1, FIXED), ""),
        ("mujoco", "4.0.0", LINK.format("", "0.0", ""), "without mass (a)"),
        ("mujoco", "4.0.0", LINK.format('<origin quat_xyzw="0 0 0 1"/>', 1, ""), "quat_xyzw (a)"),
        ("pinocchio", "4.1.0", LINK.format("", "0.0", ""), ""),
        (
            "pinocchio",
            "4.1.0",
            ROVER.read_text("utf-8"),
            "Pinocchio does not keep the damping of a planar joint (deck); ",
        ),
    ],
)
def test_known_causes_by_version(program, version, text, said):
    made = Fake()
    made.name, made.version = program, version  # type: ignore[misc]
    found = known_causes(made, text)
    assert found == "" if said == "" else said in found


# --- the programs themselves ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["pinocchio", "mujoco"])
@pytest.mark.parametrize("model", [ARM, GRIPPER], ids=lambda path: path.stem)
def test_programs_agree(name, model):
    needs(name)
    found = mbconcord.check(model, formalisms=FORMALISMS, states=3, claims=(), against=name)
    said = [c for c in found.comparisons if c.claim == name]
    assert len(said) >= 10 and {c.verdict for c in said} == {"agrees"}
    assert f"{name}: poses" in {c.quantity for c in said}


def test_warnings_of_mujoco_are_notes_and_no_file(tmp_path, monkeypatch):
    needs("mujoco")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arm.urdf").write_text(ARM.read_text("utf-8").replace('upper="2.8"', 'upper="-2.8"'), "utf-8")
    found = mbconcord.check("arm.urdf", formalisms=FORMALISMS, states=1, claims=(), against="mujoco")
    assert "mujoco: note: warns: joint 'shoulder' has equal lower and upper limits" in str(
        [*map(str, found.diagnostics)]
    )
    assert [path.name for path in tmp_path.iterdir()] == ["arm.urdf"]


def test_mujoco_agrees_on_floating_and_planar_joints():
    needs("mujoco")
    found = mbconcord.check(ROVER, formalisms=FORMALISMS, states=3, claims=(), against="mujoco")
    assert {c.verdict for c in found.comparisons if c.claim == "mujoco"} == {"agrees"}


def test_pinocchio_agrees_on_floating_and_planar_joints_but_for_what_is_known_of_it(tmp_path):
    needs("pinocchio")
    plain = ROVER.read_text("utf-8").replace('<axis xyz="0 0.6 0.8"/>', '<axis xyz="0 0 1"/>')
    turned = tmp_path / "rover.urdf"
    turned.write_text(plain.replace('<dynamics damping="0.75"/>', ""), encoding="utf-8")
    for model, verdicts in ((turned, {"agrees"}), (ROVER, {"disagrees"})):
        found = mbconcord.check(model, formalisms=FORMALISMS, states=2, claims=(), against="pinocchio")
        said = [c for c in found.comparisons if c.claim == "pinocchio" and c.quantity == "M"]
        assert {c.verdict for c in said} == verdicts
        assert all("in the plane xy" in c.explanation for c in said) == (verdicts == {"disagrees"})


@pytest.mark.skipif(not VECTORS.is_dir(), reason="vectors of robots are not part of the project: none lie beside")
@pytest.mark.parametrize("name", ["pinocchio", "mujoco"])
def test_a_fixed_link_of_inertia_without_mass_is_told_apart(name):
    """Pinocchio keeps its inertia; MuJoCo drops it, and is named."""
    needs(name)
    model = VECTORS / "22_massless_inertia.urdf"
    assert json.loads(model.with_suffix(".json").read_text("utf-8"))["expected_from"].startswith("pinocchio")
    found = mbconcord.check(model, formalisms=FORMALISMS, states=2, claims=(), against=name)
    masses = [c for c in found.comparisons if c.claim == name and c.quantity == "M"]
    assert {c.verdict for c in masses} == {"agrees" if name == "pinocchio" else "disagrees"}
    assert all("fixed link without mass (b)" in c.explanation for c in masses) == (name == "mujoco")


@pytest.mark.parametrize("named", ['name="b"', ""], ids=["named", "unnamed"])
@pytest.mark.parametrize("acting", ['armature="0.3"', 'stiffness="2"', 'damping="0.1 0.2"', 'springdamper="0.4 0.5"'])
def test_mujoco_is_asked_without_what_the_model_leaves_out_along_a_joint(acting, named, tmp_path):
    needs("mujoco")
    ball = f'<joint {named} type="ball" {acting}/><geom size="0.1" pos="0.3 0 0.1" mass="2"/>'
    text = f"""<mujoco><worldbody><body><joint axis="0 1 0"/><geom size="0.1" pos="0 0 0.4" mass="1"/>
      <body pos="0 0 0.5">{ball}</body></body></worldbody></mujoco>"""
    model = tmp_path / "model.xml"
    model.write_text(text, encoding="utf-8")
    (left_out,) = (o for o in mbconcord.read(model).system.omissions if o.acts)
    assert left_out.kind in ("rotor", "joint-spring", "joint-damping")
    found = mbconcord.check(model, formalisms=["newton_euler"], states=3, claims=(), against="mujoco")
    assert {c.verdict for c in found.comparisons if c.claim == "mujoco"} == {"agrees"}
