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
from mbconcord.formalisms import registry as formalisms
from mbconcord.model import State, System
from mbconcord.model.diagnostics import MbconcordError
from mbconcord.model.evaluation import evaluate_derivation
from mbconcord.validation.check import check as judged
from mbconcord.validation.judge.witness import Original
from mbconcord.validation.witnesses.peers import known, peer, program, read_programs
from mbconcord.validation.witnesses.peers.known import known_causes
from mbconcord.validation.witnesses.peers.peer import (
    Peer,
    PeerError,
    PeerNumbers,
    free,
    in_model,
    plane,
    rotation_about,
)

ARM, GRIPPER, ROVER = (folder() / "urdf" / f"{name}.urdf" for name in ("arm", "gripper", "rover"))
VECTORS = Path(__file__).parents[5] / "shared" / "specs" / "vectors" / "robots"
FORMALISMS = ["lagrange", "newton_euler"]


def needs(name: str) -> None:
    """Skip where a program is not installed."""
    pytest.importorskip(name, reason=f"{name} is not installed: the extra peers")


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


class Fake(Peer):
    """Lagrange's numbers, of which one may be wrong."""

    name = "pinocchio"
    wrong = ""
    version = "1.2.3"

    def fit(self, system: System) -> None:
        self.system = system
        if self.wrong == "joints":
            raise PeerError("has no joint 'elbow'")

    def numbers(self, q, v, a) -> PeerNumbers:
        names = self.system.coordinate_names
        rows = ([dict(zip(names, map(float, x), strict=True)) for x in row] for row in zip(q, v, a, strict=True))
        states = [State(q=at, v=rates, a=accelerations) for at, rates, accelerations in rows]
        derivation = formalisms.formalism("lagrange").derive(self.system)
        found = dict(evaluate_derivation(derivation, states).quantities)
        if self.wrong in found:
            found[self.wrong] = found[self.wrong] * (1 + 1e-9)
        return PeerNumbers(found)


def checked(monkeypatch: pytest.MonkeyPatch, wrong: str, model: Path = ARM) -> mbconcord.results.Check:
    def opened(name: str, text: str, format: str, file: str, packages: tuple[str, ...]) -> Peer:
        assert text == model.read_text("utf-8")
        made = Fake()
        made.wrong = wrong
        return made

    monkeypatch.setattr(program, "open_peer", opened)
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


def test_a_program_that_is_not_there_is_said_to_be_none(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    monkeypatch.delitem(sys.modules, "mbconcord.validation.witnesses.peers.mjcf", raising=False)
    assert main(["check", str(ARM), "--against", "mujoco", "--states", "1", "--formalisms", "lagrange,telegin"]) == 3
    assert "mujoco is not installed" in capsys.readouterr().out


def test_every_program_has_its_module():
    """Also where the program is not installed: a table that names a module that moved is no missing program."""
    made = {(p.stem, n.name) for p in Path(peer.__file__).parent.glob("*.py") for n in ast.parse(p.read_text()).body
            if isinstance(n, ast.ClassDef)}  # fmt: skip
    assert {tuple(where.split(":")) for formats in peer.PEERS.values() for where in formats.values()} <= made


def test_a_module_of_ours_that_is_not_there_is_no_missing_program(monkeypatch):
    monkeypatch.setitem(peer.PEERS, "mujoco", {"urdf": "no_such_module:None"})
    with pytest.raises(ImportError):
        peer.open_peer("mujoco", "")


def test_a_model_of_another_format_or_of_no_file_has_no_such_witness(tmp_path):
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


# --- what is known of a program, applied ----------------------------------------------------------------

BODY = (
    '<inertial><origin xyz="0.1 0 0"/><mass value="{}"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" '
    'izz="0.02"/></inertial>'
)
GEARED = (
    '<robot name="geared" xmlns:drake="http://drake.mit.edu"><link name="base"/>'
    f'<link name="a">{BODY.format(2)}</link><link name="b">{BODY.format(1)}</link><link name="foot">FOOT</link>'
    '<joint name="j1" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/><limit lower="-1" '
    'upper="1" effort="9" velocity="9"/></joint><joint name="j2" type="revolute"><parent link="a"/><child link="b"/>'
    '<origin xyz="0.3 0 0" rpy="1.2 0 0"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="9" velocity="9"/>'
    '</joint><joint name="f" type="fixed"><parent link="b"/><child link="foot"/><origin xyz="0.02 0 -0.4"/></joint>'
    '<transmission name="t1"><joint name="j1"/><actuator name="m1"><drake:rotor_inertia value="0.0001"/>'
    '<drake:gear_ratio value="160"/></actuator></transmission><transmission name="t2"><joint name="j2"/>'
    '<actuator name="m2"><drake:rotor_inertia value="0.0002"/><drake:gear_ratio value="100"/></actuator>'
    "</transmission></robot>"
)
SHAPES = "".join(
    f'<collision><origin xyz="{xyz}" rpy="{rpy}"/><geometry><{shape}/></geometry></collision>'
    for xyz, rpy, shape in (
        ("0.03 0 -0.02", "0 0 0", 'box size="0.2 0.08 0.04"'),
        ("0 0.1 0", "0.3 0.2 0.1", 'cylinder radius="0.03" length="0.2"'),
        ("0 0 -0.1", "0 0 0", 'sphere radius="0.05"'),
    )
)


def known_of(path: Path, program: str, rest: str = "") -> list[str]:
    """What is told as known of a program that disagrees; with it the model gives its numbers, unless other is said."""
    made = mbconcord.check(path, formalisms=["newton_euler"], states=2, claims=(), against=program, exact="off")
    assert made.verdict == "disagrees"
    said = [d.message for d in made.diagnostics if d.place == program]
    (why,) = (x for x in said if x.startswith("why"))
    assert why.startswith(rest or "why: the model with what is known of it gives its M, h, gravity, applied"), why
    return [x for x in said if x.startswith("known of it")]


@pytest.mark.parametrize("name", ["pinocchio", "mujoco"])
def test_rotors_that_are_not_read_are_named_and_no_body(tmp_path, name):
    needs(name)
    path = tmp_path / "m.urdf"
    path.write_text(GEARED.replace("FOOT", ""), "utf-8")
    (said,) = known_of(path, name)
    assert "reads no rotors of transmissions (j1, j2): alone it changes M by" in said


def test_several_known_differences_are_named_each_with_its_effect(tmp_path, monkeypatch):
    """Shapes of a link without inertial, weighed by hand in a file that says so: the same; and with one not known."""
    needs("mujoco")
    path = tmp_path / "m.urdf"
    path.write_text(GEARED.replace("FOOT", SHAPES), "utf-8")
    rotors, shapes = known_of(path, "mujoco")
    assert "reads no rotors" in rotors and "changes M by" in rotors and "gravity" not in rotors
    assert "collision shapes of links without inertial, at 1000 kg/m³ (foot): alone it changes M by" in shapes
    assert "gravity by" in shapes
    left = tuple(fault for fault in known.KNOWN if "weighs" not in fault.what)
    monkeypatch.setattr(known, "KNOWN", left)
    (only,) = known_of(path, "mujoco", "why: no cause of the catalogue; the inertia of one body")
    assert "reads no rotors" in only


def test_what_is_known_and_does_not_act_is_not_named(tmp_path, monkeypatch):
    """A foot of no shape: nothing is weighed; a difference that its numbers do not show is not told."""
    needs("mujoco")
    path = tmp_path / "m.urdf"
    path.write_text(GEARED.replace("FOOT", ""), "utf-8")
    never = known.KnownFault("mujoco", known.EVER, lambda root: ["a"], "MuJoCo drops a", known._drop("inertial"))
    monkeypatch.setattr(known, "KNOWN", (*known.KNOWN, never))
    (said,) = known_of(path, "mujoco")
    assert "reads no rotors" in said


IMPOSSIBLE = GEARED.replace("FOOT", "").replace('ixx="0.01"', 'ixx="0.1"', 1)
IMPOSSIBLE = IMPOSSIBLE[: IMPOSSIBLE.index('<joint name="f"')] + IMPOSSIBLE[IMPOSSIBLE.index("<transmission") :]
IMPOSSIBLE = IMPOSSIBLE.replace('<link name="foot"></link>', "<mujoco><compiler MORE/></mujoco>")


@pytest.mark.parametrize("said", ['balanceinertia="true"', 'balanceinertia="true" boundmass="1.5" boundinertia="0.03"'])
def test_an_extension_is_named_first_and_applied(tmp_path, said):
    """What <mujoco> does to masses and tensors; beside it the rotors."""
    needs("mujoco")
    path = tmp_path / "m.urdf"
    path.write_text(IMPOSSIBLE.replace("MORE", said), "utf-8")
    extension, rotors = known_of(path, "mujoco")
    assert "MuJoCo obeys <mujoco> in a URDF (balanceinertia" in extension and "changes M by" in extension
    assert "reads no rotors" in rotors


def test_what_an_extension_does_and_is_not_applied_is_named_first_and_no_body(tmp_path):
    needs("mujoco")
    path = tmp_path / "m.urdf"
    path.write_text(IMPOSSIBLE.replace("MORE", 'balanceinertia="true" inertiafromgeom="true"'), "utf-8")
    assert known_of(path, "mujoco", "why: not searched: what is known of it (MuJoCo obeys <mujoco>") == []


def test_elements_of_drake_are_named_but_for_those_that_do_not_act():
    made = Fake()
    made.name, made.version = "drake", "1.51.1"  # type: ignore[misc]
    bushing = "<drake:linear_bushing_rpy><drake:bushing_frameA/></drake:linear_bushing_rpy>"
    assert known_causes(made, f"<robot>{bushing}</robot>").startswith("Drake obeys elements of its own (drake:linear_b")
    surface = "<drake:proximity_properties><drake:mu_static/></drake:proximity_properties>"
    assert known_causes(made, f"<robot><link><collision>{surface}</collision></link></robot>") == ""


def test_known_differences_of_planar_joints_are_applied():
    needs("pinocchio")
    axis, damping = sorted(known_of(ROVER, "pinocchio"), reverse=True)
    assert "whatever its axis (deck): alone it changes M by" in axis and "damping of a planar joint (deck)" in damping


# --- rows of constraints --------------------------------------------------------------------------------

MACHINE = (
    '<mujoco><compiler angle="radian"/><worldbody><site name="sw" pos="0.2 0.1 0.4" euler="0.1 0.2 0.3"/>'
    '<body name="a" pos="0 0 0.5" euler="0.1 0 0.2"><joint name="qa" axis="0 1 0" ref="0.4" pos="0.05 0 0"/>INERTIAL'
    '<site name="sa" pos="0.1 0.2 0.05" quat="0.9 0.1 0.2 -0.3"/><body name="a2" pos="0.4 0 0" euler="0 0.3 0">'
    '<joint name="qb" axis="0 1 0.4"/>INERTIAL</body></body><body name="b" pos="0.8 0.2 0.5" euler="0.3 -0.2 0.5">'
    '<joint name="bx" type="slide" axis="1 0 0" ref="0.1"/><joint name="by" type="slide" axis="0 1 0"/>'
    '<joint name="bz" type="slide" axis="0 0 1"/><joint name="r1" axis="0 0 1"/><joint name="r2" axis="0 1 0"/>'
    '<joint name="r3" axis="1 0 0" ref="-0.2"/>INERTIAL<site name="sb" pos="0 -0.1 0.02" euler="0.5 0.1 -0.4"/></body>'
    '</worldbody><tendon><fixed name="t1"><joint joint="qa" coef="0.5"/><joint joint="qb" coef="-1.2"/></fixed>'
    '<fixed name="t2"><joint joint="bx" coef="2"/></fixed></tendon><equality>EQUALITY</equality></mujoco>'
).replace("INERTIAL", '<inertial pos="0.1 0 0" mass="1" diaginertia="0.01 0.01 0.01"/>')
EQUALITIES = [
    '<connect site1="sa" site2="sb"/>',
    '<connect body1="a2" body2="b" anchor="0.1 0.1 0"/>',
    '<connect body1="b" anchor="0.1 0.1 0"/>',
    '<weld body1="a2" body2="b" anchor="0.1 0.2 0.3"/>',
    '<weld body1="a2" body2="b" relpose="0.3 0.1 0.2 1 0 0 0" anchor="0.1 0.2 0.3"/>',
    '<weld body1="a2" body2="b" relpose="0.3 0.1 0.2 2 0.2 0.4 0.6" torquescale="0.3"/>',
    '<weld site1="sb" site2="sw"/>',
    '<weld site1="sa" site2="sb"/>',
    '<weld body1="b"/>',
    '<weld body1="b" relpose="-0.1 0.2 0.3 0.9 0.1 0.2 0.1"/>',
    '<joint joint1="qa" joint2="qb" polycoef="0.1 2 0.3 -0.4 0.5"/>',
    '<joint joint1="bx" polycoef="0.2"/>',
    '<tendon tendon1="t1" tendon2="t2" polycoef="0.1 0.4"/>',
]
START = {"qa": 0.7, "qb": -0.3, "r1": 0.1, "r2": -0.1, "bx": 0.2}


def of_rows(found: mbconcord.results.Check) -> list[mbconcord.results.Comparison]:
    return [c for c in found.comparisons if c.quantity == "mujoco: constraints"]


@pytest.mark.parametrize("equality", EQUALITIES)
def test_mujoco_gives_rows_of_every_equality(tmp_path, equality):
    """Residual and Jacobian agree at assembled states; its own residual is zero there, which ours says nothing of."""
    needs("mujoco")
    path = tmp_path / "m.xml"
    path.write_text(MACHINE.replace("EQUALITY", equality), "utf-8")
    found = mbconcord.check(
        path, formalisms=["newton_euler"], states=2, claims=("second_reading",), against="mujoco", exact="off"
    )
    assert [c.verdict for c in of_rows(found)] == ["agrees"]
    assert "poses, constraints" in next(d.message for d in found.diagnostics if d.message.startswith("asked for"))
    assert not [d for d in found.diagnostics if "saw" in d.message]
    (made,) = mbconcord.assemble(path, State(q=START), hold=())
    (rows,) = opened(path).constraints(np.array([[*made.state.q.values()]])).values()
    assert np.abs(rows.residuals).max() <= 4e-16  # two roundings of coordinates below one


def opened(path: Path) -> Peer:
    made = peer.open_peer("mujoco", path.read_text("utf-8"), "mjcf", str(path))
    made.fit(mbconcord.read(path).system)
    return made


FAULTS = {
    'anchor="0.1 0.2 0.3"': 'anchor="0.1 0.2 0.31"',
    'relpose="0.3 0.1 0.2 1 0 0 0"': 'relpose="0.3 0.1 0.2 1 1e-6 0 0"',
    'body1="a2" body2="b"': 'body1="b" body2="a2"',
    "weld": "connect",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_row_that_is_read_as_another_is_seen(tmp_path, fault):
    """MuJoCo reads the file, and the model is that of another text."""
    needs("mujoco")
    path, right = tmp_path / "m.xml", MACHINE.replace("EQUALITY", EQUALITIES[4].replace("<weld ", '<weld name="w" '))
    path.write_text(right, "utf-8")
    wrong = right.replace(fault, FAULTS[fault])
    if fault == "weld":
        wrong = wrong.replace('relpose="0.3 0.1 0.2 1 0 0 0"', "")
    system = mbconcord.read("m.xml", text=wrong).system
    original = Original(right, "mjcf", ("mujoco",), str(path))
    found = judged(system, formalisms=["newton_euler"], states=2, claims=(), original=original, exact="off")
    assert [c.verdict for c in of_rows(found)] == ["disagrees"]


def test_what_no_program_saw_is_said(tmp_path):
    """Pinocchio gives no rows of mimics; the second reading has them, or was not asked."""
    needs("pinocchio")
    for claims, readers in ((("second_reading",), "mbconcord's two readers"), ((), "mbconcord's reader")):
        found = mbconcord.check(
            GRIPPER, formalisms=["newton_euler"], states=1, claims=claims, against="pinocchio", exact="off"
        )
        said = [*map(str, found.diagnostics)]
        unseen = "constraint right_finger_mimic, constraint thumb_turn_mimic"
        assert f"pinocchio: note: never saw {unseen}" in said
        assert f"programs: note: only {readers} saw {unseen}" in said
        assert "pinocchio: note: asked for M, h, gravity, applied, inverse_dynamics, poses" in said


def test_controls_are_given_to_mujoco_as_they_are_drawn():
    needs("mujoco")
    hopper = folder() / "mjcf" / "hopper.xml"
    asked = {"formalisms": ["newton_euler"], "states": 2, "claims": (), "against": "mujoco", "exact": "off"}
    found = mbconcord.check(hopper, **asked)
    assert {c.verdict for c in found.comparisons if c.claim == "mujoco"} == {"agrees"}
    assert not [d for d in found.diagnostics if "never saw" in d.message]
    still = dict.fromkeys(("hip_ctrl", "knee_ctrl", "ankle_ctrl"), 0.0)
    found = mbconcord.check(hopper, **asked, parameters=still)
    (said,) = (d.message for d in found.diagnostics if "never saw" in d.message)
    assert "parameter knee_ctrl (zero at all states)" in said
