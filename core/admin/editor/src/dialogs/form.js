// A dialog that asks for a few things. It is no part of the page's form.

import { button, freshId, make } from "../dom.js";

/**
 * Ask; the answer is the values by name, null when it was cancelled, or "remove".
 *
 * A field: name, label, kind (text, url, number, checkbox, select, textarea, upload), value, help, choices, required,
 * below (makes what stands below the input), enhance (gets the input in its row).
 */
export function ask(words, { title, fields, check = () => null, removes = null, submits = null }) {
  return new Promise((resolve) => {
    const inputs = fields.map((field) => drawField(field, words));
    const problem = make("p", { class: "editor-problem", role: "alert" });
    const form = make("form", { method: "dialog", novalidate: true }, ...inputs.map(({ row }) => row), problem);
    const name = freshId("editor-dialog");
    const dialog = make("dialog", { class: "editor-dialog", "aria-labelledby": name }, make("h2", { id: name }, title), form);
    // At once, not when the browser tells of the close: what was asked for is there as soon as the dialog is gone.
    const finish = (value) => {
      dialog.close();
      dialog.remove();
      resolve(value);
    };
    const submit = (event) => {
      event.preventDefault();
      event.stopPropagation();
      const values = Object.fromEntries(inputs.map(({ name: key, read }) => [key, read()]));
      const missing = fields.find((field) => field.required && !values[field.name]);
      const message = missing ? words.say("required", { name: missing.label }) : check(values);
      problem.textContent = message || "";
      if (!message) {
        finish(values);
      }
    };
    form.addEventListener("submit", submit);
    const accept = make("button", { type: "submit", class: "button default" }, submits || words.say("apply"));
    const remove = removes && button(removes, () => finish("remove"), "deletelink");
    form.append(make("div", { class: "editor-buttons" }, accept, button(words.say("cancel"), () => finish(null)), remove));
    dialog.addEventListener("close", () => finish(null)); // by the Escape key; a second answer is none
    document.body.append(dialog);
    dialog.showModal();
    dialog.querySelector("input:not([type=file]),textarea,select,button")?.focus();
  });
}

function drawField(field, words) {
  const id = freshId("editor-field");
  const help = field.help && make("p", { class: "help", id: `${id}-help` }, field.help);
  const input = (DRAW[field.kind] || DRAW.text)(field, { id, "aria-describedby": help ? help.id : null });
  const label = make("label", { for: id }, field.label);
  if (field.kind === "upload") {
    return { name: field.name, read: () => null, row: make("div", { class: "editor-row" }, field.draw(id, words)) };
  }
  const isBox = field.kind === "checkbox";
  const row = make("div", { class: isBox ? "editor-row editor-box" : "editor-row" }, ...(isBox ? [input, label] : [label, input]), help, field.below?.(input));
  field.input = input;
  field.enhance?.(input);
  return { name: field.name, read: () => (isBox ? input.checked : input.value.trim()), row };
}

const DRAW = {
  text: (field, base) => {
    const bounds = field.kind === "number" ? { min: field.min, max: field.max, inputmode: "numeric" } : {};
    // An address may begin with "@/", which is none to the browser.
    const type = field.kind === "number" ? "number" : "text";
    return make("input", { ...base, ...bounds, type, value: field.value ?? "", autocomplete: "off", "aria-required": field.required ? "true" : null });
  },
  textarea: (field, base) => Object.assign(make("textarea", { ...base, rows: 8, spellcheck: "false" }), { value: field.value ?? "" }),
  checkbox: (field, base) => make("input", { ...base, type: "checkbox", checked: Boolean(field.value) }),
  select: (field, base) => {
    const options = field.choices.map(([value, text]) => make("option", { value, selected: value === field.value }, text));
    return make("select", base, ...options);
  },
  upload: () => null,
};
