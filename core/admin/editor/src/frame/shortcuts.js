// Ctrl+S saves and stays on the form, Ctrl+Enter presses its main button, or with Command on Apple's keyboards.

// The first that the form has; a form whose buttons have other names says which they are.
const BUTTONS = {
  s: ["[aria-keyshortcuts~='Control+S']", "[name=_continue]", "[name=_save]"],
  enter: ["[aria-keyshortcuts~='Control+Enter']", "[name=_save]"],
};

export function pressByKeys() {
  // Before the editor, for which Ctrl+Enter is a new line.
  document.addEventListener("keydown", press, true);
}

function press(event) {
  const buttons = BUTTONS[event.key?.toLowerCase()];
  const isMeant = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && !event.isComposing;
  if (!buttons || !isMeant || document.querySelector("dialog[open]")) {
    return;
  }
  const button = buttons.map((one) => document.querySelector(`main form[method=post] ${one}`)).find(Boolean);
  if (button) {
    event.preventDefault();
    event.stopPropagation();
    if (!event.repeat) {
      button.click();
    }
  }
}
