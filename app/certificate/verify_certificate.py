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
from math import gcd, isqrt, prod
from pathlib import Path

MAX_BYTES, MAX_LINES, MAX_LINE = 32 * 10**6, 22 * 10**5, 10**5  # of a file; characters of a line
MAX_STEPS, MAX_MODEL, MAX_COORDINATES = 2 * 10**6, 50_000, 1_000  # steps and lines of a model
MAX_DIGITS, MAX_PERIOD, MAX_TURNS, MAX_SIZE, MAX_DIVISORS = 1_100, 1 << 100, 1 << 32, 1 << 160, 1_000
MAX_PRIME, MAX_ROOTS, MAX_RADICANDS, MAX_TIED = 10**6, 12, 64, 6  # roots of numbers; of values, with both signs


class UnreadableError(Exception):
    """A text that is no certificate: exit code 2."""


class RefusedError(Exception):
    """A certificate whose claim is not proved: exit code 1."""


class NoRootError(RefusedError):
    """A value has no square root at this point: another point is drawn."""


# Reading -------------------------------------------------------------------------------------------------------------
# The text is untrusted. Its length is asked before it is read, every word must match a pattern as a whole, names
# stand once, and a step refers to earlier steps only: nothing recurs, so nothing can be cyclic or too deep. Numbers
# are exact fractions. M, h and forces must stand before the first acceleration of a program: otherwise a program
# could hide a term of q'' in M and take it back in h, while M q'' + h stays right.

NAME = r"[A-Za-z_@%][\w@%.,()\[\]-]*"
NUMBER = re.compile(r"(-?\d+)(?:/(\d+)|(?:\.(\d+))?(?:e(-?\d{1,4}))?)", re.ASCII)
OPERATION = re.compile(r"([-+*/]) (0|[1-9]\d{0,6}) (0|[1-9]\d{0,6})", re.ASCII)
QUANTITIES = ("M", "h", "gravity", "applied", "force", "D", "gamma", "inverse_dynamics")
JOINTS = ("shift", "turn", "tilt")
#: The words of each line, and after a comma those that stand there once or more: N name, n number, v symbol, # step,
#: a any of n, v and #step, p symbol, 1, pi or #step, w exponent, f function, q quantity.
LINES = {"n": "n", "v": "v", "^": "#w", "r": "#", "s": ",np", "c": ",np", "f": "f,#", "out": "q,#", "scale": ",n"}
LINES.update({"coordinates": ",N", "gravity": "aaa", "body": "NN|NNaaa", "shift": "aaa,np", "turn": "aaa,np"})
LINES.update({"tilt": "aaaaa", "mass": "aaaa|aaaaaaaaaa", "force": "Naaa", "moment": "Naaa", "effort": "Na"})
LINES.update({"armature": "a,Na", "length": "NNN", "push": "Na", "rod": "NN", "apart": "NNNaaa", "rate": "a"})
LINES.update({"facing": "NaaaNaaa", "row": "a"})
KINDS = {"n": ("number", NUMBER.pattern), "v": ("symbol", NAME + "'{0,2}"), "w": ("exponent", r"0|[1-9]\d{0,2}")}
KINDS.update({"f": ("function", NAME + r"(:[1-9]\d?)?"), "q": ("quantity", "|".join(QUANTITIES)), "N": ("name", NAME)})
KINDS.update({"#": ("step", r"0|[1-9]\d{0,6}")})


class Part:
    """A model or a program: its steps (of a model also its lines), and the results of the program."""

    def __init__(self, name, model=None, match=()):
        self.name, self.model, self.match, self.items, self.size = name, model or self, dict(match), [], 0
        self.coordinates, self.lengths, self.used, self.bodies, self.above, self.exact = [], {}, set(), set(), "", {}
        self.order, self.results, self.scale = [], {}, None

    def common(self, name):
        """Return what a symbol is called in common with the other model."""
        return self.match.get(name, name)


class Certificate:
    """A text, read: models, programs, and perhaps a state at which programs are said to differ."""

    def __init__(self, data):
        self.models, self.programs, self.state, self.differences, self.match = {}, {}, {}, [], None
        self.periods, self.radicands, self.functions, self.numbers = {"pi": 4}, {}, set(), {}
        self.line, self.steps, bad = 1, 0, re.search(rb"[^\n -~]", data)
        self.expect(data[:2] not in (b"\xff\xfe", b"\xfe\xff"), "the text is UTF-16, a certificate is ASCII")
        end = bad.start() if bad else data.rfind(b"\n", 0, -1) + 1
        self.line += data.count(b"\n", 0, end)
        self.expect(not bad, f"byte {bad and bad[0].hex()} is not printable ASCII")
        last = re.fullmatch(rb"sum ([0-9a-f]{64})\n", data[end:])
        self.expect(last, "the text is cut off: its last line is not 'sum SHA256'")
        right = last[1].decode() == hashlib.sha256(data[:end]).hexdigest()
        self.expect(right, "the sum at the end is not that of the text: it was changed on its way")
        lines = self.give_lines(data[:end].decode("ascii"))
        self.expect(next(lines, "") == "mbcert 1", "the first line is not 'mbcert 1'")
        for line in lines:
            self.read_part(line.split(), lines)
        self.expect(self.models and not self.match, "no model is stated, or none after a match")
        for model in self.models.values():
            names = model.used | model.match.keys()
            fits = len({*map(model.common, names)}) == len(names) and "t" not in {*model.match, *model.match.values()}
            self.expect(fits, f"two symbols of {model.name} are called alike, or t is renamed")

    def expect(self, true, reason):
        if not true:
            raise UnreadableError(f"line {self.line}: {reason}")

    def give_lines(self, text):
        """Give the lines, without notes."""
        for self.line, found in enumerate(re.finditer(r".*\n", text), 1):
            fits = found.end() - found.start() <= MAX_LINE and self.line <= MAX_LINES
            self.expect(fits, f"the line is longer than {MAX_LINE} characters, or the {MAX_LINES + 1}st")
            line = found[0][:-1]
            if line[:5] != "note ":
                plain = line and "  " not in line and " " not in (line[0], line[-1])
                self.expect(plain, "the line is empty, or words are not separated by one space each")
                yield line

    def read_part(self, words, lines):
        """Read what begins with these words."""
        word, size = words[0], len(words)
        if word == "model" and size == 2 and len(self.models) < 2 and (self.match or words[1:])[0] == words[1]:
            self.expect(words[1] not in self.models, f"the name '{words[1][:40]}' stands twice")
            self.models[words[1]] = model = Part(words[1], None, self.match[1] if self.match else ())
            self.match = None
            self.read_lines(model, lines)
            common, first = [*map(model.common, model.coordinates)], next(iter(self.models.values()))
            fits = sorted(common) == sorted(first.coordinates)
            self.expect(fits, f"coordinates of {model.name} are not matched one to one with those of {first.name}")
            model.order = [common.index(name) for name in first.coordinates]
        elif word == "match" and size > 2 and len(self.models) == 1 and not self.match:
            pairs = [pair.split("=") for pair in words[2:]]
            right = all(len(pair) == 2 and re.fullmatch(NAME, x, re.ASCII) for pair in pairs for x in pair)
            self.expect(right, "a match is written own=common")
            self.expect(all(len({*names}) == len(pairs) for names in zip(*pairs)), "a name stands twice in the match")
            self.match = words[1], pairs
        elif word == "program" and size == 3 and words[2] in self.models and not self.match:
            self.expect(words[1] not in self.programs, f"the name '{words[1][:40]}' stands twice")
            self.programs[words[1]] = part = Part(words[1], self.models[words[2]])
            self.read_lines(part, lines)
            self.end_program(part, part.results, part.model.order)
        elif word == "state" and size > 1 and not self.state:
            for name, _, value in (pair.partition("=") for pair in words[1:]):
                fits = re.fullmatch(KINDS["v"][1], name, re.ASCII) and name not in self.state
                self.expect(fits, f"'{name[:40]}' is no symbol, or stands twice")
                self.state[name] = self.number(value)
        elif word == "differs" and size == 6 and self.state:
            right = words[1] in QUANTITIES and words[3] in self.programs and words[4] in self.programs
            self.expect(right and self.number(words[5]) > 0, "differs QUANTITY ENTRY PROGRAM PROGRAM AMOUNT")
            self.differences.append((*words[1:5], self.number(words[5])))
        else:
            self.expect(False, f"'{word[:40]}' cannot stand here")

    def read_lines(self, part, lines):
        """Read the lines of a model or a program."""
        self.expect(re.fullmatch(NAME, part.name, re.ASCII), f"'{part.name[:40]}' is no name")
        model, items, accelerated, line = part.model, part.items, False, ""
        most = f"more than {MAX_STEPS} steps (7 for each number, symbol and argument), or {MAX_MODEL} lines of a model"
        for line in lines:
            found = OPERATION.fullmatch(line)
            kind, *words = found.groups() if found else line.split(" ")
            if line == "end":
                break
            self.expect(model.coordinates or kind == "coordinates", "a model begins with its coordinates")
            if found:
                items.append((kind, int(words[0]), int(words[1])))
                self.expect(max(items[-1][1:]) < part.size, "a step refers to one that does not stand before this line")
            else:
                words, letters = self.read_words(kind, words, part)
                self.steps, accelerated = self.steps + 7 * len(words), accelerated or "''" in line
                self.expect(part is not model or not accelerated, "a machine cannot depend on accelerations")
                if len(kind) == 1:
                    items.append((*self.make_step(kind, words, part), 0)[:3])
                else:
                    self.expect((part is model) == (kind not in ("out", "scale")), f"'{kind}' cannot stand here")
                    late = accelerated and kind == "out" and words[0] != "inverse_dynamics"
                    self.expect(
                        not late, f"the result {words[0]} stands after an acceleration, on which it could depend"
                    )
                    (self.add_line if part is model else self.add_result)(kind, words, letters, part)
            self.steps, part.size = self.steps + 1, part.size + (len(kind) == 1)
            self.expect(self.steps <= MAX_STEPS and (part is not model or len(items) <= MAX_MODEL), most)
        self.expect(line == "end" and model.coordinates, f"{part.name} has no end, or no coordinates")

    def read_words(self, kind, words, part):
        """Return the words of a line, read as LINES says, and their letters."""
        for shape in LINES.get(kind, "").split("|"):
            first, _, more = shape.partition(",")
            times, rest = divmod(len(words) - len(first), len(more) or 1)
            if shape and not rest and (times > 0 if more else times == 0):
                letters = first + more * times
                return [self.read_word(letter, word, part) for letter, word in zip(letters, words)], letters
        self.expect(
            False, f"'{kind[:40]}' is no line of a {'model' if part is part.model else 'program'}, or has other words"
        )

    def read_word(self, letter, word, part):
        """Return a word, read as its letter in LINES says; only coordinates and lengths have rates."""
        model, plain = part.model, word
        if letter == "p" and word in ("1", "pi"):
            return word
        if letter in "ap":
            letter = "#" if word[0] == "#" else "n" if letter == "a" and word[0] in "-0123456789" else "v"
            plain = word[letter == "#" :]
        what, pattern = KINDS[letter]
        self.expect(letter == "n" or re.fullmatch(pattern, plain, re.ASCII), f"'{word[:40]}' is no {what}")
        if letter == "v":
            name = word.rstrip("'")
            moves = name in model.coordinates or (name[0] == "@" and word[-2:] != "''")
            self.expect(moves or name == word, f"'{word[:40]}' is the rate of no coordinate")
            model.used.add(name)
            return (name if name in model.lengths else model.common(name)) + word[len(name) :]
        self.expect(letter != "#" or int(plain) < part.size, f"step {plain} does not stand before this line")
        return self.number(word) if letter == "n" else int(plain) if letter in "#w" else word

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

    def angle(self, words, model):
        """Return an angle as pairs (number, base), and keep the least common period of each base."""
        for factor, base in zip(words[::2], words[1::2]):
            self.expect(str(base).rstrip("'") not in model.lengths, "an angle is no length")
            key = "#" if isinstance(base, int) else base
            known, most = self.periods.get(key, 1), MAX_TURNS if key == "pi" else MAX_PERIOD
            self.periods[key] = known * factor.denominator // gcd(known, factor.denominator)
            self.expect(self.periods[key] <= most, "the common period of angles is above the limit")
        return list(zip(words[::2], words[1::2]))

    def make_step(self, kind, words, part):
        """Return a step other than + - * /: its kind and its operands."""
        if kind == "n":
            part.exact[part.size] = words[0]
        elif kind == "r" and words[0] in part.exact:
            return "root", *self.split_radicand(part.exact[words[0]])
        elif kind == "^":
            self.steps += words[1]
        elif kind == "f":
            self.functions.add(words[0].partition(":")[0])
            return kind, words[0], words[1:]
        return kind, *([self.angle(words, part.model)] if kind in "sc" else words)

    def split_radicand(self, x):
        """Return (rational, primes) of the root of x: x is the rational's square times the primes."""
        if x not in self.radicands:
            few = x >= 0 and len(self.radicands) < MAX_RADICANDS
            self.expect(few, f"a root of a negative number, or of more than {MAX_RADICANDS} numbers")
            primes, rest = factorize(x.numerator * x.denominator)
            outside = isqrt(rest) if isqrt(rest) ** 2 == rest else 1
            primes += [rest] * (outside == 1 < rest)
            self.expect(
                max(primes, default=1) < MAX_PRIME, f"a root of a number that has a prime factor above {MAX_PRIME}"
            )
            outside *= prod(q ** (primes.count(q) // 2) for q in {*primes})
            self.radicands[x] = Fraction(outside, x.denominator), [q for q in {*primes} if primes.count(q) % 2]
            self.expect(len(self.primes()) <= MAX_ROOTS, f"roots of more than {MAX_ROOTS} prime numbers")
        return self.radicands[x]

    def primes(self):
        return sorted({prime for _, primes in self.radicands.values() for prime in primes})

    def add_line(self, kind, words, letters, model):
        """Add a line of a model other than a step: its names, its atoms and its angle."""
        names, atoms, angle = ([w for w, x in zip(words, letters) if x in y] for y in ("N", "a", "np"))
        if kind == "coordinates":
            fits = not model.coordinates and len(names) <= MAX_COORDINATES
            self.expect(fits, f"coordinates stand twice, or are more than {MAX_COORDINATES}")
            for k, name in enumerate(names):
                self.expect(name not in [*names[:k], "t", "pi"], f"the name '{name[:40]}' stands twice")
            model.coordinates, model.used = names, {*names}
            return
        if kind == "length":
            self.expect(
                names[0][0] == "@" and names[0] not in model.used, "a length begins with @, and stands before its use"
            )
            model.lengths[names[0]] = names[1:]
            model.used.add(names[0])
        elif kind == "body":
            self.expect(
                names[0] != "ground" and names[0] not in model.bodies, f"the name '{names[0][:40]}' stands twice"
            )
            model.bodies.add(names[0])
        fits = model.above in ("body", *JOINTS) if kind in JOINTS else model.bodies or kind != "mass"
        fits = fits and (kind != "gravity" or not model.above)
        self.expect(fits, f"{kind} does not stand below its body, or gravity stands below another line")
        model.items.append((kind, (names, atoms, self.angle(angle, model)), self.line))
        model.above = kind

    def add_result(self, kind, words, _, part):
        """Add a result or the scale of a program."""
        name, *places = words
        if kind == "scale":
            self.expect(part.scale is None, "the scale stands twice")
            part.scale = words
            return
        width = len(places) if name == "gamma" else len(part.model.coordinates)
        whole = len(places) == width or (name in ("M", "D") and len(places) % width == 0)
        self.expect(whole, f"{name} has {len(places)} entries for {width} coordinates")
        self.expect(name in ("M", "D") or name not in part.results, f"the result {name} stands twice")
        rows = part.results.setdefault(name, [])
        rows += [places[k : k + width] for k in range(0, len(places), width)]

    def end_program(self, part, results, order):
        """See that results fit each other, and put them in common order."""
        self.expect(results, "the program has no result")
        self.expect(len(results.get("M", order)) == len(order), f"M of {part.name} has not {len(order)} rows")
        counts = {len(results["D"])} if "D" in results else set()
        counts |= {len(row) for row in results.get("gamma", ())} | (
            {sum(map(bool, part.scale))} if part.scale else set()
        )
        self.expect(len(counts) < 2, f"D, gamma and scale of {part.name} are of different numbers of rows")
        for name, rows in results.items():
            rows = [rows[k] for k in order] if name == "M" else rows
            results[name] = rows if name == "gamma" else [[row[k] for k in order] for row in rows]


def factorize(n):
    """Return the prime factors below 10^6 of a number, and what is left: 1, a prime, or a number without these."""
    found, d = [], 2
    while d * d <= n and d < MAX_PRIME and n.bit_length() <= 256:
        while n % d == 0:
            found.append(d)
            n //= d
        d += 1 if d == 2 else 2
    return found, n


# Field ---------------------------------------------------------------------------------------------------------------
# A wrong equation is zero at a random point of a random prime field with a probability of about its degree over the
# prime (Schwartz 1980, Zippel 1979). Prime and point are drawn from the file's hash and fresh random bytes, so no file
# can be written to suit them. With every value goes a size, computed here and never read: the value is a polynomial in
# symbols, numbers and inverses of divisors, whose degree, and whose sum of coefficients in bits, are no larger. Cosine
# and sine are a pair with c^2 + s^2 = 1, a sum of angles is a product of pairs, each symbol has a random pair: all
# theorems of addition hold of themselves. The pair of pi is a root of unity, and roots of primes agree with it. A
# function known by name, a root, an exponential is a random element for each value of its arguments: equal arguments
# have equal results, and nothing else is taken for granted. Where that is too little for roots, they are square roots
# modulo p, and the claim must hold for both signs of each (then it holds for the positive ones).


class PrimeField:
    """A random prime field and a random point in it: an element for each symbol and each value of a function."""

    def __init__(self, seed, bits, text, signs=None):
        self.seed, self.bits, self.periods, self.signs, self.largest = seed, bits, text.periods, signs, 1
        self.symbols, self.numbers, self.angles, self.divisors, self.radicands, self.calls = {}, {}, {}, {}, {}, set()
        self.order, primes, (factors, rest) = 2 * text.periods["pi"], text.primes(), factorize(2 * text.periods["pi"])
        self.weight = 64 + 64 * len(primes) + self.order.bit_length()  # bits of all numbers
        self.p = Motion.p = self.draw_prime([q for q in primes if self.order % q])
        for k in count():  # the pair of pi is one of 2 pi / order
            unit = self.angles["pi"] = self.power(self.draw_pair("unit", k), (self.p + 1) // self.order)
            primitive = all(self.power(unit, self.order // q) != (1, 0) for q in {*factors, rest} - {1})
            if primitive and self.power(unit, self.order // 4) == (0, 1):
                break
        self.roots = {q: Motion(self.find_root(q)) for q in primes}

    def draw(self, *key):
        """Return a random element other than 0, the same for the same key."""
        stream = hashlib.shake_256(self.seed + repr((self.bits, *key)).encode())
        return int.from_bytes(stream.digest(self.bits // 8 + 16), "big") % (self.p - 1) + 1

    def draw_prime(self, squares):
        """Draw a prime that is -1 modulo the order, a multiple of 8, and modulo which these primes are squares."""
        small = prod(range(3, 2000, 2))
        for k in count():
            stream = hashlib.shake_256(self.seed + b"%d %d" % (self.bits, k)).digest(self.bits // 8)
            p = (int.from_bytes(stream, "big") | 1 << self.bits - 1) // self.order * self.order + self.order - 1
            if all(pow(-p, q // 2, q) == 1 for q in squares) and gcd(p, small) == 1:
                self.p = p  # tested by 28 random bases (Miller 1976, Rabin 1980)
                if all(pow(self.draw("base", n) % (p - 3) + 2, p // 2, p) in (1, p - 1) for n in range(28)):
                    return p

    def find_root(self, q):
        """Return the root of a prime: a product of sines of fractions of pi where the order has these (Gauss 1811)."""
        if self.order % q:
            return pow(q, self.p + 1 >> 2, self.p)
        root, angle = 1, self.power(self.angles["pi"], self.order // (2 * q if q > 2 else 8))
        multiple = angle
        for _ in range(max(1, q // 2)):
            root, multiple = root * 2 * multiple[1] % self.p, self.multiply(multiple, angle)
        return root

    def draw_pair(self, *key):
        """Return a random cosine and sine."""
        t = self.draw(*key)
        w = pow(1 + t * t, -1, self.p)
        return (1 - t * t) * w % self.p, 2 * t * w % self.p

    def multiply(self, a, b):
        """Return the cosine and sine of a sum."""
        return (a[0] * b[0] - a[1] * b[1]) % self.p, (a[0] * b[1] + a[1] * b[0]) % self.p

    def power(self, pair, n):
        """Return the cosine and sine of n times an angle."""
        result, pair = (1, 0), (pair if n >= 0 else (pair[0], -pair[1]))
        for bit in f"{abs(n):b}":
            result = self.multiply(result, result)
            result = self.multiply(result, pair) if bit == "1" else result
        return result

    def symbol(self, name):
        """Return the value of a symbol or of a rate."""
        return self.symbols.get(name) or self.symbols.setdefault(name, self.draw("symbol", name))

    def number(self, x):
        """Return an exact number."""
        if x not in self.numbers:
            self.weight += x.numerator.bit_length() + x.denominator.bit_length()
            self.numbers[x] = Motion(x.numerator * pow(x.denominator, -1, self.p) % self.p) if x else ZERO
        return self.numbers[x]

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
        values, sign, p = [x.value % self.p for x in arguments], 1, self.p
        self.largest = max(self.largest, *(x.size for x in arguments))
        if name == "sign" and 2 * values[0] > p:
            values[0], sign = p - values[0], -1
        self.calls.add((name, *values))
        if name == "r":
            k, root = self.radicands.setdefault(values[0], len(self.radicands)), pow(values[0], p + 1 >> 2, p)
            if self.signs is not None and root * root % p != values[0]:
                raise NoRootError("a value has no square root")
            if self.signs is not None:
                return -root if self.signs >> k & 1 else root
        return sign * self.draw("function", name, values) if values != [0] or name != "sign" else 0

    def function(self, name, arguments):
        """Return a function of what moves; one of several arguments has rates that nothing else has."""
        x, value, (base, _, order) = arguments[0], self.value(name, arguments), name.partition(":")
        if not any(y.rate % self.p or y.second % self.p for y in arguments):
            return Motion(value, size=1 if name != "r" else x.size + 1)
        if len(arguments) > 1:
            moves = [(y.value % self.p, y.rate % self.p, y.second % self.p) for y in arguments]
            return Motion(value, self.draw("rate", name, moves), self.draw("second", name, moves))
        if name == "exp":
            return x.compose(value, value, value, 1)
        if name == "r":
            first = self.inverse(Motion(2 * value)).value
            return x.compose(value, first, -2 * first**3, 6)
        first, second = (self.value(f"{base}:{int(order or 0) + k}", arguments) for k in (1, 2))
        return x.compose(value, first, second, 1)

    def turn(self, terms, lookup):
        """Return (sine, cosine) of the sum of number x base: a name, or what moves."""
        total, pair, size, p = ZERO, (1, 0), 2, self.p
        for factor, base in terms:
            key, name, exponent = base, base, factor
            if isinstance(base, Motion):  # tied by its value, up to the sign
                self.largest, value = max(self.largest, base.size), min(base.value % p, -base.value % p)
                key, name, exponent = "#", ("#", value), factor if value == base.value % p else -factor
            exponent = int(exponent * self.periods[key])
            if exponent and name != ("#", 0):
                unit = self.angles.get(name) or self.angles.setdefault(name, self.draw_pair("angle", name))
                pair, size = self.multiply(self.power(unit, exponent), pair), size + 2 * abs(exponent) * (name != "pi")
            total = total + self.number(factor) * (lookup(base) if isinstance(base, str) else base)
        cosine, sine = pair
        return total.compose(sine, cosine, -sine, size), total.compose(cosine, -sine, -cosine, size)

    def bound(self):
        """Return k: a wrong claim passes with a probability below 2^-k.

        Inverses of divisors and of 1 + t^2 are cleared one after the other, then numbers, roots and the pair of pi (by
        the norm); values of arguments that differ may fall together. There are more than 2^(bits - 24 - lost) such
        primes, and what passes 28 tests is none with a probability below 2^(lost - 127) (Damgard, Landrock, Pomerance
        1993). Where roots are tied, the point is one of 2^10, all of whose values have roots.
        """
        lost, tied = (
            self.order.bit_length() - 1 + len(self.roots),
            len(self.radicands) + 10 if self.signs is not None else 0,
        )
        degree = self.largest * (1 + len(self.angles)) * (1 + self.weight) << lost + 1
        degree *= prod(size + 1 for size, _ in self.divisors.values())
        degree *= (1 + len(self.calls) + len(self.angles)) ** 2 + len(self.divisors)
        return min(self.bits - 24 - degree.bit_length(), 127) - lost - tied


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
        size = check_size(self.size + other.size + 2)
        return Motion(u * v % p, (self.rate * v + u * other.rate) % p, second % p, size)

    def compose(self, value, first, second, size):
        """Return f(x) by the values of f, f', f'', whose sizes are no larger than ``size``."""
        if not (self.rate or self.second):
            return Motion(value % self.p, size=check_size(size))
        rates = first * self.rate % self.p, (first * self.second + second * self.rate * self.rate) % self.p
        return Motion(value % self.p, *rates, check_size(size + 2 * self.size + 2))


def check_size(size):
    """Return a size that is within the limit."""
    if size > MAX_SIZE:
        raise RefusedError("a degree is above the limit of 2^160")
    return size


ZERO, ONE = Motion(0, size=0), Motion(1, size=0)


def run(part, algebra, lookup, read=None, stop=None):
    """Return the values of steps up to ``stop``; other lines are read on the way."""
    values, kind, b = [], "", 0
    append = values.append
    try:
        for kind, a, b in part.items[:stop]:
            if kind == "*":
                append(values[a] * values[b])
            elif kind == "+":
                append(values[a] + values[b])
            elif kind == "-":
                append(values[a] - values[b])
            elif kind == "v":
                append(lookup(a))
            elif kind == "n":
                append(algebra.number(a))
            elif kind == "/":
                append(values[a] * algebra.inverse(values[b]))
            elif kind == "^":
                append(prod([values[a]] * b, start=algebra.number(Fraction(1))))
            elif kind == "root":
                append(prod((algebra.roots[q] for q in b), start=algebra.number(a)))
            elif kind == "r":
                append(algebra.function("r", [values[a]]))
            elif kind == "f":
                append(algebra.function(a, [values[k] for k in b]))
            elif kind in ("s", "c"):
                terms = [(factor, values[base] if isinstance(base, int) else base) for factor, base in a]
                append(algebra.turn(terms, lookup)[kind == "c"])
            else:
                read(kind, *a, values)
    except RefusedError as problem:
        place = f"step {len(values)} of {part.name}" if len(kind) == 1 or kind == "root" else f"line {b}"
        raise type(problem)(f"{place}: {problem}") from None
    except KeyError as name:
        raise UnreadableError(f"line {b}: {name} is no body, coordinate or length that stands above") from None
    return values


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


class Machine:
    """A stated machine that moves: without accelerations, or with those that are drawn."""

    def __init__(self, model, field, still=None):
        self.model, self.field, self.still, self.lengths, self.formulas = model, field, still, {}, []
        self.frames = {"ground": Frame(None, [[ONE, ZERO, ZERO], [ZERO, ONE, ZERO], [ZERO, ZERO, ONE]], NOTHING)}
        self.coordinates, self.constraints = [*map(model.common, model.coordinates)], []
        self.rows = {name: dict.fromkeys(self.coordinates, ZERO) for name in ("inertial", "gravity", "applied")}
        self.gravity, self.body = NOTHING, None
        run(model, field, self.moving, self.read)

    def load(self, name, frame, force, moment):
        """Add the work of a force and a moment (about the world's origin) along all joints of a body to the rows."""
        while frame.parent:
            for kind, axis, point, factor, coordinate in frame.joints:
                lever = force if kind == "shift" else minus(moment, cross(point, force))
                self.rows[name][coordinate] += factor * dot(axis, lever)
            frame = frame.parent

    def moving(self, symbol):
        """Return a symbol that moves: a coordinate, a length, the time."""
        name, draw = symbol.rstrip("'"), self.field.symbol
        if name in self.lengths:
            whole = self.lengths[name]
        elif name in self.coordinates:
            whole = Motion(draw(name), draw(name + "'"), draw(name + "''") if self.still else 0)
        else:
            return ONE if symbol == "1" else Motion(draw(symbol), int(symbol == "t"))
        third = self.field.draw("third", name, bool(self.still))  # known to nobody
        return whole if name == symbol else Motion(whole.rate, whole.second, third, whole.size)

    def lookup(self, symbol):
        """Return a symbol as programs know it: it does not move."""
        if symbol == "1" or symbol.rstrip("'") in self.lengths:
            return Motion(self.moving(symbol).value % self.field.p, size=self.moving(symbol).size)
        return Motion(self.field.symbol(symbol))

    def atom(self, atom, values):
        if isinstance(atom, Fraction):
            return self.field.number(atom)
        return values[atom] if isinstance(atom, int) else self.moving(atom)

    def expect_constant(self, atoms):
        for x in atoms:
            self.expect_zero(Motion(x.rate, size=x.size), "something changes with time that must be constant")
            self.expect_zero(Motion(x.second, size=x.size), "something changes with time that must be constant")

    def expect_zero(self, x, reason):
        self.field.largest = max(self.field.largest, x.size)
        if x.value % self.field.p:
            raise RefusedError(reason)

    def between(self, a, b):
        return minus(self.frames[a].origin, self.frames[b].origin)

    def push(self, name, force):
        """Load a body with a force at its origin."""
        self.load("applied", self.frames[name], force, cross(self.frames[name].origin, force))

    def distance(self, a, b):
        return self.field.function("r", [dot(self.between(a, b), self.between(a, b))])

    def read(self, kind, names, atoms, angle, values):
        """Do what a line of the model says."""
        body, field, frames = self.body, self.field, self.frames
        atoms = [self.atom(atom, values) for atom in atoms]
        if kind not in ("gravity", "force", "moment", "effort", "push", "row", "rate"):
            self.expect_constant(atoms)
        if kind in JOINTS:
            self.expect_zero(dot(atoms, atoms) - ONE, "the length of the axis is not 1")
        if kind == "gravity":
            self.gravity = atoms
        elif kind == "body":
            parent = frames[names[1]]
            place = parent.world(atoms) if atoms else [ZERO] * 3
            self.body = frames[names[0]] = Frame(parent, parent.axes, add(parent.origin, place))
        elif kind == "tilt":
            *axis, c, s = atoms
            self.expect_zero(c * c + s * s - ONE, "no cosine and sine: their squares do not add up to 1")
            self.rotate(axis, s, c)
        elif kind in JOINTS:
            along, amount = body.world(atoms), ZERO
            terms = [(factor, base if isinstance(base, str) else values[base]) for factor, base in angle]
            for factor, base in terms:
                moved = field.number(factor) * (self.moving(base) if isinstance(base, str) else base)
                amount = amount + moved
                if base in self.coordinates:
                    body.joints.append((kind, along, body.origin, field.number(factor), base))
                else:
                    self.formulas.append(moved)
                    still = self.still.formulas[len(self.formulas) - 1] if self.still else moved
                    self.expect_zero(second([moved - still])[0], "a joint moves by a formula of coordinates")
            if kind == "turn":
                self.rotate(atoms, *field.turn(terms, self.moving))
            else:
                body.origin = add(body.origin, [x * amount for x in along])
        elif kind == "mass":
            self.add_mass(*atoms)
        elif kind == "force":
            self.push(names[0], atoms)
        elif kind == "moment":
            self.load("applied", frames[names[0]], NOTHING, frames[names[0]].world(atoms))
        elif kind == "effort":
            self.rows["applied"][self.model.common(names[0])] += atoms[0]
        elif kind == "armature":
            own = [*map(self.model.common, names)]
            speeds = [c * second([self.moving(name)])[0] for c, name in zip(atoms[1:], own)]
            for c, name in zip(atoms[1:], own):
                self.rows["inertial"][name] += atoms[0] * c * sum(speeds, ZERO)
        elif kind == "length":
            self.lengths[names[0]] = self.distance(*names[1:])
        elif kind == "push":
            amount = atoms[0] * field.inverse(self.lengths[names[0]])
            a, b = self.model.lengths[names[0]]
            self.push(a, [x * amount for x in self.between(a, b)])
            self.push(b, [x * amount for x in self.between(b, a)])
        elif kind == "rate":
            self.constraints.append(Motion(atoms[0].rate % field.p, size=atoms[0].size))
        else:
            row = atoms[0] if kind == "row" else ZERO
            if kind == "rod":
                row = self.distance(*names)
            elif kind == "apart":
                row = dot(self.between(*names[:2]), frames[names[2]].world(atoms))
            elif kind == "facing":
                row = dot(frames[names[0]].world(atoms[:3]), frames[names[1]].world(atoms[3:]))
            self.constraints += second([row])

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
        body, moment = self.body, NOTHING
        place = add(body.origin, body.world([x, y, z]))
        if tensor:
            half, (xx, yy, zz, xy, xz, yz) = self.field.number(Fraction(1, 2)), tensor
            a, b, c = ((u + v - w) * half for u, v, w in ((yy, zz, xx), (xx, zz, yy), (xx, yy, zz)))
            xy, xz, yz = minus(NOTHING, [xy, xz, yz])
            sums = [[a, xy, xz], [xy, b, yz], [xz, yz, c]]  # of m x x, m x y, ...
            arms = [[dot(row, axis) for row in sums] for axis in body.axes]
            rates = [second(axis) for axis in body.axes]
            moment = [dot(arms[i], rates[j]) - dot(arms[j], rates[i]) for i, j in ((1, 2), (2, 0), (0, 1))]
        force = [m * x for x in second(place)]
        self.load("inertial", body, force, add(moment, cross(place, force)))
        weight = [m * x for x in self.gravity]
        self.load("gravity", body, weight, cross(place, weight))


def derive(model, field):
    """Return the quantities of a machine, in common order, and the machine."""
    still = Machine(model, field)
    moved = Machine(model, field, still)
    found = {load: [rows[still.coordinates[k]] for k in model.order] for load, rows in still.rows.items()}
    found["h"] = found.pop("inertial")
    found["M"] = minus([moved.rows["inertial"][still.coordinates[k]] for k in model.order], found["h"])
    if still.constraints:
        found["gamma"], found["D"] = still.constraints, minus(moved.constraints, still.constraints)
    return found, still


# Comparison ----------------------------------------------------------------------------------------------------------
# Every quantity is compared over all programs that give it and the machine, entry by entry, in the coordinates of the
# first model and the units of its rows. M is compared as M q'' with random q'', on which it cannot depend (Reading).
# What is given but compared with nothing is refused.

#: What follows from other quantities: a + b - c.
FOLLOWS = {"inertial": ("M", "h", None), "force": ("gravity", "applied", "h")}
FOLLOWS.update({"inverse_dynamics": ("M", None, "force"), "rows": ("D", "gamma", None)})
ORDER = ("M", "h", "inertial", "gravity", "applied", "force", "inverse_dynamics", "D", "gamma", "rows")
MECHANICS = "mechanics of "


def evaluate(part, field, machine, push):
    """Return the quantities of a program; None: a row that it does not have."""
    values, found = run(part, field, machine.lookup), {}
    for name, rows in part.results.items():
        found[name] = [values[k] for k in rows[0]]
        if name in ("M", "D"):
            found[name] = [sum((values[k] * x for k, x in zip(row, push)), ZERO) for row in rows]
        if name in ("D", "gamma") and part.scale:
            rest = iter(found[name])
            found[name] = [next(rest) * field.number(1 / c) if c else None for c in part.scale]
    return found


def compare(text, field):
    """Return what is proved, quantity -> (sources, rows that are missing), and k of the error 2^-k."""
    sources, machines, proved = {}, {}, {}
    push = [Motion(field.symbol(name + "''")) for name in next(iter(text.models.values())).coordinates]
    for name, model in text.models.items():
        found, machines[name] = derive(model, field)
        if any(item[0] in ("body", "effort", "armature") for item in model.items):
            sources[MECHANICS + name] = found
    for name, part in text.programs.items():
        sources[name] = evaluate(part, field, machines[part.model.name], push)
    claims = {name: {*found} for name, found in sources.items()}
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
            if len(there) == 1 and there[0][0] in text.programs and quantity in claims[there[0][0]]:
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


def decide(text, seed):
    """Compare where roots of values are known by their value only, and if that fails, where they are square roots."""
    proved, error = {}, 0
    for bits in (256, 512, 1024):
        if error < 64:
            field = PrimeField(seed, bits, text)
            try:
                proved, error = compare(text, field)
            except RefusedError:
                tied = compare_tied(text, seed, bits) if 0 < len(field.radicands) <= MAX_TIED else None
                if not tied:
                    raise
                proved, error = tied
    if error < 64:
        raise RefusedError("degrees are so high that the probability of an error is above 2^-64")
    return proved, error


def compare_tied(text, seed, bits):
    """Compare with all signs at the first of many points where all values have square roots; None where that fails."""
    for k in range(1 << MAX_TIED + 4):
        own, signs, last, found = hashlib.sha256(seed + b"%d" % k).digest(), 0, 0, None
        try:
            while signs <= last:
                field = PrimeField(own, bits, text, signs)
                found = compare(text, field)
                signs, last = signs + 1, (1 << len(field.radicands)) - 1
            return found
        except NoRootError:
            pass
        except RefusedError:
            break
    return None


# Differences ---------------------------------------------------------------------------------------------------------
# Two programs are evaluated at the state of the file, in intervals that hold all errors of rounding. Intervals that are
# apart are a proof, without any probability.

BITS = 2000


class Interval:
    """A number within ``radius`` of ``middle``, both in units of 2^-2000."""

    def __init__(self, middle, radius=0):
        self.middle, self.radius = middle, radius
        if max(abs(middle), radius).bit_length() > 20_000:
            raise RefusedError("a number above 2^18000")

    def __add__(self, other):
        return Interval(self.middle + other.middle, self.radius + other.radius)

    def __sub__(self, other):
        return Interval(self.middle - other.middle, self.radius + other.radius)

    def __mul__(self, other):
        middle = self.middle * other.middle
        radius = abs(self.middle) * other.radius + (abs(other.middle) + other.radius) * self.radius
        return Interval(middle >> BITS, -(-radius >> BITS) + bool(middle & (1 << BITS) - 1))


class AtState:
    """The values of steps at a state, as intervals."""

    def __init__(self, text):
        self.state = {**text.state, "1": Fraction(1)}
        self.roots = {q: self.function("r", [Interval(q << BITS)]) for q in text.primes()}

    def number(self, x):
        return Interval((x.numerator << BITS) // x.denominator, bool((x.numerator << BITS) % x.denominator))

    def lookup(self, symbol):
        if symbol in self.state:
            return self.number(self.state[symbol])
        if symbol != "pi":
            raise RefusedError(f"the state has no number for {symbol}")
        sides = [(16 * (-1) ** k, 5, 2 * k + 1) for k in range(500)] + [
            (-4 * (-1) ** k, 239, 2 * k + 1) for k in range(500)
        ]
        return Interval(sum((f << BITS) // (d**k * k) for f, d, k in sides), 1002)  # arctangents (Machin 1706)

    def inverse(self, x):
        least = abs(x.middle) - x.radius
        if least <= 0:
            raise RefusedError("a division by what may be zero")
        rounded = bool((1 << 2 * BITS) % x.middle)
        return Interval((1 << 2 * BITS) // x.middle, -(-(x.radius << 2 * BITS) // least**2) + rounded)

    def function(self, name, arguments):
        x, root = arguments[0], isqrt(max(0, arguments[0].middle) << BITS)
        if name == "r" and x.middle > x.radius:
            return Interval(root, (x.radius << BITS) // root + 2)
        if name == "exp" and len(arguments) == 1:
            return self.sum_powers(x)[0]
        if name == "sign" and len(arguments) == 1 and abs(x.middle) > x.radius:
            return Interval(1 << BITS if x.middle > 0 else -1 << BITS)
        raise RefusedError(f"the value of {'a root' if name == 'r' else name} is not known here")

    def turn(self, terms, lookup):
        total = Interval(0)
        for factor, base in terms:
            total = total + self.number(factor) * (lookup(base) if isinstance(base, str) else base)
        return self.sum_powers(total)[1:]

    def sum_powers(self, x):
        """Return exp, sin and cos by 5,000 terms of their power series; the others are below 2^-2000."""
        sums, term = [Interval(0, 2)] * 4, Interval(1 << BITS)
        if abs(x.middle) + x.radius >> BITS > 1000:
            raise RefusedError("an angle or an exponent above 1000")
        for k in range(1, 5000):
            sums[(k - 1) % 4], term = sums[(k - 1) % 4] + term, term * x
            term = Interval(term.middle // k, term.radius // k + 2)
        return sums[0] + sums[1] + sums[2] + sums[3], sums[1] - sums[3], sums[0] - sums[2]


def find_entry(part, quantity, entry):
    """Return the step of an entry; entries of M and D are 'row,column'."""
    places = (
        [int(word) - 1 for word in entry.split(",")] if re.fullmatch(r"[1-9]\d{0,3}(,[1-9]\d{0,3})?", entry) else []
    )
    if quantity in part.results and len(places) == (2 if quantity in ("M", "D") else 1):
        row, column = places if len(places) == 2 else (0, *places)
        if row < len(part.results[quantity]) and column < len(part.results[quantity][row]):
            return part.results[quantity][row][column]
    raise UnreadableError(f"{part.name} has no {quantity} {entry[:20]}")


def differ(text):
    """Return sentences on the differences of programs at the state, each proved by intervals."""
    algebra = AtState(text)
    for quantity, entry, first, second, amount in text.differences:
        steps = [(text.programs[name], find_entry(text.programs[name], quantity, entry)) for name in (first, second)]
        x, y = (run(part, algebra, algebra.lookup, None, step + 1)[step] for part, step in steps)
        if abs(x.middle - y.middle) - x.radius - y.radius < amount * 2**BITS:
            raise RefusedError(f"{quantity} {entry} of {first} and {second} is not shown to be so far apart")
        yield f"{quantity} {entry} of {first} and {second} at least {float(amount):.15g} apart"


def verify(data, require=(), seed=None):
    """Return what a certificate proves, in words."""
    text = Certificate(data)
    if text.differences:
        if require:
            raise RefusedError("a certificate of a difference proves no quantity")
        said = [*differ(text), "proved (by intervals that hold all rounding, without any probability)"]
        return "\n".join([*said, "At the state of the file the programs differ so much: these are two functions."])
    seed = seed or os.urandom(32)
    proved, error = decide(text, hashlib.sha256(hashlib.sha256(data).digest() + seed).digest())
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
    same = (
        "Each quantity above is the same function of all states, parameters and named functions for all that its line"
    )
    same += " lists"
    same += ", and where it lists mechanics, that of the machine that the file states" if mechanics else ""
    known = ", ".join(sorted(text.functions - {"exp"})) or "none here"
    return "\n".join([
        *lines,
        f"proved (error < 2^-{error}, seed {seed.hex()})",
        f"{same}{f'; nothing is said of {left}' if left else ''}.",
        f"A file that is wrong in this passes with a probability below 2^-{error}: prime and point are drawn anew.",
        "Assumed: the stated machine is the one that you mean (read the model in the file), states exist where no"
        " divisor is zero, conditions of branches are as stated, and functions known by name only mean the same"
        f" everywhere ({known}); limits, contacts and what is left out are not covered.",
    ])  # fmt: skip


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
