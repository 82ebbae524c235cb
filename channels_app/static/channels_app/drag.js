"use strict";
// Drags rows of the tree of channels: by the mouse anywhere on a row, by a finger at the dots before its name.
{
  const table = document.getElementById("tree");
  const { tree } = table;
  const body = table.tBodies[0];
  const words = table.dataset;
  const SLOP = 6; // pixels before a press becomes a drag
  const EDGE = 70; // pixels at the edge of the window that scroll
  const HOVER = 650; // milliseconds over a closed channel until it opens
  const MARKS = ["mark-before", "mark-after", "mark-first", "mark-last"];
  let drag = null;

  function begin(row) {
    const box = row.querySelector("input[type=checkbox]");
    const moved = box?.checked ? tree.chosenBoxes().map((each) => each.closest("tr")) : [row];
    const ids = new Set(moved.map((each) => each.dataset.id));
    drag.moved = moved.filter((each) => !isBelow(tree.parentOf(each), ids));
    drag.ids = ids;
    drag.note = document.createElement("div");
    drag.note.className = "drag-note";
    document.body.append(drag.note);
    document.documentElement.classList.add("dragging");
    drag.moved.forEach((each) => each.classList.add("carried"));
    getSelection().removeAllRanges();
    tree.closeMenu();
    table.setPointerCapture(drag.pointer);
    scrollAtEdges();
  }

  function isBelow(row, ids) {
    for (let each = row; each; each = tree.parentOf(each)) {
      if (ids.has(each.dataset.id)) {
        return true;
      }
    }
    return false;
  }

  function placeAt(row, y) {
    const { top, height } = row.getBoundingClientRect();
    const part = (y - top) / height;
    if (row.dataset.parent === "0") {
      return row.dataset.open === "1" && part > 0.7 ? "first" : "last";
    }
    if (part < 0.3) {
      return "before";
    }
    if (part > 0.7) {
      return row.dataset.open === "1" ? "first" : "after";
    }
    return "last";
  }

  function look() {
    const row = document.elementFromPoint(drag.x, drag.y)?.closest("#tree tr[data-id]");
    const place = row && !isBelow(row, drag.ids) ? placeAt(row, drag.y) : null;
    if (row !== drag.over || place !== drag.place) {
      unmark();
      [drag.over, drag.place] = [row, place];
      if (place) {
        row.classList.add(`mark-${place}`);
      }
      awaitOpening(row, place);
    }
    describe();
  }

  function awaitOpening(row, place) {
    clearTimeout(drag.opening);
    if (place === "last" && row.dataset.open === "0") {
      drag.opening = setTimeout(() => tree.open(row), HOVER);
    }
  }

  function describe() {
    const { note, over, place, moved, x, y } = drag;
    const [first] = moved;
    const carried = moved.length > 1 ? tree.fill(words.carried, { count: moved.length }) : tree.nameOf(first);
    const where = { before: words.before, after: words.after, first: words.below, last: words.below }[place];
    note.textContent = place ? `${carried} → ${tree.fill(where, { name: tree.nameOf(over) })}` : carried;
    note.style.left = `${Math.min(x + 14, window.innerWidth - note.offsetWidth - 4)}px`;
    note.style.top = `${Math.min(y + 16, window.innerHeight - note.offsetHeight - 4)}px`;
  }

  function scrollAtEdges() {
    if (!drag?.moved) {
      return;
    }
    const down = drag.y - (window.innerHeight - EDGE);
    const up = EDGE - drag.y;
    const by = down > 0 ? down : up > 0 ? -up : 0;
    if (by) {
      window.scrollBy(0, by / 5);
      look();
    }
    requestAnimationFrame(scrollAtEdges);
  }

  function unmark() {
    drag.over?.classList.remove(...MARKS);
  }

  function end() {
    const ended = drag;
    clearTimeout(ended.opening);
    if (ended.moved) {
      unmark();
      ended.note.remove();
      ended.moved.forEach((each) => each.classList.remove("carried"));
      document.documentElement.classList.remove("dragging");
      // The release is no click on the link that was pressed.
      const refuse = (event) => event.preventDefault() || event.stopPropagation();
      window.addEventListener("click", refuse, { capture: true, once: true });
      setTimeout(() => window.removeEventListener("click", refuse, { capture: true }));
    }
    drag = null;
    return ended;
  }

  function begins(event) {
    if (event.button !== 0 || event.target.closest("input, button")) {
      return false;
    }
    return event.pointerType === "mouse" || event.target.closest(".grip") !== null;
  }

  body.addEventListener("pointerdown", (event) => {
    const row = event.target.closest("tr[data-id]");
    if (!drag && row && row.dataset.parent !== "0" && !row.classList.contains("above") && "moves" in words && begins(event)) {
      drag = { row, pointer: event.pointerId, x: event.clientX, y: event.clientY };
    }
  });
  window.addEventListener("pointermove", (event) => {
    if (!drag || event.pointerId !== drag.pointer) {
      return;
    }
    const far = Math.hypot(event.clientX - drag.x, event.clientY - drag.y) > SLOP;
    if (!drag.moved && !far) {
      return;
    }
    [drag.x, drag.y] = [event.clientX, event.clientY];
    if (!drag.moved) {
      begin(drag.row);
    }
    look();
  });
  window.addEventListener("pointerup", (event) => {
    if (drag && event.pointerId === drag.pointer) {
      const { moved, place, over } = end();
      if (moved && place) {
        const found = tree.placed(moved, place, over);
        tree.move(() => found);
      }
    }
  });
  window.addEventListener("pointercancel", () => drag && end());
  window.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && drag?.moved) {
      end();
      tree.tell(words.escaped);
    }
  });
  table.addEventListener("dragstart", (event) => event.preventDefault());
}
