"""Verify a certificate of equations of motion. This file needs Python 3.9 or newer and nothing else.

A certificate is a text that states a machine (bodies, joints, masses, forces, constraint rows) and programs (lists of
+ - * / and a few functions) that claim to be parts of its equations of motion

    M q'' + h = gravity + applied + D^T lambda,    D q'' + gamma = 0

This file derives the equations of the machine by itself, from particles and d'Alembert's principle, evaluates machine
and programs at one random point, and compares; whoever wrote the certificate need not be trusted. Each section begins
with the reason why it cannot be fooled. Exit code: 0 all is proved, 1 something is refused, 2 a file is not readable.
"""

import argparse
import gc
import hashlib
import os
import re
import sys
from fractions import Fraction
from math import gcd, isqrt, lcm, prod
from pathlib import Path
from types import SimpleNamespace

MAX_BYTES, MAX_LINES, MAX_LINE, MAX_STEPS, MAX_MODEL = 32 * 10**6, 22 * 10**5, 10**5, 2 * 10**6, 12_000
MAX_COORDINATES, MAX_DIVISORS, MAX_ROOTS = 1_000, 1_000, 12
MAX_PERIOD, MAX_TURNS, MAX_TWOS, MAX_SIZE = 1 << 100, 1 << 32, 1 << 10, 1 << 160


class UnreadableError(Exception):
    """A text that is no certificate: exit code 2."""


class RefusedError(Exception):
    """A certificate whose claim is not proved: exit code 1."""


def expect(true, reason, error=UnreadableError):
    if not true:
        raise error(reason)


def prove(true, reason):
    expect(true, reason, RefusedError)


# Reading -------------------------------------------------------------------------------------------------------------
# The text is untrusted. Its length is asked before it is read, every line must match a pattern as a whole, names
# stand once, and a step refers to earlier steps only: nothing recurs, so nothing can be cyclic or too deep. Numbers
# are exact fractions. M, h and forces must stand before the first acceleration of a program: otherwise a program
# could hide a term of q'' in M and take it back in h, while M q'' + h stays right.
NAME, WHOLE = r"[A-Za-z_%][\w@%.,()\[\]-]{0,999}", r"(?:0|[1-9]\d{0,6})"
NUMBER = r"(?![^ ]{1101})-?\d+(?:/0*[1-9]\d*|(?:\.\d+)?(?:e-?\d{1,3})?)"
SYMBOL = rf"(?:{NAME}'?|@\w{{1,99}})'?"  # a name, its rate, its second rate, or a length and its rate
#: Words: k a whole number, n a number, N a name, l a length, f a function or its derivative, v a symbol, a an atom (a
#: number, a symbol or #step), p a term of an angle.
WORDS = {
    "k": WHOLE, "n": NUMBER, "N": NAME, "l": r"@\w{1,99}", "f": rf"{NAME}(?::[1-9]\d?)?", "v": SYMBOL,
    "a": rf"(?:{NUMBER}|#{WHOLE}|{SYMBOL})", "p": rf"{NUMBER} (?:1|#{WHOLE}|{NAME}'{{0,2}})",
}  # fmt: skip
#: The words of steps, of other lines of a program, of other lines of a model.
STEPS = dict.fromkeys("+-*/^", "kk") | {"n": "n", "v": "v", "r": "k", "f": "fk+", "s": "p+", "c": "p+"}
OF_PROGRAM = {"out": "Nk+", "scale": "n+"}
OF_MODEL = {
    "coordinates": "N+", "gravity": "aaa", "body": "NN(?:aaa)?", "shift": "aaap+", "turn": "aaap+", "tilt": "aaaaa",
    "mass": "aaaa(?:aaaaaa)?", "force": "Naaa", "moment": "Naaa", "effort": "Na", "armature": "a(?:Na)+",
    "length": "lNN", "push": "la", "rod": "NN", "apart": "NNNaaa", "facing": "NaaaNaaa", "row": "a", "rate": "a",
}  # fmt: skip
LINES = {
    kind: re.compile(re.escape(kind) + re.sub(r"\w", lambda x: f"(?: {WORDS[x[0]]})", words), re.ASCII)
    for kind, words in (STEPS | OF_PROGRAM | OF_MODEL).items()
}
OUTSIDE = rf"model ({NAME})|program ((?!mechanics){NAME}) ({NAME})|match ({NAME})((?: {NAME}={NAME})+)"
NOWHERE = "a row along no direction"
QUANTITIES = ("M", "h", "gravity", "applied", "force", "D", "gamma", "inverse_dynamics")


class Certificate:
    """A text, read: models and programs, and what must be known of both before a prime is drawn."""

    def __init__(self, data):
        self.models, self.programs, self.match, self.line, self.words, part = {}, {}, (), 1, 0, None
        self.period, self.turns, self.primes, self.functions, self.weight = 1, 4, set(), set(), 64
        try:
            lines = self.split(data)
            for self.line, line in enumerate(lines, 2):
                if line == "end" and part:
                    names, first = part.model.coordinates, next(iter(self.models.values())).coordinates
                    fits = names and sorted(names) == sorted(first)
                    expect(fits, f"coordinates of {part.model.name} are none, or not matched one to one")
                    part.model.order, part = [names.index(name) for name in first], None
                elif line[:5] != "note ":
                    part = self.read(part, line) if part else self.begin(line)
            expect(self.models and not part and not self.match, "a model or a program is missing, or has no end")
        except UnreadableError as problem:
            raise UnreadableError(f"line {self.line}: {problem}") from None

    def split(self, data):
        """Return the lines between the first and the last."""
        bad = re.search(rb"(?m)[^\n -~]|^[^\n]{%d}" % MAX_LINE, data)
        end = bad.start() if bad else data.rfind(b"\n", 0, -1) + 1
        self.line = data.count(b"\n", 0, end) + 1
        expect(not bad or len(bad[0]) > 1, f"byte {bad and bad[0].hex()} is not printable ASCII")
        expect(not bad and self.line <= MAX_LINES, f"more than {MAX_LINE} characters, or {MAX_LINES} lines")
        right = data[end:] == b"sum %s\n" % hashlib.sha256(data[:end]).hexdigest().encode()
        expect(right, "the sum at the end is not that of the text: it was cut off or changed on its way")
        self.line = 1
        expect(data[:9] == b"mbcert 1\n", "the first line is not 'mbcert 1'")
        return (found[0][:-1] for found in re.finditer(r".*\n", data[9:end].decode("ascii")))

    def begin(self, line):
        """Read a line outside of models and programs; return the model or program that it begins."""
        expect(line[:6] != "state ", "a certificate of a difference is verified by verify_difference.py")
        found = re.fullmatch(OUTSIDE, line, re.ASCII)
        model, program, of, matched, pairs = found.groups("") if found else [""] * 5
        match, self.match = self.match, (matched, [pair.split("=") for pair in pairs.split()]) if matched else ()
        if model:
            fits = model not in self.models and len(self.models) < 2 and match[:1] in ((), (model,))
        elif program:
            fits = of in self.models and program not in self.programs and not match
        else:  # names stand once, and t and pi are called so everywhere
            fits = matched and len(self.models) == 1 and not match
            fits = fits and all(len({*x} - {"t", "pi"}) == len(self.match[1]) for x in zip(*self.match[1]))
        expect(fits, f"'{line[:40]}' cannot stand here, or a name stands twice in it or above")
        part = SimpleNamespace(name=model or program, items=[], steps=0, numbers={}, accelerated=False, coordinates=[])
        part.model = self.models.get(of, part)  # of a model: what symbols are in common, None: another is called so
        part.match = {new: None for pairs in match[1:] for _, new in pairs} | dict(*match[1:])
        return None if matched else (self.models if model else self.programs).setdefault(part.name, part)

    def convert(self, model, word):
        """Return a number, the number of a step, or what a symbol is called in common with the other model."""
        if word[0] in "-0123456789#":
            return int(word[1:]) if word[0] == "#" else Fraction(word)
        name = word.rstrip("'")
        common = model.match.get(name, name)
        fits = common and (name == word or name[0] == "@" or common in model.coordinates)
        expect(fits, f"'{word[:40]}' is the rate of no coordinate, or called like a symbol of the other model")
        return common + word[len(name) :]

    def read(self, part, line):
        kind, *words = line.split(" ")
        of_model, rank = part is part.model, len(kind) == 1
        fits = kind in LINES and (rank or of_model == (kind in OF_MODEL)) and LINES[kind].fullmatch(line)
        what = "model" if of_model else "program"
        expect(fits, f"'{line[:40]}' is no line of a {what}, or a word of it is none of its kind or too long")
        if kind in "+-*/":
            steps = words = [int(words[0]), int(words[1])]
        else:
            convert = int if kind in ("^", "r", "f", "out") else lambda x: self.convert(part.model, x)
            names = words[: kind in ("f", "out")]  # of functions and quantities
            words = [*names, *map(convert, words[len(names) :])]
            steps = [word for word in words if type(word) is int][: 1 if kind == "^" else None]
            self.words += 7 * len(words) + (words[1] if kind == "^" else 0)
            self.weight += 4 * (len(line) + sum(map(int, re.findall(r"e-?(\d{1,3})(?!\d)", line))))
            self.prepare(part, kind, words, "''" in line)
        expect(part.model.coordinates, "a model begins with its coordinates")
        expect(max(steps, default=-1) < part.steps, "a step refers to one that does not stand before this line")
        part.items.append((kind, *words) if rank else (kind, self.line, *words))
        self.words, part.steps = self.words + 1, part.steps + rank
        fits = self.words <= MAX_STEPS and (not of_model or len(part.items) <= MAX_MODEL)
        expect(fits, f"more than {MAX_STEPS} steps (7 for each other word), or {MAX_MODEL} lines of a model")
        return part

    def prepare(self, part, kind, words, accelerated):
        """Keep what must be known before a prime is drawn: periods of angles, primes under roots."""
        part.accelerated = part.accelerated or accelerated
        fits = not part.accelerated or (part is not part.model and (kind != "out" or words[0] == "inverse_dynamics"))
        expect(fits, "a machine, M, h and forces cannot depend on accelerations, which stand before them")
        if kind == "coordinates":
            fits = not part.coordinates and len({*words, "t", "pi"}) - 2 == len(words) <= MAX_COORDINATES
            expect(fits, f"coordinates stand twice, or are called t or pi, or are more than {MAX_COORDINATES}")
            part.coordinates = words
        elif kind == "n":
            part.numbers[part.steps] = words[0]
        elif kind == "f":
            self.functions.add(words[0].partition(":")[0])
        elif kind == "r" and words[0] in part.numbers:
            x = part.numbers[words[0]]
            self.primes.add(int(x))
            fits = x.denominator == 1 < x < 10**6 and all(x % d for d in range(2, isqrt(int(x)) + 1))
            expect(fits, "a root of a number that is no prime below 10^6")
            expect(len(self.primes) <= MAX_ROOTS, f"roots of more than {MAX_ROOTS} primes")
        angle = words if kind in ("s", "c") else words[3:] if kind in ("shift", "turn") else ()
        self.period = lcm(self.period, *(x.denominator for x, base in zip(angle[::2], angle[1::2]) if base != "pi"))
        self.turns = lcm(self.turns, *(x.denominator for x, base in zip(angle[::2], angle[1::2]) if base == "pi"))
        fits = self.period <= MAX_PERIOD and self.turns <= MAX_TURNS and self.turns & -self.turns <= MAX_TWOS
        expect(fits, "the common period of angles is above the limit")


# Field ---------------------------------------------------------------------------------------------------------------
# A wrong equation is zero at a random point of a random prime field with a probability of about its degree over the
# prime (Schwartz 1980, Zippel 1979). Prime and point are drawn from the file's hash and fresh random bytes, so no file
# can be written to suit them. With every value goes a size, computed here and never read: the value is a polynomial in
# symbols, numbers and inverses of divisors, whose degree, and whose sum of coefficients in bits, are no larger. Cosine
# and sine are (z + 1/z) / 2 and (z - 1/z) / 2i, where i^2 = -1 and z is a product of powers of random elements, one for
# each symbol: all theorems hold of themselves. z of pi is a root of unity, and roots of primes agree with it. Another
# function is a random element for each value of its arguments; that equal ones have equal results is all that is known.
class PrimeField:
    """A random prime field and a random point in it: an element for each symbol and each value of a function."""

    def __init__(self, seed, bits, text):
        self.seed, self.bits, self.period, self.drawn, self.divisors = seed, bits, text.period, set(), {}
        self.order = order = 2 * text.turns  # a multiple of 8
        self.weight = text.weight + 64 * len(text.primes) + order.bit_length()  # bits of all numbers
        self.p, Motion.largest = self.draw_prime([q for q in text.primes if order % q]), 1
        p = Motion.p = self.p
        parts = {1, *(x for d in range(2, isqrt(order) + 1) if order % d == 0 for x in (d, order // d))}
        units = (pow(self.draw("unit", k) % (p - 1) + 1, p // order, p) for k in range(10**6))
        self.unit = next(z for z in units if all(pow(z, part, p) != 1 for part in parts))
        self.i = pow(self.unit, order // 4, p)
        self.roots = {q: Motion(self.find_root(q)) for q in text.primes}

    def draw(self, *key):
        """Return a random whole number, the same for the same key."""
        self.drawn.add(key)
        stream = hashlib.shake_256(self.seed + repr((self.bits, *key)).encode())
        return int.from_bytes(stream.digest(self.bits // 8 + 16), "big")

    def draw_prime(self, squares):
        """Draw a prime p, p - 1 an odd multiple of the order, modulo which these primes are squares."""
        small, order, twos = prod(range(3, 2000, 2)), self.order, self.order & -self.order
        for k in range(10**7):
            p = self.draw("prime", k) % (1 << self.bits - 1) + (1 << self.bits - 1)
            p = p // (2 * order) * 2 * order + order + 1
            if all(pow(p, q // 2, q) == 1 for q in squares) and gcd(p, small) == 1:
                bases = (self.draw("base", k, n) % (p - 3) + 2 for n in range(28))  # (Miller 1976, Rabin 1980)
                powers = ([pow(b, p // twos << j, p) for j in range(twos.bit_length() - 1)] for b in bases)
                if all(x[0] == 1 or p - 1 in x for x in powers):
                    return p
        raise RefusedError("no prime was found")

    def find_root(self, q):
        """Return the root of a prime: a product of sines of fractions of pi where the order has these (Gauss 1811)."""
        p, order, twos, half = self.p, self.order, self.order & -self.order, max(1, q // 2)
        if order % q == 0:
            z = pow(self.unit, order // (2 * q if q > 2 else 8), p)
            root, up, down, w = 1, 1, 1, pow(z, -1, p)
            for _ in range(half):
                up, down = up * z % p, down * w % p
                root = root * self.i * (down - up) % p
            return root
        z, rest = pow(self.unit, order // twos, p), pow(q, p // twos, p)  # rest is a power of 1 / z^2 (Tonelli 1891)
        k = next(k for k in range(twos // 2) if rest * pow(z, 2 * k, p) % p == 1)
        return pow(q, p // twos // 2 + 1, p) * pow(z, k, p) % p

    def lookup(self, name):
        return Motion(self.draw("symbol", name) % self.p)

    def number(self, x):
        return Motion(x.numerator * pow(x.denominator, -1, self.p) % self.p) if x else ZERO

    def inverse(self, x):
        prove(x.value % self.p, "a division by zero")
        size, w = self.divisors.get(x.value % self.p) or (0, pow(x.value, -1, self.p))
        self.divisors[x.value % self.p] = max(size, x.size), w
        prove(len(self.divisors) <= MAX_DIVISORS, f"more than {MAX_DIVISORS} different divisors")
        return x.compose(w, -w * w, 2 * w**3, 4)

    def function(self, name, arguments):
        """Return a function: for each value of its arguments one element; sign is odd."""
        x, p, values = arguments[0], self.p, tuple(y.value % self.p for y in arguments)
        if name == "sign" and len(values) == 1 and not 0 < 2 * values[0] < p:
            return ZERO - self.function(name, [ZERO - x]) if values[0] else ZERO
        value, rates = self.draw("function", name, values) % p, [z % p for y in arguments for z in (y.rate, y.second)]
        if not any(rates):
            return Motion(value)
        if len(arguments) > 1:  # rates that nothing else has
            return Motion(value, *(self.draw(k, name, values, *rates) % p for k in ("rate", "second")))
        base, _, order = name.partition(":")
        first = then = value
        if name == "#root":  # no function of a text is called so
            first = self.inverse(Motion(2 * value)).value
            then = -2 * first**3
        elif name != "exp":
            names = (f"{base}:{int(order or 0) + k}" for k in (1, 2))
            first, then = (self.function(k, [Motion(x.value, size=x.size)]).value for k in names)
        return x.compose(value, first, then, 6)

    def turn(self, angle):
        """Return (sine, cosine) of the sum of number x base, each base with its name and what it is."""
        total, z, size, p = ZERO, 1, 2, self.p
        for factor, name, base in angle:
            total, exponent, value = total + self.number(factor) * base, int(factor * self.period), base.value % p
            if name == "pi":
                z = z * pow(self.unit, int(factor * self.order) // 2, p) % p
            elif name != "#" or value:  # a step is tied by its value, up to the sign
                unit = self.draw("angle", name, name == "#" and min(value, p - value))
                exponent, size = -exponent if name == "#" and 2 * value > p else exponent, size + 2 * abs(exponent)
                prove(size <= MAX_SIZE, "a degree is above the limit of 2^160")
                z = z * pow(unit, exponent, p) % p
        w, half = pow(z, -1, p), p + 1 >> 1
        cosine, sine = (z + w) * half, (w - z) * half * self.i
        return total.compose(sine, cosine, -sine, size), total.compose(cosine, -sine, -cosine, size)

    def bound(self):
        """Return k: a wrong claim passes with a probability below 2^-k.

        Inverses of divisors and of z are cleared one after the other, then numbers, roots and the root of unity (by the
        norm); values of arguments that differ may fall together. There are more than 2^(bits - 24 - lost) such primes,
        and what passes 28 tests is none with a probability below 2^(lost - 127) (Damgard, Landrock, Pomerance 1993).
        """
        lost = self.order.bit_length() - 1 + len(self.roots)
        degree = Motion.largest * (1 + len(self.drawn)) ** 3 * (64 + self.weight) << lost + 1
        degree *= prod(size + 1 for size, _ in self.divisors.values()) * (1 + len(self.divisors))
        return min(self.bits - 24 - degree.bit_length(), 127) - lost


# Series --------------------------------------------------------------------------------------------------------------
# What moves is a value with its first and second rate, and there are only the rules for sums, products and f(x): no
# formula of mechanics. The machine moves twice: with accelerations that are zero, and with random ones; what resists
# the first time is h, what is added the second time is M q''.
class Motion:
    """A value, its first and second rate, modulo p, and its size."""

    __slots__ = ("rate", "second", "size", "value")
    p, largest = 0, 0

    def __init__(self, value, rate=0, second=0, size=1):
        self.value, self.rate, self.second, self.size = value, rate, second, size
        if size > Motion.largest:
            Motion.largest = size
            prove(size <= MAX_SIZE, "a degree is above the limit of 2^160")

    def __add__(self, other):
        if self is ZERO or other is ZERO:
            return other if self is ZERO else self
        size, value = self.size if self.size > other.size else other.size, (self.value + other.value) % self.p
        return Motion(value, self.rate + other.rate, self.second + other.second, size + 1)

    def __sub__(self, other):
        return self + Motion(-other.value, -other.rate, -other.second, other.size)

    def __mul__(self, other):
        u, v, p = self.value, other.value, self.p
        if self is ZERO or other is ZERO:
            return ZERO
        second = self.second * v + 2 * self.rate * other.rate + u * other.second
        size = self.size + other.size + 2
        return Motion(u * v % p, (self.rate * v + u * other.rate) % p, second % p, size)

    def compose(self, value, first, second, size):
        """Return f(x) by the values of f, f', f'', whose sizes are no larger than ``size``."""
        if not (self.rate or self.second):
            return Motion(value % self.p, size=size)
        rates = first * self.rate % self.p, (first * self.second + second * self.rate * self.rate) % self.p
        return Motion(value % self.p, *rates, size + 2 * self.size + 2)


ZERO, ONE = Motion(0, size=0), Motion(1, size=0)


class Run:
    """The values of the steps of a model or a program, and the results of the program."""

    def __init__(self, part, algebra):
        self.part, self.algebra, self.values, self.results = part, algebra, [], {name: [] for name in QUANTITIES}
        self.scale, self.line, kind, values, numbers = (), 0, "", self.values, part.numbers
        steps = {
            "+": lambda a, b: values[a] + values[b],
            "-": lambda a, b: values[a] - values[b],
            "*": lambda a, b: values[a] * values[b],
            "/": lambda a, b: values[a] * algebra.inverse(values[b]),
            "^": lambda a, n: prod([values[a]] * n, start=algebra.number(Fraction(1))),
            "n": algebra.number,
            "v": self.lookup,
            "r": lambda a: algebra.roots[numbers[a]] if a in numbers else algebra.function("#root", [values[a]]),
            "f": lambda name, *places: algebra.function(name, [values[k] for k in places]),
            "s": lambda *angle: algebra.turn(self.angle(angle))[0],
            "c": lambda *angle: algebra.turn(self.angle(angle))[1],
        }
        try:
            for kind, *words in part.items:
                if kind in steps:
                    values.append(steps[kind](*words))
                else:
                    self.line, *words = words
                    self.read(kind, *words)
        except (KeyError, RefusedError, UnreadableError) as problem:
            place = f"step {len(values)} of {part.name}" if kind in steps else f"line {self.line}"
            if not isinstance(problem, KeyError):
                raise type(problem)(f"{place}: {problem}") from None
            raise UnreadableError(f"{place}: {problem} is no body, coordinate, length or quantity above") from None

    def lookup(self, symbol):
        return self.algebra.lookup(symbol)

    def atoms(self, words):
        give = {Fraction: self.algebra.number, int: self.values.__getitem__, str: self.lookup}
        return [give[type(word)](word) for word in words]

    def angle(self, words):
        """Return an angle as triples: a number, the name and the value of what it is a multiple of."""
        names = ["#" if type(word) is int else str(word) for word in words[1::2]]
        return list(zip(words[::2], names, self.atoms(words[1::2])))

    def read(self, kind, *words):
        if kind == "out":
            self.results[words[0]] += self.atoms(words[1:])
        else:
            expect(not self.scale, "the scale stands twice")
            self.scale = words

    def tables(self):
        """Return the results row by row, in common order and in units of the model's rows; None: there is no such."""
        order, found = self.part.model.order, {name: flat for name, flat in self.results.items() if flat}
        for name, flat in found.items():
            width = len(flat) if name == "gamma" else len(order)
            rows = [flat[k : k + width] for k in range(0, len(flat), width)]
            fits = len(flat) % width == 0 and (name == "D" or len(rows) == (width if name == "M" else 1))
            expect(fits, f"{name} of {self.part.name} has not whole rows: entries {len(flat)}, coordinates {width}")
            rows = [rows[k] for k in order] if name == "M" else rows
            found[name] = rows if name == "gamma" else [[row[k] for k in order] for row in rows]
        return found


# Machine -------------------------------------------------------------------------------------------------------------
# A body is particles at places x that are constant in its frame, and move by its pose P, a matrix (axes, origin): each
# resists by m P'' (x, 1), whose sum needs the sums of m x y alone; no angular velocity, and none of the formulas that
# textbooks and programs share. Forces are added up as sums of force x (place, 1); their work along the twist of each
# joint below the body (the rates of places as it moves) is its row (d'Alembert). Whatever must be constant is looked
# at: its rates are zero, an axis has length 1, a joint moves by coordinates and functions of time, not by formulas.
UNIT = [[ONE if i == j else ZERO for j in range(4)] for i in range(4)]


def dot(u, v):
    return sum((a * b for a, b in zip(u, v) if a is not ZERO and b is not ZERO), ZERO)


def times(A, B):
    return [[dot(row, column) for column in zip(*B)] for row in A]


def minus(u, v):
    return [a - b for a, b in zip(u, v)]


def second(vector):
    return [Motion(x.second % Motion.p, size=x.size) if x.second % Motion.p else ZERO for x in vector]


def spin(x, y, z):
    """Return the matrix of the vector product with (x, y, z)."""
    return [[ZERO, ZERO - z, y, ZERO], [z, ZERO, ZERO - x, ZERO], [ZERO - y, x, ZERO, ZERO], [ZERO] * 4]


class Machine(Run):
    """A stated machine that moves: without accelerations, or with those that are drawn."""

    def __init__(self, model, field, accelerated):
        self.accelerated, self.lengths, self.formulas, self.stays = accelerated, {}, [], []
        self.frames = {"ground": SimpleNamespace(pose=UNIT, loads={})}
        self.gravity, self.body, self.above = None, None, ""
        self.rows = {name: dict.fromkeys(model.coordinates, ZERO) for name in ("inertial", "gravity", "applied")}
        super().__init__(model, field)
        for frame in [*self.frames.values()][:0:-1]:  # from the last body to the first: the ground carries them all
            for quantity, forces in frame.loads.items():
                self.load(quantity, frame.parent, forces)
                for twist, factor, coordinate in frame.joints:
                    self.rows[quantity][coordinate] += factor * sum(map(dot, twist, forces), ZERO)

    def lookup(self, symbol):
        """Return a symbol that moves: a coordinate, a length, the time."""
        name, value = symbol.rstrip("'"), lambda x: self.algebra.draw("symbol", x) % Motion.p
        if name[0] == "@":
            whole = self.lengths[name][0]
        elif name in self.part.coordinates:
            whole = Motion(value(name), value(name + "'"), value(name + "''") if self.accelerated else 0)
        else:
            return Motion(value(name), int(name == "t"))
        third = self.algebra.draw("third", name, self.accelerated)  # known to nobody
        return whole if name == symbol else Motion(whole.rate, whole.second, third, whole.size)

    def constants(self, words, empty=""):
        """Return atoms that must not change with time, nor, where ``empty`` says so, all be zero."""
        found = self.atoms(words)
        fits = not any(x.rate % Motion.p or x.second % Motion.p for x in found)
        prove(fits, "something changes with time that must be constant")
        prove(not empty or dot(found, found).value % Motion.p, empty)
        return found

    def load(self, quantity, frame, forces):
        """Load a body with forces, or with what it carries: sums of force x (place, 1)."""
        before = frame.loads.get(quantity, [[ZERO] * 4] * 3)
        frame.loads[quantity] = [[a + b for a, b in zip(*rows)] for rows in zip(before, forces)]

    def push(self, name, force):
        self.load("applied", self.frames[name], [[x * row[3] for row in self.frames[name].pose] for x in force])

    def between(self, a, b):
        return minus(*([row[3] for row in self.frames[name].pose[:3]] for name in (a, b)))

    def world(self, name, vector):
        return [dot(row, vector) for row in self.frames[name].pose[:3]]

    def read(self, kind, *words):
        above, self.above, frames, name, rest = self.above, kind, self.frames, words[0], words[1:]
        if kind in ("shift", "turn", "tilt"):
            expect(above in ("body", "shift", "turn", "tilt"), f"{kind} does not stand below its body")
            self.move(kind, self.constants(words[:3]), words[3:])
        elif kind == "gravity":
            expect(not self.body and not self.gravity, "gravity stands twice, or below a body")
            self.gravity = self.atoms(words)
        elif kind == "body":
            expect(name not in frames, f"the name '{name[:40]}' stands twice")
            parent, place = frames[rest[0]], self.constants(rest[1:]) or [ZERO] * 3
            self.body = frames[name] = SimpleNamespace(name=name, parent=parent, joints=[], loads={})
            self.body.pose = times(parent.pose, [[*row[:3], x] for row, x in zip(UNIT, place)] + UNIT[3:])
        elif kind == "mass":
            expect(self.body, "mass does not stand below its body")
            self.add_mass(*self.constants(words))
        elif kind == "force":
            self.push(name, self.atoms(rest))
        elif kind == "moment":  # forces f at places x with the sums f x - x f
            half = self.algebra.number(Fraction(1, 2))
            self.load("applied", frames[name], spin(*(x * half for x in self.world(name, self.atoms(rest)))))
        elif kind == "effort":
            self.rows["applied"][name] += self.atoms(rest)[0]
        elif kind == "armature":
            inertia, *factors = self.constants(words[::2])
            speed = dot(factors, second(map(self.lookup, words[1::2])))
            for factor, name in zip(factors, words[1::2]):
                self.rows["inertial"][name] += inertia * factor * speed
        elif kind in ("length", "rod"):
            apart = self.between(*words[-2:])
            distance = self.algebra.function("#root", [dot(apart, apart)])
            expect(kind == "rod" or name not in self.lengths, f"the name '{name}' stands twice")
            self.lengths[name] = distance, *rest
            self.stays += [distance] if kind == "rod" else []
        elif kind == "push":
            length, a, b = self.lengths[name]
            amount = self.atoms(rest)[0] * self.algebra.inverse(length)
            self.push(a, [x * amount for x in self.between(a, b)])
            self.push(b, [x * amount for x in self.between(b, a)])
        elif kind == "apart":
            self.stays.append(dot(self.between(*words[:2]), self.world(words[2], self.constants(words[3:], NOWHERE))))
        elif kind == "facing":
            self.stays.append(dot(*(self.world(x[0], self.constants(x[1:], NOWHERE)) for x in (words[:4], words[4:]))))
        elif kind in ("row", "rate"):
            self.stays += [x if kind == "row" else Motion(x.value, 0, x.rate, x.size) for x in self.atoms(words)]

    def move(self, kind, axis, angle):
        """Move the body along or about an axis, and keep by which rates of points (x, 1): the twist."""
        body, amount, terms = self.body, ZERO, self.angle(angle) if kind != "tilt" else ()
        s, c = self.algebra.turn(terms) if terms else self.constants(angle)[::-1]
        prove((dot(axis, axis) - ONE).value == 0, "the length of the axis is not 1")
        prove((c * c + s * s - ONE).value == 0, "no cosine and sine: their squares do not add up to 1")
        along, K = self.world(body.name, axis), spin(*axis)
        twist = [[ZERO, ZERO, ZERO, x] for x in along]
        if kind == "turn":
            twist = [[*row[:3], ZERO - dot(row, [x[3] for x in body.pose])] for row in spin(*along)]
        for factor, name, base in terms:
            factor = self.algebra.number(factor)
            amount += factor * base
            if name in self.part.coordinates:
                body.joints.append((twist, factor, name))
            else:
                self.formulas += second([factor * base])
        step = [[*row[:3], x * amount] for row, x in zip(UNIT, axis)] + UNIT[3:]
        if kind != "shift":  # 1 + s K + (1 - c) K K, K x = axis x x (Rodrigues 1840)
            rows = zip(UNIT, K, times(K, K))
            step = [[u + s * v + (ONE - c) * w for u, v, w in zip(*three)] for three in rows]
        body.pose = times(body.pose, step)

    def add_mass(self, m, x, y, z, *tensor):
        """Load the body with what its particles resist, and with their weight: m r'' x (r, 1), m g x (r, 1)."""
        half = self.algebra.number(Fraction(1, 2))
        xx, yy, zz, xy, xz, yz = [x * half for x in tensor] or [ZERO] * 6
        xy, xz, yz = (ZERO - x - x for x in (xy, xz, yz))
        about = [[yy + zz - xx, xy, xz, ZERO], [xy, xx + zz - yy, yz, ZERO], [xz, yz, xx + yy - zz, ZERO], [ZERO] * 4]
        place = x, y, z, ONE
        sums = [[a + m * u * v for a, v in zip(row, place)] for row, u in zip(about, place)]  # of m x x, m x y, ..., m
        sums = times(sums, [*zip(*self.body.pose)])
        self.load("inertial", self.body, times(map(second, self.body.pose[:3]), sums))
        self.load("gravity", self.body, [[g * x for x in sums[3]] for g in self.gravity or [ZERO] * 3])


def derive(model, field):
    """Return the quantities of a machine, in common order."""
    still, moved = Machine(model, field, False), Machine(model, field, True)
    fits = not any(x.value % field.p for x in minus(moved.formulas, still.formulas))
    prove(fits, f"a joint of {model.name} moves by a formula of coordinates")
    names = [model.coordinates[k] for k in model.order]
    found = {load: [rows[name] for name in names] for load, rows in still.rows.items()}
    found["h"] = found.pop("inertial")
    found["M"] = minus([moved.rows["inertial"][name] for name in names], found["h"])
    if still.stays:
        found["gamma"], found["D"] = second(still.stays), minus(second(moved.stays), second(still.stays))
    return found


# Comparison ----------------------------------------------------------------------------------------------------------
# Every quantity is compared over all programs that give it and the machine, entry by entry, in the coordinates of the
# first model and the units of its rows. M is compared as M q'' with random q'', on which it cannot depend (Reading).
# What is given but compared with nothing is refused.
FOLLOWS = {"inertial": ("M", "h", None), "force": ("gravity", "applied", "h")}  # a + b - c
FOLLOWS |= {"inverse_dynamics": ("M", None, "force"), "rows": ("D", "gamma", None)}
ORDER = ("M", "h", "inertial", "gravity", "applied", "force", "inverse_dynamics", "D", "gamma", "rows")
MECHANICS, MOVING = "mechanics of ", {"body", "effort", "armature"}
SENTENCES = """proved (error < 2^-{error}, seed {seed})
Each quantity above (of M q''+h=gravity+applied+D^T lambda, D q''+gamma=0) is the same function of all \
states, parameters and named functions for all that its line lists{same}{left}.
A file that is wrong in this passes with a probability below 2^-{error}{drawn}.
Assumed: the stated machine is the one that you mean (read the model in the file), states exist where no divisor is \
zero, conditions of branches are as stated, and functions known by name only mean the same everywhere ({known}); \
limits, contacts and what is left out are not covered."""


def evaluate(part, field, push):
    """Return the quantities of a program; None: a row that it does not have."""
    run, found = Run(part, field), {}
    for name, rows in run.tables().items():
        found[name] = [dot(row, push) for row in rows] if name in ("M", "D") else rows[0]
        if name in ("D", "gamma") and run.scale:
            expect(len(found[name]) == sum(map(bool, run.scale)), f"{name} of {part.name} has other rows than scale")
            rest = iter(found[name])
            found[name] = [next(rest) * field.number(1 / c) if c else None for c in run.scale]
    return found


def compare(text, field):
    """Return what is proved, quantity -> (sources, rows that are missing, if each is compared), and k of error 2^-k."""
    push = [field.lookup(name + "''") for name in next(iter(text.models.values())).coordinates]
    machines = {MECHANICS + name: derive(model, field) for name, model in text.models.items()}
    empty = {MECHANICS + name for name, model in text.models.items() if not MOVING & {item[0] for item in model.items}}
    programs = {name: evaluate(part, field, push) for name, part in text.programs.items()}
    claims = {name: {*found} for name, found in programs.items()}
    sources, proved = {name: found for name, found in (machines | programs).items() if name not in empty}, {}
    for found in sources.values():
        for name, (a, b, c) in FOLLOWS.items():
            if name not in found and {a, b, c} - {None} <= found.keys():
                columns = [found.get(x) or [ZERO] * len(found[a]) for x in (a, b, c)]
                expect(len({*map(len, columns)}) == 1, f"{a} and {b} have different numbers of rows")
                found[name] = [None if None in row else row[0] + row[1] - row[2] for row in zip(*columns)]
    for quantity in ORDER:
        sides, missing = {name: found[quantity] for name, found in sources.items() if quantity in found}, []
        fits, whole = len({*map(len, sides.values())}) < 2, True
        prove(fits, f"{quantity} has not the same number of rows in {' and '.join(sides)}")
        for row, entries in enumerate(zip(*sides.values()), 1):
            (first, x), *others = [(name, x) for name, x in zip(sides, entries) if x is not None] or [("", None)]
            missing += [f"{name} has no row {row}" for name, x in zip(sides, entries) if x is None]
            fits, whole = others or quantity not in claims.get(first, ()), whole and others
            prove(fits, f"{quantity} {row} of {first} is compared with nothing")
            for name, y in others:
                prove((x.value - y.value) % field.p == 0, f"{quantity} {row} of {name} is not that of {first}")
        if len(sides) > 1:
            proved[quantity] = list(sides), missing, whole
    prove(proved, "nothing is compared: there is one program, or one machine, alone")
    return proved, field.bound()


def verify(data, require=(), seed=None):
    """Return what a certificate proves, in words."""
    drawn = " if its author did not know the seed, which was given" if seed else ": prime and point are drawn anew"
    text, seed, proved, error, lines = Certificate(data), seed or os.urandom(32), {}, 0, []
    own = hashlib.sha256(hashlib.sha256(data).digest() + seed).digest()
    for bits in (256, 512, 1024):
        proved, error = (proved, error) if error >= 118 else compare(text, PrimeField(own, bits, text))
    prove(error >= 64, "degrees are so high that the probability of an error is above 2^-64")
    mechanics = {name for name, (sides, *_) in proved.items() if sides[0].startswith(MECHANICS)}
    for quantity, (sides, missing, _) in proved.items():
        if sides[1].startswith(MECHANICS):
            sides = [f"mechanics of both models ({', '.join(text.models)})", *sides[2:]]
        lines.append(f"{quantity}: {' = '.join(sides)}" + f" ({', '.join(missing)})" * bool(missing))
    for name in require:
        fits = mechanics if name == "mechanics" else name in (mechanics if "mechanics" in require else proved)
        fits = fits and (name not in proved or proved[name][2])
        prove(fits, "\n".join([f"{name} is required, and not proved; proved is", *lines]))
    rows = {"rod", "apart", "facing", "row", "rate"} & {item[0] for x in text.models.values() for item in x.items}
    left = ", ".join(x for x in ["M", "h", "gravity", "applied"] + ["D", "gamma"] * bool(rows) if x not in proved)
    left = f"; nothing is said of {left}" if left else ""
    same = ", and where it lists mechanics, that of the machine that the file states" if mechanics else ""
    known = ", ".join(sorted(text.functions - {"exp"})) or "none here"
    notes = [f"Noted by its author, not proved: {x}" for x in re.findall(r"(?m)^note (.*)$", data.decode("ascii"))]
    said = SENTENCES.format(error=error, seed=seed.hex(), drawn=drawn, same=same, left=left, known=known)
    return "\n".join([*lines, *notes, said])


def main(arguments=None, decide=verify):
    """Verify files and print what they prove; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="+", type=Path)
    parser.add_argument("--require", default="", help="quantities that must be proved, as in mechanics,M,h")
    parser.add_argument("--seed", type=bytes.fromhex, help="the seed that a run printed: repeat it")
    options, code = parser.parse_args(arguments), 0
    gc.disable()
    for path in options.file:
        try:
            fits = path.stat().st_size <= MAX_BYTES and path.is_file()
            expect(fits, f"line 1: this is no file of at most {MAX_BYTES} bytes")
            said = decide(path.read_bytes(), [*filter(None, options.require.split(","))], options.seed)
        except RefusedError as problem:
            said, code = f"refused: {problem}", max(code, 1)
        except (UnreadableError, OSError, MemoryError) as problem:
            said, code = f"not readable: {getattr(problem, 'strerror', None) or problem or 'no memory is left'}", 2
        try:
            print(f"{path}: {said}" if len(options.file) > 1 else said, flush=True)
        except BrokenPipeError:  # who reads has read enough; the exit code tells the rest
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code


if __name__ == "__main__":
    sys.exit(main())
