// What pages gain by scripts: they stay fresh, and forms tell at once what becomes of them.
// Keys are in keys.js, notifications in telling.js. Everything else works without.
"use strict";

const body = document.body;
const main = () => document.getElementById("main");
const mark = document.getElementById("mark");
const SILENCE = 40000; // the server speaks every 15 seconds
const AGAIN = 3000;

function made(tag, given, ...inside) {
  const one = Object.assign(document.createElement(tag), given);
  one.append(...inside);
  return one;
}

// -- live -------------------------------------------------------------------------------------

let source = null;
let last = body.dataset.last;
let heard = 0;
let isPaused = sessionStorage.getItem("paused") === "yes";
let isBehind = false;
let isOut = false; // the session is over

const follows = () => !document.hidden || (window.telling && telling.isOn());

function say(state, text) {
  if (mark.textContent !== text) mark.textContent = text;
  mark.className = "mark " + state;
}

function showMark() {
  if (isOut) say("stale", "logged out");
  else if (isPaused) say("stale", "paused");
  else if (source && source.readyState === EventSource.OPEN && Date.now() - heard < SILENCE) say("on", "live");
  else say("stale", "stale");
}

function refresh() {
  isBehind = isPaused || document.hidden;
  if (!isBehind) htmx.trigger(body, "news");
}

function follow() {
  if (source) source.close();
  source = null;
  if (!follows()) return;
  heard = Date.now();
  source = new EventSource("/live?after=" + encodeURIComponent(last) + (document.hidden ? "&away=1" : ""));
  const hear = () => { heard = Date.now(); showMark(); if (window.telling) telling.ask(); };
  source.addEventListener("open", hear);
  source.addEventListener("still", hear);
  source.addEventListener("over", checkSession);
  source.addEventListener("error", () => { showMark(); if (source && source.readyState === EventSource.CLOSED) checkSession(); });
  source.addEventListener("news", (event) => {
    hear();
    if (event.lastEventId === last) return;
    last = event.lastEventId;
    refresh();
  });
}

// The stream was refused, or ended: is the session over, or is it the server?
let isChecking = false;
function checkSession() {
  if (isChecking) return;
  isChecking = true;
  fetch("/choices", { cache: "no-store" }).then((answer) => answer.status === 401, () => false).then((isOver) => {
    isChecking = false;
    if (isOver) { leave(); return; }
    if (isOut) comeIn();
    setTimeout(follow, AGAIN);
  });
}

function leave() {
  if (source) source.close();
  source = null;
  isOut = true;
  showMark();
  if (!document.getElementById("out")) {
    main().prepend(failure("out", "Your session is over.", "Run waypost open on the machine that serves this office, and follow its link here or in another tab. What you typed stays."));
  }
  setTimeout(checkSession, AGAIN);
}

function comeIn() {
  isOut = false;
  document.getElementById("out")?.remove();
  renewSecret();
}

// What somebody is writing in, or has opened, is never replaced under their hands.
function isBusy(region) {
  if (region.contains(document.activeElement) && document.activeElement !== region) {
    if (document.activeElement.matches("input, textarea, select, button")) return true;
  }
  if (region.querySelector("details[open], [aria-busy=true], .failed[data-mine]")) return true;
  return [...region.querySelectorAll("textarea, input:not([type=hidden])")].some((one) => one.value !== one.defaultValue || one.checked !== one.defaultChecked);
}

body.addEventListener("htmx:beforeRequest", (event) => {
  if (event.target.id !== "live") return;
  isBehind = isBusy(event.target);
  if (isBehind) event.preventDefault();
});
body.addEventListener("htmx:afterSwap", () => { tidy(); mend(); offerCopies(); if (window.keys) keys.restore(); });
body.addEventListener("htmx:sendError", showMark);
body.addEventListener("htmx:responseError", (event) => { if (event.detail.xhr.status === 401) checkSession(); });

document.addEventListener("visibilitychange", () => {
  follow();
  showMark();
  if (!document.hidden && isBehind) refresh();
});
document.addEventListener("focusout", () => setTimeout(() => { if (isBehind) refresh(); }, 0));
// A stream can be dead without a word, as after the machine slept.
setInterval(() => {
  if (source && !isOut && Date.now() - heard > SILENCE) follow();
  showMark();
}, 5000);

// -- forms ------------------------------------------------------------------------------------

const LOST = "It isn’t known whether it arrived. What you typed is still here: once the mark says live, look whether it did, and press again if not.";

function failure(id, what, hint) {
  const box = made("div", { className: "failed", id, tabIndex: -1 }, made("b", { textContent: what }));
  if (hint) box.append(made("p", { textContent: hint }));
  box.setAttribute("role", "alert");
  box.dataset.mine = "yes";
  return box;
}

// A session that began elsewhere has another secret: our forms take that of a page fetched anew.
async function renewSecret() {
  const page = new DOMParser().parseFromString(await (await fetch("/", { cache: "no-store" })).text(), "text/html");
  const secret = page.querySelector("input[name=secret]")?.value;
  if (secret) for (const one of document.querySelectorAll("input[name=secret]")) one.value = secret;
}

async function deliver(form, button) {
  const data = new FormData(form);
  if (button?.name) data.append(button.name, button.value);
  const isLong = form.getAttribute("enctype") === "multipart/form-data";
  const answer = await fetch(button?.getAttribute("formaction") || form.getAttribute("action"), {
    method: "POST", body: isLong ? data : new URLSearchParams(data), headers: { accept: "application/json" },
  });
  if (answer.status === 401) return failure("failed", "Your session is over.", "Run waypost open, follow its link in another tab, and press again here. What you typed stays.");
  if (!answer.headers.get("content-type")?.startsWith("application/json")) return answer.text();
  const said = await answer.json();
  if (said.go) return new URL(said.go, location.href);
  if (answer.status === 403) await renewSecret();
  return failure("failed", said.details || "That didn’t work.", said.hint);
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (form.getAttribute("method") !== "post" || !main().contains(form)) return;
  event.preventDefault();
  if (form.getAttribute("aria-busy") === "true") return;
  form.setAttribute("aria-busy", "true");
  event.submitter?.classList.add("pressed");
  document.getElementById("failed")?.remove();
  const came = await deliver(form, event.submitter).catch(() => failure("failed", "The server doesn’t answer.", LOST));
  if (came instanceof URL) { location.assign(came); return; }
  form.removeAttribute("aria-busy");
  event.submitter?.classList.remove("pressed");
  if (typeof came === "string") { show(came); return; }
  form.prepend(came);
  came.focus();
});

// A page that came instead of the next one: a form with its problems, or what was found.
function show(text) {
  const page = new DOMParser().parseFromString(text, "text/html");
  main().replaceWith(document.adoptNode(page.getElementById("main")));
  document.title = page.title;
  htmx.process(main());
  tidy();
  mend();
  const first = main().querySelector("[role=alert], .said") || main();
  first.tabIndex = -1;
  first.focus();
}

// A page that is gone back to has nothing under way any more.
window.addEventListener("pageshow", (event) => {
  if (!event.persisted) return;
  for (const one of document.querySelectorAll("[aria-busy]")) one.removeAttribute("aria-busy");
  for (const one of document.querySelectorAll(".pressed")) one.classList.remove("pressed");
  follow();
});

// What was done is said once: not again when the page is loaded again.
if (/[?&]did=/.test(location.search)) {
  const clean = new URL(location.href);
  clean.searchParams.delete("did");
  clean.searchParams.delete("undo");
  history.replaceState(null, "", clean);
}

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
  if (pause) {
    pause.hidden = false;
    pause.setAttribute("aria-pressed", String(isPaused));
    pause.firstChild.textContent = isPaused ? "Go on " : "Pause ";
    pause.onclick = togglePause;
  }
  if (window.telling) telling.offer();
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

document.addEventListener("DOMContentLoaded", () => { follow(); mend(); tidy(); });
