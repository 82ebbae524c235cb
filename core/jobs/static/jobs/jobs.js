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
    const { outcome, data } = await window.desk.request(job.dataset.state);
    if (outcome === "lost") {
      window.setTimeout(show, LONG); // while everybody waits for the database
    } else if (outcome === "ok") {
      put(data.shown);
      if (!data.hasEnded) {
        window.setTimeout(show, SECOND);
      }
    } else {
      window.addEventListener("signedin", () => window.setTimeout(show), { once: true });
    }
  }

  if (job && "underWay" in job.dataset) {
    window.setTimeout(show, SECOND);
  }
}
