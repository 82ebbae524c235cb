"use strict";
// The settings of a site: one group at a time, a search within all, members that a switch hides, a way back to each
// default, and one from the list of what is wrong to the fields.
// Without this file all of them are shown, with their defaults in words.
{
  const groups = [...document.querySelectorAll(".settings-group")];
  const settings = [...document.querySelectorAll(".setting")];
  const search = document.getElementById("settings-search");
  const links = [...document.querySelectorAll(".settings-nav a")];
  const fieldOf = (setting) => setting.querySelector("input, select, textarea");
  const currentOf = (field) => (field.type === "checkbox" ? (field.checked ? "on" : "") : field.value);

  function isOff(setting) {
    const master = setting.dataset.switch && document.getElementById(`id_${setting.dataset.switch}`);
    return Boolean(master) && !master.checked && !setting.classList.contains("errors");
  }

  function matches(setting, words) {
    const text = setting.textContent.toLowerCase();
    return words.every((word) => text.includes(word));
  }

  // Groups with an error are shown, too.
  function isShown(group, chosen) {
    return group === chosen || group.querySelector(".errors, .errorlist") !== null;
  }

  function chosenGroup() {
    const named = document.getElementById(window.location.hash.slice(1)); // a group or a field
    return named?.closest(".settings-group") ?? groups[0];
  }

  function show() {
    const chosen = chosenGroup();
    const words = search.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    for (const setting of settings) {
      setting.hidden = words.length ? !matches(setting, words) : isOff(setting);
      found += setting.hidden ? 0 : 1;
    }
    for (const group of groups) {
      const own = [...group.querySelectorAll(".setting")];
      group.hidden = words.length ? own.every((setting) => setting.hidden) : !isShown(group, chosen);
      const more = group.querySelector("details");
      if (more && words.length) {
        more.open = [...more.querySelectorAll(".setting")].some((setting) => !setting.hidden);
      }
    }
    for (const link of links) {
      link.ariaCurrent = !words.length && link.hash === `#${chosen.id}` ? "true" : null;
    }
    const news = search.parentElement.querySelector("[role=status]");
    news.textContent = words.length && !found ? news.dataset.none : "";
  }

  function offerDefault(setting) {
    const field = fieldOf(setting);
    const back = setting.querySelector(".back");
    if (!field || !back) {
      return;
    }
    const look = () => {
      back.hidden = currentOf(field) === setting.dataset.default;
    };
    field.addEventListener("input", () => {
      look();
      if (field.type === "checkbox") {
        show();
      }
    });
    back.addEventListener("click", () => {
      if (field.type === "checkbox") {
        field.checked = setting.dataset.default === "on";
      } else {
        field.value = setting.dataset.default;
      }
      field.dispatchEvent(new Event("input", { bubbles: true }));
      field.focus();
    });
    look();
  }

  // The browser itself then moves to the field, which may have been hidden by a search or in a closed group.
  function lead(id) {
    const field = document.getElementById(id);
    if (!field) {
      return;
    }
    search.value = "";
    window.location.hash = field.closest(".settings-group").id;
    show();
    const group = field.closest("details");
    if (group) {
      group.open = true;
    }
    field.focus();
  }

  if (search) {
    search.closest(".settings-search").hidden = false;
    search.addEventListener("input", show);
    search.addEventListener("keydown", (event) => {
      if (event.key === "Enter") {
        event.preventDefault(); // it would store the form
      }
    });
    const endSearch = () => {
      search.value = "";
      show();
    };
    window.addEventListener("hashchange", endSearch);
    links.forEach((link) => link.addEventListener("click", endSearch)); // also that of the group that is shown
    const names = document.getElementById("show-names");
    names.checked = localStorage.getItem("settings-names") === "1";
    names.addEventListener("change", () => localStorage.setItem("settings-names", names.checked ? "1" : ""));
    settings.forEach(offerDefault);
    show();
    for (const link of document.querySelectorAll(".wrong-fields a, .conflict a[href^='#']")) {
      link.addEventListener("click", () => lead(link.hash.slice(1)));
    }
  }
}
