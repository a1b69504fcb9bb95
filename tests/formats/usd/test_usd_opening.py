"""Stages composed by OpenUSD in its process: binary and packed ones, what they may not name, hostile texts."""

import json
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

import mbconcord
from mbconcord.converters import registry
from mbconcord.converters.usd.opening import looks_like_usd
from mbconcord.converters.usd.reader import read_facts
from mbconcord.model import ReadError

HERE = Path(__file__).parent
STAGES = HERE / "stages"
FACTS = json.loads((HERE / "facts.json").read_text(encoding="utf-8"))
#: What is looked at with OpenUSD, which is not everywhere installed.
needs_openusd = pytest.mark.skipif(find_spec("pxr") is None, reason="usd-core, of the extra [usd], is not installed")


def refused(file: Path | str, **more: object) -> str:
    with pytest.raises(ReadError) as caught:
        mbconcord.read(file, **more)  # type: ignore[arg-type]
    return str(caught.value)


def test_texts_and_facts_are_told_by_their_beginnings() -> None:
    assert looks_like_usd("#usda 1.0\n") and looks_like_usd('{"stage": 1, "prims": []}')
    assert not looks_like_usd('{"format": "mbconcord"}') and not looks_like_usd("<robot/>")
    assert [registry.detect(f"a{s}").name for s in (".usda", ".usd", ".usdc", ".usdz")] == ["usd"] * 4


def test_facts_are_read_as_a_text_without_openusd() -> None:
    text = json.dumps(FACTS["04_two_hinges"])
    assert mbconcord.read(text=text, format="usd").system.coordinate_names == ("shoulder", "elbow")


def test_a_text_that_is_no_layer_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.usda").write_bytes(b"\xff\xfe")
    assert "neither a layer in UTF-8 nor a binary one" in refused(tmp_path / "a.usda")
    (tmp_path / "a.usda").write_text("usda 1.0", encoding="utf-8")
    assert "a.usda:1:1: error: the text does not begin with #usda" in refused(tmp_path / "a.usda")


@needs_openusd
@pytest.mark.parametrize("name", ["01_units", "08_reversed", "18_composed"])
def test_a_stage_that_openusd_composes_is_that_of_its_facts(name: str) -> None:
    reading = mbconcord.read(STAGES / f"{name}.usda")
    stored = read_facts(FACTS[name], f"{name}.usda").system
    assert (reading.format, reading.system) == ("usd", stored)


@needs_openusd
def test_binary_and_packed_stages_are_those_of_their_text(tmp_path: Path) -> None:
    from pxr import Sdf

    text = mbconcord.read(STAGES / "04_two_hinges.usda").system
    Sdf.Layer.FindOrOpen(str(STAGES / "04_two_hinges.usda")).Export(str(tmp_path / "robot.usdc"))
    assert (tmp_path / "robot.usdc").read_bytes().startswith(b"PXR-USDC")
    assert mbconcord.read(tmp_path / "robot.usdc").system == text
    with zipfile.ZipFile(tmp_path / "robot.usdz", "w", zipfile.ZIP_STORED) as packed:
        packed.write(tmp_path / "robot.usdc", "robot.usdc")
    assert mbconcord.read(tmp_path / "robot.usdz").system == text


@needs_openusd
def test_nothing_outside_of_the_folder_is_read(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "18_part.usda").write_bytes((STAGES / "18_part.usda").read_bytes())
    text = (STAGES / "18_composed.usda").read_text("utf-8")
    (tmp_path / "inner/robot.usda").write_text(text.replace("./18_part", "../18_part"), "utf-8")
    assert "../18_part.usda lies outside of the folder of the model (--read package-path=FOLDER)" in refused(
        tmp_path / "inner/robot.usda"
    )
    found = mbconcord.read(tmp_path / "inner/robot.usda", package_path=tmp_path).system
    assert found.coordinate_names == ("a", "b")
    (tmp_path / "inner/robot.usda").write_text(text.replace("./18_part.usda", "https://a.example/x.usda"), "utf-8")
    assert "https://a.example/x.usda is an address of the network" in refused(tmp_path / "inner/robot.usda")


APIS = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
PART = (
    f'#usda 1.0\ndef "r" {{\n  def "a" (prepend apiSchemas = {json.dumps(APIS)})\n  {{\n    float physics:mass = -2\n'
)
WHOLE = '#usda 1.0\n(metersPerUnit = 1)\ndef "robot" (prepend references = @./part.usda@</r>)\n{\n}\n'


def test_findings_name_the_line_of_the_layer_that_says_it(tmp_path: Path) -> None:
    """Layers are opened for stages that OpenUSD composed, and not because facts name them."""
    layer, file = tmp_path / "part.usda", str(tmp_path / "whole.usda")
    layer.write_text(PART + "  }\n}\n", encoding="utf-8")
    own = {"path": "/robot/a", "apis": APIS, "values": {"physics:mass": ["float", -2.0]}}
    facts = {"stage": 1, "metres": 1.0, "prims": [{"path": "/robot"}, own | {"specs": [[str(layer), "/r/a"]]}]}
    for text, place in ((WHOLE, f"{layer}:5:11"), ("", f"{file}:1:1")):
        with pytest.raises(ReadError, match="a mass is not negative") as caught:
            read_facts(facts, file, text)
        assert str(caught.value).startswith(f"{place}: error: </robot/a.physics:mass>: found -2")


@needs_openusd
def test_lines_of_layers_are_those_that_openusd_composes(tmp_path: Path) -> None:
    for name, text in (("part", PART + "  }\n}\n"), ("torn", PART), ("whole", WHOLE)):
        (tmp_path / f"{name}.usda").write_text(text, encoding="utf-8")
    assert f"{tmp_path}/part.usda:5:11: error: </robot/a.physics:mass>" in refused(tmp_path / "whole.usda")
    assert f"{tmp_path}/torn.usda:6:1: error: Expected }}" in refused(tmp_path / "torn.usda")
    (tmp_path / "part.usda").write_text(PART, encoding="utf-8")
    assert "whole.usda:3:1: error: </robot>: reference of </robot>: ./part.usda cannot be read" in refused(
        tmp_path / "whole.usda"
    )


@needs_openusd
def test_prims_nested_without_end_are_refused(tmp_path: Path) -> None:
    deep = 60_000
    (tmp_path / "deep.usda").write_text("#usda 1.0\n" + 'def "a" {\n' * deep + "}\n" * deep, "utf-8")
    assert "deep.usda:1:1: error: OpenUSD" in refused(tmp_path / "deep.usda")
