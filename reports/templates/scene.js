// Pictures that pages share: mechanisms as points of a frame, and plots over time.
// A point is its number: 0, 1, … moves, -1, -2, … stands still.
"use strict";
const floats = text => new Float32Array(Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer);
let pen, ink = {}, hues = [], thin = 1;
const dye = () => {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["back", "ink", "soft", "line", "mass", "bad", "accent"]) ink[name] = style.getPropertyValue("--" + name).trim();
  hues = style.getPropertyValue("--c").trim().split(" ");
};
const sized = of => {
  const r = devicePixelRatio || 1, w = of.clientWidth, h = of.clientHeight;
  if (of.width !== Math.round(w * r) || of.height !== Math.round(h * r)) { of.width = Math.round(w * r); of.height = Math.round(h * r); }
  pen = of.getContext("2d"); pen.setTransform(r, 0, 0, r, 0, 0);
  return [w, h];
};

// Strokes.
const path = (points, colour, width, dash = [], fill = "") => {
  pen.beginPath(); points.forEach(p => pen.lineTo(p[0], p[1]));
  pen.setLineDash(dash);
  if (fill) { pen.closePath(); pen.fillStyle = fill; pen.fill(); }
  if (width) { pen.strokeStyle = colour; pen.lineWidth = width; pen.stroke(); }
};
const ring = (p, radius, colour, fill = ink.back, width = 1.8) => {
  pen.beginPath(); pen.setLineDash([]); pen.arc(p[0], p[1], radius, 0, 7); pen.fillStyle = fill; pen.fill();
  pen.strokeStyle = colour; pen.lineWidth = width; pen.stroke();
};
const arrow = (a, b, colour) => {
  const w = Math.atan2(b[1] - a[1], b[0] - a[0]), wing = s => [b[0] - 8 * Math.cos(w + s), b[1] - 8 * Math.sin(w + s)];
  path([a, b], colour, 1.6); path([b, wing(0.4), wing(-0.4)], "", 0, [], colour);
};
const write = (text, x, y, colour, align = "left", size = 12) => {
  pen.font = size + "px system-ui, sans-serif"; pen.textAlign = align; pen.setLineDash([]);
  pen.strokeStyle = ink.back; pen.lineWidth = 3; pen.strokeText(text, x, y); pen.fillStyle = colour; pen.fillText(text, x, y);
};
// Names stand beside their points, where no other name stands: what is lit comes first, and what finds no room is left out.
const sides = [[9, -7, "left"], [-9, 15, "right"], [9, 15, "left"], [-9, -7, "right"]];
const writeNames = (wide, names) => {
  const taken = [];
  for (const { text, p, colour, first = 0, size = 12, always } of [...names].sort((a, b) => !a.always - !b.always)) {
    pen.font = size + "px system-ui, sans-serif";
    const w = pen.measureText(text).width, order = [...sides.slice(first), ...sides.slice(0, first)];
    const spots = order.map(([x, y, align]) => [p[0] + x - (align === "right" ? w : 0), p[1] + y, x, y, align]);
    const free = spots.find(([l, b]) => l > 0 && l + w < wide && !taken.some(([m, c, v, s]) => l < m + v && m < l + w && b - size < c && c - s < b)) || (always && spots[0]);
    if (free) { taken.push([free[0], free[1], w, size]); write(text, p[0] + free[2], p[1] + free[3], colour, free[4], size); }
  }
};
const zigzag = (a, b) => {
  const x = b[0] - a[0], y = b[1] - a[1], n = Math.hypot(x, y) || 1, side = k => 5 * thin * (k % 2 ? 1 : -1);
  const on = (s, w) => [a[0] + s * x - w * y / n, a[1] + s * y + w * x / n];
  path([a, on(0.2, 0), ...Array.from({ length: 8 }, (_, k) => on(0.2 + 0.075 * (k + 0.5), side(k))), on(0.8, 0), b], ink.bad, 1.5);
};

// Plots over time, with a marker at the frame: T are the times, `list` has an item for each line.
const number = x => Math.abs(x) < 1e-12 ? "0" : String(+x.toPrecision(4));
const plot = ({ at, lines, list, marks = [] }, T, frame) => {
  const pane = sized(at), F = T.length, w = pane[0], h = pane[1], left = 46, down = h - 16, top = 8;
  let low = Infinity, most = -Infinity;
  for (const { y } of lines) for (const x of y) { if (x < low) low = x; if (x > most) most = x; }
  if (!(most - low > 1e-9 * Math.max(Math.abs(low), Math.abs(most)))) { low -= 1; most += 1; }
  const X0 = t => left + (w - left - 6) * (t - T[0]) / (T[F - 1] - T[0] || 1), Y0 = y => down - (down - top) * (y - low) / (most - low);
  pen.clearRect(0, 0, w, h); pen.lineCap = "butt"; pen.lineJoin = "round";
  path([[left, top], [left, down], [w - 6, down]], ink.line, 1);
  if (low < 0 && most > 0) path([[left, Y0(0)], [w - 6, Y0(0)]], ink.line, 1, [3, 3]);
  write(number(most), left - 4, top + 8, ink.soft, "right", 10); write(number(low), left - 4, down, ink.soft, "right", 10);
  write(number(T[0]), left, h - 3, ink.soft, "left", 10); write(number(T[F - 1]) + " s", w - 6, h - 3, ink.soft, "right", 10);
  marks.forEach(t => path([[X0(t), top], [X0(t), down]], ink.bad + "60", 1, [2, 2]));
  lines.forEach(({ y }, k) => path(Array.from(y, (v, f) => [X0(T[f]), Y0(v)]), hues[k % hues.length], 1.4));
  path([[X0(T[frame]), top], [X0(T[frame]), down]], ink.ink, 1);
  lines.forEach(({ name, y }, k) => { list.children[k].textContent = name + " " + number(y[frame]); });
};
const legend = ({ lines, list }) => list.replaceChildren(...lines.map((_, k) => { const li = document.createElement("li"); li.style.setProperty("--k", hues[k % hues.length]); return li; }));
const seek = (at, T, x) => { const t = T[0] + (T[T.length - 1] - T[0]) * (x - 46) / (at.clientWidth - 52), f = T.findIndex(s => s >= t); return f < 0 ? T.length - 1 : f; };

// A mechanism on a canvas. `look` says how: frame, shapes, solids, names, follow, traced, lit (numbers of bodies), ghost.
// `changed` is called where a person turned it, `clicked` and `over` with a body or a trace.
const sketch = (canvas, look, { changed = () => {}, clicked = () => {}, over = null } = {}) => {
let wide, high, D, X, C, F, M, frame = 0, drawings = [];
let yaw, pitch, zoom, shift, turned, whole, mid, scale;
const dots = new Map();
// Whose drawing is at hand.
const use = d => { D = d; X = d.X; C = d.C; M = d.moving; F = d.F; thin = d.lines.length > 60 ? 0.6 : 1; frame = Math.min(look.frame, F - 1); };
// The view: rows of `turned` are right, up and toward the eye in world axes.
const reset = () => { yaw = 0; pitch = D.flat ? 0 : 0.31; zoom = 1; shift = [0, 0]; };
const turn = () => {
  const [r, u, o] = D.axes, a = Math.cos(yaw), b = Math.sin(yaw), c = Math.cos(pitch), d = Math.sin(pitch);
  turned = [0, 1, 2].map(i => a * r[i] + b * o[i]);
  const toward = [0, 1, 2].map(i => a * o[i] - b * r[i]);
  turned.push(...u.map((x, i) => c * x - d * toward[i]), ...u.map((x, i) => d * x + c * toward[i]));
};
const place = (i, f = frame) => i < 0 ? D.fixed[-1 - i] : X.subarray(3 * (f * M + i), 3 * (f * M + i) + 3);
const dot = (k, p) => turned[k] * p[0] + turned[k + 1] * p[1] + turned[k + 2] * p[2];

// What is in sight: the whole motion in its first view, or the mechanism alone where it is followed.
const drawn = () => new Set([...D.lines.flatMap(l => [l[1], l[2]]), ...[D.masses, D.joints, D.loads].flatMap(list => list.map(x => x[list === D.joints ? 1 : 0])), ...D.ground]);
const box = () => {
  const low = [1e99, 1e99, 1e99], top = [-1e99, -1e99, -1e99];
  for (const i of drawn()) for (let f = 0; f < (i < 0 ? 1 : F); f++) {
    const p = place(i, f);
    for (let k = 0; k < 3; k++) { const x = dot(3 * k, p); if (x < low[k]) low[k] = x; if (x > top[k]) top[k] = x; }
  }
  return low[0] > top[0] ? { middle: [0, 0, 0], size: [1, 1] } : {
    middle: [0, 1, 2].map(i => [0, 1, 2].reduce((sum, k) => sum + turned[3 * k + i] * (low[k] + top[k]) / 2, 0)),
    size: [D.flat ? top[0] - low[0] : Math.hypot(top[0] - low[0], top[2] - low[2]), top[1] - low[1]] };
};
const frameAll = () => {
  const kept = [yaw, pitch];
  yaw = 0; pitch = D.flat ? 0 : 0.31; turn();
  whole = box();
  const reach = 2 * D.size * D.shapes.reduce((most, s) => s[0] < 0 ? most : s[5].flat().reduce((x, p) => Math.max(x, Math.hypot(...p)), most), 0);
  whole.size = whole.size.map(x => Math.max(x, reach));
  if (kept[0] !== undefined) [yaw, pitch] = kept;
};
const centre = () => look.follow ? C.subarray(3 * frame, 3 * frame + 3) : whole.middle;
const aim = () => {
  const size = look.follow ? [1.3 * D.size, 1.3 * D.size] : whole.size, room = Math.min(wide, high) * 0.08 + 20;
  mid = centre();
  scale = zoom * Math.min((wide - 2 * room) / (size[0] || D.size), (high - 2 * room) / (size[1] || D.size));
};
const flat = p => {
  const q = [p[0] - mid[0], p[1] - mid[1], p[2] - mid[2]];
  return [wide / 2 + shift[0] + scale * dot(0, q), high / 2 + shift[1] - scale * dot(3, q), dot(6, q)];
};
const at = i => flat(place(i));

const lit = body => D.lit && D.lit.has(body);
const hue = (body, alpha = "") => lit(body) ? ink.bad + alpha : D.ghost ? ink.soft + alpha : body < 0 ? ink.soft : hues[body % hues.length] + alpha;
const strokes = {
  link: (a, b, c) => path([a, b], c, 5.5 * thin), beam: (a, b, c) => path([a, b], c, 4.5 * thin),
  arm: (a, b, c) => path([a, b], c, 2 * thin), base: (a, b) => path([a, b], ink.line, 2, [2, 5]),
  slide: (a, b) => { path([a, b], ink.line, 6 * thin); path([a, b], ink.soft, 1.2, [5, 4]); },
  rest: (a, b) => path([a, b], ink.soft, 1, [3, 4]), gap: (a, b) => path([a, b], ink.bad, 1.5, [2, 4]),
  rod: (a, b) => { path([a, b], ink.ink, 5.5 * thin); path([a, b], ink.back, 2.5 * thin); }, bipolar: zigzag };
const solid = ([body, ...ends]) => {
  const c = place(ends[0]), halves = ends.slice(1).map(i => place(i).map((x, k) => x - c[k])), ball = look.solids === "ball";
  const corner = signs => flat(c.map((x, k) => x + signs.reduce((sum, s, i) => sum + s * halves[i][k], 0)));
  if (ball) {
    const rim = (i, j) => Array.from({ length: 25 }, (_, k) => { const s = [0, 0, 0], w = k * Math.PI / 12, r = Math.sqrt(5 / 3);
      s[i] = r * Math.cos(w); s[j] = r * Math.sin(w); return corner(s); });
    for (const [i, j] of [[0, 1], [1, 2], [2, 0]]) path(rim(i, j), hue(body, "b0"), 1, [], hue(body, "1c"));
  } else for (let i = 0; i < 3; i++) {
    const j = (i + 1) % 3, k = (i + 2) % 3, s = dot(6, halves[i]) < 0 ? -1 : 1;
    path([[1, 1], [1, -1], [-1, -1], [-1, 1], [1, 1]].map(([a, b]) => { const t = []; t[i] = s; t[j] = a; t[k] = b; return corner(t); }), hue(body, "90"), 1, [], hue(body, "22"));
  }
};
const shape = ([body, o, ...rest]) => {
  const c = place(o), curves = rest[3], axes = rest.slice(0, 3).map(i => place(i).map((w, k) => w - c[k]));
  for (const curve of curves) {
    const points = curve.map(p => flat([0, 1, 2].map(k => c[k] + axes.reduce((sum, e, i) => sum + p[i] * e[k], 0))));
    if (points.length > 1) path(points, hue(body, "90"), 1); else ring(points[0], 2.5, ink.bad, ink.bad);
  }
};
const ground = p => {
  path([p, [p[0] - 10, p[1] + 15], [p[0] + 10, p[1] + 15]], ink.ink, 1.2, [], ink.line);
  path([[p[0] - 16, p[1] + 15], [p[0] + 16, p[1] + 15]], ink.ink, 1.2);
  for (let k = -2; k < 3; k++) path([[p[0] + 6 * k - 3, p[1] + 20], [p[0] + 6 * k + 2, p[1] + 15]], ink.ink, 1);
};
const joint = ([kind, i, tip, label, prescribed]) => {
  const p = at(i); if (D.litJoints && D.litJoints.has(label)) ring(p, 14, ink.bad, ink.bad + "30", 2);
  const colour = prescribed ? ink.ink : ink.accent, e = tip === null ? p : at(tip), r = 5 * Math.sqrt(thin);
  if (kind === "closure") { ring(p, r, ink.bad); return ring(p, 1.5, ink.bad, ink.bad); }
  if (tip !== null) path([[2 * p[0] - e[0], 2 * p[1] - e[1]], e], colour, 1.3, [4, 2]);
  if (kind === "rotation") return ring(p, r, colour);
  const w = Math.atan2(e[1] - p[1], e[0] - p[0]), x = 8 * Math.cos(w), y = 8 * Math.sin(w);
  path([[p[0] + x - y / 2, p[1] + y + x / 2], [p[0] + x + y / 2, p[1] + y - x / 2], [p[0] - x + y / 2, p[1] - y - x / 2],
    [p[0] - x - y / 2, p[1] - y + x / 2], [p[0] + x - y / 2, p[1] + y + x / 2]], colour, 1.6, [], ink.back);
};
const mass = ([i]) => {
  const p = at(i), r = thin < 1 ? 3 : 5.5;
  ring(p, r, ink.mass, ink.back, 1.2);
  for (const w of [0, Math.PI]) { pen.beginPath(); pen.moveTo(p[0], p[1]); pen.arc(p[0], p[1], r, w, w + Math.PI / 2); pen.fillStyle = ink.mass; pen.fill(); }
};
const around = () => {
  const o = [34, high - 34];
  ["x", "y", "z"].forEach((name, k) => {
    const e = [o[0] + 26 * turned[k], o[1] - 26 * turned[3 + k]];
    if (Math.hypot(e[0] - o[0], e[1] - o[1]) > 5) { arrow(o, e, ink.soft); write(name, e[0] + 9 * turned[k], e[1] - 9 * turned[3 + k] + 4, ink.soft, "center"); }
  });
  const length = Math.pow(10, Math.floor(Math.log10(wide / 4 / scale))), bar = [5, 2, 1].find(k => k * length * scale < wide / 4) * length, x = wide - 16;
  path([[x - bar * scale, high - 22], [x - bar * scale, high - 16], [x, high - 16], [x, high - 22]], ink.soft, 1.4);
  write(+bar.toPrecision(1) + " m", x - bar * scale / 2, high - 24, ink.soft, "center");
  if (D.gravity) {
    const n = Math.hypot(...D.gravity), u = 18 * dot(0, D.gravity) / n, v = -18 * dot(3, D.gravity) / n, p = [wide - 30, 34];
    if (Math.hypot(u, v) > 4) { arrow([p[0] - u, p[1] - v], [p[0] + u, p[1] + v], ink.ink); write("g", p[0] + 10, p[1] + 4, ink.ink); }
  }
};
const traces = () => {
  for (const k of look.traced || []) {
    const [i] = D.traces[k], all = Array.from({ length: i < 0 ? 1 : F }, (_, f) => flat(place(i, f)));
    path(all, ink.line, 1.2); path(all.slice(0, frame + 1), ink.mass, 1.6);
  }
};
const layer = d => {
  use(d); pen.globalAlpha = d.ghost ? 0.55 : 1;
  D.ground.forEach(i => ground(at(i)));
  traces();
  const far = p => p[2];
  if (look.shapes) D.shapes.forEach(shape);
  if (look.solids) D.solids.map(s => [at(s[1])[2], s]).sort((a, b) => a[0] - b[0]).forEach(([, s]) => solid(s));
  D.lines.map(([kind, i, j, body]) => [at(i), at(j), kind, body]).sort((a, b) => far(a[0]) + far(a[1]) - far(b[0]) - far(b[1]))
    .forEach(([a, b, kind, body]) => { if (lit(body)) path([a, b], ink.bad + "40", 18); strokes[kind](a, b, hue(body)); });
  D.joints.forEach(joint); D.masses.forEach(m => { if (lit(m[1])) ring(at(m[0]), 15, ink.bad, ink.bad + "30", 2); mass(m); });
  D.loads.forEach(([i]) => { const p = at(i); arrow([p[0] - 26, p[1] - 20], [p[0] - 4, p[1] - 3], ink.bad); });
  if (look.names) {
    writeNames(wide, [...D.masses.map(([i, body]) => ({ text: D.bodies[body], p: at(i), colour: hue(body), always: lit(body) })),
      ...D.joints.map(([, i, , label]) => ({ text: label, p: at(i), colour: ink.accent, first: 1, size: 11, always: D.litJoints && D.litJoints.has(label) }))]);
    D.loads.forEach(([i, name]) => { const p = at(i); write(name, p[0] - 28, p[1] - 22, ink.bad); });
  }
  pen.globalAlpha = 1;
};
const draw = () => {
  if (!drawings.length) return;
  [wide, high] = sized(canvas);
  pen.clearRect(0, 0, wide, high); pen.lineCap = pen.lineJoin = "round";
  use(drawings[0]); turn(); aim();
  [...drawings].reverse().forEach(layer); around();
};

// The body drawn next to a place of the canvas, -1: none.
const bodyAt = (x, y) => {
  use(drawings[0]);
  let best = 14, found = -1;
  for (const [, i, j, body] of D.lines) {
    const a = at(i), b = at(j), u = b[0] - a[0], v = b[1] - a[1], s = Math.max(0, Math.min(1, ((x - a[0]) * u + (y - a[1]) * v) / (u * u + v * v || 1)));
    const far = Math.hypot(a[0] + s * u - x, a[1] + s * v - y);
    if (body >= 0 && far < best) { best = far; found = body; }
  }
  for (const [i, body] of D.masses) { const p = at(i), far = Math.hypot(p[0] - x, p[1] - y); if (far < best) { best = far; found = body; } }
  return found;
};

// Turning, moving, zooming, tracing.
let moved;
const zoomed = (k, x, y) => { shift = [x - wide / 2 - k * (x - wide / 2 - shift[0]), y - high / 2 - k * (y - high / 2 - shift[1])]; zoom *= k; changed(); };
const clamp = x => Math.max(-1.571, Math.min(1.571, x));
canvas.onpointerdown = e => { canvas.setPointerCapture(e.pointerId); dots.set(e.pointerId, e); moved = 0; };
canvas.onpointerup = canvas.onpointercancel = e => {
  dots.delete(e.pointerId);
  if (moved > 4 || e.type !== "pointerup" || !drawings.length) return;
  const near = D.traces.map(([i], k) => [Math.hypot(at(i)[0] - e.offsetX, at(i)[1] - e.offsetY), k]).sort((a, b) => a[0] - b[0])[0];
  if (near && near[0] < 16) clicked(near[1]);
};
canvas.onpointerleave = () => { if (over && drawings.length) over(-1); };
canvas.onpointermove = e => {
  const before = dots.get(e.pointerId);
  if (!before) { if (over && drawings.length) over(bodyAt(e.offsetX, e.offsetY)); return; }
  const x = e.offsetX - before.offsetX, y = e.offsetY - before.offsetY, other = [...dots].find(([id]) => id !== e.pointerId);
  moved += Math.abs(x) + Math.abs(y); dots.set(e.pointerId, e);
  if (other) {
    const o = other[1], far = p => Math.hypot(p.offsetX - o.offsetX, p.offsetY - o.offsetY);
    shift = [shift[0] + x / 2, shift[1] + y / 2];
    zoomed(far(e) / (far(before) || 1), (e.offsetX + o.offsetX) / 2, (e.offsetY + o.offsetY) / 2);
  } else { if (e.shiftKey || e.buttons > 1) shift = [shift[0] + x, shift[1] + y]; else { yaw += x * 0.01; pitch = clamp(pitch + y * 0.01); } changed(); }
};
canvas.oncontextmenu = e => e.preventDefault();
canvas.addEventListener("wheel", e => { e.preventDefault(); zoomed(Math.exp(-e.deltaY * 0.0015), e.offsetX, e.offsetY); }, { passive: false });
canvas.onkeydown = e => {
  const keys = { ArrowLeft: () => { yaw -= 0.1; }, ArrowRight: () => { yaw += 0.1; }, ArrowUp: () => { pitch = clamp(pitch - 0.1); }, ArrowDown: () => { pitch = clamp(pitch + 0.1); },
    "+": () => { zoom *= 1.2; }, "=": () => { zoom *= 1.2; }, "-": () => { zoom /= 1.2; }, 0: reset };
  if (keys[e.key] && !e.ctrlKey && !e.metaKey) { keys[e.key](); e.preventDefault(); changed(); }
};
new ResizeObserver(changed).observe(canvas);
// Takes drawings: the first is solid, others are ghosts over it; `keep`: they stand where they stood in the picture.
const show = (list, keep = false) => {
  drawings = list.map((d, k) => Object.assign(d, { X: d.X || floats(d.points), C: d.C || floats(d.centre), F: floats(d.centre).length / 3, ghost: k > 0 }));
  use(drawings[0]);
  if (!keep || !whole) { frameAll(); if (!keep) reset(); }
};
return { show, draw, reset: () => { use(drawings[0]); reset(); }, bodyAt };
};
