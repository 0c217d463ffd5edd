// Keys, the sheet that lists them, and the palette. KEYS is the one table of them all.
"use strict";

const sheet = document.getElementById("keys");
const palette = document.getElementById("palette");

const rows = () => [...document.querySelectorAll("[data-row]")];
const here = () => document.querySelector("[data-row].here");
const within = (selector) => (here() || document).querySelector(selector);

function choose(row) {
  if (here()) here().classList.remove("here");
  row.classList.add("here");
  row.scrollIntoView({ block: "nearest" });
}

function move(step) {
  const all = rows();
  if (!all.length) return;
  const now = all.indexOf(here());
  choose(all[Math.max(0, Math.min(all.length - 1, now < 0 ? (step > 0 ? 0 : all.length - 1) : now + step))]);
}

// The box by which a row of a list is chosen, where many can be.
const boxOf = (row) => row.querySelector("input[type=checkbox]");

// What changes something acts on the chosen row; without one, the first is only chosen.
function onChosen(selector, act) {
  const box = here() && boxOf(here());
  const button = here() && (here().querySelector(selector) || (box && box.form.querySelector(selector)));
  if (button && box) box.checked = true;
  if (button) act(button);
  else if (!here()) move(1);
}

function focusOn(one) {
  if (!one) return;
  const folded = one.closest("details");
  if (folded) folded.open = true;
  one.focus();
  one.scrollIntoView({ block: "center" });
}

// A refusal wants a reason: the note first, then the button, or Ctrl+Enter.
function refuse(button) {
  const note = button.form.querySelector("textarea, input[name=reason]");
  if (!note || note.value) { focusOn(button); return; }
  button.form.chosen = button;
  note.placeholder = `Why? Then Ctrl+Enter: ${button.textContent.trim()}`;
  note.addEventListener("blur", () => { button.form.chosen = null; note.placeholder = ""; }, { once: true });
  focusOn(note);
}

const GOING = 1500;
let isGoing = 0;

const KEYS = [
  { on: ["j"], says: "next", act: () => move(1) },
  { on: ["k"], says: "previous", act: () => move(-1) },
  { on: ["Enter"], shown: "enter", says: "open", act: () => within("a")?.click() },
  { on: ["r"], says: "reply or answer", act: () => focusOn(here()?.querySelector("textarea.reply") || document.querySelector("textarea.reply")) },
  { on: ["a"], says: "to the first button: an option, approve", act: () => focusOn((here()?.querySelector(".buttons button:not(.main)")) || document.querySelector(".buttons button:not(.main)")) },
  { on: ["d"], says: "deny, discard or release: to the reason for it", act: () => onChosen("button[value=deny], button.danger", refuse) },
  { on: ["e"], says: "put away, done", act: () => onChosen('button[formaction="/put-away"], [data-does=done]', (button) => button.click()) },
  { on: ["x"], says: "tick the row", act: () => { const box = here() && boxOf(here()); if (box) box.click(); } },
  { on: ["z"], says: "undo what was just done", act: () => document.querySelector("#undo button")?.click() },
  { on: ["/"], says: "search", act: () => document.getElementById("find").focus() },
  { on: ["c"], says: "compose", act: () => location.assign("/compose") },
  { on: ["p"], says: "pause, go on", act: () => togglePause() },
  { on: [":"], shown: ": or ctrl k", says: "the palette: go anywhere", act: () => openPalette() },
  { on: ["?"], says: "this sheet", act: () => openSheet() },
  { on: ["g"], says: "and a letter: go to a view", act: () => { isGoing = Date.now(); } },
  { on: [], shown: "ctrl enter", says: "send what is written" },
  { on: [], shown: "escape", says: "out of a field, a sheet, the palette" },
];
const views = () => [...document.querySelectorAll("nav a[data-key]")];
const nameOf = (link) => link.firstChild.textContent.trim();

function openSheet() {
  const list = sheet.querySelector("dl");
  if (!list.children.length) {
    const listed = [...KEYS.map((key) => [(key.shown || key.on[0]), key.says]), ...views().map((link) => [`g ${link.dataset.key}`, nameOf(link)])];
    for (const [shown, says] of listed) {
      const caps = shown.split(" ").flatMap((word) => (word === "or" ? [" or "] : [made("kbd", { textContent: word }), " "]));
      list.append(made("dt", {}, ...caps), made("dd", { textContent: says }));
    }
  }
  sheet.showModal();
}

document.addEventListener("keydown", (event) => {
  const isWriting = event.target.matches("input:not([type=checkbox]), textarea, select");
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k" && !event.altKey && !event.shiftKey) {
    event.preventDefault();
    if (!sheet.open && !palette.open) openPalette();
    return;
  }
  if ((event.ctrlKey || event.metaKey) && event.key === "Enter" && event.target.form && event.target.closest("main")) {
    event.preventDefault();
    const form = event.target.form;
    if (!form.chosen && form.querySelector("button:disabled")) return; // which refuses to guess
    form.requestSubmit(form.chosen || form.querySelector("button.main") || form.querySelector("button") || undefined);
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || sheet.open || palette.open) return;
  if (isWriting) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (Date.now() - isGoing < GOING) {
    isGoing = 0;
    const link = views().find((one) => one.dataset.key === event.key);
    if (link) { event.preventDefault(); link.click(); }
    return;
  }
  if (event.key === "Enter" && event.target.matches("a, button, summary, input")) return;
  const found = KEYS.find((key) => key.on.includes(event.key));
  if (found) { event.preventDefault(); found.act(); }
});

// News replaces the list: the row that was chosen stays so.
let chosen = null;
body.addEventListener("htmx:beforeSwap", () => { chosen = here() && (here().id || here().querySelector("a")?.getAttribute("href")); });
window.keys = {
  restore() {
    const again = chosen && rows().find((row) => row.id === chosen || row.querySelector("a")?.getAttribute("href") === chosen);
    if (again && !here()) again.classList.add("here");
  },
};

// -- the palette ------------------------------------------------------------------------------

const asked = palette.querySelector("input");
const listed = palette.querySelector("[role=listbox]");
const counted = palette.querySelector("[role=status]");
const MOST = 9;
let offers = [];
let shown = [];
let at = 0;

let loaded = null; // once there is more than the views

function openPalette() {
  asked.value = "";
  offers = views().map((link) => ({ says: nameOf(link), kind: "view", path: link.getAttribute("href") }));
  palette.showModal();
  offer();
  loaded = loadMore();
}

async function loadMore() {
  const answer = await fetch("/choices").catch(() => null);
  if (!answer || !answer.ok) return;
  const found = await answer.json();
  offers.push(...found.agents.map((name) => ({ says: name, kind: "inbox", path: "/inbox?" + new URLSearchParams({ agent: name }) })));
  offers.push(...found.types.map((name) => ({ says: name, kind: "compose", path: "/compose?" + new URLSearchParams({ type: name }) })));
  offer();
}

// Every word must be in it; what begins with it comes first.
function rankOf(one, words) {
  const text = `${one.says} ${one.kind}`.toLowerCase();
  if (!words.every((word) => text.includes(word))) return -1;
  return words.length && !text.startsWith(words[0]) ? 1 : 0;
}

function offer() {
  const words = asked.value.toLowerCase().split(/[\s_]+/).filter(Boolean);
  shown = offers.map((one) => [rankOf(one, words), one]).filter(([rank]) => rank >= 0)
    .sort((one, other) => one[0] - other[0]).map(([, one]) => one).slice(0, MOST);
  const wanted = asked.value.trim();
  if (wanted) shown.push({ says: `“${wanted}”`, kind: "search", path: "/search?" + new URLSearchParams({ q: wanted }) });
  listed.replaceChildren(...shown.map((one, index) => {
    const row = made("li", { id: `choice-${index}`, onclick: () => location.assign(one.path) },
      made("span", { textContent: one.says }), " ", made("span", { className: "small", textContent: one.kind }));
    row.setAttribute("role", "option");
    return row;
  }));
  counted.textContent = shown.length === 1 ? "1 choice" : `${shown.length} choices`;
  point(0);
}

function point(index) {
  at = shown.length ? (index + shown.length) % shown.length : 0;
  [...listed.children].forEach((row, place) => row.setAttribute("aria-selected", String(place === at)));
  const row = listed.children[at];
  if (row) { asked.setAttribute("aria-activedescendant", row.id); row.scrollIntoView({ block: "nearest" }); }
  else asked.removeAttribute("aria-activedescendant");
}

asked.addEventListener("input", offer);
asked.addEventListener("keydown", async (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) { event.preventDefault(); point(at + step); }
  if (event.key === "Enter") {
    event.preventDefault();
    await loaded; // a fast hand means what it can't see yet
    if (shown[at]) { palette.close(); location.assign(shown[at].path); }
  }
});

for (const [name, open] of [["keys-button", openSheet], ["palette-button", openPalette]]) {
  const button = document.getElementById(name);
  button.hidden = false;
  button.onclick = open;
}
