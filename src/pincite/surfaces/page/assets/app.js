// What is asked, and what the keys do. One value holds all that is shown; it is drawn anew.
import * as backend from "./backend.js";
import { render } from "./preact.mjs";
import { Answer, Help, Lock, Result, Source, Verdict, html, toMiddle } from "./parts.js";

const PAUSE_MS = 80; // without a key before a question is asked; guess, unmeasured
const SLOW_MS = 300; // until a search is said to go on; guess, unmeasured
const WIDER = 4;
const LONGEST = 10000; // characters of a question
const empty = () => ({
  about: null, text: "", compare: false, presets: ["", ""], packs: [null, null], flows: [null, null], slow: [false, false],
  side: 0, at: -1, shown: null, answer: null, help: false, error: "", asSource: false, locked: false,
});
const state = empty();
const asking = [null, null];
let answering = null;
let opener = null;
let helped = null;
let timer = 0;
let reading = 0;
let turns = 0;
let untouched = true; // the page gave the box its focus, and nobody has pressed a key or clicked
let held = false; // the key that went to the box is still down

const said = (error) => (error instanceof TypeError ? "The server does not answer; is it still running?" : error.message);

function change(values) {
  Object.assign(state, values);
  draw();
}

function results(side) {
  const pack = state.packs[side];
  return pack ? [...pack.results, ...pack.closest] : [];
}

const sides = () => (state.compare ? [0, 1] : [0]);

// Pasted words are whole: nobody goes on typing within the pause.
const isPasted = ({ inputType, data, isComposing }) =>
  !isComposing && /^insert/.test(inputType || "") && (data?.length ?? 2) > 1;

function typed(event) {
  change({ text: event.target.value });
  clearTimeout(timer);
  if (isPasted(event)) ask();
  else timer = setTimeout(ask, PAUSE_MS);
}

// On a narrow screen the document covers the rest, which keys do not reach then.
const narrow = matchMedia("(max-width: 800px)");

// Whether the results are those of the question in the box: it may change before they come.
async function ask() {
  clearTimeout(timer);
  const text = state.text.trim();
  stop();
  answering = null;
  change({ answer: null, shown: null });
  drop();
  if (!text) {
    change({ packs: [null, null], flows: [null, null], slow: [false, false], at: -1, error: "" });
    return false;
  }
  const found = await Promise.all(sides().map((side) => askSide(side, text)));
  return found.every(Boolean) && state.text.trim() === text;
}

async function askSide(side, text) {
  const mine = (asking[side] = new AbortController());
  const slow = setTimeout(() => { state.slow[side] = true; draw(); }, SLOW_MS);
  try {
    const pack = await backend.ask(text, state.presets[side], mine.signal);
    if (mine !== asking[side]) return false;
    state.packs[side] = { ...pack, turn: (turns += 1) };
    state.flows[side] = null;
    state.slow[side] = false;
    change({ at: -1, side: 0, error: "" });
    return true;
  } catch (error) {
    if (mine !== asking[side]) return false;
    state.packs[side] = null;
    state.slow[side] = false;
    failed(error);
    return false;
  } finally {
    clearTimeout(slow);
  }
}

// What is asked for is not waited for any more: what comes late is of another question or user.
function drop() {
  asking.forEach((one, side) => { one?.abort(); asking[side] = null; });
}

async function why(side) {
  if (state.flows[side]) return;
  const pack = state.packs[side];
  let flow;
  try {
    flow = await backend.why(pack.query, state.presets[side]);
  } catch (error) {
    flow = { message: said(error) };
  }
  if (state.packs[side] !== pack) return;
  state.flows[side] = flow;
  draw();
}

async function open(side, one, context = 30) {
  const turn = (reading += 1);
  if (!state.shown) opener = document.activeElement;
  const at = results(side).indexOf(one);
  const before = state.shown?.one === one ? state.shown.picture : null;
  const shown = { one, context, side, source: null, picture: before, error: "" };
  if (!state.shown || state.shown.one !== one) change({ shown, side, at });
  try {
    shown.source = await backend.source(one, context);
  } catch (error) {
    shown.error = said(error);
  }
  if (turn !== reading || !state.shown) return;
  change({ shown });
  toCited();
  if (shown.source?.pictured && !shown.picture) paint(shown);
  if (context === 30) document.querySelector("#source .lines, #source .rendered")?.focus({ preventScroll: true });
}

async function paint(shown) {
  shown.picture = await backend.picture(shown.one).catch((error) => ({ message: said(error) }));
  if (state.shown?.one !== shown.one) return;
  state.shown.picture = shown.picture;
  draw();
}

const toCited = () => toMiddle(document.querySelector("#source .cited"), "#source .lines, #source .rendered");

function turnSource() {
  change({ asSource: !state.asSource });
  toCited();
}

// What appears above the results is brought into view: they may be scrolled.
function reveal(panel) {
  const shown = document.querySelector(panel);
  shown?.scrollIntoView({ block: "nearest" });
  shown?.focus({ preventScroll: true });
}

function toggleHelp() {
  if (!state.help) helped = document.activeElement;
  change({ help: !state.help });
  if (state.help) reveal(".help");
  else if (helped?.isConnected) helped.focus();
}

function close() {
  reading += 1;
  const { shown } = state;
  if (state.help) toggleHelp();
  change({ shown: null });
  if (!shown) return;
  const place = document.querySelector(`#result-${shown.side}-${shown.one.id} .place`);
  (place || (opener?.isConnected && opener))?.focus?.();
}

async function judge(one, grade) {
  if (!state.about?.judging) return;
  const text = sides().map((side) => state.packs[side]).find((pack) => pack && [
    ...pack.results, ...pack.closest].includes(one))?.query;
  try {
    const judged = sides().flatMap(results).filter((each) => each.id === one.id);
    await backend.judge(text, grade, one.judged);
    for (const each of judged) each.grade = grade;
    change({ error: "" });
  } catch (error) {
    change({ error: said(error) });
  }
}

async function answer() {
  const text = state.text.trim();
  if (!text) return;
  stop();
  const mine = (answering = new AbortController());
  const now = { writing: true, text: "", sources: [], doubts: [], notes: [] };
  const show = (values) => {
    Object.assign(now, values);
    if (mine === answering) change({ answer: { ...now } });
  };
  show({});
  reveal(".answer");
  try {
    await backend.answer(text, state.presets[0], mine.signal, (event) => {
      if (event.piece !== undefined) show({ text: now.text + event.piece });
      else if (event.answer) show({ ...event.answer, writing: false });
    });
    if (now.writing) show({ writing: false, message: "The answer ended before it was whole." });
  } catch (error) {
    if (error.name === "AbortError") show({ writing: false, notes: ["Stopped: the answer is incomplete."] });
    else show({ writing: false, message: said(error) });
  }
}

const stop = () => answering?.abort();

function move(by) {
  const many = results(state.side).length;
  if (!many) return;
  const at = Math.max(0, Math.min(many - 1, state.at + by));
  change({ at });
  const one = results(state.side)[at];
  const place = document.getElementById(`result-${state.side}-${one.id}`);
  place?.scrollIntoView({ block: "nearest" });
  place?.querySelector(".place")?.focus({ preventScroll: true });
}

function goToFirst(box) {
  box.blur();
  state.at = -1;
  move(1);
}

const TYPED = "select, input:not([type=checkbox])"; // fields that take a slash themselves

function pressed(event) {
  if (state.locked) return;
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const box = document.getElementById("question");
  const inBox = event.target === box;
  const one = results(state.side)[state.at];
  const slip = (untouched && !box.value) || (held && event.repeat);
  const goes = event.key === "/" && (inBox ? slip : !event.target.matches?.(TYPED));
  if (event.key !== "Shift") untouched = false;
  if (goes) {
    event.preventDefault();
    held = true;
    if (inBox) return;
    box.focus();
    box.select();
  } else if (event.key === "Escape") {
    if (inBox) event.preventDefault(); // a browser would empty the box, and say nothing of it
    if (state.shown || state.help) close();
    else if (state.answer?.writing) stop();
    else box.blur();
  } else if (inBox && event.key === "Enter") {
    event.preventDefault();
    ask().then((found) => found && document.activeElement === box && goToFirst(box));
  } else if (inBox || event.target.matches?.("select, input")) {
    return;
  } else if (event.key === "j") move(1);
  else if (event.key === "k") move(-1);
  else if (event.key === "a") answer();
  else if (event.key === "s" && state.shown?.source?.rendered) turnSource();
  else if (event.key === "?") toggleHelp();
  else if (event.key === "Enter" && one && event.target === document.body) open(state.side, one);
  else if (one && /^[0-3]$/.test(event.key)) judge(one, one.grade === +event.key ? null : +event.key);
}

const named = (one) => (one?.name || "configured") + (one?.lacks.length ? ` (without ${one.lacks.join(", ")})` : "");

const Preset = ({ side }) => html`
  <label><span class="word">${state.compare ? `Profile ${side + 1}` : "Profile"}</span>${" "}
    <select onChange=${(event) => { state.presets[side] = event.target.value; ask(); }}>
      <option value="" selected=${!state.presets[side]}>${named(state.about?.preset)}</option>
      ${(state.about?.presets || []).map((one) => html`
        <option value=${one.name} disabled=${one.fails} selected=${state.presets[side] === one.name}>${named(one)}</option>`)}
    </select></label>`;

function elsewhere(side, one) {
  if (!state.compare || !state.packs[1 - side]) return "";
  const other = results(1 - side).find((each) => each.id === one.id);
  return other ? `${other.number} in the other` : "not in the other";
}

const Side = ({ side }) => {
  const pack = state.packs[side];
  const one = (each) => html`<${Result} key=${`${pack.turn}-${each.id}`} one=${each} side=${side} judge=${state.about?.judging && judge}
    selected=${state.side === side && results(side)[state.at] === each} flow=${state.flows[side]} elsewhere=${elsewhere(side, each)}
    open=${() => open(side, each)} why=${() => why(side)} />`;
  return html`
    <section class="side" aria-label=${state.compare ? `Results of profile ${side + 1}` : "Results"}>
      <div role="status" aria-live="polite">${state.slow[side] ? html`<p class="verdict aside">Searching…</p>`
        : pack && html`<${Verdict} pack=${pack} />`}</div>
      ${pack && pack.results.length > 0 && html`<ol class="results">${pack.results.map(one)}</ol>`}
      ${pack && pack.closest.length > 0 && html`
        <h2>Closest passages, below the bar: they are no evidence</h2>
        <ol class="results">${pack.closest.map(one)}</ol>`}
    </section>`;
};

const covered = () => Boolean(state.shown) && narrow.matches;

const Page = () => (state.locked ? html`<${Lock} unlock=${unlock} error=${state.error} />` : html`
  <header class="top" inert=${covered()}>
    <h1>Pincite</h1>
    <form role="search" onSubmit=${(event) => event.preventDefault()}>
      <input id="question" type="search" aria-label="Question" placeholder="Ask what is indexed"
        dir="auto" autocomplete="off" spellcheck=${false} maxlength=${LONGEST} value=${state.text}
        onInput=${typed} />
    </form>
    <div class="choices">
      ${sides().map((side) => html`<${Preset} side=${side} />`)}
      <label><input type="checkbox" checked=${state.compare} onChange=${(event) => {
        change({ compare: event.target.checked, at: -1, side: 0 }); ask(); }} /> Compare</label>
      <button type="button" onClick=${answer} disabled=${!state.text.trim()}>Answer</button>
      ${backend.locking && html`<button type="button" onClick=${lock}>Forget the key</button>`}
      <button type="button" aria-label="Keys" onClick=${toggleHelp}>?</button>
    </div>
  </header>
  <main class=${[state.shown && "reading", state.compare && "comparing"].filter(Boolean).join(" ")}>
    ${state.error && html`<p class="error" role="alert">${state.error}</p>`}
    ${state.help && html`<${Help} judging=${state.about?.judging} close=${toggleHelp} />`}
    <div class="found" inert=${covered()}>
      ${state.answer && html`<${Answer} answer=${state.answer} stop=${stop} open=${(one) => open(0, one)} />`}
      <div class="sides">${sides().map((side) => html`<${Side} side=${side} key=${side} />`)}</div>
    </div>
    ${state.shown && html`<${Source} shown=${state.shown} close=${close} asSource=${state.asSource} turn=${turnSource}
      wider=${() => open(state.shown.side, state.shown.one,
        Math.min(2000, state.shown.context * WIDER))} />`}
  </main>
  <footer inert=${covered()}>${state.about && html`<p>${state.about.words.join(" · ")}</p>`}</footer>`);

function begin() {
  if (!backend.ready()) return change({ locked: true });
  backend.about().then((about) => change({ about }), failed);
}

function unlock(key) {
  backend.unlock(key);
  change({ locked: false, error: "" });
  begin();
  document.getElementById("question")?.focus();
  untouched = true;
}

function lock() {
  backend.lock();
  stop();
  clearTimeout(timer);
  drop();
  answering = null;
  reading += 1;
  change({ ...empty(), locked: true });
  document.getElementById("key").focus();
}

function failed(error) {
  if (error.locked) {
    lock();
    return change({ error: said(error) });
  }
  return change({ error: said(error) });
}

function draw() {
  render(html`<${Page} />`, document.getElementById("page"));
}

document.addEventListener("keydown", pressed);
document.addEventListener("keyup", () => { held = false; });
document.addEventListener("pointerdown", () => { untouched = false; });
narrow.addEventListener("change", draw);
draw();
begin();
document.getElementById(state.locked ? "key" : "question").focus();
