// Makes elements. Attributes that are functions listen to the event of their name.

import { ICONS } from "./icons.js";

export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") {
      element.addEventListener(key, value);
    } else if (value === true) {
      element.setAttribute(key, "");
    } else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(key, value);
    }
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

/** A drawing for a button, which readers of the screen pass over. */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  const path = document.createElementNS(SVG, "path");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "editor-icon");
  svg.setAttribute("aria-hidden", "true");
  path.setAttribute("d", ICONS[name] || "");
  svg.append(path);
  return svg;
}

let count = 0;

/** A name that no other element has. */
export function freshId(prefix) {
  count += 1;
  return `${prefix}-${count}`;
}

/** The buttons of a dialog or a notice. */
export const button = (text, click, kind = "") => make("button", { type: "button", class: `button ${kind}`, click }, text);
