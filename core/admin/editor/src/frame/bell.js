// Updates the count when the window gets the focus. Without this script, a page keeps the count it was loaded with.

import { OK, request } from "./request.js";

const PAUSE = 10_000; // milliseconds between two requests, at least
let last = Date.now();

async function refresh(bell) {
  if (document.visibilityState !== "visible" || Date.now() - last < PAUSE) {
    return;
  }
  last = Date.now();
  // Nobody asked: a count that could not be read is no news, and the old one stays.
  const { outcome, data } = await request(bell.dataset.unread, { isQuiet: true });
  if (outcome === OK) {
    const count = bell.querySelector(".bell-count");
    count.firstElementChild.textContent = data.unread;
    count.hidden = data.unread === "";
  }
}

const bell = document.getElementById("bell");
if (bell) {
  window.addEventListener("focus", () => refresh(bell));
  document.addEventListener("visibilitychange", () => refresh(bell));
}
