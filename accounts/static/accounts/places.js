"use strict";
// The places of a group: finds channels by a part of their name, and limits the group once a place is chosen. Without
// this file one enters numbers of channels.
{
  const DELAY = 200; // milliseconds after the last key
  const field = document.getElementById("id_more_branches");
  const chosen = () => document.getElementById("id_branches");
  const limited = document.querySelector('input[name="is_limited"][value="1"]');

  function boxes() {
    const place = chosen();
    if (!place.classList.contains("no-choices")) {
      return place;
    }
    const made = document.createElement("div");
    made.id = place.id;
    made.className = "boxes";
    place.replaceWith(made);
    return made;
  }

  function choose({ id, text }) {
    const box = boxes().querySelector(`input[value="${id}"]`);
    if (box) {
      box.checked = true;
    } else {
      const input = Object.assign(document.createElement("input"), { type: "checkbox", name: "branches", value: id });
      input.checked = true;
      const [label, row] = [document.createElement("label"), document.createElement("div")];
      label.append(input, ` ${text}`);
      row.append(label);
      boxes().append(row);
    }
    limited.checked = true;
    field.value = "";
  }

  let timer = 0;
  async function find(words) {
    clearTimeout(timer);
    if (!words || /^[\d,，、\s]+$/.test(words)) {
      return [];
    }
    await new Promise((resolve) => {
      timer = setTimeout(resolve, DELAY);
    });
    const retry = () => field.dispatchEvent(new Event("input"));
    const address = `${field.dataset.address}?q=${encodeURIComponent(words)}`;
    const { outcome, data } = await window.desk.request(address, { retry });
    return outcome === "ok" && data.found.map(({ id, name }) => ({ id, text: name }));
  }

  if (field && limited) {
    new window.desk.Combobox(field, { words: { found: field.dataset.found }, find, choose, settle() {} });
    field.form.addEventListener("change", ({ target }) => {
      if (["sites", "branches"].includes(target.name) && target.checked) {
        limited.checked = true;
      }
    });
  }
}
