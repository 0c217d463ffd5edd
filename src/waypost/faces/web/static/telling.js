// Notifications of the browser, for whoever asked for them and looks away. The server says what
// there is to tell and says it once, so two tabs or a reload never tell twice.
"use strict";

const telling = {
  isOn: () => "Notification" in window && Notification.permission === "granted" && localStorage.getItem("tell") === "yes",

  // Ask, in a moment, what there is to tell; only while nobody looks.
  ask() {
    if (this.soon || !document.hidden || !this.isOn()) return;
    this.soon = setTimeout(() => { this.soon = null; this.tell(); }, 500);
  },

  async tell() {
    const secret = document.querySelector("input[name=secret]");
    const answer = await fetch("/told", {
      method: "POST", body: new URLSearchParams({ secret: secret.value }), headers: { accept: "application/json" },
    }).catch(() => null);
    if (!answer || !answer.ok) return;
    for (const need of (await answer.json()).needs) {
      const shown = new Notification(need.title, { body: need.text, tag: need.path, icon: "/static/icon.svg" });
      shown.onclick = () => { window.focus(); location.assign(need.path); shown.close(); };
    }
  },

  // The button on the page of what needs somebody.
  offer() {
    const button = document.getElementById("tell");
    if (!button || !("Notification" in window) || !window.isSecureContext) return;
    button.hidden = false;
    button.setAttribute("aria-pressed", String(this.isOn()));
    button.textContent = Notification.permission === "denied" ? "The browser forbids notifications"
      : this.isOn() ? "Notifications are on" : "Notify me when I’m away";
    button.disabled = Notification.permission === "denied";
    button.onclick = async () => {
      if (this.isOn()) localStorage.setItem("tell", "no");
      else if (await Notification.requestPermission() === "granted") localStorage.setItem("tell", "yes");
      this.offer();
    };
  },
};
window.telling = telling;
