"use strict";
// The tree of sites and channels beside a list. Its words and addresses stand in the page; without this file the filter
// by channel serves. What is open is remembered, and whether the tree is shown.
{
  const OPEN = "channel-tree-open";
  const ITEM = '[role="treeitem"]';
  const MOST_REMEMBERED = 60;
  const drawn = window.matchMedia("(max-width: 1229px)");

  function remember(key, value) {
    try {
      localStorage.setItem(key, JSON.stringify(value));
    } catch {
      // A browser that keeps nothing shows the tree all the same.
    }
  }

  function remembered(key, otherwise) {
    try {
      return JSON.parse(localStorage.getItem(key)) ?? otherwise;
    } catch {
      return otherwise;
    }
  }

  // What is below an item stands after it: the text of an item is its own.
  const groupOf = (item) => document.getElementById(item.getAttribute("aria-owns"));

  const above = (item) => item.parentElement.closest("li")?.previousElementSibling;

  function besides(entry, step, selector) {
    let other = entry[step];
    while (other && !other.matches(selector)) {
      other = other[step];
    }
    return other;
  }

  class Tree {
    constructor(place) {
      this.place = place;
      this.words = place.dataset;
      this.path = this.words.path.split(",").filter(Boolean);
      const kept = remembered(OPEN, []);
      this.open = new Set(Array.isArray(kept) ? kept.map(String) : []);
      this.root = document.createElement("ul");
      this.root.setAttribute("role", "tree");
      this.root.setAttribute("aria-label", this.words.label);
      place.querySelector(".tree-place").append(this.root);
      this.root.addEventListener("keydown", (event) => this.onKey(event));
      this.root.addEventListener("click", (event) => this.onClick(event));
      this.typed = "";
      this.typedAt = 0;
    }

    async load() {
      await this.fill(this.root, null, 0);
      const first = this.root.querySelector('[aria-current="page"]') || this.root.querySelector('[role="treeitem"]');
      if (first) {
        this.focusable(first);
        this.bring(first);
      }
    }

    // ---- what is shown

    async fill(list, parent, after) {
      const query = new URLSearchParams(parent === null ? {} : { parent });
      query.set("after", after);
      list.setAttribute("aria-busy", "true");
      const { outcome, data: found } = await window.desk.request(`${this.words.address}?${query}`);
      list.removeAttribute("aria-busy");
      if (outcome !== "ok") {
        this.tell(list, this.words.failed, this.words.again, () => this.fill(list, parent, after));
        return;
      }
      const made = found.items.map((item) => this.item(item));
      list.append(...made);
      if (found.more !== null) {
        this.tell(list, "", this.words.more, () => this.fill(list, parent, found.more));
      } else if (!list.childElementCount) {
        this.tell(list, this.words.empty);
      }
      this.number(list, found.more === null);
      const onlySite = parent === null && made.length === 1;
      const wanted = made.filter((item) => this.isWanted(item, onlySite));
      await Promise.all(wanted.map((item) => this.expand(item)));
    }

    // Of a list that goes on, the size is not known.
    number(list, isWhole) {
      const items = [...list.children].filter((each) => each.getAttribute("role") === "treeitem");
      items.forEach((item, place) => {
        item.setAttribute("aria-posinset", place + 1);
        item.setAttribute("aria-setsize", isWhole ? items.length : -1);
      });
    }

    isWanted(item, onlySite) {
      const id = item.dataset.id;
      return item.hasAttribute("aria-expanded") && (onlySite || this.open.has(id) || this.path.includes(id));
    }

    item({ id, name, count, hasChildren, address }) {
      const item = document.createElement("li");
      item.setAttribute("role", "treeitem");
      item.dataset.id = id;
      item.tabIndex = -1;
      const label = document.createElement("span");
      label.id = `tree-label-${id}`;
      item.setAttribute("aria-labelledby", label.id);
      const row = document.createElement("div");
      row.className = "tree-row";
      const twisty = document.createElement("span");
      twisty.className = "twisty";
      twisty.setAttribute("aria-hidden", "true");
      const link = document.createElement("a");
      link.href = address;
      link.tabIndex = -1;
      const text = document.createElement("span");
      text.className = "tree-name";
      text.textContent = name;
      const number = document.createElement("span");
      number.className = "tree-count";
      number.textContent = Number(count).toLocaleString(document.documentElement.lang);
      label.append(text, " ", number);
      link.append(label);
      row.append(twisty, link);
      item.append(row);
      if (hasChildren) {
        item.setAttribute("aria-expanded", "false");
      }
      if (String(id) === this.words.current) {
        item.setAttribute("aria-current", "page");
        item.setAttribute("aria-selected", "true");
      }
      return item;
    }

    tell(list, sentence, button, act) {
      const line = document.createElement("li");
      line.setAttribute("role", button ? "treeitem" : "none");
      line.className = "tree-note";
      line.textContent = sentence;
      if (button) {
        line.tabIndex = -1;
        line.act = () => {
          line.remove();
          act();
        };
        const shown = document.createElement("span");
        shown.className = "tree-button";
        shown.textContent = button;
        line.append(" ", shown);
      }
      list.append(line);
    }

    bring(item) {
      const box = this.place.getBoundingClientRect();
      const at = item.getBoundingClientRect();
      if (at.top > box.bottom || at.bottom > box.bottom) {
        this.place.scrollTop += at.top - box.top - box.height / 3;
      }
    }

    // ---- opening and closing

    async expand(item) {
      if (item.getAttribute("aria-expanded") !== "false") {
        return;
      }
      item.setAttribute("aria-expanded", "true");
      this.note(item.dataset.id, true);
      if (groupOf(item)) {
        groupOf(item).parentElement.hidden = false;
        return;
      }
      const list = document.createElement("ul");
      list.setAttribute("role", "group");
      list.id = `tree-group-${item.dataset.id}`;
      const entry = document.createElement("li");
      entry.setAttribute("role", "none");
      entry.append(list);
      item.after(entry);
      item.setAttribute("aria-owns", list.id);
      await this.fill(list, item.dataset.id, 0);
    }

    collapse(item) {
      if (item.getAttribute("aria-expanded") === "true") {
        item.setAttribute("aria-expanded", "false");
        groupOf(item).parentElement.hidden = true;
        this.note(item.dataset.id, false);
      }
    }

    note(id, isOpen) {
      this.open.delete(String(id));
      if (isOpen) {
        this.open.add(String(id));
      }
      remember(OPEN, [...this.open].slice(-MOST_REMEMBERED));
    }

    // ---- mouse and keyboard

    onClick(event) {
      const item = event.target.closest('[role="treeitem"]');
      if (!item) {
        return;
      }
      this.focusable(item);
      if (item.act) {
        item.act();
      } else if (event.target.closest(".twisty")) {
        item.getAttribute("aria-expanded") === "true" ? this.collapse(item) : this.expand(item);
      }
    }

    shown() {
      const items = [...this.root.querySelectorAll('[role="treeitem"]')];
      return items.filter((item) => !item.closest("li[hidden]"));
    }

    focusable(item) {
      if (this.reached) {
        this.reached.tabIndex = -1;
      }
      item.tabIndex = 0;
      this.reached = item;
    }

    // The items before and after, at the same cost in a long tree.
    next(item) {
      const below = item.getAttribute("aria-expanded") === "true" && groupOf(item)?.querySelector(ITEM);
      for (let at = item; !below && at; at = at.parentElement.closest("li")) {
        const other = besides(at, "nextElementSibling", ITEM);
        if (other) {
          return other;
        }
      }
      return below;
    }

    previous(item) {
      const before = besides(item, "previousElementSibling", `${ITEM}, li:not([hidden])`);
      return before ? this.last(before) : above(item);
    }

    // The last item that is shown of an entry: itself, or of the list in it.
    last(entry) {
      const found = entry?.matches(ITEM) ? entry : entry?.querySelector("ul").lastElementChild;
      return !found || found.matches(ITEM) ? found : this.last(found.hidden ? found.previousElementSibling : found);
    }

    focus(item) {
      if (item) {
        this.focusable(item);
        item.focus();
      }
    }

    onKey(event) {
      const item = event.target.closest('[role="treeitem"]');
      if (!item || event.ctrlKey || event.altKey || event.metaKey) {
        return;
      }
      const act = {
        ArrowDown: () => this.focus(this.next(item)),
        ArrowUp: () => this.focus(this.previous(item)),
        Home: () => this.focus(this.root.firstElementChild),
        End: () => this.focus(this.shown().at(-1)),
        ArrowRight: () => this.right(item),
        ArrowLeft: () => this.left(item),
        Enter: () => (item.act ? item.act() : item.querySelector("a").click()),
        " ": () => (item.act ? item.act() : item.querySelector("a").click()),
        "*": () => [...item.parentElement.children].forEach((other) => this.expand(other)),
      }[event.key];
      if (act) {
        act();
        event.preventDefault();
      } else if (event.key.length === 1) {
        const items = this.shown();
        this.type(event.key, items, items.indexOf(item));
      }
    }

    right(item) {
      if (item.getAttribute("aria-expanded") === "false") {
        this.expand(item);
      } else {
        this.focus(groupOf(item)?.querySelector('[role="treeitem"]'));
      }
    }

    left(item) {
      if (item.getAttribute("aria-expanded") === "true") {
        this.collapse(item);
      } else {
        this.focus(above(item));
      }
    }

    type(letter, items, at) {
      const now = Date.now();
      this.typed = now - this.typedAt < 700 ? this.typed + letter.toLowerCase() : letter.toLowerCase();
      this.typedAt = now;
      const start = this.typed.length > 1 ? at : at + 1;
      const turned = [...items.slice(start), ...items.slice(0, start)];
      this.focus(turned.find((item) => item.textContent.trim().toLowerCase().startsWith(this.typed)));
    }
  }

  function makeDrawer(place, opener) {
    const closer = place.querySelector(".tree-close");
    function show(isShown) {
      place.hidden = !isShown;
      place.classList.toggle("is-drawn", isShown && drawn.matches);
      opener.hidden = isShown && !drawn.matches;
      opener.setAttribute("aria-expanded", String(isShown));
    }
    // The server reads the cookie, so that the list has its place from the beginning.
    function choose(state) {
      if (!drawn.matches) {
        // biome-ignore lint/suspicious/noDocumentCookie: not every browser has a Cookie Store, and none has it without HTTPS
        document.cookie = `cms_tree=${state}; path=/; max-age=31536000; samesite=lax`;
      }
    }
    opener.addEventListener("click", () => {
      choose("open");
      show(true);
      closer.focus();
    });
    closer.addEventListener("click", () => {
      choose("closed");
      show(false);
      opener.focus();
    });
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && drawn.matches && !place.hidden) {
        show(false);
        opener.focus();
      }
    });
    document.querySelector("[data-opens-tree]")?.addEventListener("click", (event) => {
      event.preventDefault();
      show(true);
      (place.querySelector('[role="treeitem"][tabindex="0"]') || closer).focus();
    });
    // On small screens it would cut columns off: it is a drawer there, closed until somebody opens it.
    const settle = () => show(!drawn.matches && !document.cookie.includes("cms_tree=closed"));
    drawn.addEventListener("change", settle);
    settle();
  }

  const place = document.getElementById("channel-tree");
  const opener = document.querySelector(".tree-open");
  if (place && opener) {
    makeDrawer(place, opener);
    new Tree(place).load();
  }
}
