// Buttons that copy what stands beside them. Without this file they are not there, and the text is.

import { whenever } from "./elements.js";

const select = (node) => {
  const range = document.createRange();
  range.selectNodeContents(node);
  const selection = window.getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
};

// Browsers give the clipboard to safe origins only; elsewhere the older way works.
const copy = async (node) => {
  try {
    await navigator.clipboard.writeText(node.textContent);
    return true;
  } catch {
    select(node);
    return document.execCommand("copy");
  }
};

whenever("[data-copy]", (button) => {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const done = await copy(document.getElementById(button.dataset.copy));
    document.getElementById("copied").textContent = done ? button.dataset.copied : "";
  });
});
