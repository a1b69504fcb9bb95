"""The texts of UM's files: what is written comes back, in UM's own layout, quickly."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mbconcord.converters.um.layout import render
from mbconcord.converters.um.syntax import choose_code_page, decode, looks_like_um, parse
from mbconcord.converters.um.tree import Attribute, Comment, UmBlock, UmDocument

from ...work import at_most
from .um_files import FIXTURES, MODELS, REAL, real, text

REAL_FILES = sorted(p.relative_to(REAL).as_posix() for p in REAL.rglob("*") if p.suffix in (".dat", ".icf"))


def tokens(source: str) -> str:
    """A text without its free layout."""
    return re.sub(r"\s+", "", source)


@pytest.mark.parametrize("model", MODELS)
def test_a_file_of_ours_comes_back_to_the_byte(model):
    document = parse(text(model), model)
    assert render(document) == text(model)


@real
@pytest.mark.parametrize("name", REAL_FILES)
def test_a_real_file_comes_back(name):
    source = decode(REAL.joinpath(name).read_bytes(), name).text
    with at_most(0.5):
        document = parse(source, name)
    written = render(document)
    assert parse(written) == document
    assert tokens(written) == tokens(source)
    if name.endswith(".dat"):
        assert written == source.replace("\r\n", "\n")


@pytest.mark.parametrize("model", MODELS)
def test_line_ends_and_blanks_carry_no_meaning(model):
    document = parse(text(model))
    assert parse(text(model).replace("\n", "\r\n").replace("{\r\n", "{\n")).main is not None
    assert parse(re.sub(r"(?<=;) (?=\w)", "\n   ", text(model))).main == document.main
    packed = re.sub(r";\s*\n\s*(?=\w)", ";", text(model))
    assert parse(packed).main == document.main


def test_blocks_belong_where_the_specification_says():
    main = parse(text("suspension")).main
    assert [b.heading for b in main.blocks] == [
        "const", "var", "egravity", "go", "go", "body1", "body2", "joint1", "joint2", "bfrc", "bfrc", "cfrc",
        "sfrc1", "sensor",
    ]  # fmt: skip
    joint = main.all("joint")[1]
    assert [b.keyword for b in joint.blocks] == ["jnt1dof"]
    assert [b.keyword for b in joint.blocks[0].blocks] == ["scalarforce"]
    assert [b.keyword for b in main.all("bfrc")[0].blocks] == ["scalarforce"]
    assert [b.keyword for b in main.all("go")[1].blocks] == ["ge"]
    chain = parse(text("gripper")).main.all("joint")[1]
    assert [b.get("type") for b in chain.blocks] == ["tc", "rc", "rv", "rc", "rv"]
    assert [len(b.blocks) for b in chain.blocks] == [0, 0, 1, 0, 1]
    legs = parse(text("six_legs")).main.all("subs")
    assert [leg.text("name") for leg in legs] == ["FL", "ML", "RL", "FR", "MR", "RR"]
    assert all([b.keyword for b in leg.blocks] == ["main"] for leg in legs)


VALUES = [
    ("rcx=;", ""),
    ("symbolic = false;", "false"),
    ("version=80 ;", "80"),
    ("ez= 1.;", "1."),
    ("point=,,p3,;", ",,p3,"),
    ('name="a;b $ c = d";', '"a;b $ c = d"'),
    ('cnst=(p# 1# "a; with b; $");', '(p# 1# "a; with b; $")'),
    ("points={ '' 'a;b' };", "{ '' 'a;b' }"),
    ("Faces = {\n1,2,3;\n4,5,6;\n };", "{\n1,2,3;\n4,5,6;\n }"),
    ("dissmatrix=c##;", "c##"),
    ("expression=-hi1*(x-psi2)\n   -hi2*v;", "-hi1*(x-psi2)\n   -hi2*v"),
    ("name=r:x(Body3.Sensor1);", "r:x(Body3.Sensor1)"),
    ("filename=D:\\a b\\c.dll;", "D:\\a b\\c.dll"),
    ('comments="two\nlines";', '"two\nlines"'),
    ('expression=coordinate( "jMass", 1 , 0 );', 'coordinate( "jMass", 1 , 0 )'),
]


@pytest.mark.parametrize(("source", "value"), VALUES)
def test_values(source, value):
    main = parse(f"with main; {source}with end;").main
    assert [a.value for a in main.attributes] == [value]
    assert parse(render(UmDocument((main,)))).main == main


def test_places_are_those_of_the_text():
    main = parse("with main;\n  type=mbs; size =  1;\n\twith body2;\n m=2;\nwith end;\n").main
    places = [(a.key, a.line, a.column, a.value_line, a.value_column) for a in main.attributes]
    assert places == [("type", 2, 3, 2, 8), ("size", 2, 13, 2, 21)]
    body = main.blocks[0]
    assert (body.keyword, body.number, body.line, body.column) == ("body", 2, 3, 2)


def test_comments_stay_where_they_stand():
    source = "$ first\nwith main;\n  $ inner\n  size=1; $ behind\nwith body1;\n  m=1;\n$ last\nwith end;\n$ over\n"
    document = parse(source)
    assert document.blocks[0].comments == (Comment("first"),)
    assert document.main.attributes[0].comments == (Comment("inner"),)
    assert document.main.blocks[0].comments == (Comment("behind"),)
    assert document.main.closing == (Comment("last"),)
    assert document.comments == (Comment("over"),)
    assert parse(render(document)) == document


def test_other_files_have_the_same_layer():
    document = parse("icf\n$ Configuration of object leg\nwith integr;\n  tout = 1.000E+0001;\nwith end;\n")
    assert (document.header, document.ended, document.main) == ("icf", True, None)
    assert document.blocks[0].get("tout") == "1.000E+0001"
    assert document.blocks[0].comments == (Comment("Configuration of object leg"),)
    assert parse(render(document)) == document


def test_numbers_of_blocks_stay():
    document = parse("with main; with joint12; with jnt1dof; with joint007; with joint; with end;")
    assert [b.heading for b in document.main.blocks] == ["joint12", "joint007", "joint"]
    assert parse(render(document)) == document


KEYWORDS = st.sampled_from(["go", "ge", "body", "joint", "et", "jnt6dof", "scalarforce", "bfrc", "foo", "const"])
KEYS = st.sampled_from(["name", "type", "m", "ex", "position", "points", "symbolic", "zeta_1"])
WORDS = st.sampled_from(
    ["", "1.", "-9.E1", "a*(b-c)/2", '"text; $ x"', "{ 1,2; 3 }", "{\n  '' 'a'\n}", "Base0", ",,p,"]
)
ATTRIBUTES = st.lists(st.builds(Attribute, KEYS, WORDS), max_size=4).map(tuple)
FLAT = st.lists(st.tuples(KEYWORDS, st.none() | st.integers(0, 40), ATTRIBUTES), max_size=8)


@pytest.mark.slow
@given(FLAT)
def test_any_tree_comes_back(blocks):
    source = "".join(
        f"with {keyword}{'' if number is None else number};" + "".join(f"{a.key}={a.value};" for a in attributes)
        for keyword, number, attributes in blocks
    )
    document = parse(f"with main;{source}with end;")
    assert parse(render(document)) == document
    assert render(parse(render(document))) == render(document)
    kept = [(b.keyword, b.number, b.attributes) for b in document.walk()][1:]
    assert kept == [(k, n, a) for k, n, a in blocks]


def test_a_subsystem_is_indented_and_comes_back():
    inner = UmBlock(
        "main", None, (Attribute("type", "mbs"),), blocks=(UmBlock("body", 1, (Attribute("points", "{\n 1\n}"),)),)
    )
    made = UmDocument((UmBlock("main", blocks=(UmBlock("subs", 1, (Attribute("name", '"A"'),), blocks=(inner,)),)),))
    assert parse(render(made)) == made
    assert "\n  with main;\n    type=mbs;" in render(made)


@pytest.mark.slow
def test_a_megabyte_is_read_in_time():
    one = text("six_legs")
    start, end = (
        one.index('with body1; name="trunk"'),
        one.index('\n$ Joints, degrees of freedom, hinges, initial conditions\nwith joint1; name="jBase0'),
    )
    many = one[start:end] * (1_000_000 // (end - start))
    with at_most(10):
        document = parse(one[:start] + many + one[end:])
    assert len(document.main.all("body")) > 3000


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("Body", "ascii"),
        ("Тележка", "cp1251"),
        ("Тележка", "utf-8"),
        ("Тележка", "utf-8-sig"),
        ("КУЗОВ", "cp1251"),
        ("Ёлка «два» №2", "cp1251"),
        ("构架", "gbk"),
        ("悬浮电磁铁L", "gbk"),
        ("车体", "gbk"),
        ("垂向传感器LF", "utf-8"),
    ],
)
def test_code_pages_are_told_by_what_they_spell(name, code):
    source = f'with main; with body1; name="{name}"; with end;'
    found = decode(source.encode(code), "input.dat")
    assert found.text == source
    assert [o.what for o in found.omissions] == ([] if code in ("ascii", "utf-8") else [code])


def test_a_file_of_ours_in_the_russian_code_page():
    data = FIXTURES.joinpath("gripper", "input.dat").read_bytes()
    assert b"\r\n" in data
    assert b"\xca\xee\xeb\xee\xed\xed\xe0" in data  # Колонна
    assert [b.text("name") for b in parse(decode(data, "input.dat").text).main.all("body")] == [
        "Колонна",
        "Плечо",
        "Схват",
    ]


@pytest.mark.parametrize("name", ["Body", "Колонна", "悬浮架1", "Колонна 架", "é"])
def test_what_is_encoded_is_decoded(name):
    source = f'with main; with body1; name="{name}"; with end;'
    assert decode(source.encode(choose_code_page(source)), "input.dat").text == source


@pytest.mark.parametrize("page", ["cp1251", "gbk"])
def test_bytes_of_a_code_page_come_back(page):
    """Every character that a page has, of one byte or two."""
    for lead in range(0x80, 0x100):
        for data in (bytes([lead]), *(bytes([lead, trail]) for trail in range(0x40, 0x100, 3))):
            try:
                text = data.decode(page)
            except UnicodeDecodeError:
                continue
            assert text.encode(page) == data


def test_content_is_recognised():
    assert looks_like_um(text("four_bar")[:2048])
    assert looks_like_um("\n$ a comment\n  with main ; version=90;")
    assert not looks_like_um("icf\nwith integr;")
    assert not looks_like_um("zi>zig")
