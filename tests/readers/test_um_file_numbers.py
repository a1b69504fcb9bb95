"""Files beside UM's input.dat, byte by byte and line by line: states, parameters, settings, code pages."""

from __future__ import annotations

from fractions import Fraction

import pytest

from mbconcord.converters import registry
from mbconcord.converters.um.beside import model_name, read_par, read_parameters, read_vectors, read_xv
from mbconcord.converters.um.configuration import Integrator, read_icf
from mbconcord.model.diagnostics import MbconcordError

from .seen import differences, read, seen
from .um_texts import HEAD, comm, et, text

#: Doubles by IEEE 754, little-endian: 1 is 3ff0…, 2 is 4000…, 3 is 4008…, -0.5 is bfe0…, 0.75 is 3fe8…, 1.5 is 3ff8….
ONE, TWO, THREE = "000000000000f03f", "0000000000000040", "0000000000000840"
HALF_BACK, THREE_QUARTERS, ONE_AND_HALF = "000000000000e0bf", "000000000000e83f", "000000000000f83f"


def xv(count: str, *doubles: str) -> bytes:
    return b"xv" + count.encode() + bytes.fromhex("".join(doubles))


STATES = [
    (xv("0"), [], []),
    (xv("1", THREE, HALF_BACK), [3], [-0.5]),
    (xv("3", ONE, TWO, THREE, HALF_BACK, THREE_QUARTERS, ONE_AND_HALF), [1, 2, 3], [-0.5, 0.75, 1.5]),
    (xv("10", *[ONE] * 9, TWO, *[THREE] * 10), [*[1] * 9, 2], [3] * 10),
    # a first number whose first byte is the digit 0: 1 + 48/2⁵² is 3ff0 0000 0000 0030
    (xv("1", "300000000000f03f", TWO), [1 + 48 / 2**52], [2]),
]


@pytest.mark.parametrize(("data", "q", "v"), STATES)
def test_an_xv_file_is_these_numbers(data, q, v):
    found = read_xv(data)
    assert (found.q.tolist(), found.v.tolist()) == (q, v)


def test_the_numbers_of_an_xv_file_are_those_of_the_coordinates_in_order():
    model = read(text(comm(*(et("tv", axis) for axis in ("1,0,0", "0,1,0", "0,0,1")))), "um")
    state = read_xv(STATES[2][0]).state(model)
    assert (state.q, state.v) == ({"q1": 1, "q2": 2, "q3": 3}, {"q1": -0.5, "q2": 0.75, "q3": 1.5})
    with pytest.raises(MbconcordError):
        read_xv(STATES[1][0]).state(model)


@pytest.mark.parametrize(
    "data",
    [
        b"vx0",
        b"xv",
        xv("1", ONE),
        xv("1", ONE, TWO, THREE),
        xv("01", ONE, TWO),
        xv("1", "000000000000f07f", ONE),  # infinite
        xv("1", ONE, "000000000000f87f"),  # not a number
    ],
)
def test_other_bytes_are_no_state(data):
    with pytest.raises(MbconcordError):
        read_xv(data)


def test_a_par_file_is_these_numbers():
    found = read_par("par\nm1 = 2.5\n\nFL.p1=-5.E-2\r\n k = 1e3 \nz = 0\nd = .1")
    expected = {"m1": Fraction(5, 2), "FL.p1": Fraction(-1, 20), "k": 1000, "z": 0, "d": Fraction(1, 10)}
    assert list(found.items()) == list(expected.items())
    names = {"m1": "m1", "FL.p1": "FL_p1", "t": "t_", "S.U.a": "S_U_a", "pi": "pi_", "1a": "_1a"}
    assert {name: model_name(name) for name in names} == names


def test_files_beside_a_model_are_its_state_and_its_values():
    assert read_parameters(b"par\nFL.p1 = 2\nm = -3\n", "a.par") == {"FL_p1": 2, "m": -3}
    with pytest.raises(MbconcordError):
        read_parameters(b"par\nFL.p1 = 2\nFL_p1 = 3\n", "a.par")
    model = read(text(comm(et("tv", "1,0,0"))), "um")
    state = read_vectors(STATES[1][0], "a.xv").to_state(model)
    assert (state.q, state.v, state.t) == ({"q1": 3}, {"q1": -0.5}, 0)


@pytest.mark.parametrize("line", ["m1 2.5", "m1 =", "= 2", "m1 = inf", "m1 = nan", "m1 = 2,5", "a = 1\na = 2"])
def test_other_lines_are_no_parameters(line):
    with pytest.raises(MbconcordError):
        read_par(f"par\n{line}\n")


def test_an_icf_file_is_these_settings():
    text = (
        "icf\n$ Configuration of object legs\nwith integr;\n"
        " tout = 1.000E+0001; step=2.500E-0002; h=3; error=1.0E-0006; "
        "method = park; jacobian=true;\nwith solvers; step=9;\nwith end;\n"
    )
    found = read_icf(text)
    assert found.integrator == Integrator(10.0, 0.025, 3.0, 1e-6, "park", True)
    assert read_icf(text.replace("true", "false")).integrator.jacobian is False
    assert read_icf("icf\nwith integr; step=; h=2;\nwith end;\n").integrator == Integrator(h=2.0)
    for wrong in (
        "with integr; h=2;\nwith end;\n",
        text.replace("=3", "=inf"),
        text.replace("=3", "=x"),
        text.replace("true", "yes"),
    ):
        with pytest.raises(MbconcordError):
            read_icf(wrong)


NAMES = [
    ("Схват", "utf-8"),
    ("Схват", "cp1251"),
    ("СХВАТ «№ 1»", "cp1251"),
    ("悬架", "utf-8"),
    ("悬架", "gbk"),
    ("B", "ascii"),
    ("Схват", "utf-8-sig"),
]


@pytest.mark.parametrize(("name", "page"), NAMES)
def test_names_in_every_code_page(name, page):
    source = text(comm(et("tv", "0,1,0", "3")), head=HEAD).replace('"B"', f'"{name}"')
    found = seen(registry.read_bytes(source.encode(page), "-", "um").system, {}, "um")
    expected = {"coordinates": "q1", "bodies": name, f"{name}.mass": 7, f"{name}.at": (0, 3, 0), "q1.q": 3}
    assert differences(found, {**expected, "a.given": 2, "b.given": 1.5}) == []
