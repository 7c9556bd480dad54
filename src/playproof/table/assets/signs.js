// What this browser remembers for its person, and how it says whose turn it is: the tab, a sound, a notification.
"use strict";
const Table = {
  part: () => document.getElementById("table"),
  felt: () => document.getElementById("felt"),
  still: () => matchMedia("(prefers-reduced-motion: reduce)").matches,
  typing: node => node instanceof Element && node.matches("input, select, textarea"),
};
(() => {
  document.documentElement.classList.add("js");
  const stored = name => { try { return localStorage.getItem(`playproof ${name}`); } catch { return null; } };
  const store = (name, value) => { try { localStorage.setItem(`playproof ${name}`, value); } catch { /* not allowed here */ } };
  // Only the browser that was shown the lobby knows its address. No seat's page holds it.
  if (document.body.classList.contains("hosting")) store("lobby", location.pathname);
  for (const players of document.querySelectorAll('select[name="option-players"]')) {
    const offer = () => players.form.querySelectorAll('select[name^="seat-"]').forEach((seat, number) => {
      seat.closest("label").hidden = seat.disabled = number >= Number(players.value);
    });
    players.addEventListener("change", offer);
    addEventListener("pageshow", offer);  // a browser may fill in what was chosen before
    offer();
  }
  if (!Table.part()) return;

  const tools = document.getElementById("tools");
  if (tools) {
    tools.hidden = false;
    const way = tools.querySelector("[data-lobby]"), lobby = stored("lobby");
    if (way && lobby) { way.href = lobby; way.hidden = false; }
    for (const field of tools.querySelectorAll("[data-setting]")) {
      const value = stored(field.dataset.setting);
      if (value !== null && field.type === "checkbox") field.checked = value === "yes";
      else if (value !== null) field.value = value;
      field.addEventListener("change", () => {
        store(field.dataset.setting, field.type === "checkbox" ? (field.checked ? "yes" : "no") : field.value);
        if (field.dataset.setting === "notify" && field.checked && "Notification" in window) Notification.requestPermission();
        if (field.dataset.setting === "sound" && field.checked) chime();
      });
    }
    addEventListener("click", event => {
      const open = tools.querySelector("details[open]");
      if (open && !open.contains(event.target)) open.open = false;
    });
  }
  const setting = name => tools && tools.querySelector(`[data-setting="${name}"]`);
  Table.on = name => Boolean(setting(name) && setting(name).checked);
  Table.pace = () => Number(setting("pace") ? setting("pace").value : 0);

  // Beside the felt the printed words stand open, until somebody closes them.
  Table.openWords = () => {
    const words = document.getElementById("printed");
    if (words && matchMedia("(min-width: 60rem)").matches && stored("words") !== "no") words.open = true;
  };
  Table.openWords();
  addEventListener("click", event => {
    if (event.target.closest("#printed > summary")) store("words", document.getElementById("printed").open ? "no" : "yes");
  });

  let turn = Table.part().dataset.turn;
  Table.tellTurn = () => {
    const now = Table.part().dataset;
    if (now.title) document.title = now.title;
    if (now.turn === "own" && turn !== "own") {
      if (Table.on("sound")) chime();
      if (Table.on("notify") && document.hidden && "Notification" in window && Notification.permission === "granted")
        new Notification(now.title);
    }
    turn = now.turn;
  };
  Table.tellTurn();

  // A clock that runs: the server says what is left, the page counts on.
  let told = "", since = 0;
  Table.tick = () => {
    const clock = document.querySelector(".clock[data-runs]");
    if (!clock) return;
    const key = `${Table.part().dataset.version} ${clock.dataset.left}`;
    if (key !== told) { told = key; since = performance.now(); }
    const left = Math.ceil(Math.max(0, clock.dataset.left - (performance.now() - since) / 1000));
    const text = left ? `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}` : "time is up";
    if (clock.textContent !== text) clock.textContent = text;
    clock.setAttribute("aria-label", `time left: ${text}`);
    clock.classList.toggle("up", !left);
  };
  setInterval(Table.tick, 250);

  function chime() {
    const sound = new (window.AudioContext || window.webkitAudioContext)();
    [523.25, 783.99].forEach((pitch, n) => {
      const tone = sound.createOscillator(), loud = sound.createGain(), from = sound.currentTime + n * 0.14;
      tone.frequency.value = pitch;
      loud.gain.setValueAtTime(0.12, from);
      loud.gain.exponentialRampToValueAtTime(0.001, from + 0.3);
      tone.connect(loud).connect(sound.destination);
      tone.start(from);
      tone.stop(from + 0.3);
    });
  }
})();
