"use strict";
// The form of a content: the title grows with its text, tabs open what stands beside the text, groups are chosen in one
// field, and tags are suggested. Without this file all of it stands on the page, one below the other.
{
  const SCARCE = 40; // show the count when this many characters or fewer are left
  const form = document.getElementById("content-form");

  function make(name, attributes = {}, ...children) {
    const element = Object.assign(document.createElement(name), attributes);
    element.append(...children);
    return element;
  }

  function countCharacters(input) {
    const most = Number(input.dataset.count);
    const told = make("span", { className: "characters-left", id: `${input.id}_left` });
    input.after(told);
    input.setAttribute("aria-describedby", `${input.getAttribute("aria-describedby") || ""} ${told.id}`.trim());
    const count = () => {
      const left = most - Array.from(input.value).length;
      told.textContent = left <= SCARCE ? form.dataset.left.replace("{count}", String(left)) : "";
    };
    input.addEventListener("input", count);
    count();
  }

  // Enter leads on to the text; in other fields of one line it would press the first button of the form.
  function holdEnter(event) {
    if (event.key !== "Enter" || event.isComposing || event.ctrlKey || event.metaKey) {
      return;
    }
    if (event.target.matches(".title-input")) {
      event.preventDefault();
      form.elements.sub_title.focus();
    } else if (event.target.matches("input")) {
      event.preventDefault();
    }
  }

  // ---- Tabs, after the pattern of the ARIA Authoring Practices

  function makeTabs(list) {
    const links = [...list.querySelectorAll("a")];
    const panels = links.map((link) => document.getElementById(link.hash.slice(1)));
    const tabs = panels.map((panel, place) => {
      const tab = make("button", { type: "button", id: `${panel.id}-tab`, textContent: links[place].textContent });
      panel.querySelector("h2").hidden = true;
      tab.setAttribute("role", "tab");
      tab.setAttribute("aria-controls", panel.id);
      tab.classList.toggle("has-errors", panel.querySelector(".errors") !== null);
      panel.setAttribute("role", "tabpanel");
      panel.setAttribute("aria-labelledby", tab.id);
      tab.addEventListener("click", () => open(panel));
      return tab;
    });
    list.replaceChildren(...tabs);
    list.setAttribute("role", "tablist");
    list.addEventListener("keydown", ({ key }) => {
      const place = tabs.indexOf(document.activeElement);
      const next = { ArrowRight: place + 1, ArrowLeft: place - 1, Home: 0, End: -1 }[key];
      if (next !== undefined) {
        const tab = tabs.at(next % tabs.length);
        tab.click();
        tab.focus();
      }
    });

    function open(chosen) {
      for (const [place, panel] of panels.entries()) {
        panel.hidden = panel !== chosen;
        tabs[place].setAttribute("aria-selected", String(panel === chosen));
        tabs[place].tabIndex = panel === chosen ? 0 : -1;
      }
    }

    open(panels.find((panel) => panel.querySelector(".errors")) ?? panels[0]);
    return { open, panels };
  }

  // A link to a field, such as in the list of errors, opens what the field is in.
  function openTarget({ open, panels }, link) {
    const target = document.getElementById(decodeURIComponent(link.hash.slice(1)));
    const panel = panels.find((each) => each.contains(target));
    if (panel) {
      open(panel);
    }
    target?.closest("details")?.setAttribute("open", "");
    target?.focus();
  }

  // ---- Groups: one field for all boxes, which stay what the form sends

  function chooseGroups(area, added) {
    const boxes = [...area.querySelectorAll("input[type=checkbox]")];
    const chosen = make("ul", { className: "tokens" });
    const input = make("input", { type: "text", id: `${added.id}_find`, placeholder: form.dataset.find });
    const field = make("div", { className: "token-field" }, chosen, input);
    const told = () => new Event("change", { bubbles: true });
    const read = () => added.value.split(/[,，]/).map((name) => name.trim()).filter(Boolean);

    function write(names) {
      added.value = names.join(",");
      added.dispatchEvent(told());
      draw();
    }

    function toggle(box) {
      box.checked = !box.checked;
      box.dispatchEvent(told());
      draw();
    }

    function token(name, take) {
      const button = make("button", { type: "button", textContent: "×", tabIndex: -1 });
      button.setAttribute("aria-label", form.dataset.remove.replace("{name}", name));
      button.addEventListener("click", () => {
        take();
        input.focus();
      });
      return make("li", {}, name, button);
    }

    const tokens = () => [
      ...boxes.filter((box) => box.checked).map((box) => [box.value, () => toggle(box)]),
      ...read().map((name) => [name, () => write(read().filter((each) => each !== name))]),
    ];
    const draw = () => chosen.replaceChildren(...tokens().map(([name, take]) => token(name, take)));

    function add(name) {
      const known = boxes.find((box) => box.value.toLowerCase() === name.toLowerCase());
      if (known && !known.checked) {
        toggle(known);
      } else if (!known && !read().includes(name)) {
        write([...read(), name]);
      }
    }

    // Before the list, which takes the same keys for its rows.
    input.addEventListener("keydown", (event) => {
      const name = input.value.trim();
      const isEnd = event.key === "," || (event.key === "Enter" && !input.getAttribute("aria-activedescendant"));
      if (isEnd && name && !event.isComposing) {
        event.preventDefault();
        event.stopImmediatePropagation();
        add(name);
        input.value = "";
        input.dispatchEvent(new Event("input"));
      } else if (event.key === "Backspace" && !input.value) {
        tokens().at(-1)?.[1]();
      }
    });
    area.hidden = true;
    added.closest(".writing-input:not(.errors)")?.setAttribute("hidden", "");
    area.after(field);
    const legend = area.closest("fieldset").querySelector("legend");
    legend.id = `${input.id}_name`;
    input.setAttribute("aria-labelledby", legend.id);
    const find = (words) => [
      ...boxes
        .filter((box) => box.value.toLowerCase().includes(words.toLowerCase()))
        .map((box) => ({ text: box.value, isChosen: box.checked, box })),
      ...(words && !boxes.some((box) => box.value === words) ? [{ text: form.dataset.add.replace("{name}", words), name: words }] : []),
    ];
    const take = ({ box, name }) => (box ? toggle(box) : add(name));
    const { found, more } = form.dataset;
    new window.desk.Combobox(input, { find, choose: take, settle: () => { input.value = ""; }, words: { found, more } });
    form.addEventListener("restored", draw);
    window.addEventListener("pageshow", draw);
    draw();
  }

  // ---- Tags

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
        ...fitting.slice(0, 30).map((name) => make("option", { value: [...before, name].join(","), label: name })),
      );
    });
  }

  if (form) {
    const tabs = makeTabs(form.querySelector(".tabs"));
    form.addEventListener("keydown", holdEnter);
    form.addEventListener("click", (event) => {
      const link = event.target.closest('a[href^="#id_"]');
      if (link) {
        event.preventDefault();
        openTarget(tabs, link);
      }
    });
    form.querySelectorAll("[data-count]").forEach(countCharacters);
    const groups = form.querySelector(".input-groups .many-checkboxes");
    if (groups) {
      chooseGroups(groups, form.elements.new_groups);
    }
    suggestTags(form.elements.tags, document.getElementById("known-tags"));
    const first = document.getElementById("conflict") || document.getElementById("form-errors");
    // Not by autofocus, which scrolls a page whose style sheet is still on its way.
    if (first) {
      first.focus();
    } else if (!form.elements.seen_version.value) {
      form.elements.title.focus({ preventScroll: true });
    }
  }
}
