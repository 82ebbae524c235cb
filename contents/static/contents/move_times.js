"use strict";
// A time in the calendar is moved by dragging it to another day. The form of the content changes it without this file.
{
  const form = document.getElementById("move-time");
  const days = document.querySelectorAll("[data-day]");
  let dragged = null;

  for (const time of document.querySelectorAll("[data-day] [data-content]")) {
    time.draggable = true;
    time.title = form.dataset.hint;
    time.addEventListener("dragstart", (event) => {
      dragged = time;
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", time.textContent.trim());
    });
    time.addEventListener("dragend", () => {
      dragged = null;
      days.forEach((day) => day.classList.remove("drop-here"));
    });
  }

  for (const day of days) {
    const isTarget = () => dragged && !day.contains(dragged);
    day.addEventListener("dragover", (event) => {
      if (isTarget()) {
        event.preventDefault();
        day.classList.add("drop-here");
      }
    });
    day.addEventListener("dragleave", () => day.classList.remove("drop-here"));
    day.addEventListener("drop", (event) => {
      if (isTarget()) {
        event.preventDefault();
        for (const name of ["content", "version", "name"]) {
          form.elements.namedItem(name).value = dragged.dataset[name];
        }
        form.elements.namedItem("day").value = day.dataset.day;
        form.requestSubmit();
      }
    });
  }
}
