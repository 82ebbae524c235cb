"use strict";
// The menu: which groups are open is remembered; on a phone it is a drawer. And what opens below its button closes by
// itself. All of it works without this file.
{
  const KEY = "menu";

  function remembered() {
    try {
      return JSON.parse(localStorage.getItem(KEY)) || {};
    } catch {
      return {};
    }
  }

  function rememberGroups(menu) {
    const open = remembered();
    for (const group of menu.querySelectorAll("details[data-name]")) {
      const name = group.dataset.name;
      const isCurrent = group.querySelector("[aria-current]") !== null;
      if (name in open && !isCurrent) {
        group.open = open[name];
      }
      // Not by "toggle", which also tells of the group that the page opens because one is in it.
      group.querySelector("summary").addEventListener("click", () => {
        localStorage.setItem(KEY, JSON.stringify({ ...remembered(), [name]: !group.open }));
      });
    }
    const current = menu.querySelector("[aria-current]");
    const below = current ? current.getBoundingClientRect().bottom - menu.getBoundingClientRect().bottom : 0;
    if (below > 0) {
      menu.scrollTop += below + menu.clientHeight / 2;
    }
  }

  function makeDrawer(menu, button) {
    const phone = window.matchMedia("(max-width: 900px)");
    const main = document.getElementById("content-start");
    const shade = document.createElement("div");
    shade.className = "menu-shade";
    menu.after(shade);
    document.documentElement.classList.add("has-drawer");

    function show(open) {
      document.documentElement.classList.toggle("menu-open", open);
      button.setAttribute("aria-expanded", String(open));
      main.inert = open;
      if (open) {
        (menu.querySelector("[aria-current]") || menu.querySelector("a")).focus();
      }
    }
    const isOpen = () => document.documentElement.classList.contains("menu-open");

    button.addEventListener("click", () => show(!isOpen()));
    shade.addEventListener("click", () => show(false));
    phone.addEventListener("change", () => show(false));
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && isOpen()) {
        show(false);
        button.focus();
      }
    });
  }

  function closeByItself(popup) {
    document.addEventListener("click", (event) => {
      if (!event.composedPath().includes(popup)) {
        popup.open = false;
      }
    });
    popup.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && popup.open) {
        event.preventDefault(); // it closes the popup and does nothing else
        popup.open = false;
        popup.querySelector("summary").focus();
      }
    });
  }

  const menu = document.getElementById("menu");
  const button = document.getElementById("menu-button");
  if (menu) {
    rememberGroups(menu);
  }
  if (menu && button) {
    makeDrawer(menu, button);
  }
  document.querySelectorAll("#user-tools, .more-actions, .filter-fields, .orders").forEach(closeByItself);
}
