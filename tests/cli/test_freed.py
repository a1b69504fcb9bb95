"""A welded robot against a free one: the welded root is freed, and the head says so."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

import mbconcord
from mbconcord.validation.judge.freed import find_free_root, free_like
from mbconcord.validation.judge.matching import match

from .commands import Run, runner

INERTIAL = """<inertial><origin xyz="{}"/><mass value="{}"/>
<inertia ixx="{}" iyy="{}" izz="{}" ixy="{}" ixz="0" iyz="0"/></inertial>"""
TORSO = INERTIAL.format("0.01 0 0.1", 8, 0.1, 0.09, 0.05, 0.001)
LEG = INERTIAL.format("0 0 -0.2", 2, 0.03, 0.03, 0.004, 0)
JOINT = """<joint name="{}" type="{}"><parent link="{}"/><child link="{}"/>
<origin xyz="{}" rpy="{}"/><axis xyz="0 1 0"/></joint>"""
HIP = JOINT.format("hip", "continuous", "torso", "leg", "0 0.1 -0.05", "0 0 0.2") + f'<link name="leg">{LEG}</link>'
BIPED = f'<link name="torso">{TORSO}</link>{HIP}</robot>'
URDF = f'<robot name="biped">{BIPED}'
#: The torso 0.05 m above the root, whose frame is the base of the model.
FOOTPRINT = '<robot name="biped"><link name="footprint"/>'
TWO = f"{FOOTPRINT}{JOINT.format('one', 'continuous', 'footprint', 'torso', '0 0 0', '0 0 0')}{BIPED}"
MJCF = """<mujoco model="biped"><compiler angle="radian"/><worldbody><body name="torso" pos="0 0 0.9">{root}
<inertial pos="0.01 0 0.1" mass="{mass}" fullinertia="0.1 0.09 0.05 0.001 0 0"/>
<body name="leg" pos="0 0.1 -0.05" euler="0 0 0.2"><joint name="hip" axis="0 1 0"/>
<inertial pos="0 0 -0.2" mass="2" diaginertia="0.03 0.03 0.004"/></body></body></worldbody></mujoco>"""
FREE = MJCF.format(root='<freejoint name="root"/>', mass="8")
LET = "let one link be the root of both"


def footprint(rpy: str) -> str:
    return f"{FOOTPRINT}{JOINT.format('base', 'fixed', 'footprint', 'torso', '0 0 0.05', rpy)}{BIPED}"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    call = runner(capsys, monkeypatch, tmp_path)
    for name, text in {
        "robot.urdf": URDF, "robot.xml": FREE, "fixed.xml": MJCF.format(root="", mass="8"),
        "heavy.xml": MJCF.format(root='<freejoint name="root"/>', mass="9"), "footprint.urdf": footprint("0 0 0"),
        "turned.urdf": footprint("0 0 0.3"), "two.urdf": TWO,
    }.items():  # fmt: skip
        Path(name).write_text(text, encoding="utf-8")
    return call


@pytest.mark.slow
@pytest.mark.parametrize("fixed", ["robot.urdf", "fixed.xml"])
def test_the_welded_root_is_freed_in_both_orders(run: Run, fixed: str) -> None:
    for pair, which, other in (((fixed, "robot.xml"), "A", "B"), (("robot.xml", fixed), "B", "A")):
        done = run("compare", *pair, "--states", "3")
        said = f"the same machine ({which}'s root is welded, {other}'s moves freely: {which}'s was freed)"
        assert (done.code, done.out.splitlines()[0]) == (0, said)
    assert run("compare", fixed, "robot.xml", "--states", "3", "--json").json["freed"].startswith("A's root is welded")


@pytest.mark.slow
def test_what_differs_beside_is_found_and_named(run: Run) -> None:
    done = run("compare", "robot.urdf", "heavy.xml", "--states", "3", "--why", "-q")
    head, *rest = done.out.splitlines()
    assert (done.code, head) == (1, "not the same machine (A's root is welded, B's moves freely: A's was freed)")
    assert any(line.split()[:4] == ["torso", "mass", "8", "9"] for line in rest)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "turned"), [("footprint.urdf", ""), ("turned.urdf", ", turned by 0.3 rad about (0, 0, -1)")]
)
def test_an_offset_of_the_base_frame_is_named(run: Run, file: str, turned: str) -> None:
    done = run("compare", file, "robot.xml", "--states", "3", "-q")
    head = "not the same machine (A's root is welded, B's moves freely: A's was freed; its base frame, by torso, is"
    head = f"{head} (0, 0, -0.05) m off{turned}, and that is all"
    assert (done.code, done.out.strip()) == (1, f"{head}: A's root is footprint, B's torso; {LET})")
    back = run("compare", "robot.xml", file, "--states", "3", "-q")
    assert back.code == 1 and back.out.strip().endswith(
        f"(0, 0, -0.05) m off{turned}, and that is all: A's root is torso, B's footprint; {LET})"
    )


@pytest.mark.slow
def test_free_roots_of_other_names_are_matched_in_both_orders(run: Run) -> None:
    """Also where digits alone differ, so that no proof confirms a matching by structure."""
    ours, theirs = "root_TX to root_RX", "floating_base_TX to floating_base_RX"
    for pair, said in (
        (("robot.xml", "robot.urdf"), f"the same machine, free roots matched: {ours} = {theirs}"),
        (("robot.urdf", "robot.xml"), f"the same machine, free roots matched: {theirs} = {ours}"),
    ):
        done = run("compare", *pair, "--read", "free-base", "--states", "3")
        assert (done.code, done.out.splitlines()[0]) == (0, said)
        assert "coordinates matched by name and free root: " in done.out and "nobody told" not in done.out
    digits = MJCF.format(root='<freejoint name="base"/>', mass="8.00000004")
    Path("digits.xml").write_text(digits, encoding="utf-8")
    Path("rounded.xml").write_text(FREE.replace('mass="8"', 'mass="8.0000000"'), encoding="utf-8")
    for pair in (("digits.xml", "rounded.xml"), ("rounded.xml", "digits.xml")):
        done = run("compare", *pair, "--states", "3", "-q")
        assert done.code == 0 and "to the digits printed" in done.out and "free roots matched" in done.out


def test_free_roots_about_other_axes_are_not_matched_as_such() -> None:
    texts = ("u v w z y x", "u(a) v(b) w(c) z(d) y(e) x(f)", "u(a) v(b) w(c) x(d) y(e) z(f)")
    one, same, other = (mbconcord.read(text=f"{text} $3 [1, 2, 3] g", format="mbsd").system for text in texts)
    assert match(one, same).root == tuple(zip(one.coordinate_names, "abcdef", strict=True))
    assert match(one, other).root == match(one, one).root == ()
    assert match(one, same, {one.coordinate_names[0]: "b"}).root == ()


WELDED = """<robot name="biped"><link name="world"/><link name="footprint"/>
<joint type='{}' name="weld"><parent link="world"/><child link="footprint"/></joint>{}"""


@pytest.mark.slow
def test_free_base_loosens_the_weld_to_a_link_called_world(run: Run) -> None:
    """The frame that moves is that of the link on ``world``: where another's stands elsewhere, the head says so."""
    for name, offset in (("near.urdf", "0 0 0"), ("off.urdf", "0 0 0.05")):
        base = JOINT.format("base", "fixed", "footprint", "torso", offset, "0 0 0")
        Path(name).write_text(WELDED.format("fixed", base + BIPED), encoding="utf-8")
    said = "note: near.urdf: footprint moves freely: its joint weld is fixed in the file"
    for pair in (("near.urdf", "robot.xml"), ("robot.xml", "near.urdf")):
        done = run("compare", *pair, "--read", "free-base", "--states", "3")
        assert (done.code, said in done.err) == (0, True) and done.out.startswith(
            "the same machine, free roots matched"
        )
        pair = tuple(name.replace("near", "off") for name in pair)
        far = run("compare", *pair, "--read", "free-base", "--states", "3", "-q")
        up, one, other = ("-0.05", "footprint", "torso") if pair[0] == "off.urdf" else ("0.05", "torso", "footprint")
        head = f"(A's root moves freely like B's; its base frame, by torso, is (0, 0, {up}) m off, and that is all"
        head = f"{head}: A's root is {one}, B's {other}; {LET})"
        assert far.code == 1 and head in far.out


@pytest.mark.parametrize("kind", ["continuous", "floating"])
def test_free_base_of_what_is_not_welded_to_world_is_refused(run: Run, kind: str) -> None:
    base = JOINT.format("base", "fixed", "footprint", "torso", "0 0 0", "0 0 0")
    Path("moves.urdf").write_text(WELDED.format(kind, base + BIPED), encoding="utf-8")
    Path("two.urdf").write_text(
        WELDED.format("fixed", JOINT.format("second", "fixed", "world", "torso", "0 0 0", "0 0 0") + BIPED), "utf-8"
    )
    for name in ("moves.urdf", "two.urdf"):
        done = run("info", name, "--read", "free-base")
        assert done.code == 2 and "the link 'world' of the robot is the fixed frame" in done.err


def test_a_long_chain_of_welded_links_has_its_root_found_and_freed() -> None:
    links = [f"weld{i}" for i in range(1500)] + ["torso"]
    chain = "".join(f'<link name="{name}"/>' for name in links[:-1])
    for i, (parent, child) in enumerate(pairwise(links)):
        chain += JOINT.format(f"fixed{i}", "fixed", parent, child, "0 0 0", "0 0 0")
    welded, free = (
        mbconcord.read(text=f'<robot name="biped">{chain}{BIPED}', format="urdf", free_base=free).system
        for free in (False, True)
    )
    root = find_free_root(free)
    assert root is not None and root.body == "weld0" and find_free_root(welded) is None
    freed = free_like(welded, free)
    assert freed is not None and freed.a.coordinate_names == free.coordinate_names


def test_other_numbers_of_coordinates_are_not_freed(run: Run) -> None:
    done = run("compare", "two.urdf", "robot.xml", "--states", "2")
    assert done.code == 1 and "A has 2 coordinates, B has 7" in done.out and "freed" not in done.out


def test_free_base_is_of_the_files_that_it_can_be_of(run: Run) -> None:
    done = run("compare", "robot.urdf", "robot.xml", "--states", "2", "--read", "free-base")
    assert (
        "note: robot.xml is in mjcf, which says itself what moves freely: the option is of the other file" in done.err
    )
    assert done.out.startswith("the same machine")
    assert run("compare", "robot.xml", "fixed.xml", "--read", "free-base").code == 2
