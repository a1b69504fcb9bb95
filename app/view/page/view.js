// The page of mbconcord view. All that a model or a command says is put in as text, never as HTML.
"use strict";
const $ = id => document.getElementById(id);
const make = (tag, more = {}, ...inside) => {
  const found = document.createElement(tag);
  for (const [k, v] of Object.entries(more)) {
    if (k.startsWith("on")) found[k] = v; else if (k === "hidden") found.hidden = v; else if (v !== null && v !== undefined && v !== false) found.setAttribute(k, v === true ? "" : v);
  }
  found.append(...inside.flat().filter(x => x !== null && x !== undefined));
  return found;
};
const models = [];                 // one or two: { id, name, facts, q, set, results, lit, canvas, look, picture }
let current = 0, tab = "Model", formats = [], limits = { files: 1000, bytes: 1e8 }, pair = null, working = null, asked = 0;

// Asking the server.
const say = (text, bad = false) => { $("said").textContent = text; $("said").className = bad ? "bad" : ""; };
const line = d => [d.line ? (d.file ? d.file + ":" : "line ") + d.line : "", d.place, d.message].filter(Boolean).join(": ") + (d.remedy ? " (" + d.remedy + ")" : "");
const ask = async (address, more = {}) => {
  let answer;
  try { answer = await fetch(address, more); }
  catch (problem) {
    if (problem.name === "AbortError") throw new Error("stopped");
    throw new Error("The server does not answer: it has been stopped. Start mbconcord view again, and open the address that it prints.");
  }
  const text = await answer.text();
  let found;
  try { found = JSON.parse(text); } catch { throw new Error(text || answer.statusText); }
  if (!answer.ok) throw new Error((found.problems || []).map(line).join("\n") || answer.statusText);
  return found;
};
const post = (address, body, signal) => ask(address, { method: "POST", body: JSON.stringify(body), signal, headers: { "content-type": "application/json" } });

// Taking files: dropped, chosen, pasted.
const upload = async list => {
  if (!list.length) return;
  const bytes = list.reduce((sum, [, file]) => sum + file.size, 0);
  if (list.length > limits.files) return say(`${list.length} files; at most ${limits.files} are taken at once: drop the folder of one model.`, true);
  if (bytes > limits.bytes) return say(`${(bytes / 1e6).toFixed(0)} MB; at most ${limits.bytes / 1e6} MB are taken.`, true);
  say(`Reading ${list.length === 1 ? list[0][0] : list.length + " files"}…`);
  try {
    const head = JSON.stringify(list.map(([name, file]) => [name, file.size])) + "\n";
    const found = await ask("/models", { method: "POST", body: new Blob([head, ...list.map(([, file]) => file)]) });
    if (models.length && found.length === 1 && /(?<!\.tp)\.(csv|parquet)$/.test(found[0].name)) return playTable(found[0]);
    if (found.length > 2) return choose(found);
    if (found.length === 2 && models.length) { models.length = 0; layout(); }   // a pair takes the place of what was there
    for (const [k, one] of found.entries()) await add(one, k < found.length - 1);
  } catch (problem) { say(problem.message, true); }
};
const choose = found => {
  say("");
  $("choice").hidden = false;
  $("choice").querySelector("h2").textContent = `${found.length} models: which one?`;
  $("choice").querySelector("ul").replaceChildren(...found.map(one => make("li", {}, make("button", { type: "button", onclick: () => { $("choice").hidden = true; add(one); } }, one.name))));
  $("choice").querySelector("button").focus();
};
const entries = async (entry, path = "") => {
  if (entry.isFile) return [[path + entry.name, await new Promise((done, fail) => entry.file(done, fail))]];
  const reader = entry.createReader(), found = [];
  for (;;) {
    const some = await new Promise((done, fail) => reader.readEntries(done, fail));
    if (!some.length) break;
    for (const one of some) found.push(...await entries(one, path + entry.name + "/"));
    if (found.length > limits.files) break;
  }
  return found;
};
document.ondragover = e => { e.preventDefault(); document.body.classList.add("dragged"); };
document.ondragleave = e => { if (!e.relatedTarget) document.body.classList.remove("dragged"); };
document.ondrop = async e => {
  e.preventDefault(); document.body.classList.remove("dragged");
  const own = [...e.dataTransfer.items].map(item => item.webkitGetAsEntry && item.webkitGetAsEntry()).filter(Boolean);
  upload(own.length ? (await Promise.all(own.map(entry => entries(entry)))).flat() : [...e.dataTransfer.files].map(f => [f.name, f]));
};
const chosen = e => { upload([...e.target.files].map(f => [f.webkitRelativePath || f.name, f])); e.target.value = ""; };
$("files").onchange = $("directory").onchange = chosen;
$("open").onclick = () => $("files").click();
$("folder").onclick = () => $("directory").click();
$("paste").onclick = () => { const hidden = $("pasted").hidden = !$("pasted").hidden; $("paste").setAttribute("aria-expanded", String(!hidden)); if (!hidden) $("text").focus(); };
$("text").oninput = () => { const t = $("text").value, kinds = [["<robot", "urdf"], ["<mujoco", "xml"], ["<sdf", "sdf"], ["{", "mbs.json"]]; $("name").value = "pasted." + (kinds.find(([mark]) => t.includes(mark)) || ["", "mbsd"])[1]; };
$("pasted").onsubmit = e => { e.preventDefault(); upload([[$("name").value.replaceAll("/", "_") || "pasted.urdf", new Blob([$("text").value])]]); };

// Models on the stage.
const add = async (one, more = false) => {
  say(`Reading ${one.name}…`);
  try {
    const facts = await ask("/models/" + one.id), unread = models.findIndex(x => !x.facts.bodies), at = unread >= 0 ? unread : models.length < 2 ? models.length : current;
    const m = { ...one, facts, q: facts.q || {}, set: {}, results: {}, lit: new Set(), joints: new Set() };
    m.look = { frame: 0 };
    m.canvas = make("canvas", { tabindex: 0, role: "img", "aria-label": `${m.name}, drawn; drag or arrow keys turn it, + and - zoom, 0 resets` });
    m.picture = sketch(m.canvas, m.look, { changed: () => draw(), over: body => hover(m, body) });
    if (facts.picture) m.picture.show([facts.picture]);
    models[at] = m; current = at; pair = null;
    const wrong = (facts.problems || []).length;
    say(wrong ? facts.problems.map(line).join("\n") : "", wrong);
    tab = models.length === 2 && models.every(x => x.facts.picture) ? "Compare" : wrong ? "Model" : "Check";
    layout();
    if (tab === "Compare") compare(); else if (tab === "Check" && !more) check(m);
  } catch (problem) { say(problem.message, true); }
};
const remove = k => { models.splice(k, 1); current = 0; pair = null; if (tab === "Compare") tab = "Model"; layout(); };
// What is built anew leaves the keyboard where it was: on what has the same name, else on the pane.
const rebuild = (at, parts) => {
  const was = document.activeElement, inside = was !== at && at.contains(was), name = x => x.id || x.getAttribute("aria-label") || x.textContent;
  at.replaceChildren(...parts);
  if (inside) ([...at.querySelectorAll(was.tagName)].find(x => name(x) === name(was)) || $("pane")).focus({ preventScroll: true });
};
const layout = () => {
  const any = models.length > 0;
  $("main").hidden = !any; $("empty").hidden = any; $("over").hidden = models.length < 2;
  if (models.length < 2) $("overlay").checked = false;
  const laid = $("overlay").checked;
  $("more").textContent = models.some(m => !m.facts.bodies) ? "Mend the file and drop it again: it takes the place of the one that is not read."
    : ["", "Drop another model to compare it with this one.", `A model that you drop now takes the place of ${"AB"[current]}; two take the place of both.`][models.length];
  rebuild($("views"), models.map((m, k) => make("figure", { "aria-current": String(k === current && models.length > 1), hidden: laid && k === 1 },
    make("figcaption", {}, make("button", { type: "button", class: "name", title: m.name, onclick: () => { current = k; layout(); } }, (models.length > 1 ? "AB"[k] + "  " : "") + m.name + (laid ? "  and B (grey) " + models[1].name : "")),
      make("span", { class: "soft" }, m.facts.format || ""), make("button", { type: "button", "aria-label": "Remove " + m.name, onclick: () => remove(k) }, "×")), m.canvas)));
  const tabs = models.length === 2 ? ["Compare", "Model", "State", "Check", "Convert", "Motion"] : ["Model", "State", "Check", "Convert", "Motion"];
  rebuild($("tabs"), tabs.map(name => make("button", { type: "button", role: "tab", id: "tab" + name, "aria-selected": String(name === tab), tabindex: name === tab ? 0 : -1, onclick: () => { tab = name; layout(); } }, name)));
  $("pane").setAttribute("aria-labelledby", "tab" + tab);
  if (any) fill();
  dye(); draw();
  document.body.dataset.ready = "yes"; document.body.dataset.models = models.length;
};
$("tabs").onkeydown = e => {
  const all = [...$("tabs").children], at = all.findIndex(x => x.getAttribute("aria-selected") === "true"), by = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
  if (by) { all[(at + by + all.length) % all.length].click(); $("tab" + tab).focus(); e.preventDefault(); }
};
const shownOf = m => m.playing ? m.playing.drawing : m.facts.picture;
const draw = () => {
  for (const [k, m] of models.entries()) {
    const own = shownOf(m);
    if (!own || (k === 1 && $("overlay").checked)) continue;
    Object.assign(m.look, { solids: $("solids").value, shapes: $("shapes").checked, names: $("names").checked, frame: m.playing ? m.playing.frame : 0 });
    Object.assign(own, { lit: m.lit, litJoints: pair && m.joints });
    const other = $("overlay").checked && k === 0 && models[1] && shownOf(models[1]);
    if (other) Object.assign(other, { lit: models[1].lit, litJoints: pair && models[1].joints });
    m.picture.show(other ? [own, other] : [own], true);
    m.picture.draw();
  }
};
for (const id of ["solids", "shapes", "names"]) $(id).onchange = draw;
$("overlay").onchange = layout;
$("reset").onclick = () => { models.forEach(m => m.facts.picture && m.picture.reset()); draw(); };
matchMedia("(prefers-color-scheme: dark)").onchange = () => { dye(); draw(); };
const differing = k => pair && pair.rows ? pair.bodies[k] : new Set();
const hover = (m, body) => {
  m.lit = body >= 0 ? new Set([body]) : new Set(differing(models.indexOf(m)));
  document.querySelectorAll("#pane .tree li").forEach((li, k) => li.classList.toggle("lit", models[current] === m && k === body));
  draw();
};

// Panes.
const fill = () => models.length && rebuild($("pane"), ({ Model: showModel, State: showState, Check: showCheck, Compare: showCompare, Convert: showConvert, Motion: showMotion })[tab](models[current]));
const table = (heads, rows, look = null) => make("div", { class: "wide", tabindex: 0 }, make("table", { class: look }, make("thead", {}, make("tr", {}, heads.map(h => make("th", { scope: "col" }, h)))), make("tbody", {}, rows.map(row => make("tr", {}, row.map(cell => make("td", {}, cell)))))));
const short = x => x === null || x === undefined ? "–" : typeof x === "number" ? String(+x.toPrecision(4)) : String(x);
const kind = verdict => verdict === "agrees" || verdict === "the same machine" ? "good" : verdict === "disagrees" || verdict === "not the same machine" ? "bad" : "warn";
const texts = (title, list, open = false) => list.length ? [make("details", { open }, make("summary", {}, `${title} (${list.length})`), make("ul", {}, list))] : [];
const showLine = n => { const at = document.getElementById("source"); if (!at || !n) return; at.closest("details").open = true;
  const m = models[current], lines = m.facts.text.split("\n"); at.replaceChildren(lines.slice(0, n - 1).join("\n") + "\n", make("mark", { id: "line" }, lines[n - 1] || ""), "\n" + lines.slice(n).join("\n")); $("line").scrollIntoView({ block: "center" }); };
const jump = d => make("li", { class: { error: "bad", warning: "warn" }[d.severity] || "" }, d.line ? make("button", { type: "button", onclick: () => showLine(d.line) }, "line " + d.line) : null, " ", line(d.line ? { ...d, line: null, file: "" } : d));
const problems = m => (m.facts.problems || []).map(jump);
const indent = (depth, item) => { item.style.setProperty("--depth", depth); return item; };
const showModel = m => {
  const f = m.facts, bodies = f.bodies || [];
  return [
    ...problems(m).length ? [make("p", { class: "verdict bad" }, "not read"), make("ul", {}, problems(m))] : [],
    ...bodies.length ? [make("h2", {}, `${bodies.length} bodies, ${f.coordinates.length} coordinates`), make("ul", { class: "tree" }, bodies.map((b, k) => indent(b.depth, make("li", {},
      make("button", { type: "button", onclick: () => showLine(b.line), onmouseenter: () => hover(m, k), onmouseleave: () => hover(m, -1), onfocus: () => hover(m, k), onblur: () => hover(m, -1), title: b.joint },
        b.name, make("span", { class: "soft" }, `  ${(b.joint || "free").replace(/-?\d+\.\d{6,}/g, x => short(+x))}; ${b.mass} kg${b.line ? "; line " + b.line : ""}`))))))] : [],
    ...texts("Findings", (f.findings || []).map(jump), true),
    ...texts("Left out of the model", (f.omissions || []).map(o => jump({ severity: o.effect === "none" ? "note" : "warning", line: o.line, place: o.place, message: `${o.what} (effect on the motion: ${o.effect})` })), true),
    ...(f.parameters || []).length ? [make("h2", {}, "Parameters"), ...f.parameters.map(p => make("label", { class: "coordinate" }, make("span", {}, p.name), make("span", { class: "soft" }, p.origin || ""),
      make("input", { value: m.set[p.name] ?? p.value ?? "", onchange: e => { m.set[p.name] = e.target.value.trim(); m.results = {}; pair = null; say(""); moveTo(m, "", true); } }))),
      make("p", { class: "hint" }, "Values are used in the picture, in State, Check, Compare, Convert and Motion.")] : [],
    make("details", {}, make("summary", {}, "Text"), make("pre", { id: "source", tabindex: 0 }, f.text || "")),
  ];
};

// States: every move of a slider asks for a picture; while one is on its way, the last wish waits.
const range = (m, c) => { const at = Number(c.position) || 0, size = c.unit === "rad" ? Math.PI : Math.max(1, m.facts.picture ? m.facts.picture.size : 1); return [at - size, at + size]; };
const moveTo = async (m, name, numbers = false) => {
  m.wish = { name, numbers: numbers || (m.wish && m.wish.numbers) };
  if (m.moving) return;
  m.moving = true;
  while (m.wish) {
    const wish = m.wish; m.wish = null;
    try {
      const found = await post(`/models/${m.id}/state`, { q: m.q, hold: wish.name || "", numbers: wish.numbers, set: changed(m), has: m.facts.outline || "" });
      if (found.problems) say(found.problems.map(line).join("\n"), true); else {
        say((found.notes || []).filter(d => d.severity === "error").map(line).join("\n"), true);
        if (found.picture) { m.facts.picture = found.picture; m.facts.outline = found.outline; m.picture.show([found.picture], true); }
        else { const at = floats(found.spots); m.facts.picture.fixed = Array.from({ length: at.length / 3 }, (_, i) => at.subarray(3 * i, 3 * i + 3)); }
        m.playing = null;
        if (!m.wish && m.facts.loops && found.q) m.q = { ...found.q };
        if (found.numbers) { m.numbers = found; showNumbers(m); }
      }
    } catch (problem) { say(problem.message, true); }
    document.querySelectorAll("[data-q]").forEach(x => { if (x !== document.activeElement && models[current] === m) x.value = m.q[x.dataset.q]; });
    draw();
  }
  m.moving = false;
  document.body.dataset.moved = String(++asked);
};
const showState = m => {
  const of = m.facts.coordinates || [];
  if (!m.facts.picture) return problems(m).length ? [make("ul", {}, problems(m))] : [];
  const row = c => {
    const [low, high] = range(m, c), set = e => { const x = Number(e.target.value); if (Number.isFinite(x)) { m.q[c.name] = x; box.value = e.target === box ? box.value : short(x); moveTo(m, c.name); } };
    const box = make("input", { value: short(m.q[c.name]), "data-q": c.name, "aria-label": `${c.name}, ${c.unit}`, onchange: e => { set(e); moveTo(m, c.name, true); } });
    return make("label", { class: "coordinate" }, make("span", {}, c.name + ", " + c.unit), make("input", { type: "range", min: low, max: high, step: (high - low) / 1000, value: m.q[c.name], "data-q": c.name, "aria-label": c.name, oninput: set, onchange: () => moveTo(m, c.name, true) }), box);
  };
  return [make("div", { class: "bar" }, make("button", { type: "button", onclick: async () => { m.q = Object.fromEntries(of.map(c => [c.name, Number(c.position) || 0])); await moveTo(m, "", true); fill(); } }, "Back to the beginning"),
    make("button", { type: "button", onclick: () => moveTo(m, "", true) }, "Numbers here")), ...of.map(row), make("div", { id: "numbers" })];
};
const showNumbers = m => {
  const at = $("numbers");
  if (!at || models[current] !== m) return;
  const names = m.facts.coordinates.map(c => c.name), n = m.numbers.numbers;
  at.replaceChildren(make("h2", {}, "Mass matrix M"), table(["q", ...names], n.M.map((row, i) => [names[i], ...row.map(short)]), "numbers"),
    make("h2", {}, "Forces"), table(["coordinate", "h", "gravity"], names.map((name, i) => [name, short(n.h[i]), short(n.gravity[i])]), "numbers"),
    make("p", { class: "hint" }, "Four digits of what mbconcord evaluate computes, at rates with which the model begins."), make("ul", {}, m.numbers.notes.map(jump)));
};

// Commands.
const changed = m => Object.fromEntries(Object.entries(m.set || {}).filter(([, v]) => v !== ""));
const options = (list, more = {}) => {
  const set = list.flatMap(m => Object.entries(changed(m)).map(([k, v]) => `${k}=${v}`));
  return { ...more, ...(set.length ? { set: [...new Set(set)] } : {}) };
};
const run = async (verb, list, more = {}) => {
  if (working) working.abort();
  const own = working = new AbortController(), began = performance.now(), key = crypto.randomUUID();
  const tick = setInterval(async () => {
    const far = await ask("/progress/" + key).catch(() => ({}));
    if (working === own) say(`${verb} of ${list.map(m => m.name).join(" and ")}: ${((performance.now() - began) / 1000).toFixed(0)} s${far.said ? ", " + far.said : ""}`);
  }, 1000);
  document.body.dataset.working = verb; fill();
  try { return await post("/run", { verb, key, models: list.map(m => m.id), options: options(list, more) }, own.signal); }
  finally { clearInterval(tick); if (working === own) { working = null; say(""); delete document.body.dataset.working; } }
};
const attempt = async job => { try { await job(); } catch (problem) { if (problem.message !== "stopped") say(problem.message, true); } fill(); draw(); };
const waiting = what => [make("p", {}, what + "…"), make("button", { type: "button", onclick: () => working && working.abort() }, "Stop")];
const again = (label, job) => make("button", { type: "button", class: "main", onclick: job }, label);
const saved = (found, name, label) => found.files.includes(name) ? [make("a", { href: `/jobs/${found.job}/${encodeURIComponent(name)}`, download: name, class: "save" }, label)] : [];
const copied = found => [["Copy as command line", found.command], ["Copy as Python", found.python]].filter(([, text]) => text).map(([label, text]) => make("button", { type: "button", title: text, onclick: async () => {
  try { await navigator.clipboard.writeText(text); say("Copied: " + text); } catch { say(text); } } }, label));
const failed = found => [make("p", { class: "verdict bad" }, found.code === null || found.code < 0 ? "stopped" : "no answer"), make("pre", {}, found.said || "nothing was said")];
const told = found => found.said ? [make("details", {}, make("summary", {}, "Warnings and notes"), make("pre", { tabindex: 0 }, found.said))] : [];
const value = (x, unit) => Array.isArray(x) ? x.map(short).join(" and ") : short(x);
const goTo = s => s && s.q ? make("button", { type: "button", onclick: () => { for (const m of models) { for (const k of Object.keys(s.q)) if (k in m.q) m.q[k] = s.q[k]; moveTo(m, ""); } } }, "Show this state") : null;

// A report is the file of the command, or what it prints, made when it is asked for.
const saveReport = (verb, list, file, name, more = {}) => attempt(async () => {
  const found = await run(verb, list, { report: true, ...more }), link = saved(found, file, "")[0];
  if (!link) return say(found.said || "no report", true);
  link.download = name; document.body.append(link); link.click(); link.remove(); say("Saved: " + name);
});

// A verdict is about the model as it was read: what was found in its file, or left out of it, is one step away.
const remarked = m => {
  const n = (m.facts.findings || []).filter(d => d.severity !== "note").length, of = (m.facts.omissions || []).filter(o => o.effect !== "none").length;
  return n + of ? [make("p", { class: "warn" }, [n ? `${n} ${n === 1 ? "warning" : "warnings"} about the file` : "", of ? `${of} of its elements left out` : ""].filter(Boolean).join(", ") + ". ", make("button", { type: "button", onclick: () => { tab = "Model"; layout(); } }, "See the Model tab"))] : [];
};
const check = m => attempt(async () => { const found = m.results.check = await run("check", [m]); if (found.json) say(`${m.name}: ${found.json.headline || found.json.verdict}`); });
const showCheck = m => {
  const found = m.results.check;
  if (document.body.dataset.working === "check") return waiting("Checking " + m.name);
  if (!found) return [again("Check " + m.name, () => check(m))];
  const j = found.json;
  if (!j) return [...failed(found), again("Check again", () => check(m))];
  const groups = new Map();
  for (const p of j.pairs) { const key = p.claim || p.quantity; groups.set(key, [...(groups.get(key) || []), p]); }
  const rank = p => p.verdict === "disagrees" ? 2 : p.verdict === "not checked" ? 1 : 0;
  return [make("p", { class: "verdict " + kind(j.verdict) }, j.headline || j.verdict), make("div", { class: "bar" }, again("Save the report", () => saveReport("check", [m], "report.html", "report.html")), ...copied(found)),
    ...remarked(m), make("p", { class: "hint" }, `${j.formalisms.filter(x => !x.obstacles.length).length} formalisms derive the equations of motion, each by itself; seed ${j.seed}. ${(j.assumes || []).join(" ")}`),
    ...[...groups].map(([name, pairs]) => [name, pairs, Math.max(...pairs.map(rank))]).sort((a, b) => b[2] - a[2]).map(([name, pairs, worst]) => {
      const verdict = ["agrees", "not checked", "disagrees"][worst], proof = pairs.some(p => p.exact && p.exact.verdict === "identical") ? ", proved identical" : "";
      const said = new Set(pairs.flatMap(p => [p.a, p.b])).size;
      return make("details", {}, make("summary", {}, name.replaceAll("_", " ") + ": ", make("span", { class: kind(verdict) }, verdict), make("span", { class: "soft" }, ` ${said} witnesses${proof}`)),
        table(["witnesses", "difference", "tolerance", "entry", "values", "why, where"], pairs.slice(0, 40).map(p => [`${p.a}, ${p.b}`, short(p.discrepancy), short(p.tolerance), (p.entry || []).join(", "), value(p.values), [p.explanation || "", " ", goTo(p.state)]].map(c => Array.isArray(c) ? make("span", {}, ...c.filter(Boolean)) : c))),
        pairs.length > 40 ? make("p", { class: "hint" }, `${pairs.length - 40} more in the report`) : null);
    }), ...told(found), make("button", { type: "button", onclick: () => check(m) }, "Check again")];
};

// Two models: bodies and joints that a place names in model k, else those that move along the matched coordinates.
const named = (facts, parts) => ({ bodies: facts.bodies.flatMap((b, i) => parts.includes(b.name) ? [i] : []),
  joints: facts.coordinates.filter(c => parts.includes(c.name) || (c.joint && parts.includes(c.joint.split(" (")[0]))).map(c => c.name) });
const touched = (place, k, matching) => {
  const parts = place.split("/"), own = models[k].facts, other = models[1 - k].facts, mine = named(own, parts);
  if (mine.bodies.length || mine.joints.length) return mine;
  const found = named(other, parts), matched = new Map(Object.entries(matching).map(([a, b]) => { const c = b.replace(/^-/, ""); return k ? [a, c] : [c, a]; }));
  const joints = found.joints.map(name => matched.get(name)).filter(Boolean);
  const carried = i => own.bodies.findIndex(b => other.bodies[i].coordinates.some(name => b.coordinates.includes(matched.get(name))));
  return { joints, bodies: found.bodies.map(i => carried(i) < 0 && i < own.bodies.length ? i : carried(i)).filter(i => i >= 0) };
};
const compare = (coordinates = "") => attempt(async () => {
  const found = await run("compare", models.slice(0, 2), coordinates ? { coordinates } : {});
  pair = { found, coordinates, rows: found.json ? [] : null, bodies: [new Set(), new Set()] };
  models.forEach(m => { m.joints = new Set(); });
  if (!found.json) return;
  say(`A and B: ${found.json.headline}`);
  const why = found.json.why || {}, lines = why.fields ? why.fields.rows.flatMap(row => row.lines) : [];
  pair.rows = why.fields ? why.fields.rows : [];
  models.slice(0, 2).forEach((m, k) => {
    for (const { place } of lines) { const at = touched(place, k, (found.json.matching || {}).coordinates || {}); at.bodies.forEach(i => pair.bodies[k].add(i)); at.joints.forEach(name => m.joints.add(name)); }
    m.lit = new Set(pair.bodies[k]);
  });
});
const showCompare = () => {
  if (document.body.dataset.working === "compare") return waiting(`Comparing ${models[0].name} with ${models[1].name}`);
  if (!pair) return [again("Compare A with B", () => compare())];
  const j = pair.found.json, hand = make("input", { id: "match", value: pair.coordinates, placeholder: "a=b,c=d", "aria-label": "Coordinates of A = of B" });
  const matching = [make("details", {}, make("summary", {}, "Match coordinates by hand"), make("div", { class: "bar" }, hand, make("button", { type: "button", onclick: () => compare(hand.value.trim()) }, "Compare again")),
    make("p", { class: "hint" }, `A: ${models[0].facts.coordinates.map(c => c.name).join(", ")}; B: ${models[1].facts.coordinates.map(c => c.name).join(", ")}`))];
  if (!j) return [...failed(pair.found), ...matching];
  const cause = (pair.rows[0] || { lines: [] }).lines;
  const proof = j.exact && (j.exact.said || j.exact.verdict || j.exact.kind);
  return [make("p", { class: "verdict " + kind(j.verdict) }, j.headline), ...cause.length ? [make("p", {}, `The cause: ${cause.map(l => `${l.place} ${l.field}, ${l.a} in A and ${l.b} in B`).join("; ")}${pair.rows.length > 1 ? "; and what stands below it" : ""}.`)] : [],
    make("div", { class: "bar" }, again("Save the report", () => saveReport("compare", models.slice(0, 2), "stdout", "compare.txt", pair.coordinates ? { coordinates: pair.coordinates } : {})), ...copied(pair.found)),
    ...pair.rows.length ? [make("h2", {}, "Why, in order of effect"), table(["where", "A", "B", "effect alone", "left after it"], pair.rows.flatMap(row => row.lines.map((l, i) => [`${l.place} ${l.field}`, l.a, l.b, i ? "" : short(row.alone), i ? "" : short(row.left)])))] : [],
    ...j.why && j.why.said ? [make("details", { open: !pair.rows.length }, make("summary", {}, "The cause in words"), make("pre", { tabindex: 0 }, j.why.said))] : [],
    make("h2", {}, "By how much"), table(["quantity", "of scale", "entry", "A and B", "where"], Object.entries(j.largest || {}).map(([name, x]) => [name, short(x.of_scale), (x.entry || []).join(", "), value(x.values), goTo(x.state) || ""])),
    make("p", { class: "hint" }, `Coordinates matched by ${j.matching ? j.matching.by : "name"}: ${Object.entries((j.matching || {}).coordinates || {}).map(([a, b]) => a === b ? a : `${a} = ${b}`).join(", ")}.${typeof proof === "string" ? " Exact proof: " + proof + "." : ""} ${(j.assumes || []).join(" ")}`),
    ...matching, ...told(pair.found), make("button", { type: "button", onclick: () => compare(pair.coordinates) }, "Compare again")];
};

// Conversion: what is lost stands before the link.
const convert = (m, to, force = false) => attempt(async () => { m.results.convert = { to, found: await run("convert", [m], { to, ...(force ? { force } : {}) }) }; });
const showConvert = m => {
  const made = m.results.convert, target = make("select", { "aria-label": "Format" }, formats.filter(f => f.writes).map(f => make("option", { value: f.name, selected: made && made.to === f.name }, `${f.name}: ${f.title}`)));
  const head = [make("div", { class: "bar" }, target, again("Convert", () => convert(m, target.value)))];
  if (document.body.dataset.working === "convert") return waiting("Converting " + m.name);
  if (!made) return head;
  const { found, to } = made, j = found.json;
  if (!j) return [...head, ...failed(found)];
  const proof = j.verification ? j.verification.headline : "not verified";
  return [...head, make("p", { class: "verdict " + (j.verification ? kind(j.verification.verdict) : "warn") }, j.written ? `read back: ${proof}` : `not written: ${j.refused || proof}`),
    make("h2", {}, j.losses.length ? `${j.losses.length} lost in ${j.format}` : `nothing is lost in ${j.format}`),
    ...j.losses.length ? [table(["place", "lost", "reason", "acts on the motion"], j.losses.map(l => [l.place, l.what, l.reason, l.acts ? "yes" : "no"]))] : [],
    make("div", { class: "bar" }, ...saved(found, j.out, "Save " + j.out), ...(!j.written && found.code === 3 ? [make("button", { type: "button", onclick: () => convert(m, to, true) }, "Write it unchecked")] : []), ...copied(found)), ...told(found)];
};

// Motion: simulate writes a table, animate its page, whose drawing is played here.
const simulate = (m, until) => attempt(async () => {
  const motion = m.results.motion = { until, found: await run("simulate", [m], { until, state: { q: m.q } }) };
  if (!motion.found.files.includes("run.csv")) return;
  motion.drawn = await run("animate", [m], { table: motion.found.job });
  await load(m, motion);
});
const playTable = table => { const m = models[current]; tab = "Motion"; layout(); return attempt(async () => {
  const drawn = await run("animate", [m, table]), motion = m.results.motion = { until: "2", found: drawn, drawn };
  await load(m, motion);
}); };
const load = async (m, motion) => {
  if (!motion.drawn.files.includes("motion.html")) return;
  const page = new DOMParser().parseFromString(await fetch(`/jobs/${motion.drawn.job}/motion.html`).then(a => a.text()).then(t => t.replace(/<style>[^]*?<\/style>/, "")), "text/html");
  const D = JSON.parse(page.getElementById("data").textContent);
  motion.remarks = [...page.querySelectorAll("header p")].map(p => p.textContent);
  motion.played = { drawing: D, T: floats(D.t), frame: 0, plots: D.plots.map(p => ({ title: p.title, lines: p.lines.map(([name, text]) => ({ name, y: floats(text) })) })) };
  m.playing = motion.played; m.picture.show([D]);
};
const showMotion = m => {
  const motion = m.results.motion, box = make("input", { size: 8, value: motion ? motion.until : "2", "aria-label": "Until, s" });
  const head = [make("div", { class: "bar" }, make("label", {}, "until, s ", box), again("Simulate from the state shown", () => simulate(m, box.value.trim())))];
  if (["simulate", "animate"].includes(document.body.dataset.working)) return waiting("Simulating " + m.name);
  if (!motion) return head;
  const p = motion.played;
  if (!p) return [...head, ...failed(motion.drawn || motion.found)];
  const slider = make("input", { type: "range", min: 0, max: p.T.length - 1, value: p.frame, "aria-label": "Time" }), now = make("output", {}, "");
  const plots = p.plots.map(x => ({ ...x, at: make("canvas", { class: "plot", role: "img", "aria-label": x.title + " over time" }), list: make("ul", { class: "legend" }) }));
  const to = f => { p.frame = f; m.playing = p; slider.value = f; now.textContent = short(p.T[f]) + " s"; draw(); plots.forEach(x => plot(x, p.T, f)); };
  let began = 0, playing = false;
  const step = stamp => { if (!playing || !slider.isConnected) return; const t = p.T[0] + (stamp - began) / 1000; let f = p.T.findIndex(x => x >= t); if (f < 0) { f = p.T.length - 1; playing = false; play.textContent = "Play"; } to(f); requestAnimationFrame(step); };
  const play = make("button", { type: "button", onclick: () => { playing = !playing; play.textContent = playing ? "Pause" : "Play"; if (p.frame >= p.T.length - 1) p.frame = 0; began = performance.now() - 1000 * (p.T[p.frame] - p.T[0]); requestAnimationFrame(step); } }, "Play");
  slider.oninput = () => to(+slider.value);
  plots.forEach(x => { x.at.onpointerdown = x.at.onpointermove = e => { if (e.buttons) to(seek(x.at, p.T, e.offsetX)); }; });
  requestAnimationFrame(() => { plots.forEach(legend); to(p.frame); });
  const omitted = (m.facts.omissions || []).filter(o => o.effect !== "none");
  return [...head, ...omitted.length ? [make("p", { class: "warn" }, `Without ${omitted.map(o => o.place).join(", ")}, which the model leaves out.`)] : [],
    make("div", { class: "bar" }, play, now), slider, ...plots.flatMap(x => [make("h2", {}, x.title), x.at, x.list]), ...motion.remarks.map(text => make("p", { class: "hint" }, text)),
    make("div", { class: "bar" }, ...saved(motion.found, "run.csv", "Save the table"), ...saved(motion.drawn, "motion.html", "Save the animation"), ...copied(motion.found)), ...told(motion.found)];
};

// A server that stops is noticed on a page that nobody touches, too.
const watch = setInterval(() => document.hidden || ask("/progress/watch").catch(problem => { if (/stopped/.test(problem.message)) { clearInterval(watch); say(problem.message, true); } }), 3000);
ask("/start").then(async found => {
  ({ formats, limits } = found);
  $("kinds").textContent = "Read: " + formats.map(f => f.title).join("; ") + ".";
  document.body.dataset.ready = "yes";
  for (const one of found.models.slice(0, 2)) await add(one);
  if (found.models.length > 2) choose(found.models);
}).catch(problem => say(problem.message, true));
