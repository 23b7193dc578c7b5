"use strict";
(() => {
const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId("data").textContent);
const run = data.run, cases = run.cases || [], against = data.against || null;
const perPage = 100;

// make builds an element. Text goes in as text only, so nothing of a record is ever read as markup.
function make(name, options, ...children) {
  const e = document.createElement(name);
  for (const [k, v] of Object.entries(options || {})) {
    if (k === "text") e.textContent = v;
    else if (k === "class") e.className = v;
    else if (k === "click") e.addEventListener("click", v);
    else e.setAttribute(k, v);
  }
  for (const c of children) if (c !== null && c !== undefined) e.append(c);
  return e;
}
const known = (v) => v !== null && v !== undefined;
const bar = known(data.pass_bar) ? data.pass_bar : Infinity;

function number(v) {
  if (!known(v)) return "–";
  let s = v;
  if (v > 0 && v < 0.0001) s = 0.0001;
  else if (v < 1 && v > 0.9999) s = 0.9999;
  return Math.abs(s) >= 1e9 ? String(s) : String(+s.toFixed(4));
}
const signed = (v) => (v > 0 ? "+" : v < 0 ? "−" : "±") + number(Math.abs(v));
function seconds(v) {
  if (!known(v)) return "–";
  if (v < 60) return v.toFixed(1) + " s";
  if (v < 3600) return Math.floor(v / 60) + " min " + Math.round(v % 60) + " s";
  return Math.floor(v / 3600) + " h " + Math.round(v % 3600 / 60) + " min";
}
function bytes(n) {
  return n < 1024 ? n + " bytes" : n < 1048576 ? Math.round(n / 1024) + " KiB" : (n / 1048576).toFixed(1) + " MiB";
}

const outcomes = { passed: "✓ passed", low: "● below the bar", none: "○ no score", incomplete: "✗ incomplete" };
function outcome(c) {
  if (c.status !== "complete") return "incomplete";
  if (!known(c.score)) return "none";
  return c.score >= bar ? "passed" : "low";
}
const codeOf = (c) => c.error ? c.error.code : c.status !== "complete" ? "incomplete" : "";

// Rows, made once.
let trialCount = 0;
const trialRow = [];
const rows = cases.map((c, at) => {
  const trials = c.trials && c.trials.length ? c.trials : [c];
  const first = trialCount;
  trialCount += trials.length;
  const row = { at, c, first, trials, outcome: outcome(c), code: codeOf(c), codes: new Set(), tags: c.tags || [], haystack: null, delta: null, change: "" };
  for (const t of trials) {
    trialRow.push(row);
    if (codeOf(t)) row.codes.add(codeOf(t));
    for (const w of t.warnings || []) row.codes.add(w.code);
  }
  if (row.code) row.codes.add(row.code);
  for (const w of c.warnings || []) row.codes.add(w.code);
  if (against) compare(row);
  return row;
});

function compare(row) {
  const then = row.then = against.cases[row.at];
  if (!then) { row.change = "new"; return; }
  const c = row.c;
  if (known(c.score) && known(then.score)) {
    row.delta = c.score - then.score;
    row.change = row.delta > 0 ? "better" : row.delta < 0 ? "worse" : "same";
  } else {
    row.change = then.status === c.status && (then.code || "") === row.code ? "same" : "status";
  }
}

function haystack(row) {
  if (row.haystack !== null) return row.haystack;
  const out = [];
  const scores = (list) => { for (const s of list || []) { out.push(s.name, s.judge); for (const k of s.criteria || []) out.push(k.name, k.reasoning, k.error); } };
  const fault = (e) => { if (e) out.push(e.code, e.message, e.hint, e.key, e.value, e.rule, e.service, ...(e.last_lines || [])); };
  const visit = (c) => {
    out.push(c.id, c.legacy_id, c.task.name);
    scores(c.scores); fault(c.error);
    for (const w of c.warnings || []) out.push(w.code, w.message);
    for (const s of c.steps || []) { out.push(s.name); scores(s.scores); fault(s.error); }
    for (const t of c.tries || []) out.push(t.code, t.message);
  };
  visit(row.c);
  for (const t of row.c.trials || []) visit(t);
  out.push(...row.tags);
  return row.haystack = out.filter(Boolean).join("\n").toLowerCase();
}

// The headline.
function headline() {
  const s = run.summary, counts = { passed: 0, low: 0, none: 0, incomplete: 0 };
  for (const r of rows) counts[r.outcome]++;
  byId("title").textContent = "Run " + run.run_id;
  byId("subtitle").textContent = [run.candidate.agent + (known(run.candidate.model) ? " with " + run.candidate.model : ""), run.status, run.started_at].join(" · ");
  const add = (label, value, kind) => byId("numbers").append(make("li", { class: kind || "" }, make("b", { text: value }), label));
  add("mean score", number(s.mean_score));
  if (against && known(against.mean_score) && known(s.mean_score)) add("mean against the earlier run", signed(s.mean_score - against.mean_score));
  add("of " + s.planned + " scored", s.scored);
  add(bar === Infinity ? "passed" : "passed, " + number(bar) + " or more", counts.passed, "passed");
  add("below the bar", counts.low, counts.low ? "low" : "");
  if (counts.none) add("without a score", counts.none);
  add("incomplete", counts.incomplete, counts.incomplete ? "incomplete" : "");
  if (s.missing) add("not run", s.missing, "incomplete");
  if (s.trials) add("trials of " + s.trials.planned + " complete", s.trials.complete);
  for (const [code, n] of Object.entries(s.by_error || {}).sort((a, b) => b[1] - a[1])) {
    byId("codes").append(make("li", {}, make("button", { type: "button", text: code + " " + n, click: () => { byId("code").value = code; refresh(); } })));
  }
  const remark = (text) => byId("remarks").append(make("li", { text }));
  if (run.status === "running") remark("The run was not over when this page was made.");
  if (data.cut) remark("Texts are cut short here, since the page would be too large. All of them are in run.json.");
  for (const l of run.leaks || []) remark("Not removed from the engine: " + l);
  if (against && against.gone.length) remark("Not in this run, but in the earlier one: " + against.gone.slice(0, 20).join(", ") + (against.gone.length > 20 ? " and " + (against.gone.length - 20) + " more" : ""));
  const facts = [["run", run.run_id], ["status", run.status], ["started", run.started_at], ["finished", run.finished_at], ["agent", run.candidate.agent], ["agent version", run.candidate.agent_version],
    ["model", run.candidate.model], ["seatrial", run.tool.version + " " + run.tool.commit], ["trials of each case", run.spec.trials], ["paths", (run.spec.path || []).join(" ")], ["command line", (run.spec.args || []).join(" ")],
    ["engine", run.environment.engine + " " + run.environment.docker + ", API " + run.environment.api], ["engine's machine", run.environment.os + " " + run.environment.arch + ", " + run.environment.kernel],
    ["engine calls", run.engine_calls], ["compared with", against ? against.run_id + " " + against.started_at : null]];
  for (const [k, v] of facts) if (known(v) && v !== "") byId("facts-list").append(make("dt", { text: k }), make("dd", { text: String(v) }));
}

// The table.
const columns = [
  { name: "Case", key: (r) => r.c.id, cell: (r, td) => td.append(make("button", { type: "button", class: "open", "aria-expanded": String(open.has(r)), text: r.c.id || "(no id)", click: () => toggle(r) })) },
  { name: "Outcome", key: (r) => r.outcome, cell: (r, td) => { td.className = r.outcome; td.textContent = outcomes[r.outcome]; } },
  { name: "Score", key: (r) => r.c.score, number: true, cell: (r, td) => { td.textContent = number(r.c.score) + (r.c.score_derived ? " (mean)" : ""); } },
  against && { name: "Change", key: (r) => r.delta, number: true, cell: (r, td) => {
    td.className = "number " + (r.change === "better" ? "passed" : r.change === "worse" ? "incomplete" : "");
    td.textContent = r.change === "new" ? "new" : r.delta !== null ? signed(r.delta) : r.change === "same" ? "" : (r.then.code || (known(r.then.score) ? number(r.then.score) : "no score")) + " → " + (r.code || (known(r.c.score) ? number(r.c.score) : "no score"));
  } },
  { name: "Code", key: (r) => r.code || null, cell: (r, td) => { td.textContent = r.code; } },
  { name: "Time", key: (r) => r.c.timing.total, number: true, cell: (r, td) => { td.textContent = seconds(r.c.timing.total); } },
  { name: "Agent", key: (r) => r.c.timing.agent, number: true, cell: (r, td) => { td.textContent = seconds(r.c.timing.agent); } },
  { name: "Cost", key: (r) => r.c.result.cost, number: true, cell: (r, td) => { td.textContent = known(r.c.result.cost) ? "$" + r.c.result.cost.toFixed(4) : "–"; } },
  rows.some((r) => r.trials.length > 1) && { name: "Trials", key: (r) => r.trials.length, number: true, cell: (r, td) => { td.textContent = r.trials.filter((t) => outcome(t) === "passed").length + " of " + r.trials.length; } },
  { name: "Tags", key: (r) => r.tags.join(" ") || null, cell: (r, td) => { for (const t of r.tags.slice(0, 12)) td.append(make("span", { class: "tag", text: t })); } },
].filter(Boolean);

const open = new Set();
let shown = rows, page = 0, sortBy = null, descending = false;

function heads() {
  for (const col of columns) {
    const th = make("th", { scope: "col", class: col.number ? "number" : "" }, make("button", { type: "button", text: col.name, click: () => {
      if (sortBy !== col) { sortBy = col; descending = false; } else if (!descending) descending = true; else sortBy = null;
      refresh();
    } }));
    col.head = th;
    byId("heads").append(th);
  }
}

// Nothing sorts after everything, in both directions.
function order(a, b) {
  const x = sortBy.key(a), y = sortBy.key(b);
  if (!known(x) || !known(y)) return known(x) ? -1 : known(y) ? 1 : a.at - b.at;
  const d = x < y ? -1 : x > y ? 1 : 0;
  return (descending ? -d : d) || a.at - b.at;
}

function refresh() {
  const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const want = byId("outcome").value, tag = byId("tag").value, code = byId("code").value, change = byId("change").value;
  shown = rows.filter((r) => (!want || r.outcome === want) && (!tag || r.tags.includes(tag)) && (!code || r.codes.has(code)) && (!change || r.change === change) && words.every((w) => haystack(r).includes(w)));
  if (sortBy) shown.sort(order);
  for (const col of columns) {
    if (col === sortBy) col.head.setAttribute("aria-sort", descending ? "descending" : "ascending"); else col.head.removeAttribute("aria-sort");
    col.head.firstChild.textContent = col.name + (col === sortBy ? (descending ? " ▼" : " ▲") : "");
  }
  page = 0;
  draw();
}

function draw() {
  const pages = Math.max(1, Math.ceil(shown.length / perPage));
  page = Math.min(Math.max(page, 0), pages - 1);
  const body = document.createDocumentFragment();
  for (const r of shown.slice(page * perPage, (page + 1) * perPage)) {
    const tr = make("tr", { class: "case" });
    for (const col of columns) {
      const td = make("td", { class: col.number ? "number" : "" });
      col.cell(r, td);
      tr.append(td);
    }
    r.tr = tr;
    body.append(tr);
    if (open.has(r)) body.append(detailRow(r));
  }
  byId("rows").replaceChildren(body);
  byId("count").textContent = shown.length === rows.length ? rows.length + " cases" : shown.length + " of " + rows.length + " cases";
  byId("page").textContent = "page " + (page + 1) + " of " + pages;
  byId("previous").disabled = page === 0;
  byId("next").disabled = page === pages - 1;
}

function toggle(r) {
  if (open.has(r)) { open.delete(r); r.tr.nextSibling.remove(); } else { open.add(r); r.tr.after(detailRow(r)); }
  r.tr.querySelector(".open").setAttribute("aria-expanded", String(open.has(r)));
}

function detailRow(r) {
  const td = make("td", { colspan: String(columns.length) });
  if (r.then) td.append(make("p", { class: "dim", text: "In the earlier run: " + (r.then.code || (r.then.status !== "complete" ? r.then.status : known(r.then.score) ? "score " + number(r.then.score) : "no score")) }));
  if (r.trials.length === 1 && !(r.c.trials && r.c.trials.length)) {
    describe(td, r.c, r.first);
  } else {
    describeShort(td, r.c);
    td.append(make("h3", { text: "Trials" }));
    r.trials.forEach((t, i) => td.append(lazy("trial " + (t.trial || i + 1) + ": " + outcomes[outcome(t)] + ", " + (codeOf(t) || "score " + number(t.score)) + ", " + seconds(t.timing.total), (into) => describe(into, t, r.first + i))));
  }
  return make("tr", { class: "detail" }, td);
}

// lazy fills itself when it is opened first.
function lazy(title, fill) {
  const d = make("details", {}, make("summary", { text: title }));
  d.addEventListener("toggle", () => { if (d.open && d.childNodes.length === 1) fill(d); });
  return d;
}

function list(into, pairs) {
  const dl = make("dl");
  for (const [k, v] of pairs) if (known(v) && v !== "") dl.append(make("dt", { text: k }), make("dd", { text: String(v) }));
  if (dl.childNodes.length) into.append(dl);
}

function describeShort(into, c) {
  faultOf(into, c.error);
  scoresOf(into, c.scores);
  list(into, [["task", c.task.name], ["path", c.task.path], ["checksum", c.task.checksum]]);
}

function describe(into, c, index) {
  faultOf(into, c.error);
  scoresOf(into, c.scores);
  if ((c.warnings || []).length) {
    into.append(make("h3", { text: "Warnings" }));
    list(into, c.warnings.map((w) => [w.code, w.message]));
  }
  for (const s of c.steps || []) {
    into.append(make("h3", { text: "Step " + s.name + ": " + (s.error ? s.error.code : s.status !== "complete" ? s.status : known(s.score) ? number(s.score) : "no score") }));
    faultOf(into, s.error);
    scoresOf(into, s.scores);
  }
  if ((c.tries || []).length) {
    into.append(make("h3", { text: "Earlier tries" }));
    list(into, c.tries.map((t) => [t.code + ", " + seconds(t.seconds), t.message]));
  }
  timingOf(into, c.timing);
  const tokens = c.result.tokens || {};
  list(into, [["agent's exit code", c.result.agent_exit], ["model seen", c.result.observed_model], ["tokens in", tokens.input], ["cached", tokens.cached], ["tokens out", tokens.output],
    ["cost", known(c.result.cost) ? "$" + c.result.cost : null], ["task", c.task.name], ["path", c.task.path], ["checksum", c.task.checksum], ["folder", c.artifacts.trial]]);
  filesOf(into, c);
  logsOf(into, index);
}

function faultOf(into, e) {
  if (!e) return;
  into.append(make("h3", { class: "incomplete", text: e.code + " in " + [e.phase, e.step, e.task_step].filter(Boolean).join(", ") }), make("pre", { text: e.message }));
  if (e.hint) into.append(make("p", { class: "reason", text: e.hint }));
  list(into, [["key", e.key], ["value", e.value], ["rule", e.rule], ["service", e.service], ["exit code", e.exit], ["ran", known(e.seconds) ? seconds(e.seconds) : null],
    ["limit", known(e.limit_seconds) ? seconds(e.limit_seconds) + " from " + (e.limit_source || "?") : null], ["files", (e.files || []).join(", ")]]);
  if ((e.last_lines || []).length) into.append(make("p", { class: "dim", text: "Last lines of output" }), make("pre", { text: e.last_lines.join("\n") }));
}

function scoresOf(into, scores) {
  if (!(scores || []).length) return;
  const body = make("tbody");
  for (const s of scores) {
    body.append(make("tr", {}, make("th", { scope: "row", text: s.name }), make("td", { class: "number", text: s.status === "not_applicable" ? "n/a" : number(s.value) }), make("td", { class: "dim", text: [s.kind, s.judge].filter(Boolean).join(", ") })));
    for (const k of s.criteria || []) {
      const why = make("td", { class: "reason", text: k.reasoning || "" });
      if (k.error) why.append(make("div", { class: "incomplete", text: k.error }));
      body.append(make("tr", {}, make("td", { text: "· " + k.name }), make("td", { class: "number", text: number(k.value) }), why));
    }
  }
  into.append(make("h3", { text: "Scores" }), make("table", {}, make("thead", {}, make("tr", {}, make("th", { scope: "col", text: "Dimension, criteria" }), make("th", { scope: "col", class: "number", text: "Value" }), make("th", { scope: "col", text: "Reason" }))), body));
}

function timingOf(into, t) {
  const body = make("tbody");
  for (const p of ["build", "agent_setup", "start", "prepare", "agent", "verifier", "collect", "teardown", "total"]) {
    if (!known(t[p])) continue;
    const meter = make("span", { class: "meter", "aria-hidden": "true" });
    meter.style.width = (t.total > 0 ? Math.min(1, Math.max(0, t[p] / t.total)) * 15 : 0) + "rem";
    body.append(make("tr", {}, make("th", { scope: "row", text: p }), make("td", { class: "number", text: seconds(t[p]) }), make("td", {}, meter)));
  }
  into.append(lazy("Time: " + seconds(t.total) + (known(t.agent) ? ", the agent " + seconds(t.agent) : ""), (d) => d.append(make("table", {}, body))));
}

// address is a path below the run's folder; whatever it holds, it cannot lead to another place.
function address(path) {
  return "./" + String(path).split("/").filter((p) => p && p !== "." && p !== "..").map(encodeURIComponent).join("/");
}

function filesOf(into, c) {
  const a = c.artifacts;
  if (!data.links || !a.trial) return;
  const names = [a.trial + "/trial.json", a.logs, a.rewards, a.details, a.trajectory, a.grade].filter(Boolean);
  const steps = c.steps && c.steps.length ? c.steps.map((s) => "steps/" + s.name + "/") : [""];
  for (const s of steps) for (const f of ["agent/stdout.log", "agent/stderr.log", "verifier/test-stdout.txt", "verifier/test-stderr.txt"]) names.push(a.trial + "/" + s + f);
  into.append(lazy("Files", (d) => { for (const n of names) d.append(make("div", {}, make("a", { href: address(n), text: n }))); }));
}

function logsOf(into, index) {
  const e = byId("log-" + index);
  if (!e && document.readyState === "loading") { // the logs stand at the end of the page, and may still be on their way
    document.addEventListener("DOMContentLoaded", () => logsOf(into, index), { once: true });
    return;
  }
  if (!e) {
    if (byId("logs-cut") && outcome(trialOf(index)) !== "passed") into.append(make("p", { class: "dim", text: "The logs of this trial are left out, since the page would be too large." }));
    return;
  }
  for (const part of JSON.parse(e.textContent)) {
    into.append(lazy(part.name + ", " + bytes(part.size), (d) => {
      d.append(make("pre", { text: part.head, tabindex: "0" }));
      if (part.cut) d.append(make("div", { class: "cut", text: "… " + bytes(part.cut) + " left out …" }), make("pre", { text: part.tail, tabindex: "0" }));
    }));
  }
}
const trialOf = (index) => trialRow[index].trials[index - trialRow[index].first];

// The filters.
function fillSelect(id, first, values) {
  const s = byId(id);
  s.append(make("option", { value: "", text: first }));
  for (const [value, text] of values) s.append(make("option", { value, text }));
  s.addEventListener("change", refresh);
}

function tally(of) {
  const n = new Map();
  for (const r of rows) for (const v of of(r)) n.set(v, (n.get(v) || 0) + 1);
  return [...n].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 500).map(([v, k]) => [v, v + " (" + k + ")"]);
}

function filters() {
  fillSelect("outcome", "all", Object.entries(outcomes));
  fillSelect("tag", "all", tally((r) => new Set(r.tags)));
  fillSelect("code", "all", tally((r) => r.codes));
  fillSelect("change", "all", against ? [["better", "better"], ["worse", "worse"], ["status", "other outcome"], ["new", "new"], ["same", "same"]] : []);
  byId("change-label").hidden = !against;
  byId("search").addEventListener("input", refresh);
  byId("filters").addEventListener("submit", (e) => e.preventDefault());
  byId("filters").addEventListener("reset", () => setTimeout(refresh));
  byId("previous").addEventListener("click", () => { page--; draw(); });
  byId("next").addEventListener("click", () => { page++; draw(); });
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const field = e.target.closest && e.target.closest("input, select, textarea");
    if (e.key === "/" && !field) { e.preventDefault(); byId("search").focus(); return; }
    if (e.target.className !== "open" || e.key !== "ArrowDown" && e.key !== "ArrowUp") return;
    const all = [...document.querySelectorAll("#rows .open")], to = all[all.indexOf(e.target) + (e.key === "ArrowDown" ? 1 : -1)];
    if (to) { e.preventDefault(); to.focus(); }
  });
}

function reveal(r) {
  byId("filters").reset();
  refresh();
  page = Math.floor(shown.indexOf(r) / perPage);
  open.add(r);
  draw();
  r.tr.scrollIntoView({ block: "center" });
  r.tr.querySelector(".open").focus({ preventScroll: true });
}

// The timeline: a canvas as wide as the view, drawn anew when it is scrolled.
const colours = ["#8a6d3b", "#7a5fb0", "#3f7fbf", "#5f9ea0", "#2e8b57", "#c77b1f", "#708090", "#b05070", "#999999"];
function timeline() {
  const t = data.timeline, box = byId("timeline");
  if (!t) return;
  box.hidden = false;
  const scroll = byId("time-scroll"), space = byId("time-space"), canvas = byId("time-canvas"), note = byId("time-note");
  const lane = Math.max(3, Math.min(16, Math.floor(600 / t.lanes)));
  let started = false, due = false;
  const zoom = () => Math.pow(200, byId("zoom").value / 100);
  function paint() {
    due = false;
    const width = scroll.clientWidth, height = t.lanes * lane + 20, ratio = window.devicePixelRatio || 1;
    const scale = width * zoom() / (t.total || 1), left = scroll.scrollLeft / scale, right = left + width / scale;
    space.style.width = width * zoom() + "px";
    canvas.width = width * ratio; canvas.height = height * ratio;
    canvas.style.width = width + "px"; canvas.style.height = height + "px";
    const g = canvas.getContext("2d");
    g.scale(ratio, ratio);
    for (const b of t.bars) {
      if (b.end < left || b.start > right) continue;
      const y = b.lane * lane;
      g.fillStyle = "#8885";
      g.fillRect((b.start - left) * scale, y, Math.max(1, (b.end - b.start) * scale), lane - 1);
      for (const [p, s, e] of b.parts) {
        g.fillStyle = colours[p];
        g.fillRect((s - left) * scale, y, Math.max(0.5, (e - s) * scale), lane - 1);
      }
      if (outcome(trialOf(b.trial)) === "incomplete") { g.fillStyle = "#d22"; g.fillRect((b.end - left) * scale - 2, y, 2, lane - 1); }
    }
    g.fillStyle = getComputedStyle(document.body).color;
    g.font = "11px system-ui, sans-serif";
    for (let i = 0; i < 6; i++) g.fillText(seconds(left + (right - left) * i / 6), width * i / 6 + 2, height - 5);
  }
  const ask = () => { if (!due) { due = true; requestAnimationFrame(paint); } };
  function under(e) {
    const r = canvas.getBoundingClientRect(), at = (e.clientX - r.left + scroll.scrollLeft) / (scroll.clientWidth * zoom()) * t.total, row = Math.floor((e.clientY - r.top) / lane);
    return t.bars.find((b) => b.lane === row && b.start <= at && at <= b.end);
  }
  box.addEventListener("toggle", () => {
    if (!box.open) return;
    if (!started) {
      started = true;
      t.phases.forEach((p, i) => { const k = make("span", { class: "key" }); k.style.background = colours[i]; byId("legend").append(k, p); });
      note.textContent = t.bars.length + " trials, at most " + t.lanes + " at a time, " + seconds(t.total) + ". A red end marks an incomplete trial.";
      scroll.addEventListener("scroll", ask);
      byId("zoom").addEventListener("input", ask);
      window.addEventListener("resize", ask);
      canvas.addEventListener("mousemove", (e) => {
        const b = under(e);
        if (b) { const c = trialOf(b.trial); note.textContent = c.id + (c.trial ? " [trial " + c.trial + "]" : "") + ": " + b.parts.map(([p, s, x]) => t.phases[p] + " " + seconds(x - s)).join(", "); }
      });
      canvas.addEventListener("click", (e) => { const b = under(e); if (b) reveal(trialRow[b.trial]); });
    }
    ask();
  });
}

headline();
heads();
filters();
refresh();
timeline();
document.documentElement.dataset.ready = String(Math.round(performance.now()));
})();
