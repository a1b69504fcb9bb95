"""Bad MBSD texts: each refusal names the place, what was found and what was expected."""

from __future__ import annotations

import pytest

from mbconcord.converters.registry import read_bytes, read_text
from mbconcord.model.diagnostics import ReadError

from ..work import at_most

#: text, line, column, what is found, what is expected or the remedy
BAD = [
    ("z e i", 1, 3, "'e'", "reserved in MBSD; its meaning was never published"),
    ("z i a", 1, 5, "'a'", "reserved in MBSD"),
    ("zi\n>\nzo", 3, 2, "'o'", "reserved in MBSD"),
    ("zit", 1, 3, "'t'", "expected a letter of i…n, u…z or g"),
    ("z i ! j", 1, 5, "'!'", "expected an item of a body"),
    ("zi>zk]", 1, 6, "']'", "closes nothing"),
    ("z i(0.5 > z", 1, 4, "the end", "expected ')'"),
    ("z i[1,2)", 1, 8, "')'", "expected ']' to close the '[' of line 1, column 4"),
    ("(z i (u)^2", 1, 1, "the end", "never closed"),
    ("z #a > z #a", 1, 10, "second body 'a'", "names are unique"),
    ("\\ #b z i", 1, 3, "#b", "known: none; the fixed frame is #0"),
    ("z i #a > z \\ #c z", 1, 14, "#c", "known: a, body2; the fixed frame is #0"),
    ("z i #a \\ #b z #c \\ z #b", 1, 10, "'b' is defined later", "expected an earlier one"),
    ("z i #a \\ #a :(1) < #d", 1, 18, "#d", "there is no body 'd'"),
    ("z i; a=b, b=a", 1, 6, "defined by itself: a -> b -> a", "break the cycle"),
    ("z i; a=f(1), f(x)=a x", 1, 6, "defined by itself", "break the cycle"),
    ('z"(f(1)); f(x)=f(x)', 1, 11, "f -> f", "break the cycle"),
    ("z i(a); a=1/0", 1, 11, "division by zero", ""),
    ("z i(a)\n; a=1/b,\n  b=c-c, c=1", 2, 3, "division by zero", ""),
    ("z $-2", 1, 3, "mass is -2 kg", "a mass is not negative"),
    ("z $(m); m=-3", 1, 3, "mass is -3 kg", "a mass is not negative"),
    ("z #a \\ #a :(1, -2) {1,0}", 1, 11, "mass is -2 kg", "a mass is not negative"),
    ("xy[1,1,5]", 1, 3, "principal moments 1, 1, 5", "violate the triangle inequality"),
    ("xy$1[1,1,1]{2,0,0}", 1, 5, "one is negative", "must exceed"),
    ("z$1[1,1,1]{2,0,0}", 1, 4, "the moment -3 kg m² about the axis (0, 0, 1)", "is negative"),
    ("xy$1[-1,1,1]", 1, 5, "one is negative", ""),
    ("z°хi", 1, 3, "Cyrillic letter 'х' (U+0445)", "it looks like the Latin 'x'"),
    ("zi > х", 1, 6, "Cyrillic letter", "expected a Latin letter"),
    ('u"(соs u)', 1, 4, "'соs' has Cyrillic letters", "'cos' in Latin letters"),
    ('u"(-с u); c = 2', 1, 5, "'с' has Cyrillic letters", "'c' in Latin letters"),
    ("z i; m1=2;\nm1=3", 2, 1, "second assignment of m1", "the first is in line 1, column 6"),
    ("z i; f(x)=1, f=2", 1, 14, "second assignment of f", "expected one"),
    ("z i; z1=3", 1, 6, "z1, which is a coordinate", "°value"),
    ("z i; sin=3", 1, 6, "sin =", "expected a name"),
    ("z i; t=2", 1, 6, "t =", "expected a name"),
    ("z(t)", 1, 3, "t as a coordinate's name", "expected another name"),
    ("i z(\n m1)", 2, 2, "'m1' has the default name of a parameter", "expected another name"),
    ("z(z2) z", 1, 7, "second coordinate 'z2'", "the default name of this letter"),
    ("2*z i", 1, 1, "the factor '2*' before the coordinate 'z'", "expected at most a sign"),
    ("u(x)(y)", 1, 5, "a second '('", "expected one (name)"),
    ("u(1+2)", 1, 1, "no coordinate in the brackets", "expected (name)"),
    ("zi(a)(u)^2", 1, 6, "'('", "the bracket of a repetition follows a blank"),
    ("u°1°2", 1, 4, "a second '°'", "one initial position"),
    ("i°3", 1, 2, "'°'", "expected a coordinate u…z before it"),
    ("z $2 i\"(1)", 1, 7, "'\"'", "expected a coordinate u…z before it"),
    ("z g-y i", 1, 7, "'i' after gravity", "no transformation may follow gravity"),
    ("z g9.81-y {1,2}", 1, 11, "after gravity", "write g last"),
    ("z g > z g", 1, 9, "a second gravity", "a text has one g"),
    ("z i gl", 1, 6, "'l' after g", "expected an axis i j k u v w x y z"),
    ("z i g{0,0,0}", 1, 5, "zero length", "expected three numbers"),
    ("z i g(G){a,0,0}", 1, 5, "direction of gravity", "expected three numbers"),
    ("z i >", 1, 5, "nothing stands before the end of the chain", "expected a body"),
    ("z > > z", 1, 3, "nothing stands before '>'", "expected a body"),
    ("z i \\", 1, 5, "an empty chain", "expected a body"),
    ("#0", 1, 1, "nothing stands", "expected a body"),
    ("z #0", 1, 3, "#0 as the name of a body", "the fixed frame"),
    ("z i #a #b", 1, 8, "a second name", "a name ends its body"),
    ("z i #a j", 1, 8, "an item after the body's name", "expected a separator or g"),
    ("z $1 $2", 1, 6, "a second mass", "expected one"),
    ("z [] []", 1, 6, "a second inertia", "expected one"),
    ("z $1 {1,2} [] {0,1}", 1, 15, "a second centre of mass", "expected one"),
    ("z [1,2]", 1, 3, "2 values of inertia", "expected none, 3 or 6"),
    ("z {1}", 1, 3, "1 value in braces", "expected 2 or 3"),
    ("z {}", 1, 3, "'{}'", "only a centre of mass may be empty"),
    ("z i; {1,2}", 1, 6, "'{'", "a centre of mass follows [] or $"),
    ("z i; []{} []", 1, 11, "a second inertia", "expected one"),
    ("z (z #a)^2", 1, 6, "a name or connector in a repetition", "may be repeated"),
    ("(z i)^0", 1, 7, "0 repetitions", "expected a whole number from 1"),
    ("(z i)^1.5", 1, 7, "1.5 repetitions", "expected a whole number from 1"),
    ("(z i >)^9999999 z", 1, 1, "9,999,999 repetitions of 3 items", "more than 200,000 in all"),
    ("((z >)^1000 i)^1000 z", 1, 1, "1,000 repetitions", "more than 200,000 in all"),
    ("z i < #0", 1, 5, "'<' without a connector", "#a :(L) {1,0} < #b"),
    ("z i #a \\ #a :(1) > z", 1, 18, "'>' after a connector", "begin another with '\\'"),
    ("z #a \\ #a :(1) = z", 1, 16, "a second connector", "expected one per chain"),
    ("z i #a \\ #a z :(1) < #0", 1, 13, "the coordinate 'z' in the offset", "may stand before '='"),
    ("z i #a \\ #a = z < #0", 1, 15, "a coordinate at the right of a connector", "constant shifts"),
    ("z i #a \\ #a z\"2 = < #0", 1, 14, "a cut joint's coordinate", "expected none"),
    ("z i #a \\ #a {1,0} :(1) < #a", 1, 19, "a rod from the body 'a' to itself", "name two"),
    ("z i #a \\ :(1) {1,0}", 1, 10, "a rod from the fixed frame to itself", "name two"),
    ("z i #a \\ #a i(t) :(1) < #0", 1, 13, "found t in the offset", "expected a fixed point"),
    ("z i #a \\ #a :(t) < #0", 1, 15, "found t", "expected numbers and parameters"),
    ("z\"(z'')", 1, 4, "the acceleration z''", "their rates and t"),
    ("z i(z1)", 1, 5, "the coordinate z1", "expected numbers, parameters and t"),
    ("z°(z1)", 1, 4, "the coordinate z1", "expected numbers and parameters"),
    ("z $(t)", 1, 5, "found t", "takes momentum with it"),
    ("z $(f(t)); f(t) = 2 t", 1, 7, "found t", "takes momentum with it"),
    ("z $(z1)", 1, 5, "the coordinate z1", "takes momentum with it"),
    ("z i(@)", 1, 5, "found @", "the length of a bipolar element"),
    ("z i(q')", 1, 5, "found q'", "a prime stands only on coordinates and on @"),
    ("z\"(f(1)); f(x)=x'", 1, 16, "found x': an argument has no rate", "the arguments of the function"),
    ('z #a \\ #a :"(z1 @) {1,0}', 1, 14, "the coordinate z1", "expected parameters, t, @ and @'"),
    ('z"(z(2))', 1, 4, "z is a coordinate", "write z*(…)"),
    ("z(a) i > z( a)", 1, 13, "second coordinate 'a'", "name one of them otherwise"),
    ('z"(k(z)) i(k)', 1, 4, "'k' is called as a function here, but is a number in line 1, column 12", "k*(z)"),
    ('z"(-k(z1-0.2)) i ; k=5', 1, 5, "is a number in line 1, column 20", "for a product write k*(z1 - 0.2)"),
    ('z"(m1(z)) i', 1, 4, "but is a number in line 1, column 1", "for a product write m1*(z)"),
    ('z"(f(z,t)); f=2', 1, 4, "'f' is called as a function here", "expected one meaning"),
    ('z i(f); f(x)=x', 1, 5, "'f' is used as a number and defined as a function", "expected one meaning"),
    ('z"(f(1)+f(1,2))', 1, 9, "2 arguments here", "expected 1"),
    ('z"(f(1)); f(x,y)=x', 1, 4, "1 argument here", "expected 2"),
    ('z"(f(1)); f(x)=x t', 1, 18, "found t", "the arguments of the function"),
    ("z i; g-y a=2", 1, 10, "'a'", "assignments stand after a ';'"),
    ("z i; a=2, z", 1, 11, "'z'", "name ="),
    ("z i; #a", 1, 6, "'#'", "name ="),
    ('u"(1/2 m u)', 1, 8, "'m'", "an implicit product after '/' is ambiguous"),
    ('u"(sin^2 u)', 1, 7, "'^'", "write sin(…)^2"),
    ('u"(u 2)', 1, 6, "'2'", "a number may only start an implicit product"),
    ("z i(1e9999)", 1, 5, "1e9999", "out of range"),
    ("z i(1,2)", 1, 6, "','", "or ')'"),
    ("z i; JK(t = 2", 1, 8, "the end", "expected ')'"),
    ('u"(x²)', 1, 4, "'x²' is no name", "letters, digits and _"),
    ("", 1, 1, "empty", "expected a model"),
    ("  \n \t\n", 1, 1, "empty", "expected a model"),
    (" % only a comment", 1, 1, "only comments", "expected a model"),
    (";g", 1, 1, "no body", "expected at least one"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line", "column", "found", "expected"), BAD)
def test_refusals(text, line, column, found, expected):
    with pytest.raises(ReadError) as caught:
        read_text(text, "bad.mbsd")
    finding = caught.value.diagnostics[0]
    said = f"{finding.message} ({finding.remedy})"
    assert finding.severity == "error"
    assert str(finding.location) == f"bad.mbsd:{line}:{column}"
    assert found in said
    assert expected in said


def test_all_findings_of_a_text_come_at_once():
    text = "z $(q') #a > y°1°2 #a\n\\ #b z\n; a = 1/0, sin = 2"
    with pytest.raises(ReadError) as caught:
        read_text(text, "bad.mbsd")
    places = [(d.location.line, d.location.column) for d in caught.value.diagnostics]
    assert places == [(1, 5), (1, 17), (1, 20), (2, 3), (3, 7), (3, 12)]


def test_a_bad_byte_has_its_place():
    with pytest.raises(ReadError) as caught:
        read_bytes(b"z i\n> z \xff", "bad.mbsd")
    assert str(caught.value.diagnostics[0].location) == "bad.mbsd:2:5"


@pytest.mark.parametrize(
    "text",
    [
        "(" * 1_000_000,
        "z i" + "(" * 1_000_000,
        "z i" + "(" * 500_000 + "1" + ")" * 500_000,
        "z " + "[" * 1_000_000,
        "z i(" + "-" * 100_000 + ")",
        "z" + ")" * 1_000_000,
        "z $" + "9" * 1_000_000,
        "(((((((((z i)^99)^99)^99)^99)^99)^99)^99)^99)^99",
    ],
    ids=["open", "value", "nested", "square", "signs", "closing", "digits", "towers"],
)
def test_hostile_texts_are_refused_in_seconds(text):
    with at_most(30), pytest.raises(ReadError) as caught:
        read_text(text, "bad.mbsd")
    assert caught.value.diagnostics[0].location is not None
