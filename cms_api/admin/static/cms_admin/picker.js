"use strict";
// A field above a long list, in which one finds by typing; the list works without it.
// A list that may be left empty keeps its first row, and is one line high until something is typed.
{
  const ROWS = 10;

  // The rows with the names of those above them, which a list of channels shows by moving names in.
  function read(list) {
    const above = [];
    return [...list.querySelectorAll("option")]
      .filter((option) => option.value)
      .map((option) => {
        const depth = option.text.split("— ").length - 1;
        above.length = depth;
        above[depth] = option.text.slice(depth * 2);
        return { option, path: above.filter(Boolean).join(" / "), group: option.parentElement.label || "" };
      });
  }

  function enhance(list) {
    if (list.dataset.isPicked) {
      return;
    }
    list.dataset.isPicked = "yes";
    const isOptional = list.dataset.picker === "optional";
    const first = list.options.length && list.options[0].value === "" ? list.options[0] : null;
    // With several rows in sight none has to be chosen: the row for nothing would only look like a choice.
    if (!isOptional) {
      list.size = 2;
      if (first) {
        const isEmpty = list.value === "";
        first.remove();
        list.selectedIndex = isEmpty ? -1 : list.selectedIndex;
      }
      list.required = true;
    }
    const rows = read(list);
    const whole = [...list.childNodes];
    const box = document.createElement("div");
    const field = document.createElement("input");
    const news = document.createElement("p");
    const name = list.labels.length ? list.labels[0].textContent.replace(/[:：*\s]+$/, "") : "";
    box.className = "picker";
    field.type = "search";
    field.placeholder = list.dataset.find;
    field.setAttribute("aria-label", name ? `${name}: ${list.dataset.find}` : list.dataset.find);
    field.setAttribute("autocomplete", "off");
    news.className = "quiet";
    news.setAttribute("aria-live", "polite");
    list.before(box);
    box.append(field, list, news);

    function fit() {
      const isOpen = !isOptional || field.value.trim();
      list.size = isOpen ? Math.min(ROWS, Math.max(2, list.options.length)) : 1;
      // What is chosen is to be in sight.
      const chosen = list.selectedIndex;
      list.selectedIndex = -1;
      list.selectedIndex = chosen;
    }

    function choose(before, isSought) {
      list.value = before;
      const isFirst = list.selectedIndex < 0 || (isOptional && !before);
      if (isSought && isFirst) {
        list.selectedIndex = [...list.options].findIndex((option) => option.value && !option.disabled);
        if (list.selectedIndex < 0 && isOptional && list.options.length) {
          list.selectedIndex = 0;
        }
      }
      if (list.value !== before) {
        for (const kind of ["input", "change"]) {
          list.dispatchEvent(new Event(kind, { bubbles: true }));
        }
      }
    }

    function show() {
      const before = list.value;
      const sought = field.value.trim().toLocaleLowerCase();
      if (!sought) {
        list.replaceChildren(...whole);
        news.textContent = "";
      } else {
        const found = rows.filter(({ option, path }) => !option.disabled && path.toLocaleLowerCase().includes(sought));
        const group = (label) => (label ? `${label}: ` : "");
        const made = found.map((each) => new Option(group(each.group) + each.path, each.option.value));
        list.replaceChildren(...(isOptional && first ? [first] : []), ...made);
        news.textContent = `${list.dataset.found} ${found.length}`;
      }
      choose(before, Boolean(sought));
      fit();
    }

    field.addEventListener("input", show);
    field.addEventListener("keydown", (event) => {
      // Enter would send the form: what was found is to be looked at before.
      if (event.key === "ArrowDown" || event.key === "Enter") {
        event.preventDefault();
        list.focus();
      }
    });
    fit();
  }

  document.querySelectorAll("select[data-picker]").forEach(enhance);
}
