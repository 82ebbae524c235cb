"use strict";
// The form of a content: counts characters, suggests tags, and names what saving does.
{
  const form = document.getElementById("content-form");

  function countCharacters(input) {
    const most = Number(input.dataset.count);
    const told = document.createElement("span");
    told.className = "characters-left";
    told.id = `${input.id}_left`;
    input.after(told);
    input.setAttribute("aria-describedby", `${input.getAttribute("aria-describedby") || ""} ${told.id}`.trim());
    const count = () => {
      told.textContent = form.dataset.left.replace("{count}", String(most - Array.from(input.value).length));
    };
    input.addEventListener("input", count);
    count();
  }

  // The browser's list knows one name; here it is offered for the last of several.
  function suggestTags(input, list) {
    const known = Array.from(list.options, (option) => option.value);
    // Names that are there already keep the commas of Chinese writing; whoever types parts names by them.
    const whole = new Set([...known, ...input.defaultValue.split(",").map((name) => name.trim())]);
    input.addEventListener("input", () => {
      const names = input.value
        .split(",")
        .flatMap((name) => (whole.has(name.trim()) ? [name] : name.split(/[，、]/)));
      const begun = names.pop().trim().toLowerCase();
      const before = names.map((name) => name.trim()).filter(Boolean);
      const fitting = known.filter((name) => name.toLowerCase().includes(begun) && !before.includes(name));
      list.replaceChildren(
        ...fitting.slice(0, 30).map((name) => {
          const option = document.createElement("option");
          option.value = [...before, name].join(",");
          option.label = name;
          return option;
        }),
      );
    });
  }

  // The main button says what becomes of the content in the state that is chosen.
  function nameSaving(state, save, draft) {
    const plain = save.textContent;
    const name = () => {
      const chosen = state.selectedOptions[0];
      const isDraft = state.value === "draft";
      save.textContent = isDraft ? save.dataset.draft : state.value ? chosen.text : plain;
      if (draft) {
        draft.hidden = isDraft;
      }
    };
    state.addEventListener("change", name);
    window.addEventListener("pageshow", name);
    name();
  }

  // On a phone the buttons that are pressed less often wait behind "More".
  function fold(bar, more) {
    bar.classList.add("folds");
    more.hidden = false;
    more.addEventListener("click", () => {
      const isOpen = bar.classList.toggle("is-open");
      more.setAttribute("aria-expanded", String(isOpen));
    });
  }

  if (form) {
    if (form.elements.state) {
      nameSaving(form.elements.state, form.elements._save, form.elements._draft);
    }
    fold(form.querySelector(".save-bar"), form.querySelector(".save-more"));
    form.querySelectorAll("[data-count]").forEach(countCharacters);
    const tags = form.querySelector('[name="tags"]');
    const list = document.getElementById("known-tags");
    if (tags && list) {
      suggestTags(tags, list);
    }
    (document.getElementById("conflict") || document.getElementById("form-errors"))?.focus();
  }
}
