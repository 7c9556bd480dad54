// Until a picture has come, its place says what lies there: over a slow line a game can begin before its pictures are here.
"use strict";
(() => {
  if (!Table.part()) return;
  const SOON = 100, LETTERS = 11, WIDE = 0.62, LINE = 1.15, NARROW = 30;  // ms; px; ems; ems; px: less shows no word
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
    timer = setTimeout(() => {
      for (const image of document.querySelectorAll(".surface image")) {
        const before = image.previousElementSibling;
        if (!here.has(address(image)) && !(before && before.classList.contains("blank"))) cover(image);
      }
    }, SOON);
  };

  function cover(image) {
    const [x, y, width, height] = ["x", "y", "width", "height"].map(side => image[side].baseVal.value);
    const { a } = image.getScreenCTM() || { a: 0 }, piece = image.closest(".piece"), surface = image.closest("section > svg");
    if (!a) return;
    const blank = document.createElementNS("http://www.w3.org/2000/svg", "g");
    blank.setAttribute("class", piece ? "blank" : "blank ground");
    blank.setAttribute("aria-hidden", "true");
    made(blank, "rect", { x, y, width, height, rx: 2 });
    if (piece) write(blank, piece.getAttribute("aria-label"), x, y, width, height, LETTERS / a);
    else for (const spot of surface.querySelectorAll(".spot")) {
      const [left, top, wide, high] = ["x", "y", "width", "height"].map(side => spot[side].baseVal.value);
      made(blank, "rect", { x: left, y: top, width: wide, height: high, rx: 2 });
      write(blank, spot.getAttribute("aria-label"), left, top, wide, high, LETTERS / a);
    }
    image.before(blank);
  }

  // Words one below the other, as many as there is room for.
  function write(blank, words, x, y, width, height, size) {
    if (width * LETTERS / size < NARROW) return;
    const most = Math.floor(width / (WIDE * size)), lines = [];
    for (const word of words.split(" ")) {
      const joined = lines.length ? `${lines.at(-1)} ${word}` : word;
      if (lines.length && joined.length <= most) lines[lines.length - 1] = joined;
      else lines.push(word.length > most ? `${word.slice(0, most - 1)}…` : word);
    }
    const room = lines.slice(0, Math.max(1, Math.floor(height / (LINE * size))));
    const top = y + height / 2 - (room.length - 1) * LINE * size / 2;
    room.forEach((line, n) => made(blank, "text", { x: x + width / 2, y: top + n * LINE * size, "font-size": size }, `${line} `));
  }

  // It does not reach the window, and Chromium asks only elements whether they listen.
  document.documentElement.addEventListener("load", event => {
    if (!(event.target instanceof SVGImageElement)) return;
    here.add(address(event.target));
    const before = event.target.previousElementSibling;
    if (before && before.classList.contains("blank")) before.remove();
  }, true);
})();
