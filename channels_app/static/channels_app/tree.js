"use strict";
// The tree of channels: opens and closes without loading the page, goes by keys, offers what can be done with a row,
// and moves channels (drag.js uses the same moves). Without this file the page opens, chooses and moves by forms.
{
  const table = document.getElementById("tree");
  const body = table.tBodies[0];
  const words = table.dataset;
  const page = table.closest(".tree-page");
  const news = document.getElementById("tree-news");
  const chosenForm = document.getElementById("chosen");
  const turning = document.getElementById("turning");
  const isTree = !("found" in words) && turning.elements.moving === undefined;
  const mayMove = "moves" in words;
  const FRESH = 15000; // milliseconds for which rows count as new
  let undo = "";
  let current = null; // number of the row that the keys act on
  let reached = null; // the row that the Tab key leads to
  let loaded = Date.now();
  let waiting = Promise.resolve(); // moves follow one another

  // ---- rows

  const rowOf = (id) => document.getElementById(`c${id}`);
  const rows = () => [...body.querySelectorAll("tr[data-id]")];
  const nameOf = (row) => row.dataset.name;
  const parentOf = (row) => rowOf(row.dataset.parent);
  const fill = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);

  function beside(row, step) {
    let other = row[step];
    while (other && !other.dataset.id) {
      other = other[step];
    }
    return other;
  }

  function neighbour(row, step) {
    let other = row[step];
    while (other && Number(other.dataset.level) > Number(row.dataset.level)) {
      other = other[step];
    }
    return other && other.dataset.parent === row.dataset.parent ? other : null;
  }

  function element(tag, attributes, text = "") {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      made.setAttribute(name, value);
    }
    made.textContent = text;
    return made;
  }

  // ---- what is open: `7,9.300`, as the server reads it

  const opened = new Map(turning.elements.open.value.split(",").filter(Boolean).map((each) => each.split(".")));

  function rememberOpened() {
    const text = [...opened].map(([id, shown]) => (shown ? `${id}.${shown}` : id)).join(",");
    turning.elements.open.value = text;
    if (chosenForm.elements.open) {
      chosenForm.elements.open.value = text;
    }
    if (isTree) {
      history.replaceState(null, "", `?open=${text}`);
    }
    return text;
  }

  async function ask(address, options = {}) {
    const { outcome, data } = await window.desk.request(address, options);
    return outcome === "ok" ? data : null;
  }

  async function readRows(query) {
    const params = new URLSearchParams({ open: rememberOpened(), ...query });
    if (turning.elements.moving) {
      params.set("moving", turning.elements.moving.value);
    }
    const answer = await ask(`${words.rows}?${params}`, { text: true });
    if (answer === null) {
      return null;
    }
    const read = document.createElement("tbody");
    read.innerHTML = answer;
    loaded = Date.now();
    return read;
  }

  async function open(row) {
    if (row.dataset.open !== "0" || row.dataset.busy) {
      return;
    }
    row.dataset.busy = "1";
    opened.set(row.dataset.id, "");
    const read = await readRows({ below: row.dataset.id });
    delete row.dataset.busy;
    if (read && row.isConnected) {
      row.dataset.open = "1";
      const below = [...read.children];
      row.after(...below);
      dress([row, ...below]);
    }
  }

  function close(row) {
    while (row.nextElementSibling && Number(row.nextElementSibling.dataset.level) > Number(row.dataset.level)) {
      row.nextElementSibling.remove();
    }
    row.dataset.open = "0";
    opened.delete(row.dataset.id);
    rememberOpened();
    dress([row]);
  }

  async function reload(focused = null) {
    const chosen = new Set(chosenBoxes().map((box) => box.value));
    const hadFocus = body.contains(document.activeElement);
    const read = await readRows({});
    if (!read) {
      return;
    }
    body.replaceChildren(...read.children);
    for (const box of body.querySelectorAll("input[type=checkbox]")) {
      box.checked = chosen.has(box.value);
    }
    current = focused ?? current;
    dress();
    if (hadFocus || focused) {
      (rowOf(current) || rows()[0])?.focus();
    }
  }

  async function showMore(row) {
    const [id, shown] = row.dataset.entry.split(".");
    const before = row.previousElementSibling;
    opened.set(id, shown);
    await reload(before.dataset.id);
  }

  // ---- roles, the column of actions, and which row the Tab key reaches

  // Only rows that are new or changed, so that a key costs the same in a long tree.
  function dress(some = body.rows) {
    for (const row of some) {
      dressRow(row);
    }
    if (isTree) {
      current = rowOf(current) ? current : rows()[0]?.dataset.id;
      rove();
    }
    count();
  }

  function dressRow(row) {
    if (isTree) {
      row.setAttribute("role", "row");
      row.setAttribute("aria-level", row.dataset.level);
      for (const cell of row.cells) {
        cell.setAttribute("role", "gridcell");
      }
    }
    if (row.dataset.id && isTree) {
      reach(row, row === reached);
      row.setAttribute("aria-posinset", row.dataset.place);
      row.setAttribute("aria-setsize", row.dataset.of);
      if (row.dataset.open) {
        row.setAttribute("aria-expanded", String(row.dataset.open === "1"));
      }
    }
    if (row.dataset.id && !row.querySelector(".row-actions") && !row.querySelector(".places")) {
      addActs(row);
    }
  }

  function addActs(row) {
    const cell = element("td", { class: "row-actions", ...(isTree && { role: "gridcell" }) });
    if (row.classList.contains("above")) {
      row.append(cell);
      return;
    }
    const label = fill(words.actions, { name: nameOf(row) });
    cell.append(element("button", { type: "button", "aria-haspopup": "menu", "aria-label": label }, "⋯"));
    row.append(cell);
    if (mayMove && row.dataset.parent !== "0") {
      row.querySelector(".name > div").prepend(element("span", { class: "grip", "aria-hidden": "true" }));
    } else if (mayMove) {
      row.querySelector(".name > div").prepend(element("span", { class: "grip-room" }));
    }
  }

  function reach(row, isReached) {
    for (const control of [row, ...row.querySelectorAll("a, button, input")]) {
      control.tabIndex = isReached ? 0 : -1;
    }
  }

  function rove() {
    const row = rowOf(current);
    if (row && row !== reached) {
      if (reached) {
        reach(reached, false);
      }
      reach(row, true);
      reached = row;
    }
  }

  function go(row) {
    if (row) {
      current = row.dataset.id;
      rove();
      row.focus();
      row.scrollIntoView({ block: "nearest" });
    }
  }

  // ---- choosing

  const chosenBoxes = () => [...body.querySelectorAll("input[type=checkbox]:checked")];

  function count() {
    const told = document.getElementById("tree-count");
    if (told) {
      const number = chosenBoxes().length;
      told.textContent = number ? fill(told.dataset.one, { count: number }) : "";
      for (const button of told.parentElement.querySelectorAll("button")) {
        button.disabled = number === 0;
      }
    }
  }

  // ---- telling

  function tell(text, { wrong = false, undoes = false } = {}) {
    const told = element("p", wrong ? { class: "wrong" } : {}, text);
    if (undoes) {
      const button = element("button", { type: "button", class: "button quiet-button" }, words.undo);
      button.addEventListener("click", takeBack);
      told.append(button);
    }
    news.replaceChildren(told);
  }

  // ---- moving

  async function post(sent) {
    const headers = { "X-CSRFToken": chosenForm.elements.csrfmiddlewaretoken.value };
    return ask(words.move, { post: new URLSearchParams(sent), headers });
  }

  // `find` answers what is to be sent once the moves before are done: the tree is another one by then.
  function move(find) {
    waiting = waiting.then(async () => {
      const found = await find();
      const outcome = found && (await post(found.sent));
      if (!outcome) {
        return;
      }
      undo = outcome.done ? outcome.undo : undo;
      for (const id of outcome.open.map(String)) {
        opened.set(id, opened.get(id) || "");
      }
      await reload(found.focus);
      tell(outcome.message, { wrong: !outcome.done, undoes: outcome.done });
    });
    return waiting;
  }

  function placed(moved, place, target) {
    return {
      sent: {
        channels: moved.map((row) => `${row.dataset.id}.${row.dataset.parent}`).join(","),
        place: `${place}.${target.dataset.id}.${target.dataset.parent}`,
      },
      focus: moved[0].dataset.id,
    };
  }

  function takeBack() {
    move(() => undo && { sent: { moves: undo }, focus: undo.split(".")[0].split(";")[0] });
  }

  async function stepOf(row, key) {
    if (key === "ArrowLeft") {
      const above = parentOf(row);
      return above && above.dataset.parent !== "0" && ["after", above];
    }
    const other = neighbour(row, key === "ArrowDown" ? "nextElementSibling" : "previousElementSibling");
    if (other && !other.dataset.id) {
      await showMore(other);
      return stepOf(rowOf(row.dataset.id), key);
    }
    return other && [{ ArrowUp: "before", ArrowDown: "after", ArrowRight: "last" }[key], other];
  }

  function moveByKey(id, key) {
    move(async () => {
      const row = rowOf(id);
      const step = row && row.dataset.parent !== "0" && (await stepOf(row, key));
      if (!step && row) {
        tell(fill(words.stays, { name: nameOf(row) }));
      }
      return step && placed([rowOf(id)], ...step);
    });
  }

  // ---- the menu of a row

  let menu = null;

  function openMenu(row) {
    closeMenu();
    const button = row.querySelector(".row-actions button");
    if (!button) {
      return;
    }
    const filled = document.getElementById("row-menu").innerHTML;
    const holder = document.createElement("div");
    holder.innerHTML = filled.replaceAll("{id}", row.dataset.id).replaceAll("{parent}", row.dataset.parent);
    menu = holder.firstElementChild;
    menu.className = "row-menu";
    menu.id = "open-row-menu";
    menu.setAttribute("aria-label", button.getAttribute("aria-label"));
    if (row.dataset.parent === "0") {
      menu.querySelectorAll("[data-not-home]").forEach((each) => each.remove());
    }
    menu.querySelector("[data-moving]")?.setAttribute("href", movingAddress(row));
    menu.querySelectorAll("a").forEach((each) => (each.tabIndex = -1));
    page.append(menu);
    placeMenu(button);
    button.setAttribute("aria-expanded", "true");
    button.setAttribute("aria-controls", menu.id);
    menu.opener = button;
    menu.firstElementChild.focus();
  }

  function placeMenu(button) {
    const [at, frame] = [button.getBoundingClientRect(), page.getBoundingClientRect()];
    const isBelow = at.bottom + menu.offsetHeight < window.innerHeight || at.top < menu.offsetHeight;
    menu.style.top = `${(isBelow ? at.bottom : at.top - menu.offsetHeight) - frame.top}px`;
    menu.style.left = `${Math.max(0, at.right - frame.left - menu.offsetWidth)}px`;
  }

  function closeMenu(focusing = false) {
    if (menu) {
      const opener = menu.opener;
      menu.remove();
      menu = null;
      opener.setAttribute("aria-expanded", "false");
      opener.removeAttribute("aria-controls");
      if (focusing) {
        opener.focus();
      }
    }
  }

  const movingAddress = (row) => `?open=${rememberOpened()}&moving=${row.dataset.id}`;

  function goInMenu(event) {
    const items = [...menu.querySelectorAll("a")];
    const at = items.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      items[(to + items.length) % items.length].focus();
    } else if (event.key === "Escape") {
      event.preventDefault();
      closeMenu(true);
    } else if (event.key === "Tab") {
      closeMenu(true); // the browser goes on from there
    }
  }

  // ---- events

  body.addEventListener("click", (event) => {
    const row = event.target.closest("tr");
    const button = event.target.closest("button");
    if (button?.matches(".turn")) {
      event.preventDefault();
      (row.dataset.open === "1" ? close : open)(row);
    } else if (button?.name === "more") {
      event.preventDefault();
      showMore(row);
    } else if (button?.closest(".row-actions")) {
      (button.getAttribute("aria-expanded") === "true" ? () => closeMenu(true) : openMenu)(row);
    }
  });
  body.addEventListener("change", count);
  body.addEventListener("focusin", (event) => {
    const row = event.target.closest("tr[data-id]");
    if (isTree && row && row.dataset.id !== current) {
      current = row.dataset.id;
      rove();
    }
  });

  const ON_ROW = {
    Enter: (row) => row.querySelector(".name a").click(),
    " ": (row) => row.querySelector("input[type=checkbox]")?.click(),
    m: (row) => mayMove && row.dataset.parent !== "0" && window.location.assign(movingAddress(row)),
  };
  const GOING = {
    ArrowDown: (row) => go(beside(row, "nextElementSibling")),
    ArrowUp: (row) => go(beside(row, "previousElementSibling")),
    ArrowRight: (row) => (row.dataset.open === "0" ? open(row) : row.dataset.open && go(beside(row, "nextElementSibling"))),
    ArrowLeft: (row) => (row.dataset.open === "1" ? close(row) : go(parentOf(row))),
    Home: () => go(rows()[0]),
    End: () => go(rows().at(-1)),
    ContextMenu: (row) => openMenu(row),
  };

  function actOn(event, row) {
    const key = event.key === "F10" && event.shiftKey ? "ContextMenu" : event.key;
    if (event.altKey && key.startsWith("Arrow")) {
      return mayMove && (() => moveByKey(row.dataset.id, key));
    }
    if (event.ctrlKey || event.metaKey) {
      return key.toLowerCase() === "z" && mayMove && undo && takeBack;
    }
    const act = GOING[key] || (event.target === row && ON_ROW[key.length === 1 ? key.toLowerCase() : key]);
    return act && !event.altKey && (() => act(row));
  }

  body.addEventListener("keydown", (event) => {
    const row = event.target.closest("tr[data-id]");
    const act = isTree && row && actOn(event, row);
    if (act) {
      event.preventDefault();
      act();
    }
  });
  page.addEventListener("keydown", (event) => {
    if (menu?.contains(event.target)) {
      goInMenu(event);
    }
  });
  page.addEventListener("click", ({ target }) => {
    if (menu?.contains(target) && target.closest("[data-dialog]")) {
      closeMenu(true); // where the focus returns after the dialog
    }
  });
  document.addEventListener("pointerdown", (event) => {
    if (menu && !menu.contains(event.target) && !event.target.closest(".row-actions")) {
      closeMenu();
    }
  });
  document.addEventListener("visibilitychange", () => {
    if (isTree && !document.hidden && !menu && Date.now() - loaded > FRESH) {
      reload();
    }
  });

  // ---- choosing a new place: the way there leads beside the channel that is moved, and Escape leaves the page

  function beginPlacing(there, cancel) {
    const moved = rows().findIndex((row) => row.matches(".moving"));
    const nearest = [...rows().slice(moved + 1), ...rows().slice(0, Math.max(moved, 0)).reverse()];
    const place = nearest.map((row) => row.querySelector(".places button")).find(Boolean);
    // The page begins with what is to be done; the places come after that.
    there.hidden = !place;
    (place ? there : cancel).focus({ preventScroll: true });
    there.addEventListener("click", (event) => {
      event.preventDefault();
      place.focus({ preventScroll: true });
      place.scrollIntoView({ block: "center" });
    });
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !event.defaultPrevented && !event.target.matches('input[type="search"]')) {
        window.location.assign(cancel.href);
      }
    });
  }

  if (isTree) {
    table.setAttribute("role", "treegrid");
    table.setAttribute("aria-label", words.label);
  }
  table.tree = { rowOf, nameOf, parentOf, open, move, placed, tell, fill, chosenBoxes, closeMenu };
  const head = table.tHead.rows[0];
  if (!head.querySelector("th:nth-child(2):last-child")) {
    head.append(element("td", { class: "row-actions" }));
  }
  dress();
  const cancel = page.querySelector(".moving-note [data-cancel]");
  if (cancel) {
    beginPlacing(page.querySelector(".moving-note [data-there]"), cancel);
  }
  if (isTree && window.location.hash) {
    const [id] = window.location.hash.slice(2).split("&");
    go(rowOf(id));
  }
}
