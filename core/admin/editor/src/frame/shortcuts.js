// Ctrl+S saves and stays on the form, Ctrl+Enter presses its main button, and Ctrl+Z outside of fields undoes the last
// action; or with Command on Apple's keyboards.

const FORM = "main form[method=post]";
// The first that the page has; a form whose buttons have other names says which they are.
const BUTTONS = {
  s: [`${FORM} [aria-keyshortcuts~='Control+S']`, `${FORM} [name=_continue]`, `${FORM} [name=_save]`],
  enter: [`${FORM} [aria-keyshortcuts~='Control+Enter']`, `${FORM} [name=_save]`],
  z: [".messagelist [aria-keyshortcuts~='Control+Z']"],
};
const UNDO_OF_THEIR_OWN = "input, select, textarea, [contenteditable], #tree";

export function pressByKeys() {
  // Before the editor, for which Ctrl+Enter is a new line.
  document.addEventListener("keydown", press, true);
}

function press(event) {
  const key = event.key?.toLowerCase();
  const isMeant = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && !event.isComposing;
  if (!BUTTONS[key] || !isMeant || document.querySelector("dialog[open]") || (key === "z" && event.target.closest(UNDO_OF_THEIR_OWN))) {
    return;
  }
  const button = BUTTONS[key].map((one) => document.querySelector(one)).find(Boolean);
  if (button) {
    event.preventDefault();
    event.stopPropagation();
    if (!event.repeat) {
      button.click();
    }
  }
}
