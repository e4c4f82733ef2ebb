"use strict";
// The what-if page. page.html says what stands where, worker.js is the other side of the messages.

/** What the page knows without simulating: metrics, budgets, controls. */
const page = JSON.parse(document.getElementById("page").textContent);
/** The base: the number of the step of each control. */
const atBase = page.controls.map((control) => control.base);
/** The same of what is asked for. */
let state = atBase;
/** The answer that is shown as the candidate; none for the base. */
let shown = null;
/** What runs replications; none before this browser has shown that it computes the same. */
let lab = null;
/** The base's image and the bytes of all patches. */
let bytes = null;
/** The timer of a move that is not acted on yet. */
let moving = 0;
/** Complete answers by state, the newest last. */
const answers = new Map();

// ---- Elements
const at = (id) => document.getElementById(id);
const on = (id, event, action) => at(id).addEventListener(event, action);

/** Gives a new element attributes and children: elements, text or nothing. */
const maker = (create) => (tag, attributes = {}, ...children) => {
  const element = create(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children.filter(Boolean));
  return element;
};
const make = maker((tag) => document.createElement(tag));
const draw = maker((tag) => document.createElementNS("http://www.w3.org/2000/svg", tag));

/** Puts words into a select, each with its place as the value. */
const offer = (id, words) =>
  at(id).append(...words.map((word, value) => make("option", { value }, word)));

/** Shows a text, or hides its element when there is none. */
const say = (id, text) => Object.assign(at(id), { textContent: text, hidden: text === "" });

/** Things by their group, in the order in which groups come first. */
const grouped = (things) => [...new Set(things.map((thing) => thing.group))].map((group) =>
  [group, things.filter((thing) => thing.group === group)]);

// ---- Numbers as in the reports
const formats = [0, 1, 2, 3].map((places) => new Intl.NumberFormat("en-US",
  { minimumFractionDigits: places, maximumFractionDigits: places }));
const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

/** A number with so many decimals; a rounded zero has no sign. */
const decimal = (value, places = 0) => formats[places].format(value).replace(/^-([0.]+)$/, "$1");

/** A value and its interval as texts: two digits of the interval, or three of the value. */
function figures(unit, value, lower, upper, sign = "") {
  if (!isNumber(value)) return { value: "no data", interval: "" };
  const scale = unit === "ratio" ? 100 : 1;
  const hasInterval = isNumber(lower) && isNumber(upper);
  const spread = hasInterval ? (scale * (upper - lower)) / 2 : 0;
  const size = Math.floor(Math.log10(spread > 0 ? spread : Math.abs(value * scale) || 100));
  const places = Math.max(0, Math.min(unit === "ratio" ? 3 : 2, (spread > 0 ? 1 : 2) - size));
  const text = (number) => (number > 0 ? sign : "") + decimal(number * scale, places);
  const suffix = { ms: " ms", ratio: sign ? " points" : " %", number: "" }[unit];
  const interval = hasInterval ? `[${text(lower)}, ${text(upper)}]` : "";
  return { value: text(value) + suffix, interval };
}

/** An estimate of a metric as texts. */
function estimateText({ unit }, { value, lower, upper, isLowerBound }) {
  const text = figures(unit, value, lower, upper);
  return { ...text, value: (isLowerBound ? "≥ " : "") + text.value };
}

// ---- Answers
const signs = { pass: "✓", fail: "✗", inconclusive: "?", invalid: "!", "not-run": "–" };
const verdicts = Object.keys(signs);
const reasons = ["", "no replication was run", "too few samples", "too many views never started",
  "one replication has no interval", "too few events to say, and none is not zero",
  "the interval is too wide for the limit"];
const outcomes = [["worse", "✗", "fail"], ["better", "✓", "pass"],
  ["equivalent", "=", "not-run"], ["not sure", "?", "inconclusive"], ["no data", "–", "not-run"]];

/** Reads the module's numbers one by one; a list begins with its length where none is given. */
function reader(buffer) {
  const numbers = new Float64Array(buffer).values();
  const next = () => numbers.next().value;
  return { next, list: (read, length = next()) => Array.from({ length }, read) };
}

/** An answer of the judging worker, taken apart as WhatIfAnswer.swift says; null for none. */
function readAnswer(buffer) {
  const { next, list } = reader(buffer);
  const [replications, metrics, budgets, points, costs] = list(next, 5);
  if (metrics !== page.metrics.length || budgets !== page.budgets.length) return null;
  return { replications, metrics: list(() => {
    const [value, lower, upper, , , isLowerBound, ...rest] = list(next, 14);
    const [difference, low, high, , , , , outcome] = rest;
    return { value, lower, upper, isLowerBound, difference, low, high, outcome };
  }, metrics), budgets: list(() => {
    const [verdict, reason] = list(next, 3);
    return { verdict: verdicts[verdict] ?? "invalid", reason: reasons[reason] ?? "" };
  }, budgets), curve: list(() => list(next, 2), points), cost: list(next, 14 * costs) };
}

/** Keeps something as the newest, and forgets the oldest of more than so many. */
function keep(things, most, key, thing) {
  things.delete(key);
  things.set(key, thing);
  if (things.size > most) things.delete(things.keys().next().value);
  return thing;
}

// ---- States
/** The controls that are not at the base, with the texts of their steps. */
const moved = (steps) => page.controls.flatMap((control, index) =>
  (steps[index] === control.base ? [] : [[control, control.steps[steps[index]].text]]));
const isBase = (steps) => moved(steps).length === 0;

/** The image of a state, or the two controls whose patches cannot be put together. */
function assemble(steps) {
  const conflict = page.conflicts.find((pair) =>
    pair.every((index) => steps[index] !== page.controls[index].base));
  if (conflict) return { conflict };
  const patches = steps.flatMap((step, index) =>
    page.controls[index].steps[step].patch.map((patch) => [index, ...patch]));
  patches.sort((a, b) => a[1] - b[1] || a[2] - b[2]);
  const parts = [];
  let [from, last, before] = [0, -1, 0];
  for (const [index, offset, removed, place, count] of patches) {
    const meets = offset < from || (offset === from && !(removed && before));
    if (last >= 0 && index !== last && meets) return { conflict: [last, index] };
    parts.push(bytes.image.subarray(from, offset), bytes.patches.subarray(place, place + count));
    [from, last, before] = [offset + removed, index, removed];
  }
  parts.push(bytes.image.subarray(from));
  const image = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  parts.reduce((to, part) => (image.set(part, to), to + part.length), 0);
  return { image };
}

/** A word that a POSIX shell reads back. */
const quoted = (word) =>
  (/^[\w\-./,:=%+@]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'");

/** The command that runs a state natively. */
const command = (steps) => ["firstframe run", quoted(page.file), ...page.arguments,
  ...moved(steps).map(([{ key }, text]) => `--set ${quoted(`${key}=${text}`)}`)].join(" ");

/** A state as the end of the page's address; nothing for the base. */
const address = (steps) => (isBase(steps) ? "" : "#1" + moved(steps).map(([{ key }, text]) =>
  `&${encodeURIComponent(key)}=${encodeURIComponent(text)}`).join(""));

/** The state of an address' end, and whether all of it is understood. Never throws. */
function readAddress(text) {
  const steps = [...atBase];
  const isKnown = /^#1(&|$)/.test(text) && text.length <= 10000;
  let isWhole = isKnown || text.length <= 1;
  for (const [key, value] of new URLSearchParams(isKnown ? text.slice(2) : "")) {
    const index = page.controls.findIndex((control) => control.key === key);
    const step = page.controls[index]?.steps.findIndex((step) => step.text === value) ?? -1;
    if (step >= 0) steps[index] = step;
    isWhole &&= step >= 0;
  }
  return { steps, isWhole };
}

// ---- Simulating
/**
 * Workers that run the replications of one job at a time, and one that judges them. A job has an
 * image, how many replications are wanted, and `show` and `fail` for what comes of it; or the next
 * replication alone, perhaps a session to write down, and `see` for what comes.
 */
class Laboratory {
  constructor(source, given, count) {
    Object.assign(this, { source, given, job: null, number: 0, idle() {} });
    this.slots = Array.from({ length: count }, () => this.hire({}));
    this.judge = this.hire({});
  }

  /** Gives a place a new worker. */
  hire(slot) {
    slot.worker?.terminate();
    const worker = new Worker(this.source);
    worker.postMessage(this.given);
    worker.onmessage = ({ data }) => slot.worker === worker && this.came(slot, data);
    worker.onerror = ({ message }) => slot.worker === worker && this.came(slot, { job: slot.job,
      isBroken: slot.job !== 0, error: message || "a worker does not start" });
    return Object.assign(slot, { worker, job: 0, holds: 0, since: 0 });
  }

  /** Begins a job; what ran before is left. */
  run(job) {
    this.number += 1;
    this.job = { next: 0, ...job, number: this.number, waiting: [], count: 0, judged: -1000 };
    this.sweep();
  }

  stop() {
    this.job = null;
    this.sweep();
  }

  /** Replaces workers that have long been busy with a job that was left. */
  sweep() {
    clearTimeout(this.sweeping);
    const left = this.slots.filter(({ job }) => job && job !== this.job?.number);
    for (const slot of left) if (performance.now() - slot.since > 300) this.hire(slot);
    if (left.some(({ job }) => job)) this.sweeping = setTimeout(() => this.sweep(), 100);
    this.assign();
  }

  /** Gives replications to workers without one; the first of a job comes with the image. */
  assign() {
    const job = this.job;
    for (const slot of this.slots) {
      if (!job || job.next >= job.wanted) return;
      if (slot.job) continue;
      slot.worker.postMessage({ job: job.number, isBase: job.isBase, session: job.session,
        replication: job.next, image: slot.holds === job.number ? null : job.image });
      Object.assign(slot, { job: job.number, holds: job.number, since: performance.now() });
      job.next += 1;
    }
  }

  /** Takes what a worker has to say; what belongs to a job that was left is dropped. */
  came(slot, { job: number, error, isBroken, sample, answer }) {
    const job = this.job;
    slot.job = 0;
    if (isBroken) this.hire(slot);
    if (number === job?.number) {
      if (sample) job.count += 1, job.waiting.push(sample);
      const read = answer && readAnswer(answer);
      if (error || (answer && !read)) this.end(() => job.fail(error ?? "the answer is not read"));
      else if (job.see) this.end(() => job.see(sample));
      else if (read?.replications >= job.wanted) this.end(() => job.show(read, true));
      else if (read) job.show(read, false);
    }
    this.ask();
    this.assign();
  }

  /** Has the samples judged that wait, from the second on, at most four times a second. */
  ask() {
    const job = this.job;
    if (!job || this.judge.job || job.waiting.length === 0) return;
    if (job.count < Math.min(2, job.wanted)) return;
    if (job.count < job.wanted && performance.now() < job.judged + 250) return;
    job.judged = performance.now();
    this.judge.job = job.number;
    this.judge.worker.postMessage({ job: job.number, samples: job.waiting }, job.waiting);
    job.waiting = [];
  }

  /** Ends the job with a last word. */
  end(last) {
    this.stop();
    last();
    if (!this.job) this.idle();
  }
}

// ---- Acting on a move
/** Takes a state over: in the controls at once, in the numbers when nothing moves for a while. */
function move(steps) {
  state = steps;
  showControls();
  clearTimeout(moving);
  moving = setTimeout(settle, 150);
  lab?.stop();
}

/** Shows what belongs to the state, or begins to simulate it. */
function settle() {
  moving = 0;
  const end = address(state);
  try {
    if (end !== location.hash) history.replaceState(null, "", end || location.pathname);
  } catch { /* A browser may forbid this for files; the page works without. */ }
  if (!lab) return;
  const key = state.join();
  const { image, conflict } = assemble(state);
  lab.stop();
  at("results").classList.add("old");
  if (isBase(state)) show(null, true);
  else if (answers.has(key)) show(keep(answers, 50, key, answers.get(key)), true);
  else if (conflict) {
    const names = conflict.map((index) => page.controls[index].words).join("” and “");
    progress(`“${names}” cannot be put together here: the command below runs them.`, true);
  } else {
    progress("Simulating.");
    lab.run({ image, isBase: false, wanted: page.replications,
      show: (answer, isLast) => show(isLast ? keep(answers, 50, key, answer) : answer, isLast),
      fail: (reason) => progress(`No numbers for this state: ${reason}.`, true) });
  }
  if (viewer) showViewer();
  proceed();
}

/** Does what is to be done beside the state's numbers: the viewer first, then the map. */
function proceed() {
  if (!moving && lab && !lab.job && !continueViewer() && map?.isRunning) continueMap();
}

/** Says how far the simulation is; what is final is also read out. */
function progress(text, isFinal = false) {
  const isOld = at("results").classList.contains("old");
  at("progress").textContent = text + (isOld ? " The numbers are those of the state before." : "");
  if (isFinal) at("said").textContent = `${text} ${isOld ? "" : at("verdicts").textContent}`;
}

/** Shows an answer, or the base without one. */
function show(answer, isLast) {
  shown = answer;
  at("results").classList.remove("old");
  showTables();
  showCharts();
  showCost();
  if (!answer) return progress(`${page.replications} replications of the command line, of `
    + `${decimal(page.viewsPerReplication)} views each.`, true);
  const count = `${answer.replications} of ${page.replications} replications.`;
  progress(isLast ? count : `Provisional: ${count}`, isLast);
}

// ---- Controls
/** Makes the controls by group; on a narrow screen only the first group is unfolded. */
function makeControls() {
  const isWide = matchMedia("(min-width:60rem)").matches;
  at("groups").append(...grouped(page.controls).map(([group, controls], index) => Object.assign(
    make("details", { class: "group" }, make("summary", {}, group), ...controls.map(makeControl)),
    { open: isWide || index === 0 })));
}

function makeControl(control) {
  const index = page.controls.indexOf(control);
  const id = `control-${index}`;
  const input = make("input", { id, type: "range", min: 0, max: control.steps.length - 1,
    list: `${id}-base`, autocomplete: "off" });
  const reset = make("button", { type: "button",
    "aria-label": `Reset ${control.words} to the base` }, "Reset");
  input.addEventListener("input", () => move(state.with(index, Number(input.value))));
  reset.addEventListener("click", () => (move(state.with(index, control.base)), input.focus()));
  const output = make("output", { for: id, "aria-live": "off" });
  control.parts = { input, reset, output };
  return make("div", { class: "control" },
    make("label", { for: id }, control.words, " ", make("code", {}, control.key)), input,
    make("datalist", { id: `${id}-base` }, make("option", { value: control.base })),
    make("div", {}, output, reset));
}

/** Shows the state in the controls, above the results, in the map and as a command. */
function showControls() {
  page.controls.forEach((control, index) => {
    const { input, output, reset } = control.parts;
    const isMoved = state[index] !== control.base;
    const { text } = control.steps[state[index]];
    input.value = state[index];
    input.setAttribute("aria-valuetext", text + (isMoved ? "" : ", the base"));
    output.replaceChildren(text, " ",
      make("small", {}, isMoved ? `base: ${control.steps[control.base].text}` : "base"));
    reset.hidden = !isMoved;
    input.parentElement.classList.toggle("moved", isMoved);
    if (isMoved) input.closest("details").open = true;
  });
  const changes = inWords(state);
  at("where").textContent = changes ? `Candidate: ${changes}` : "Base: no control is moved";
  at("command").textContent = command(state);
  at("copied").textContent = "";
  if (map) paintMap();
}

/** The moved controls of a state in words, three at most; nothing for the base. */
function inWords(steps) {
  const words = moved(steps).map(([control, text]) =>
    `${control.words} ${text} (base ${control.steps[control.base].text})`);
  if (words.length > 3) words.splice(3, words.length, `${words.length - 3} more`);
  return words.join(", ");
}

/** Copies the command; selects it where that is forbidden. */
async function copy() {
  const isCopied = await navigator.clipboard?.writeText(at("command").textContent)
    .then(() => true, () => false);
  if (!isCopied) getSelection().selectAllChildren(at("command"));
  at("copied").textContent = isCopied ? "Copied." : "Selected: copy it with your keyboard.";
}

// ---- Tables
/** A sign and a word, so that colour never says it alone. */
const mark = (sign, word, style) => make("span", { class: `verdict ${style}` },
  make("span", { "aria-hidden": "true" }, sign + " "), word);

/** A cell of an estimate, with its verdict when it has one. */
function estimateCell(role, metric, estimate, judged) {
  if (!estimate) return make("td", { class: `n ${role}` }, "–");
  const { value, interval } = estimateText(metric, estimate);
  const { verdict, reason } = judged ?? {};
  return make("td", { class: `n ${role}` }, value, make("small", {}, interval),
    verdict ? mark(signs[verdict], verdict.replace("-", " "), verdict) : null,
    reason ? make("small", { class: "why" }, reason) : null);
}

/** Cells of the paired difference and what it comes to. */
function differenceCells(metric, estimate) {
  const text = figures(metric.unit, estimate.difference, estimate.low, estimate.high, "+");
  const [word, sign, style] = outcomes[estimate.outcome] ?? outcomes[4];
  return [
    make("td", { class: "n candidate" }, text.value, make("small", {}, text.interval)),
    make("td", { class: "candidate" }, mark(sign, word, style)),
  ];
}

/** A row of a metric; of a budget with its number. */
function metricRow(index, number) {
  const [metric, budget] = [page.metrics[index], page.budgets[number]];
  const estimate = shown?.metrics[index];
  const limit = budget && make("td", {}, budget.limit.replaceAll(" ", "\u00a0"),
    budget.level === "soft" ? make("small", {}, "soft") : null);
  return make("tr", {}, make("th", { scope: "row" }, metric.words, make("small", {},
    make("code", {}, metric.name.replace(/\.ratio$/, "")))), limit,
    estimateCell("base", metric, metric.base, budget?.base),
    estimateCell("candidate", metric, estimate, budget && shown?.budgets[number]),
    ...(estimate ? differenceCells(metric, estimate) : [estimateCell("candidate"), make("td")]));
}

/** The tables but for that of all metrics, and how the hard budgets stand. */
function showTables() {
  at("budgets").replaceChildren(...page.budgets.map(({ metric }, number) =>
    metricRow(metric, number)));
  at("headline").replaceChildren(...page.headline.map((index) => metricRow(index)));
  at("verdicts").textContent = `Hard budgets: base ${count((budget) => budget.base.verdict)}`
    + (shown ? `; candidate ${count((_, index) => shown.budgets[index].verdict)}.` : ".");
  showAllMetrics();
}

/** All metrics by group; only while the table is unfolded. */
function showAllMetrics() {
  at("metrics").replaceChildren(...(!at("all").open ? [] : grouped(page.metrics))
    .flatMap(([group, metrics]) => [
      make("tr", {}, make("th", { colspan: 5, scope: "rowgroup" }, group)),
      ...metrics.map((metric) => metricRow(page.metrics.indexOf(metric)))]));
}

/** What a month and a million views of it cost, where prices are given. */
function showCost() {
  at("cost-section").hidden = !page.cost;
  if (!page.cost) return;
  const { currency, prices, asOf, region, base } = page.cost;
  const cell = (role, values, sign) => {
    const { value, interval } = figures("number", ...values, sign);
    return make("td", { class: `n ${role}` }, value, make("small", {}, interval));
  };
  const row = (words, { value, lower, upper }, from) => make("tr", {},
    make("th", { scope: "row" }, `${words}, ${currency}`), cell("base", [value, lower, upper]),
    ...[0, 3].map((more) => (shown
      ? cell("candidate", shown.cost.slice(from + more, from + more + 3), more ? "+" : "")
      : make("td", { class: "n" }, "–"))));
  at("cost").replaceChildren(
    row("A month", base.month, 0), row("A million views", base.perMillion, 6));
  const views = [base.viewsPerDay, ...(shown?.cost.slice(12, 13) ?? [])].map((v) => decimal(v));
  at("cost-says").textContent = `Prices of ${prices} (${asOf}), ${region}, for `
    + `${[...new Set(views)].join(" (base) and ")} views a day, 30 days a month.`;
}

/** How many hard budgets have each verdict. */
function count(verdictOf) {
  const number = (verdict) => page.budgets.filter((budget, index) =>
    budget.level === "hard" && verdictOf(budget, index) === verdict).length;
  return verdicts.filter(number).map((verdict) =>
    `${number(verdict)} ${signs[verdict]} ${verdict.replace("-", " ")}`).join(", ") || "none";
}

// ---- Charts
const label = (x, y, text, anchor = "start", style = "") =>
  draw("text", { x, y, "text-anchor": anchor, class: style }, text);
const line = (style, x1, y1, x2, y2) => draw("line", { class: style, x1, y1, x2, y2 });

/** Where a logarithmic axis has its strokes: 1, 2, 5, 10, over more 1, 3, 10, or powers of ten. */
const ticks = (low, high) => [0.1, 1, 10, 100, 1e3, 1e4, 1e5, 1e6].flatMap((power) =>
  (high / low > 2000 ? [1] : high / low > 50 ? [1, 3] : [1, 2, 5]).map((each) => each * power))
  .filter((value) => value >= low && value <= high);

/** The share of views that have started by a time, of the base and of the candidate. */
function curve() {
  const lines = [["base", page.curve.base], ["candidate", shown?.curve ?? []]]
    .map(([name, points]) => [name, points.filter(([x, y]) => x > 0 && isNumber(y))])
    .filter(([, points]) => points.length > 0);
  const times = lines.flatMap(([, points]) => points.map(([time]) => time));
  if (times.length === 0) return "no data";
  const [low, high] = [Math.min(...times), Math.max(Math.min(...times) * 2, ...times)];
  const [left, right, bottom] = [44, 408, 210];
  const x = (time) => left + ((right - left) * Math.log(time / low)) / Math.log(high / low);
  const y = (share) => bottom - 200 * share;
  const shapes = [0, 0.25, 0.5, 0.75, 1].flatMap((share) => [
    line(share ? "grid" : "axis", left, y(share), right, y(share)),
    label(left - 5, y(share) + 4, `${share * 100} %`, "end", "faint")]);
  shapes.push(...ticks(low, high).flatMap((time) => [
    line("axis", x(time), bottom, x(time), bottom + 5),
    label(x(time), bottom + 18, decimal(time, time < 1 ? 1 : 0), "middle", "faint")]));
  shapes.push(label(226, 246, "ms to the first frame (logarithmic)", "middle", "faint"));
  lines.forEach(([name, points], index) => {
    const path = points.map(([time, share]) => `${x(time).toFixed(1)},${y(share).toFixed(1)}`);
    shapes.push(draw("polyline", { class: `line ${name}`, points: path.join(" ") }),
      line(`line ${name}`, right - 110, 176 + 18 * index, right - 80, 176 + 18 * index),
      label(right - 74, 180 + 18 * index, name));
  });
  const by = (points, share) => points.filter((point) => point[1] >= share)
    .map(([time]) => `by ${decimal(time)} ms`)[0] ?? "never";
  const words = lines.map(([name, points]) =>
    `${name} half ${by(points, 0.5)}, 95 % ${by(points, 0.95)}`).join("; ");
  at("curve-says").textContent = `Share of the started views with their first frame: ${words}.`;
  return draw("svg", { viewBox: "0 0 420 252", role: "img",
    "aria-label": at("curve-says").textContent }, ...shapes);
}

/** Shapes in a thousand steps from left to right, as wide as there is room. */
const lane = (shapes) => draw("svg",
  { viewBox: "0 0 1000 10", preserveAspectRatio: "none", "aria-hidden": true }, ...shapes);
const box = (style, x, long) => draw("rect", { class: style, x, width: long, height: 10 });

/** Bars of the base (outlined) and the candidate (filled) of metrics with one scale. */
function bars(rows, most) {
  const estimates = rows.map(({ metric }) => [["base", page.metrics[metric].base],
    ...(shown ? [["candidate", shown.metrics[metric]]] : [])]);
  const end = Math.max(most, ...estimates.flat().map(([, { value }]) => value || 0)) || 1;
  return rows.map(({ name, metric }, index) => make("p", {}, name,
    ...estimates[index].map(([role, estimate]) => make("span", { class: "bar" },
      lane([box(`area ${role}`, 0, (1000 * (estimate.value || 0)) / end)]),
      `${role} ${estimateText(page.metrics[metric], estimate).value}`))));
}

function showCharts() {
  at("curve").replaceChildren(curve());
  at("breakdown").replaceChildren(...bars(page.breakdown.filter(({ metric }) =>
    page.metrics[metric].base.value || shown?.metrics[metric].value), 0));
  at("tiers").replaceChildren(...bars(page.tiers.map((metric) =>
    ({ name: page.metrics[metric].words, metric })), 1));
}

// ---- Map of two controls
/** The map: its cells row by row, how many are in a row, and whether it goes on. */
let map = null;

function makeMap() {
  for (const id of ["map-x", "map-y"]) offer(id, page.controls.map(({ words }) => words));
  offer("map-metric", page.budgets.map(({ metric, limit }) =>
    `${page.metrics[metric].words} ${limit}`));
  at("map-y").selectedIndex = 1;
  at("map-section").hidden = page.budgets.length === 0 || page.controls.length < 2;
  on("map-metric", "change", () => map && paintMap());
  on("map-go", "click", () => (map?.isRunning ? endMap() : beginMap()));
  on("map", "keydown", walkMap);
}

/** Begins a map of the two chosen controls; the others are as they stand. */
function beginMap() {
  const [x, y] = [Number(at("map-x").value), Number(at("map-y").value)];
  const [across, down] = [page.controls[x], page.controls[y]];
  if (x === y) return say("map-says", "Choose two controls that differ.");
  const others = inWords(state.with(x, across.base).with(y, down.base));
  map = { isRunning: true, row: across.steps.length, cells: [], words:
    others ? `All cells have ${others}.` : "All other controls are at the base." };
  const heads = across.steps.map(({ text }) => make("th", { scope: "col" }, text));
  const rows = down.steps.map(({ text }, j) => make("tr", {}, make("th", { scope: "row" }, text),
    ...across.steps.map((step, i) => makeCell(
      `${across.words} ${step.text}, ${down.words} ${text}`, state.with(x, i).with(y, j)))));
  at("map").replaceChildren(make("tr", {}, make("th", {}, `${down.words} ↓ ${across.words} →`),
    ...heads), ...rows);
  at("map-scroll").hidden = at("map-key").hidden = false;
  at("map-go").textContent = "Stop";
  proceed();
}

/** A cell of the map; pressed, it sets the controls. */
function makeCell(words, steps) {
  const tabindex = map.cells.length === 0 ? 0 : -1;
  const button = make("button", { type: "button", tabindex }, make("span"));
  button.addEventListener("click", () => move(steps));
  map.cells.push({ words, steps, button, values: null, trouble: "" });
  return make("td", {}, button);
}

/** Goes from cell to cell by arrow keys. */
function walkMap(event) {
  const from = map.cells.findIndex(({ button }) => button === event.target);
  const way = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -map.row, ArrowDown: map.row }[event.key];
  const next = map.cells[from + way]?.button;
  if (!next) return;
  event.preventDefault();
  [event.target.tabIndex, next.tabIndex] = [-1, 0];
  next.focus();
}

/** Simulates the next cell, while nothing else is to be done. */
function continueMap() {
  const cell = map.cells.find(({ values, trouble }) => !values && !trouble);
  if (!cell) return endMap();
  paintMap();
  const { image, conflict } = assemble(cell.steps);
  if (conflict) return (cell.trouble = "to be run by the command line"), proceed();
  lab.run({ image, isBase: isBase(cell.steps), isAside: true,
    wanted: Math.min(2, page.replications), fail: (reason) => (cell.trouble = reason),
    show: ({ metrics }) =>
      (cell.values = page.budgets.map(({ metric }) => metrics[metric].value)) });
}

function endMap() {
  map.isRunning = false;
  if (lab?.job?.isAside) lab.stop();
  at("map-go").textContent = "Draw the map";
  paintMap();
  proceed();
}

/** Whether a value is on the wrong side of a budget's limit; null without a value. */
function misses({ comparison, number }, value) {
  if (!isNumber(value)) return null;
  const isBelow = /[<≤]/.test(comparison);
  return value === number ? /^[<>]$/.test(comparison) : isBelow !== value < number;
}

/** Paints every cell by the chosen metric, on a scale over what is known. */
function paintMap() {
  const budget = page.budgets[Number(at("map-metric").value)];
  const values = map.cells.map((cell) => cell.values?.[page.budgets.indexOf(budget)]);
  const known = values.filter(isNumber);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const missed = values.map((value) => misses(budget, value));
  const differ = (a, b) => missed[a] !== null && missed[a] === !(missed[b] ?? missed[a]);
  map.cells.forEach(({ button, words, steps, trouble }, index) => {
    const value = values[index];
    const text = value === undefined ? "" : figures(page.metrics[budget.metric].unit, value).value;
    const shade = Math.min(6, Math.floor((7 * (value - low)) / (high - low || 1)));
    button.firstChild.textContent = (missed[index] ? "✗ " : "") + (trouble ? "–" : text);
    button.className = isNumber(value) ? `h${shade}${missed[index] ? " missed" : ""}` : "";
    button.title = `${words}: ${trouble || text || "not simulated yet"}`
      + (missed[index] ? `, misses ${budget.limit}` : "");
    button.setAttribute("aria-label", button.title);
    button.setAttribute("aria-current", steps.join() === state.join());
    const isLast = (index + 1) % map.row === 0;
    button.parentElement.classList.toggle("right", !isLast && differ(index, index + 1));
    button.parentElement.classList.toggle("bottom", differ(index, index + map.row));
  });
  const done = map.cells.filter(({ values, trouble }) => values || trouble).length;
  say("map-says", `${done} of ${map.cells.length} cells. ${map.words}`);
}

// ---- One viewer
/** The session that is looked at, the place of its view, and the moment; none at first. */
let viewer = null;
/** Sessions by replication, number and state, the newest last. */
const sessions = new Map();

function makeViewer() {
  const known = page.viewers ?? [];
  offer("viewer-known", known.map(({ words }) => words));
  const look = (session) => {
    viewer = { ...session, place: null, moment: 0 };
    at("viewer-number").value = viewer.session;
    if (lab?.job?.isAside) lab.stop();
    showViewer();
    proceed();
  };
  const change = (changes) => (Object.assign(viewer, changes), showViewer());
  const step = (way) => change({ place: Math.max(0, viewer.place + way), moment: 0 });
  on("viewer-known", "change", ({ target }) => look(known[target.value]));
  on("viewer-number", "change", ({ target }) => {
    at("viewer-known").value = "";
    look({ replication: 0, session: Number(target.value) >>> 0 });
  });
  on("viewer-back", "click", () => step(-1));
  on("viewer-next", "click", () => step(1));
  on("viewer-steps", "keydown", ({ key }) => step({ ArrowLeft: -1, ArrowRight: 1 }[key] ?? 0));
  on("viewer-moment", "input", ({ target }) => change({ moment: viewer.times[target.value] }));
}

/** A session taken apart: WhatIfTimeline.swift has the order of its numbers. */
function readSession(buffer) {
  const { next, list } = reader(buffer);
  const word = (place, number) => page.timeline.words[place].replace(/#(\.#+)?/, (mark) =>
    (mark === "#" ? number : decimal(number, mark.length - 2)));
  const words = () => list(() => word(next(), next())).join("");
  const piece = () =>
    ({ kind: page.timeline.works[next()], from: next(), to: next(), words: words() });
  const row = () => ({ words: words(), pieces: list(piece) });
  return { near: next(), views: list(() => ({ name: words(), from: next(), to: next(),
    frame: next(), words: words(), rows: list(row),
    events: list(() => ({ time: next(), words: words() })) })) };
}

/** The base and the candidate, with the session there as far as it is known. */
const sides = () => (isBase(state) ? [atBase] : [atBase, state]).map((steps, index) => {
  const key = [viewer.replication, viewer.session, ...steps].join();
  return { title: ["Base", "Candidate"][index], steps, key, ...sessions.get(key) };
});

/** Simulates the next side that is not known; whether there was one. */
function continueViewer() {
  const side = viewer && sides().find(({ key }) => !sessions.has(key));
  if (!side) return false;
  const { image } = assemble(side.steps);
  const take = (session) => (keep(sessions, 6, side.key, session), showViewer());
  if (!image) return take({ trouble: "to be run by the command line" }), continueViewer();
  lab.run({ image, isBase: isBase(side.steps), isAside: true, session: viewer.session,
    next: viewer.replication, wanted: viewer.replication + 1,
    see: (numbers) => take(readSession(numbers)), fail: (trouble) => take({ trouble }) });
  return true;
}

/** Shows the view of both sides, on one axis and at one moment. */
function showViewer() {
  const all = sides();
  say("viewer-says", all.map(({ title, views, near, trouble }) => (views?.length ? ""
    : `${title}: ${trouble ?? (views ? `no such session; ${near} is near` : "simulating")}. `))
    .join(""));
  const there = all.filter(({ views }) => views?.length);
  at("viewer-shown").hidden = there.length === 0;
  if (there.length === 0) return;
  const names = [...new Set(there.flatMap(({ views }) => views.map(({ name }) => name)))];
  viewer.place ??= Math.max(0, names.indexOf(`item ${viewer.item}`));
  viewer.place = Math.min(viewer.place, names.length - 1);
  const name = names[viewer.place];
  const views = there.map((side) => side.views.find((view) => view.name === name));
  const known = views.filter(Boolean);
  const axis = [Math.min(...known.map(({ from }) => from)), Math.max(...known.map(({ to }) => to))];
  viewer.times = [...new Set(known.flatMap(({ events }) => events.map(({ time }) => time)))]
    .sort((a, b) => a - b).filter((time, index, all) => !(all[index + 1] - time < 5e-4));
  const value = Math.max(0, viewer.times.findLastIndex((time) => time <= viewer.moment));
  const moment = viewer.times[value];
  const ariaValueText = at("viewer-time").textContent = `${decimal(moment, 3)} s`;
  Object.assign(at("viewer-moment"), { max: viewer.times.length - 1, value, ariaValueText });
  at("viewer-place").textContent = `View ${viewer.place + 1} of ${names.length}: ${name}`;
  at("viewer-sides").replaceChildren(...there.map(({ title, views: { length } }, index) =>
    make("figure", {}, make("figcaption", {}, title, make("small", {}, views[index]?.words
      ?? `No view of this item here: the session has ${length} views.`)),
    ...(views[index] ? lanes(views[index], axis, moment) : []))));
}

/** A view at a moment: what came last, and what the screen, players and requests do, above their
    time from left to right. */
function lanes({ rows, events, frame }, [begin, end], moment) {
  const x = (time) => (1000 * (time - begin)) / (end - begin || 1);
  const upright = (style, time) => line(style, x(time), -2, x(time), 12);
  const step = [0.05, 0.1, 0.2, 0.5, 1, 2, 5].find((each) => (end - begin) / each < 8) ?? 10;
  const first = Math.ceil(begin / step);
  const grid = Array.from({ length: Math.floor(end / step) - first + 1 }, (_, index) =>
    upright(first + index ? "grid" : "axis", step * (first + index)));
  const past = events.filter(({ time }) => time <= moment);
  const last = past.filter(({ time }) => time === past.at(-1).time).map(({ words }) => words);
  return [make("p", {}, `At ${decimal(past.at(-1)?.time ?? begin, 3)} s: ${last.join("; ")}`),
    make("ul", { class: "lanes" }, ...rows.map(({ words, pieces }) => make("li", {},
      make("b", {}, words), " ", pieces.filter(({ from, to }) => from <= moment && moment < to)
        .map((piece) => `${piece.words} until ${decimal(piece.to, 3)} s`).join(", "),
      lane([...grid.map((each) => each.cloneNode()), ...pieces.map(({ kind, from, to }) =>
        box(`kind-${kind}`, x(from), Math.max(2, x(to) - x(from)))),
      frame >= 0 && upright("frame", frame), upright("moment", moment)])))),
    make("p", { class: "faint" }, `${decimal(begin, 2)} to ${decimal(end, 2)} s since the clock `
      + `started; a line each ${step} s.`)];
}

// ---- Start
/** The bytes of a data block (BlockText.swift), which is not needed any more then. */
async function decode(id) {
  const block = at(id), rare = "\0\t\n\f\r\x1a\"&(:<=@\x7f";
  const sevens = block.textContent.replace(/[^\0-\x7f]/g, (two) =>
    rare[(two.charCodeAt(0) >> 7) - 2] + String.fromCharCode(two.charCodeAt(0) & 127));
  const packed = Uint8Array.from({ length: block.dataset.bytes }, (_, index) => {
    const [place, rest] = [index + Math.floor(index / 7), index % 7];
    return sevens.charCodeAt(place) << 1 + rest | sevens.charCodeAt(place + 1) >> 6 - rest;
  });
  block.remove();
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Says why the page does not simulate; the base's numbers stay. */
function halt(text) {
  lab = null;
  at("note").classList.add("stop");
  say("note", `${text} The numbers below are those of the base, from the command line.`);
  at("note").append(" ", at("report"));
  say("check", "");
  for (const id of ["fields", "map-fields", "viewer-fields"]) at(id).disabled = true;
}

/** Takes over the state of the address, and says so when something of it is unknown. */
function readState() {
  const { steps, isWhole } = readAddress(location.hash);
  if (!at("fields").disabled) say("note", isWhole ? "" : "Something in the address is no setting "
    + "of this page; it was left out.");
  move(steps);
}

/** Reads the data, makes the workers, and has them run what the command line has run. */
async function begin() {
  try {
    const [code, image, plan, patches] =
      await Promise.all(["module", "image", "plan", "patches"].map(decode));
    bytes = { image, patches };
    const seed = BigInt(page.seed);
    const given = { module: await WebAssembly.compile(code), plan,
      seedHigh: Number(seed >> 32n), seedLow: Number(seed & 0xffffffffn) };
    const source = URL.createObjectURL(new Blob([at("worker").textContent]));
    const laboratory = new Laboratory(source, given,
      Math.max(1, Math.min(8, navigator.hardwareConcurrency || 1)));
    laboratory.run({ image, isBase: true, wanted: 1,
      see: (sample) => compare(laboratory, sample),
      fail: (reason) => halt(`This browser cannot simulate here: ${reason}.`) });
  } catch (error) {
    halt(`This browser cannot simulate here: ${error.message.replace(/[.]$/, "")}.`);
  }
}

/** Compares a first replication with the command line's; the page goes on when they are equal. */
function compare(laboratory, sample) {
  const fingerprint = new DataView(sample).getBigUint64(0, true).toString(16).padStart(16, "0");
  const is = `the fingerprint of replication 0 is ${fingerprint}`;
  if (fingerprint !== page.fingerprints[0]) {
    return halt(`This browser does not compute what the command line computed: ${is}, not `
      + `${page.fingerprints[0]}. The page has stopped.`);
  }
  say("check", `✓ This browser computes what the command line computed: equal, ${is}.`);
  lab = laboratory;
  lab.idle = proceed;
  settle();
}

/** Shows what needs no simulation, and begins once that is on the screen. */
function showPage() {
  at("description").textContent = page.description;
  at("identity").textContent = `${page.file}${page.short ? ", short form" : ""}; digest `
    + `${page.digest}; seed ${page.seed}; ${page.program}.`;
  if (page.report) at("report").append(make("a", { href: page.report }, "The report of the base"));
  makeControls();
  makeMap();
  makeViewer();
  show(null, true);
  on("reset-all", "click", () => move(atBase));
  on("all", "toggle", showAllMetrics);
  on("copy", "click", copy);
  on("skip", "click", (event) => (event.preventDefault(), at("results").focus()));
  addEventListener("hashchange", readState);
  readState();
  requestAnimationFrame(() => setTimeout(begin));
}

showPage();
