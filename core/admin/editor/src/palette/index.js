// The search for everything, after the combobox pattern of the ARIA Authoring Practices: typing shows results in groups,
// arrow keys choose one of them, Enter opens it.

import "./palette.css";
import { make } from "../dom.js";
import { opened } from "../frame/opened.js";
import { Palette } from "./palette.js";

const dialog = document.getElementById("palette");
const palette = new Palette(dialog, { request: window.desk.request, recent });

// What was opened last, except what is open.
function recent() {
  const rows = opened().filter(({ url }) => url !== window.location.pathname).slice(0, 8);
  if (!rows.length) {
    return [];
  }
  const row = ({ url, title, kind }) => make("li", {}, make("a", { href: url }, drawing(), make("span", {}, title), make("small", {}, kind)));
  return [make("section", {}, make("h2", {}, dialog.dataset.recent), make("ul", {}, ...rows.map(row)))];
}

function drawing() {
  const pattern = dialog.querySelector("svg").cloneNode(true);
  pattern.querySelector("use").setAttribute("href", "#icon-changes");
  return pattern;
}

dialog.addEventListener("opened", () => palette.show());
palette.show();
