// Keys as they are written on keyboards.

const isApple = /Mac|iPhone|iPad/.test(navigator.platform);
const NAMES = isApple
  ? { Mod: "⌘", Alt: "⌥", Shift: "⇧", Ctrl: "⌃" }
  : { Mod: "Ctrl", Alt: "Alt", Shift: "Shift", Ctrl: "Ctrl" };

export function spell(shortcut) {
  const parts = shortcut.split("-").map((key) => NAMES[key] || (key.length === 1 ? key.toUpperCase() : key));
  return parts.join(isApple ? "" : "+");
}

// What the list of shortcuts shows, in its order.
export const SHORTCUTS = [
  ["bold", "Mod-b"], ["italic", "Mod-i"], ["underline", "Mod-u"], ["strike", "Mod-Shift-s"], ["code", "Mod-e"],
  ["subscript", "Mod-,"], ["superscript", "Mod-."], ["link", "Mod-k"], ["paragraph", "Mod-Alt-0"],
  ["heading_keys", "Mod-Alt-1"], ["bullet_list", "Mod-Shift-8"], ["ordered_list", "Mod-Shift-7"], ["quote", "Mod-Shift-b"],
  ["preformatted", "Mod-Alt-c"], ["line_break", "Shift-Enter"], ["indent", "Tab"], ["outdent", "Shift-Tab"],
  ["undo", "Mod-z"], ["redo", "Mod-Shift-z"], ["paste_plain", "Mod-Shift-v"], ["to_toolbar", "Alt-F10"],
  ["full_screen", "Alt-Shift-f"], ["change_selected", "Enter"], ["save_form", "Mod-s"],
  ["main_button", "Mod-Enter"], ["search_all", "Mod-k"], ["shortcuts", "Alt-0"],
];

export const SHORTCUT = Object.fromEntries(SHORTCUTS);
