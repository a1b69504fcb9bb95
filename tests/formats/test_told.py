"""What a file holds beside a model: comments, images, code page, line ends, layout; in every target, or a loss."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from mbconcord.converters import registry
from mbconcord.model.expressions import number

from .conversions import Conversion, convert, wrong
from .format_models import COLUMNS, contents
from .told import comments, text_of, untold
from .um.um_files import REAL, real

MBSD = "% рука\nz(q) i(L) $(m) g-y  % a link; with > signs\n; L = 0.5, % m\n  m = 2\n"
TABLE = contents("tp/leg.tp.csv").decode()
ENGLISH = TABLE.replace("i;i-1;КП;q;d;", "body;base;joint;axis;cg;").replace("m_o;", "own_mass;").replace("ВКП", "R")
#: An input.dat with every kind of comment, forces that are left out, and a layout by hand.
LEG = """$ my own words
with main; version=80 ;
   autogravity=true;   comments="a leg of {name}";
with const; cnst=(p1# 0.05# "first {name}");
   cnst=(k# 3);

with egravity; gravityz=-1;
with go; name="{name}"; with ge; type=BAR; box=p1,p1,1;
$ Bodies, inertia parameters, images
with body1; name="{name}1"; igrobj=1; m=1; ixx=1; iyy=1; izz=1; rcz=p1;   $ weighed
with joint1; name="j"; type=comm; bd1="Base0"; bd2="{name}1";
  with et; type=rv; ex=0; ey=0; ez= 1.; coord0=0;
with scalarforce; name="turn"; type=expression; expression=-k*x;
$ Linear force elements
with lfrc; name="{name} spring";
bd1="Base0"; bd2="{name}1";   type=elast; c11=k;
   \t
{blanks}
with cfrc; name="foot"; type=plane_point; bd1="{name}1"; bd2="Base0"; cstiff=1E6;
$ the end
with end;
$ after it
"""


def leg(name: str, page: str = "utf-8", newline: str = "\n") -> bytes:
    """The bytes of such a file."""
    return LEG.replace("{name}", name).replace("{blanks}", "  ").replace("\n", newline).encode(page)


#: Name -> format, bytes, code page.
SOURCES = {
    "mbsd": ("mbsd", MBSD.encode(), "utf-8"),
    "mbsd, CR LF": ("mbsd", MBSD.replace("\n", "\r\n").encode(), "utf-8"),
    "mbsd, marked": ("mbsd", MBSD.encode("utf-8-sig"), "utf-8-sig"),
    "table": ("tp", TABLE.encode(), "utf-8"),
    "table, CR LF": ("tp", TABLE.replace("\n", "\r\n").encode(), "utf-8"),
    "table, marked": ("tp", TABLE.encode("utf-8-sig"), "utf-8-sig"),
    "table, Russian": ("tp", TABLE.encode("cp1251"), "cp1251"),
    "table, English": ("tp", ENGLISH.encode(), "utf-8"),
    "um": ("um", leg("leg"), "utf-8"),
    "um, CR LF": ("um", leg("leg", newline="\r\n"), "utf-8"),
    "um, Russian": ("um", leg("Нога", "cp1251", "\r\n"), "cp1251"),
    "um, Ukrainian": ("um", leg("Їжак", "cp1251"), "cp1251"),
    "um, Russian in UTF-8": ("um", leg("Нога"), "utf-8"),
    "um, Chinese": ("um", leg("构架", "gbk"), "gbk"),
    "um, Chinese in UTF-8": ("um", leg("构架", newline="\r\n"), "utf-8"),
    "um, marked": ("um", leg("Нога", "utf-8-sig"), "utf-8-sig"),
}
#: Words in the code pages that UM's files have.
PAGES = [
    ("leg", "ascii"),
    ("Нога", "utf-8"),
    ("Нога", "utf-8-sig"),
    ("Нога", "cp1251"),
    ("构架", "gbk"),
    ("构架", "utf-8"),
]
sources = pytest.mark.parametrize("name", SOURCES)


def read(name: str):
    """Format, bytes, code page and model of a source."""
    format, data, page = SOURCES[name]
    return format, data, page, registry.read_bytes(data, "-", format).system


@sources
@pytest.mark.parametrize("target", COLUMNS)
def test_what_stands_in_a_file_stands_in_the_target_or_is_a_loss(name: str, target: str) -> None:
    format, data, page, system = read(name)
    made = convert(system, target)
    assert isinstance(made, Conversion)
    assert list(untold(data, page, format, made)) == []
    assert [w for w in wrong(made) if "gone" in w or "tells" in w or "refuse" in w] == []


@sources
def test_a_file_of_its_own_format_loses_nothing(name: str) -> None:
    format, data, _, system = read(name)
    made = convert(system, format, "-")
    assert made.writing.losses == ()
    assert replace(made.again, name=system.name, metadata=system.metadata) == system
    if format == "um":
        assert registry.encode(made.writing, "-", format) == data


@sources
def test_a_file_goes_through_the_native_format_and_back(name: str) -> None:
    format, _, _, system = read(name)
    native = convert(system, "native").again
    there, back = (registry.encode(registry.write(m, format), "-", format) for m in (system, native))
    assert there == back


@pytest.mark.parametrize("name", [name for name in SOURCES if name.startswith("um")])
def test_a_file_of_um_that_is_written_anew_loses_nothing_in_silence(name: str) -> None:
    """With another mass, which no place of the file takes."""
    format, data, page, system = read(name)
    body = system.bodies[0]
    heavy = replace(system, bodies=(replace(body, inertia=replace(body.inertia, mass=number(7))),))
    made = convert(heavy, "um")
    assert list(untold(data, page, format, made)) == []
    lost = [loss.what for loss in made.writing.losses]
    assert lost == [f"the comment {said}" for said in ("my own words", "weighed", "the end", "after it")]


def test_the_property_sees_what_is_dropped() -> None:
    """Each thing taken out of what was written is named."""
    format, data, page, system = read("um, Russian")
    made = convert(system, "um")
    assert comments(text_of(data, page), format) == [
        "my own words", "weighed", "the end", "after it", "first Нога", "a leg of Нога",
    ]  # fmt: skip
    silent = replace(made, writing=replace(made.writing, text="with main; with end;\n", encoding="utf-8", newline="\n"))
    found = list(untold(data, page, format, silent))
    assert [re.sub(r" .*", "", line) for line in found] == ["the"] * 8 + ["1"] * 3


@real
def test_every_real_file_is_written_as_it_is() -> None:
    for path in sorted(REAL.rglob("input.dat")):
        made = registry.write(registry.read(path).system, "um")
        assert made.losses == ()
        assert registry.encode(made, "input.dat", "um") == path.read_bytes()


@real
@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["LF", "CR LF"])
@pytest.mark.parametrize(("word", "page"), PAGES, ids=str)
def test_a_real_file_in_any_code_page(word: str, page: str, newline: str) -> None:
    """With the word in a comment, and a line of blanks."""
    text = (REAL / "to_delete" / "input.dat").read_text("ascii")
    text = text.replace("with main;", f"with main;\n  \n$ {word}\n", 1)
    data = text.replace("\n", newline).encode(page)
    made = registry.write(registry.read_bytes(data, "input.dat").system, "um")
    assert made.losses == ()
    assert registry.encode(made, "input.dat", "um") == data
