"use strict";
// While a job is under way, its page shows how far it is. Without this file a link shows it.
{
  const SECOND = 1000;
  const LONG = 5 * SECOND; // after an answer that says nothing
  const job = document.getElementById("job");

  function put(shown) {
    const focused = job.contains(document.activeElement) ? document.activeElement.className : "";
    const fresh = document.createElement("div");
    fresh.innerHTML = shown;
    const bar = job.querySelector("progress");
    const next = fresh.querySelector("progress");
    const step = job.querySelector(".step");
    if (bar && next && step && step.textContent === fresh.querySelector(".step").textContent) {
      // Only the figures have changed: nothing that is read aloud or has the focus is replaced.
      if (next.hasAttribute("value")) {
        bar.max = next.max;
        bar.value = next.value;
      } else {
        bar.removeAttribute("value");
      }
      const figures = job.querySelector(".figures");
      const nextFigures = fresh.querySelector(".figures");
      if (figures && nextFigures) {
        figures.textContent = nextFigures.textContent;
        return;
      }
      if (!figures && !nextFigures) {
        return;
      }
    }
    job.innerHTML = shown;
    if (focused) {
      (job.getElementsByClassName(focused)[0] || document.getElementById("content-start")).focus();
    }
  }

  async function show() {
    let answer;
    try {
      answer = await fetch(job.dataset.state, { headers: { Accept: "application/json" } });
    } catch {
      window.setTimeout(show, LONG);
      return;
    }
    if (answer.status >= 500) {
      window.setTimeout(show, LONG); // while everybody waits for the database
      return;
    }
    if (!(answer.headers.get("Content-Type") || "").startsWith("application/json")) {
      window.location.reload(); // whoever has signed out meanwhile is asked to sign in
      return;
    }
    const state = await answer.json();
    put(state.shown);
    if (!state.hasEnded) {
      window.setTimeout(show, SECOND);
    }
  }

  if (job && "underWay" in job.dataset) {
    window.setTimeout(show, SECOND);
  }
}
