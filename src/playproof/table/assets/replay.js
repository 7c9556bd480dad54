"use strict";
(() => {
  const game = JSON.parse(document.getElementById("game").textContent);
  const pictures = game.pictures.map(data => `data:image/svg+xml;base64,${data}`);
  const felt = document.getElementById("felt"), slider = document.getElementById("at"), log = document.getElementById("log");
  const last = game.steps.length - 1;
  const svg = (name, attributes, text) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  };
  felt.setAttribute("viewBox", `0 0 ${game.width} ${game.height}`);
  slider.max = last;
  let now = 0, playing = 0;

  function things(step) {
    const found = new Map();
    for (const { put, gone } of game.steps.slice(0, step + 1)) {
      for (const key of gone) found.delete(key);
      for (const [key, value] of Object.entries(put)) found.set(key, value);
    }
    return [...found].sort((a, b) => a[1][0] - b[1][0]);
  }

  function drawn([key, [layer, ground, x, y, width, height, turn, count, name]], fresh) {
    const group = svg("g", turn ? { transform: `rotate(${turn} ${x + width / 2} ${y + height / 2})` } : {});
    group.append(svg("title", {}, count > 1 ? `${name}, ${count}` : name));
    if (typeof ground === "string") {
      group.append(svg("rect", { class: "bare", x, y, width, height, rx: 3 }),
        svg("text", { class: "name", x: x + 2.5, y: y + 6.6 }, ground));
    } else group.append(svg("image", { href: pictures[ground], x, y, width, height }));
    if (fresh && layer) group.append(svg("rect", { class: "new", x, y, width, height, rx: 2 }));
    if (count > 1) group.append(svg("circle", { class: "badge", cx: x + 6, cy: y + height - 6, r: 6 }),
      svg("text", { class: "count", x: x + 6, y: y + height - 6 }, count));
    return group;
  }

  function show(step) {
    now = Math.max(0, Math.min(last, step));
    // What only lies higher or lower now is not new.
    const before = new Map(now ? things(now - 1) : []), told = value => JSON.stringify(value && value.slice(1));
    const fresh = new Set(now ? Object.keys(game.steps[now].put).filter(key =>
      told(before.get(key)) !== told(game.steps[now].put[key])) : []);
    felt.replaceChildren(...things(now).map(one => drawn(one, fresh.has(one[0]))));
    document.getElementById("head").textContent = game.steps[now].head;
    const said = game.steps[now].log.map(([who, words]) => (who ? `${who}: ${words}` : words)).join("; ");
    document.getElementById("said").textContent = now === last && game.end ? game.end : said;
    document.getElementById("seats").replaceChildren(...game.seats.map((seat, n) => {
      const chip = document.createElement("li"), score = game.steps[now].scores[n];
      chip.textContent = score ? `${seat}: ${score}` : seat;
      return chip;
    }));
    document.getElementById("step").textContent = `${now}/${last}`;
    slider.value = now;
    for (const line of log.children) line.classList.toggle("now", Number(line.dataset.step) === now);
    const line = log.querySelector(".now");
    if (line) line.scrollIntoView({ block: "nearest" });
  }

  function play() {
    if (playing) { clearInterval(playing); playing = 0; return; }
    playing = setInterval(() => { if (now >= last) play(); else show(now + 1); }, 900);
  }

  game.steps.forEach(({ log: lines }, step) => lines.forEach(([who, words]) => {
    const line = document.createElement("li");
    line.dataset.step = step;
    line.textContent = `${step}. ${who ? `${who}: ` : ""}${words}`;
    line.addEventListener("click", () => show(step));
    log.append(line);
  }));
  slider.addEventListener("input", () => show(Number(slider.value)));
  document.getElementById("back").addEventListener("click", () => show(now - 1));
  document.getElementById("on").addEventListener("click", () => show(now + 1));
  document.getElementById("play").addEventListener("click", play);
  addEventListener("keydown", event => {
    if (event.target === slider) return;
    if (event.key === "ArrowLeft") show(now - 1);
    if (event.key === "ArrowRight") show(now + 1);
    if (event.key === " ") play();
  });
  show(0);
})();
