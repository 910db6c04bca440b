// Asks the server that the page is from: `pincite ui` with the token of its address, `pincite serve` with a user's key.
const API = new URL("api/", import.meta.url);
const TOKEN = "token"; // in the address and in the storage of the tab, so that a reload finds it

// A user's key stays in this variable: no storage, no address and no other page has it.
let key = "";
export const locking = document.documentElement.dataset.credential === "key";
const token = locking ? "" : readToken();

function readToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get(TOKEN);
  if (given) {
    sessionStorage.setItem(TOKEN, given);
    history.replaceState(null, "", location.pathname);
  }
  return given || sessionStorage.getItem(TOKEN) || "";
}

export const ready = () => !locking || key !== "";
export const unlock = (given) => { key = given; };
export const lock = () => { key = ""; };

const locked = (words) => Object.assign(new Error(words), { locked: true });
const told = (found) => [found.message || found.detail || found.title, found.hint].filter(Boolean).join("; ");

function credential() {
  if (!locking) return { "X-Pincite-Token": token };
  if (!/^[\x21-\x7e]+$/.test(key)) throw locked("A key has letters, digits and marks alone.");
  return { Authorization: `Bearer ${key}` };
}

async function request(name, body, signal) {
  const response = await fetch(new URL(name, API), {
    method: "POST", body: JSON.stringify(body), signal, referrerPolicy: "no-referrer",
    headers: { "Content-Type": "application/json", ...credential() },
  });
  if (response.ok) return response;
  const found = await response.json().catch(() => ({}));
  if (locking && response.status === 401) throw locked("The server does not know this key, or it has ended.");
  throw new Error(told(found) || `the server said ${response.status}`);
}

const send = async (name, body, signal) => (await request(name, body, signal)).json();

export const about = () => send("about", {});
export const ask = (text, preset, signal) => send("ask", { text, preset }, signal);
export const why = (text, preset) => send("why", { text, preset });
export const judge = (text, grade, judged) => send("judge", { text, grade, ...judged });
export const picture = ({ citation, collection }) => send("picture", { citation, collection });
export const source = ({ citation, collection, language }, context) =>
  send("source", { citation, collection, language, context });

export async function answer(text, preset, signal, heard) {
  const response = await request("answer", { text, preset }, signal);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    lines.filter(Boolean).forEach((line) => {
      const event = JSON.parse(line);
      if (event.problem) throw new Error(told(event.problem));
      heard(event);
    });
  }
}
