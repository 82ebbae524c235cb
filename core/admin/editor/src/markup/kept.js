// Every node and mark holds the attributes it was read with ("kept"), so that what the editor has no button for stays.

import { releasedName } from "./inert.js";

const NAME = /^[a-z_][\w.:-]*$/i;
export const OURS = "x-cms-"; // attributes that prepare() makes

/** The attributes of the element; null where it has none. */
export function keep(element, ...except) {
  const kept = {};
  for (const { name, value } of element.attributes) {
    if (NAME.test(name) && !name.startsWith(OURS) && !except.includes(name)) {
      kept[releasedName(name)] = value;
    }
  }
  return orNull(kept);
}

export const orNull = (kept) => (Object.keys(kept).length ? kept : null);

/** The attributes with one changed, or without it where the value is empty. */
export function withAttribute(kept, name, value) {
  const changed = { ...kept };
  if (value === null || value === undefined || value === "") {
    delete changed[name];
  } else {
    changed[name] = String(value);
  }
  return orNull(changed);
}

/** The declarations of a style, [name, value] each; semicolons in brackets and quotes part nothing. */
export function declarations(style) {
  const parts = (style || "").match(/(?:[^;"'(]|"[^"]*"|'[^']*'|\([^)]*\)|["'(])+/g) || [];
  return parts
    .map((part) => [part.slice(0, part.indexOf(":")).trim().toLowerCase(), part.slice(part.indexOf(":") + 1).trim()])
    .filter(([name, value]) => name && value);
}

const text = (list) => list.map(([name, value]) => `${name}: ${value}`).join("; ");

/** The value of a property of the style; empty where it is not set. */
export function readStyle(kept, property) {
  const found = declarations(kept?.style).filter(([name]) => name === property);
  return found.length ? found.at(-1)[1] : "";
}

/** The attributes with one property of their style changed, or without it where the value is empty. */
export function withStyle(kept, property, value) {
  const others = declarations(kept?.style).filter(([name]) => name !== property);
  return withAttribute(kept, "style", text(value ? [...others, [property, value]] : others));
}

const SHOWN = new Set(
  ("align bgcolor border cellpadding cellspacing color dir face height lang reversed size start title type valign value " +
    "width").split(" "),
);
const SHOWN_STYLE = new RegExp(
  "^(background|background-color|border.*|color|float|font.*|height|letter-spacing|line-height|list-style.*|margin.*|" +
    "max-width|min-width|padding.*|text-align|text-decoration.*|text-indent|text-transform|vertical-align|white-space|" +
    "width|word-spacing)$",
);

/** The attributes that show in the editor: nothing that runs, loads, covers the page or takes a name of its own. */
export function shown(kept) {
  const attributes = {};
  for (const [name, value] of Object.entries(kept || {})) {
    if (SHOWN.has(name)) {
      attributes[name] = value;
    }
  }
  const style = declarations(kept?.style).filter(
    ([name, value]) => SHOWN_STYLE.test(name) && !/url\(|expression|-\d/i.test(value),
  );
  if (style.length) {
    attributes.style = text(style);
  }
  return attributes;
}
