// The service replaces names and deletes trash in portions. This file sends for the next portion until someone presses
// "Stop"; without it, one presses "Continue" each time.

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
