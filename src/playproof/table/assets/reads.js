// What the thing under the mouse prints, in letters beside the felt: also where it lies too small to be read.
"use strict";
(() => {
  if (!Table.part()) return;
  const SOON = 120;  // ms: a mouse that passes asks nothing
  const known = new Map();  // texts by the address of the face
  let over = null, timer = 0;
  const hide = () => { clearTimeout(timer); over = null; document.getElementById("reads")?.remove(); };
  async function text(address) {
    if (!known.has(address)) {
      const reply = await fetch(address.replace(/\.svg$/, ".txt")).catch(() => null);
      if (!reply || !reply.ok) return "";
      known.set(address, await reply.text());
    }
    return known.get(address);
  }
  async function show(thing) {
    const words = await text(thing.querySelector("image").href.baseVal.split("#")[0]);
    if (thing !== over) return;
    document.getElementById("reads")?.remove();
    if (!words) return;
    const [title, ...lines] = words.split("\n"), box = document.body.appendChild(document.createElement("div"));
    box.id = "reads";
    box.classList.toggle("long", words.length > 600);
    box.setAttribute("aria-hidden", "true");  // it repeats what lies there
    box.appendChild(document.createElement("b")).textContent = title;
    box.append(lines.join("\n"));
  }
  addEventListener("pointerover", event => {
    if (event.pointerType !== "mouse" || event.buttons || !(event.target instanceof Element)) return;
    if (event.target.closest("aside, header, #tools, #menu")) { hide(); return; }
    const thing = event.target.closest(".piece.reads") || (event.target.closest(".piece") ? null : event.target.closest(".surface.reads"));
    if (!thing || thing === over) return;  // the last words stay until there are others
    clearTimeout(timer);
    over = thing;
    timer = setTimeout(() => show(thing), SOON);
  });
  addEventListener("pointerdown", event => { if (event.pointerType !== "mouse") hide(); });
  document.addEventListener("pointerleave", hide);
})();
