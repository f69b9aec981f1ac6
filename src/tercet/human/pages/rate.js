// The rating page. The page contains all items. An answer is first stored in the browser and then sent, so that neither
// a lost connection nor a reload loses it. Every answer has a random request number, by which the server recognises an
// answer that is sent twice.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);
const {items, answers} = data;
const isSpans = data.severities.length > 0, hasSlider = $("slider") !== null;
const isRanking = data.protocol === "ranking";
const state = {at: -1, touched: false, cursor: 0, confirmed: false, feedback: false, changed: false,
  finished: false, looking: false};

// Storage in the browser for this campaign and rater: localStorage, or memory if the browser does not allow it.
const kept = (() => {
  const prefix = `tercet:${data.store}:`, memory = new Map();
  let disk = null;
  try {
    disk = window.localStorage;
    disk.setItem(`${prefix}test`, "1");
    disk.removeItem(`${prefix}test`);
  } catch { disk = null; }
  return {
    get: key => memory.get(key) ?? disk?.getItem(prefix + key) ?? null,
    set(key, value) {
      try {
        if (!disk) throw new Error("no disk");
        disk.setItem(prefix + key, value);
        memory.delete(key);
      } catch { memory.set(key, value); }
    },
    remove(key) {
      memory.delete(key);
      disk?.removeItem(prefix + key);
    },
    keys(start) {
      const found = new Set(memory.keys());
      for (let at = 0; at < (disk?.length ?? 0); at += 1) {
        const key = disk.key(at);
        if (key.startsWith(prefix)) found.add(key.slice(prefix.length));
      }
      return [...found].filter(key => key.startsWith(start)).sort();
    },
    get inMemory() { return memory.size > 0; },
  };
})();

// The time spent on an item. It does not run while the page is paused or in the background.
const clock = {
  spent: 0, since: null,
  start() { if (this.since === null && !document.hidden && !$("rating").hidden) this.since = performance.now(); },
  stop() {
    if (this.since !== null) this.spent += (performance.now() - this.since) / 1000;
    this.since = null;
  },
  seconds() {
    const running = this.since !== null;
    this.stop();
    if (running) this.start();
    return this.spent;
  },
};

// Sending

const others = window.BroadcastChannel ? new BroadcastChannel(`tercet:${data.store}`) : null;
const sender = {busy: false, wait: 0, timer: 0, stopped: "", offline: false};

function random() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, byte => byte.toString(16).padStart(2, "0")).join("");
}

function enqueue(item, answer) {
  const request = random();
  // If the computer's clock is set back, a change must still come after the answer that it changes.
  const last = Number(kept.keys("q:").at(-1)?.slice(2, 20) ?? 0);
  const order = `${Math.max(Date.now() * 1000, last + 1)}`.padStart(18, "0");
  kept.set(`q:${order}-${request}`, JSON.stringify({
    request, item: item.id, answer, seconds: Math.round(clock.seconds() * 1000) / 1000,
    client_time: new Date().toISOString(), client_version: data.version,
  }));
  answers[item.id] = answer;
  others?.postMessage({item: item.id, answer});
  flush();
}

async function send(body) {
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), 20000);
  try {
    const reply = await fetch(`${data.base}/api/answer`, {
      method: "POST", body, signal: patience.signal, credentials: "same-origin",
      headers: {"Content-Type": "application/json", "X-Form-Key": data.key},
    });
    const said = await reply.json().catch(() => null);
    // Accept only replies of the rating server, not those of a proxy or of a network's login page.
    const ours = reply.ok ? Number.isInteger(said?.saved) : typeof said?.error === "string";
    return {status: ours ? reply.status : 0, error: said?.error ?? ""};
  } catch {
    return {status: 0, error: ""};
  } finally {
    clearTimeout(timer);
  }
}

async function flush() {
  if (sender.busy || sender.stopped) return;
  sender.busy = true;
  clearTimeout(sender.timer);
  for (let key = kept.keys("q:")[0]; key; key = kept.keys("q:")[0]) {
    showStatus();
    const body = kept.get(key);
    if (body === null) continue; // another tab has just sent it
    const {status, error} = await send(body);
    sender.offline = status === 0 || status === 408 || status === 429 || status >= 500;
    if (sender.offline) {
      sender.wait = Math.min(15000, sender.wait * 2 || 1000);
      sender.timer = setTimeout(flush, sender.wait);
      break;
    }
    if (status === 401 || status === 403) {
      sender.stopped = error || "Your link is no longer valid.";
      break;
    }
    sender.wait = 0;
    if (status >= 400) kept.set(`x:${key.slice(2)}`, body); // an answer that the server rejects is kept here
    kept.remove(key);
    if (status >= 400) {
      const id = JSON.parse(body).item;
      delete answers[id];
      say(`Item ${items.findIndex(item => item.id === id) + 1} could not be saved: ${error} Please answer it again.`);
    }
  }
  sender.busy = false;
  showStatus();
  showProgress();
  if (state.finished && !kept.keys("q:").length && nextOpen(-1) < 0) location.assign(`${data.base}/finish`);
}

function showStatus() {
  const waiting = kept.keys("q:").length, status = $("status");
  const many = waiting === 1 ? "1 answer is" : `${waiting} answers are`;
  let text = Object.keys(answers).length ? "Saved" : "";
  if (sender.stopped) text = `${sender.stopped} ${waiting ? `${many} kept in this browser.` : ""}`;
  else if (waiting && sender.offline) text = `No connection: ${many} kept here and will be sent.`;
  else if (waiting) text = "Saving…";
  if (status.textContent !== text) status.textContent = text;
  status.className = sender.stopped || (waiting && sender.offline) ? "warning" : "";
}

// Fetch answers that the rater gave in other tabs or on another computer.
async function refresh() {
  try {
    const reply = await fetch(`${data.base}/api/answers`, {credentials: "same-origin"});
    if (!reply.ok) return;
    Object.assign(answers, await reply.json(), pending());
    showProgress();
  } catch { /* no connection: try again later */ }
}

function pending() {
  const bodies = kept.keys("q:").map(key => JSON.parse(kept.get(key) ?? "null")).filter(Boolean);
  return Object.fromEntries(bodies.map(body => [body.item, body.answer]));
}

// Showing

function view(name) {
  clock.stop();
  for (const id of ["intro", "paused", "rating"]) $(id).hidden = id !== name;
  if (name === "rating") clock.start();
  else {
    keepDraft();
    $(name).querySelector("h1").focus();
  }
}

function write(element, text, language) {
  element.lang = language.lang;
  element.dir = language.dir;
  element.textContent = text ?? "";
}

function show(at) {
  keepDraft();
  const item = items[at];
  Object.assign(state, {at, cursor: 0, confirmed: false, feedback: false, changed: false, finished: false});
  for (const name of ["source", "reference"]) {
    $(`${name}-box`).hidden = item[name] === null;
    write($(name), item[name], name === "source" ? data.source : data.target);
  }
  for (const name of ["before", "after"]) {
    $(name).hidden = !item[name];
    write($(name), item[name], data.source);
  }
  document.querySelectorAll(".output").forEach((box, place) => {
    box.hidden = place >= item.outputs.length;
    write($(`output-${place}`), item.outputs[place], data.target);
  });
  for (const input of document.querySelectorAll("[name^=rank-]")) {
    input.parentElement.hidden = Number(input.value) > item.outputs.length;
  }
  const draft = JSON.parse(kept.get(`d:${item.id}`) ?? "null");
  clock.stop();
  clock.spent = draft?.seconds ?? 0;
  fill(draft?.answer ?? answers[item.id] ?? {});
  state.changed = draft?.answer !== undefined;
  $("feedback").hidden = true;
  say("");
  setSave("Save");
  const practice = items.filter(one => one.tutorial).length;
  $("title").textContent = item.tutorial ? `Practice ${at + 1} of ${practice}`
    : `Item ${at + 1 - practice} of ${items.length - practice}`;
  if (item.document) $("title").append(` · ${item.document}`);
  view("rating");
  showProgress();
  scrollTo(0, 0);
  (isSpans ? $("output-0") : $("title")).focus({preventScroll: true});
}

function setSave(text) {
  $("save").firstChild.textContent = `${text} `;
}

function say(text) {
  $("problem").textContent = text;
}

function showProgress() {
  const real = items.filter(item => !item.tutorial);
  const done = real.filter(item => item.id in answers).length;
  $("progress").max = Math.max(real.length, 1);
  $("progress").value = done;
  $("count").textContent = `${done} of ${real.length}`;
  $("back").disabled = state.at <= 0;
  $("next").disabled = state.at < 0 || state.at + 1 >= items.length || !(items[state.at].id in answers);
  if ($("list").open) showList();
}

function showList() {
  const reachable = furthest();
  $("items").replaceChildren(...items.map((item, at) => {
    const entry = document.createElement("li"), button = document.createElement("button");
    const done = item.id in answers;
    button.type = "button";
    button.textContent = `${item.tutorial ? "practice" : ""} ${done ? "✓" : "·"}`;
    button.setAttribute("aria-label", `Item ${at + 1}, ${done ? "answered" : "open"}`);
    if (at === state.at) button.setAttribute("aria-current", "true");
    button.disabled = at > reachable;
    button.addEventListener("click", () => show(at));
    entry.append(button);
    return entry;
  }));
}

// The last item that can be opened. Items must be answered in order, so it is the first open one.
function furthest() {
  const open = nextOpen(-1);
  return open < 0 ? items.length - 1 : open;
}

function nextOpen(at) {
  const order = items.map((_, step) => (at + 1 + step + items.length) % items.length);
  return order.find(place => !(items[place].id in answers)) ?? -1;
}

// Answers

const marker = isSpans ? new Marker({
  fields: [{element: $("output-0"), text: "", in_source: false}, {element: $("source"), text: "", in_source: true}],
  list: $("errors"), severities: data.severities, categories: data.categories,
  changed: () => { state.confirmed = false; change(); }, say,
}) : null;

const radio = name => document.querySelector(`[name="${name}"]:checked`);

function fill(answer) {
  const item = items[state.at];
  const choose = (name, value) => {
    for (const input of document.getElementsByName(name)) input.checked = input.value === String(value);
  };
  choose("value", answer.value);
  if (data.protocol === "pairwise") choose("preference", answer.ranks?.join(","));
  if (isRanking) {
    document.querySelectorAll("[data-ranks]").forEach((_, at) => choose(`rank-${at}`, answer.ranks?.[at]));
    point(0, false);
  }
  if (isSpans) marker.show([item.outputs[0], item.source], answer.spans?.[0] ?? []);
  if (hasSlider) setSlider(answer.value ?? null);
}

function setSlider(value) {
  state.touched = value !== null;
  const slider = $("slider");
  slider.value = value ?? (data.low + data.high) / 2;
  slider.setAttribute("aria-valuetext", state.touched ? slider.value : "not set");
  $("number").value = value ?? "";
  $("slider-box").classList.toggle("untouched", !state.touched);
}

// The answer on the page, complete or not.
function current() {
  const outputs = items[state.at].outputs.length;
  if (data.protocol === "pairwise") return {ranks: radio("preference")?.value.split(",").map(Number)};
  if (isRanking) {
    return {ranks: Array.from({length: outputs}, (_, at) => Number(radio(`rank-${at}`)?.value) || null)};
  }
  const value = hasSlider ? (state.touched ? Number($("slider").value) : null) : Number(radio("value")?.value) || null;
  return isSpans ? {spans: [marker.spans], value} : {value};
}

function lacking(answer) {
  if (answer.ranks === undefined && data.protocol === "pairwise") return "Choose one first: 1, 2 or 3.";
  if (isRanking && answer.ranks.includes(null)) return "Rank all translations first.";
  if (isSpans && data.categories.length && marker.spans.some(span => !span.category)) {
    document.querySelector("#errors .category:has(option[value='']:checked)")?.focus();
    return "Choose a category for every error.";
  }
  if (hasSlider && !state.touched) return isSpans ? "Set the score first (S)." : "Set the score first.";
  if ("value" in answer && answer.value === null && !isSpans) return "Choose one first.";
  if (isSpans && !marker.spans.length && !state.confirmed && !(items[state.at].id in answers)) {
    state.confirmed = true;
    return "No error is marked. If there is none, save again.";
  }
  return "";
}

function change() {
  state.changed = true;
  say("");
  keepDraft();
}

function keepDraft() {
  if (state.at < 0 || state.feedback) return;
  const item = items[state.at];
  if (state.changed || !(item.id in answers)) {
    kept.set(`d:${item.id}`, JSON.stringify({answer: state.changed ? current() : undefined, seconds: clock.seconds()}));
  }
}

function submit() {
  if (state.at < 0 || $("rating").hidden) return;
  const item = items[state.at];
  if (state.feedback) {
    advance();
    return;
  }
  const answer = current(), problem = lacking(answer);
  say(problem);
  if (problem) return;
  enqueue(item, answer);
  state.changed = false;
  kept.remove(`d:${item.id}`);
  clock.stop();
  clock.spent = 0;
  if (item.tutorial && item.expected) {
    showFeedback(item, answer);
    return;
  }
  advance();
}

function advance() {
  state.feedback = false;
  const open = nextOpen(state.at);
  if (open >= 0) show(open);
  else if (state.at + 1 < items.length && state.looking) show(state.at + 1);
  else finish();
}

function finish() {
  state.finished = true;
  showProgress();
  if (kept.keys("q:").length) {
    say("This was the last item. Keep this page open until everything is sent.");
    flush();
  } else location.assign(`${data.base}/finish`);
}

function showFeedback(item, answer) {
  state.feedback = true;
  const box = $("feedback"), {good, lines} = judge(item, answer);
  box.className = `feedback ${good ? "good" : "other"}`;
  box.replaceChildren(...[good ? "✓ As expected." : "We expected another answer.", ...lines].map(line => {
    const paragraph = document.createElement("p");
    paragraph.textContent = line;
    return paragraph;
  }));
  box.hidden = false;
  setSave("Continue");
  showProgress();
  box.scrollIntoView({block: "nearest"});
}

// Compare an answer to a practice item with the expected answer.
function judge(item, answer) {
  const expected = item.expected, lines = [];
  let good = true;
  if (expected.ranks) {
    const letters = "ABCDE", all = expected.ranks.map((_, at) => at);
    const sign = (ranks, a, b) => Math.sign(ranks[a] - ranks[b]);
    good = all.every(a => all.every(b => sign(expected.ranks, a, b) === sign(answer.ranks, a, b)));
    const order = [...new Set(expected.ranks)].sort().map(
      rank => all.filter(at => expected.ranks[at] === rank).map(at => letters[at]).join(" = "));
    lines.push(`Expected, best first: ${order.join(", then ")}.`);
  }
  if (expected.spans) {
    const found = answer.spans[0], wanted = expected.spans[0];
    const overlap = (a, b) => !!a.in_source === !!b.in_source && (a.start === null || b.start === null
      ? a.start === b.start : a.start < b.end && b.start < a.end);
    good = wanted.every(span => found.some(one => overlap(one, span)))
      && found.every(span => wanted.some(one => overlap(one, span)));
    for (const span of wanted) {
      const text = span.start === null ? "(missing)"
        : Array.from(span.in_source ? item.source : item.outputs[0]).slice(span.start, span.end).join("");
      const met = found.some(one => overlap(one, span));
      lines.push(`${met ? "✓" : "✗"} “${text}”: ${[span.severity, span.category].filter(Boolean).join(", ")}`);
    }
    if (!wanted.length) lines.push("There is no error in this translation.");
  }
  if (typeof expected.value === "number") {
    const labels = [...document.querySelectorAll("[name=value]")];
    const name = value => {
      const label = labels.find(input => input.value === String(value));
      return label ? label.parentElement.textContent.trim().replace(/\s+/g, " ") : value;
    };
    const near = labels.length ? 0 : (data.high - data.low) * 0.15;
    good &&= Math.abs(expected.value - answer.value) <= near;
    lines.push(`Expected: ${labels.length ? "" : "about "}${name(expected.value)}. You chose ${name(answer.value)}.`);
  }
  return {good, lines};
}

// Controls

function point(place, focus = true) {
  const groups = [...document.querySelectorAll(".output:not([hidden])")];
  state.cursor = Math.max(0, Math.min(groups.length - 1, place));
  groups.forEach((group, at) => group.classList.toggle("current", at === state.cursor));
  if (!focus) return;
  const group = groups[state.cursor];
  (group.querySelector("input:checked") ?? group.querySelector("input")).focus({preventScroll: true});
  group.scrollIntoView({block: "nearest"});
}

function typeScore(digit) {
  $("number").focus();
  $("number").value = digit;
  $("number").dispatchEvent(new Event("input", {bubbles: true}));
}

function choose(digit, target) {
  if (isSpans) {
    if (hasSlider && (target === $("slider") || target === $("number"))) typeScore(digit);
    else if (digit === 0) marker.markMissing();
    else if (digit <= data.severities.length) marker.mark(data.severities[digit - 1]);
  } else if (hasSlider) typeScore(digit);
  else if (isRanking) {
    const input = document.querySelector(`[name="rank-${state.cursor}"][value="${digit}"]`);
    if (!input || input.parentElement.hidden) return;
    input.checked = true;
    change();
    point(state.cursor + 1);
  } else {
    const input = data.protocol === "pairwise" ? document.getElementsByName("preference")[digit - 1]
      : document.querySelector(`[name="value"][value="${digit}"]`);
    if (!input) return;
    input.checked = true;
    input.focus({preventScroll: true});
    change();
  }
}

document.addEventListener("keydown", event => {
  // Leave keys to an input method while it is active: the Enter that ends a word must not save the answer.
  if (event.isComposing || event.keyCode === 229 || event.ctrlKey || event.metaKey || event.altKey) return;
  const key = event.key.normalize("NFKC"), target = event.target; // NFKC: full-width digits become digits
  const native = target.closest("button, a, summary, select");
  if (key === "Enter") {
    if (native) return;
    event.preventDefault();
    if (event.repeat) return;
    if (!$("intro").hidden) begin();
    else if (!$("paused").hidden) view("rating");
    else submit();
    return;
  }
  if ($("rating").hidden || target.closest("select")) return;
  if (key === "Escape" && target === $("number")) $("slider").focus();
  if (target === $("number")) return;
  const editor = target.isContentEditable;
  let handled = true;
  if (/^[0-9]$/.test(key)) choose(Number(key), target);
  else if (key === "?") view("intro");
  else if (key.toLowerCase() === "p") view("paused");
  else if (key.toLowerCase() === "b" && !$("back").disabled) show(state.at - 1);
  else if (key.toLowerCase() === "n" && !$("next").disabled) show(state.at + 1);
  else if (isSpans && key.toLowerCase() === "t") marker.caret(marker.field(false), 0);
  else if (isSpans && hasSlider && key.toLowerCase() === "s") $("slider").focus();
  else if (editor && (key === "Delete" || key === "Backspace")) marker.removeHere();
  else if (isRanking && key === "ArrowDown") point(state.cursor + 1);
  else if (isRanking && key === "ArrowUp") point(state.cursor - 1);
  else if (hasSlider && !editor && target !== $("slider") && /^Arrow(Left|Right|Up|Down)$/.test(key)) {
    $("slider").focus();
    $("slider").value = Number($("slider").value) + (/Right|Up/.test(key) ? 1 : -1);
    setSlider(Number($("slider").value));
    change();
  } else if (hasSlider && target === $("slider") && key === " ") {
    setSlider(Number($("slider").value));
    change();
  } else handled = false;
  if (handled) event.preventDefault();
});

$("form").addEventListener("submit", event => {
  event.preventDefault();
  submit();
});
$("form").addEventListener("change", event => {
  if (event.target.matches("[type=radio]")) change();
});
document.querySelectorAll("[data-ranks]").forEach((group, at) => group.addEventListener("focusin", () => {
  state.cursor = at;
  document.querySelectorAll(".output").forEach((box, place) => box.classList.toggle("current", place === at));
}));
if (hasSlider) {
  const touch = () => {
    setSlider(Number($("slider").value));
    change();
  };
  $("slider").addEventListener("input", touch);
  $("slider").addEventListener("pointerup", touch); // a click on the middle gives no input event, but sets the score
  $("number").addEventListener("input", () => {
    const text = $("number").value, value = Number(text);
    const right = text !== "" && Number.isInteger(value) && value >= data.low && value <= data.high;
    setSlider(right ? value : null);
    $("number").value = text;
    if (text !== "" && !right) say(`A whole number from ${data.low} to ${data.high} is needed.`);
    else change();
  });
}
for (const button of document.querySelectorAll(".marking button")) {
  button.addEventListener("pointerdown", event => event.preventDefault()); // keeps the selection in the text
  button.addEventListener("click", () => {
    if (button.id === "missing") marker.markMissing();
    else marker.mark(button.dataset.severity);
  });
}
$("back").addEventListener("click", () => show(state.at - 1));
$("next").addEventListener("click", () => show(state.at + 1));
$("pause").addEventListener("click", () => { if (!$("rating").hidden) view("paused"); });
$("help").addEventListener("click", () => view("intro"));
function placeTexts(beside) {
  document.body.classList.toggle("beside", beside);
  $("beside").setAttribute("aria-pressed", String(beside));
  kept.set("beside", beside ? "1" : "");
}
$("beside").addEventListener("click", () => placeTexts(!document.body.classList.contains("beside")));
if (kept.get("beside")) placeTexts(true);
if (innerWidth < 640) document.querySelector(".definitions")?.removeAttribute("open"); // leave room for the texts
$("start").addEventListener("click", begin);
$("resume").addEventListener("click", () => view("rating"));
$("list").addEventListener("toggle", showList);

addEventListener("online", () => { sender.wait = 0; flush(); });
addEventListener("pagehide", keepDraft);
addEventListener("beforeunload", event => { if (kept.inMemory && kept.keys("q:").length) event.preventDefault(); });
document.addEventListener("visibilitychange", () => {
  if (document.hidden) {
    clock.stop();
    keepDraft();
  } else {
    clock.start();
    refresh();
    flush();
  }
});
if (others) {
  others.onmessage = ({data: {item, answer}}) => {
    answers[item] = answer;
    if (state.at >= 0 && items[state.at].id === item && !state.changed && !state.feedback) fill(answer);
    showProgress();
  };
}

function begin() {
  if (state.at >= 0) {
    view("rating");
    return;
  }
  if (!items.length) {
    location.assign(`${data.base}/finish`);
    return;
  }
  const open = nextOpen(-1);
  state.looking = open < 0;
  show(Math.max(open, 0));
}

Object.assign(answers, pending());
showProgress();
showStatus();
if (Object.keys(answers).length || kept.keys("d:").length) begin();
else view("intro");
flush();
