"""Small certificates written by hand: what is proved, what is refused, and by which words."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

VECTORS: Final = Path(__file__).parent / "vectors"


def seal(text: str) -> bytes:
    """Return a text with its sum below it."""
    return f"{text}sum {hashlib.sha256(text.encode()).hexdigest()}\n".encode()


def unseal(data: bytes) -> str:
    """Return a certificate without its sum."""
    return data[: data.rindex(b"sum ")].decode()


def cut_at_lines(data: bytes) -> Iterator[bytes]:
    """Yield a certificate that ends after each of its lines but the last, each with a right sum."""
    lines = unseal(data).splitlines(keepends=True)
    return (seal("".join(lines[:k])) for k in range(len(lines)))


def edit_characters(data: bytes, added: int) -> Iterator[tuple[int, str]]:
    """Yield a certificate with another character at each of its places, and the place."""
    text = unseal(data)
    for k, letter in enumerate(text):
        yield k, text[:k] + chr(32 + (ord(letter) - 32 + added) % 95) + text[k + 1 :]


def write(*lines: str) -> bytes:
    """Return a certificate of these lines; a semicolon ends a line too."""
    return seal("".join(f"{line.strip()}\n" for line in ("mbcert 1", *(";".join(lines).split(";")))))


def pair(first: str, second: str, coordinates: str = "x y") -> bytes:
    """Return a certificate without mechanics, of two programs whose last steps are all entries of h."""
    size = len(coordinates.split())
    programs = (
        f"program {name} m; {lines}; out h {' '.join([str(lines.count(';'))] * size)}; end"
        for name, lines in (("a", first), ("b", second))
    )
    return write("model m", f"coordinates {coordinates}", "end", *programs)


def of_high_degree(number: str, divisors: int = 260) -> bytes:
    """Return two equal programs of a degree that leaves a bound between 2^-118 and 2^-64, which name a number."""
    lines = (f"+ 2 {k}; / 0 {k + 1}; + 3 {k + 2}" for k in range(4, 3 * divisors, 3))
    steps = "; ".join(("v x; v y; / 0 1; n 1; + 2 3", *lines))
    return pair(f"{steps}; n {number}; v x", f"{steps}; n {number}; v x")


def write_difference(first: str, second: str, amount: str) -> bytes:
    """Return a certificate of a difference of two programs at x = 1/2."""
    programs: Sequence[str] = [
        f"program {name} m; {lines}; out h {lines.count(';')}; end" for name, lines in (("a", first), ("b", second))
    ]
    return write("model m; coordinates x; end", *programs, f"state x=1/2; differs h 1 a b {amount}")


SLIDER: Final = "model m; coordinates x; body a ground; shift 1 0 0 1 x; mass 3 0 0 0; {}; end"
MASS: Final = "program p m; n 3; n 0; out M 0; out h 1; {}; end"
PLANE: Final = (
    "model m; coordinates x y; body a ground; shift 1 0 0 1 x; shift 0 1 0 1 y; mass 1 0 0 0; body b ground; {}; end"
)
#: What is proved: name -> (certificate, a line that is said).
PROVED: Final[dict[str, tuple[bytes, str]]] = {
    "double angle": (pair("s 2 x", "s 1 x; c 1 x; n 2; * 0 1; * 3 2"), "h: a = b"),
    "half angles": (pair("n 1", "s 1/2 x 1/3 y; c 1/2 x 1/3 y; * 0 0; * 1 1; + 2 3"), "h: a = b"),
    "quarters": (pair("s 1 x", "c 1 x -1/2 pi"), "h: a = b"),
    "three quarters": (pair("c 1 x", "n 0; s 1 x 3/2 pi; - 0 1"), "h: a = b"),
    "angle of a value": (pair("v x; n 1; * 0 1; s 1 #2", "v x; n 0; - 1 0; n 0; s 1 #2; - 3 4"), "h: a = b"),
    "roots of many numbers": (
        pair("n 15015", "n 3; r 0; n 5; r 2; n 7; r 4; n 11; r 6; n 13; r 8; * 1 3; * 5 7; * 10 11; * 12 9; ^ 13 2"),
        "h: a = b",
    ),
    "roots of numbers": (pair("n 36", "n 2; r 0; n 3; r 2; * 1 3; ^ 4 2; * 5 5"), "h: a = b"),
    "roots of values": (pair("v x; v y; + 0 1; r 2", "v y; v x; + 0 1; r 2"), "h: a = b"),
    "functions of equal values": (pair("v x; f tanh 0", "v x; n 2; * 0 1; / 2 1; f tanh 3"), "h: a = b"),
    "an odd sign": (pair("v x; f sign 0", "n 0; v x; - 0 1; f sign 2; - 0 3"), "h: a = b"),
    "fractions of pi are even": (pair("c -1/5 pi", "c 1/5 pi"), "h: a = b"),
    "fractions of pi are odd": (pair("s -1/9 pi", "s 1/9 pi; n 0; - 1 0"), "h: a = b"),
    "a fraction and its rest": (pair("c 2/5 pi", "s 1/10 pi"), "h: a = b"),
    "a fraction of pi beside a symbol": (pair("s 1 x 1/7 pi", "s 1 x -6/7 pi; n 0; - 1 0"), "h: a = b"),
    "five fifths": (
        pair("c 1/5 pi; ^ 0 5; n 16; * 1 2; ^ 0 3; n 20; * 4 5; - 3 6; n 5; * 8 0; + 7 9", "n -1"),
        "h: a = b",
    ),
    "the golden section": (pair("c 1/5 pi", "n 5; r 0; n 1; + 1 2; n 4; / 3 4"), "h: a = b"),
    "sines of twelfths": (pair("s 1/12 pi", "n 3; r 0; n 1; - 1 2; n 2; r 4; * 3 5; n 4; / 6 7"), "h: a = b"),
    "a root that the period has": (
        pair("s 1/7 pi; s 2/7 pi; s 3/7 pi; * 0 1; * 3 2; n 8; * 4 5", "n 7; r 0"),
        "h: a = b",
    ),
    "coordinates in another order": (
        write(
            "model a; coordinates x y; body p ground; shift 1 0 0 1 x; mass 1 0 0 0; body q ground; shift 1 0 0 1 y;"
            " mass 2 0 0 0; effort x 5; effort y 7; end; match b u=y v=x; model b; coordinates u v; body p ground;"
            " shift 1 0 0 1 v; mass 1 0 0 0; body q ground; shift 1 0 0 1 u; mass 2 0 0 0; effort u 7; effort v 5; end",
            "program pa a; n 1; n 2; n 0; out M 0 2; out M 2 1; end",
            "program pb b; n 2; n 1; n 0; out M 0 2; out M 2 1; end",
        ),
        "M: mechanics of both models (a, b) = pa = pb",
    ),
    "powers": (pair("v x; ^ 0 3", "v x; * 0 0; * 1 0"), "h: a = b"),
    "numbers": (pair("n 0.125", "n 12500e-5"), "h: a = b"),
    "quotients": (pair("v x; v y; / 0 1", "v y; v x; n 1; / 2 0; * 3 1"), "h: a = b"),
    "effort": (
        write(SLIDER.format("v k; v x; * 0 1; effort x #2"), MASS.format("v k; v x; * 2 3; out applied 4")),
        "applied: mechanics of m = p",
    ),
    "armature": (write(SLIDER.format("armature 2 x 3"), "program p m; n 21; out M 0; end"), "M: mechanics of m = p"),
    "force": (write(SLIDER.format("force a 5 6 7"), MASS.format("n 5; out applied 2")), "applied: mechanics of m = p"),
    "force on a link that turns": (
        write(
            "model m; coordinates x; body a ground; turn 0 0 1 1 x; shift 1 0 0 2 1; force a 5 6 7; end",
            "program p m; c 1 x; n 12; * 0 1; s 1 x; n 10; * 3 4; - 2 5; out applied 6; end",
        ),
        "applied: mechanics of m = p",
    ),
    "moment in the axes of the frame": (
        write(
            "model m; coordinates x y; body a ground; turn 0 0 1 1 x; turn 1 0 0 1 y; moment a 0 1 0; end",
            "program p m; s 1 y; n 0; out applied 0 1; end",
        ),
        "applied: mechanics of m = p",
    ),
    "spring": (
        write(
            SLIDER.format("body b ground 0 1 0; length @1 a b; v @1; n 2; - 0 1; v k; * 2 3; n 0; - 5 4; push @1 #6"),
            MASS.format("v x; n 1; * 2 2; + 4 3; r 5; n 2; - 6 7; v k; * 8 9; / 2 6; * 10 11; - 1 12; out applied 13"),
        ),
        "applied: mechanics of m = p",
    ),
    "spring by its length": (
        write(
            SLIDER.format("body b ground 0 1 0; length @1 a b; v @1; v @1'; * 0 1; push @1 #2"),
            MASS.format("v x; * 2 2; n 1; + 3 4; r 5; v x'; * 2 7; / 8 6; * 6 9; / 2 6; * 10 11; out applied 12"),
        ),
        "applied: mechanics of m = p",
    ),
    "a push on two bodies": (
        write(
            "model m; coordinates x y; body a ground; shift 1 0 0 1 x; body b ground; shift 1 0 0 1 y; length @1 a b;"
            " push @1 5; end",
            "program p m; v x; v y; - 0 1; * 2 2; r 3; / 2 4; n 5; * 5 6; n 0; - 8 7; out applied 7 9; end",
        ),
        "applied: mechanics of m = p",
    ),
    "rod": (
        write(
            PLANE.format("rod a b"),
            "program p m; v x; v y; * 0 0; * 1 1; + 2 3; r 4; / 0 5; / 1 5; out D 6 7;"
            " v x'; v y'; * 8 8; * 9 9; + 10 11; / 12 5; * 0 8; * 1 9; + 14 15;"
            " ^ 16 2; ^ 5 3; / 17 18; - 13 19; out gamma 20; end",
        ),
        "D: mechanics of m = p",
    ),
    "row of a quotient": (
        write(
            PLANE.format("v x; v y; / 0 1; row #2"),
            "program p m; v x; v y; n 1; / 2 1; ^ 3 2; * 0 4; n 0; - 6 5; out D 3 7; v x'; v y'; * 8 9; * 10 4; n 2;"
            " * 11 12; ^ 3 3; * 9 9; * 0 15; * 16 14; * 17 12; - 18 13; out gamma 19; end",
        ),
        "rows: mechanics of m = p",
    ),
    "row": (
        write(
            PLANE.format("v x; v y; * 0 1; row #2"),
            "program p m; v x; v y; out D 1 0; v x'; v y'; n 2; * 2 3; * 4 5; out gamma 6; end",
        ),
        "rows: mechanics of m = p",
    ),
    "rate": (
        write(
            PLANE.format("v x; v y'; * 0 1; v x'; + 2 3; rate #4"),
            "program p m; n 1; v x; out D 0 1; v x'; v y'; * 2 3; out gamma 4; end",
        ),
        "rows: mechanics of m = p",
    ),
    "facing": (
        write(
            "model m; coordinates x; body a ground; turn 0 0 1 1 x; body b ground; facing a 1 0 0 b 0 1 0; end",
            "program p m; c 1 x; out D 0; s 1 x; v x'; * 2 2; * 1 3; n 0; - 5 4; out gamma 6; end",
        ),
        "rows: mechanics of m = p",
    ),
    "scale": (
        write(PLANE.format("v x; row #0; v y; row #1"), "program p m; n -2; n 0; out D 1 0; scale 0 -2; end"),
        "D: mechanics of m = p (p has no row 1)",
    ),
    "a joint moved by time": (
        write(
            "model m; coordinates x; v t; f drive 0; body a ground; shift 1 0 0 1 x; shift 1 0 0 1 #1; mass 1 0 0 0; end",  # noqa: E501
            "program p m; n 1; out M 0; v t; f drive:2 1; out h 2; end",
        ),
        "h: mechanics of m = p",
    ),
    "a joint moved by the sine of time": (
        write(
            "model m; coordinates x; s 2 t; body a ground; shift 1 0 0 1 x; shift 1 0 0 1 #0; mass 1 0 0 0; end",
            "program p m; n 1; out M 0; s 2 t; n -4; * 1 2; out h 3; end",
        ),
        "h: mechanics of m = p",
    ),
    "a chain of 300 bodies": (  # the k-th turns by k x
        write(
            "model m; coordinates x; body b0 ground",
            *(f"body b{k} b{k - 1}; turn 0 0 1 1 x; mass 1 0 0 0 0 0 1 0 0 0" for k in range(1, 301)),
            "end",
            f"program p m; n {sum(k * k for k in range(301))}; out M 0; end",
        ),
        "M: mechanics of m = p",
    ),
    "a root of a value of either sign": (pair("v x; n 0; - 1 0; r 2", "v x; n -1; * 0 1; r 2"), "h: a = b"),
    "minus nothing": (pair("n -0", "n 0/7"), "h: a = b"),
    "a slope": (
        write(
            "model m; coordinates x; gravity 0 -10 0; body a ground; tilt 0 0 1 4/5 3/5; shift 1 0 0 1 x;"
            " mass 2 0 0 0; end",
            "program p m; n -12; out gravity 0; end",
        ),
        "gravity: mechanics of m = p",
    ),
}
#: What is not: name -> (certificate, exit code, words of the reason).
REFUSED: Final[dict[str, tuple[bytes, int, str]]] = {
    "a program that is called mechanics": (
        write(
            *("model m; coordinates x; end", *(f"program {name} m; v x; out h 0; end" for name in ("mechanics", "b")))
        ),
        2,
        "'program mechanics m' cannot stand here",
    ),
    **{
        f"the number {word}": (pair(f"n {word}", "n 1"), 2, f"'n {word}' is no line of a program")
        for word in ("True", "inf", "NaN", "+1", "1_0", "0x1", ".5", "5.", "1/-2", "1e", "1.e1", "--1", "- 1", " 1")
    },
    **{
        f"{line.split()[0]} along no direction": (
            write(
                f"model m; coordinates x; body a ground; turn 0 0 1 1 x; body b ground; {line}; end",
                "program p m; n 0; out D 0; out gamma 0; end",
            ),
            1,
            "a row along no direction",
        )
        for line in ("facing a 1 0 0 b 0 0 0", "apart a b ground 0 0 0")
    },
    "a quantity that does not exist": (
        write("model m; coordinates x; end; program p m; v x; out H 0; end"),
        2,
        "'H' is no body",
    ),
    "a derived quantity": (
        write("model m; coordinates x; end; program p m; v x; out rows 0; end"),
        2,
        "'rows' is no body",
    ),
    "an angle whose exponents are huge": (pair("s" + " 1e999 x" * 9000, "n 0"), 1, "a degree is above the limit"),
    "an angle of a multiple of a value": (pair("v x; s 2 #0", "v x; n 2; * 0 1; s 1 #2"), 1, "h 1 of b is not that"),
    "a root of a root of a square": (pair("v x; r 0; * 1 1; r 2", "v x; r 0"), 1, "h 1 of b is not that of a"),
    "roots of factors": (pair("v x; v y; * 0 1; r 2", "v x; v y; r 0; r 1; * 2 3"), 1, "h 1 of b is not that of a"),
    "a sine and a cosine that are symbols": (
        write("model m; coordinates x; v a; v b; body g ground; tilt 0 0 1 a b; shift 1 0 0 1 x; mass 1 0 0 0; end"),
        1,
        "no cosine and sine",
    ),
    "a joint by a function of two coordinates": (
        write("model m; coordinates x y; v x; v y; f g 0 1; body a ground; shift 1 0 0 1 #2; mass 1 0 0 0; end"),
        1,
        "moves by a formula of coordinates",
    ),
    "a mass that is a sign of time": (
        write("model m; coordinates x; v t; f sign 0; body a ground; shift 1 0 0 1 x; mass #1 0 0 0; end"),
        1,
        "must be constant",
    ),
    "a row that is left out": (
        write(PLANE.format("row x; row y"), "program p m; n 1; n 0; out D 0 1; end"),
        1,
        "D has not the same number of rows",
    ),
    "a row that stands twice": (
        write(PLANE.format("row x; row y"), "program p m; n 1; n 0; out D 0 1 0 1; end"),
        1,
        "D 2 of p is not that of mechanics of m",
    ),
    "rows that the scale leaves out": (
        write(PLANE.format("row x"), "program p m; n 1; n 0; out D 0 1; scale 0; end"),
        2,
        "D of p has other rows than scale",
    ),
    "a drive that is left out": (
        write(SLIDER.format("effort x 5"), "program p m; n 3; out M 0; n 0; out applied 1; end"),
        1,
        "applied 1 of p is not that of mechanics of m",
    ),
    "an acceleration that has no use": (
        write(SLIDER.format("effort x 0"), "program p m; v x''; n 3; out M 1; end"),
        2,
        "cannot depend on accelerations",
    ),
    "bodies in a circle": (write("model m; coordinates x; body a b; body b a; end"), 2, "'b' is no body"),
    "a body called ground": (write("model m; coordinates x; body ground ground; end"), 2, "'ground' stands twice"),
    "a match of pi": (write("model a; coordinates x; end; match b u=x pi=k"), 2, "twice"),
    "two symbols with one name": (write("model a; coordinates x; end; match b u=x k=m l=m"), 2, "twice"),
    "three models": (write("model a; coordinates x; end; model b; coordinates x; end; model c"), 2, "'model c'"),
    "another second entry": (
        write(
            "model m; coordinates x y; end; program a m; n 0; out h 0 0; end", "program b m; n 0; n 1; out h 0 1; end"
        ),
        1,
        "h 2 of b is not that of a",
    ),
    "another angle": (pair("s 2 x", "s 1 x"), 1, "h 1 of b is not that of a"),
    "functions that are not tied": (pair("v x; f tanh 0", "v x; n 2; * 0 1; f tanh 2"), 1, "h 1 of b is not that of a"),
    "another function": (pair("v x; f tanh 0", "v x; f sinh 0"), 1, "h 1 of b"),
    **{
        f"a third of a turn is no whole one, {name}": (pair("c 2/3 pi", "n 1", name), 1, "h 1 of b is not that of a")
        for name in "xyzuvw"
    },
    "a fraction of pi is not another": (pair("c 1/5 pi", "c 3/5 pi"), 1, "h 1 of b is not that of a"),
    "the other golden section": (pair("c 1/5 pi", "n 5; r 0; n 1; - 2 1; n 4; / 3 4"), 1, "h 1 of b"),
    "the other sine of an eighth": (pair("s 1/4 pi", "n 2; r 0; n -2; / 1 2"), 1, "h 1 of b"),
    "a root of seven with the other sign": (
        pair("s 1/7 pi; s 2/7 pi; s 3/7 pi; * 0 1; * 3 2; n -8; * 4 5", "n 7; r 0"),
        1,
        "h 1 of b",
    ),
    "a turn of too many parts": (pair("c 1/4294967311 pi", "n 0"), 2, "period"),
    "a root of a square is no symbol": (pair("v x; * 0 0; r 1", "v x"), 1, "h 1 of b"),
    "a root of a square is not less a symbol": (pair("v x; * 0 0; r 1", "v x; n 0; - 1 0"), 1, "h 1 of b"),
    "roots of squares, one of which is a symbol": (
        pair("v x; * 0 0; r 1; - 2 0; v y; * 4 4; r 5; - 6 4; * 3 7", "n 0"),
        1,
        "h 1 of b",
    ),
    "a root of a product of squares": (pair("v x; v y; * 0 0; * 2 1; r 3", "v x; v y; r 1; * 0 2"), 1, "h 1 of b"),
    "a root that is known by its value only": (pair("v x; r 0; * 1 1", "v x"), 1, "h 1 of b"),
    "a root of a fraction": (pair("n 4/9; r 0", "n 2/3"), 2, "no prime below 10^6"),
    "a length without its line": (
        write(SLIDER.format("v @1; effort x #0")),
        2,
        "'@1' is no body, coordinate, length or quantity",
    ),
    "a state": (write_difference("v x", "n 2", "1"), 2, "verified by verify_difference.py"),
    "a root is no other": (pair("v x; r 0", "v x; n 1; + 0 1; r 2"), 1, "h 1 of b"),
    "an acceleration within an angle": (
        write(SLIDER.format("effort x 0"), "program p m; s 1 x'' 1 x; n 3; out M 1; end"),
        2,
        "cannot depend on accelerations",
    ),
    "an acceleration within an angle of a machine": (
        write(SLIDER.format("s 1 x'' 1 x; effort x #0")),
        2,
        "cannot depend on accelerations",
    ),
    "a function called r is no root": (pair("v x; f r 0", "v x; r 0"), 1, "h 1 of b"),
    "a sign of two arguments is not odd": (
        pair("v x; v y; f sign 0 1", "v x; v y; n 0; - 2 0; f sign 3 1; - 2 4"),
        1,
        "h 1 of b",
    ),
    "a root is not its radicand": (pair("v x", "v x; * 0 0; r 1"), 1, "h 1 of b"),
    "the other root": (pair("n 2; r 0", "n 0; n 2; r 1; - 0 2"), 1, "h 1 of b"),
    "pi is not 3.14159": (pair("s 1 x 1 pi", "s 1 x 3.141592653589793 1"), 1, "h 1 of b"),
    "a digit far behind": (pair(f"n 1.{'0' * 900}1", "n 1"), 1, "h 1 of b"),
    "division by what vanishes": (pair("v x; v x; - 0 1; / 0 2; * 3 2", "n 0"), 1, "division by zero"),
    "nothing over nothing": (pair("n 0; n 0; / 0 1", "n 0"), 1, "division by zero"),
    "one program alone": (
        write("model m; coordinates x; end; program p m; n 0; out h 0; end"),
        1,
        "compared with nothing",
    ),
    "a sign of two arguments": (pair("n 0; v x; f sign 0 1", "n 0"), 1, "h 1 of b is not that of a"),
    "no program": (write(SLIDER.format("force a 1 0 0")), 1, "nothing is compared"),
    "another mass": (write(SLIDER.format("effort x 0"), "program p m; n 2; out M 0; end"), 1, "M 1 of p is not that"),
    "another force": (write(SLIDER.format("force a 5 6 7"), MASS.format("n 6; out applied 2")), 1, "applied 1 of p"),
    "a long axis": (
        write("model m; coordinates x; body a ground; shift 1 1 0 1 x; mass 1 0 0 0; end"),
        1,
        "axis is not 1",
    ),
    "no cosine": (write("model m; coordinates x; body a ground; tilt 0 0 1 0.6 0.7; end"), 1, "do not add up to 1"),
    "a place that moves": (
        write("model m; coordinates x; body a ground x 0 0; mass 1 0 0 0; end"),
        1,
        "must be constant",
    ),
    "an axis that moves": (
        write("model m; coordinates x; s 1 x; c 1 x; body a ground; shift #0 #1 0 1 x; end"),
        1,
        "constant",
    ),
    "a joint by a rate": (
        write("model m; coordinates x; body a ground; shift 1 0 0 1 x'; mass 1 0 0 0; end"),
        1,
        "formula of",
    ),
    "coordinates twice": (write("model m; coordinates x x; end"), 2, "line 3: coordinates stand twice"),
    "a body twice": (
        write("model m; coordinates x; body a ground; body a ground; end"),
        2,
        "line 5: the name 'a' stands twice",
    ),
    "a program twice": (
        write(SLIDER.format("effort x 0"), *["program p m; n 3; out M 0; end"] * 2),
        2,
        "'program p m' cannot stand here, or a name stands twice",
    ),
    "a result twice": (
        write(SLIDER.format("effort x 0"), "program p m; n 3; out h 0; out h 0; end"),
        2,
        "h of p has not whole rows: entries 2, coordinates 1",
    ),
    "a body that is its parent": (write("model m; coordinates x; body a a; end"), 2, "'a' is no body"),
    "a step that is its operand": (pair("v x; + 1 0", "n 0"), 2, "does not stand before this line"),
    "a leaf of itself": (pair("v x; f tanh 1", "n 0"), 2, "does not stand before this line"),
    "a constant that overflows": (
        pair("n 1e9999", "n 0"),
        2,
        "'n 1e9999' is no line of a program, or a word of it is none of its kind",
    ),
    "a longer constant": (pair("n 1e999999999999", "n 0"), 2, "'n 1e999999999999' is no line"),
    "many digits": (pair(f"n {'1' * 1101}", "n 0"), 2, "none of its kind or too long"),
    "no denominator": (pair("n 1/0", "n 0"), 2, "'n 1/0' is no line"),
    "not a number": (pair("n nan", "n 0"), 2, "'n nan' is no line of a program"),
    "a root of a negative number": (pair("n -2; r 0", "n 0"), 2, "no prime below 10^6"),
    "a root of a composite": (pair(f"n {1000003 * 1000033}; r 0", "n 0"), 2, "no prime below 10^6"),
    "too many roots": (
        pair(
            "; ".join(f"n {p}; r {2 * k}" for k, p in enumerate((2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41))),
            "n 0",
        ),
        2,
        "more than 12 primes",
    ),
    "a period above the limit": (pair("s 1/1267650600228229401496703205653 x", "n 0"), 2, "period"),
    "powers of powers": (
        pair("v x; ^ 0 999; ^ 1 999; " + "; ".join(f"^ {k} 999" for k in range(2, 18)), "n 0"),
        1,
        "degree",
    ),
    "degrees above 1024 bits": (
        pair(
            "v x; v y; / 0 1; n 1; + 2 3; " + "; ".join(f"+ 2 {k}; / 0 {k + 1}; + 3 {k + 2}" for k in range(4, 700, 3)),
            "n 0",
        ),
        1,
        "h 1 of b is not that",
    ),
    "an acceleration in a machine": (write(SLIDER.format("v x''; effort x #0")), 2, "cannot depend on accelerations"),
    "the rate of a parameter": (pair("v k'", "n 0"), 2, "the rate of no coordinate"),
    "a short row of M": (
        write(SLIDER.format("effort x 0"), "program p m; n 3; out M 0 0; end"),
        2,
        "M of p has not whole rows: entries 2, coordinates 1",
    ),
    "a short row of D": (
        write(PLANE.format("v x; row #0"), "program p m; n 1; n 0; out D 0 1 1; end"),
        2,
        "D of p has not whole rows: entries 3, coordinates 2",
    ),
    "another number of rows": (
        write(PLANE.format("v x; row #0"), "program p m; n 1; n 0; out D 0 1; out D 1 0; end"),
        1,
        "not the same number of rows",
    ),
    "a match of two with one": (
        write("model a; coordinates x; end; match b u=x v=x; model b; coordinates u; end"),
        2,
        "twice",
    ),
    "a match of a parameter with a coordinate": (
        write("model a; coordinates x; end; match b u=x x=u; model b; coordinates u; v x; end; match b u=x"),
        2,
        "cannot stand here",
    ),
    "a parameter that is a coordinate elsewhere": (
        write("model a; coordinates x; end; match b u=x; model b; coordinates u; v x; end"),
        2,
        "'x' is the rate of no coordinate, or called like a symbol of the other model",
    ),
    "a match without a coordinate": (
        write("model a; coordinates x; end; model b; coordinates u; end"),
        2,
        "not matched one to one",
    ),
    "no body": (write("model m; coordinates x; shift 1 0 0 1 x; end"), 2, "does not stand below its body"),
    "an unknown line": (write("model m; coordinates x; spring 1 2; end"), 2, "'spring 1 2' is no line of a model"),
    "no end": (write("model m; coordinates x"), 2, "no end"),
}
#: Differences that are not shown: name -> (certificate, exit code, words of the reason).
NO_DIFFERENCES: Final[dict[str, tuple[bytes, int, str]]] = {
    "rows in other units": (
        write(
            "model m; coordinates x; row x; end; program a m; n 1; out D 0; end",
            "program b m; n 2; out D 0; scale 2; end; state x=1; differs D 1,1 a b 1",
        ),
        2,
        "rows of a program that scales them are not compared",
    ),
    "a program and itself": (
        write("model m; coordinates x; end; program a m; v x; out h 0; end; state x=1; differs h 1 a a 1e-99"),
        1,
        "not shown",
    ),
    "a difference in nothing": (write_difference("n 0; n 0; / 0 1", "n 2", "0.1"), 1, "may be zero"),
    "a missing state": (
        write(
            "model m; coordinates x; end; program a m; v x; out h 0; end; program b m; n 0; out h 0; end;"
            " state y=1; differs h 1 a b 1"
        ),
        1,
        "no number for x",
    ),
    "a difference that is none": (
        write(
            "model m; coordinates x; end; program a m; v x; out h 0; end; program b m; n 1;"
            " out h 0; end; state x=1; differs h 1 a b 1e-90"
        ),
        1,
        "not shown",
    ),
    "an entry that is none": (
        write(
            "model m; coordinates x; end; program a m; v x; out h 0; end; program b m; n 1;"
            " out h 0; end; state x=1; differs h 2 a b 1"
        ),
        2,
        "no h 2",
    ),
    "an interval that is wide": (
        write_difference("n 1/3; n 3; * 0 1; n 1; - 2 3; n 1e302; * 4 5", "n 0", "0.1"),
        1,
        "not shown",
    ),
    "a product of negative intervals": (
        write_difference("n -1/3; n -3; * 0 1; n 1; - 2 3; n 1e302; * 4 5", "n 0", "0.1"),
        1,
        "not shown",
    ),
    "an angle above the limit": (write_difference("s 199 x; * 0 0", "n 2", "0.1"), 1, "above 60"),
    "a function of no known value": (write_difference("v x; f tanh 0", "n 2", "0.1"), 1, "tanh is not known"),
    "a root of a negative number": (write_difference("v x; n 1; - 0 1; r 2", "n 2", "0.1"), 1, "a root is not known"),
    "a division by what may be zero": (write_difference("n 1; s 1 pi; / 0 1", "n 2", "0.1"), 1, "may be zero"),
    "no difference": (write(SLIDER.format("effort x 0")), 2, "no line begins with 'differs'"),
    "a difference below 0": (write_difference("v x", "n 2", "-1"), 2, "above 0"),
}
#: Differences that hold: both sides of an entry of x = 1/2, and their distance.
DIFFERENCES: Final[dict[str, tuple[str, str, str]]] = {
    "pi": ("s 1 pi; n 1; + 0 1", "c 1/4 pi; n 2; r 1; * 0 2; n 1e-100; + 3 4", "0.99e-100"),
    "sine": ("s 1 x", "n 0.4794255386042030002732879352155713880818033679406006751886166131", "2.4e-65"),
    "cosine": ("c 40 x", "n 0.408082061813391986062267860927644957099299510316252822755279", "3.8e-61"),
    "exp": ("v x; f exp 0", "n 1.6487212707001281468486507878141635716537761007101480115750793116", "4e-65"),
    "root": ("v x; r 0", "n 0.7071067811865475244008443621048490392848359376884740365883398689953", "6e-68"),
    "sign": ("v x; f sign 0", "n -1", "2"),
    "quotient": ("n 1; v x; / 0 1; ^ 2 10", "n 1023.5", "0.5"),
}
