"use strict";
// Updates the count when the window gets the focus. Without this script, a page keeps the count it was loaded with.
{
  const PAUSE = 10_000; // milliseconds between two requests, at least
  let last = Date.now();

  async function refresh(bell) {
    if (document.visibilityState !== "visible" || Date.now() - last < PAUSE) {
      return;
    }
    last = Date.now();
    const response = await fetch(bell.dataset.unread, { redirect: "error" }).catch(() => null);
    if (!response?.ok) {
      return; // the session has ended, or the network is gone
    }
    const { unread } = await response.json();
    const count = bell.querySelector(".bell-count");
    count.firstElementChild.textContent = unread;
    count.hidden = unread === "";
  }

  document.addEventListener("DOMContentLoaded", () => {
    const bell = document.getElementById("bell");
    if (bell) {
      window.addEventListener("focus", () => refresh(bell));
      document.addEventListener("visibilitychange", () => refresh(bell));
    }
  });
}
