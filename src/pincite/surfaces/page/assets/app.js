// What is asked, and what the keys do. One value holds all that is shown; it is drawn anew.
import { render } from "/preact.mjs";
import { Answer, Help, Result, Source, Verdict, html } from "/parts.js";

const PAUSE_MS = 120; // without a key before a question is asked; guess, unmeasured
const WIDER = 4;
const LONGEST = 10000; // characters of a question
const token = readToken();
const state = {
  about: null, text: "", compare: false, presets: ["", ""], packs: [null, null], flows: [null, null],
  side: 0, at: -1, shown: null, answer: null, help: false, error: "",
};
const asking = [null, null];
let timer = 0;
let reading = 0;
let turns = 0;

function readToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given) {
    sessionStorage.setItem("token", given);
    history.replaceState(null, "", location.pathname);
  }
  return given || sessionStorage.getItem("token") || "";
}

async function send(name, body, signal) {
  const response = await fetch(`/api/${name}`, {
    method: "POST", body: JSON.stringify(body), signal,
    headers: { "Content-Type": "application/json", "X-Pincite-Token": token },
  });
  const found = await response.json().catch(() => ({ message: `the server said ${response.status}`, hint: "" }));
  if (!response.ok) throw new Error(found.hint ? `${found.message} (${found.hint})` : found.message);
  return found;
}

const said = (error) => (error instanceof TypeError
  ? "The server does not answer; is `pincite ui` still running?" : error.message);

function change(values) {
  Object.assign(state, values);
  draw();
}

function results(side) {
  const pack = state.packs[side];
  return pack ? [...pack.results, ...pack.closest] : [];
}

const sides = () => (state.compare ? [0, 1] : [0]);

function typed(text) {
  change({ text });
  clearTimeout(timer);
  timer = setTimeout(ask, PAUSE_MS);
}

async function ask() {
  clearTimeout(timer);
  const text = state.text.trim();
  change({ answer: null, shown: null });
  asking.forEach((one) => one && one.abort());
  if (!text) return change({ packs: [null, null], flows: [null, null], at: -1, error: "" });
  await Promise.all(sides().map((side) => askSide(side, text)));
}

async function askSide(side, text) {
  const mine = (asking[side] = new AbortController());
  try {
    const pack = await send("ask", { text, preset: state.presets[side] }, mine.signal);
    if (mine !== asking[side]) return;
    state.packs[side] = { ...pack, turn: (turns += 1) };
    state.flows[side] = null;
    change({ at: -1, side: 0, error: "" });
  } catch (error) {
    if (mine !== asking[side] || error.name === "AbortError") return;
    state.packs[side] = null;
    change({ error: said(error) });
  }
}

async function why(side) {
  if (state.flows[side]) return;
  const pack = state.packs[side];
  let flow;
  try {
    flow = await send("why", { text: pack.query, preset: state.presets[side] });
  } catch (error) {
    flow = { message: said(error) };
  }
  if (state.packs[side] !== pack) return;
  state.flows[side] = flow;
  draw();
}

async function open(side, one, context = 30) {
  const turn = (reading += 1);
  const at = results(side).indexOf(one);
  const shown = { one, context, side, source: null, error: "" };
  if (!state.shown || state.shown.one !== one) change({ shown, side, at });
  try {
    shown.source = await send("source", {
      citation: one.citation, collection: one.collection, language: one.language, context,
    });
  } catch (error) {
    shown.error = said(error);
  }
  if (turn !== reading || !state.shown) return;
  change({ shown });
  document.querySelector(".line.cited")?.scrollIntoView({ block: "center" });
  if (context === 30) document.querySelector("#source .lines")?.focus({ preventScroll: true });
}

function close() {
  reading += 1;
  const { shown } = state;
  change({ shown: null, help: false });
  if (shown) document.querySelector(`#result-${shown.side}-${shown.one.id} .place`)?.focus();
}

async function judge(one, grade) {
  const text = sides().map((side) => state.packs[side]).find((pack) => pack && [
    ...pack.results, ...pack.closest].includes(one))?.query;
  try {
    const judged = sides().flatMap(results).filter((each) => each.id === one.id);
    await send("judge", { text, grade, ...one.judged });
    for (const each of judged) each.grade = grade;
    change({ error: "" });
  } catch (error) {
    change({ error: said(error) });
  }
}

async function answer() {
  const text = state.text.trim();
  if (!text) return;
  change({ answer: "asking" });
  let found;
  try {
    found = await send("answer", { text, preset: state.presets[0] });
  } catch (error) {
    found = { message: said(error) };
  }
  if (state.text.trim() === text) change({ answer: found });
}

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

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const box = document.getElementById("question");
  const inBox = event.target === box;
  const one = results(state.side)[state.at];
  if (event.key === "Escape") {
    if (state.shown || state.help) close();
    else box.blur();
  } else if (inBox && event.key === "Enter") {
    event.preventDefault();
    ask().then(() => { box.blur(); state.at = -1; move(1); });
  } else if (inBox || event.target.matches?.("select, input")) {
    return;
  } else if (event.key === "/") {
    event.preventDefault();
    box.focus();
    box.select();
  } else if (event.key === "j") move(1);
  else if (event.key === "k") move(-1);
  else if (event.key === "?") change({ help: !state.help });
  else if (event.key === "Enter" && one && event.target === document.body) open(state.side, one);
  else if (one && /^[0-3]$/.test(event.key)) judge(one, one.grade === +event.key ? null : +event.key);
}

const Preset = ({ side }) => html`
  <label>${state.compare ? `Profile ${side + 1}` : "Profile"}${" "}
    <select onChange=${(event) => { state.presets[side] = event.target.value; ask(); }}>
      <option value="" selected=${!state.presets[side]}>${
        state.about?.preset || "as configured"}</option>
      ${(state.about?.presets || []).map((name) => html`
        <option value=${name} selected=${state.presets[side] === name}>${name}</option>`)}
    </select></label>`;

function elsewhere(side, one) {
  if (!state.compare || !state.packs[1 - side]) return "";
  const other = results(1 - side).find((each) => each.id === one.id);
  return other ? `${other.number} in the other` : "not in the other";
}

const Side = ({ side }) => {
  const pack = state.packs[side];
  const one = (each) => html`<${Result} key=${`${pack.turn}-${each.id}`} one=${each} side=${side} judge=${judge}
    selected=${state.side === side && results(side)[state.at] === each} flow=${state.flows[side]} elsewhere=${elsewhere(side, each)}
    open=${() => open(side, each)} why=${() => why(side)} />`;
  return html`
    <section class="side" aria-label=${state.compare ? `Results of profile ${side + 1}` : "Results"}>
      <div role="status" aria-live="polite">${pack && html`<${Verdict} pack=${pack} />`}</div>
      ${pack && pack.results.length > 0 && html`<ol class="results">${pack.results.map(one)}</ol>`}
      ${pack && pack.closest.length > 0 && html`
        <h2>Closest passages, below the bar: they are no evidence</h2>
        <ol class="results">${pack.closest.map(one)}</ol>`}
    </section>`;
};

const Page = () => html`
  <header class="top">
    <h1>Pincite</h1>
    <form role="search" onSubmit=${(event) => event.preventDefault()}>
      <input id="question" type="search" aria-label="Question" placeholder="Ask what is indexed"
        autocomplete="off" spellcheck=${false} maxlength=${LONGEST} value=${state.text}
        onInput=${(event) => typed(event.target.value)} />
    </form>
    <div class="choices">
      ${sides().map((side) => html`<${Preset} side=${side} />`)}
      <label><input type="checkbox" checked=${state.compare} onChange=${(event) => {
        change({ compare: event.target.checked, at: -1, side: 0 }); ask(); }} /> Compare</label>
      <button type="button" onClick=${answer} disabled=${!state.text.trim()}>Answer</button>
      <button type="button" aria-label="Keys" onClick=${() => change({ help: !state.help })}>?</button>
    </div>
  </header>
  <main class=${[state.shown && "reading", state.compare && "comparing"].filter(Boolean).join(" ")}>
    ${state.error && html`<p class="error" role="alert">${state.error}</p>`}
    ${state.help && html`<${Help} close=${() => change({ help: false })} />`}
    <div class="found">
      ${state.answer && html`<${Answer} answer=${state.answer} />`}
      <div class="sides">${sides().map((side) => html`<${Side} side=${side} key=${side} />`)}</div>
    </div>
    ${state.shown && html`<${Source} shown=${state.shown} close=${close}
      wider=${() => open(state.shown.side, state.shown.one,
        Math.min(2000, state.shown.context * WIDER))} />`}
  </main>
  <footer>${state.about && html`<p>${state.about.index} · judgements: ${state.about.golden} ·${" "}
    ${state.about.model || "no language model"} · ${state.about.version}</p>`}</footer>`;

function draw() {
  render(html`<${Page} />`, document.getElementById("page"));
}

document.addEventListener("keydown", pressed);
draw();
document.getElementById("question").focus();
send("about", {}).then((about) => change({ about }), (error) => change({ error: said(error) }));
