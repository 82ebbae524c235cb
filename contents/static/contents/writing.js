"use strict";
// The form of a content: warns before what is written gets lost, counts characters, suggests tags, and is sent once.
{
  const form = document.getElementById("content-form");

  function warnOfLoss() {
    let isChanged = document.getElementById("conflict") !== null || document.getElementById("form-errors") !== null;
    const news = document.createElement("span");
    news.className = "unsaved";
    news.setAttribute("role", "status");
    form.querySelector(".save-bar").append(news);
    const noteChange = () => {
      isChanged = true;
      news.textContent = form.dataset.warning;
    };
    form.addEventListener("input", noteChange);
    form.addEventListener("change", noteChange);
    form.addEventListener("submit", (event) => {
      isChanged = isChanged && event.submitter !== null && event.submitter.formTarget !== "";
    });
    window.addEventListener("beforeunload", (event) => {
      if (isChanged) {
        event.preventDefault();
      }
    });
  }

  // A double click sends the form once; the page that comes back can send it again.
  function sendOnce() {
    let isSent = false;
    form.addEventListener("submit", (event) => {
      const isPreview = event.submitter !== null && event.submitter.formTarget !== "";
      if (isPreview) {
        return;
      }
      if (isSent) {
        event.preventDefault();
      }
      isSent = true;
    });
    window.addEventListener("pageshow", () => {
      isSent = false;
    });
  }

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
    warnOfLoss();
    nameSaving(form.elements.state, form.elements._save, form.elements._draft);
    fold(form.querySelector(".save-bar"), form.querySelector(".save-more"));
    sendOnce();
    form.querySelectorAll("[data-count]").forEach(countCharacters);
    const tags = form.querySelector('[name="tags"]');
    const list = document.getElementById("known-tags");
    if (tags && list) {
      suggestTags(tags, list);
    }
    (document.getElementById("conflict") || document.getElementById("form-errors"))?.focus();
  }
}
