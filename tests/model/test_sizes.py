"""Tensors that belong to no body of that size and mass: one warning, at the author's values, the verdict unchanged."""

from __future__ import annotations

from pathlib import Path

import pytest

import mbconcord as mb
from mbconcord.api.source import Source
from mbconcord.cli import main
from mbconcord.converters import registry
from mbconcord.fixtures import folder

#: A forearm, and a wrist of 1.2 kg whose flange is 0.1 m away; the tensor of the wrist is put in.
ARM = (
    "z(a) $2 [0.1,0.1,0.1] #fore > k0.4 y(b) $1.2 [{0},{0},{0}] {{0,0,0.05}} #wrist "
    "> {1} z(c) $0.1 [1e-4,1e-4,1e-4] ; g-z"
)


def remarks(text: str, **options: str) -> list[str]:
    found = mb.read(text=text, format="mbsd", **options)  # type: ignore[arg-type]
    return [str(d) for d in found.diagnostics if "radius of gyration" in d.message]


def test_a_tensor_of_no_such_body_is_remarked_once() -> None:
    (said,) = remarks(ARM.format("0.22", "k0.1"))
    assert (
        said.startswith("-:1:") and "warning: bodies/wrist/inertia/tensor: its radius of gyration, 0.428 m, is" in said
    )
    assert "4.3 times the 0.1 m to the body's farthest joint" in said and "check its units" in said


@pytest.mark.parametrize(
    ("tensor", "joint"),
    [
        ("0.01", "k0.1"),  # k is 0.08 m
        ("0.1", "k0.1"),  # 2.8 times: a wheel on a short axle
        ("0.22", ""),  # nothing tells the size of the wrist
        ("0.22", "w(s) k0.1"),  # what it carries slides along it
        ("J", "k0.1"),  # nobody gave a number
        ("0.22", "k(L)"),
    ],
)
def test_what_is_or_may_be_right_is_not_remarked(tensor: str, joint: str) -> None:
    assert not remarks(ARM.format(tensor, joint))


def test_bodies_on_the_fixed_frame_and_ignored_physics_are_not_remarked() -> None:
    base = "z(a) $2 [5,5,5] #base > k0.1 y(b) $1 [0.01,0.01,0.01] ; g-z"
    assert not remarks(base) and not remarks(ARM.format("0.22", "k0.1"), physics="ignore")


def test_points_of_springs_tell_the_size_too() -> None:
    spring = ' \\ #wrist {0.3,0,0} :"(-5*(@-1)) {3,0,0} < #0'
    assert remarks(ARM.format("0.22", "k0.1")) and not remarks(
        ARM.format("0.22", "k0.1").replace(" ; ", f"{spring} ; ")
    )


@pytest.mark.slow
def test_of_all_models_the_wrists_of_the_ur5_alone_are_remarked() -> None:
    """Which are known to carry moments of the wrong size in the published file."""
    found = {}
    for file in sorted(p for p in Path(folder()).rglob("*") if p.is_file() and registry.is_model(p)):
        model = registry.read(file, physics="ignore")
        source = Source(str(file), model.system, (), model.locations, "warn")
        said = [d for d in source.implausible() if "radius of gyration" in d.message]
        found |= {file.name: (said[0].place, said[0].message)} if said else {}
    assert found.keys() == {"ur5.mbsd"}
    place, message = found["ur5.mbsd"]
    assert place == "bodies/wrist_3_link/inertia/tensor" and "so are those of wrist_1_link, wrist_2_link" in message


def test_the_exit_code_stays_and_info_lints(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "arm.mbsd"
    file.write_text(ARM.format("0.22", "k0.1"), encoding="utf-8")
    check = ["check", str(file), "--states", "2", "--formalisms", "lagrange,newton_euler", "--claims", "none"]
    assert main(check) == 0 and capsys.readouterr().out.count("radius of gyration") == 1
    assert main(["info", str(file), "--lint"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert sum("radius of gyration" in line for line in lines) == 1 and all(
        line.startswith(str(file)) for line in lines
    )
    file.write_text(ARM.format("0.01", "k0.1"), encoding="utf-8")
    assert main(["info", str(file), "--lint"]) == 0 and "radius" not in capsys.readouterr().out
