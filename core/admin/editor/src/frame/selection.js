// Actions on what is chosen: how many there are, and all of them at once. All works without this file.

import { whenever } from "./elements.js";

function follow(form) {
  const boxes = [...form.querySelectorAll('input[name="ids"]')];
  const all = form.querySelector("[data-choose-all]");
  const told = form.querySelector("[data-chosen]");

  function tell() {
    const number = boxes.filter((box) => box.checked).length;
    told.textContent = number ? `${told.dataset.chosen} ${number}` : "";
    all.checked = number === boxes.length;
    all.indeterminate = number > 0 && number < boxes.length;
  }

  all.closest("label").hidden = false;
  all.addEventListener("change", () => {
    for (const box of boxes) {
      box.checked = all.checked;
    }
    tell();
  });
  form.addEventListener("change", tell);
  window.addEventListener("pageshow", tell);
}

// Django's script for lists counts in its own words; these are ours.
const counted = document.querySelector("[data-counted]")?.dataset.counted;
if (counted && window.django?.catalog) {
  const words = counted.replace("{chosen}", "%(sel)s").replace("{all}", "%(cnt)s");
  window.django.catalog["%(sel)s of %(cnt)s selected"] = words;
}

whenever("form[data-actions]", follow);
