// The page of a seat: changes come by WebSocket and are morphed in; clicks, drags and keys become the same forms that work
// without this script. Nothing here knows a rule.
"use strict";
(() => {
  document.documentElement.classList.add("js");
  const table = () => document.getElementById("table");
  const felt = () => document.getElementById("felt");
  if (!table()) return;
  let held = null, socket = null, wait = 500, timer = 0, said = "";

  // -- what the server sends ---------------------------------------------------------------------------------------

  function show(html) {
    const before = places();
    const version = /data-version="(\d+)"/.exec(html);
    const sameState = version !== null && version[1] === table().dataset.version;
    // What somebody is typing in stays as it is, and so does a menu whose moves are still the moves there are; all else
    // becomes what the server says.
    const typing = old => old === document.activeElement && old.matches("input");
    const chosenFrom = old => sameState && old.id === "menu";
    const callbacks = { beforeNodeMorphed: old => !typing(old) && !chosenFrom(old) };
    Idiomorph.morph(table(), html, { morphStyle: "outerHTML", callbacks });
    if (said && table()) say(said);
    glide(before);
    if (!sameState) closeMenu();
  }

  function places() {
    const at = new Map();
    for (const piece of document.querySelectorAll(".piece")) {
      const image = piece.querySelector("image");
      if (image) at.set(piece.id, [image.getAttribute("href"), piece.getBoundingClientRect()]);
    }
    return at;
  }

  // A piece that lies elsewhere now goes there in sight.
  function glide(before) {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    for (const piece of document.querySelectorAll(".piece")) {
      const [, old] = before.get(piece.id) || [];
      if (!old) continue;
      const now = piece.getBoundingClientRect();
      const scale = piece.ownerSVGElement.getScreenCTM();
      const dx = (old.left - now.left) / scale.a, dy = (old.top - now.top) / scale.d;
      if (Math.abs(dx) + Math.abs(dy) > 2 && Math.abs(dx) < 2000)
        piece.animate([{ transform: `translate(${dx}px,${dy}px)` }, { transform: "none" }], { duration: 350, easing: "ease-out" });
    }
  }

  function listen() {
    const base = table().dataset.base;
    socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${base}/live`);
    socket.onopen = () => { wait = 500; lost(false); };
    socket.onmessage = event => {
      if (table().dataset.step) return;  // the past is looked at; it does not change
      const version = /data-version="(\d+)"/.exec(event.data);
      if (version && version[1] !== table().dataset.version) said = "";
      show(event.data);
    };
    socket.onclose = event => {
      if (event.code === 4404) { location.reload(); return; }
      if (event.code === 4429) { lost(true, "this seat is open in another window; load this page to go on here"); return; }
      lost(true);
      setTimeout(listen, wait);
      wait = Math.min(wait * 2, 8000);
    };
  }

  function lost(yes, text = "the connection is lost; trying again") {
    let sign = document.getElementById("lost");
    if (yes && !sign) {
      sign = document.body.appendChild(document.createElement("p"));
      sign.id = "lost";
      sign.textContent = text;
    } else if (!yes && sign) sign.remove();
  }

  // -- what is asked of the server ---------------------------------------------------------------------------------

  async function send(verb, fields) {
    const base = table().dataset.base;
    const reply = await fetch(`${base}/${verb}`, { method: "POST", body: new URLSearchParams(fields),
      headers: { accept: "text/plain" } }).catch(() => null);
    if (!reply) { lost(true); return; }
    const text = await reply.text();
    if (text.startsWith("/")) location.assign(text);
    else { said = text; say(text); }
    if (reply.status === 409) refresh();
  }

  async function refresh(step = table().dataset.step) {
    const reply = await fetch(`${table().dataset.base}?part=1${step ? `&at=${step}` : ""}`).catch(() => null);
    if (reply && reply.ok) show(await reply.text());
  }

  function say(text) {
    const deed = document.getElementById("deed");
    if (!deed) return;
    let line = deed.querySelector(".said");
    if (!line) {
      line = deed.appendChild(document.createElement("p"));
      line.className = "said";
      line.setAttribute("role", "alert");
    }
    line.textContent = text;
  }

  addEventListener("submit", event => {
    const form = event.target;
    if (form.classList.contains("slider")) { event.preventDefault(); refresh(form.elements.at.value); return; }
    if (form.method !== "post" || !form.action.includes("/t/") || form.closest(".hand-over")) return;
    event.preventDefault();
    const fields = new FormData(form, event.submitter);
    const action = event.submitter && event.submitter.hasAttribute("formaction") ? event.submitter.formAction : form.action;
    send(new URL(action).pathname.split("/").pop(), fields);
    if (form.closest(".notes, .ask")) form.reset();
  });

  addEventListener("click", event => {
    const live = event.target.closest("[data-live]");
    if (live) { event.preventDefault(); refresh(""); }
  });

  addEventListener("input", event => {
    if (event.target.name !== "at") return;
    clearTimeout(timer);
    timer = setTimeout(() => refresh(event.target.value), 60);
  });

  // -- pieces ------------------------------------------------------------------------------------------------------

  const moves = key => [...document.querySelectorAll("#deed button[data-at]")]
    .filter(button => button.dataset.at.split(" ").includes(key));

  function take(found, x, y) {
    if (found.length === 1) found[0].click();
    else if (found.length > 1) openMenu(found, x, y);
  }

  function at(target, x, y) {
    const found = moves(target.dataset.key);
    if (found.length) take(found, x, y);
    else send("why", { key: target.dataset.key });
  }

  function openMenu(found, x, y) {
    const menu = document.getElementById("menu");
    menu.replaceChildren(...found.map(button => {
      const copy = document.createElement("button");
      copy.type = "button";
      copy.textContent = button.dataset.text;
      copy.addEventListener("click", () => { closeMenu(); button.click(); });
      return copy;
    }));
    menu.hidden = false;
    menu.style.left = `${Math.max(4, Math.min(x, innerWidth - menu.offsetWidth - 8))}px`;
    menu.style.top = `${Math.max(4, Math.min(y, innerHeight - menu.offsetHeight - 8))}px`;
    menu.firstElementChild.focus();
  }

  function closeMenu() {
    const menu = document.getElementById("menu");
    if (menu) menu.hidden = true;
  }

  // Drag: from a piece to a place that shares an action with it.
  const thing = node => node instanceof Element ? node.closest("[data-key]") : null;

  addEventListener("pointerdown", event => {
    if (!event.target.closest("#menu")) closeMenu();
    const target = thing(event.target);
    if (!target || event.button) return;
    held = { target, x: event.clientX, y: event.clientY, moved: false, press: setTimeout(() => enlarge(target), 600) };
  });

  addEventListener("pointermove", event => {
    if (!held) return;
    if (!held.moved && Math.hypot(event.clientX - held.x, event.clientY - held.y) > 8) {
      held.moved = true;
      clearTimeout(held.press);
      held.target.classList.add("held");
    }
  });

  addEventListener("pointerup", event => {
    if (!held) return;
    clearTimeout(held.press);
    const { target, moved } = held;
    held = null;
    target.classList.remove("held");
    if (unlarge()) return;
    if (!moved) { at(target, event.clientX, event.clientY); return; }
    const under = document.elementsFromPoint(event.clientX, event.clientY).map(thing).filter(one => one && one !== target);
    const own = moves(target.dataset.key);
    const shared = own.filter(button => under.some(one => button.dataset.at.split(" ").includes(one.dataset.key)));
    if (shared.length) take(shared, event.clientX, event.clientY);
    else if (under.length) send("why", { key: target.dataset.key });
  });
  addEventListener("pointercancel", () => { if (held) { clearTimeout(held.press); held.target.classList.remove("held"); held = null; } });
  addEventListener("dragstart", event => { if (thing(event.target)) event.preventDefault(); });
  addEventListener("contextmenu", event => {
    const target = thing(event.target);
    if (target) { event.preventDefault(); enlarge(target); }
  });

  addEventListener("keydown", event => {
    const target = thing(event.target);
    if (event.key === "Escape") { closeMenu(); unlarge(); }
    if (!target) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      const box = target.getBoundingClientRect();
      at(target, box.left, box.bottom);
    }
    if (event.key === "z") enlarge(target);
  });
  addEventListener("keyup", event => { if (event.key === "z") unlarge(); });

  // Hover: the actions of a piece stand out; a moment longer enlarges it.
  let hovered = null, dwell = 0;
  addEventListener("pointerover", event => {
    const target = thing(event.target);
    if (target === hovered) return;
    clearTimeout(dwell);
    unlarge();
    for (const one of document.querySelectorAll(".near")) one.classList.remove("near");
    hovered = target;
    if (!target) return;
    const found = moves(target.dataset.key);
    for (const button of found) {
      button.classList.add("near");
      for (const key of button.dataset.at.split(" ")) {
        const other = document.querySelector(`[data-key="${CSS.escape(key)}"]`);
        if (other) other.classList.add("near");
      }
    }
    if (event.pointerType === "mouse") dwell = setTimeout(() => enlarge(target), 900);
  });

  function enlarge(target) {
    const image = target.querySelector("image");
    if (!image || (held && held.moved)) return;
    unlarge();
    const cover = document.body.appendChild(document.createElement("div"));
    cover.id = "large";
    const picture = cover.appendChild(document.createElement("img"));
    picture.src = image.getAttribute("href");
    picture.alt = target.getAttribute("aria-label");
  }

  function unlarge() {
    const cover = document.getElementById("large");
    if (cover) cover.remove();
    return Boolean(cover);
  }

  listen();
})();
