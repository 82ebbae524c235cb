"use strict";
// A field above a list of channels, in which one finds a channel by typing; the list works without it.
{
  const ROWS = 10;

  // The channels with the names of those above them, which the list shows by moving names in.
  function read(list) {
    const above = [];
    return [...list.querySelectorAll("option")].map((option) => {
      const depth = option.text.split("— ").length - 1;
      above.length = depth;
      above[depth] = option.text.slice(depth * 2);
      const group = option.parentElement.label || "";
      return { option, path: above.filter(Boolean).join(" / "), group };
    });
  }

  function enhance(list) {
    // With several rows in sight none has to be chosen: the row for nothing would only look like a channel.
    if (list.options.length && list.options[0].value === "") {
      const isEmpty = list.value === "";
      list.options[0].remove();
      list.size = 2;
      list.selectedIndex = isEmpty ? -1 : list.selectedIndex;
    }
    list.required = true;
    const channels = read(list);
    const whole = [...list.childNodes];
    const box = document.createElement("div");
    const field = document.createElement("input");
    const news = document.createElement("p");
    box.className = "channel-picker";
    field.type = "search";
    field.placeholder = list.dataset.find;
    field.setAttribute("aria-label", list.dataset.find);
    field.setAttribute("autocomplete", "off");
    news.className = "quiet";
    news.setAttribute("aria-live", "polite");
    list.before(box);
    box.append(field, list, news);
    list.size = Math.min(ROWS, Math.max(2, channels.length));

    function show() {
      const chosen = list.value;
      const sought = field.value.trim().toLocaleLowerCase();
      if (!sought) {
        list.replaceChildren(...whole);
        news.textContent = "";
      } else {
        const found = channels.filter(
          ({ option, path }) => option.value && !option.disabled && path.toLocaleLowerCase().includes(sought),
        );
        const group = (name) => (name ? `${name}: ` : "");
        list.replaceChildren(...found.map((each) => new Option(group(each.group) + each.path, each.option.value)));
        news.textContent = `${list.dataset.found} ${found.length}`;
      }
      list.value = chosen;
      if (sought && list.selectedIndex < 0 && list.options.length) {
        list.selectedIndex = 0;
      }
    }

    field.addEventListener("input", show);
    field.addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown") {
        event.preventDefault();
        list.focus();
      } else if (event.key === "Enter") {
        // The list is not done with: what was found is to be looked at before.
        event.preventDefault();
        list.focus();
      }
    });
  }

  document.querySelectorAll("select[data-channel-picker]").forEach(enhance);
}
