"""Verify a certificate of equations of motion. This file needs Python 3.9 or newer and nothing else.

A certificate is a text that states a machine (bodies, joints, masses, forces, constraint rows) and programs (lists of
+ - * / and a few functions) that claim to be parts of its equations of motion

    M q'' + h = gravity + applied + D^T lambda,    D q'' + gamma = 0

This file derives the equations of the machine by itself, from particles and d'Alembert's principle, evaluates machine
and programs at one random point, and compares. Whoever wrote the certificate need not be trusted. The sections are
Reading, Field, Series, Machine and Comparison; each begins with the reason why it cannot be fooled.

Exit code: 0 everything is proved, 1 something is refused, 2 a file is not readable.
"""

import argparse
import gc
import hashlib
import operator
import os
import re
import stat
import sys
from array import array
from fractions import Fraction
from itertools import chain
from math import gcd, isqrt
from pathlib import Path

MAX_BYTES, MAX_LINES, MAX_LINE = 32 * 10**6, 22 * 10**5, 10**5  # of a file; characters of a line
MAX_STEPS, MAX_LEAVES, MAX_TERMS = 2 * 10**6, 2 * 10**5, 10**5  # steps and results; numbers, symbols; terms of angles
MAX_MODEL, MAX_COORDINATES = 50_000, 1_000  # lines of a model
MAX_DIGITS, MAX_PERIOD, MAX_SIZE, MAX_DIVISORS = 1_100, 1 << 100, 1 << 160, 1_000
MAX_PRIME, MAX_ROOTS, MAX_RADICANDS, MAX_EXACT = 10**6, 12, 64, 10**4  # of roots of numbers; results of numbers


class UnreadableError(Exception):
    """A text that is no certificate: exit code 2."""


class RefusedError(Exception):
    """A certificate whose claim is not proved: exit code 1."""


# Reading -------------------------------------------------------------------------------------------------------------
# The text is untrusted. Its length is asked before it is read, every line must match a pattern as a whole, names
# stand once, and a step refers to earlier steps only: nothing recurs, so nothing can be cyclic or too deep. Numbers
# are exact fractions. M, h and forces must stand before the first acceleration of a program: otherwise a program
# could hide a term of q'' in M and take it back in h, while M q'' + h stays right.

NAME = re.compile(r"[A-Za-z_@%][\w@%.,()\[\]-]*", re.ASCII)
SYMBOL = re.compile(rf"({NAME.pattern})('{{0,2}})", re.ASCII)
FUNCTION = re.compile(rf"{NAME.pattern}(:[1-9]\d?)?", re.ASCII)
NUMBER = re.compile(r"(-?\d+)(?:/(\d+)|(?:\.(\d+))?(?:e(-?\d{1,4}))?)", re.ASCII)
OPERATION = re.compile(r"([-+*/^r]) (0|[1-9]\d{0,6})(?: (0|[1-9]\d{0,6}))?", re.ASCII)
ON_NUMBERS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "^": operator.pow}
QUANTITIES = ("M", "h", "gravity", "applied", "force", "D", "gamma", "inverse_dynamics")
ROWS = ("rod", "apart", "facing", "row", "rate")
#: Words of a line of a model: a atom, b new body, F earlier body, c coordinate, @ length, l new length, * an angle.
LINES = {"gravity": "aaa", "body": "bF|bFaaa", "shift": "aaa*", "turn": "aaa*", "tilt": "aaaaa", "effort": "ca"}
LINES.update({"mass": "aaaa|aaaaaaaaaa", "force": "Faaa", "moment": "Faaa", "length": "lFF", "push": "@a"})
LINES.update({"rod": "FF", "apart": "FFFaaa", "facing": "FaaaFaaa", "row": "a", "rate": "a"})


class Part:
    """A model or a program: steps (a kind and two operands each; of leaves, a place among them), and what they give."""

    def __init__(self, name, model=None, match=()):
        self.name, self.model, self.match = name, model or self, dict(match)
        self.kinds, self.left, self.right, self.leaves, self.exact = [], array("l"), array("l"), [], {}
        self.lines, self.coordinates, self.bodies, self.lengths, self.used = [], [], {"ground"}, {}, set()
        self.results, self.scale, self.order = {}, None, []

    def common(self, name):
        """Return what a symbol is called in common with the other model."""
        return self.match.get(name, name)


class Certificate:
    """A text, read: models, programs, and perhaps a state at which programs are said to differ."""

    def __init__(self, data):
        self.models, self.programs, self.state, self.differences, self.match = {}, {}, {}, [], None
        self.periods, self.radicands, self.functions, self.numbers = {}, {}, set(), {}
        self.line, self.steps, self.leaves, self.terms = 1, 0, 0, 0
        bad = re.search(rb"[^\n -~]", data)
        if data[:2] in (b"\xff\xfe", b"\xfe\xff") or data[1:2] == b"\0":
            self.fail("the text is UTF-16, a certificate is ASCII")
        if bad:
            self.line += data.count(b"\n", 0, bad.start())
            self.fail(f"byte {bad[0].hex()} is not printable ASCII")
        end = data.rfind(b"\n", 0, -1) + 1
        self.line += data.count(b"\n", 0, end)
        if not re.fullmatch(rb"sum [0-9a-f]{64}\n", data[end:]):
            self.fail("the text is cut off: its last line is not 'sum SHA256'")
        if data[end + 4 : -1].decode() != hashlib.sha256(data[:end]).hexdigest():
            self.fail("the sum at the end is not that of the text: it was changed on its way")
        lines = self.give_lines(data[:end].decode("ascii"))
        if next(lines, "") != "mbcert 1":
            self.fail("the first line is not 'mbcert 1'")
        for line in lines:
            self.read_part(line.split(), lines)
        self.check_names()

    def fail(self, reason):
        raise UnreadableError(f"line {self.line}: {reason}")

    def expect(self, true, reason):
        if not true:
            self.fail(reason)

    def give_lines(self, text):
        """Give the lines, without notes."""
        for self.line, found in enumerate(re.finditer(r".*\n", text), 1):
            if found.end() - found.start() > MAX_LINE or self.line > MAX_LINES:
                self.fail(f"the line is longer than {MAX_LINE} characters, or there are more than {MAX_LINES} lines")
            line = found[0][:-1]
            if line[:5] != "note ":
                if not line or "  " in line or " " in (line[0], line[-1]):
                    self.fail("the line is empty, or words are not separated by one space each")
                yield line

    def read_part(self, words, lines):
        """Read what begins with these words."""
        word, count = words[0], len(words)
        if word == "model" and count == 2 and len(self.models) < 2 and (self.match or words[1:])[0] == words[1]:
            name = self.name(words[1], self.models)
            self.models[name] = Part(name, None, self.match[1] if self.match else ())
            self.match = None
            self.read_model(self.models[name], lines)
        elif word == "match" and count > 2 and len(self.models) == 1 and not self.match:
            pairs = [pair.partition("=") for pair in words[2:]]
            own, common = [pair[0] for pair in pairs], [pair[2] for pair in pairs]
            for names in (own, common):
                self.expect(len(set(names)) == len(names), "a name stands twice in the match")
                self.expect(all(map(NAME.fullmatch, names)), "a match is written own=common")
            self.match = words[1], zip(own, common)
        elif word == "program" and count == 3 and words[2] in self.models and not self.match:
            name = self.name(words[1], self.programs)
            self.programs[name] = Part(name, self.models[words[2]])
            self.read_program(self.programs[name], lines)
        elif word == "state" and count > 1 and not self.state:
            for name, _, value in (pair.partition("=") for pair in words[1:]):
                self.expect(SYMBOL.fullmatch(name) and name not in self.state, f"'{name[:40]}': no symbol, or twice")
                self.state[name] = self.number(value)
        elif word == "differs" and count == 6 and self.state:
            right = words[1] in QUANTITIES and words[3] in self.programs and words[4] in self.programs
            self.expect(right and self.number(words[5]) > 0, "differs QUANTITY ENTRY PROGRAM PROGRAM AMOUNT")
            self.differences.append((*words[1:5], self.number(words[5])))
        else:
            self.fail(f"'{word[:40]}' cannot stand here")

    def name(self, word, taken):
        """Return a name that is not yet taken."""
        self.expect(NAME.fullmatch(word), f"'{word[:40]}' is no name")
        self.expect(word not in taken, f"the name '{word[:40]}' stands twice")
        return word

    def number(self, word):
        """Return an exact number."""
        if word not in self.numbers:
            found = NUMBER.fullmatch(word) if len(word) < MAX_DIGITS + 10 else None
            whole, bottom, part, power = found.groups("") if found else [""] * 4
            digits = len(whole + bottom + part) + abs(int(power or 0))
            self.expect(found and digits <= MAX_DIGITS, f"'{word[:40]}' is no number of at most {MAX_DIGITS} digits")
            self.expect(not bottom or int(bottom), "a number has the denominator 0")
            value = Fraction(int(whole + part), int(bottom or 1)) * Fraction(10) ** (int(power or 0) - len(part))
            self.numbers[word] = value
        return self.numbers[word]

    def symbol(self, word, model):
        """Return the common name of a symbol; only coordinates and lengths have rates."""
        found = SYMBOL.fullmatch(word)
        self.expect(found, f"'{word[:40]}' is no symbol")
        name, primes = found.groups()
        moves = name in model.coordinates or (name[0] == "@" and len(primes) < 2)
        self.expect(moves or not primes, f"'{word[:40]}' is the rate of no coordinate")
        model.used.add(name)
        return (name if name in model.lengths else model.common(name)) + primes

    def step(self, word, part):
        """Return the number of an earlier step."""
        self.expect(re.fullmatch(r"0|[1-9]\d{0,6}", word, re.ASCII), f"'{word[:40]}' is no step")
        self.expect(int(word) < len(part.kinds), f"step {word} does not stand before this line")
        return int(word)

    def atom(self, word, model):
        """Return a number, a symbol, or the number of a step."""
        if word[0] == "#":
            return self.step(word[1:], model)
        return self.number(word) if word[0] in "-0123456789" else self.symbol(word, model)

    def angle(self, words, part):
        """Return the terms of an angle as (number, base), and keep the common periods of bases."""
        self.expect(words and len(words) % 2 == 0, "an angle is pairs of a number and a symbol, 1, pi or #step")
        terms = []
        for factor, word in zip(map(self.number, words[::2]), words[1::2]):
            plain = word in ("1", "pi")
            base = self.step(word[1:], part) if word[0] == "#" else word if plain else self.symbol(word, part.model)
            self.expect(word.rstrip("'") not in part.model.lengths, "an angle is no length")
            terms.append((factor, base))
            key, bottom = "#" if word[0] == "#" else base, (factor * (2 if word == "pi" else 1)).denominator
            self.periods[key] = self.periods.get(key, 1) * bottom // gcd(self.periods.get(key, 1), bottom)
            self.expect(self.periods[key] <= MAX_PERIOD, "the common period of angles is above the limit")
        self.terms += len(terms)
        return tuple(terms)

    def add_step(self, line, part):
        """Add a step to a part, where the line is one; return whether it is."""
        found, here, leaf, exact = OPERATION.fullmatch(line), len(part.kinds), None, part.exact
        if found:
            kind, a, b = found[1], int(found[2]), int(found[3] or 0)
            known = a < here and (kind in "^r" or b < here) and (kind == "r") == (found[3] is None)
            self.expect(known and (kind != "^" or b < 1000), "a step refers to earlier ones, an exponent has 3 digits")
            if kind == "r" and a in exact:
                kind, leaf = "root", self.split_radicand(exact[a])
            elif a in exact and (kind == "^" or b in exact) and len(exact) < MAX_EXACT:
                x, y = exact[a], b if kind == "^" else exact[b]
                long = max(abs(x.numerator), x.denominator).bit_length() * (y if kind == "^" else 1) > 4 * MAX_DIGITS
                if kind != "r" and not long and (kind != "/" or y):
                    exact[here] = Fraction(ON_NUMBERS[kind](x, y))
        else:
            kind, *words = line.split()
            a, b = len(part.leaves), 0
            if kind == "n" and len(words) == 1:
                leaf = exact[here] = self.number(words[0])
            elif kind == "v" and len(words) == 1:
                leaf = self.symbol(words[0], part.model)
            elif kind in ("s", "c"):
                leaf = self.angle(words, part)
            elif kind == "f" and len(words) > 1 and FUNCTION.fullmatch(words[0]):
                leaf = words[0], tuple(self.step(word, part) for word in words[1:])
                self.functions.add(words[0].partition(":")[0])
                self.terms += len(words)
        if leaf is None and not found:
            return False
        if leaf is not None:
            a, self.leaves = len(part.leaves), self.leaves + 1
            part.leaves.append(leaf)
        part.kinds.append(kind)
        part.left.append(a)
        part.right.append(b)
        self.count(1)
        return True

    def count(self, steps):
        """Hold steps to the limits."""
        self.steps += steps
        if self.steps > MAX_STEPS or self.leaves > MAX_LEAVES or self.terms > MAX_TERMS:
            self.fail(f"more than {MAX_STEPS} steps, {MAX_LEAVES} numbers and symbols, or {MAX_TERMS} arguments")

    def split_radicand(self, x):
        """Return (rational, primes) of the root of x: x is the rational's square times the primes."""
        if x not in self.radicands:
            few = x >= 0 and len(self.radicands) < MAX_RADICANDS
            self.expect(few, f"a root of a negative number, or of more than {MAX_RADICANDS} numbers")
            rest, outside, primes = x.numerator * x.denominator, 1, []
            for d in chain((2,), range(3, MAX_PRIME, 2)):
                if d * d > rest or rest.bit_length() > 256:
                    break
                while rest % (d * d) == 0:
                    rest, outside = rest // (d * d), outside * d
                if rest % d == 0:
                    rest, primes = rest // d, [*primes, d]
            if isqrt(rest) ** 2 == rest:
                rest, outside = 1, outside * isqrt(rest)
            self.expect(rest < MAX_PRIME, f"a root of a number that has a prime factor above {MAX_PRIME}")
            self.radicands[x] = Fraction(outside, x.denominator), (primes + [rest] * (rest > 1))
            self.expect(len(self.primes) <= MAX_ROOTS, f"roots of more than {MAX_ROOTS} prime numbers")
        return self.radicands[x]

    @property
    def primes(self):
        return sorted({prime for _, primes in self.radicands.values() for prime in primes})

    def read_program(self, part, lines):
        """Read a program: steps, and results as rows of steps."""
        accelerated, size, results = False, len(part.model.coordinates), part.results
        for line in lines:
            words = line.split()
            if line == "end":
                break
            if words[0] == "out" and len(words) > 2 and words[1] in QUANTITIES:
                name, places = words[1], [self.step(word, part) for word in words[2:]]
                self.count(len(places))
                late = accelerated and name != "inverse_dynamics"
                self.expect(not late, f"the result {name} stands after an acceleration, on which it could depend")
                width = len(places) if name == "gamma" else size
                whole = len(places) == width or (name in ("M", "D") and len(places) % width == 0)
                self.expect(whole, f"{name} has {len(places)} entries for {size} coordinates")
                self.expect(name in ("M", "D") or name not in results, f"the result {name} stands twice")
                rows = (array("l", places[k : k + width]) for k in range(0, len(places), width))
                results.setdefault(name, []).extend(rows)
            elif words[0] == "scale" and len(words) > 1 and part.scale is None:
                part.scale = [self.number(word) for word in words[1:]]
            else:
                self.expect(self.add_step(line, part), f"'{words[0][:40]}' is no line of a program")
                accelerated = accelerated or line.endswith("''")
        self.expect(line == "end" and results, "the program has no end, or no result")
        self.expect(len(results.get("M", range(size))) == size, f"M of {part.name} has not {size} rows")
        rows = {len(results["D"])} if "D" in results else set()
        rows |= {len(row) for row in results.get("gamma", ())}
        scale = {sum(map(bool, part.scale))} if part.scale else rows
        self.expect(len(rows | scale) < 2, f"D, gamma and scale of {part.name} are of different numbers of rows")

    def read_model(self, model, lines):
        """Read a model: coordinates, steps, and lines with the number of steps before each."""
        for line in lines:
            words = line.split()
            if line == "end":
                break
            if words[0] == "coordinates" and not model.coordinates:
                self.expect(1 < len(words) <= MAX_COORDINATES, f"no coordinates, or more than {MAX_COORDINATES}")
                for word in words[1:]:
                    model.coordinates.append(self.name(word, ["t", "pi", *model.coordinates]))
                model.used.update(model.coordinates)
            else:
                self.expect(model.coordinates, "a model begins with its coordinates")
                if not self.add_step(line, model):
                    model.lines.append((self.line, len(model.kinds), *self.read_line(words, model)))
            self.expect(not line.endswith("''"), "a machine cannot depend on accelerations")
            self.expect(len(model.lines) + len(model.kinds) <= MAX_MODEL, f"more than {MAX_MODEL} lines of a model")
        self.expect(line == "end" and model.coordinates, "the model has no end, or no coordinates")

    def read_line(self, words, model):
        """Return a line of a model, its words read."""
        kind, *rest = words
        shapes = [shape.replace("*", "") for shape in LINES.get(kind, "").split("|")]
        fixed = 3 if kind in ("shift", "turn") else len(rest)
        if kind == "armature" and len(rest) > 2 and len(rest) % 2:
            shapes = ["a" + "ca" * (len(rest) // 2)]
        shape = next((shape for shape in shapes if shape and len(shape) == fixed), None)
        self.expect(shape, f"'{kind[:40]}' is no line of a model, or has another number of words")
        above = model.lines[-1][2] if model.lines else ""
        if kind in ("shift", "turn", "tilt"):
            fits = above in ("body", "shift", "turn", "tilt")
        else:
            fits = len(model.bodies) > 1 if kind == "mass" else kind != "gravity" or not above
        self.expect(fits, f"{kind} does not stand below its body, or gravity stands below another line")
        found = [kind]
        for letter, word in zip(shape, rest):
            found.append(self.atom(word, model) if letter == "a" else word)
            if letter == "b":
                self.name(word, model.bodies)
            elif letter == "l":
                self.expect(
                    word[0] == "@" and word not in model.used, "a length begins with @ and stands before its use"
                )
                model.lengths[self.name(word, model.lengths)] = rest[1:]
            elif letter in "Fc@":
                known = {"F": model.bodies, "c": model.coordinates, "@": model.lengths}[letter]
                self.expect(word in known, f"'{word[:40]}' is no body, coordinate or length that stands above")
        model.bodies |= {*rest[:1]} if kind == "body" else set()
        return [*found, self.angle(rest[3:], model)] if kind in ("shift", "turn") else found

    def check_names(self):
        """See that symbols of two models are matched one to one, coordinates with coordinates."""
        self.expect(self.models and not self.match, "no model is stated, or none after a match")
        first = next(iter(self.models.values()))
        for model in self.models.values():
            names = model.used | set(model.match)
            common = [model.common(name) for name in model.coordinates]
            others = {model.common(name) for name in names - set(model.coordinates)}
            fits = sorted(common) == sorted(first.coordinates)
            self.expect(fits, f"coordinates of {model.name} are not matched one to one with those of {first.name}")
            fits = len({*common} | others) == len(names) and "t" not in chain(model.match, model.match.values())
            self.expect(fits, f"two symbols of {model.name} are called alike, or t is renamed")
            model.order = [common.index(name) for name in first.coordinates]


# Field ---------------------------------------------------------------------------------------------------------------
# A wrong equation is zero at a random point of a random prime field with a probability of about its degree over the
# prime (Schwartz 1980, Zippel 1979). Prime and point are drawn from the file's hash and fresh random bytes, so no file
# can be written to suit them. With every value goes a size, computed here and never read: the value is a polynomial in
# symbols, numbers and inverses of divisors, whose degree, and whose sum of coefficients in bits, are no larger. sin and
# cos are (z - 1/z) / 2i and (z + 1/z) / 2, z a product of powers of random elements, one for each symbol: s^2 + c^2 = 1
# and all theorems of addition hold of themselves. A function known by name, a root, an exponential is a random element
# for each value of its arguments: equal arguments have equal results, and nothing else is taken for granted.


class PrimeField:
    """A random prime field and a random point in it: an element for each symbol and each value of a function."""

    def __init__(self, seed, bits, text):
        self.seed, self.bits, self.periods = seed, bits, text.periods
        self.p = Motion.p = self.draw_prime(text.primes)
        self.i, self.half = self.find_root(self.p - 1), Motion(pow(2, -1, self.p))
        self.roots = {prime: Motion(self.find_root(prime)) for prime in text.primes}
        self.weight = 64 + 64 * len(text.primes)  # bits of all numbers
        self.symbols, self.numbers, self.angles, self.divisors = {}, {}, {}, {}
        self.bases, self.calls, self.largest = set(), set(), 1

    def draw(self, *key):
        """Return a random element other than 0, the same for the same key."""
        stream = hashlib.shake_256(self.seed + repr((self.bits, *key)).encode())
        return int.from_bytes(stream.digest(self.bits // 8 + 16), "big") % (self.p - 1) + 1

    def draw_prime(self, squares):
        """Draw a prime that is 1 modulo 4 and modulo which these primes are squares (by reciprocity)."""
        small, k = 1, 0
        for d in range(3, 2000, 2):
            small *= d
        while True:
            stream = hashlib.shake_256(self.seed + b"%d %d" % (self.bits, k)).digest(self.bits // 8)
            k, self.p = k + 1, int.from_bytes(stream, "big") | 1 << (self.bits - 1) | 1
            fits = self.p % 4 == 1 and all(pow(self.p % d, d // 2, d) == 1 for d in squares if d > 2)
            fits = fits and (2 not in squares or self.p % 8 == 1) and gcd(self.p, small) == 1
            if fits and all(self.is_strong(n) for n in range(28)):
                return self.p

    def is_strong(self, n):
        """Test whether p is a prime, by the n-th random base (Miller 1976, Rabin 1980)."""
        p, twos = self.p, (self.p - 1 & 1 - self.p).bit_length() - 1
        x = pow(self.draw("base", n) % (p - 3) + 2, p - 1 >> twos, p)
        for k in range(twos):
            if x in (1, p - 1):
                return x == p - 1 or k == 0
            x = x * x % p
        return False

    def find_root(self, a):
        """Return a square root, its sign at random (Tonelli 1891, Shanks 1973)."""
        p, m = self.p, (self.p - 1 & 1 - self.p).bit_length() - 1
        z = next(z for z in range(2, 10**4) if pow(z, p // 2, p) == p - 1)
        c, t, r = pow(z, p >> m, p), pow(a, p >> m, p), pow(a, (p >> m + 1) + 1, p)
        while t != 1:
            i, square = 0, t
            while square != 1:
                square, i = square * square % p, i + 1
            b = pow(c, 1 << (m - i - 1), p)
            m, c, t, r = i, b * b % p, t * b * b % p, r * b % p
        return r if self.draw("sign", a) % 2 else p - r

    def symbol(self, name):
        """Return the value of a symbol or of a rate."""
        if name not in self.symbols:
            self.symbols[name] = Motion(self.draw("symbol", name))
        return self.symbols[name]

    def number(self, x):
        """Return an exact number."""
        if x not in self.numbers:
            self.weight += x.numerator.bit_length() + x.denominator.bit_length()
            value = x.numerator * pow(x.denominator, -1, self.p) % self.p
            self.numbers[x] = Motion(value) if x else ZERO
        return self.numbers[x]

    def root(self, rational, primes):
        """Return the root of a number."""
        result = self.number(rational)
        for prime in primes:
            result = result * self.roots[prime]
        return result

    def inverse(self, x):
        """Return 1 / x, and keep the divisor."""
        if not x.value % self.p:
            raise RefusedError("a division by zero")
        size, w = self.divisors.get(x.value % self.p) or (0, pow(x.value, -1, self.p))
        self.divisors[x.value % self.p] = max(size, x.size), w
        if len(self.divisors) > MAX_DIVISORS:
            raise RefusedError(f"more than {MAX_DIVISORS} different divisors")
        return x.compose(w, -w * w, 2 * w**3, 4)

    def value(self, name, arguments):
        """Return the element of a function for the values of its arguments; sign is odd."""
        values, sign = [x.value % self.p for x in arguments], 1
        self.largest = max(self.largest, *(x.size for x in arguments))
        if name == "sign" and 2 * values[0] > self.p:
            values[0], sign = self.p - values[0], -1
        self.calls.add((name, *values))
        return sign * self.draw("function", name, values) if values != [0] or name != "sign" else 0

    def function(self, name, arguments):
        """Return a function of what moves; one of several arguments has rates that nothing else has."""
        x, value, (base, _, order) = arguments[0], self.value(name, arguments), name.partition(":")
        if all(y.still() for y in arguments):
            return Motion(value)
        if len(arguments) > 1:
            return Motion(value, *(self.draw("rate", name, [y.value % self.p for y in arguments], k) for k in range(3)))
        if name == "exp":
            return x.compose(value, value, value, 1)
        if name == "r":
            first = (self.inverse(Motion(value)) * self.half).value
            return x.compose(value, first, -2 * first**3, 6)
        first, second = (self.value(f"{base}:{int(order or 0) + k}", arguments) for k in (1, 2))
        return x.compose(value, first, second, 1)

    def turn(self, terms, lookup):
        """Return (sine, cosine) of the sum of number x base: a name, or what moves."""
        total, z, size, p = ZERO, 1, 2, self.p
        for factor, base in terms:
            exponent, name = factor, base
            if isinstance(base, Motion):  # tied by its value, up to the sign
                self.largest, value = max(self.largest, base.size), min(base.value % p, -base.value % p)
                exponent, name = (factor if value == base.value % p else -factor), ("#", value)
            elif base == "pi":
                quarters, name = int(2 * factor // 1), "pi"
                z, exponent = z * pow(self.i, quarters % 4, p) % p, 2 * factor - quarters
            exponent = (
                int(exponent * self.periods["#" if isinstance(base, Motion) else base]) if name != ("#", 0) else 0
            )
            if exponent:
                self.bases.add(name)
                z, size = z * pow(self.draw("angle", name), exponent, p) % p, size + abs(exponent)
            total = total + self.number(factor) * (lookup(base) if isinstance(base, str) else base)
        if size > MAX_SIZE:
            raise RefusedError("a degree is above the limit of 2^160")
        back, half = pow(z, -1, p), self.half.value
        sine, cosine = (back - z) * self.i * half % p, (back + z) * half % p
        return total.compose(sine, cosine, -sine, size), total.compose(cosine, -sine, -cosine, size)

    def bound(self):
        """Return k: a wrong claim passes with a probability below 2^-k.

        Inverses of divisors and of z are cleared one after the other, then numbers and roots (by the norm); values of
        arguments that differ may fall together. There are more than 2^(bits - 24 - roots) such primes, and what passes
        the 28 tests is none with a probability below 2^(roots - 126) (Damgard, Landrock, Pomerance 1993).
        """
        degree = self.largest * (1 + len(self.bases)) * (1 + self.weight) << len(self.roots) + 1
        for size, _ in self.divisors.values():
            degree *= size + 1
        degree *= (1 + len(self.calls) + len(self.bases)) ** 2 + len(self.divisors)
        return min(self.bits - 24 - degree.bit_length(), 126) - len(self.roots)


# Series --------------------------------------------------------------------------------------------------------------
# What moves is a value with its rate, and its second rate in two parts: what it is without accelerations (bias), and
# what accelerations add (push); M q'' and h come apart by themselves. There are only the rules for sums, products and
# f(x): no formula of mechanics. In formulas of rates, bias and push hold the parts of the first rate instead.


class Motion:
    """A value, its rate, its second rate in two parts, modulo p, and its size."""

    __slots__ = ("bias", "push", "rate", "size", "value")
    p = 0

    def __init__(self, value, rate=0, bias=0, push=0, size=1):
        self.value, self.rate, self.bias, self.push, self.size = value, rate, bias, push, size

    def __add__(self, other):
        size = self.size if self.size > other.size else other.size
        value, rate, bias = self.value + other.value, self.rate + other.rate, self.bias + other.bias
        return Motion(value % self.p, rate, bias, self.push + other.push, size + 1)

    def __sub__(self, other):
        return self + Motion(-other.value, -other.rate, -other.bias, -other.push, other.size)

    def __mul__(self, other):
        u, v, size, p = self.value, other.value, self.size + other.size + 2, self.p
        if size > MAX_SIZE:
            raise RefusedError("a degree is above the limit of 2^160")
        if self is ZERO or other is ZERO:
            return ZERO
        rate, bias = self.rate * v + u * other.rate, self.bias * v + 2 * self.rate * other.rate + u * other.bias
        return Motion(u * v % p, rate % p, bias % p, (self.push * v + u * other.push) % p, size)

    def __pow__(self, exponent):
        result = ONE
        for bit in f"{exponent:b}":
            result = result * result * self if bit == "1" else result * result
        return result

    def compose(self, value, first, second, size):
        """Return f(x) by the values of f, f', f'', whose sizes are no larger than ``size``."""
        if self.size + size > MAX_SIZE:
            raise RefusedError("a degree is above the limit of 2^160")
        p, moves = self.p, self.rate or self.bias or self.push
        if not moves:
            return Motion(value % p, size=size)
        bias = (first * self.bias + second * self.rate * self.rate) % p
        return Motion(value % p, first * self.rate % p, bias, first * self.push % p, size + 2 * self.size + 2)

    def still(self):
        """Say whether it does not move."""
        return not (self.rate % self.p or self.bias % self.p or self.push % self.p)

    def part(self, name):
        """Return the value, the bias or the push alone."""
        number = getattr(self, name) % self.p
        return Motion(number, size=self.size) if number else ZERO


ZERO, ONE = Motion(0, size=0), Motion(1, size=0)


def run(part, values, stop, algebra, lookup):
    """Go on with the values of steps up to ``stop``."""
    leaves, exact, append = part.leaves, part.exact, values.append
    try:
        for k in range(len(values), stop):
            kind, a, b = part.kinds[k], part.left[k], part.right[k]
            if kind == "*":
                append(values[a] * values[b])
            elif kind == "+":
                append(values[a] + values[b])
            elif kind == "-":
                append(values[a] - values[b])
            elif kind == "v":
                append(lookup(leaves[a]))
            elif kind == "n":
                append(algebra.number(leaves[a]))
            elif kind == "/":
                inverse = algebra.number(1 / exact[b]) if exact.get(b) else algebra.inverse(values[b])
                append(values[a] * inverse)
            elif kind == "^":
                append(values[a] ** b)
            elif kind == "root":
                append(algebra.root(*leaves[a]))
            elif kind == "r":
                append(algebra.function("r", [values[a]]))
            elif kind == "f":
                append(algebra.function(leaves[a][0], [values[j] for j in leaves[a][1]]))
            else:
                terms = [(factor, base if isinstance(base, str) else values[base]) for factor, base in leaves[a]]
                append(algebra.turn(terms, lookup)[kind == "c"])
    except RefusedError as problem:
        raise RefusedError(f"step {len(values)} of {part.name}: {problem}") from None
    return values


# Machine -------------------------------------------------------------------------------------------------------------
# Each frame is three axes and an origin that move. A mass is particles: each resists by m r''. Their forces and moments
# need the axes, their second rates and the sums of m x y; no angular velocity, and none of the formulas that textbooks
# and programs share. Forces and moments (about the world's origin) are added up the tree; their work along the axis of
# a joint is its row (d'Alembert). Whatever must be constant is looked at: its rates must be zero, an axis must have
# length 1, and a joint moves by coordinates and functions of time, not by formulas of coordinates.

LOADS = {"push": "M", "bias": "h", "gravity": "gravity", "applied": "applied"}


def dot(u, v):
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]


def cross(u, v):
    return [u[i] * v[j] - u[j] * v[i] for i, j in ((1, 2), (2, 0), (0, 1))]


def add(u, v):
    return [a + b for a, b in zip(u, v)]


def minus(u, v):
    return [a - b for a, b in zip(u, v)]


def still(vector, name="value"):
    return [x.part(name) for x in vector]


class Frame:
    """Axes (rows of the matrix are world axes) and origin of a body, its joints, and the loads on it and beyond."""

    def __init__(self, parent, axes, origin):
        self.parent, self.axes, self.origin, self.joints = parent, axes, origin, []
        self.loads = {name: ([ZERO] * 3, [ZERO] * 3) for name in LOADS}

    def world(self, vector):
        return [dot(row, vector) for row in self.axes]

    def load(self, name, point, force, moment=(ZERO, ZERO, ZERO)):
        forces, moments = self.loads[name]
        self.loads[name] = add(forces, force), add(moments, add(cross(point, force), moment))


class Machine:
    """The equations of a stated machine."""

    def __init__(self, model, field):
        self.model, self.field, self.number, self.constraints, self.lengths = model, field, 0, [], {}
        self.coordinates = [model.common(name) for name in model.coordinates]
        self.frames = {"ground": Frame(None, [[ONE, ZERO, ZERO], [ZERO, ONE, ZERO], [ZERO, ZERO, ONE]], [ZERO] * 3)}
        self.rows = {name: dict.fromkeys(self.coordinates, ZERO) for name in LOADS}
        self.values, self.first_rates, self.gravity, self.body = [], [], [ZERO] * 3, None
        try:
            for self.number, stop, kind, *words in model.lines:
                run(model, self.values, stop, field, self.moving)
                self.read(kind, words)
        except RefusedError as problem:
            raise RefusedError(f"line {self.number}: {problem}") from None
        self.add_up()

    def moving(self, symbol):
        """Return a symbol that moves: a coordinate, a length, the time."""
        name, draw = symbol.rstrip("'"), self.field.draw
        if symbol == "1":
            return ONE
        if name in self.lengths:
            whole = self.lengths[name]
        elif name in self.coordinates:
            rate, push = self.field.symbol(name + "'").value, self.field.symbol(name + "''").value
            whole = Motion(self.field.symbol(name).value, rate, 0, push)
        else:
            return Motion(self.field.symbol(symbol).value, int(symbol == "t"))
        if name == symbol:
            return whole  # the second rate of a rate is known to nobody
        return Motion(whole.rate, whole.bias + whole.push, draw("third", name), draw("fourth", name), whole.size)

    def moving_first(self, symbol):
        """Return a symbol with the two parts of its first rate in the places of the second."""
        name, moving = symbol.rstrip("'"), self.moving(symbol.rstrip("'"))
        if name == symbol:
            return Motion(moving.value, 0, moving.rate, 0, moving.size)
        return Motion(moving.rate, 0, moving.bias, moving.push, moving.size)

    def still(self, symbol):
        """Return a symbol as programs know it."""
        name = symbol.rstrip("'")
        return self.moving(symbol).part("value") if name in self.lengths or symbol == "1" else self.field.symbol(symbol)

    def atom(self, atom):
        if isinstance(atom, Fraction):
            return self.field.number(atom)
        return self.values[atom] if isinstance(atom, int) else self.moving(atom)

    def constants(self, atoms):
        """Return atoms that must not move."""
        found = [self.atom(atom) for atom in atoms]
        for x in found:
            self.expect_zero(Motion(x.rate, size=x.size), "something changes with time that must be constant")
            self.expect_zero(Motion(x.bias + x.push, size=x.size), "something changes with time")
        return found

    def expect_zero(self, x, reason):
        self.field.largest = max(self.field.largest, x.size)
        if x.value % self.field.p:
            raise RefusedError(reason)

    def axis(self, atoms):
        axis = self.constants(atoms)
        self.expect_zero(dot(axis, axis) - ONE, "the length of the axis is not 1")
        return axis

    def between(self, a, b):
        return minus(self.frames[a].origin, self.frames[b].origin)

    def distance(self, a, b):
        return self.field.function("r", [dot(self.between(a, b), self.between(a, b))])

    def read(self, kind, words):
        """Do what a line of the model says."""
        body, field = self.body, self.field
        if kind == "gravity":
            self.gravity = still(map(self.atom, words))
        elif kind == "body":
            parent = self.frames[words[1]]
            place = parent.world(self.constants(words[2:])) if words[2:] else [ZERO] * 3
            self.body = self.frames[words[0]] = Frame(parent, parent.axes, add(parent.origin, place))
        elif kind in ("shift", "turn"):
            axis = self.axis(words[:3])
            along = body.world(axis)
            terms = [(factor, base if isinstance(base, str) else self.values[base]) for factor, base in words[3]]
            amount, rest = ZERO, ZERO
            for factor, base in terms:
                term = field.number(factor) * (self.moving(base) if isinstance(base, str) else base)
                amount = amount + term
                if base in self.coordinates:
                    body.joints.append((kind, still(along), still(body.origin), field.number(factor), base))
                else:
                    rest = rest + term
            self.expect_zero(rest.part("push"), "a joint moves by a formula of coordinates")
            if kind == "turn":
                self.rotate(axis, *field.turn(terms, self.moving))
            else:
                body.origin = add(body.origin, [x * amount for x in along])
        elif kind == "tilt":
            axis, (c, s) = self.axis(words[:3]), self.constants(words[3:])
            self.expect_zero(c * c + s * s - ONE, "no cosine and sine: their squares do not add up to 1")
            self.rotate(axis, s, c)
        elif kind == "mass":
            self.add_mass(*self.constants(words))
        elif kind in ("force", "moment"):
            frame, vector, zero = self.frames[words[0]], still(map(self.atom, words[1:])), [ZERO] * 3
            load = (vector, zero) if kind == "force" else (zero, still(frame.world(vector)))
            frame.load("applied", still(frame.origin), *load)
        elif kind == "effort":
            name, rows = self.model.common(words[0]), self.rows["applied"]
            rows[name] = rows[name] + self.atom(words[1]).part("value")
        elif kind == "armature":
            names, factors = [self.model.common(name) for name in words[1::2]], self.constants(words[2::2])
            inertia, rows = self.constants(words[:1])[0], self.rows["push"]
            speed = ZERO
            for name, factor in zip(names, factors):
                speed = speed + factor * self.moving(name).part("push")
            for name, factor in zip(names, factors):
                rows[name] = rows[name] + inertia * factor * speed
        elif kind == "length":
            self.lengths[words[0]] = self.distance(*words[1:])
        elif kind == "push":
            a, b = self.model.lengths[words[0]]
            amount = self.atom(words[1]).part("value") * field.inverse(self.lengths[words[0]].part("value"))
            force = [x.part("value") * amount for x in self.between(a, b)]
            self.frames[a].load("applied", still(self.frames[a].origin), force)
            self.frames[b].load("applied", still(self.frames[b].origin), minus([ZERO] * 3, force))
        elif kind == "rod":
            self.constraints.append(self.distance(*words))
        elif kind == "apart":
            direction = self.frames[words[2]].world(self.constants(words[3:]))
            self.constraints.append(dot(self.between(*words[:2]), direction))
        elif kind == "facing":
            first, second = (self.frames[w[0]].world(self.constants(w[1:])) for w in (words[:4], words[4:]))
            self.constraints.append(dot(first, second))
        elif kind == "row":
            self.constraints.append(self.atom(words[0]))
        elif isinstance(words[0], int):
            run(self.model, self.first_rates, words[0] + 1, field, self.moving_first)
            self.constraints.append(self.first_rates[words[0]])
        else:
            self.constraints.append(self.moving_first(words[0]) if isinstance(words[0], str) else ZERO)

    def rotate(self, axis, s, c):
        """Turn the axes of the body about one of them (Rodrigues 1840)."""
        columns = []
        for k in range(3):
            unit = [ONE if j == k else ZERO for j in range(3)]
            across, along = cross(axis, unit), (ONE - c) * axis[k]
            columns.append(self.body.world([c * unit[j] + s * across[j] + along * axis[j] for j in range(3)]))
        self.body.axes = [list(row) for row in zip(*columns)]

    def add_mass(self, m, x, y, z, *tensor):
        """Load the body with what its particles resist, and with their weight."""
        body = self.body
        place = add(body.origin, body.world([x, y, z]))
        moments = {"push": [ZERO] * 3, "bias": [ZERO] * 3}
        if tensor:
            xx, yy, zz, xy, xz, yz = tensor
            a, b, c = ((u + v - w) * self.field.half for u, v, w in ((yy, zz, xx), (xx, zz, yy), (xx, yy, zz)))
            xy, xz, yz = minus([ZERO] * 3, [xy, xz, yz])
            sums = [[a, xy, xz], [xy, b, yz], [xz, yz, c]]  # of m x x, m x y, ...
            arms = [[dot(row, column) for row in sums] for column in map(still, body.axes)]
            for name in moments:
                second = [still(row, name) for row in body.axes]
                pairs = ((1, 2), (2, 0), (0, 1))
                moments[name] = [dot(arms[i], second[j]) - dot(arms[j], second[i]) for i, j in pairs]
        for name, moment in moments.items():
            body.load(name, still(place), [m * x for x in still(place, name)], moment)
        body.load("gravity", still(place), [m * x for x in self.gravity])

    def add_up(self):
        """Add loads up the tree, and their work along the axes of joints to the rows."""
        for frame in reversed(list(self.frames.values())[1:]):
            for load, (force, moment) in frame.loads.items():
                for kind, axis, point, factor, name in frame.joints:
                    lever = force if kind == "shift" else minus(moment, cross(point, force))
                    self.rows[load][name] = self.rows[load][name] + factor * dot(axis, lever)
                forces, moments = frame.parent.loads[load]
                frame.parent.loads[load] = add(forces, force), add(moments, moment)

    def quantities(self):
        """Return what is compared, in common order."""
        found = {LOADS[load]: [rows[self.coordinates[k]] for k in self.model.order] for load, rows in self.rows.items()}
        if self.constraints:
            found["D"], found["gamma"] = still(self.constraints, "push"), still(self.constraints, "bias")
        return found


# Comparison ----------------------------------------------------------------------------------------------------------
# Every quantity is compared over all programs that give it and the machine, entry by entry, in the coordinates of the
# first model and the units of its rows. M is compared as M q'' with random q'', on which it cannot depend (Reading).
# What is given but compared with nothing is refused. Differences are proved by intervals of 400 bits, rounded
# outwards: there is no probability in them.

#: What follows from other quantities: a + b - c.
FOLLOWS = {"inertial": ("M", "h", None), "force": ("gravity", "applied", "h")}
FOLLOWS.update({"inverse_dynamics": ("M", None, "force"), "rows": ("D", "gamma", None)})
ORDER = ("M", "h", "inertial", "gravity", "applied", "force", "inverse_dynamics", "D", "gamma", "rows")
MECHANICS = "mechanics of "


def evaluate(part, field, machine):
    """Return the quantities of a program in common order; None: a row that it does not have."""
    values, found = run(part, [], len(part.kinds), field, machine.still), {}
    push = [field.symbol(name + "''") for name in machine.coordinates]
    for name, rows in part.results.items():
        found[name] = [values[k] for k in rows[0]]
        if name in ("M", "D"):
            found[name] = [sum((values[k] * x for k, x in zip(row, push)), ZERO) for row in rows]
        if name in ("D", "gamma"):
            rest, scale = iter(found[name]), part.scale or [Fraction(1)] * len(found[name])
            found[name] = [next(rest) * field.number(1 / c) if c else None for c in scale]
        else:
            found[name] = [found[name][k] for k in part.model.order]
    return found


def compare(text, seed, bits):
    """Return what is proved, quantity -> (sources, rows that are missing), and k of the error 2^-k."""
    field, sources, proved = PrimeField(seed, bits, text), {}, {}
    machines = {name: Machine(model, field) for name, model in text.models.items()}
    for name, machine in machines.items():
        if any(line[2] in ("body", "effort", "armature") for line in machine.model.lines):
            sources[MECHANICS + name] = machine.quantities()
    for name, part in text.programs.items():
        sources[name] = evaluate(part, field, machines[part.model.name])
    claims = {quantity: {name for name in text.programs if quantity in sources[name]} for quantity in ORDER}
    for found in sources.values():
        for name, (a, b, c) in FOLLOWS.items():
            if name not in found and {a, b, c} - {None} <= found.keys():
                columns = [found.get(x) or [ZERO] * len(found[a]) for x in (a, b, c)]
                found[name] = [None if None in row else row[0] + row[1] - row[2] for row in zip(*columns)]
    for quantity in ORDER:
        sides, missing = {name: found[quantity] for name, found in sources.items() if quantity in found}, []
        if len({len(rows) for rows in sides.values()}) > 1:
            raise RefusedError(f"{quantity} has not the same number of rows in {' and '.join(sides)}")
        for row, entries in enumerate(zip(*sides.values()), 1):
            there = [(name, x) for name, x in zip(sides, entries) if x is not None]
            missing += [f"{name} has no row {row}" for name, x in zip(sides, entries) if x is None]
            if len(there) < 2 and any(name in claims[quantity] for name, _ in there):
                raise RefusedError(f"{quantity} {row} of {there[0][0]} is compared with nothing")
            for name, x in there[1:]:
                field.largest = max(field.largest, x.size, there[0][1].size)
                if (x.value - there[0][1].value) % field.p:
                    raise RefusedError(f"{quantity} {row} of {name} is not that of {there[0][0]}")
        if len(sides) > 1:
            proved[quantity] = list(sides), missing
    if not proved:
        raise RefusedError("nothing is compared: there is one program, or one machine, alone")
    return proved, field.bound()


class Enclosure:
    """An interval of multiples of 2^-400."""

    __slots__ = ("high", "low")

    def __init__(self, low, high):
        self.low, self.high = low, high
        if max(abs(low), abs(high)).bit_length() > 20_000:
            raise RefusedError("a number above 2^19600")

    def __add__(self, other):
        return Enclosure(self.low + other.low, self.high + other.high)

    def __sub__(self, other):
        return Enclosure(self.low - other.high, self.high - other.low)

    def __mul__(self, other):
        ends = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Enclosure(min(ends) >> 400, -(-max(ends) >> 400))

    def __pow__(self, exponent):
        result = Enclosure(1 << 400, 1 << 400)
        for _ in range(exponent):
            result = result * self
        return result


class AtState:
    """The values of steps at a state, as intervals."""

    def __init__(self, state):
        self.state = state

    def number(self, x):
        return Enclosure((x.numerator << 400) // x.denominator, -(-(x.numerator << 400) // x.denominator))

    def lookup(self, symbol):
        if symbol == "1" or symbol in self.state:
            return self.number(Fraction(1) if symbol == "1" else self.state[symbol])
        if symbol != "pi":
            raise RefusedError(f"the state has no number for {symbol}")
        total = 0  # 16 arctan 1/5 - 4 arctan 1/239 (Machin 1706)
        for factor, d in ((16, 5), (-4, 239)):
            for k in range(1, 1000, 2):
                total += (factor << 464) // (d**k * k) * (1 if k % 4 == 1 else -1)
        return Enclosure((total >> 64) - 1, (total >> 64) + 2)

    def root(self, rational, primes):
        result = self.number(rational)
        for prime in primes:
            result = result * self.function("r", [self.number(Fraction(prime))])
        return result

    def inverse(self, x):
        if x.low <= 0 <= x.high:
            raise RefusedError("a division by what may be zero")
        return Enclosure((1 << 800) // x.high, -(-(1 << 800) // x.low))

    def function(self, name, arguments):
        x = arguments[0]
        if name == "r" and x.low >= 0:
            return Enclosure(isqrt(x.low << 400), isqrt(x.high << 400) + 1)
        if name == "exp" and len(arguments) == 1:
            return Enclosure(self.sum_powers(x.low)[0].low, self.sum_powers(x.high)[0].high)
        if name == "sign" and len(arguments) == 1 and (x.low > 0 or x.high < 0):
            return self.number(Fraction(1 if x.low > 0 else -1))
        raise RefusedError(f"the value of {'a root' if name == 'r' else name} is not known here")

    def turn(self, terms, lookup):
        total = Enclosure(0, 0)
        for factor, base in terms:
            total = total + self.number(factor) * (lookup(base) if isinstance(base, str) else base)
        wide = total.high - total.low + 1
        return [Enclosure(x.low - wide, x.high + wide) for x in self.sum_powers(total.low)[1:]]

    @staticmethod
    def sum_powers(x):
        """Return exp, sin, cos of x / 2^400 by their power series, with more bits than its terms lose."""
        whole = abs(x) >> 400
        if whole > 1000:
            raise RefusedError("an angle or an exponent above 1000")
        bits, sums, k = 464 + 3 * whole, [0] * 4, 0
        x, term = x << bits - 400, 1 << bits
        while term not in (0, -1):
            sums[k % 4], k = sums[k % 4] + term, k + 1
            term = (term * x >> bits) // k
        found = (sum(sums), sums[1] - sums[3], sums[0] - sums[2])
        return [Enclosure((total >> bits - 400) - 1, (total >> bits - 400) + 2) for total in found]


def find_entry(part, quantity, entry):
    """Return the step of an entry, in common order; entries of M and D are 'row,column'."""
    rows, places = part.results.get(quantity, []), [int(word) - 1 for word in re.findall(r"\d+", entry[:20])]
    if entry == ",".join(str(k + 1) for k in places) and len(places) == (2 if quantity in ("M", "D") else 1):
        try:
            places = [0, *places][-2:]
            row = part.model.order[places[0]] if quantity == "M" else places[0]
            column = places[1] if quantity == "gamma" else part.model.order[places[1]]
            if min(places) >= 0:
                return rows[row][column]
        except IndexError:
            pass
    raise UnreadableError(f"{part.name} has no {quantity} {entry[:20]}")


def differ(text):
    """Return sentences on the differences of programs at the state, each proved by intervals."""
    algebra = AtState(text.state)
    for quantity, entry, first, second, amount in text.differences:
        x, y = (
            run(part, [], find_entry(part, quantity, entry) + 1, algebra, algebra.lookup)[-1]
            for part in (text.programs[first], text.programs[second])
        )
        if max(x.low - y.high, y.low - x.high) < amount * 2**400:
            raise RefusedError(f"{quantity} {entry} of {first} and {second} is not shown to be so far apart")
        yield f"{quantity} {entry} of {first} and {second} at least {float(amount):.15g} apart"


def verify(data, require=(), seed=None):
    """Return what a certificate proves, in words."""
    text = Certificate(data)
    if text.differences:
        if require:
            raise RefusedError("a certificate of a difference proves no quantity")
        said = [*differ(text), "proved (by intervals of 400 bits, without any probability)"]
        return "\n".join([*said, "At the state of the file the programs differ so much: these are two functions."])
    seed, error, proved = seed or os.urandom(32), 0, {}
    for bits in (256, 512, 1024):
        if error < 64:
            proved, error = compare(text, hashlib.sha256(hashlib.sha256(data).digest() + seed).digest(), bits)
    if error < 64:
        raise RefusedError("degrees are so high that the probability of an error is above 2^-64")
    lines, mechanics = [], {name for name, (sides, _) in proved.items() if sides[0].startswith(MECHANICS)}
    for quantity, (sides, missing) in proved.items():
        machines = [side[len(MECHANICS) :] for side in sides if side.startswith(MECHANICS)]
        if len(machines) == 2:
            sides = [f"mechanics of both models ({', '.join(machines)})", *sides[2:]]
        lines.append(f"{quantity}: {' = '.join(sides)}" + f" ({', '.join(missing)})" * bool(missing))
    for name in require:
        if not (mechanics if name == "mechanics" else name in (mechanics if "mechanics" in require else proved)):
            raise RefusedError("\n".join([f"{name} is required, and not proved; proved is", *lines]))
    left = ", ".join(name for name in ("M", "h", "gravity", "applied") if name not in proved)
    known = ", ".join(sorted(text.functions - {"exp"})) or "none here"
    lines.append(f"proved (error < 2^-{error}, seed {seed.hex()})")
    lines.append(
        "Each quantity above is the same function of all states, parameters and named functions for all that its line"
        " lists"
        + (", and where it lists mechanics, that of the machine that the file states" if mechanics else "")
        + (f"; nothing is said of {left}." if left else ".")
    )
    lines.append(
        f"A file that is wrong in this passes with a probability below 2^-{error}: prime and point are drawn anew."
    )
    lines.append(
        "Assumed: the stated machine is the one that you mean (read the model in the file), states exist where no"
        " divisor is zero, conditions of branches are as stated, and functions known by name only mean the same"
        f" everywhere ({known}); limits, contacts and what is left out are not covered."
    )
    return "\n".join(lines)


def read_bytes(path):
    """Return the bytes of a file, whose kind and size are asked first."""
    try:
        kind = Path(path).stat()
        if not stat.S_ISREG(kind.st_mode) or kind.st_size > MAX_BYTES:
            raise UnreadableError(f"line 1: this is no file of at most {MAX_BYTES} bytes")
        return Path(path).read_bytes()
    except OSError as problem:
        raise UnreadableError(f"line 1: {problem.strerror}") from None


def main(arguments=None):
    """Verify files and print what they prove; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="+")
    parser.add_argument("--require", default="", help="quantities that must be proved, as in mechanics,M,h")
    parser.add_argument("--seed", type=bytes.fromhex, help="the seed that a run printed: repeat it")
    options, code = parser.parse_args(arguments), 0
    gc.disable()
    for path in options.file:
        try:
            said = verify(read_bytes(path), [name for name in options.require.split(",") if name], options.seed)
        except RefusedError as problem:
            said, code = f"refused: {problem}", max(code, 1)
        except UnreadableError as problem:
            said, code = f"not readable: {problem}", 2
        print(f"{path}: {said}" if len(options.file) > 1 else said)
    return code


if __name__ == "__main__":
    sys.exit(main())
