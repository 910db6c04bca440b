// What is drawn. Every text becomes a text node: nothing here makes HTML of a text.
import { h } from "/preact.mjs";
import htm from "/htm.mjs";

export const html = htm.bind(h);
const GRADES = [[3, "answers"], [2, "helps"], [1, "related"], [0, "not relevant"]];

export const Pieces = ({ line }) =>
  line.map(([kind, text]) => (kind === "hit" ? html`<mark>${text}</mark>`
    : kind ? html`<span class=${`c-${kind}`}>${text}</span>` : text));

export const Verdict = ({ pack }) => html`
  <div class=${`verdict ${pack.level}`}>
    <strong>${pack.words}</strong> <span>${pack.reason}</span> <small>${pack.took_ms} ms</small>
    ${[...pack.asides, ...pack.warnings].map((said) => html`<p class="aside">${said}</p>`)}
  </div>`;

const Judge = ({ one, judge }) => html`
  <div class="judge" role="group" aria-label=${`Judge result ${one.number}`}>
    ${GRADES.map(([grade, words]) => html`
      <button type="button" aria-pressed=${one.grade === grade ? "true" : "false"}
        onClick=${() => judge(one, one.grade === grade ? null : grade)}>${words}</button>`)}
  </div>`;

export const Result = ({ one, side, selected, open, judge, why, flow, elsewhere }) => html`
  <li class=${selected ? "result selected" : "result"} id=${`result-${side}-${one.id}`}>
    <h2><button type="button" class="place" aria-current=${selected ? "true" : null}
      onClick=${() => open(one)}>
      <span class="number">${one.number}</span> <span>${one.place}</span></button></h2>
    <p class="about">
      <span class="kind">${one.kind}</span>
      ${one.page && html`<span>${one.page}</span>`}
      ${one.section.length > 0 && html`<span class="section">${one.section.join(" › ")}</span>`}
      ${elsewhere && html`<span class="elsewhere">${elsewhere}</span>`}
      ${one.moved && html`<span>moved since it was indexed</span>`}
      ${one.recognised && html`<span>read by OCR, letters may be wrong</span>`}
    </p>
    <pre class="snippet" tabindex="0" aria-label=${`Passage ${one.number}`}>${one.snippet.map(
      (line) => html`<${Pieces} line=${line} />${"\n"}`)}${
      one.more > 0 ? `… ${one.more} more lines` : ""}</pre>
    <${Judge} one=${one} judge=${judge} />
    <details onToggle=${(event) => event.currentTarget.open && why()}>
      <summary>Why this result</summary>
      <table><caption>Signals</caption>
        <thead><tr><th scope="col">signal</th><th scope="col">kind</th><th scope="col">value</th></tr></thead>
        <tbody>${one.signals.map(([name, kind, value]) => html`
          <tr><td>${name}</td><td>${kind}</td><td>${value}</td></tr>`)}</tbody></table>
      <${Flow} flow=${flow} id=${one.id} />
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
      <li><b>${stage.stage}</b> ${stage.took_ms} ms: ${stage.summary}${
        stage.dropped > 0 ? `; ${stage.dropped} dropped` : ""}</li>`)}</ul>`;
};

export const Source = ({ shown, close, wider }) => {
  const { source, error } = shown;
  return html`
    <section class="source" aria-label="Document" id="source">
      <header>
        <h2>${source ? `${source.source} · ${source.path}` : shown.one.place}</h2>
        <span class="buttons">
          <button type="button" onClick=${wider}>More lines</button>
          <button type="button" onClick=${close}>Close</button>
        </span>
      </header>
      ${error && html`<p class="error" role="alert">${error}</p>`}
      ${source && html`
        <p class="about"><code>${source.citation}</code>
          ${source.page && html` <span>${source.page}</span>`}
          ${source.changed && html` <strong>The file has changed since it was indexed.</strong>`}</p>
        <div class="lines" tabindex="0" role="region" aria-label="Lines of the document">
          <ol>${source.lines.map((line, at) => html`
            <li class=${source.marks.includes(at) ? "line cited" : "line"}
              data-number=${source.first > 0 ? source.first + at : ""}><code><${Pieces} line=${line} /></code></li>`)}</ol>
        </div>`}
    </section>`;
};

export const Answer = ({ answer }) => html`
  <section class="answer" aria-label="Answer">
    <h2>Answer</h2>
    ${answer === "asking" ? html`<p class="aside">An answer is being written…</p>`
      : answer.message ? html`<p class="error" role="alert">${answer.message}</p>` : html`
      ${answer.label && html`<p class="aside">${answer.label}</p>`}
      <p class="text">${answer.text}</p>
      <ol class="sources">${answer.sources.map((one) => html`
        <li value=${one.number}><code>${one.citation}</code></li>`)}</ol>
      ${answer.doubts.map((said) => html`<p class="aside">doubtful: ${said}</p>`)}
      ${answer.notes.map((said) => html`<p class="aside">${said}</p>`)}`}
  </section>`;

export const Help = ({ close }) => html`
  <section class="help" role="dialog" aria-modal="false" aria-label="Keys">
    <h2>Keys</h2>
    <dl>
      <dt><kbd>/</kbd></dt><dd>ask</dd>
      <dt><kbd>j</kbd> <kbd>k</kbd></dt><dd>next result, result before</dd>
      <dt><kbd>Enter</kbd></dt><dd>open the document</dd>
      <dt><kbd>0</kbd> to <kbd>3</kbd></dt><dd>judge: not relevant, related, helps, answers</dd>
      <dt><kbd>Esc</kbd></dt><dd>close, or leave the box</dd>
      <dt><kbd>?</kbd></dt><dd>these keys</dd>
    </dl>
    <button type="button" onClick=${close}>Close</button>
  </section>`;
