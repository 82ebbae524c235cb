// A combobox in place of a long select list, which keeps the value; without this file one uses the list itself.

import { Combobox } from "./combobox.js";
import { whenever } from "./elements.js";

// The rows with the names of those above them, which a list of channels shows by moving names in.
function read(list) {
  const above = [];
  return [...list.options].map((option) => {
    const depth = option.value ? option.text.split("— ").length - 1 : 0;
    above.length = depth;
    above[depth] = option.text.slice(depth * 2);
    const group = option.parentElement.label;
    const text = (group ? `${group}: ` : "") + above.filter(Boolean).join(" / ");
    return { value: option.value, text, folded: text.toLocaleLowerCase(), isDisabled: option.disabled };
  });
}

function enhance(list) {
  const every = read(list);
  const rows = list.dataset.picker === "optional" ? every : every.filter((row) => row.value);
  const field = document.createElement("input");
  field.type = "text";
  field.id = `${list.id}-find`;
  field.placeholder = list.dataset.find;
  field.required = list.dataset.picker !== "optional";
  for (const name of ["aria-describedby", "aria-invalid"]) {
    if (list.hasAttribute(name)) {
      field.setAttribute(name, list.getAttribute(name));
    }
  }
  const [label] = list.labels;
  if (label) {
    label.htmlFor = field.id;
  } else {
    field.setAttribute("aria-label", list.dataset.find);
  }
  if (every.length !== rows.length && !list.value) {
    list.selectedIndex = -1; // nothing is chosen yet, not the first row
  }
  list.required = false; // the field is: a browser shows nothing on a hidden list
  list.hidden = true;
  list.before(field);
  const settle = () => {
    field.value = (list.value && rows.find((row) => row.value === list.value)?.text) || "";
  };

  new Combobox(field, {
    words: { found: list.dataset.found, more: list.dataset.more },
    find(words) {
      const sought = words.toLocaleLowerCase();
      const found = rows.filter((row) => !sought || (row.value && !row.isDisabled && row.folded.includes(sought)));
      return found.map((row) => ({ ...row, isChosen: row.value === list.value }));
    },
    choose(row) {
      if (list.value !== row.value) {
        list.value = row.value;
        for (const kind of ["input", "change"]) {
          list.dispatchEvent(new Event(kind, { bubbles: true }));
        }
      }
    },
    settle,
  });
  settle();
  list.addEventListener("change", settle); // by another script
  // A browser that goes back gives the list the value of then.
  window.addEventListener("pageshow", settle);
}

whenever("select[data-picker]", enhance);
