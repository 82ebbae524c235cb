// A button of the toolbar that opens something below itself: a menu or a palette.

import { freshId, icon, make } from "../dom.js";

/** The button; `fill` returns what opens, and is given a function that closes it. */
export function popupButton({ name, label, text, role, fill }) {
  const id = freshId("editor-popup");
  const opener = make(
    "button",
    { type: "button", class: "editor-tool editor-opener", "aria-haspopup": role === "menu" ? "menu" : "dialog", "aria-expanded": "false", "aria-controls": id, "data-tool": name, "aria-label": label, title: label },
    text || icon(name),
    icon("down"),
  );
  const popup = make("div", { class: "editor-popup", id, role, "aria-label": label, hidden: true });
  const holder = make("span", { class: "editor-holder" }, opener, popup);
  const isOpen = () => !popup.hidden;

  function close(returns) {
    popup.hidden = true;
    popup.replaceChildren();
    opener.setAttribute("aria-expanded", "false");
    if (returns) {
      opener.focus();
    }
  }

  function open() {
    popup.replaceChildren(fill(() => close(false)));
    popup.hidden = false;
    opener.setAttribute("aria-expanded", "true");
    place(opener, popup);
    (popup.querySelector("[aria-checked=true]") || popup.querySelector("button,input"))?.focus();
  }

  opener.addEventListener("click", () => (isOpen() ? close(true) : open()));
  opener.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" && !isOpen()) {
      event.preventDefault();
      event.stopPropagation();
      open();
    }
  });
  popup.addEventListener("keydown", (event) => moveIn(popup, event, close));
  holder.addEventListener("focusout", (event) => {
    if (isOpen() && !holder.contains(event.relatedTarget)) {
      close(false);
    }
  });
  return { holder, opener };
}

// On a phone the toolbar scrolls sideways and would cut off what opens, so it stands over the page there.
function place(opener, popup) {
  const isPhone = window.matchMedia("(max-width: 640px)").matches;
  const { bottom } = opener.getBoundingClientRect();
  const top = Math.max(Math.min(bottom + 4, window.innerHeight - popup.offsetHeight - 8), 8);
  popup.style.top = isPhone ? `${top}px` : "";
  popup.style.left = isPhone ? "8px" : "0";
  const over = isPhone ? 0 : popup.getBoundingClientRect().right - document.documentElement.clientWidth + 8;
  if (over > 0) {
    popup.style.left = `${-over}px`;
  }
}

function moveIn(popup, event, close) {
  event.stopPropagation(); // the toolbar moves by arrows as well
  if (event.key === "Escape") {
    event.preventDefault();
    close(true);
    return;
  }
  const items = [...popup.querySelectorAll("button:not(:disabled)")];
  const place = items.indexOf(document.activeElement);
  const steps = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };
  const next = { Home: 0, End: items.length - 1 }[event.key] ?? (steps[event.key] && (place + steps[event.key] + items.length) % items.length);
  if (next !== undefined && place >= 0) {
    event.preventDefault();
    items[next].focus();
  }
}

/** The items of a menu; an item that is on is marked, one that cannot be used is not there to be used. */
export function menuItems(items, words, close) {
  return make(
    "div",
    { class: "editor-menu", role: "none" },
    ...items.map(({ name, label, run, isOn, can, shortcut }) =>
      make(
        "button",
        {
          type: "button",
          role: isOn === undefined ? "menuitem" : "menuitemradio",
          "aria-checked": isOn === undefined ? null : String(isOn),
          tabindex: "-1",
          disabled: can === false,
          "data-tool": name,
          click: () => {
            close();
            run();
          },
        },
        make("span", {}, label || words.say(name)),
        shortcut ? make("kbd", { "aria-hidden": "true" }, shortcut) : null,
      ),
    ),
  );
}
