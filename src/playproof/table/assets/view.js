// The felt larger and smaller, and moved: wheel, pinch, drag, keys, buttons. The page itself keeps its size.
"use strict";
(() => {
  if (!Table.part()) return;
  const MOST = 8, TITLE = 11.5, root = document.documentElement;
  const view = () => document.getElementById("view");
  let zoom = 1, pinch = null, pan = null, watched = null, settling = 0;

  // Letters of ours (names of places, counts) stay readable however small the felt is: they ask --pm, pixels per unit.
  const sizes = new ResizeObserver(() => {
    const felt = Table.felt();
    const units = felt && Number(getComputedStyle(felt).getPropertyValue("--units"));
    if (units) root.style.setProperty("--pm", (felt.clientWidth / units).toFixed(4));
    if (!settling) Table.letters();  // before anything is painted; later when somebody has stopped turning the wheel
    clearTimeout(settling);
    settling = setTimeout(Table.letters, 60);
  });

  // A picture has its letters at every size: its address ends in the step of the width at which it is shown.
  Table.letters = () => {
    for (const surface of document.querySelectorAll(".surface > svg")) {
      const { a } = surface.getScreenCTM() || { a: 0 };  // null where the felt is not drawn
      const name = surface.querySelector(".name"), room = surface.viewBox.baseVal.width - 4;
      if (name && a) fitTitle(surface, name, room, a);
      for (const image of surface.querySelectorAll("image")) {
        const window = image.parentNode.viewBox, zoomed = image.parentNode === surface || !window ? 1
          : image.parentNode.width.baseVal.value / window.baseVal.width;
        const step = Math.floor(Math.log(a * zoomed * image.width.baseVal.value / 16) / Math.log(1.1));
        const address = `${image.href.baseVal.split("#")[0]}#w${Math.max(0, step)}`;
        if (image.href.baseVal !== address) image.setAttribute("href", address);
      }
    }
    Table.blanks();
  };
  // Narrower letters where a title is too long; and higher ones where a piece would hide it.
  function fitTitle(surface, name, room, scale) {
    name.removeAttribute("textLength");
    if (name.getComputedTextLength() > room) name.setAttribute("textLength", room);
    const end = 2.5 + name.getComputedTextLength();
    const boxes = [...surface.querySelectorAll(".piece")].map(piece => piece.getBBox()).filter(box => box.x < end);
    name.setAttribute("y", Math.max(-5 / scale, Math.min(1.6, ...boxes.map(box => box.y - TITLE / scale))));
  }
  Table.watchSize = () => {
    if (watched === Table.felt()) return;
    sizes.disconnect();
    watched = Table.felt();
    if (watched) sizes.observe(watched);
  };
  Table.watchSize();

  function set(to, x, y) {
    const felt = Table.felt();
    if (!felt) return;
    const before = felt.getBoundingClientRect();
    const across = (x - before.left) / before.width, down = (y - before.top) / before.height;
    zoom = Math.max(1, Math.min(MOST, to));
    root.style.setProperty("--zoom", zoom.toFixed(4));
    root.classList.toggle("zoomed", zoom > 1.01);
    const after = felt.getBoundingClientRect();
    view().scrollLeft += after.left + across * after.width - x;
    view().scrollTop += after.top + down * after.height - y;
  }

  // Show these elements as large as they fit.
  function lookAt(elements) {
    const boxes = elements.map(one => one.getBoundingClientRect()).filter(box => box.width);
    if (!boxes.length) return;
    const left = Math.min(...boxes.map(b => b.left)), right = Math.max(...boxes.map(b => b.right));
    const top = Math.min(...boxes.map(b => b.top)), bottom = Math.max(...boxes.map(b => b.bottom));
    const x = (left + right) / 2, y = (top + bottom) / 2, room = view().getBoundingClientRect();
    const high = Math.min(room.height, innerHeight * 0.66);
    set(zoom * Math.min(0.92 * room.width / (right - left), 0.92 * high / (bottom - top), MOST / 2), x, y);
    const now = view().getBoundingClientRect();
    view().scrollLeft += x - (now.left + now.width / 2);
    view().scrollTop += y - (now.top + now.height / 2);
    if (!wide()) view().scrollIntoView({ block: "start" });
  }

  const wide = () => matchMedia("(min-width: 60rem)").matches;
  const middle = () => {
    const box = view().getBoundingClientRect();
    return [box.left + box.width / 2, box.top + box.height / 2];
  };
  const tools = {
    in: () => set(zoom * 1.4, ...middle()),
    out: () => set(zoom / 1.4, ...middle()),
    fit: () => set(1, ...middle()),
    hand: () => lookAt([...document.querySelectorAll(`.surface.hand[data-seat="${Table.part().dataset.seat}"]`)]),
    changed: () => lookAt([...document.querySelectorAll(".piece.fresh")]),
    fold: () => {  // narrow screens: what can be done lies over the lower end of the table
      const down = root.classList.toggle("folded"), button = document.querySelector('[data-tool="fold"]');
      button.setAttribute("aria-pressed", down);
      button.textContent = down ? "▴" : "▾";
    },
    skip: () => Table.skip(),
  };
  const keys = { "+": "in", "=": "in", "-": "out", 0: "fit", h: "hand", c: "changed", s: "skip" };

  addEventListener("click", event => {
    const button = event.target.closest("[data-tool]");
    if (button) tools[button.dataset.tool]();
  });
  addEventListener("keydown", event => {
    if (Table.typing(event.target) || event.ctrlKey || event.metaKey || event.altKey || !view()) return;
    const step = { ArrowLeft: [-80, 0], ArrowRight: [80, 0], ArrowUp: [0, -80], ArrowDown: [0, 80] }[event.key];
    if (step && root.classList.contains("zoomed") && !event.target.closest("aside, nav")) {
      event.preventDefault();
      view().scrollBy(...step);
    } else if (keys[event.key]) tools[keys[event.key]]();
  });
  addEventListener("wheel", event => {
    if (!event.target.closest(".view") || !Table.felt() || event.shiftKey || !(wide() || event.ctrlKey)) return;
    event.preventDefault();
    set(zoom * Math.exp(-event.deltaY * 0.0015), event.clientX, event.clientY);
  }, { passive: false });
  addEventListener("dblclick", event => {
    const surface = event.target.closest(".surface");
    if (!surface || event.target.closest(".can")) return;
    if (root.classList.contains("zoomed")) tools.fit(); else lookAt([surface]);
  });

  const fingers = ([one, two]) => [Math.hypot(one.clientX - two.clientX, one.clientY - two.clientY),
    (one.clientX + two.clientX) / 2, (one.clientY + two.clientY) / 2];
  addEventListener("touchstart", event => {
    if (event.touches.length !== 2 || !event.target.closest(".view") || !Table.felt()) return;
    pinch = { apart: fingers(event.touches)[0], zoom };
    Table.letGo();
  }, { passive: true });
  addEventListener("touchmove", event => {
    if (!pinch || event.touches.length !== 2) return;
    event.preventDefault();
    const [apart, x, y] = fingers(event.touches);
    set(pinch.zoom * apart / pinch.apart, x, y);
  }, { passive: false });
  addEventListener("touchend", () => { pinch = null; });

  // A mouse moves the felt where it does not hold a piece that can go somewhere. A finger scrolls by itself.
  addEventListener("pointerdown", event => {
    if (event.pointerType !== "mouse" || event.button || !root.classList.contains("zoomed")) return;
    if (event.target.closest(".view") && !event.target.closest(".can")) pan = [event.clientX, event.clientY];
  });
  addEventListener("pointermove", event => {
    if (!pan) return;
    view().scrollBy(pan[0] - event.clientX, pan[1] - event.clientY);
    pan = [event.clientX, event.clientY];
  });
  addEventListener("pointerup", () => { pan = null; });
})();
