"""MuJoCo's importer refuses bodies of a URDF by rules of its compiler: reading the URDF says so, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from mbconcord.cli import main
from mbconcord.converters import registry


def inertial(mass: str, xx: str, yy: str, zz: str, xy: str = "0") -> str:
    tensor = f'<inertia ixx="{xx}" ixy="{xy}" ixz="0" iyy="{yy}" iyz="0" izz="{zz}"/>'
    return f'<inertial><mass value="{mass}"/>{tensor}</inertial>'


FINE, BROKEN = inertial("1", ".1", ".1", ".1"), inertial("1", ".1", ".1", ".3")
POINT, ROD = inertial("1", "0", "0", "0"), inertial("1", "0", ".1", ".1")
TINY = inertial("1e-6", "5e-15", "5e-15", "5e-15")
SHAPE = "<{0}><geometry><box size='0.1 0.1 0.1'/></geometry></{0}>"
COLLISION, VISUAL = SHAPE.format("collision"), SHAPE.format("visual")
LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'
#: What the root, the link on it, the one that is fixed on that, and the one that turns on that have; what is before.
CASES = {
    "all is well": ("", FINE, "", FINE),
    "broken at the root": (BROKEN, FINE, "", FINE),
    "broken and turning": ("", BROKEN, "", FINE),
    "broken with products": ("", inertial("1", ".1", ".1", ".3", ".01"), "", FINE),
    "broken and fixed": ("", FINE, BROKEN, FINE),
    "broken and balanced": ("", BROKEN, "", FINE, '<mujoco><compiler balanceinertia="true"/></mujoco>'),
    "broken and not merged": ("", FINE, BROKEN, FINE, '<mujoco><compiler fusestatic="false"/></mujoco>'),
    "without inertia": ("", "", "", FINE),
    "without inertia at the end": ("", FINE, "", ""),
    "without inertia, weighed by its shape": ("", COLLISION, "", FINE),
    "without inertia, weighed by the shape on it": ("", "", COLLISION, FINE),
    "without inertia, with a visual": ("", VISUAL, "", FINE),
    "without inertia, with a heavy one on it": ("", "", FINE, FINE),
    "a point": ("", FINE, "", POINT),
    "a point that is fixed": ("", FINE, POINT, FINE),
    "a point with a body on it": ("", POINT, FINE, FINE),
    "a rod": ("", FINE, "", ROD),
    "a rod that is fixed": ("", FINE, ROD, FINE),
    "a rod at the root": (ROD, FINE, "", FINE),
    "a tensor without mass": ("", FINE, "", inertial("0", ".1", ".1", ".1")),
    "a fixed tensor without mass": ("", FINE, inertial("0", ".1", ".1", ".1"), FINE),
    "a negative moment": ("", FINE, inertial("1", "-.1", ".1", ".1"), FINE),
    "a lamina": ("", FINE, "", inertial("1", ".1", ".2", ".3")),
    "a tiny body": ("", FINE, "", TINY),
    "a tiny body that is fixed": ("", FINE, TINY, FINE),
    "a small body": ("", FINE, "", inertial("1e-6", "5e-14", "5e-14", "5e-14")),
}
REFUSED = {
    "broken at the root", "broken and turning", "broken with products", "broken and fixed", "broken and not merged",
    "without inertia", "without inertia at the end", "without inertia, with a visual", "a point", "a rod",
    "a rod that is fixed", "a rod at the root", "a tensor without mass", "a negative moment", "a tiny body",
    "a tiny body that is fixed",
}  # fmt: skip


def robot(base: str, a: str, fixed: str, b: str, before: str = "") -> str:
    links = "".join(f'<link name="{n}">{x}</link>' for n, x in zip("rafb", (base, a, fixed, b), strict=True))
    joints = "".join(
        f'<joint name="{n}" type="{kind}"><parent link="{on}"/><child link="{c}"/><axis xyz="0 1 0"/>{LIMIT}</joint>\n'
        for n, kind, on, c in (("j", "revolute", "r", "a"), ("k", "fixed", "a", "f"), ("l", "revolute", "a", "b"))
    )
    return f'<robot name="r">{before}{links}{joints}</robot>'


def list_refused(text: str) -> list[str]:
    found = registry.read_text(text, "r.urdf").diagnostics
    return [d.message for d in found if d.message.startswith(("MuJoCo will refuse this URDF: body ", "the joint"))]


@pytest.mark.parametrize("case", CASES)
def test_what_mujoco_refuses_of_a_urdf_is_a_warning(case: str) -> None:
    assert bool(list_refused(robot(*CASES[case]))) == (case in REFUSED)


@pytest.mark.parametrize("case", CASES)
def test_mujoco_refuses_these_and_no_others(case: str) -> None:
    mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed: the extra peers")
    try:
        mujoco.MjModel.from_xml_string(robot(*CASES[case]))
    except ValueError:
        assert case in REFUSED
    else:
        assert case not in REFUSED


def test_one_warning_names_the_first_body_and_counts_the_others() -> None:
    (message,) = list_refused(robot("", BROKEN, BROKEN, BROKEN))
    sides = "0.3 > 0.1 + 0.1 kg m²; 2 more are such"
    assert message == f"MuJoCo will refuse this URDF: body a, its fullinertia breaks the triangle inequality: {sides}"


def test_check_info_and_compare_say_it_and_end_as_before(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.urdf").write_text(robot("", BROKEN, "", FINE), "utf-8")
    for command in (["check", "--formalisms", "lagrange,newton_euler", "--states", "1"], ["info"], ["compare"]):
        code = main([*command, *["bad.urdf"] * (1 + (command == ["compare"]))])
        assert code == 0
        assert "warning: bodies/a/inertia: MuJoCo will refuse this URDF: body a, its full" in "".join(
            capsys.readouterr()
        )
