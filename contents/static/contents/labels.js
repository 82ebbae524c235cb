"use strict";
// Names are replaced, and trash is deleted, in portions: the page goes on by itself until somebody stops it. Without this
// file by its button.
{
  const form = document.querySelector("form[data-goes-on]");
  if (form) {
    let stopped = false;
    const stop = form.querySelector("a.closelink");
    stop.addEventListener("click", () => {
      stopped = true;
    });
    // Focus on it: whoever wants to stop presses a key.
    stop.focus();
    setTimeout(() => {
      if (!stopped) {
        form.requestSubmit();
      }
    }, 400);
  }
}
