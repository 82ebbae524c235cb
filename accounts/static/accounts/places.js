"use strict";
// The places of a group: finds channels by a part of their name, and limits the group once a place is chosen. Without
// this file one enters numbers of channels.
{
  const DELAY = 200; // milliseconds after the last key
  const field = document.getElementById("id_more_branches");
  const chosen = () => document.getElementById("id_branches");
  const limited = document.querySelector('input[name="is_limited"][value="1"]');
  const found = document.createElement("ul");
  found.className = "found-places";
  found.setAttribute("aria-live", "polite");
  field?.after(found);
  let timer = 0;
  let asked = "";

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

  function choose({ id, name }) {
    const box = boxes().querySelector(`input[value="${id}"]`);
    if (box) {
      box.checked = true;
    } else {
      const input = Object.assign(document.createElement("input"), { type: "checkbox", name: "branches", value: id });
      input.checked = true;
      const [label, row] = [document.createElement("label"), document.createElement("div")];
      label.append(input, ` ${name}`);
      row.append(label);
      boxes().append(row);
    }
    limited.checked = true;
    field.value = "";
    found.replaceChildren();
    field.focus();
  }

  async function find() {
    const words = field.value.trim();
    asked = words;
    if (!words || /^[\d,，、\s]+$/.test(words)) {
      found.replaceChildren();
      return;
    }
    const answer = await fetch(`${field.dataset.address}?q=${encodeURIComponent(words)}`);
    if (!answer.ok || answer.redirected || asked !== words) {
      return;
    }
    const rows = (await answer.json()).found.map((each) => {
      const [row, button] = [document.createElement("li"), document.createElement("button")];
      button.type = "button";
      button.textContent = each.name;
      button.addEventListener("click", () => choose(each));
      row.append(button);
      return row;
    });
    found.replaceChildren(...rows);
  }

  if (field && limited) {
    field.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(find, DELAY);
    });
    // Enter would send the form.
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === "ArrowDown") {
        event.preventDefault();
        found.querySelector("button")?.focus();
      }
    });
    field.form.addEventListener("change", ({ target }) => {
      if (["sites", "branches"].includes(target.name) && target.checked) {
        limited.checked = true;
      }
    });
  }
}
