// What is drawn. Every text becomes a text node: nothing here makes HTML of a text.
import htm from "./htm.mjs";
import { Markdown } from "./markdown.js";
import { h, visible } from "./visible.js";

export const html = htm.bind(h);
const GRADES = [[3, "answers"], [2, "helps"], [1, "related"], [0, "not relevant"]];

export const Pieces = ({ line }) =>
  line.map(([kind, text]) => (kind === "hit" ? html`<mark>${text}</mark>`
    : kind ? html`<span class=${`c-${kind}`}>${text}</span>` : visible(text)));

// `cited`: the first piece that is cited, and the first one after it.
const Cited = ({ line, cited: [first, last] }) => html`<${Pieces} line=${line.slice(0, first)} /><span class="cited"><${Pieces}
  line=${line.slice(first, last)} /></span><${Pieces} line=${line.slice(last)} />`;

const Line = ({ line, cited, number, direction }) => {
  const whole = cited && cited[1] - cited[0] === line.length;
  return html`
    <li class=${["line", cited && (whole ? "cited" : "partly")].filter(Boolean).join(" ")} data-number=${number}><code
      dir=${direction}>${cited && !whole ? html`<${Cited} line=${line} cited=${cited} />` : html`<${Pieces} line=${line} />`}</code></li>`;
};

export const Verdict = ({ pack }) => html`
  <div class=${`verdict ${pack.level}`}>
    <strong>${pack.words}</strong> <span>${pack.reason}</span> <small>${pack.took_ms} ms</small>
    ${[...pack.asides, ...pack.warnings].map((said) => html`<p class="aside">${said}</p>`)}
  </div>`;

const Judge = ({ one, judge }) => html`
  <div class="judge" role="group" aria-label=${`Judge result ${one.number}`}>
    <span class="aside">Judge</span>
    ${GRADES.map(([grade, words]) => html`
      <button type="button" aria-pressed=${one.grade === grade ? "true" : "false"}
        onClick=${() => judge(one, one.grade === grade ? null : grade)}>${words}</button>`)}
  </div>`;

export const Result = ({ one, side, selected, open, judge, why, flow, elsewhere }) => html`
  <li class=${selected ? "result selected" : "result"} id=${`result-${side}-${one.id}`}>
    <h2><button type="button" class="place" aria-current=${selected ? "true" : null}
      onClick=${() => open(one)}>
      <span class="number">${one.number}</span> <bdi>${one.place}</bdi></button></h2>
    <p class="about">
      <span class="kind">${one.kind}</span>
      ${one.page && html`<span>${one.page}</span>`}
      ${one.section.length > 0 && html`<span class="section">${one.section.map((name, at) => html`${at > 0 ? " › " : ""}<bdi>${name}</bdi>`)}</span>`}
      ${elsewhere && html`<span class="elsewhere">${elsewhere}</span>`}
      ${one.moved && html`<span>moved since it was indexed</span>`}
      ${one.recognised && html`<span>read by OCR, letters may be wrong</span>`}
    </p>
    <pre class="snippet" dir=${one.kind === "code" ? "ltr" : "auto"} tabindex="0" aria-label=${`Passage ${one.number}`}>${one.snippet.map(
      (line) => html`<${Pieces} line=${line} />${"\n"}`)}${
      one.more > 0 ? `… ${one.more} more lines` : ""}</pre>
    ${judge && html`<${Judge} one=${one} judge=${judge} />`}
    <details onToggle=${(event) => event.currentTarget.open && why()}>
      <summary>Why this result</summary>
      <${Flow} flow=${flow} id=${one.id} />
      <table><caption>Signals</caption>
        <thead><tr><th scope="col">signal</th><th scope="col">kind</th><th scope="col">value</th></tr></thead>
        <tbody>${one.signals.map(([name, kind, value]) => html`
          <tr><td>${name}</td><td>${kind}</td><td>${value}</td></tr>`)}</tbody></table>
    </details>
  </li>`;

const Flow = ({ flow, id }) => {
  if (!flow) return html`<p class="aside">Stages are being asked…</p>`;
  if (flow.message) return html`<p class="aside">${flow.message}</p>`;
  const ranked = flow.stages.filter((stage) => stage.ranks[id]);
  return html`
    <p class="flow">${ranked.map((stage, at) => html`${at > 0 ? " → " : ""}<span>${stage.stage}${" "}
      <b>${stage.ranks[id]}</b></span>`)}</p>
    <ul class="stages">${flow.stages.map((stage) => html`
      <li><b>${stage.stage}</b> ${[`${stage.took_ms} ms`, stage.summary].filter(Boolean).join(": ")}${
        stage.dropped > 0 && !stage.summary.includes("dropped") ? `; ${stage.dropped} dropped` : ""}</li>`)}</ul>`;
};

// Scrolls within its own region alone: the page around it stays where it is. A place that is not wrapped may be far right.
export function toMiddle(element, region) {
  const around = element?.closest(region);
  if (!around) return;
  const [inner, outer] = [element.getBoundingClientRect(), around.getBoundingClientRect()];
  around.scrollTop += inner.top - outer.top - Math.max(0, (outer.height - inner.height) / 2);
  if (inner.left < outer.left || inner.left > outer.right) around.scrollLeft += inner.left - outer.left - outer.width / 4;
}

const toBox = (event) => toMiddle(event.currentTarget.parentElement.querySelector(".box"), ".pagepicture");

// The boxes are drawn by attributes of SVG: the policy allows no styles inside the page.
const Picture = ({ picture }) => html`
  <div class="pagepicture" tabindex="0" role="region" aria-label="Picture of the page">
    ${!picture ? html`<p class="aside">The page is being drawn…</p>`
      : picture.message ? html`<p class="aside">No picture: ${picture.message}</p>` : html`
      <div class="sheet">
        <img src=${picture.address} alt=${`Page ${picture.page}, with ${picture.boxes.length} marked ${picture.boxes.length === 1 ? "place" : "places"}`} onLoad=${toBox} />
        <svg viewBox=${`0 0 ${picture.width} ${picture.height}`} preserveAspectRatio="none" aria-hidden="true">
          ${picture.boxes.map(([left, top, right, bottom]) => html`<rect class="box" x=${left} y=${top}
            width=${right - left} height=${bottom - top} />`)}
        </svg>
      </div>`}
  </div>`;

export const Source = ({ shown, close, wider, asSource, turn }) => {
  const { source, error } = shown;
  const drawn = source?.rendered && !asSource;
  return html`
    <section class="source" aria-label="Document" id="source">
      <header>
        <h2>${source ? html`<bdi>${source.source}</bdi> · <bdi>${source.path}</bdi>` : html`<bdi>${shown.one.place}</bdi>`}</h2>
        <span class="buttons">
          ${source?.rendered && html`<button type="button" aria-pressed=${asSource ? "true" : "false"}
            onClick=${turn}>Source</button>`}
          <button type="button" onClick=${wider}>More lines</button>
          <button type="button" onClick=${close}>Close</button>
        </span>
      </header>
      ${error && html`<p class="error" role="alert">${error}</p>`}
      ${source && html`
        <p class="about"><code><bdi>${source.citation}</bdi></code>
          ${(source.page || shown.one.page) && html` <span>${source.page || shown.one.page}</span>`}
          ${source.changed && html` <strong>The file has changed since it was indexed.</strong>`}</p>
        ${source.pictured && html`<${Picture} picture=${shown.picture} />`}
        ${drawn ? html`<${Markdown} rendered=${source.rendered} />` : html`
        <div class=${source.code ? "lines code" : "lines"} tabindex="0" role="region" aria-label="Lines of the document">
          <ol>${source.lines.map((line, at) => html`<${Line} line=${line} cited=${source.marks[at]}
            number=${source.first > 0 ? source.first + at : ""} direction=${source.code ? "ltr" : "auto"} />`)}</ol>
        </div>`}`}
    </section>`;
};

// The texts and the cited numbers of an answer. A backslash before a bracket says that it cites nothing.
const pieces = (text) => text.split(/(\\[[【［][^\\[\]\n]{0,80}\d[^\\[\]\n]{0,80}[\]】］]|\[\d{1,4}\])/).map((piece, at) =>
  (at % 2 === 0 ? piece : piece.startsWith("\\") ? piece.slice(1) : +piece.slice(1, -1)));

const cite = (answer, number, open) => {
  const one = answer.sources.find((each) => each.number === number);
  return one ? html`<button type="button" class="cite" title=${one.place} aria-label=${`Source ${number}: ${one.place}`}
    onClick=${() => open(one)}>[${number}]</button>` : `[${number}]`;
};

export const Answer = ({ answer, stop, open }) => html`
  <section class="answer" tabindex="-1" aria-label="Answer" aria-busy=${answer.writing ? "true" : "false"}>
    <h2>Answer${answer.writing && html` <button type="button" class="stop" onClick=${stop}>Stop</button>`}</h2>
    <div role="status">${answer.writing && html`<p class="aside">An answer is being written…</p>`}</div>
    ${answer.label && html`<p class="aside">${answer.label}</p>`}
    ${answer.text && html`<p class="text" dir="auto">${pieces(answer.text).map(
      (piece) => (typeof piece === "number" ? cite(answer, piece, open) : piece))}</p>`}
    ${answer.message && html`<p class="error" role="alert">${answer.message}</p>`}
    <ol class="sources">${answer.sources.map((one) => html`
      <li value=${one.number}><button type="button" class="place" title=${one.citation}
        onClick=${() => open(one)}><bdi>${one.place}</bdi></button></li>`)}</ol>
    ${answer.doubts.map((said) => html`<p class="aside">doubtful: ${said}</p>`)}
    ${answer.notes.map((said) => html`<p class="aside">${said}</p>`)}
  </section>`;

export const Lock = ({ unlock, error }) => html`
  <main class="lock"><h1>Pincite</h1>
    <form onSubmit=${(event) => { event.preventDefault(); unlock(event.target.elements.key.value.trim()); }}>
      <input type="text" autocomplete="username" value=${location.host} hidden readonly />
      <label for="key">Key of this server</label>
      <input id="key" name="key" type="password" autocomplete="current-password" required maxlength="10000" />
      <button type="submit">Open</button>
    </form>
    ${error && html`<p class="error" role="alert">${error}</p>`}
    <p class="aside">The page keeps the key in its memory alone, until it is closed or loaded again. It is sent to this server only.</p>
  </main>`;

export const Help = ({ close, judging }) => html`
  <section class="help" tabindex="-1" role="dialog" aria-modal="false" aria-label="Keys">
    <h2>Keys</h2>
    <dl>
      <dt><kbd>/</kbd></dt><dd>ask</dd>
      <dt><kbd>j</kbd> <kbd>k</kbd></dt><dd>next result, result before</dd>
      <dt><kbd>Enter</kbd></dt><dd>open the document</dd>
      <dt><kbd>s</kbd></dt><dd>Markdown: rendered, or its source</dd>
      ${judging && html`<dt><kbd>0</kbd> to <kbd>3</kbd></dt><dd>judge: not relevant, related, helps, answers</dd>`}
      <dt><kbd>a</kbd></dt><dd>answer the question</dd>
      <dt><kbd>Esc</kbd></dt><dd>close, stop an answer, or leave the box</dd>
      <dt><kbd>?</kbd></dt><dd>these keys</dd>
    </dl>
    <button type="button" onClick=${close}>Close</button>
  </section>`;
