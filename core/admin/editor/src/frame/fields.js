// The fields of a form in which people type or choose, and their values.

const NO_FIELD = ["hidden", "submit", "button", "image", "reset"];
// Of lists: what is chosen there is no text, and leaving it loses nothing.
const CHOSEN_ROWS = ["_selected_action", "select_across", "index", "action", "ids"];
const SECRET = /password|secret|token/i;
const SECRET_COMPLETION = /password|one-time-code/;

/** The fields whose change is a change of the form. Passwords are not: browsers fill them in by themselves. */
export const fieldsOf = (form) =>
  [...form.elements].filter(
    (field) => field.name && field.type && !NO_FIELD.includes(field.type) && field.type !== "fieldset" && !isSecret(field) && !CHOSEN_ROWS.includes(field.name) && !field.closest("dialog"),
  );

/** What no browser may keep. */
export const isSecret = (field) =>
  field.type === "password" || SECRET.test(field.name) || SECRET_COMPLETION.test(field.autocomplete) || field.closest("[data-secret]") !== null;

/** The values of a field, as it is: of a box that is not ticked none. */
export function valuesOf(field) {
  if (["checkbox", "radio"].includes(field.type)) {
    return field.checked ? [field.value] : [];
  }
  return field.options ? [...field.options].filter((option) => option.selected).map((option) => option.value) : [field.value];
}

/** The values that the server sent, in the spelling of the browser: `2026-12-10T19:00:00` is shown as `2026-12-10T19:00`. */
export function sentValuesOf(field) {
  if (["checkbox", "radio"].includes(field.type)) {
    return field.defaultChecked ? [field.value] : [];
  }
  if (field.options) {
    const options = [...field.options];
    const sent = options.filter((option) => option.defaultSelected);
    return (field.multiple || sent.length ? sent : options.slice(0, 1)).map((option) => option.value);
  }
  if (field.type === "file") {
    return [""];
  }
  const copy = field.cloneNode(true);
  copy.value = field.defaultValue;
  return [copy.value];
}

/** The values by name; files are left out, which no page can put back. */
export function readForm(form, read = valuesOf) {
  const values = {};
  for (const field of fieldsOf(form).filter(({ type }) => type !== "file")) {
    values[field.name] ??= [];
    values[field.name].push(...read(field));
  }
  return values;
}

/** Puts values back, and lets everything that follows the fields know. */
export function fillForm(form, values) {
  form.dispatchEvent(new Event("collect"));
  const places = {};
  for (const field of fieldsOf(form).filter(({ type }) => type !== "file")) {
    const given = values[field.name];
    if (given) {
      const place = places[field.name] ?? 0;
      places[field.name] = place + 1;
      fill(field, given, place);
    }
  }
  form.dispatchEvent(new Event("restored"));
  form.dispatchEvent(new Event("change", { bubbles: true }));
}

function fill(field, given, place) {
  if (["checkbox", "radio"].includes(field.type)) {
    field.checked = given.includes(field.value);
  } else if (field.options) {
    for (const option of field.options) {
      option.selected = given.includes(option.value);
    }
  } else {
    field.value = given[place] ?? "";
  }
  field.dispatchEvent(new Event("input", { bubbles: true })); // for what counts its characters
}

export const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** Whether a form with the present values already shows the given ones; a field that it no longer has shows nothing. */
export const isShown = (given, present) => Object.entries(given).every(([name, values]) => isSame(values, present[name] ?? values));
