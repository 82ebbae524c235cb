"use strict";
// The page that shows a password, this once: copying it; reloading leads to the account and sends nothing again.
{
  const section = document.querySelector(".drawn-password");
  history.replaceState(null, "", section.dataset.address);

  // Browsers give the clipboard to safe origins only; elsewhere the text is marked for a copy by hand.
  async function copy(node) {
    try {
      await navigator.clipboard.writeText(node.textContent);
      return true;
    } catch {
      window.getSelection().selectAllChildren(node);
      return false;
    }
  }

  const button = section.querySelector("[data-copy]");
  button.hidden = false;
  button.addEventListener("click", async () => {
    const done = await copy(document.getElementById(button.dataset.copy));
    document.getElementById("copied").textContent = done ? button.dataset.copied : "";
  });
}
