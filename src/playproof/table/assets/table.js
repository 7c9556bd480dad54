// The page of a seat: changes come by WebSocket and are morphed in; clicks, drags and keys become the same forms that work
// without this script.
"use strict";
(() => {
  if (!Table.part()) return;
  const BEAT = 20_000, WAIT = [250, 500, 1000, 1500];  // ms without a sign of life; between tries to connect
  const RETRY = 1000;  // ms until what did not reach the server is sent again
  const CUTS = /(?=<(?:section|g class="piece|rect class="spot|li|button|form|dt|p|\/section|\/main)\b)/;
  let socket = null, tries = 0, timer = 0, sliding = 0, said = "", live = [], kept = null, asked = 0, heard = Date.now(),
    refocus = false, leaving = false, full = false, sent = null;

  // -- what the server sends ---------------------------------------------------------------------------------------

  function show(html, answers = false) {
    const before = Table.places(), steps = taken(), past = Table.part().dataset.step;
    const version = Number(/data-version="(\d+)"/.exec(html)[1]), change = Number(/data-change="(\d+)"/.exec(html)[1]);
    const sameState = version === Number(Table.part().dataset.version);
    // What was asked for earlier may come later: the table does not go back to it.
    if (change < Number(Table.part().dataset.change) && html.includes('data-step=""')) return;
    if (!sameState && !answers) said = "";  // an answer belongs to its moment
    // What somebody is typing in stays as it is, and so does a menu whose moves are still the moves there are; all else
    // becomes what the server says.
    const typing = old => old === document.activeElement && Table.typing(old);
    const chosenFrom = old => sameState && old.id === "menu";
    const opened = (old, fresh) => { if (old.nodeName === "DETAILS" && old.open) fresh.open = true; };
    const lettered = (old, fresh) => {
      const step = old.nodeName === "image" && old.getAttribute("href").split("#")[1];
      if (step) fresh.setAttribute("href", `${fresh.getAttribute("href")}#${step}`);
    };
    const callbacks = { beforeNodeMorphed: (old, fresh) => { opened(old, fresh); lettered(old, fresh); return !typing(old) && !chosenFrom(old); } };
    const focused = document.activeElement;
    Idiomorph.morph(Table.part(), html, { morphStyle: "outerHTML", callbacks });
    if (said) say(said);
    Table.hideDoes();
    Table.openWords();
    Table.watchSize();
    Table.letters();
    Table.glide(before, !past && !Table.part().dataset.step);
    Table.tellTurn();
    if (!sameState) Table.closeMenu();
    if (sent && (sent.answered || !sameState)) settle();
    if (refocus && (focused === document.body || !focused.isConnected || document.activeElement === document.body)) {
      const next = document.querySelector("#deed button[name=move]") || document.getElementById("deed");
      if (next) next.focus();
      refocus = !document.querySelector("#deed button[name=move]");
    }
    if (taken() < steps) byHand = true;
    playForced();
  }

  Table.keepFocus = () => { refocus = true; };

  // Others' moves are shown one after another, as slowly as the person likes.
  const waiting = [];
  let last = 0, pump = 0;

  function arrived(html) {
    waiting.push(html);
    if (waiting.length > 12 || document.hidden) waiting.splice(0, waiting.length - 1);
    next();
  }

  function next() {
    clearTimeout(pump);
    const rest = last + Table.pace() - Date.now();
    if (waiting.length && rest <= 0) {
      last = Date.now();
      show(waiting.shift());
    }
    const button = document.querySelector('[data-tool="skip"]');
    if (button) button.hidden = !waiting.length;
    if (waiting.length) pump = setTimeout(next, Math.max(30, last + Table.pace() - Date.now()));
  }

  Table.skip = () => {
    if (!waiting.length) return;
    waiting.splice(0, waiting.length - 1);
    last = 0;
    next();
  };

  const taken = () => { const slider = document.querySelector("input[name=at]"); return slider ? Number(slider.max) : 0; };

  // A choice without a choice plays itself, if the person wants that. After going back it waits for a click.
  let byHand = false;
  function playForced() {
    const { version, turn, step } = Table.part().dataset;
    const buttons = document.querySelectorAll("#deed button[name=move]");
    if (!Table.on("forced") || byHand || turn !== "own" || step || buttons.length !== 1) return;
    setTimeout(() => { if (Table.part().dataset.version === version && buttons[0].isConnected) buttons[0].click(); }, 700);
  }

  // -- the connection ----------------------------------------------------------------------------------------------

  function listen() {
    clearTimeout(timer);
    const base = Table.part().dataset.base;
    const own = socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${base}/live`);
    live = [];
    heard = Date.now();
    own.onopen = () => { tries = 0; lost(false); sendKept(); };
    own.onmessage = event => {
      heard = Date.now();
      if (own !== socket || !event.data) return;  // nothing but a sign of life
      live = event.data.startsWith("[")
        ? JSON.parse(event.data).flatMap(op => typeof op === "string" ? op.split(CUTS) : live.slice(op[0], op[0] + op[1]))
        : event.data.split(CUTS);
      if (!Table.part().dataset.step) arrived(live.join(""));  // the past is looked at; it does not change
    };
    own.onclose = event => {
      if (own !== socket) return;
      if (event.code === 4404) { if (!leaving) location.reload(); return; }
      if (event.code === 4429) { full = true; lost(true, event.reason || "this seat is open in another window; load this page to go on here"); return; }
      lost(true);
      timer = setTimeout(listen, WAIT[Math.min(tries++, WAIT.length - 1)]);
    };
  }

  function again() { if (!full && socket.readyState !== WebSocket.CONNECTING) { tries = 0; socket.close(); listen(); } }
  setInterval(() => { if (!full && Date.now() - heard > BEAT) { lost(true); again(); } }, 1000);
  addEventListener("online", again);
  addEventListener("offline", () => lost(true));

  function lost(yes, text = kept ? "the connection is lost; what you did is kept, and sent when the server answers" : "the connection is lost; trying again") {
    let sign = document.getElementById("lost");
    if (!yes) { if (sign) sign.remove(); return; }
    if (!sign) {
      sign = document.body.appendChild(document.createElement("p"));
      sign.id = "lost";
      sign.setAttribute("role", "status");
    }
    sign.textContent = text;
  }

  // -- what is asked of the server ---------------------------------------------------------------------------------

  Table.send = async (verb, fields) => {
    const base = Table.part().dataset.base;
    leaving = verb === "leave";  // its address goes before its answer comes
    const reply = await fetch(`${base}/${verb}`, { method: "POST", body: new URLSearchParams(fields),
      headers: { accept: "text/plain" } }).catch(() => null);
    if (!reply) {
      kept = [verb, [...new URLSearchParams(fields)]];
      lost(true);
      setTimeout(() => { if (socket.readyState === WebSocket.OPEN) sendKept(); }, RETRY);  // else once it is open
      return;
    }
    if (socket.readyState === WebSocket.OPEN) lost(false);
    if (verb === "move") { Table.forget(); settleAnswered(reply.ok); }
    const text = await reply.text();
    if (text.startsWith("/")) location.assign(text);
    else { said = text; say(text); }
    if (reply.status === 409) refresh(undefined, true);
  };

  // A choice under way shows at once, and nothing glows until it is answered.
  const ANSWERED = 1500;  // ms after an answer in which the new page comes by itself
  Table.isUnderWay = () => sent !== null;
  function press(button) {
    sent = { answered: false };
    document.documentElement.classList.add("sent");
    button.classList.add("pressed");
    for (const key of (button.dataset.at || "").split(" ").filter(Boolean))
      document.querySelector(`[data-key="${CSS.escape(key)}"]`)?.classList.add("pressed");
  }
  function settle() {
    sent = null;
    document.documentElement.classList.remove("sent");
    for (const one of document.querySelectorAll(".pressed")) one.classList.remove("pressed");
  }
  function settleAnswered(taken) {
    if (!sent) return;
    if (!taken) { settle(); return; }
    const own = sent;
    own.answered = true;
    setTimeout(() => { if (sent === own) { settle(); refresh(); } }, ANSWERED);
  }

  // The server takes it only if the table is still what it was.
  function sendKept() {
    if (!kept) return;
    const [verb, fields] = kept;
    kept = null;
    Table.send(verb, fields);
  }

  async function refresh(step = Table.part().dataset.step, answers = false) {
    const own = ++asked;
    const reply = await fetch(`${Table.part().dataset.base}?part=1${step ? `&at=${step}` : ""}`).catch(() => null);
    const html = reply && reply.ok ? await reply.text() : "";
    if (html && own === asked) show(html, answers);  // else another was asked for in the meantime
  }

  // One sentence; the rule and other reasons on demand.
  function say(text) {
    const deed = document.getElementById("deed");
    if (!deed) return;
    let line = deed.querySelector(".said");
    if (!text) { if (line) line.remove(); return; }
    if (line) line.replaceChildren();
    else {
      line = deed.appendChild(document.createElement("div"));
      line.className = "said";
      line.setAttribute("role", "alert");
    }
    const end = text.search(/ — |\n/);
    line.append(end < 0 ? text : text.slice(0, end));
    if (end < 0) return;
    const more = line.appendChild(document.createElement("details"));
    more.appendChild(document.createElement("summary")).textContent = "the rule, and more";
    more.append(text.slice(end).replace(/^ — |^\n/, ""));
  }

  addEventListener("submit", event => {
    const form = event.target;
    if (form.classList.contains("slider")) { event.preventDefault(); refresh(form.elements.at.value); return; }
    if (form.method !== "post" || !form.action.includes("/t/") || form.closest(".hand-over")) return;
    event.preventDefault();
    const fields = new FormData(form, event.submitter);
    const action = event.submitter && event.submitter.hasAttribute("formaction") ? event.submitter.formAction : form.action;
    const verb = new URL(action).pathname.split("/").pop();
    if (verb === "move") {
      if (sent) return;
      byHand = false;
      press(event.submitter);
    }
    if (form.contains(document.activeElement)) Table.keepFocus();
    Table.send(verb, fields);
    if (form.closest(".notes, .ask")) form.reset();
  });

  addEventListener("click", event => {
    const copy = event.target.closest("[data-copy]");
    if (copy) copyAddress(copy);
    const now = event.target.closest("[data-live]"), then = event.target.closest("a[data-step]");
    const curve = event.target.closest(".curve");
    if (now) { event.preventDefault(); refresh(""); }
    if (then) { event.preventDefault(); refresh(then.dataset.step); }
    if (curve) {
      const box = curve.getBoundingClientRect();
      refresh(String(Math.round(curve.dataset.last * (event.clientX - box.left) / box.width)));
    }
  });

  // Where a browser does not let a page copy (without TLS in a local network), the address is selected for the hand.
  async function copyAddress(button) {
    const address = new URL(button.dataset.copy, location.href).href;
    try { await navigator.clipboard.writeText(address); button.textContent = "copied"; } catch {
      const field = document.createElement("input");
      field.value = address;
      field.readOnly = true;
      button.replaceWith(field);
      field.select();
    }
  }

  addEventListener("input", event => {
    if (event.target.name !== "at") return;
    clearTimeout(sliding);
    sliding = setTimeout(() => refresh(event.target.value), 60);
  });

  listen();
  playForced();
})();
