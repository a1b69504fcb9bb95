"""Verify a certificate of equations of motion. This file needs Python 3.9 or newer and nothing else.

A certificate is a text that states a machine (bodies, joints, masses, forces, constraint rows) and programs (lists of
+ - * / and a few functions) that claim to be parts of its equations of motion

    M q'' + h = gravity + applied + D^T lambda,    D q'' + gamma = 0

This file derives the equations of the machine by itself, from particles and d'Alembert's principle, evaluates machine
and programs at one random point, and compares. Whoever wrote the certificate need not be trusted. The sections are
Reading, Field, Series, Machine, Comparison and Differences; each begins with the reason why it cannot be fooled.

Exit code: 0 everything is proved, 1 something is refused, 2 a file is not readable.
"""

import argparse
import gc
import hashlib
import os
import re
import stat
import sys
from fractions import Fraction
from itertools import count
from math import gcd, lcm, prod
from pathlib import Path

MAX_BYTES, MAX_LINES, MAX_LINE, MAX_WORD = 32 * 10**6, 22 * 10**5, 10**5, 1_100  # of a file, of a line
MAX_STEPS, MAX_MODEL, MAX_COORDINATES, MAX_DIVISORS, MAX_ROOTS = 2 * 10**6, 50_000, 1_000, 1_000, 12
MAX_PERIOD, MAX_TURNS, MAX_SIZE = 1 << 100, 1 << 32, 1 << 160


class UnreadableError(Exception):
    """A text that is no certificate: exit code 2."""


class RefusedError(Exception):
    """A certificate whose claim is not proved: exit code 1."""


def expect(true, reason):
    if not true:
        raise UnreadableError(reason)


def prove(true, reason):
    if not true:
        raise RefusedError(reason)


# Reading -------------------------------------------------------------------------------------------------------------
# The text is untrusted. Its length is asked before it is read, every word must match a pattern as a whole, names
# stand once, and a step refers to earlier steps only: nothing recurs, so nothing can be cyclic or too deep. Numbers
# are exact fractions. M, h and forces must stand before the first acceleration of a program: otherwise a program
# could hide a term of q'' in M and take it back in h, while M q'' + h stays right.

NAME, WHOLE = r"[A-Za-z_@%][\w@%.,()\[\]-]*", r"0|[1-9]\d{0,6}"
NUMBER = r"-?\d+(?:/0*[1-9]\d*|(?:\.\d+)?(?:e-?\d{1,3})?)"
OPERATION = re.compile(rf"([-+*/]) ({WHOLE}) ({WHOLE})", re.ASCII)
QUANTITIES = ("M", "h", "gravity", "applied", "force", "D", "gamma", "inverse_dynamics")
#: Kinds of words: a whole number, another number, a step, a name, a rate of a name, a derivative of a function.
WORD = rf"(?P<k>{WHOLE})|(?P<n>{NUMBER})|(?P<h>#(?:{WHOLE}))|(?P<N>{NAME})|(?P<v>{NAME}'{{1,2}})|(?P<f>{NAME}:[1-9]\d?)"
WORD = re.compile(WORD, re.ASCII)
#: The kinds of the words of each line, in groups; a is a number, symbol or step, p a term of an angle.
LINES = {
    "n": "[kn]", "v": "[Nv]", "^": "kk", "r": "k", "s": "p+", "c": "p+", "f": "[Nf]k+", "out": "(N)(k+)",
    "scale": "([kn]+)", "coordinates": "(N+)", "gravity": "(aaa)", "body": "(NN)((?:aaa)?)", "shift": "(aaa)(p+)",
    "turn": "(aaa)(p+)", "tilt": "(aaa)(aa)", "mass": "(a)(aaa(?:aaaaaa)?)", "force": "(N)(aaa)",
    "moment": "(N)(aaa)", "effort": "(N)(a)", "armature": "(a)((?:Na)+)", "length": "(NNN)", "push": "(N)(a)",
    "rod": "(NN)", "apart": "(NNN)(aaa)", "facing": "(N)(aaa)(N)(aaa)", "row": "(a)", "rate": "(a)",
}  # fmt: skip
SHAPES = {kind: re.compile(x.replace("a", "[knhNv]").replace("p", "(?:[kn][khNv])")) for kind, x in LINES.items()}


class Part:
    """A model or a program: its lines, each a kind, words and its place in the text."""

    def __init__(self, name, model, match):
        self.name, self.model, self.match, self.taken = name, model or self, match, {*match.values()}
        self.items, self.size, self.coordinates, self.order, self.numbers = [], 0, [], [], {}
        self.accelerated = False

    def common(self, word):
        """Return what a symbol is called in common with the other model."""
        name, model = word.rstrip("'"), self.model
        fits = name in model.match or name not in model.taken
        expect(fits, f"'{name[:40]}' and another symbol of {model.name} are called alike")
        common = model.match.get(name, name)
        fits = name == word or common in model.coordinates or name[0] == "@"
        expect(fits, f"'{word[:40]}' is the rate of no coordinate")
        return common + word[len(name) :]


class Certificate:
    """A text, read: models and programs."""

    def __init__(self, data):
        self.models, self.programs, self.match, self.line, self.steps, part = {}, {}, ("", {}), 1, 0, None
        self.periods, self.primes, self.functions = {"pi": 4}, set(), set()
        try:
            lines = self.split(data)
            for self.line, line in enumerate(lines, 1):
                if line == "end" and part:
                    part = self.end(part.model, *list(self.models.values())[:1])
                elif self.line > 1 and line[:5] != "note ":
                    part = self.read(part, line) if part else self.begin(*line.split(" "))
            expect(not part and self.models and not self.match[0], "a model or a program is missing, or has no end")
        except UnreadableError as problem:
            raise UnreadableError(f"line {self.line}: {problem}") from None

    def split(self, data):
        """Return the lines but the last, which is their sum."""
        expect(data[:2] not in (b"\xff\xfe", b"\xfe\xff"), "the text is UTF-16, a certificate is ASCII")
        bad = re.search(rb"[^\n -~]|[^\n]{%d}" % MAX_LINE, data)
        end = bad.start() if bad else data.rfind(b"\n", 0, -1) + 1
        self.line += data.count(b"\n", 0, end)
        what = f"byte {bad[0].hex()} is not printable ASCII" if bad and len(bad[0]) == 1 else ""
        expect(not bad and self.line <= MAX_LINES, what or f"more than {MAX_LINE} characters, or {MAX_LINES} lines")
        last = re.fullmatch(rb"sum ([0-9a-f]{64})\n", data[end:])
        expect(last, "the text is cut off: its last line is not 'sum SHA256'")
        right = last[1].decode() == hashlib.sha256(data[:end]).hexdigest()
        expect(right, "the sum at the end is not that of the text: it was changed on its way")
        self.line = 1
        expect(data[:9] == b"mbcert 1\n", "the first line is not 'mbcert 1'")
        return (found[0][:-1] for found in re.finditer(r".*\n", data[:end].decode("ascii")))

    def begin(self, kind, *words):
        """Read a line outside of models and programs; return the model or program that it begins."""
        expect(kind != "state", "a certificate of a difference is verified by verify_difference.py")
        pairs = [word.split("=") for word in words[1:]] if kind == "match" else []
        names = [*words[:1], *(x for pair in pairs for x in pair)] if kind == "match" else words
        (matched, match), known = self.match, {"model": self.models, "program": self.programs}.get(kind, {})
        fits = words and all(len(x) <= MAX_WORD and re.fullmatch(NAME, x, re.ASCII) for x in names)
        expect(fits and words[0] not in known, f"'{kind[:40]}' cannot stand here, or a name stands twice or is none")
        if kind == "model" and len(words) == 1 and len(known) < 2 and matched in ("", *words):
            known[words[0]] = Part(words[0], None, match)
        elif kind == "program" and len(words) == 2 and words[1] in self.models and not matched:
            known[words[0]] = Part(words[0], self.models[words[1]], {})
        else:
            fits = kind == "match" and pairs and len(self.models) == 1 and not matched
            expect(fits and all(len(x) == 2 for x in pairs), f"'{kind[:40]}' cannot stand here")
            fits = all(len({*column} - {"t", "pi"}) == len(pairs) for column in zip(*pairs))
            expect(fits, "a name stands twice in the match, or t or pi is renamed")
        self.match = (words[0], dict(pairs)) if pairs else ("", {})
        return known.get(words[0])

    def end(self, model, first):
        """See that the coordinates of a model are those of the first."""
        fits = model.coordinates and sorted(model.coordinates) == sorted(first.coordinates)
        expect(fits, f"coordinates of {model.name} are not matched one to one with those of {first.name}")
        model.order = [model.coordinates.index(name) for name in first.coordinates]

    def read(self, part, line):
        """Read a line of a model or a program."""
        found, of_model = OPERATION.fullmatch(line), part is part.model
        if found:
            kind, words = found[1], (int(found[2]), int(found[3]))
            steps = words
        else:
            kind, *words = line.split(" ")
            kinds = [WORD.fullmatch(word) if len(word) <= MAX_WORD else None for word in words]
            bad = next((word[:40] for word, x in zip(words, kinds) if not x), None)
            expect(bad is None, f"'{bad}' is no number of at most {MAX_WORD} characters, no name and no step")
            shape = kind in SHAPES and SHAPES[kind].fullmatch("".join(x.lastgroup for x in kinds))
            fits = shape and (len(kind) == 1 or of_model == (kind not in ("out", "scale")))
            expect(fits, f"'{kind[:40]}' is no line of a {'model' if of_model else 'program'}, or has other words")
            give = {"h": lambda x: int(x[1:]), "k": int if kind in ("^", "r", "f", "out") else Fraction, "n": Fraction}
            words = [give.get(x.lastgroup, str)(word) for word, x in zip(words, kinds)]
            steps = [word for word in words if type(word) is int][: 1 if kind == "^" else None]
            self.steps += 7 * len(words) + (words[1] if kind == "^" else 0)
            part.accelerated = part.accelerated or "''" in line
            self.prepare(part, kind, words)
            words = [self.line, *(words[i:j] for i, j in shape.regs[1:])] if len(kind) > 1 else words
        expect(part.model.coordinates, "a model begins with its coordinates")
        expect(max(steps, default=-1) < part.size, "a step refers to one that does not stand before this line")
        part.items.append((kind, *words))
        self.steps, part.size = self.steps + 1, part.size + (len(kind) == 1)
        fits = self.steps <= MAX_STEPS and (not of_model or len(part.items) <= MAX_MODEL)
        expect(fits, f"more than {MAX_STEPS} steps (7 for each other word), or {MAX_MODEL} lines of a model")
        return part

    def prepare(self, part, kind, words):
        """Keep what must be known before a prime is drawn: periods of angles, primes under roots."""
        fits = not part.accelerated or (part is not part.model and (kind != "out" or words[0] == "inverse_dynamics"))
        expect(fits, "a machine, M, h and forces cannot depend on accelerations, which stand before them")
        if kind == "coordinates":
            fits = not part.coordinates and len({*words, "t", "pi"}) - 2 == len(words) <= MAX_COORDINATES
            expect(fits, f"coordinates stand twice, or are called t or pi, or are more than {MAX_COORDINATES}")
            part.coordinates = [part.common(name) for name in words]
        elif kind == "n":
            part.numbers[part.size] = words[0]
        elif kind == "f":
            self.functions.add(words[0].partition(":")[0])
        elif kind == "r" and words[0] in part.numbers:
            x = part.numbers[words[0]]
            self.primes.add(int(x))
            fits = x.denominator == 1 < x < 10**6 and factorize(int(x)) == {x} and len(self.primes) <= MAX_ROOTS
            expect(fits, f"a root of a number that is no prime below 10^6, or of more than {MAX_ROOTS} primes")
        angle = words if kind in ("s", "c") else words[3:] if kind in ("shift", "turn") else ()
        for factor, base in zip(angle[::2], angle[1::2]):
            expect(base == 1 or type(base) is not Fraction, f"{base} is no symbol, 1, pi or #step")
            key = "#" if type(base) is int else "1" if base == 1 else part.common(base)
            self.periods[key] = lcm(self.periods.get(key, 1), factor.denominator)
            fits = key[0] != "@" and self.periods[key] <= (MAX_TURNS if key == "pi" else MAX_PERIOD)
            expect(fits, "the common period of angles is above the limit, or an angle is a length")


def factorize(n):
    """Return the primes that divide a number."""
    found, d = set(), 2
    while d * d <= n:
        if n % d:
            d += 1
        else:
            n //= d
            found.add(d)
    return found | {n} - {1}


# Field ---------------------------------------------------------------------------------------------------------------
# A wrong equation is zero at a random point of a random prime field with a probability of about its degree over the
# prime (Schwartz 1980, Zippel 1979). Prime and point are drawn from the file's hash and fresh random bytes, so no file
# can be written to suit them. With every value goes a size, computed here and never read: the value is a polynomial in
# symbols, numbers and inverses of divisors, whose degree, and whose sum of coefficients in bits, are no larger. Cosine
# and sine are (z + 1/z) / 2 and (z - 1/z) / 2i, where i^2 = -1 and z is random for each symbol and a product for a sum
# of angles: c^2 + s^2 = 1 and all theorems of addition hold of themselves. z of pi is a root of unity, and roots of
# primes agree with it. A function known by name, a root, an exponential is a random element for each value of its
# arguments: equal arguments have equal results, and nothing else is taken for granted.


class PrimeField:
    """A random prime field and a random point in it: an element for each symbol and each value of a function."""

    def __init__(self, seed, bits, text):
        self.seed, self.bits, self.periods, self.largest, self.calls = seed, bits, text.periods, 1, set()
        self.symbols, self.numbers, self.angles, self.divisors = {}, {}, {}, {}
        self.order = order = 2 * text.periods["pi"]  # a multiple of 8
        self.weight = 64 + 64 * len(text.primes) + order.bit_length()  # bits of all numbers
        self.p = p = Motion.p = self.draw_prime([q for q in text.primes if order % q])
        units = (pow(self.draw("unit", k), p // order, p) for k in count())
        self.unit = next(z for z in units if all(pow(z, order // q, p) != 1 for q in factorize(order)))
        self.angles["pi"], self.i = self.unit, pow(self.unit, order // 4, p)
        self.roots = {q: Motion(self.find_root(q)) for q in text.primes}

    def draw(self, *key):
        """Return a random element other than 0, the same for the same key."""
        stream = hashlib.shake_256(self.seed + repr((self.bits, *key)).encode())
        return int.from_bytes(stream.digest(self.bits // 8 + 16), "big") % (self.p - 1) + 1

    def draw_prime(self, squares):
        """Draw a prime p, p - 1 an odd multiple of the order, modulo which these primes are squares."""
        small, order, twos = prod(range(3, 2000, 2)), self.order, self.order & -self.order
        for k in count():
            stream = hashlib.shake_256(self.seed + b"%d %d" % (self.bits, k)).digest(self.bits // 8)
            self.p = p = (int.from_bytes(stream, "big") | 1 << self.bits - 1) // (2 * order) * 2 * order + order + 1
            if gcd(p, small) == 1 and all(pow(p, q // 2, q) == 1 for q in squares):
                bases = [self.draw("base", n) % (p - 3) + 2 for n in range(28)]  # (Miller 1976, Rabin 1980)
                powers = ([pow(b, p // twos << k, p) for k in range(twos.bit_length() - 1)] for b in bases)
                if all(x[0] == 1 or p - 1 in x for x in powers):
                    return p

    def find_root(self, q):
        """Return the root of a prime: a product of sines of fractions of pi where the order has these (Gauss 1811)."""
        p, order, half, multiple = self.p, self.order, max(1, q // 2), 1
        if order % q == 0:
            z = pow(self.unit, order // (2 * q if q > 2 else 8), p)
            root = pow(self.i, half, p) * pow(z, -half * (half + 1) // 2, p)
            for _ in range(half):
                multiple = multiple * z * z % p
                root = root * (1 - multiple) % p
            return root
        twos = order & -order  # those of p - 1 (Tonelli 1891)
        root, rest, z = pow(q, p // twos + 1 >> 1, p), pow(q, p // twos, p), pow(self.unit, order // twos, p)
        while twos > 2:
            twos //= 2
            if pow(rest, twos // 2, p) != 1:
                root, rest = root * z % p, rest * z * z % p
            z = z * z % p
        return root

    def lookup(self, name):
        """Return a symbol or a rate: a random element that does not move."""
        return self.symbols.get(name) or self.symbols.setdefault(name, Motion(self.draw("symbol", name)))

    def number(self, x):
        """Return an exact number."""
        if x not in self.numbers:
            self.weight += x.numerator.bit_length() + x.denominator.bit_length()
            self.numbers[x] = Motion(x.numerator * pow(x.denominator, -1, self.p) % self.p) if x else ZERO
        return self.numbers[x]

    def inverse(self, x):
        """Return 1 / x, and keep the divisor."""
        prove(x.value % self.p, "a division by zero")
        size, w = self.divisors.get(x.value % self.p) or (0, pow(x.value, -1, self.p))
        self.divisors[x.value % self.p] = max(size, x.size), w
        prove(len(self.divisors) <= MAX_DIVISORS, f"more than {MAX_DIVISORS} different divisors")
        return x.compose(w, -w * w, 2 * w**3, 4)

    def function(self, name, arguments):
        """Return a function: for each value of the arguments one element; sign is odd."""
        x, p, values = arguments[0], self.p, [y.value % self.p for y in arguments]
        moves = [(y.rate % p, y.second % p) for y in arguments]
        self.largest = max(self.largest, *(y.size for y in arguments))
        odd = name == "sign" and len(values) == 1 and 2 * values[0] > p
        values[0] = p - values[0] if odd else values[0]
        self.calls.add((name, *values))
        value = self.draw("function", name, values) * (-1 if odd else values != [0] or name != "sign")
        if not any(map(any, moves)):
            return Motion(value)
        if len(arguments) > 1:  # rates that nothing else has
            return Motion(value, *(self.draw(rate, name, values, moves) for rate in ("rate", "second")))
        if name == "exp":
            return x.compose(value, value, value, 1)
        if name == "#root":  # no function of a text is called so
            first = self.inverse(Motion(2 * value)).value
            return x.compose(value, first, -2 * first**3, 6)
        base, _, order = name.partition(":")
        still = [Motion(x.value, size=x.size)]
        return x.compose(value, *(self.function(f"{base}:{int(order or 0) + k}", still).value for k in (1, 2)), 1)

    def turn(self, angle):
        """Return (sine, cosine) of the sum of number x base, each base with its name and what it is."""
        total, z, size, p = ZERO, 1, 2, self.p
        for factor, name, base in angle:
            total, exponent, key = total + self.number(factor) * base, int(factor * self.periods[name]), name
            if name == "#":  # tied by its value, up to the sign
                self.largest, value = max(self.largest, base.size), base.value % p
                exponent, key = (-exponent, (name, p - value)) if 2 * value > p else (exponent, (name, value))
            if key != ("#", 0):
                unit = self.angles.get(key) or self.angles.setdefault(key, self.draw("angle", key))
                z, size = z * pow(unit, exponent, p) % p, size + 2 * abs(exponent) * (name != "pi")
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
        degree = self.largest * (1 + len(self.angles)) * (1 + self.weight) << lost + 1
        degree *= prod(size + 1 for size, _ in self.divisors.values())
        degree *= (1 + len(self.calls) + len(self.angles)) ** 2 + len(self.divisors)
        return min(self.bits - 24 - degree.bit_length(), 127) - lost


# Series --------------------------------------------------------------------------------------------------------------
# What moves is a value with its first and second rate, and there are only the rules for sums, products and f(x): no
# formula of mechanics. The machine moves twice: with accelerations that are zero, and with random ones; what resists
# the first time is h, what is added the second time is M q''.


class Motion:
    """A value, its first and second rate, modulo p, and its size."""

    __slots__ = ("rate", "second", "size", "value")
    p = 0

    def __init__(self, value, rate=0, second=0, size=1):
        self.value, self.rate, self.second, self.size = value, rate, second, size
        prove(size <= MAX_SIZE, "a degree is above the limit of 2^160")

    def __add__(self, other):
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
        self.part, self.algebra, self.values, self.results, self.scale = part, algebra, [], {}, ()
        kind, values, numbers, self.line = "", self.values, part.numbers, 0
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
                    self.line = words[0]
                    self.read(kind, *words[1:])
        except KeyError as name:
            raise UnreadableError(
                f"line {self.line}: {name} is no body, coordinate or length that stands above"
            ) from None
        except (RefusedError, UnreadableError) as problem:
            place = f"step {len(values)} of {part.name}" if kind in steps else f"line {self.line}"
            raise type(problem)(f"{place}: {problem}") from None

    def lookup(self, symbol):
        return self.algebra.lookup(self.part.common(symbol))

    def atoms(self, words):
        """Return the values of numbers, symbols and steps."""
        give = {Fraction: self.algebra.number, int: self.values.__getitem__, str: self.lookup}
        return [give[type(word)](word) for word in words]

    def angle(self, words):
        """Return an angle as triples: a number, the name and the value of what it is a multiple of."""
        give = {Fraction: str, int: lambda _: "#", str: self.part.common}
        names = [give[type(word)](word) for word in words[1::2]]
        return list(zip(words[::2], names, self.atoms(words[1::2])))

    def read(self, kind, *words):
        """Take a result or the scale of a program."""
        if kind == "scale":
            expect(not self.scale, "the scale stands twice")
            self.scale = words[0]
        else:
            expect(words[0][0] in QUANTITIES, f"'{words[0][0][:40]}' is no quantity")
            self.results.setdefault(words[0][0], []).extend(self.atoms(words[1]))

    def tables(self):
        """Return the results row by row, in common order."""
        order, found = self.part.model.order, {}
        for name, flat in self.results.items():
            width = len(flat) if name == "gamma" else len(order)
            rows = [flat[k : k + width] for k in range(0, len(flat), width)]
            fits = len(flat) % width == 0 and (name == "D" or len(rows) == (width if name == "M" else 1))
            expect(fits, f"{name} of {self.part.name} has not whole rows: entries {len(flat)}, coordinates {width}")
            rows = [rows[k] for k in order] if name == "M" else rows
            found[name] = rows if name == "gamma" else [[row[k] for k in order] for row in rows]
        return found


# Machine -------------------------------------------------------------------------------------------------------------
# Each frame is three axes and an origin that move. A mass is particles: each resists by m r''. Their forces and moments
# need the axes, their second rates and the sums of m x y; no angular velocity, and none of the formulas that textbooks
# and programs share. Forces and moments (about the world's origin) are added up the tree; their work along the axis of
# a joint is its row (d'Alembert). Whatever must be constant is looked at: its rates must be zero, an axis must have
# length 1, and a joint moves by coordinates and functions of time, not by formulas of coordinates.


NOTHING = [ZERO] * 3


def dot(u, v):
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]


def cross(u, v):
    return [u[i] * v[j] - u[j] * v[i] for i, j in ((1, 2), (2, 0), (0, 1))]


def add(u, v):
    return [a + b for a, b in zip(u, v)]


def minus(u, v):
    return [a - b for a, b in zip(u, v)]


def second(vector):
    """Return the second rates alone."""
    return [Motion(x.second % Motion.p, size=x.size) if x.second % Motion.p else ZERO for x in vector]


class Frame:
    """Axes (rows of the matrix are world axes) and origin of a body, and its joints."""

    def __init__(self, parent, axes, origin):
        self.parent, self.axes, self.origin, self.joints = parent, axes, origin, []

    def world(self, vector):
        return [dot(row, vector) for row in self.axes]


class Machine(Run):
    """A stated machine that moves: without accelerations, or with those that are drawn."""

    def __init__(self, model, field, accelerated):
        self.accelerated, self.lengths, self.formulas, self.stays, self.rates = accelerated, {}, [], [], []
        self.frames = {"ground": Frame(None, [[ONE, ZERO, ZERO], [ZERO, ONE, ZERO], [ZERO, ZERO, ONE]], NOTHING)}
        self.gravity, self.body, self.above = NOTHING, None, ""
        self.rows = {name: dict.fromkeys(model.coordinates, ZERO) for name in ("inertial", "gravity", "applied")}
        super().__init__(model, field)

    def lookup(self, symbol):
        """Return a symbol that moves: a coordinate, a length, the time."""
        symbol = self.part.common(symbol)
        name, value = symbol.rstrip("'"), lambda x: self.algebra.lookup(x).value
        if name[0] != "@" and name not in self.part.coordinates:
            return Motion(value(name), int(name == "t"))
        if name[0] == "@":
            whole = self.lengths[name][0]
        else:
            whole = Motion(value(name), value(name + "'"), value(name + "''") if self.accelerated else 0)
        third = self.algebra.draw("third", name, self.accelerated)  # known to nobody
        return whole if name == symbol else Motion(whole.rate, whole.second, third, whole.size)

    def constants(self, words):
        """Return atoms that must not change with time."""
        for x in self.atoms(words):
            for rate in (x.rate, x.second):
                self.expect_zero(Motion(rate, size=x.size), "something changes with time that must be constant")
        return self.atoms(words)

    def expect_zero(self, x, reason):
        self.algebra.largest = max(self.algebra.largest, x.size)
        prove(x.value % Motion.p == 0, reason)

    def load(self, name, frame, force, moment):
        """Add the work of a force and a moment (about the world's origin) along all joints of a body to the rows."""
        while frame.parent:
            for kind, axis, point, factor, coordinate in frame.joints:
                lever = force if kind == "shift" else minus(moment, cross(point, force))
                self.rows[name][coordinate] += factor * dot(axis, lever)
            frame = frame.parent

    def push(self, frame, force):
        """Load a body with a force at its origin."""
        self.load("applied", frame, force, cross(frame.origin, force))

    def between(self, a, b):
        return minus(self.frames[a].origin, self.frames[b].origin)

    def distance(self, a, b):
        return self.algebra.function("#root", [dot(self.between(a, b), self.between(a, b))])

    def read(self, kind, *words):
        """Do what a line says; the words of a line are names, atoms, names and atoms."""
        above, self.above, field, frames = self.above, kind, self.algebra, self.frames
        names, (atoms, *rest) = words[0], words[1:] or [()]
        if kind in ("shift", "turn", "tilt"):
            expect(above in ("body", "shift", "turn", "tilt"), f"{kind} does not stand below its body")
            self.move(kind, names, atoms)
        elif kind == "gravity":
            expect(not self.body and self.gravity is NOTHING, "gravity stands twice, or below a body")
            self.gravity = self.atoms(names)
        elif kind == "body":
            expect(names[0] not in frames, f"the name '{names[0][:40]}' stands twice")
            parent, place = frames[names[1]], self.constants(atoms)
            origin = add(parent.origin, parent.world(place or NOTHING))
            self.body = frames[names[0]] = Frame(parent, parent.axes, origin)
        elif kind == "mass":
            expect(self.body, "mass does not stand below its body")
            self.add_mass(*self.constants(names + atoms))
        elif kind == "force":
            self.push(frames[names[0]], self.atoms(atoms))
        elif kind == "moment":
            self.load("applied", frames[names[0]], NOTHING, frames[names[0]].world(self.atoms(atoms)))
        elif kind == "effort":
            self.rows["applied"][self.part.common(names[0])] += self.atoms(atoms)[0]
        elif kind == "armature":
            own, numbers = atoms[::2], self.constants(atoms[1::2] + names)
            speed = sum((c * second([self.lookup(name)])[0] for c, name in zip(numbers, own)), ZERO)
            for c, name in zip(numbers, own):
                self.rows["inertial"][self.part.common(name)] += numbers[-1] * c * speed
        elif kind == "length":
            name, *ends = names
            expect(name[0] == "@" and name not in self.lengths, "a length has a name of its own with @")
            self.lengths[name] = self.distance(*ends), ends
        elif kind == "push":
            length, ends = self.lengths[names[0]]
            amount = self.atoms(atoms)[0] * field.inverse(length)
            for a, b in (ends, ends[::-1]):
                self.push(frames[a], [x * amount for x in self.between(a, b)])
        elif kind == "rod":
            self.stays.append(self.distance(*names))
        elif kind == "apart":
            self.stays.append(dot(self.between(*names[:2]), frames[names[2]].world(self.constants(atoms))))
        elif kind == "facing":
            u, v = (frames[x[0]].world(self.constants(side)) for x, side in ((names, atoms), rest))
            self.stays.append(dot(u, v))
        elif kind in ("row", "rate"):
            (x,) = self.atoms(names)
            self.stays.append(x if kind == "row" else Motion(x.value, 0, x.rate, x.size))

    def move(self, kind, axis, angle):
        """Move the body along or about an axis."""
        body, axis, amount = self.body, self.constants(axis), ZERO
        along = body.world(axis)
        self.expect_zero(dot(axis, axis) - ONE, "the length of the axis is not 1")
        if kind == "tilt":
            c, s = self.constants(angle)
            self.expect_zero(c * c + s * s - ONE, "no cosine and sine: their squares do not add up to 1")
        else:
            angle = self.angle(angle)
            s, c = self.algebra.turn(angle)
            for factor, name, base in angle:
                factor = self.algebra.number(factor)
                amount += factor * base
                if name in self.part.coordinates:
                    body.joints.append((kind, along, body.origin, factor, name))
                else:
                    self.formulas += second([factor * base])
        if kind == "shift":
            body.origin = add(body.origin, [x * amount for x in along])
        else:
            self.rotate(axis, s, c)

    def rotate(self, axis, s, c):
        """Turn the axes of the body about one of them (Rodrigues 1840)."""
        columns = []
        for k, unit in enumerate(self.frames["ground"].axes):
            across, along = cross(axis, unit), (ONE - c) * axis[k]
            columns.append(self.body.world([c * x + s * y + along * z for x, y, z in zip(unit, across, axis)]))
        self.body.axes = [list(row) for row in zip(*columns)]

    def add_mass(self, m, x, y, z, *tensor):
        """Load the body with what its particles resist, and with their weight."""
        body, moment = self.body, NOTHING
        place = add(body.origin, body.world([x, y, z]))
        if tensor:
            half, (xx, yy, zz, xy, xz, yz) = self.algebra.number(Fraction(1, 2)), tensor
            a, b, c = ((u + v - w) * half for u, v, w in ((yy, zz, xx), (xx, zz, yy), (xx, yy, zz)))
            xy, xz, yz = minus(NOTHING, [xy, xz, yz])
            sums = [[a, xy, xz], [xy, b, yz], [xz, yz, c]]  # of m x x, m x y, ...
            arms, rates = [[dot(row, axis) for row in sums] for axis in body.axes], [*map(second, body.axes)]
            moment = [dot(arms[i], rates[j]) - dot(arms[j], rates[i]) for i, j in ((1, 2), (2, 0), (0, 1))]
        force, weight = [m * x for x in second(place)], [m * x for x in self.gravity]
        self.load("inertial", body, force, add(moment, cross(place, force)))
        self.load("gravity", body, weight, cross(place, weight))


def derive(model, field):
    """Return the quantities of a machine, in common order."""
    still, moved = Machine(model, field, False), Machine(model, field, True)
    for x in minus(moved.formulas, still.formulas):
        still.expect_zero(x, f"a joint of {model.name} moves by a formula of coordinates")
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

#: What follows from other quantities: a + b - c.
FOLLOWS = {
    "inertial": ("M", "h", None), "force": ("gravity", "applied", "h"),
    "inverse_dynamics": ("M", None, "force"), "rows": ("D", "gamma", None),
}  # fmt: skip
ORDER = ("M", "h", "inertial", "gravity", "applied", "force", "inverse_dynamics", "D", "gamma", "rows")
MECHANICS = "mechanics of "


def evaluate(part, field, push):
    """Return the quantities of a program; None: a row that it does not have."""
    run, found = Run(part, field), {}
    for name, rows in run.tables().items():
        found[name] = [sum((x * y for x, y in zip(row, push)), ZERO) for row in rows] if name in ("M", "D") else rows[0]
        if name in ("D", "gamma") and run.scale:
            expect(len(found[name]) == sum(map(bool, run.scale)), f"{name} of {part.name} has other rows than scale")
            rest = iter(found[name])
            found[name] = [next(rest) * field.number(1 / c) if c else None for c in run.scale]
    return found


def compare(text, field):
    """Return what is proved, quantity -> (sources, rows that are missing), and k of the error 2^-k."""
    sources, claims, proved = {}, {}, {}
    push = [field.lookup(name + "''") for name in next(iter(text.models.values())).coordinates]
    for name, model in text.models.items():
        found = derive(model, field)
        if any(item[0] in ("body", "effort", "armature") for item in model.items):
            sources[MECHANICS + name] = found
    for name, part in text.programs.items():
        sources[name] = evaluate(part, field, push)
        claims[name] = {*sources[name]}
    for found in sources.values():
        for name, (a, b, c) in FOLLOWS.items():
            if name not in found and {a, b, c} - {None} <= found.keys():
                columns = [found.get(x) or [ZERO] * len(found[a]) for x in (a, b, c)]
                expect(len({*map(len, columns)}) == 1, f"{a} and {b} have different numbers of rows")
                found[name] = [None if None in row else row[0] + row[1] - row[2] for row in zip(*columns)]
    for quantity in ORDER:
        sides, missing = {name: found[quantity] for name, found in sources.items() if quantity in found}, []
        fits = len({len(rows) for rows in sides.values()}) < 2
        prove(fits, f"{quantity} has not the same number of rows in {' and '.join(sides)}")
        for row, entries in enumerate(zip(*sides.values()), 1):
            (first, x), *others = [(name, x) for name, x in zip(sides, entries) if x is not None] or [("", None)]
            missing += [f"{name} has no row {row}" for name, x in zip(sides, entries) if x is None]
            fits = others or quantity not in claims.get(first, ())
            prove(fits, f"{quantity} {row} of {first} is compared with nothing")
            for name, y in others:
                field.largest = max(field.largest, x.size, y.size)
                prove((x.value - y.value) % field.p == 0, f"{quantity} {row} of {name} is not that of {first}")
        if len(sides) > 1:
            proved[quantity] = list(sides), missing
    prove(proved, "nothing is compared: there is one program, or one machine, alone")
    return proved, field.bound()


def verify(data, require=(), seed=None):
    """Return what a certificate proves, in words."""
    text, seed = Certificate(data), seed or os.urandom(32)
    proved, error, own = {}, 0, hashlib.sha256(hashlib.sha256(data).digest() + seed).digest()
    for bits in (256, 512, 1024):
        proved, error = (proved, error) if error >= 118 else compare(text, PrimeField(own, bits, text))
    prove(error >= 64, "degrees are so high that the probability of an error is above 2^-64")
    mechanics, lines = {name for name, (sides, _) in proved.items() if sides[0].startswith(MECHANICS)}, []
    for quantity, (sides, missing) in proved.items():
        machines = [side[len(MECHANICS) :] for side in sides if side.startswith(MECHANICS)]
        if len(machines) == 2:
            sides = [f"mechanics of both models ({', '.join(machines)})", *sides[2:]]
        lines.append(f"{quantity}: {' = '.join(sides)}" + f" ({', '.join(missing)})" * bool(missing))
    for name in require:
        fits = mechanics if name == "mechanics" else name in (mechanics if "mechanics" in require else proved)
        prove(fits, "\n".join([f"{name} is required, and not proved; proved is", *lines]))
    left = ", ".join(name for name in ("M", "h", "gravity", "applied") if name not in proved)
    left = f"; nothing is said of {left}" if left else ""
    same = ", and where it lists mechanics, that of the machine that the file states" if mechanics else ""
    known = ", ".join(sorted(text.functions - {"exp"})) or "none here"
    return "\n".join([
        *lines,
        *(f"Noted by its author, not proved: {note}" for note in re.findall(r"(?m)^note (.*)$", data.decode("ascii"))),
        f"proved (error < 2^-{error}, seed {seed.hex()})",
        "Each quantity above is the same function of all states, parameters and named functions for all that its line"
        f" lists{same}{left}.",
        f"A file that is wrong in this passes with a probability below 2^-{error}: prime and point are drawn anew.",
        "Assumed: the stated machine is the one that you mean (read the model in the file), states exist where no"
        " divisor is zero, conditions of branches are as stated, and functions known by name only mean the same"
        f" everywhere ({known}); limits, contacts and what is left out are not covered.",
    ])  # fmt: skip


def main(arguments=None, decide=verify):
    """Verify files and print what they prove; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="+")
    parser.add_argument("--require", default="", help="quantities that must be proved, as in mechanics,M,h")
    parser.add_argument("--seed", type=bytes.fromhex, help="the seed that a run printed: repeat it")
    options, code = parser.parse_args(arguments), 0
    gc.disable()
    for path in options.file:
        try:
            kind = Path(path).stat()
            fits = stat.S_ISREG(kind.st_mode) and kind.st_size <= MAX_BYTES
            expect(fits, f"line 1: this is no file of at most {MAX_BYTES} bytes")
            said = decide(Path(path).read_bytes(), [*filter(None, options.require.split(","))], options.seed)
        except RefusedError as problem:
            said, code = f"refused: {problem}", max(code, 1)
        except (UnreadableError, OSError) as problem:
            said, code = f"not readable: {getattr(problem, 'strerror', None) or problem}", 2
        print(f"{path}: {said}" if len(options.file) > 1 else said)
    return code


if __name__ == "__main__":
    sys.exit(main())
