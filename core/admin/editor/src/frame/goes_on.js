// Names are replaced, and trash is deleted, in portions: the page goes on by itself until somebody stops it. Without this
// file by its button.

import { whenever } from "./elements.js";

const PAUSE = 400; // milliseconds

whenever("form[data-goes-on]", (form) => {
  let stopped = false;
  const stop = form.querySelector("a.closelink");
  stop.addEventListener("click", () => {
    stopped = true;
  });
  window.setTimeout(() => {
    stop.focus(); // whoever wants to stop presses a key
    window.setTimeout(() => !stopped && form.isConnected && form.requestSubmit(), PAUSE);
  });
});
