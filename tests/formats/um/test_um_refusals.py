"""What an input.dat is refused for: each finding with line, column, what was found and expected."""

from __future__ import annotations

import codecs

import pytest

from mbconcord.cli import main
from mbconcord.converters import registry
from mbconcord.converters.xacro import Allowed
from mbconcord.model import ReadError, limits

from ...work import at_most
from .um_files import text

FRAME = """with main; autogravity=true;
with const;
  cnst=(a# 2);
with egravity; gravityz=-1;
with body1; name="B1"; m=1; ixx=1; iyy=1; izz=1;
with body2; name="B2"; m=1; ixx=1; iyy=1; izz=1;
with joint1; name="j1"; type=rotat; bd1="Base0"; bd2="B1";
  with jnt1dof; e1z=1; e2z=1; x0=0;
with joint2; name="j2"; type=comm; bd1="B1"; bd2="B2";
  with et; type=rv; ex=1; coord0=0;
with scalarforce; name="F"; type=expression;
  expression=-a*x;
with end;
"""


def refusals(source, file="input.dat"):
    with pytest.raises(ReadError) as caught:
        registry.read_text(source, file, "um")
    return caught.value.diagnostics


def changed(old, new):
    assert FRAME.count(old) == 1
    return FRAME.replace(old, new)


TABLE = [
    # lexical layer
    ("no end", changed("with end;\n", ""), (1, 1), "expected 'with end;'"),
    ("cut off in a block", FRAME[: FRAME.index("  with et")], (1, 1), "expected 'with end;'"),
    ("cut off in a name", FRAME[: FRAME.index('"B2"; m=1') + 2], (6, 18), "a string that is not closed"),
    ("cut off in a value", FRAME[: FRAME.index("-a*x") + 3], (12, 17), "expected ';'"),
    ("string not closed", changed('name="j1";', 'name="j1;'), (7, 19), "a string that is not closed"),
    (
        "list not closed",
        changed("izz=1;\nwith body2", "izz=1; opoints={ '' '';\nwith body2"),
        (5, 58),
        "list is not closed",
    ),
    (
        "list closed too late",
        changed("izz=1;\nwith body2", "izz=1; c={ '';\nwith body2; n={1}"),
        (5, 52),
        "expected '};'",
    ),
    (
        "no semicolon",
        changed("m=1; ixx=1; iyy=1; izz=1;\nwith body2", "m=1; ixx=1; iyy=1; izz=1\nwith body2"),
        (6, 1),
        "expected ';'",
    ),
    ("no equals sign", changed("x0=0;", "x0;"), (8, 31), "expected"),
    ("after the end", FRAME + "with body3;\nwith end;", (14, 1), "after the end"),
    ("a second main", FRAME + FRAME, (14, 1), "after the end"),
    ("brace", changed("x0=0;", "};"), (8, 31), "found '}'"),
    ("not a model", "icf\nwith integr;\n  step=1;\nwith end;\n", (1, 1), "expected 'with main;'"),
    ("no block", "$ nothing\n", (1, 1), "expected 'with main;'"),
    # names
    ("no such body", changed('bd2="B2"', 'bd2="B3"'), (9, 50), "found bd2='B3', expected a body"),
    ("no body", changed('bd2="B2";', ""), (9, 1), "found no bd2"),
    ("two bodies of a name", changed('name="B2"', 'name="B1"'), (6, 1), "second body 'B1'"),
    ("a body named Base0", changed('name="B2"', 'name="Base0"'), (6, 1), "a name that UM has for itself"),
    ("two joints of a name", changed('name="j2"', 'name="j1"'), (9, 1), "second joint 'j1'"),
    ("two identifiers", changed("cnst=(a# 2);", "cnst=(a# 2); cnst=(a# 3);"), (3, 21), "second identifier 'a'"),
    ("no name", changed('with body2; name="B2";', "with body2;"), (6, 1), "a body without a name"),
    ("a joint with itself", changed('bd2="B2"', 'bd2="B1"'), (9, 1), "with itself"),
    ("External", changed('bd2="B2"', 'bd2="External"'), (9, 50), "unknown [?]"),
    (
        "a loose body",
        changed('bd1="B1"; bd2="B2"', 'bd1="Base0"; bd2="B1"'),
        (6, 1),
        "found no joint that leads from Base0",
    ),
    # identifiers and expressions
    ("undefined", changed("-a*x", "-a*x+A1"), (12, 19), "found 'A1', expected an identifier"),
    ("undefined in a mass", changed('"B2"; m=1', '"B2"; m=a*foo'), (6, 28), "found 'foo'"),
    ("x in a constant", changed('"B2"; m=1', '"B2"; m=x'), (6, 26), "found 'x'"),
    ("cycle", changed("cnst=(a# 2);", "cnst=(a# b+1); cnst=(b# 2*c); cnst=(c# a);"), (3, 12), "a -> b -> c -> a"),
    ("cycle of itself", changed("a# 2", "a# a"), (3, 12), "a -> a"),
    ("syntax", changed("-a*x", "-a*(x"), (12, 19), "expression: found the end"),
    ("two values", changed("-a*x", "-a x"), (12, 17), "found 'x'"),
    ("division by zero", changed('"B2"; m=1', '"B2"; m=1/0'), (6, 26), "division by zero"),
    ("arguments", changed("-a*x", "sqr(a,x)"), (12, 14), "sqr takes 1 argument"),
    ("a number out of range", changed('"B2"; m=1', '"B2"; m=1e99999'), (6, 26), "out of range"),
    ("an entry", changed("cnst=(a# 2)", "cnst=(a 2)"), (3, 8), "expected cnst=(name# value);"),
    ("an entry without a name", changed("cnst=(a# 2)", "cnst=(2a# 2)"), (3, 8), "expected cnst=(name# value);"),
    # joints
    ("no type of joint", changed("type=comm;", ""), (9, 1), "found a joint of type 'nothing'"),
    ("time-given", changed("type=rv", "type=rt"), (10, 3), "never seen"),
    ("zero axis", changed("ex=1;", "ex=0; ey=0; ez=0;"), (10, 21), "expected a direction"),
    ("symbolic axis", changed("ex=1;", "ex=a;"), (10, 21), "expected numbers"),
    ("opposite axes", changed("e2z=1;", "e2z=-1;"), (8, 3), "opposite directions"),
    ("constx", changed("x0=0;", "constx=1; x0=0;"), (8, 31), "found constx=1"),
    ("no jnt1dof", changed("  with jnt1dof; e1z=1; e2z=1; x0=0;\n", ""), (7, 1), "0 blocks jnt1dof"),
    ("a second attribute", changed("ex=1;", "ex=1; ex=2;"), (10, 27), "second ex in et"),
    (
        "angles",
        changed("type=rotat", "type=6dof").replace("jnt1dof; e1z=1; e2z=1; x0=0;", "jnt6dof; angles=Euler; angle10=0;"),
        (8, 24),
        "found angles=Euler",
    ),
    (
        "two scalar forces",
        changed("  expression=-a*x;\n", '  expression=-a*x;\nwith scalarforce; name="G"; type=none;\n'),
        (13, 1),
        "2 scalar forces",
    ),
    # gravity
    ("symbolic gravity", changed("gravityz=-1", "gravityz=-a"), (4, 1), "expected numbers"),
]


@pytest.mark.parametrize(("source", "place", "said"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_refusals(source, place, said):
    found = refusals(source)
    assert any(said in f"{d.message} {d.remedy}" for d in found), [str(d) for d in found]
    first = next(d for d in found if said in f"{d.message} {d.remedy}")
    assert (first.location.line, first.location.column) == place
    assert first.severity == "error"


def test_the_frame_itself_is_sound():
    read = registry.read_text(FRAME, "-", "um")
    assert [b.name for b in read.system.bodies] == ["B1", "B2"]


def test_errors_come_together():
    source = changed('bd2="B2"', 'bd2="B3"').replace("-a*x", "-b*x").replace("e2z=1", "e2z=zz")
    assert [d.location.line for d in refusals(source)] == [8, 8, 9]  # joints first
    both = changed('"B2"; m=1', '"B2"; m=foo').replace("-a*x", "-bar*x")
    assert [d.location.line for d in refusals(both)] == [6, 12]


SUBS = """with main; autogravity=true; with const; cnst=(a# 1);
with subs1; name="S"; type=mbsincluded; ident=Subs1;
with main;
with body1; name="P"; m=1;
with joint1; name="j"; type=comm; bd1="Base0"; bd2="P";
with end;
with end;
"""
SUBSYSTEMS = [
    ("a path that leads out", "ident=Subs1;", "ident=..\\secret;", (2, 47), "leads out of the model's folder"),
    ("a path that leads out, slashes", "ident=Subs1;", 'ident="a/../../x";', (2, 47), "leads out"),
    ("an absolute path", "ident=Subs1;", "ident=/etc/passwd;", (2, 47), "leads out"),
    ("a drive", "ident=Subs1;", "ident=C:\\um\\x;", (2, 47), "leads out"),
    ("no type", "type=mbsincluded; ", "", (2, 1), "has no type of its own, expected mbsincluded"),
    ("turned", "ident=Subs1;", "ro2z=90; ident=Subs1;", (2, 41), "unknown [?]"),
    ("no name", 'name="S";', "", (2, 1), "a subsystem without a name"),
    ("an identifier of the outer object", "m=1;", "m=a;", (4, 25), "whether UM looks there is unknown [?]"),
    ("a body of the outer object", 'bd1="Base0"', 'bd1="Q"', (5, 39), "found bd1='Q'"),
]


@pytest.mark.parametrize(("old", "new", "place", "said"), [r[1:] for r in SUBSYSTEMS], ids=[r[0] for r in SUBSYSTEMS])
def test_subsystems(old, new, place, said):
    registry.read_text(SUBS, "-", "um")
    found = refusals(SUBS.replace(old, new))
    first = next(d for d in found if said in f"{d.message} {d.remedy}")
    assert (first.location.line, first.location.column) == place


def test_a_subsystem_without_its_main():
    found = refusals('with main;\nwith subs1; name="S"; type=mbsincluded; ident=S;\nwith end;\n')
    assert "has no 'with main;' of its own" in found[0].message


def test_two_subsystems_of_a_name():
    one = SUBS[SUBS.index("with subs1") : SUBS.rindex("with end;")]
    found = refusals("with main;\n" + one + one + "with end;\n")
    assert any("second subsystem 'S'" in d.message for d in found)


def test_identifiers_of_the_outer_object_are_not_guessed():
    (found,) = refusals(SUBS.replace("m=1;", "m=a;"))
    assert "found 'a'" in found.message
    assert "whether UM looks there is unknown [?]" in found.remedy


HOSTILE = [
    (
        "a list of 100 MB",
        lambda: "with main;\nwith go; Vertices = {" + "1,2,3;" * 16_700_000 + "};\nwith end;\n",
        "at most 10,000,000",
    ),
    (
        "a list of 4.2 MB",
        lambda: "with main;\nwith go; Vertices = {" + "1,2,3;" * 700_000 + "};\nwith end;\n",
        "at most 4,000,000",
    ),
    (
        "an expression of 4.2 MB",
        lambda: "with main; with const; cnst=(a# " + "1+" * 2_100_000 + "1); with end;",
        "at most 4,000,000",
    ),
    (
        "an expression of 200 kB",
        lambda: "with main; with const; cnst=(a# " + "1+" * 100_000 + "1); with end;",
        "at most 100,000",
    ),
    ("blank lines", lambda: "with main;" + "m=1" + "\n" * 3_000_000 + "with end;", "expected ';'"),
    (
        "blanks",
        lambda: "with main; with const; cnst=(" + " " * 3_000_000 + "); with end;",
        "expected cnst=(name# value);",
    ),
    ("many braces", lambda: "with main; a={" + "} " * 1_000_000 + "\nwith end;", "expected ';'"),
    (
        "deep subsystems",
        lambda: "with main;" + 'with subs1; name="S"; type=mbsincluded; with main;' * 3000 + "with end;" * 3001,
        "deeper than 50",
    ),
    ("subsystems without end", lambda: "with main; with subs1; with main;" * 3000, "deeper than 50"),
    ("braces", lambda: "with main; a=" + "{" * 100_000 + ";", "list is not closed"),
    ("quotation marks", lambda: "with main; a=" + '"' * 100_001 + ";", "string that is not closed"),
]


@pytest.mark.parametrize(("source", "said"), [row[1:] for row in HOSTILE], ids=[row[0] for row in HOSTILE])
def test_hostile_sizes_are_refused_by_a_limit(source, said):
    made = source()
    with at_most(5):
        found = refusals(made)
    assert said in f"{found[0].message} {found[0].remedy}"


def test_a_file_beyond_the_limit_is_not_even_decoded():
    with pytest.raises(ReadError, match="at most 10,000,000"):
        registry.read_bytes(b"\xff" * (limits.UM_CHARACTERS + 1), "input.dat")


@pytest.mark.slow
def test_deep_brackets_cost_no_recursion():
    deep = "(" * 20_000 + "a" + ")" * 20_000
    machine = registry.read_text(changed('"B2"; m=1', f'"B2"; m={deep}'), "-", "um").system
    assert str(machine.body("B2").inertia.mass) == "<a>" or "a" in repr(machine.body("B2").inertia.mass)


@pytest.mark.slow
def test_many_identifiers_in_a_row():
    rows = "".join(f"cnst=(p{i}# p{i - 1}+1);\n" for i in range(1, 3000))
    machine = registry.read_text(changed("cnst=(a# 2);", "cnst=(a# 2); cnst=(p0# 1);\n" + rows), "-", "um").system
    assert len(machine.parameters) == 3001


def test_binary_files_and_unknown_bytes():
    with pytest.raises(ReadError, match="binary"):
        registry.read_bytes(b"with main;\0", "input.dat")


@pytest.mark.parametrize(
    ("name", "page"),
    [
        ("\x98 ", "latin-1"),
        ("Größe", "latin-1"),
        ("épaule", "latin-1"),
        ("Körper, Kühlung", "cp1252"),
        ("車體é", "big5hkscs"),
        ("タイヤ", "shift-jis"),
    ],
)
def test_a_code_page_that_cannot_be_told(name, page):
    data = f'with main;\n  comments="{name}";\nwith end;'.encode(page)
    with pytest.raises(ReadError, match="the code page cannot be told") as caught:
        registry.read_bytes(data, "input.dat")
    (finding,) = caught.value.diagnostics
    first = next(i for i, c in enumerate(name) if ord(c) > 127)
    assert (finding.location.line, finding.location.column) == (2, 13 + first)
    assert finding.remedy == "save the file as UTF-8, or name its code page: --read encoding=cp1252"


NAMED = """with main; autogravity=true;
  comments="{}";
with egravity; gravityz=-1;
with body1; name="B"; m=1; ixx=1; iyy=1; izz=1;
with joint1; name="j"; type=comm; bd1="Base0"; bd2="B";
  with et; type=rv; ex=1; coord0=0;
with end;
"""


@pytest.mark.parametrize(
    ("name", "page", "given"),
    [
        ("Größe", "cp1252", "cp1252"),
        ("Größe", "latin-1", "latin1"),
        ("タイヤ", "shift-jis", "shift_jis"),
        ("Рама", "koi8-r", "koi8-r"),
        ("Рама", "cp866", "cp866"),
        ("Рама", "utf-8", "UTF-8"),
    ],
)
def test_the_user_names_the_code_page(name: str, page: str, given: str) -> None:
    allowed = Allowed(encoding=given)
    read = registry.read_bytes(NAMED.format(name).encode(page), "input.dat", allowed=allowed)
    assert [o.what for o in read.system.omissions if o.kind == "comment"] == [name]
    own = [o.what for o in read.system.omissions if o.kind == "encoding"]
    assert own == ([] if page == "utf-8" else [codecs.lookup(page).name])
    made = registry.write(read.system, "um")
    assert made.encoding == codecs.lookup(page).name and not [x for x in made.losses if "encoding" in x.place]
    assert made.text.encode(made.encoding) == NAMED.format(name).encode(page)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("cp1253x", "found 'cp1253x', expected a code page"),
        ("utf-16", "found 'utf-16', expected a code page"),
        ("rot13", "found 'rot13', expected a code page"),
        ("cp1252", "input.dat:2:13: error: byte 0x81 is no sign of cp1252"),
        ("utf-8", "input.dat:2:13: error: byte 0x81 is no sign of utf-8"),
    ],
)
def test_a_code_page_that_the_file_is_not_in(given: str, said: str) -> None:
    data = NAMED.encode().replace(b"{}", b"\x81\x81")
    with pytest.raises(ReadError) as caught:
        registry.read_bytes(data, "input.dat", allowed=Allowed(encoding=given))
    assert said in str(caught.value)


def test_files_that_name_their_code_page_do_not_take_the_option(tmp_path, capsys) -> None:
    path = tmp_path / "one.mbsd"
    path.write_text("z(a)°0 i1 $1 #b", "utf-8")
    assert main(["info", str(path), "--read", "encoding=cp1252"]) == 0
    assert f"warning: {path} is UTF-8, or names its code page itself" in capsys.readouterr().err


COMMANDS = [
    ("truncated", lambda: text("four_bar")[:-10]),
    ("absent body", lambda: text("four_bar").replace('bd2="rocker"', 'bd2="beam"')),
    ("undefined", lambda: text("four_bar").replace("rcx=b/2", "rcx=bb/2")),
    ("cycle", lambda: text("four_bar").replace("a# 0.3", "a# b").replace("b# 0.6", "b# a")),
]


@pytest.mark.parametrize("source", [c for _, c in COMMANDS], ids=[name for name, _ in COMMANDS])
def test_the_command_line_says_it_and_exits_with_2(source, tmp_path, capsys):
    path = tmp_path / "input.dat"
    path.write_text(source(), encoding="utf-8")
    assert main(["info", str(path)]) == 2
    shown = capsys.readouterr().err
    assert f"{path}:" in shown
    assert "expected" in shown or "defined by itself" in shown
    assert "Traceback" not in shown
