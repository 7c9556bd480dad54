// What a choice does, in words beside it: under a mouse, in focus, and under a finger that rests on it. Where all of the
// words stand below the choice, they are not said twice.
"use strict";
(() => {
  if (!Table.part()) return;
  const PRESS = 600, GAP = 8;  // ms, pixels
  let press = 0, read = false, over = null, since = Infinity;  // since: when a finger came down on a choice

  const choice = node => node instanceof Element ? node.closest("#deed button[aria-describedby], #menu button[aria-describedby]") : null;

  function show(button) {
    const words = document.getElementById(button.getAttribute("aria-describedby"));
    if (!words || !words.textContent || (!button.closest("#menu") && isRead(words))) { hide(); return; }
    const sign = document.getElementById("does") || document.body.appendChild(document.createElement("div"));
    sign.id = "does";
    sign.setAttribute("aria-hidden", "true");  // said already: it describes the choice
    sign.textContent = words.textContent;
    place(sign, button);
  }

  function isRead(words) {
    const box = words.getBoundingClientRect(), frame = words.closest("form").getBoundingClientRect();
    const whole = words.scrollHeight <= words.clientHeight + 1;
    return box.height > 0 && whole && box.top >= frame.top - 1 && box.bottom <= frame.bottom + 1;
  }

  // To the left of the choices, or above them where there is no room.
  function place(sign, button) {
    const around = (button.closest("#menu") || button.closest("#deed")).getBoundingClientRect(), box = button.getBoundingClientRect();
    const beside = around.left - sign.offsetWidth - GAP, after = around.right + GAP;
    const fits = beside >= GAP ? beside : after + sign.offsetWidth + GAP <= innerWidth ? after : null;
    const top = fits === null ? around.top - sign.offsetHeight - GAP : box.top;
    sign.style.left = `${fits ?? Math.max(GAP, Math.min(box.left, innerWidth - sign.offsetWidth - GAP))}px`;
    sign.style.top = `${Math.max(GAP, Math.min(top, innerHeight - sign.offsetHeight - GAP))}px`;
  }

  function hide() {
    over = null;
    const sign = document.getElementById("does");
    if (sign) sign.remove();
  }
  Table.hideDoes = () => { if (over && !over.isConnected) hide(); };

  for (const moved of ["pointerover", "pointermove"]) addEventListener(moved, event => {
    if (event.pointerType !== "mouse" || event.buttons) return;
    const button = choice(event.target);
    if (button === over || (!button && over && over.matches(":focus-visible"))) return;
    hide();
    if (button) show(over = button);
  });
  addEventListener("focusin", event => {
    const button = choice(event.target);
    if (button && button.matches(":focus-visible")) show(over = button);
  });
  addEventListener("focusout", hide);
  addEventListener("scroll", () => {
    const sign = document.getElementById("does");
    if (sign && over) place(sign, over);
  }, { capture: true, passive: true });
  addEventListener("keydown", event => { if (event.key === "Escape") hide(); });

  // A finger that rests reads; its release takes nothing. A tap takes the choice, also where a busy page hears of it late.
  addEventListener("pointerdown", event => {
    const button = choice(event.target);
    read = false;
    clearTimeout(press);
    hide();
    since = button && event.pointerType !== "mouse" ? event.timeStamp : Infinity;
    if (since < Infinity) press = setTimeout(() => { read = true; show(over = button); }, PRESS);
  });
  for (const end of ["pointerup", "pointercancel"]) addEventListener(end, event => {
    clearTimeout(press);
    if (event.timeStamp - since < PRESS) read = false;
    since = Infinity;
    if (event.pointerType !== "mouse") hide();
  });
  addEventListener("click", event => {
    if (!read || !choice(event.target)) return;
    read = false;
    event.preventDefault();
    event.stopPropagation();
  }, { capture: true });
  addEventListener("contextmenu", event => { if (since < Infinity && choice(event.target)) event.preventDefault(); });
})();
