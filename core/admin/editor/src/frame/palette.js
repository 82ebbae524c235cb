// What every page has of the search for everything: the field and the key that open it, and what was opened here. The
// rest comes when it opens first. Without this file, the field leads to the page of the search.

import { forget, remember } from "./opened.js";

const isApple = /Mac|iP/.test(navigator.platform);

export function offer(dialog, form) {
  const [field, input] = [form.querySelector("input"), dialog.querySelector("input")];
  field.placeholder += isApple ? " (⌘K)" : " (Ctrl+K)";

  function open() {
    input.value = field.value || input.value;
    field.value = "";
    dialog.showModal();
    input.select();
    if (dialog.dataset.script) {
      const style = Object.assign(document.createElement("link"), { rel: "stylesheet", href: dialog.dataset.sheet });
      document.head.append(style, Object.assign(document.createElement("script"), { src: dialog.dataset.script }));
      delete dialog.dataset.script;
    }
    dialog.dispatchEvent(new Event("opened"));
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    open();
  });
  field.addEventListener("click", open);
  field.addEventListener("input", open); // pasted
  // Before the letter is typed, which so comes into the dialog.
  field.addEventListener("keydown", ({ key, ctrlKey, metaKey, altKey }) => {
    if ((key.length === 1 || key === "Process") && !(ctrlKey || metaKey || altKey)) {
      open();
    }
  });
  // After editors, where the key makes a link.
  document.addEventListener("keydown", (event) => {
    const isMeant = (isApple ? event.metaKey : event.ctrlKey) && !event.altKey && !event.shiftKey && !event.isComposing;
    if (event.key?.toLowerCase() === "k" && isMeant && !event.defaultPrevented && !document.querySelector("dialog[open]")) {
      event.preventDefault();
      open();
    }
  });
}

const dialog = document.getElementById("palette");
if (dialog) {
  offer(dialog, document.getElementById("search"));
  const { record, kind } = document.getElementById("content-start").dataset;
  const url = window.location.pathname;
  if (record && url.endsWith("/change/")) {
    remember({ url, title: record, kind });
  }
  document.querySelector("form[action$='/logout/']").addEventListener("submit", forget);
}
