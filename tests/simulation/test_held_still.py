"""Machines, or parts of them, that their constraints hold still: what is left of their numbers is rounding."""

from __future__ import annotations

from pathlib import Path

import pytest

from mbconcord.cli import main

#: Axis of the hinge, centre of its body, axis of the slide on it, which is also where both are pinned.
HELD = (
    ("0.3 0.8 0.1", "0.5 0.2 -0.4", "0.3 0.2 0.1"),
    ("0.7 -0.3 0.5", "0.1 0.9 0.3", "-0.6 0.77 0.1"),
    ("0.1 0.2 -0.9", "-0.35 0.2 0.4", "0.93 0.22 -0.8"),
)
#: A body that moves beside them.
FREE = '<body pos="3 0 0"><joint name="swing" axis="0.2 1 0.3"/><geom size="0.1" pos="0.2 0.1 -0.3" mass="0.7"/></body>'


def write(folder: Path, axis: str, centre: str, pin: str, beside: str) -> str:
    file = folder / "held.xml"
    slide = f'<joint name="slide" axis="{pin}" type="slide"/><geom size="0.1" pos="{pin}" mass="2.5"/>'
    file.write_text(
        f"""<mujoco><worldbody>{beside}
        <body name="a" euler="20 -35 50"><joint name="hinge" axis="{axis}"/><geom size="0.1" pos="{centre}" mass="1.5"/>
          <body name="b" pos="0.3 0.1 0.2">{slide}</body></body></worldbody>
        <equality><connect body1="a" anchor="{pin}"/><connect body1="b" body2="a" anchor="{pin}"/></equality>
        <actuator><motor name="m" joint="hinge"/><motor name="n" joint="slide"/></actuator></mujoco>""",
        "utf-8",
    )
    return str(file)


@pytest.mark.slow
@pytest.mark.parametrize("beside", ["", FREE], ids=["whole", "part"])
@pytest.mark.parametrize("which", range(len(HELD)))
@pytest.mark.parametrize("verb", ["evaluate", "assemble", "equilibrium", "linearize", "simulate"])
def test_no_witness_takes_rounding_for_a_difference(verb: str, which: int, beside: str, tmp_path: Path) -> None:
    until = ["--until", "0.05"] if verb == "simulate" else []
    found = main([verb, write(tmp_path, *HELD[which], beside), *until])
    assert found == (3 if verb == "linearize" and beside else 0)  # 3: frozen-time eigenvalues decide no stability


@pytest.mark.slow
@pytest.mark.parametrize("pin", ["0.257 0.123 0.278", "-0.4 0.9 0.1", "0.6 -0.2 0.8"])
def test_a_drive_that_the_constraints_hold_moves_nothing(pin: str, tmp_path: Path) -> None:
    """Its column of B is zero: three hinges meet the pin, the ball that carries them swings."""
    three = '<joint name="i" axis="-0.9 -0.6 0.3"/><joint name="j" axis="0 0.9 -1" pos="0.1 0 0"/>'
    three += '<joint name="k" axis="1 0.2 0" pos="0.5 0.2 -0.2"/><geom size="0.1" pos="0.4 0.4 -0.7" mass="0.8"/>'
    file = tmp_path / "pinned.xml"
    file.write_text(
        f"""<mujoco><worldbody><body name="a" euler="20 -35 50">
        <joint name="ball" type="ball" pos="0.3 -0.4 0.3"/><geom size="0.2" pos="-0.2 0.4 -0.7" mass="0.5"/>
          <body name="b" pos="0.8 0.7 -0.2" euler="70 10 -80">{three}</body></body></worldbody>
        <equality><connect body1="b" body2="a" anchor="{pin}"/></equality>
        <actuator><motor name="m" joint="i"/></actuator></mujoco>""",
        "utf-8",
    )
    assert main(["linearize", str(file)]) in (0, 3)


@pytest.mark.parametrize("verb", ["equilibrium", "linearize"])
def test_reactions_that_rows_share_have_no_stiffness_to_compare(verb: str, tmp_path: Path) -> None:
    """One weld is between parts of a rigid body, another between that and a ball: rows share reactions."""
    file = tmp_path / "welded.xml"
    file.write_text(
        """<mujoco><worldbody><body name="a" pos="0.932 0.0565 -0.109">
        <joint axis="0.72 0.354 0.63" pos="-0.361 0.53 -0.509" stiffness="17.8" springref="56.5"/>
        <joint type="slide" axis="-0.987 0.0494 -0.391" stiffness="2.8"/>
        <inertial pos="-0.0278 -0.981 -0.24" mass="2.3" diaginertia="0.45 0.7 0.9"/>
        <body name="b" pos="-0.0746 -0.156 0.0139" axisangle="-0.0549 0.244 0.515 -12.9">
        <inertial pos="0.619 0.851 0.738" mass="2.28" diaginertia="0.9 0.4 0.9"/></body></body>
        <body name="c" pos="0.61 -0.0048 -0.419" axisangle="-0.346 -0.744 -0.335 -18.4"><joint type="ball"/>
        <inertial pos="1.5 0 1.3" mass="1.55" diaginertia="0.1 0.1 0.1"/></body></worldbody>
        <equality><weld body1="b" body2="c"/><weld body1="a" body2="b"/></equality></mujoco>""",
        "utf-8",
    )
    assert main([verb, str(file)]) in (0, 3)
