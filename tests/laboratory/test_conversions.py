"""The page of conversions is true: of a sample of its rows every cell is what becomes of the model now."""

from __future__ import annotations

from pathlib import Path

import pytest

from laboratory.conversions import cell, files, formats, model

PAGE = Path(__file__).with_name("conversions.md")
SAMPLE = ("mbsd/arm.mbsd", "native/geared_arm.mbs.json", "urdf/gripper.urdf", "sdf/press.sdf", "sdf/drone.sdf")


def rows() -> dict[str, list[str]]:
    """The cells of the page by model."""
    lines = [line.strip("|\n").split("|") for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| ")]
    made = {first.strip(): [x.strip() for x in rest] for first, *rest in lines}
    return {name: cells for name, cells in made.items() if len(cells) == len(formats())}


def reasons() -> list[str]:
    """What the numbers of what is refused stand for."""
    numbered = (line.partition(". ") for line in PAGE.read_text("utf-8").splitlines())
    return [reason for number, _, reason in numbered if number.isdigit()]


def test_every_model_and_every_format_has_its_place():
    found = rows()
    assert found.pop("model") == formats()
    assert [*found] == [file for file in files() if model(file) is not None]


@pytest.mark.slow
@pytest.mark.sampled(4)
@pytest.mark.parametrize("file", SAMPLE)
def test_a_row_is_what_becomes_of_its_model(file):
    known = reasons()
    for format, said in zip(formats(), rows()[file], strict=True):
        made = cell(file, format)
        assert made is not None
        assert made.format_cell(known) == said, format
