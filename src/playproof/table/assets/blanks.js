// Until a picture has come, its place says what lies there: over a slow line a game can begin before its pictures are here.
"use strict";
(() => {
  if (!Table.part()) return;
  const SOON = 100, LETTERS = [11, 10, 9, 8], WIDE = 0.62, LINE = 1.15;  // ms; px, the best first; ems; ems
  const here = new Set();
  let timer = 0;

  const address = image => image.href.baseVal.split("#")[0];
  const made = (parent, name, fields, text = "") => {
    const node = parent.appendChild(document.createElementNS("http://www.w3.org/2000/svg", name));
    for (const [key, value] of Object.entries(fields)) node.setAttribute(key, value);
    node.textContent = text;
    return node;
  };

  Table.blanks = () => {
    clearTimeout(timer);
    timer = setTimeout(() => document.querySelectorAll(".surface > svg").forEach(cover), SOON);
  };

  // They lie in a layer above the ground, below what can be clicked: a button that held its name twice would be read so.
  function cover(surface) {
    surface.querySelector(".blanks")?.remove();
    const { a } = surface.getScreenCTM() || { a: 0 }, waiting = [...surface.querySelectorAll("image")].filter(image => !here.has(address(image)));
    if (!a || !waiting.length) return;
    const layer = made(surface, "g", { class: "blanks", "aria-hidden": "true" });
    surface.firstElementChild.after(layer);
    for (const image of waiting) {
      const piece = image.closest(".piece"), turn = image.closest("g[transform]");
      const window = piece && image.parentNode.nodeName === "svg" ? image.parentNode : image;  // of a part of a face
      const blank = made(layer, "g", { class: piece ? "blank" : "blank ground", "data-face": address(image) });
      if (turn) blank.setAttribute("transform", turn.getAttribute("transform"));
      draw(blank, window, piece && piece.getAttribute("aria-label"), a);
      if (!piece) for (const spot of surface.querySelectorAll(".spot")) draw(blank, spot, spot.getAttribute("aria-label"), a);
    }
  }

  function draw(blank, shape, words, scale) {
    const [x, y, width, height] = ["x", "y", "width", "height"].map(side => shape[side].baseVal.value);
    made(blank, "rect", { x, y, width, height, rx: 2 });
    const fitting = words && LETTERS.map(letters => letters / scale).find(size => fold(words, width / (WIDE * size)).length * LINE * size <= height
      && words.split(" ").every(word => word.length * WIDE * size <= width));
    if (fitting) write(blank, fold(words, width / (WIDE * fitting)), x + width / 2, y + height / 2, fitting);
  }

  // Words in lines of so many letters. None is cut: where a word has no room, a place stays without words.
  function fold(words, most) {
    const lines = [];
    for (const word of words.split(" ")) {
      const joined = lines.length ? `${lines.at(-1)} ${word}` : word;
      if (lines.length && joined.length <= most) lines[lines.length - 1] = joined;
      else lines.push(word);
    }
    return lines;
  }

  function write(blank, lines, middle, height, size) {
    const top = height - (lines.length - 1) * LINE * size / 2;
    lines.forEach((line, n) => made(blank, "text", { x: middle, y: top + n * LINE * size, "font-size": size }, line));
  }

  // It does not reach the window, and Chromium asks only elements whether they listen.
  document.documentElement.addEventListener("load", event => {
    if (!(event.target instanceof SVGImageElement)) return;
    here.add(address(event.target));
    for (const blank of document.querySelectorAll(".blank")) if (blank.dataset.face === address(event.target)) blank.remove();
  }, true);
})();
