"""A file printed with six digits is the same machine to these digits; what a digit does not explain is not."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from random import Random

import pytest

import mbconcord
from mbconcord.validation.explain.digits import half_unit, read_printed
from mbconcord.validation.explain.fields import LumpedPair
from mbconcord.validation.explain.search import compare_fields, pair_groups
from mbconcord.validation.judge.matching import match

from .chains import links, write_urdf

Links = list[dict[str, str]]
FIELDS = ("mass", "centre", "diagonal", "products", "origin", "rpy")


def all_digits() -> Links:
    """The links with numbers of 17 digits, and a damping."""
    random = Random(3)
    found = []
    for link in links(damping="0.3"):
        longer = {name: " ".join(_longer(x, random) for x in link[name].split()) for name in (*FIELDS, "damping")}
        found.append(link | longer)
    return found


def _longer(number: str, random: Random) -> str:
    return f"{float(number) * random.uniform(0.8, 1.2):.17g}" if float(number) else number


def round_numbers(text: str, digits: int) -> str:
    """The text with every number of its attributes in so many digits."""
    return re.sub(r'(?<=[" ])-?\d+\.\d+(e-?\d+)?(?=[" ])', lambda found: f"{float(found[0]):.{digits}g}", text)


def compare(a: str, b: str) -> mbconcord.results.Comparison:
    return mbconcord.compare(*(mbconcord.read(text=text, format="urdf") for text in (a, b)), states=4)


FULL = write_urdf(all_digits())


@pytest.mark.slow
@pytest.mark.parametrize("digits", [5, 6, 7])
def test_a_file_of_fewer_digits_is_the_same_to_these_in_both_orders(digits: int) -> None:
    short = round_numbers(FULL, digits)
    for pair in ((FULL, short), (short, FULL)):
        found = compare(*pair)
        assert (found.verdict, found.stands) == ("agrees to digits", True), str(found)
        head = rf"the same machine to the digits printed \({digits}\), the coarsest: mass [\d.]+ of l\d"
        assert re.fullmatch(head, found.headline)
        assert found.printed and all(x <= bound for x, bound in found.printed.parts.values())
        assert found.to_json()["printed"]["digits"] == digits
        assert "decided by" not in str(found) and "within the digits printed" in str(found)


def unit(text: str, digits: int) -> float:
    """A unit of the last of so many digits of a number."""
    return 2 * float(half_unit(float(text), digits))


def heavier(units: float) -> Callable[[Links], Links]:
    def change(given: Links) -> Links:
        mass = float(f"{float(given[1]['mass']):.6g}")
        given[1]["mass"] = repr(mass + units * unit(given[1]["mass"], 6))
        return given

    return change


def with_field(name: str, edit: Callable[[str], str]) -> Callable[[Links], Links]:
    def change(given: Links) -> Links:
        given[2][name] = edit(given[2][name])
        return given

    return change


#: what is changed before the file is printed with six digits
PLANTED = {
    "a mass by two units of the sixth digit": heavier(2),
    "a damping by two units": with_field("damping", lambda x: f"{float(f'{float(x):.6g}') + 2 * unit(x, 6)!r}"),
    "a reversed axis": with_field("axis", lambda x: "-1 0 0"),
    "a product of the other sign": with_field("products", lambda x: f"-{x}".replace("--", "")),
    "a centre": with_field("centre", lambda x: x.replace("-", "", 1)),
    "a turn by 1e-4": with_field("rpy", lambda x: f"{float(x.split()[0]) + 1e-4!r} {' '.join(x.split()[1:])}"),
    "an origin by 0.1 mm": with_field("origin", lambda x: f"{float(x.split()[0]) + 1e-4!r} {' '.join(x.split()[1:])}"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PLANTED)
def test_what_the_digits_do_not_explain_is_another_machine(name: str) -> None:
    found = compare(FULL, round_numbers(write_urdf(PLANTED[name](all_digits())), 6))
    assert (found.verdict, found.printed) == ("disagrees", None)
    a, b = found.sources
    known = tuple(read_printed(source.text, source.format) for source in (a, b))
    table = compare_fields(a.system, b.system, found.matching, 0, 4, known)
    assert table and table.is_whole and table.digits == 6 and len(table.rows) == 1, str(table)
    assert f"is within the digits printed (6; bound {table.noise:.2g})" in str(table)


def test_a_file_that_was_typed_is_exact() -> None:
    """Numbers of four digits or fewer are taken as they are."""
    assert compare(FULL, round_numbers(FULL, 4)).verdict == "disagrees"


def test_digits_are_those_of_numbers() -> None:
    text = '<robot name="12345678"><!-- 3.14159265 --><a xyz="0.025 1e-7 1200000" other="mesh 1.2345678"/></robot>'
    found = read_printed(text, "urdf")
    assert found is not None and found.digits == 8  # a name of digits makes it stricter
    assert read_printed(text.replace("12345678", "r"), "urdf") == type(found)(2, found.turn)
    assert read_printed("z i g", "mbsd") is None
    assert half_unit(0.00999999999, 6) == pytest.approx(half_unit(0.0100000, 6))
    assert half_unit(0.0, 6) == 0


#: What MuJoCo saves with six digits: quaternions, a joint's ref, springs about a length at rest, servos.
SPRINGS = """<mujoco><compiler angle="radian"/><worldbody>
  <body name="b0" pos="0.24580334 -0.48357411 0.59038712" quat="0.54731712 0.29675845 0.52242231 -0.58262743">
    <joint name="j0" type="slide" axis="-0.66046312 -0.24676151 0.70915244" ref="0.27595912" stiffness="1.2621154"
      springref="-0.38946615" damping="0.24933112" armature="0.073118412"/>
    <inertial pos="-0.036739612 -0.1271704 0.14698415" mass="1.4735921" diaginertia="0.41837512 0.34897845 0.27782551"/>
    <body name="b1" pos="-0.98937434 0.54718741 0.92025412" quat="-0.56620012 -0.56513644 -0.31576412 -0.51022744">
      <joint name="j1" axis="0.68660912 -0.17239444 -0.70629212" pos="0.98936112 -0.54717244 0" ref="-0.31833112"
        stiffness="4.8742312" springref="-0.24249744" damping="0.26381245" armature="0.033185412"/>
      <inertial pos="0.1269644 0.0344565 0.038391612" mass="2.2691944" diaginertia="0.36046712 0.33149144 0.2807861"/>
    </body></body></worldbody>
  <actuator><position joint="j0" kp="81.786312" kv="1.6957712"/></actuator></mujoco>"""
#: A servo, and the words in which MuJoCo saves it.
SERVO = r'<position joint="j0" kp="([^"]*)" kv="([^"]*)"/>'
SAVED = r'<general joint="j0" input="pos" biastype="affine" gainprm="\1" biasprm="0 -\1 -\2"/>'


def save(text: str) -> str:
    """The model as MuJoCo saves it: quaternions and axes of unit length, six digits."""

    def unit(found: re.Match[str]) -> str:
        numbers = [*map(float, found[2].split())]
        length = sum(x * x for x in numbers) ** 0.5
        return f'{found[1]}="{" ".join(f"{x / length:.9f}" for x in numbers)}"'

    text = re.sub('(quat|axis)="([^"]*)"', unit, text)
    return round_numbers(re.sub(SERVO, SAVED, text), 6)


def compare_mjcf(a: str, b: str) -> mbconcord.results.Comparison:
    return mbconcord.compare(*(mbconcord.read(text=text, format="mjcf") for text in (a, b)), states=4)


@pytest.mark.slow
def test_quaternions_references_and_springs_of_six_digits_are_the_same() -> None:
    found = compare_mjcf(SPRINGS, save(SPRINGS))
    assert found.verdict == "agrees to digits", found.why(0)
    assert found.headline.startswith("the same machine to the digits printed (6)")


@pytest.mark.slow
def test_numbers_of_a_typed_file_are_exact_and_those_of_its_save_are_rounded() -> None:
    typed = round_numbers(SPRINGS, 4)
    assert compare_mjcf(typed, save(typed)).verdict == "agrees to digits"
    assert compare_mjcf(typed, save(typed).replace('mass="2.269"', 'mass="2.26901"')).verdict == "disagrees"


TENDON = """<tendon><fixed name="t" stiffness="2" damping="0.5" springlength="0.1"><joint joint="j0" coef="1.5"/>
  <joint joint="j1" coef="1"/></fixed></tendon></mujoco>"""


@pytest.mark.slow
def test_forces_that_are_no_linear_laws_of_a_coordinate_agree_entirely() -> None:
    text = SPRINGS.replace("</mujoco>", TENDON)
    short = save(text)
    assert compare_mjcf(text, short).verdict == "agrees to digits"
    assert compare_mjcf(text, short.replace('coef="1.5"', 'coef="1.500001"')).verdict == "disagrees"


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        ('ref="-0.318331', 'ref="-0.318371'),
        ('springref="-0.389466', 'springref="-0.389476'),
        ('stiffness="4.87423', 'stiffness="4.87425'),
        ('gainprm="81.7863" biasprm="0 -81.7863', 'gainprm="81.7863" biasprm="0 -81.7866'),
        ('pos="0.12696', 'pos="0.12700'),
    ],
    ids=lambda change: change[1],
)
def test_what_half_units_of_references_and_springs_do_not_explain_differs(change: tuple[str, str]) -> None:
    short = save(SPRINGS)
    assert change[0] in short
    assert compare_mjcf(SPRINGS, short.replace(*change)).verdict == "disagrees"


@cache
def chain_of_seven() -> str:
    """A chain whose numbers have 17 digits, with a reference in every hinge."""
    random = Random(7)

    def draw(*sizes: float) -> str:
        return " ".join(f"{size * random.uniform(0.5, 0.9):.17g}" for size in sizes)

    text = ""
    for i in reversed(range(7)):
        text = f"""<body name="b{i}" pos="{draw(0.1, -0.2, 0.3)}" quat="{draw(0.9, 0.3, -0.4, 0.5)}">
<joint name="j{i}" axis="{draw(0.4, 0.9, -0.3)}" pos="{draw(0.02, 0.01, -0.03)}" ref="{draw(0.4)}"/>
<inertial pos="{draw(0.05, 0.03, 0.1)}" mass="{draw(3)}" diaginertia="{draw(0.03, 0.035, 0.025)}"/>{text}</body>"""
    gravity = f'<option gravity="{draw(0.1, 0.2, -15)}"/>'
    return f'<mujoco><compiler angle="radian"/>{gravity}<worldbody>{text}</worldbody></mujoco>'


def move_last_digit(text: str, field: str, units: int, which: int = 0) -> str:
    """The text with the first number of a field moved by units of its sixth digit."""
    found = [*re.finditer(rf'\b{field}="([^" ]+)', text)][which]
    number = f"{float(found[1]) + units * unit(found[1], 6):.6g}"
    return text[: found.start(1)] + number + text[found.end(1) :]


@cache
def pair_of(whole: str, short: str) -> LumpedPair:
    """Both texts as groups at drawn states."""
    a, b = (mbconcord.read(text=text, format="mjcf").system for text in (whole, short))
    found = pair_groups(a, b, match(a, b), 0, 0, (read_printed(whole, "mjcf"), read_printed(short, "mjcf")))
    assert found and found.room
    return found


FIELDS_OF_A_LINK = ("pos", "quat", "axis", "ref", "mass", "diaginertia", "gravity")


@pytest.mark.slow
@pytest.mark.parametrize("field", FIELDS_OF_A_LINK)
def test_one_number_does_not_take_the_room_of_a_chain(field: str) -> None:
    whole = chain_of_seven()
    short = save(whole)
    pair = pair_of(whole, short)
    assert pair.is_printed(pair.a, pair.b)
    for which in {"gravity": (0,), "pos": (9, 10, 11)}.get(field, (3, 6)):  # of a body, its joint, its inertia
        moved = pair_of(whole, move_last_digit(short, field, 6, which))
        assert not moved.is_printed(moved.a, moved.b), which
        assert moved.room and moved.room.unlike(moved.a, moved.b)


@pytest.mark.slow
@pytest.mark.parametrize("other", ["2.22346", "1.22346"])
def test_a_small_tensor_of_a_heavy_body_is_one_field_however_far(other: str) -> None:
    """What a mass of 3 t has of room is no room of a tensor, whose frame both files share."""
    tensor, mass = "1.1234567890123e-05 1.2345678901234e-05 1.3456789012345e-05", "2987.1234567890123"
    whole = chain_of_seven()
    for field, number in (("diaginertia", tensor), ("mass", mass)):
        head, _, rest = whole.rpartition(f' {field}="')
        whole = f'{head} {field}="{number}"{rest.partition(chr(34))[2]}'
    short = save(whole)
    assert short.count('"1.12346e-05 ') == 1
    for number, unlike in (("1.12346", []), (other, ["tensor of body of j6"])):
        pair = pair_of(whole, short.replace("1.12346e-05", f"{number}e-05"))
        assert pair.room and pair.room.unlike(pair.a, pair.b) == unlike
        assert pair.is_printed(pair.a, pair.b) == (not unlike)


@pytest.mark.slow
def test_a_reference_off_by_six_units_in_a_chain_is_another_machine() -> None:
    whole = chain_of_seven()
    found = compare_mjcf(whole, move_last_digit(save(whole), "ref", 6, 3))
    assert (found.verdict, found.printed) == ("disagrees", None)
    a, b = found.sources
    known = tuple(read_printed(source.text, source.format) for source in (a, b))
    table = compare_fields(a.system, b.system, found.matching, 0, 4, known)
    assert table and [line.place for row in table.rows for line in row.lines] == ["j3"] and table.digits == 6


def driven(actuators: str) -> str:
    """Return an arm of two links with a site, whose actuators have controls of zero."""
    box, ends = '<geom type="box" size=".1 .2 .3" mass="1"/>', "</body></body></worldbody>"
    first = f'<mujoco><worldbody><body><joint name="j" axis="0 0 1"/>{box}'
    second = f'<body pos="1 0 0"><joint name="k" axis="0 1 0"/>{box}<site name="s" pos="0 .5 0"/>'
    return f"{first}{second}{ends}<actuator>{actuators}</actuator></mujoco>"


#: Actuators of A and of B -> whether they are the same to the digits printed.
DRIVEN = [
    ('<motor name="m" joint="j" gear="1"/>', '<motor name="m" joint="j" gear="150.25"/>', False),
    ('<motor name="m" joint="j" gear="1"/>', '<motor name="m" joint="j" gear="1.0001"/>', False),
    ('<motor name="m" joint="j" gear="-7.12345"/>', '<motor name="m" joint="j" gear="7.12345"/>', False),
    ('<motor name="m" joint="j" gear="7.12345"/>', '<motor name="m" joint="k" gear="7.12345"/>', False),
    ('<motor name="m" site="s" gear="1 0 0 0 0 0"/>', '<motor name="m" site="s" gear="3.12345 0 0 0 0 0"/>', False),
    (
        '<motor name="m" joint="j"/><motor name="n" joint="k" gear="2.12345"/>',
        '<motor name="n" joint="j"/><motor name="m" joint="k" gear="2.12345"/>',
        False,
    ),
    ('<motor name="m" joint="j" gear="23.7012345678901"/>', '<motor name="m" joint="j" gear="23.7012"/>', True),
    ('<position name="m" joint="j" kp="23.7012345678901"/>', '<position name="m" joint="j" kp="23.7012"/>', True),
]


@pytest.mark.parametrize(("a", "b", "same"), DRIVEN)
def test_what_inputs_would_do_is_compared_though_they_rest(a: str, b: str, same: bool) -> None:
    """With gears 1 and 150.25 the machines were the same to the digits printed: controls are zero."""
    pair = [mbconcord.read(text=driven(text), format="mjcf") for text in (a, b)]
    for each in (pair, pair[::-1]):
        assert mbconcord.compare(*each, states=4).verdict == ("agrees to digits" if same else "disagrees")
