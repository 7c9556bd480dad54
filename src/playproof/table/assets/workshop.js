// The workshop: what changes comes by WebSocket and is morphed in; search and views are this page's own.
"use strict";
(() => {
  const bench = () => document.getElementById("bench");
  if (!bench()) return;
  const kept = { search: "", eyes: "", size: "", gauge: "1" };
  let wait = 500;

  function apply() {
    document.body.className = ["workshop", kept.eyes, kept.size].filter(Boolean).join(" ");
    document.documentElement.style.setProperty("--gauge", kept.gauge);
    for (const name of Object.keys(kept)) {
      const field = document.getElementById(name);
      if (field && field !== document.activeElement) field.value = kept[name];
    }
    const wanted = kept.search.toLowerCase().split(/\s+/).filter(Boolean);
    for (const figure of document.querySelectorAll("figure[data-words]"))
      figure.hidden = !wanted.every(word => figure.dataset.words.includes(word));
    for (const kind of document.querySelectorAll("section.kind"))
      kind.hidden = !kind.querySelector("figure:not([hidden])");
  }

  for (const name of Object.keys(kept)) kept[name] = sessionStorage.getItem(`workshop-${name}`) ?? kept[name];
  addEventListener("toggle", event => {
    if (event.target.id === "edit") sessionStorage.setItem("workshop-edit", event.target.open ? "1" : "");
  }, true);
  if (sessionStorage.getItem("workshop-edit") && document.getElementById("edit")) document.getElementById("edit").open = true;
  addEventListener("input", event => {
    if (!(event.target.id in kept)) return;
    kept[event.target.id] = event.target.value;
    sessionStorage.setItem(`workshop-${event.target.id}`, event.target.value);
    apply();
  });

  // A form with a text of this page's own: what others save does not touch it.
  function mine(node) {
    const form = node.nodeType === 1 && node.id === "edit" ? node.querySelector("form") : null;
    return form && ("draft" in form.dataset || form.elements.text.value !== form.elements.text.defaultValue);
  }

  function listen() {
    const card = encodeURIComponent(bench().dataset.card);
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${bench().dataset.base}/live?card=${card}`);
    socket.onopen = () => { wait = 500; };
    socket.onmessage = event => {
      if (!event.data) return; // a sign of life
      const open = [...document.querySelectorAll("details[open][id]")].map(one => one.id);
      const now = new DOMParser().parseFromString(event.data, "text/html").getElementById("edit")?.dataset.now;
      Idiomorph.morph(bench(), event.data, { morphStyle: "outerHTML",
        callbacks: { beforeNodeMorphed: old => !(old === document.activeElement && old.matches("input, select")) && !mine(old) } });
      for (const id of open) if (document.getElementById(id)) document.getElementById(id).open = true;
      const form = document.querySelector("#edit form");
      if (form && now) form.querySelector(".stale").hidden = form.elements.base.value === now;
      apply();
    };
    socket.onclose = () => { setTimeout(listen, wait); wait = Math.min(wait * 2, 8000); };
  }

  // A click on a part of a face, or on a place in a message: file and line, and what stands there.
  async function tell(places) {
    let panel = document.getElementById("source");
    if (!panel) {
      panel = document.body.appendChild(document.createElement("aside"));
      panel.id = "source";
      panel.setAttribute("role", "status");
    }
    panel.replaceChildren();
    for (const place of places) {
      const head = panel.appendChild(document.createElement("p"));
      head.textContent = place;
      const reply = await fetch(`${bench().dataset.base}/lines?at=${encodeURIComponent(place)}`).catch(() => null);
      if (reply && reply.ok) panel.appendChild(document.createElement("pre")).textContent = await reply.text();
    }
  }

  addEventListener("click", event => {
    const button = event.target.closest("button.place");
    if (button) { tell([button.dataset.place]); return; }
    const part = event.target.closest("[data-source]");
    if (!part) { if (!event.target.closest("#source")) document.getElementById("source")?.remove(); return; }
    for (const one of document.querySelectorAll(".chosen")) one.classList.remove("chosen");
    part.classList.add("chosen");
    tell([...new Set(part.dataset.source.split(" "))]);
  });
  addEventListener("keydown", event => {
    if (event.key === "Escape") document.getElementById("source")?.remove();
  });

  apply();
  if (!bench().dataset.still) listen();
})();
