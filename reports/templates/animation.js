// Plays the drawing of #data.
(() => {
"use strict";
const $ = id => document.getElementById(id), D = JSON.parse($("data").textContent);
const T = floats(D.t), F = T.length, canvas = $("scene"), slider = $("time"), play = $("play");
const plots = [...document.querySelectorAll(".plot")].map((at, k) =>
  ({ at, lines: D.plots[k].lines.map(([name, text]) => ({ name, y: floats(text) })), list: at.nextElementSibling, marks: [...new Set(D.events.map(e => e[0]))] }));
let frame = 0, now = T[0], last = 0, playing = false, traced = new Set();
const look = { frame, traced };
// Events: what is pressed from `meets` to `leaves`, and shortly after an impact, is red.
const events = D.events.map(([t, name, ends, bodies]) => ({ t: Math.fround(t), verb: name.split(" ", 1)[0], of: name.slice(name.indexOf(" ") + 1), ends, bodies }));
const press = () => {
  const on = new Map(), soon = (T[F - 1] - T[0]) / 50;
  for (const e of events) if (e.t <= T[frame]) {
    if (e.verb === "leaves") on.delete(e.of); else if (e.verb !== "impact") on.set(e.of, e);
    else if (T[frame] - e.t <= soon) on.set("impact " + e.of, e);
  }
  D.lit = new Set([...on.values()].flatMap(e => e.bodies));
  D.litJoints = new Set([...on.values()].flatMap(e => e.ends.map(x => x[0])));
  events.forEach((e, k) => $("events").children[k].classList.toggle("past", e.t <= T[frame]));
};
const draw = () => {
  if (events.length) press();
  plots.forEach(p => plot(p, T, frame));
  Object.assign(look, { frame, traced, shapes: $("shapes").checked, solids: $("solids").value, names: $("names").checked, follow: $("follow").checked });
  picture.draw();
  slider.value = frame; slider.setAttribute("aria-valuetext", $("now").value = T[frame].toPrecision(4) + " s");
  document.body.dataset.frame = frame;
};
const picture = sketch(canvas, look, { changed: () => draw(), clicked: k => {
  traced.delete(k) || traced.add(k); $("trace").value = traced.size === 1 ? [...traced][0] : ""; draw(); } });
picture.show([D]);
const to = f => { frame = Math.max(0, Math.min(F - 1, f)); now = T[frame]; draw(); };
const theme = () => { dye(); plots.forEach(legend); draw(); };

// Playing.
const step = stamp => {
  if (!playing) return;
  now += (stamp - last) / 1000 * $("speed").value; last = stamp;
  if (now > T[F - 1]) { now = T[0]; frame = 0; }
  while (frame < F - 1 && T[frame + 1] <= now) frame++;
  draw(); requestAnimationFrame(step);
};
const toggle = () => {
  playing = !playing; play.textContent = playing ? "Pause" : "Play";
  if (playing) { if (frame === F - 1) to(0); last = performance.now(); requestAnimationFrame(step); }
};
play.onclick = toggle;
D.events.forEach(([t, name, ends]) => {
  const line = document.createElement("button"), f = T.findIndex(s => s >= Math.fround(t));
  line.type = "button"; line.textContent = t.toPrecision(6) + " s: " + name + ends.map(([of, x, unit]) => ", " + of + " = " + x.toPrecision(4) + " " + unit).join("");
  line.onclick = () => to(f < 0 ? F - 1 : f);
  $("events").appendChild(document.createElement("li")).append(line);
});
slider.oninput = () => to(+slider.value);
plots.forEach(({ at }) => { at.onpointerdown = at.onpointermove = e => { if (e.buttons) to(seek(at, T, e.offsetX)); }; });
document.onkeydown = e => { if (e.key === " " && !e.target.closest("button, select, [type=checkbox]")) { toggle(); e.preventDefault(); } };
D.traces.forEach(([, label], k) => $("trace").add(new Option(label, k)));
$("trace").onchange = e => { const v = e.target.value; traced = new Set(v === "" ? [] : v === "all" ? D.traces.keys() : [+v]); draw(); };
$("reset").onclick = () => { picture.reset(); draw(); };
["shapes", "solids", "names", "follow", "speed"].forEach(id => { $(id).onchange = draw; });
$("follow").checked = D.follow; $("names").checked = D.masses.length <= 6;
if (D.traces.length && D.traces.length < 4) { const k = D.traces.length - 1; $("trace").value = k; traced.add(k); }
matchMedia("(prefers-color-scheme: dark)").onchange = theme;
theme();
document.body.dataset.ready = "yes";
})();
