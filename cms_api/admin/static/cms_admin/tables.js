"use strict";
// Import of tables: what takes a while says so, and a second click sends nothing.
for (const form of document.querySelectorAll("form[data-busy]")) {
  form.addEventListener("submit", (event) => {
    if (form.dataset.sent) {
      event.preventDefault();
      return;
    }
    form.dataset.sent = "true";
    form.querySelector(".busy").textContent = form.dataset.busy;
  });
}
// A page that the browser brings back may be sent again.
window.addEventListener("pageshow", (event) => {
  if (event.persisted) {
    for (const form of document.querySelectorAll("form[data-sent]")) {
      delete form.dataset.sent;
      form.querySelector(".busy").textContent = "";
    }
  }
});
