// Pieces under the hand: click, drag, enlarge; and pieces in sight: they glide to where they lie now. Nothing knows a rule.
"use strict";
(() => {
  if (!Table.part()) return;
  const PRESS = 600;  // ms that a finger rests to read
  let held = null;

  // -- in sight ----------------------------------------------------------------------------------------------------

  const face = piece => { const image = piece.querySelector("image"); return image ? printed(image) : ""; };
  const printed = image => image.getAttribute("href").split("#")[0];

  Table.places = () => new Map([...document.querySelectorAll(".piece")].map(piece =>
    [piece.id, { face: face(piece), box: piece.getBoundingClientRect(), down: piece.classList.contains("down") }]));

  const changed = new Set();
  Table.forget = () => changed.clear();

  // What lies elsewhere now goes there in sight. A card that left one place and lies at another is known again by its
  // face; one that nobody saw before comes from the hand of whoever acted, from no card in particular.
  Table.glide = (before, news) => {
    const now = [...document.querySelectorAll(".piece")];
    const faces = new Map(now.map(piece => [piece.id, face(piece)]));
    const left = [...before].filter(([id, was]) => faces.get(id) !== was.face).map(([, was]) => was);
    const hand = document.querySelector(`.surface.hand[data-seat="${actor()}"]`);
    const moves = [];
    for (const piece of now) {
      const was = before.get(piece.id), box = piece.getBoundingClientRect();
      const stays = was && was.face === faces.get(piece.id);
      const from = stays ? was : nearest(left, box, one => one.face === faces.get(piece.id))
        || (was ? null : nearest(left, box, one => one.down));
      if (!stays && from) left.splice(left.indexOf(from), 1);
      const start = from ? from.box : !was && hand && !piece.classList.contains("die") ? centre(hand, box) : null;
      if (news && (!stays || apart(start, box) > 2)) changed.add(piece.id);
      if (piece.classList.contains("die") && !stays) moves.push([piece, null, box]);
      else if (start && apart(start, box) > 2) moves.push([piece, start, box]);
    }
    for (const id of changed) {
      const piece = document.getElementById(id);
      if (piece) piece.classList.add("fresh");
    }
    if (Table.still() || !before.size) return;
    for (const [piece, start, box] of moves) if (start) carry(piece, start, box); else roll(piece);
  };

  function actor() {
    const line = document.querySelector(".log li:not(.nobody)"), seat = line && /of-(\d+)/.exec(line.className);
    return seat ? seat[1] : "";
  }

  function nearest(all, box, fits) {
    let best = null;
    for (const one of all) if (fits(one) && (!best || apart(one.box, box) < apart(best.box, box))) best = one;
    return best;
  }

  const middle = box => [box.left + box.width / 2, box.top + box.height / 2];
  const apart = (one, other) => Math.hypot(middle(one)[0] - middle(other)[0], middle(one)[1] - middle(other)[1]);
  const centre = (surface, box) => {
    const [x, y] = middle(surface.getBoundingClientRect());
    return { left: x - box.width / 2, top: y - box.height / 2, width: box.width, height: box.height };
  };

  function carry(piece, start, box) {
    const scale = piece.ownerSVGElement.getScreenCTM(), duration = Math.max(350, 0.6 * Table.pace());
    const [fromX, fromY] = middle(start), [x, y] = middle(box);
    const size = Math.sqrt(start.width * start.height / (box.width * box.height)) || 1;
    piece.animate([{ transform: `translate(${(fromX - x) / scale.a}px,${(fromY - y) / scale.d}px) scale(${size})` },
      { transform: "none" }], { duration, easing: "ease-in-out" });
    raise(piece, duration);
    if (apart(start, box) > 60) trail(fromX, fromY, x, y, duration);
  }

  function roll(piece) {
    const turns = [0, 1, 2, 3].map(n => ({ transform: `rotate(${-270 * (3 - n)}deg) scale(${n % 2 ? 1.35 : 1})` }));
    piece.animate(turns, { duration: 700, easing: "ease-out" });
    raise(piece, 700);
  }

  // Above the other surfaces for as long as it is under way.
  function raise(piece, duration) {
    piece.closest(".surface").animate([{ zIndex: 5 }, { zIndex: 5 }], { duration });
  }

  function trail(x1, y1, x2, y2, duration) {
    const made = name => document.createElementNS("http://www.w3.org/2000/svg", name);
    const sign = made("svg"), line = made("line");
    sign.setAttribute("class", "trail");
    for (const [name, value] of Object.entries({ x1, y1, x2, y2 })) line.setAttribute(name, value);
    sign.append(line);
    document.body.append(sign);
    sign.animate([{ opacity: 0.9 }, { opacity: 0 }], { duration: duration * 2.5, easing: "ease-in" }).onfinish = () => sign.remove();
  }

  // -- under the hand ----------------------------------------------------------------------------------------------

  const moves = key => [...document.querySelectorAll("#deed button[data-at]")]
    .filter(button => button.dataset.at.split(" ").includes(key));

  function take(found, x, y) {
    if (found.length === 1) found[0].click();
    else if (found.length > 1) openMenu(found, x, y);
  }

  function at(target, x, y) {
    if (Table.isUnderWay()) return;
    const found = moves(target.dataset.key);
    if (found.length) take(found, x, y);
    else Table.send("why", { key: target.dataset.key });
  }

  function openMenu(found, x, y) {
    const menu = document.getElementById("menu");
    menu.replaceChildren(...found.map(button => {
      const copy = document.createElement("button");
      copy.type = "button";
      copy.textContent = button.dataset.text;
      const does = button.getAttribute("aria-describedby");
      if (does) copy.setAttribute("aria-describedby", does);
      copy.addEventListener("click", () => { Table.closeMenu(); button.click(); });
      return copy;
    }));
    menu.hidden = false;
    menu.style.left = `${Math.max(4, Math.min(x, innerWidth - menu.offsetWidth - 8))}px`;
    menu.style.top = `${Math.max(4, Math.min(y, innerHeight - menu.offsetHeight - 8))}px`;
    menu.firstElementChild.focus();
  }

  Table.closeMenu = () => {
    const menu = document.getElementById("menu");
    if (menu) menu.hidden = true;
  };

  // Drag: from a piece to a place that shares an action with it. Its picture follows the hand.
  const thing = node => node instanceof Element ? node.closest("[data-key]") : null;

  Table.letGo = () => {
    if (!held) return null;
    const was = held;
    clearTimeout(held.press);
    held.target.classList.remove("held");
    if (held.ghost) held.ghost.remove();
    held = null;
    return was;
  };

  addEventListener("pointerdown", event => {
    if (!event.target.closest("#menu")) Table.closeMenu();
    const target = thing(event.target);
    if (!target || event.button) { stopReading(); return; }
    if (target.hasPointerCapture && target.hasPointerCapture(event.pointerId)) target.releasePointerCapture(event.pointerId);
    stopReading();
    calm = [event.clientX, event.clientY];
    held = { target, x: event.clientX, y: event.clientY, moved: false, ghost: null, read: false, press: 0, since: event.timeStamp };
    // A finger that rests reads, and its release does nothing. A mouse acts however long it rests.
    if (event.pointerType !== "mouse") held.press = setTimeout(() => { held.read = enlarge(target); }, PRESS);
  });

  addEventListener("pointermove", event => {
    if (!held) return;
    if (!held.moved && Math.hypot(event.clientX - held.x, event.clientY - held.y) > 8) {
      held.moved = true;
      clearTimeout(held.press);
      stopReading();
      if (held.target.matches(".piece.can")) held.ghost = ghost(held.target, held.x, held.y);
    }
    if (held.ghost) held.ghost.style.transform = `translate(${event.clientX - held.x}px,${event.clientY - held.y}px)`;
  });

  function ghost(target) {
    const image = target.querySelector("image"), box = image.getBoundingClientRect();
    const made = document.body.appendChild(document.createElement("img"));
    made.id = "ghost";
    made.src = image.href.baseVal;  // with its letters at this size
    made.alt = "";
    made.style.left = `${box.left}px`;
    made.style.top = `${box.top}px`;
    made.style.width = `${box.width}px`;
    made.style.height = `${box.height}px`;
    target.classList.add("held");
    return made;
  }

  addEventListener("pointerup", event => {
    const was = Table.letGo();
    if (!was) return;
    const { target, moved, ghost: shadow, read, since } = was;
    if (read) {
      stopReading();
      if (event.timeStamp - since >= PRESS) return;  // else a tap of which a busy page heard late
    }
    if (!moved) { at(target, event.clientX, event.clientY); return; }
    const there = document.elementsFromPoint(event.clientX, event.clientY).map(thing).filter(Boolean);
    const under = there.filter(one => one !== target);
    const own = moves(target.dataset.key);
    const shared = own.filter(button => under.some(one => button.dataset.at.split(" ").includes(one.dataset.key)));
    if (shadow && shared.length) take(shared, event.clientX, event.clientY);
    else if (own.length && there.includes(target)) take(own, event.clientX, event.clientY);  // an unsteady click
    else if (shadow && under.length) Table.send("why", { key: target.dataset.key });
  });
  addEventListener("pointercancel", Table.letGo);
  addEventListener("dragstart", event => { if (thing(event.target)) event.preventDefault(); });
  addEventListener("contextmenu", event => {
    const target = thing(event.target);
    if (target) { event.preventDefault(); enlarge(target); }
  });

  const closeSettings = () => document.querySelector("#tools details")?.removeAttribute("open");
  addEventListener("pointerdown", event => { if (!event.target.closest("#tools details")) closeSettings(); });
  addEventListener("keydown", event => {
    const target = thing(event.target);
    if (event.key === "Escape") { Table.closeMenu(); stopReading(); unlarge(); closeSettings(); }
    if (!target) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      Table.keepFocus();
      const box = target.getBoundingClientRect();
      at(target, box.left, box.bottom);
    }
    if (event.key === "z") enlarge(target);
  });
  addEventListener("keyup", event => { if (event.key === "z") stopReading(); });

  // Hover: the actions of a piece stand out; a mouse that has moved there and rests reads a face with words.
  let hovered = null, dwell = 0, calm = null, seen = [0, 0];
  const REST = 700, REAL = 6;  // ms, and pixels that a hand moves a mouse which it means to move
  addEventListener("pointerover", event => {
    const target = thing(event.target);
    if (target === hovered || (held && held.moved)) return;
    stopReading();
    for (const one of document.querySelectorAll(".near")) one.classList.remove("near");
    hovered = target;
    if (!target) return;
    for (const button of moves(target.dataset.key)) {
      button.classList.add("near");
      for (const key of button.dataset.at.split(" ")) {
        const other = document.querySelector(`[data-key="${CSS.escape(key)}"]`);
        if (other) other.classList.add("near");
      }
    }
  });

  // A piece that comes under a mouse at rest is not read, nor is one that was just clicked.
  addEventListener("pointermove", event => {
    const [x, y] = [event.clientX, event.clientY], moved = x !== seen[0] || y !== seen[1];
    seen = [x, y];
    if (!moved || event.pointerType !== "mouse" || event.buttons || held) return;
    if (calm && Math.hypot(x - calm[0], y - calm[1]) < REAL) return;
    calm = null;
    clearTimeout(dwell);
    const target = thing(event.target);
    if (target && target.matches(".reads") && Table.on("enlarge") && !document.getElementById("large"))
      dwell = setTimeout(() => { if (target.isConnected) enlarge(target); }, REST);
  });
  addEventListener("wheel", () => stopReading(), { passive: true });

  // Beside its piece and without a veil. No click ever meets it. Returns whether there is something to enlarge.
  function enlarge(target) {
    const image = target.querySelector("image");
    if (!image || (held && held.moved)) return false;
    const made = cover(printed(image), target.getAttribute("aria-label"));
    made.className = "beside";
    const picture = made.firstElementChild, box = target.getBoundingClientRect();
    picture.onload = () => stand(made, box);
    return true;
  }

  // On the side of the piece where there is more room, as large as that room allows, over the felt: choices stay in sight.
  function stand(made, box) {
    const picture = made.firstElementChild, gap = 8, shape = picture.naturalWidth / picture.naturalHeight || 1;
    const felt = document.getElementById("view").getBoundingClientRect();
    const area = { left: Math.max(0, felt.left), right: Math.min(innerWidth, felt.right), top: Math.max(0, felt.top),
      bottom: Math.min(innerHeight, felt.bottom) };
    const [wide, high] = [area.right - area.left, area.bottom - area.top];
    const rooms = [["right", area.right - box.right, high], ["left", box.left - area.left, high],
      ["below", wide, area.bottom - box.bottom], ["above", wide, box.top - area.top]];
    const sized = rooms.map(([side, across, down]) => {
      const height = Math.min(down - 2 * gap, (across - 2 * gap) / shape, 560);
      return { side, height, width: height * shape };
    });
    const best = sized.reduce((one, other) => other.height > one.height * 1.05 ? other : one);
    const within = (value, size, from, to) => Math.max(from + gap, Math.min(value, to - size - gap));
    const left = { right: box.right + gap, left: box.left - best.width - gap }[best.side];
    const top = { below: box.bottom + gap, above: box.top - best.height - gap }[best.side];
    const middle = [(box.left + box.right - best.width) / 2, (box.top + box.bottom - best.height) / 2];
    made.style.left = `${within(left ?? middle[0], best.width, area.left, area.right)}px`;
    made.style.top = `${within(top ?? middle[1], best.height, area.top, area.bottom)}px`;
    made.style.width = `${best.width}px`;
    made.style.height = `${best.height}px`;
    made.classList.add("placed");
  }

  function cover(address, words) {
    unlarge();
    const made = document.body.appendChild(document.createElement("div"));
    made.id = "large";
    const picture = made.appendChild(document.createElement("img"));
    picture.src = address;
    picture.alt = words;
    return made;
  }

  function unlarge() {
    const made = document.getElementById("large");
    if (made) made.remove();
  }

  function stopReading() {
    clearTimeout(dwell);
    const made = document.querySelector("#large.beside");
    if (made) made.remove();
  }

  // A printed page of a story opens over the table, until the next click.
  addEventListener("click", event => {
    const page = event.target.closest("a.page");
    if (page) {
      event.preventDefault();
      cover(page.getAttribute("href"), page.querySelector("img").alt).classList.add("stays");
    } else if (document.querySelector("#large.stays")) unlarge();
  });
})();
