// Verify a certificate of equations of motion in a browser or in Node: a second program for the format that
// verify_certificate.py reads. It shares no code with it, and other mechanics: frames are three axes and an origin,
// loads are a force and a moment about the origin of the world. All points are drawn by the browser's generator.
//
//   node verify_certificate.js FILE…     exit code 0 proved, 1 refused, 2 not readable
"use strict";

class Refused extends Error {}
class Unreadable extends Error {}
const expect = (fits, why) => { if (!fits) throw new Unreadable(why); };
const prove = (fits, why) => { if (!fits) throw new Refused(why); };

// Reading: every line is one pattern; steps refer to earlier steps only.

const LIMITS = { bytes: 32e6, line: 1e5, steps: 2e6, model: 12000, lines: 22e5, coordinates: 1000, divisors: 1000, roots: 12 };
const NAME = "[A-Za-z_%][\\w@%.,()\\[\\]-]{0,999}", WHOLE = "(?:0|[1-9]\\d{0,6})";
const NUMBER = "(?![^ ]{1101})-?\\d+(?:/0*[1-9]\\d*|(?:\\.\\d+)?(?:e-?\\d{1,3})?)";
const SYMBOL = `(?:(?:${NAME}'?|@\\w{1,99})'?)`, ATOM = `(?:${NUMBER}|#${WHOLE}|${SYMBOL})`;
const ANGLE = `(?: ${NUMBER} (?:1|#${WHOLE}|${NAME}'{0,2}))+`;
const atoms = (n) => ` ${ATOM}`.repeat(n);
const STEP_LINES = {
  "+": ` ${WHOLE} ${WHOLE}`, "-": ` ${WHOLE} ${WHOLE}`, "*": ` ${WHOLE} ${WHOLE}`, "/": ` ${WHOLE} ${WHOLE}`,
  "^": ` ${WHOLE} ${WHOLE}`, n: ` ${NUMBER}`, v: ` ${SYMBOL}`, r: ` ${WHOLE}`, s: ANGLE, c: ANGLE,
  f: ` ${NAME}(?::[1-9]\\d?)?(?: ${WHOLE})+`,
};
const PROGRAM_LINES = { out: ` ${NAME}(?: ${WHOLE})+`, scale: `(?: ${NUMBER})+` };
const MODEL_LINES = {
  coordinates: `(?: ${NAME})+`, gravity: atoms(3), body: ` ${NAME} ${NAME}(?:${atoms(3)})?`, shift: atoms(3) + ANGLE,
  turn: atoms(3) + ANGLE, tilt: atoms(5), mass: `${atoms(4)}(?:${atoms(6)})?`, force: ` ${NAME}${atoms(3)}`,
  moment: ` ${NAME}${atoms(3)}`, effort: ` ${NAME}${atoms(1)}`, armature: `${atoms(1)}(?: ${NAME}${atoms(1)})+`,
  length: ` @\\w{1,99} ${NAME} ${NAME}`, push: ` @\\w{1,99}${atoms(1)}`, rod: ` ${NAME} ${NAME}`,
  apart: ` ${NAME} ${NAME} ${NAME}${atoms(3)}`, facing: ` ${NAME}${atoms(3)} ${NAME}${atoms(3)}`, row: atoms(1),
  rate: atoms(1),
};
const PATTERNS = new Map(Object.entries({ ...STEP_LINES, ...PROGRAM_LINES, ...MODEL_LINES }).map(
  ([kind, words]) => [kind, new RegExp(`^${kind.replace(/[+*^]/, "\\$&")}${words}$`)]));
const QUANTITIES = ["M", "h", "gravity", "applied", "force", "D", "gamma", "inverse_dynamics"];
const has = (table, key) => Object.prototype.hasOwnProperty.call(table, key);
const gcd = (a, b) => { a = a < 0n ? -a : a; while (b) [a, b] = [b, a % b]; return a; };
const lcm = (a, b) => a / gcd(a, b) * b;

function fraction(word) {  // [numerator, denominator]
  const [, sign, whole, bottom, digits = "", power = "0"] =
    /^(-?)(\d+)(?:\/(\d+))?(?:\.(\d+))?(?:e(-?\d+))?$/.exec(word);
  let top = BigInt(whole + digits), below = bottom ? BigInt(bottom) : 1n;
  const shift = Number(power) - digits.length;
  if (shift >= 0) top *= 10n ** BigInt(shift); else below *= 10n ** BigInt(-shift);
  const common = gcd(top, below) || 1n;
  return [(sign ? -top : top) / common, below / common];
}

const isStep = (x) => typeof x === "number", isFraction = Array.isArray;

class Text {
  constructor(text) {
    Object.assign(this, { models: new Map(), programs: new Map(), match: null, words: 0, weight: 64, line: 1,
      period: 1n, turns: 4n, primes: new Set(), functions: new Set(), notes: [] });
    try { this.readAll(text); } catch (problem) {
      if (problem instanceof Unreadable) problem.message = `line ${this.line}: ${problem.message}`;
      throw problem;
    }
  }

  readAll(text) {
    let part = null;
    const lines = text.split("\n");
    expect(lines[0] === "mbcert 1", "the first line is not 'mbcert 1'");
    for (this.line = 2; this.line <= lines.length - 1; this.line++) {
      const line = lines[this.line - 1];
      expect(line.length < LIMITS.line, `more than ${LIMITS.line} characters`);
      if (line.startsWith("note ")) this.notes.push(line.slice(5));
      else if (part && line === "end") { this.end(part.model); part = null; }
      else part = part ? this.read(part, line) : this.begin(line);
    }
    expect(!part && this.models.size && !this.match, "a model or a program is missing, or has no end");
  }

  begin(line) {
    const cannot = `'${line.slice(0, 40)}' cannot stand here, or a name stands twice in it or above`;
    expect(!line.startsWith("state "), "a certificate of a difference is verified by verify_difference.py");
    const found = new RegExp(`^(?:model (${NAME})|program ((?!mechanics)${NAME}) (${NAME})|match (${NAME})((?: ${NAME}=${NAME})+))$`)
      .exec(line);
    expect(found, cannot);
    const [, model, program, of, matched, pairs] = found, match = this.match;
    this.match = null;
    const part = { name: model ?? program, items: [], steps: 0, coordinates: [], numbers: new Map(), match: new Map(),
      accelerated: false };
    if (model !== undefined) {
      expect(this.models.size < 2 && !this.models.has(model) && (!match || match.name === model), cannot);
      for (const [, common] of match?.pairs ?? []) part.match.set(common, null);  // taken
      for (const [own, common] of match?.pairs ?? []) part.match.set(own, common);
      part.model = part;
      this.models.set(model, part);
      return part;
    }
    expect(!match, cannot);
    if (program !== undefined) {
      expect(this.models.has(of) && !this.programs.has(program), cannot);
      part.model = this.models.get(of);
      this.programs.set(program, part);
      return part;
    }
    this.match = { name: matched, pairs: pairs.trim().split(" ").map((pair) => pair.split("=")) };
    for (const side of [0, 1]) {
      const names = new Set(this.match.pairs.map((pair) => pair[side]));
      expect(names.size === this.match.pairs.length && !names.has("t") && !names.has("pi"), cannot);
    }
    expect(this.models.size === 1, cannot);
    return null;
  }

  end(model) {
    const first = this.models.values().next().value.coordinates, own = model.coordinates;
    expect(own.length && own.length === first.length && first.every((name) => own.includes(name)),
      `coordinates of ${model.name} are none, or not matched one to one`);
    model.order = first.map((name) => own.indexOf(name));
  }

  convert(model, word) {
    if (word[0] === "#") return Number(word.slice(1));
    if (/^[-\d]/.test(word)) {
      const number = fraction(word);
      this.weight += length(number[0]) + length(number[1]);
      return number;
    }
    const name = word.replace(/'+$/, ""), common = model.match.has(name) ? model.match.get(name) : name;
    expect(common !== null && (name === word || name[0] === "@" || model.coordinates.includes(common)),
      `'${word.slice(0, 40)}' is the rate of no coordinate, or called like a symbol of the other model`);
    return common + word.slice(name.length);
  }

  read(part, line) {
    let [kind, ...words] = line.split(" ");
    const ofModel = part === part.model, isRank = has(STEP_LINES, kind);
    const own = isRank || has(ofModel ? MODEL_LINES : PROGRAM_LINES, kind);
    expect(own && PATTERNS.get(kind).test(line), `'${line.slice(0, 40)}' is no line of a ${
      ofModel ? "model" : "program"}, or a word of it is none of its kind or too long`);
    if (kind === "f" || kind === "out") words = [words[0], ...words.slice(1).map(Number)];
    else if ("+-*/^r".includes(kind)) words = words.map(Number);
    else words = words.map((word) => this.convert(part.model, word));
    if (!"+-*/".includes(kind)) {
      this.words += 7 * words.length + (kind === "^" ? words[1] : 0);
      part.accelerated ||= line.includes("''");
      expect(!part.accelerated || (!ofModel && (kind !== "out" || words[0] === "inverse_dynamics")),
        "a machine, M, h and forces cannot depend on accelerations, which stand before them");
      this.prepare(part, kind, words);
    }
    expect(part.model.coordinates.length, "a model begins with its coordinates");
    const steps = (kind === "^" ? words.slice(0, 1) : words).filter(isStep);
    expect(steps.every((k) => k < part.steps), "a step refers to one that does not stand before this line");
    part.items.push({ kind, words, line: this.line });
    part.steps += isRank;
    this.words += 1;
    expect(this.words <= LIMITS.steps && (!ofModel || part.items.length <= LIMITS.model),
      `more than ${LIMITS.steps} steps (7 for each other word), or ${LIMITS.model} lines of a model`);
    return part;
  }

  prepare(part, kind, words) {
    if (kind === "coordinates") {
      const names = new Set([...words, "t", "pi"]);
      expect(!part.coordinates.length && names.size === words.length + 2 && words.length <= LIMITS.coordinates,
        `coordinates stand twice, or are called t or pi, or are more than ${LIMITS.coordinates}`);
      part.coordinates = words;
    } else if (kind === "n") part.numbers.set(part.steps, words[0]);
    else if (kind === "f") this.functions.add(words[0].split(":")[0]);
    else if (kind === "out") expect(QUANTITIES.includes(words[0]), `'${words[0].slice(0, 40)}' is no quantity`);
    else if (kind === "r" && part.numbers.has(words[0])) {
      const [top, below] = part.numbers.get(words[0]), q = Number(top);
      let prime = below === 1n && q > 1 && q < 1e6;
      for (let d = 2; prime && d * d <= q; d++) prime = q % d !== 0;
      expect(prime, "a root of a number that is no prime below 10^6");
      this.primes.add(q);
      expect(this.primes.size <= LIMITS.roots, `roots of more than ${LIMITS.roots} primes`);
    }
    const angle = kind === "s" || kind === "c" ? words : kind === "shift" || kind === "turn" ? words.slice(3) : [];
    for (let k = 0; k < angle.length; k += 2) {
      if (angle[k + 1] === "pi") this.turns = lcm(this.turns, angle[k][1]);
      else this.period = lcm(this.period, angle[k][1]);
    }
    expect(this.period <= 1n << 100n && this.turns <= 1n << 32n && (this.turns & -this.turns) <= 1n << 10n,
      "the common period of angles is above the limit");
  }
}

// Field: a random prime and a random point in it. A value goes with its rates and a size (of degree and coefficients).

const length = (x) => x.toString(2).length;

function random(bits) {
  const bytes = crypto.getRandomValues(new Uint8Array(bits / 8));
  return BigInt("0x" + Array.from(bytes, (x) => x.toString(16).padStart(2, "0")).join(""));
}

class Field {
  constructor(bits, text) {
    Object.assign(this, { bits, text, order: 2n * text.turns, elements: new Map(), divisors: new Map(), largest: 1 });
    this.weight = text.weight + 64 * text.primes.size + length(this.order);
    const order = this.order, primes = [...text.primes];
    this.p = this.drawPrime(primes.filter((q) => order % BigInt(q)));
    const p = this.p, parts = [];
    for (let d = 1n; d * d <= order; d++) if (order % d === 0n) parts.push(order / d, d);
    const proper = parts.filter((d) => d !== order);
    do this.unit = this.power(random(bits) % p, (p - 1n) / order);
    while (this.unit === 0n || proper.some((d) => this.power(this.unit, d) === 1n));
    this.i = this.power(this.unit, order / 4n);
    this.zero = this.motion(0n, 0n, 0n, 0);
    this.one = this.motion(1n, 0n, 0n, 0);
    this.half = this.motion((p + 1n) / 2n);
    this.roots = new Map(primes.map((q) => [q, this.motion(this.root(q))]));
  }

  mod(x) { const y = x % this.p; return y < 0n ? y + this.p : y; }

  power(base, exponent, p = this.p) {
    if (exponent < 0n) return this.power(this.invert(base), -exponent);
    let result = 1n;
    for (base %= p; exponent; exponent >>= 1n, base = base * base % p) if (exponent & 1n) result = result * base % p;
    return result;
  }

  invert(x) {
    let [a, b, u, v] = [this.mod(x), this.p, 1n, 0n];
    while (b) { const q = a / b; [a, b, u, v] = [b, a - q * b, v, u - q * v]; }
    return this.mod(u);
  }

  drawPrime(squares) {  // p - 1 is an odd multiple of the order; 28 tests to random bases
    const order = this.order, twos = order & -order, small = [];
    for (let n = 3n; n < 2000n; n += 2n) if (small.every((q) => n % q)) small.push(n);
    for (;;) {
      const top = random(this.bits) | 1n << BigInt(this.bits - 1), p = top / (2n * order) * 2n * order + order + 1n;
      if (small.some((q) => p % q === 0n)) continue;
      if (!squares.every((q) => this.power(p, BigInt(q >> 1), BigInt(q)) === 1n)) continue;
      const passes = () => {
        let x = this.power(random(this.bits) % (p - 3n) + 2n, (p - 1n) / twos, p);
        if (x === 1n) return true;
        for (let t = twos; t > 1n; t >>= 1n, x = x * x % p) if (x === p - 1n) return true;
        return false;
      };
      if (Array(28).fill(0).every(passes)) return p;
    }
  }

  root(q) {
    const { p, order } = this, half = Math.max(1, q >> 1), Q = BigInt(q);
    if (order % Q === 0n) {  // 2 sin(pi k / q), multiplied over k
      const z = this.power(this.unit, order / (q > 2 ? 2n * Q : 8n)), w = this.invert(z);
      let [up, down, product] = [1n, 1n, 1n];
      for (let k = 0; k < half; k++) {
        [up, down] = [up * z % p, down * w % p];
        product = product * (down - up) % p * this.i % p;
      }
      return this.mod(product);
    }
    const twos = order & -order, z = this.power(this.unit, order / twos), odd = (p - 1n) / twos;
    let k = 0n;
    for (const rest = this.power(Q, odd); rest * this.power(z, 2n * k) % p !== 1n; k++);
    return this.power(Q, (odd + 1n) / 2n) * this.power(z, k) % p;
  }

  draw(...key) {
    const name = key.join(" ");
    if (!this.elements.has(name)) this.elements.set(name, random(this.bits + 128) % (this.p - 1n) + 1n);
    return this.elements.get(name);
  }

  motion(value, rate = 0n, second = 0n, size = 1) {
    if (size > this.largest) { this.largest = size; prove(size <= 2 ** 160, "a degree is above the limit of 2^160"); }
    return { value, rate, second, size };
  }

  add(x, y) {
    if (x === this.zero) return y;
    if (y === this.zero) return x;
    const p = this.p;
    return this.motion((x.value + y.value) % p, (x.rate + y.rate) % p, (x.second + y.second) % p,
      Math.max(x.size, y.size) + 1);
  }

  less(x, y) { return y === this.zero ? x : this.add(x, this.motion(-y.value, -y.rate, -y.second, y.size)); }

  times(x, y) {
    if (x === this.zero || y === this.zero) return this.zero;
    const p = this.p, second = x.second * y.value + 2n * x.rate * y.rate + x.value * y.second;
    return this.motion(x.value * y.value % p, (x.rate * y.value + x.value * y.rate) % p, second % p,
      x.size + y.size + 2);
  }

  compose(x, value, first, then, size) {  // f(x) by f, f', f''
    if (!x.rate && !x.second) return this.motion(this.mod(value), 0n, 0n, size);
    return this.motion(this.mod(value), this.mod(first * x.rate), this.mod(first * x.second + then * x.rate * x.rate),
      size + 2 * x.size + 2);
  }

  number([top, below]) { return top ? this.motion(this.mod(top * this.invert(below))) : this.zero; }

  inverse(x) {
    const value = this.mod(x.value);
    prove(value, "a division by zero");
    const w = this.divisors.get(value)?.w ?? this.invert(value);
    this.divisors.set(value, { w, size: Math.max(x.size, this.divisors.get(value)?.size ?? 0) });
    prove(this.divisors.size <= LIMITS.divisors, `more than ${LIMITS.divisors} different divisors`);
    return this.compose(x, w, -w * w, 2n * w ** 3n, 4);
  }

  call(name, xs) {  // a random element for each value of the arguments
    const p = this.p, values = xs.map((x) => this.mod(x.value)), x = xs[0];
    if (name === "sign" && xs.length === 1) {
      if (!values[0]) return this.zero;
      if (2n * values[0] > p) return this.less(this.zero, this.call(name, [this.less(this.zero, x)]));
    }
    const value = this.draw("call", name, ...values), moves = xs.flatMap((y) => [this.mod(y.rate), this.mod(y.second)]);
    if (moves.every((rate) => !rate)) return this.motion(value);
    if (xs.length > 1) {
      return this.motion(value, ...["rate", "second"].map((k) => this.draw(k, name, ...values, ...moves)));
    }
    if (name === "exp") return this.compose(x, value, value, value, 6);
    if (name === "#root") {
      const first = this.inverse(this.motion(2n * value)).value;
      return this.compose(x, value, first, -2n * first ** 3n, 6);
    }
    const [base, order = "0"] = name.split(":"), still = [this.motion(x.value, 0n, 0n, x.size)];
    return this.compose(x, value, ...[1, 2].map((k) => this.call(`${base}:${Number(order) + k}`, still).value), 6);
  }

  turn(terms) {  // [sine, cosine]; terms: number, name, value
    let [z, total, size] = [1n, this.zero, 2];
    const p = this.p;
    for (const [[top, below], name, base] of terms) {
      total = this.add(total, this.times(this.number([top, below]), base));
      if (name === "pi") { z = z * this.power(this.unit, top * (this.order / 2n) / below) % p; continue; }
      let exponent = top * this.text.period / below, key = name;
      size += 2 * Number(exponent < 0n ? -exponent : exponent);
      if (name === "#") {
        const value = this.mod(base.value), odd = 2n * value > p;
        if (!value) continue;
        [key, exponent] = [odd ? p - value : value, odd ? -exponent : exponent];
      }
      prove(size <= 2 ** 160, "a degree is above the limit of 2^160");
      z = z * this.power(this.draw("angle", name === "#", key), exponent) % p;
    }
    const w = this.invert(z), c = this.mod((z + w) * this.half.value), s = this.mod((w - z) * this.half.value * this.i);
    return [this.compose(total, s, c, -s, size), this.compose(total, c, -s, -c, size)];
  }

  bound() {  // k: a wrong claim passes with a probability below 2^-k; the reasons are those of verify_certificate.py
    const lost = length(this.order) - 1 + this.roots.size, drawn = Math.log2(1 + this.elements.size);
    let degree = Math.log2(this.largest) + 3 * drawn + Math.log2(64 + this.weight) + lost + 2;
    for (const { size } of this.divisors.values()) degree += Math.log2(size + 1);
    degree += Math.log2(1 + this.divisors.size);
    return Math.min(this.bits - 25 - Math.ceil(degree), 127) - lost;
  }
}

// Programs: values of steps, and results row by row.

class Run {
  constructor(part, field) {
    Object.assign(this, { part, field, values: [], results: new Map(), scale: null });
    this.start();
    for (const { kind, words, line } of part.items) {
      try {
        if (has(STEP_LINES, kind)) this.values.push(this.step(kind, words));
        else this.take(kind, words);
      } catch (problem) {
        if (problem instanceof Refused || problem instanceof Unreadable) {
          problem.message = `line ${line} of ${part.name}: ${problem.message}`;
        }
        throw problem;
      }
    }
  }

  start() {}

  lookup(name) { return this.field.motion(this.field.draw("symbol", name)); }

  atom(x) { return isStep(x) ? this.values[x] : isFraction(x) ? this.field.number(x) : this.lookup(x); }

  terms(words) {
    const found = [];
    for (let k = 0; k < words.length; k += 2) {
      const base = words[k + 1];
      found.push([words[k], isStep(base) ? "#" : isFraction(base) ? "1" : base, this.atom(base)]);
    }
    return found;
  }

  step(kind, words) {
    const { field, values } = this, [a, b] = words;
    switch (kind) {
      case "+": return field.add(values[a], values[b]);
      case "-": return field.less(values[a], values[b]);
      case "*": return field.times(values[a], values[b]);
      case "/": return field.times(values[a], field.inverse(values[b]));
      case "^": return Array(b).fill(values[a]).reduce((x, y) => field.times(x, y), field.number([1n, 1n]));
      case "n": return field.number(a);
      case "v": return this.lookup(a);
      case "f": return field.call(a, words.slice(1).map((k) => values[k]));
      case "s": return field.turn(this.terms(words))[0];
      case "c": return field.turn(this.terms(words))[1];
      default: {
        const number = this.part.numbers.get(a);
        return number ? field.roots.get(Number(number[0])) : field.call("#root", [values[a]]);
      }
    }
  }

  take(kind, words) {
    if (kind === "scale") { expect(!this.scale, "the scale stands twice"); this.scale = words; return; }
    const flat = this.results.get(words[0]) ?? [];
    for (const k of words.slice(1)) flat.push(this.values[k]);
    this.results.set(words[0], flat);
  }

  quantities(push) {  // M and D times q''; null: a row that the program does not have
    const found = new Map(), { order } = this.part.model, { field } = this, n = order.length;
    for (const [name, flat] of this.results) {
      const lines = flat.length / n;
      const whole = name === "gamma" || (Number.isInteger(lines) && (name === "D" || lines === (name === "M" ? n : 1)));
      expect(whole, `${name} of ${this.part.name} has not whole rows: entries ${flat.length}, coordinates ${n}`);
      let rows = flat;
      if (name === "M" || name === "D") {
        rows = Array.from({ length: lines }, (_, i) => order.reduce(
          (sum, k, j) => field.add(sum, field.times(flat[i * n + k], push[j])), field.zero));
      }
      if (name !== "gamma" && name !== "D") rows = order.map((k) => rows[k]);
      if (this.scale && (name === "D" || name === "gamma")) {
        expect(rows.length === this.scale.filter(([top]) => top).length, `${name} has other rows than scale`);
        const rest = rows.values();
        rows = this.scale.map(([top, below]) => (top ? field.times(rest.next().value,
          field.number(top < 0n ? [-below, -top] : [below, top])) : null));
      }
      found.set(name, rows);
    }
    return found;
  }
}

// Machine: particles that resist by m r''; forces and moments about the origin of the world go down to the ground.

class Machine extends Run {
  start() {
    const { field, part } = this, { zero, one } = field;
    const axes = [[one, zero, zero], [zero, one, zero], [zero, zero, one]];
    Object.assign(this, { frames: new Map(), lengths: new Map(), stays: [], formulas: [], gravity: null, body: null });
    this.frames.set("ground", { axes, origin: [zero, zero, zero], joints: [], loads: {} });
    this.rows = Object.fromEntries(["inertial", "gravity", "applied"].map(
      (load) => [load, new Map(part.coordinates.map((name) => [name, zero]))]));
  }

  static derive(part, field, accelerated) {
    Machine.accelerated = accelerated;
    const machine = new Machine(part, field);
    machine.sumUp();
    return machine;
  }

  sum(xs) { return xs.reduce((x, y) => this.field.add(x, y), this.field.zero); }
  dot(u, v) { return this.sum(u.map((x, k) => this.field.times(x, v[k]))); }
  plus(u, v) { return u.map((x, k) => this.field.add(x, v[k])); }
  minus(u, v) { return u.map((x, k) => this.field.less(x, v[k])); }
  scaled(c, u) { return u.map((x) => this.field.times(c, x)); }
  cross(u, v) {
    const f = this.field, part = (i, j) => f.less(f.times(u[i], v[j]), f.times(u[j], v[i]));
    return [part(1, 2), part(2, 0), part(0, 1)];
  }
  second(x) { const s = this.field.mod(x.second); return s ? this.field.motion(s, 0n, 0n, x.size) : this.field.zero; }
  world(frame, v) { return [0, 1, 2].map((k) => this.sum(v.map((x, j) => this.field.times(x, frame.axes[j][k])))); }

  frame(name) { expect(this.frames.has(name), `'${name}' is no body above`); return this.frames.get(name); }

  lookup(symbol) {
    const name = symbol.replace(/'+$/, ""), f = this.field, value = (x) => f.draw("symbol", x);
    let whole;
    if (name[0] === "@") {
      expect(this.lengths.has(name), `'${name}' is no length above`);
      whole = this.lengths.get(name).value;
    } else if (this.part.coordinates.includes(name)) {
      whole = f.motion(value(name), value(`${name}'`), Machine.accelerated ? value(`${name}''`) : 0n);
    } else return f.motion(value(name), name === "t" ? 1n : 0n);
    if (name === symbol) return whole;
    return f.motion(f.mod(whole.rate), f.mod(whole.second), f.draw("third", name, Machine.accelerated), whole.size);
  }

  constants(words) {
    const found = words.map((word) => this.atom(word)), { field } = this;
    prove(found.every((x) => !field.mod(x.rate) && !field.mod(x.second)),
      "something changes with time that must be constant");
    return found;
  }

  load(kind, frame, force, moment) {
    const before = frame.loads[kind];
    frame.loads[kind] = before ? [this.plus(before[0], force), this.plus(before[1], moment)] : [force, moment];
  }

  sumUp() {
    for (const frame of [...this.frames.values()].slice(1).reverse()) {
      for (const [kind, [force, moment]] of Object.entries(frame.loads)) {
        for (const { slides, axis, point, factor, name } of frame.joints) {
          const work = this.dot(axis, slides ? force : this.minus(moment, this.cross(point, force)));
          this.rows[kind].set(name, this.field.add(this.rows[kind].get(name), this.field.times(factor, work)));
        }
        this.load(kind, frame.parent, force, moment);
      }
    }
  }

  push(frame, force) { this.load("applied", frame, force, this.cross(frame.origin, force)); }
  between(a, b) { return this.minus(this.frame(a).origin, this.frame(b).origin); }
  distance(a, b) { const d = this.between(a, b); return this.field.call("#root", [this.dot(d, d)]); }

  take(kind, w) {
    const joint = ["shift", "turn", "tilt"], { field } = this, { zero } = field, above = this.above;
    this.above = kind;
    switch (kind) {
      case "coordinates": break;
      case "shift": case "turn": case "tilt":
        expect(["body", ...joint].includes(above), `${kind} does not stand below its body`);
        this.move(kind, this.constants(w.slice(0, 3)), w.slice(3));
        break;
      case "gravity":
        expect(!this.body && !this.gravity, "gravity stands twice, or below a body");
        this.gravity = w.map((x) => this.atom(x));
        break;
      case "body": {
        expect(!this.frames.has(w[0]), `the name '${w[0].slice(0, 40)}' stands twice`);
        const parent = this.frame(w[1]), place = w.length > 2 ? this.constants(w.slice(2)) : [zero, zero, zero];
        const origin = this.plus(parent.origin, this.world(parent, place));
        this.body = { parent, axes: parent.axes, origin, joints: [], loads: {} };
        this.frames.set(w[0], this.body);
        break;
      }
      case "mass": expect(this.body, "mass does not stand below its body"); this.addMass(...this.constants(w)); break;
      case "force": this.push(this.frame(w[0]), w.slice(1).map((x) => this.atom(x))); break;
      case "moment": {
        const frame = this.frame(w[0]), moment = this.world(frame, w.slice(1).map((x) => this.atom(x)));
        this.load("applied", frame, [zero, zero, zero], moment);
        break;
      }
      case "effort": this.addRow("applied", w[0], this.atom(w[1])); break;
      case "armature": {
        const [inertia] = this.constants([w[0]]), pairs = [];
        for (let k = 1; k < w.length; k += 2) pairs.push([w[k], this.constants([w[k + 1]])[0]]);
        const speed = this.sum(pairs.map(([name, c]) => field.times(c, this.second(this.lookup(name)))));
        for (const [name, c] of pairs) this.addRow("inertial", name, field.times(field.times(inertia, c), speed));
        break;
      }
      case "length":
        expect(!this.lengths.has(w[0]), `the name '${w[0]}' stands twice`);
        this.lengths.set(w[0], { value: this.distance(w[1], w[2]), ends: w.slice(1) });
        break;
      case "push": {
        expect(this.lengths.has(w[0]), `'${w[0]}' is no length above`);
        const { value, ends: [a, b] } = this.lengths.get(w[0]), amount = field.times(this.atom(w[1]), field.inverse(value));
        this.push(this.frame(a), this.scaled(amount, this.between(a, b)));
        this.push(this.frame(b), this.scaled(amount, this.between(b, a)));
        break;
      }
      case "rod": this.stays.push(this.distance(w[0], w[1])); break;
      case "apart":
        this.stays.push(this.dot(this.between(w[0], w[1]), this.world(this.frame(w[2]), this.direction(w.slice(3)))));
        break;
      case "facing":
        this.stays.push(this.dot(...[w.slice(0, 4), w.slice(4)].map(
          (side) => this.world(this.frame(side[0]), this.direction(side.slice(1))))));
        break;
      case "row": this.stays.push(this.atom(w[0])); break;
      default: { const x = this.atom(w[0]); this.stays.push(field.motion(x.value, 0n, x.rate, x.size)); }
    }
  }

  direction(words) {
    const found = this.constants(words);
    prove(this.field.mod(this.dot(found, found).value) !== 0n, "a row along no direction");
    return found;
  }

  addRow(load, name, x) {
    expect(this.rows[load].has(name), `'${name}' is no coordinate`);
    this.rows[load].set(name, this.field.add(this.rows[load].get(name), x));
  }

  move(kind, axis, words) {
    const { field, body } = this, along = this.world(body, axis), terms = kind === "tilt" ? [] : this.terms(words);
    const same = (x, y) => field.mod(x.value - y.value) === 0n;
    prove(same(this.dot(axis, axis), field.one), "the length of the axis is not 1");
    let [c, s] = kind === "tilt" ? this.constants(words) : [];
    if (kind === "turn") [s, c] = field.turn(terms);
    if (kind === "tilt") {
      prove(same(field.add(field.times(c, c), field.times(s, s)), field.one),
        "no cosine and sine: their squares do not add up to 1");
    }
    let amount = field.zero;
    for (const [number, name, base] of terms) {
      const factor = field.number(number), term = field.times(factor, base);
      amount = field.add(amount, term);
      if (this.part.coordinates.includes(name)) {
        body.joints.push({ slides: kind === "shift", axis: along, point: body.origin, factor, name });
      } else this.formulas.push(this.second(term));
    }
    if (kind === "shift") { body.origin = this.plus(body.origin, this.scaled(amount, along)); return; }
    const rest = field.less(field.one, c), { one, zero } = field;  // where each axis goes (Rodrigues 1840), in the frame
    body.axes = [[one, zero, zero], [zero, one, zero], [zero, zero, one]].map((v) => this.world(body, this.plus(
      this.plus(this.scaled(c, v), this.scaled(s, this.cross(axis, v))), this.scaled(field.times(rest, this.dot(axis, v)), axis))));
  }

  addMass(m, x, y, z, ...tensor) {
    const { body, field } = this, place = this.plus(body.origin, this.world(body, [x, y, z]));
    const force = this.scaled(m, place.map((r) => this.second(r)));
    let moment = this.cross(place, force);
    if (tensor.length) {
      const [xx, yy, zz, xy, xz, yz] = tensor, minus = (v) => field.less(field.zero, v);
      const half = (u, v, w) => field.times(field.half, field.less(field.add(u, v), w));
      const sums = [[half(yy, zz, xx), minus(xy), minus(xz)], [minus(xy), half(xx, zz, yy), minus(yz)],
        [minus(xz), minus(yz), half(xx, yy, zz)]];
      const rates = body.axes.map((axis) => axis.map((r) => this.second(r)));
      sums.forEach((row, i) => row.forEach((sum, j) => {
        moment = this.plus(moment, this.scaled(sum, this.cross(body.axes[i], rates[j])));
      }));
    }
    this.load("inertial", body, force, moment);
    const weight = this.scaled(m, this.gravity ?? [field.zero, field.zero, field.zero]);
    this.load("gravity", body, weight, this.cross(place, weight));
  }
}

function derive(part, field) {
  const still = Machine.derive(part, field, false), moved = Machine.derive(part, field, true);
  const list = (rows) => part.order.map((k) => rows.get(part.coordinates[k]));
  prove(still.formulas.every((x, k) => field.mod(x.value - moved.formulas[k].value) === 0n),
    `a joint of ${part.name} moves by a formula of coordinates`);
  const h = list(still.rows.inertial);
  const found = new Map([["h", h], ["M", still.minus(list(moved.rows.inertial), h)],
    ["gravity", list(still.rows.gravity)], ["applied", list(still.rows.applied)]]);
  if (still.stays.length) {
    const gamma = still.stays.map((x) => still.second(x));
    found.set("gamma", gamma).set("D", still.minus(moved.stays.map((x) => moved.second(x)), gamma));
  }
  return found;
}

// Comparison: every quantity, over all programs that give it and the machine.

const FOLLOWS = { inertial: ["M", "h", null], force: ["gravity", "applied", "h"],
  inverse_dynamics: ["M", null, "force"], rows: ["D", "gamma", null] };
const ORDER = ["M", "h", "inertial", "gravity", "applied", "force", "inverse_dynamics", "D", "gamma", "rows"];

function compare(text, field) {
  const first = text.models.values().next().value, sources = new Map(), claims = new Map(), proved = new Map();
  const push = first.coordinates.map((name) => field.motion(field.draw("symbol", `${name}''`)));
  for (const [name, part] of text.models) {
    const found = derive(part, field);
    if (part.items.some(({ kind }) => ["body", "effort", "armature"].includes(kind))) {
      sources.set(`mechanics of ${name}`, found);
    }
  }
  for (const [name, part] of text.programs) {
    const found = new Run(part, field).quantities(push);
    sources.set(name, found);
    claims.set(name, new Set(found.keys()));
  }
  for (const found of sources.values()) {
    for (const [name, [a, b, c]] of Object.entries(FOLLOWS)) {
      if (found.has(name) || ![a, b, c].every((x) => x === null || found.has(x))) continue;
      const rows = (x) => (x === null ? found.get(a).map(() => field.zero) : found.get(x));
      expect(rows(a).length === rows(b).length && rows(a).length === rows(c).length,
        `${a} and ${b} have different numbers of rows`);
      found.set(name, rows(a).map((x, k) => {
        const [y, z] = [rows(b)[k], rows(c)[k]];
        return x && y && z ? field.less(field.add(x, y), z) : null;
      }));
    }
  }
  for (const quantity of ORDER) {
    const sides = [...sources].filter(([, found]) => found.has(quantity)), missing = [];
    const rows = new Set(sides.map(([, found]) => found.get(quantity).length));
    prove(rows.size < 2, `${quantity} has not the same number of rows in ${sides.map(([name]) => name).join(" and ")}`);
    for (let k = 0; k < ([...rows][0] ?? 0); k++) {
      const entries = sides.map(([name, found]) => [name, found.get(quantity)[k]]);
      for (const [name, x] of entries) if (!x) missing.push(`${name} has no row ${k + 1}`);
      const [[one, x] = ["", null], ...others] = entries.filter(([, y]) => y);
      prove(others.length || !claims.get(one)?.has(quantity), `${quantity} ${k + 1} of ${one} is compared with nothing`);
      for (const [other, y] of others) {
        prove(field.mod(x.value - y.value) === 0n, `${quantity} ${k + 1} of ${other} is not that of ${one}`);
      }
    }
    if (sides.length > 1) proved.set(quantity, { sides: sides.map(([name]) => name), missing });
  }
  prove(proved.size, "nothing is compared: there is one program, or one machine, alone");
  return proved;
}

async function verify(size, give) {
  expect(size <= LIMITS.bytes, `line 1: this is no file of at most ${LIMITS.bytes} bytes`);
  const bytes = await give();
  let line = 1;
  for (const x of bytes) {
    expect(x === 10 || (x >= 32 && x < 127), `line ${line}: byte ${x.toString(16).padStart(2, "0")} is not printable ASCII`);
    line += x === 10;
    expect(line <= LIMITS.lines, `line ${line}: more than ${LIMITS.lines} lines`);
  }
  line -= bytes[bytes.length - 1] === 10;
  const end = bytes.lastIndexOf(10, bytes.length - 2) + 1, decode = (part) => new TextDecoder().decode(part);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes.slice(0, end)));
  const sum = Array.from(digest, (x) => x.toString(16).padStart(2, "0")).join("");
  expect(decode(bytes.slice(end)) === `sum ${sum}\n`,
    `line ${line}: the sum at the end is not that of the text: it was cut off or changed on its way`);
  const text = new Text(decode(bytes.slice(0, end)));
  let [error, proved] = [0, null];
  for (const bits of [256, 512, 1024]) {
    if (error >= 118) break;
    const field = new Field(bits, text);
    proved = compare(text, field);
    error = field.bound();
  }
  prove(error >= 64, "degrees are so high that the probability of an error is above 2^-64");
  const isMachine = (name) => name.startsWith("mechanics of "), lines = [];
  for (const [quantity, { sides, missing }] of proved) {
    const both = sides.filter(isMachine).length === 2;
    const names = both ? [`mechanics of both models (${[...text.models.keys()].join(", ")})`, ...sides.slice(2)] : sides;
    lines.push(`${quantity}: ${names.join(" = ")}${missing.length ? ` (${missing.join(", ")})` : ""}`);
  }
  const isRow = ({ kind }) => ["rod", "apart", "facing", "row", "rate"].includes(kind);
  const rows = [...text.models.values()].some(({ items }) => items.some(isRow)) ? ["D", "gamma"] : [];
  const left = ["M", "h", "gravity", "applied", ...rows].filter((name) => !proved.has(name)).join(", ");
  const mechanics = [...proved.values()].some(({ sides }) => isMachine(sides[0]));
  const known = [...text.functions].filter((name) => name !== "exp").sort().join(", ") || "none here";
  return [...lines, ...text.notes.map((note) => `Noted by its author, not proved: ${note}`),
    `proved (error < 2^-${error})`,
    "Each quantity above (of M q''+h=gravity+applied+D^T lambda, D q''+gamma=0) is the same function of"
      + ` all states, parameters and named functions for all that its line lists`
      + `${mechanics ? ", and where it lists mechanics, that of the machine that the file states" : ""}${
        left ? `; nothing is said of ${left}` : ""}.`,
    `A file that is wrong in this passes with a probability below 2^-${error}: prime and point are drawn anew.`,
    "Assumed: the stated machine is the one that you mean (read the model in the file), states exist where no divisor"
      + " is zero, conditions of branches are as stated, and functions known by name only mean the same everywhere"
      + ` (${known}); limits, contacts and what is left out are not covered.`].join("\n");
}

async function judge(size, give) {  // of a file, which is read if it is not too large
  try { return [0, await verify(size, give)]; } catch (problem) {
    if (problem instanceof Refused) return [1, `refused: ${problem.message}`];
    if (problem instanceof Unreadable) return [2, `not readable: ${problem.message}`];
    throw problem;
  }
}

if (typeof window === "undefined") {
  (async () => {
    const { readFileSync, statSync } = require("node:fs"), files = process.argv.slice(2);
    let code = 0;
    for (const file of files) {
      const [own, said] = await judge(statSync(file).size, () => new Uint8Array(readFileSync(file)));
      console.log(files.length > 1 ? `${file}: ${said}` : said);
      code = Math.max(code, own);
    }
    process.exitCode = code;
  })();
} else window.judgeCertificate = judge;
