// Many checkboxes: a field narrows them by a part of their names, and a number tells how many are chosen.

import { whenever } from "./elements.js";

function narrow(area, find, only) {
  const wanted = find.value.trim().toLowerCase();
  for (const box of area.querySelectorAll(".boxes div")) {
    const heading = box.closest(".boxes fieldset")?.querySelector("legend").textContent ?? "";
    const isFound = `${heading} ${box.textContent}`.toLowerCase().includes(wanted);
    box.hidden = !isFound || (only.checked && !box.querySelector("input").checked);
  }
  for (const group of area.querySelectorAll(".boxes fieldset")) {
    group.hidden = !group.querySelector("div:not([hidden])");
  }
}

function labelled(input, text) {
  const label = document.createElement("label");
  label.append(input, text);
  return label;
}

whenever(".many-checkboxes[data-find]", (area) => {
  const find = document.createElement("input");
  find.type = "search";
  find.setAttribute("aria-label", area.dataset.find);
  find.placeholder = area.dataset.find;
  const only = document.createElement("input");
  only.type = "checkbox";
  const news = document.createElement("span");
  news.setAttribute("role", "status");
  const bar = document.createElement("div");
  bar.className = "narrow";
  bar.append(find, labelled(only, area.dataset.only), news);
  area.prepend(bar);

  const count = () => {
    news.textContent = area.dataset.chosen.replace("%s", area.querySelectorAll(".boxes input:checked").length);
  };
  find.addEventListener("input", () => narrow(area, find, only));
  // Enter would send the form.
  find.addEventListener("keydown", (event) => event.key === "Enter" && event.preventDefault());
  only.addEventListener("change", () => narrow(area, find, only));
  area.querySelector(".boxes").addEventListener("change", count);
  count();
});
