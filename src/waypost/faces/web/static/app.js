// What pages gain by scripts: they stay fresh, they listen to keys. Everything else works without.
"use strict";

const body = document.body;
const mark = document.getElementById("mark");
const SILENCE = 40000; // the server speaks every 15 seconds

// -- live -------------------------------------------------------------------------------------

let source = null;
let last = body.dataset.last;
let heard = 0;
let isPaused = sessionStorage.getItem("paused") === "yes";
let isBehind = false;

function say(state, text) {
  mark.className = "mark " + state;
  mark.textContent = text;
}

function showMark() {
  if (isPaused) say("stale", "paused");
  else if (source && source.readyState === EventSource.OPEN && Date.now() - heard < SILENCE) say("on", "live");
  else say("stale", "stale");
}

function refresh() {
  isBehind = isPaused;
  if (!isPaused) htmx.trigger(body, "news");
}

function follow() {
  if (source) source.close();
  source = new EventSource("/live?after=" + encodeURIComponent(last));
  const hear = () => { heard = Date.now(); showMark(); };
  source.addEventListener("open", hear);
  source.addEventListener("still", hear);
  source.addEventListener("error", showMark);
  source.addEventListener("news", (event) => {
    hear();
    if (event.lastEventId !== last) {
      last = event.lastEventId;
      refresh();
    }
  });
}

// What somebody is writing in, or has opened, is never replaced under their hands.
function isBusy(region) {
  if (region.contains(document.activeElement) && document.activeElement !== region) {
    if (document.activeElement.matches("input, textarea, select, button")) return true;
  }
  if (region.querySelector("details[open]")) return true;
  return [...region.querySelectorAll("textarea, input:not([type=hidden])")].some((one) => one.value !== one.defaultValue || one.checked !== one.defaultChecked);
}

body.addEventListener("htmx:beforeRequest", (event) => {
  if (event.target.id === "live" && isBusy(event.target)) event.preventDefault();
});
body.addEventListener("htmx:afterSwap", () => { tidy(); mend(); offerCopies(); });
body.addEventListener("htmx:sendError", showMark);
body.addEventListener("htmx:responseError", (event) => {
  if (event.detail.xhr.status === 401) location.reload();
});

document.addEventListener("visibilitychange", () => {
  if (document.hidden) { if (source) source.close(); } else follow();
  showMark();
});
setInterval(showMark, 5000);

// -- times and buttons ------------------------------------------------------------------------

const STEPS = [[86400, "d"], [3600, "h"], [60, "min"]];

function distance(at) {
  const seconds = (at - Date.now()) / 1000;
  const size = Math.abs(seconds);
  for (const [step, unit] of STEPS) {
    if (size >= step) return seconds < 0 ? `${Math.floor(size / step)} ${unit} ago` : `in ${Math.floor(size / step)} ${unit}`;
  }
  return seconds < 0 ? "just now" : "in a moment";
}

function tidy() {
  for (const time of document.querySelectorAll("time[data-at]")) time.textContent = distance(Number(time.dataset.at));
}
setInterval(tidy, 20000);

function mend() {
  const pause = document.getElementById("pause");
  if (!pause) return;
  pause.hidden = false;
  pause.setAttribute("aria-pressed", String(isPaused));
  pause.firstChild.textContent = isPaused ? "Go on " : "Pause ";
  pause.onclick = togglePause;
}

function togglePause() {
  isPaused = !isPaused;
  sessionStorage.setItem("paused", isPaused ? "yes" : "no");
  mend();
  showMark();
  if (!isPaused && isBehind) refresh();
}

// A command can be copied at a press; without scripts it is there to be selected.
function offerCopies() {
  for (const button of document.querySelectorAll("button.copy")) button.hidden = false;
}
body.addEventListener("click", (event) => {
  const button = event.target.closest("button.copy");
  if (!button) return;
  const command = button.closest(".command");
  const refused = () => { command.querySelector("details").open = true; button.textContent = "Select it, and copy"; };
  if (!navigator.clipboard) refused();
  else navigator.clipboard.writeText(command.querySelector("code").textContent).then(() => { button.textContent = "Copied"; }, refused);
});
offerCopies();

// -- keys -------------------------------------------------------------------------------------

const sheet = document.getElementById("keys");
const sheetButton = document.getElementById("keys-button");
sheetButton.hidden = false;
sheetButton.onclick = () => sheet.showModal();

let isGoing = false;

function rows() { return [...document.querySelectorAll("[data-row]")]; }
function here() { return document.querySelector("[data-row].here"); }

function move(step) {
  const all = rows();
  if (!all.length) return;
  const now = all.indexOf(here());
  const next = all[Math.max(0, Math.min(all.length - 1, now < 0 ? (step > 0 ? 0 : all.length - 1) : now + step))];
  if (here()) here().classList.remove("here");
  next.classList.add("here");
  next.scrollIntoView({ block: "nearest" });
}

function within(selector) { return (here() && here().querySelector(selector)) || document.querySelector(selector); }

const KEYS = {
  j: () => move(1),
  k: () => move(-1),
  Enter: () => { const link = here() && here().querySelector("a"); if (link) link.click(); },
  r: () => { const box = within("textarea.reply"); if (box) { box.focus(); box.scrollIntoView({ block: "center" }); } },
  a: () => { const button = within(".buttons button:not(.main)"); if (button) button.focus(); },
  c: () => { location.href = "/compose"; },
  p: () => togglePause(),
  "/": () => document.getElementById("find").focus(),
  "?": () => sheet.showModal(),
  g: () => { isGoing = true; setTimeout(() => { isGoing = false; }, 1500); },
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || sheet.open) return;
  if (event.target.matches("input, textarea, select")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (isGoing) {
    isGoing = false;
    const link = document.querySelector(`nav a[data-key="${CSS.escape(event.key)}"]`);
    if (link) { event.preventDefault(); link.click(); }
    return;
  }
  if (event.key === "Enter" && event.target.matches("a, button, summary")) return;
  const act = KEYS[event.key];
  if (act) { event.preventDefault(); act(); }
});

follow();
mend();
tidy();
