// Cells to point at: a table of as many rows and columns.

import { button, make } from "../dom.js";

const SIDE = 6;

/** `choose` gets the numbers of rows and columns, `ask` opens the dialog for everything else. */
export function tableGrid({ words, choose, ask }) {
  const cells = Array.from({ length: SIDE * SIDE }, (_, place) => {
    const [rows, columns] = [Math.floor(place / SIDE) + 1, (place % SIDE) + 1];
    const mark = () => cells.forEach((each, at) => each.classList.toggle("is-in", at % SIDE < columns && at < rows * SIDE));
    const label = words.say("table_cells", { rows, columns });
    return make("button", { type: "button", "aria-label": label, title: label, pointerenter: mark, focus: mark, click: () => choose(rows, columns) });
  });
  const grid = make("div", { class: "editor-grid", role: "group", "aria-label": words.say("insert_table") }, ...cells);
  grid.addEventListener("keydown", (event) => {
    const next = cells[cells.indexOf(document.activeElement) + { ArrowDown: SIDE, ArrowUp: -SIDE }[event.key]];
    if (next) {
      event.preventDefault();
      event.stopPropagation();
      next.focus();
    }
  });
  const more = button(words.say("other_table"), ask);
  more.dataset.tool = "insert_table";
  return make("div", {}, grid, more);
}
