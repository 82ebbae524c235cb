// The menu: it can be narrow, and on a phone it is a drawer. And what opens below its button closes by itself. All of it
// works without this file, except that the menu stays as wide as it is.

import { whenever } from "./elements.js";

const root = document.documentElement;

// The server reads the cookie, so that pages have this width from their beginning.
function makeNarrow(menu, button, phone) {
  const administration = menu.querySelector(".menu-administration");
  button.hidden = false;
  if (administration) {
    administration.addEventListener("toggle", () => administration.open && bringIntoView(menu, administration));
    closeByItself(administration, () => root.classList.contains("menu-narrow") && !phone.matches);
  }

  function turn() {
    const isNarrow = root.classList.toggle("menu-narrow");
    button.setAttribute("aria-pressed", String(isNarrow));
    // biome-ignore lint/suspicious/noDocumentCookie: not every browser has a Cookie Store, and none has it without HTTPS
    document.cookie = `cms_menu=${isNarrow ? "narrow" : "wide"}; path=/; max-age=31536000; samesite=lax`;
    if (administration) {
      administration.open = !isNarrow && administration.querySelector("[aria-current]") !== null;
    }
  }

  button.addEventListener("click", turn);
}

// Not by scrollIntoView(), which moves the page too.
function bringIntoView(menu, entry) {
  const entries = menu.querySelector(".menu-entries");
  const below = entry ? entry.getBoundingClientRect().bottom - entries.getBoundingClientRect().bottom : 0;
  if (below > 0) {
    entries.scrollTop += below;
  }
}

function makeDrawer(menu, button, phone) {
  const main = document.getElementById("content-start");
  const shade = document.createElement("div");
  shade.className = "menu-shade";
  menu.after(shade);
  root.classList.add("has-drawer");

  function show(open) {
    root.classList.toggle("menu-open", open);
    button.setAttribute("aria-expanded", String(open));
    main.inert = open;
    if (open) {
      (menu.querySelector("[aria-current=page]") || menu.querySelector("a, summary")).focus();
    }
  }
  const isOpen = () => root.classList.contains("menu-open");

  button.addEventListener("click", () => show(!isOpen()));
  shade.addEventListener("click", () => show(false));
  phone.addEventListener("change", () => show(false));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && isOpen() && !event.defaultPrevented) {
      show(false);
      button.focus();
    }
  });
}

// `isAbove`: whether the popup lies above the page; else it stays until its button closes it.
function closeByItself(popup, isAbove = () => true) {
  document.addEventListener("click", (event) => {
    if (isAbove() && !event.composedPath().includes(popup)) {
      popup.open = false;
    }
  });
  popup.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && popup.open && isAbove()) {
      event.preventDefault(); // it closes the popup and does nothing else
      popup.open = false;
      popup.querySelector("summary").focus();
    }
  });
}

const menu = document.getElementById("menu");
const button = document.getElementById("menu-button");
if (menu && button) {
  const phone = window.matchMedia("(max-width: 767px)");
  makeNarrow(menu, document.getElementById("menu-width"), phone);
  makeDrawer(menu, button, phone);
  bringIntoView(menu, menu.querySelector("[aria-current=page]"));
}
whenever(".account-menu, .menu-sites, .more-actions, .filter-fields, .list-view, .orders", (popup) => closeByItself(popup));
