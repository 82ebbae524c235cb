"use strict";
// Moves the fields of a form: by the mouse, by a finger on the dots, by keys, and by the buttons without a new page.
{
  const list = document.getElementById("form-fields");
  const { order } = list.closest("form").elements;
  const told = document.getElementById("fields-told");
  const SLOP = 6; // pixels before a press becomes a drag
  const EDGE = 70; // pixels at the edge of the window that scroll
  let drag = null;

  const rows = () => [...list.querySelectorAll(":scope > details")];
  const headOf = (row) => row.querySelector("summary");
  const buttonOf = (row, name) => row.querySelector(`button[name="${name}"]`);

  function arrange() {
    const all = rows();
    all.forEach((row, place) => {
      buttonOf(row, "_up").disabled = place === 0;
      buttonOf(row, "_down").disabled = place === all.length - 1;
    });
    order.value = all.map((row) => row.dataset.place).join();
  }

  function say(row) {
    const all = rows();
    const facts = { name: headOf(row).dataset.name, place: all.indexOf(row) + 1, count: all.length };
    told.textContent = list.dataset.moved.replace(/\{(\w+)\}/g, (_, name) => facts[name]);
    order.dispatchEvent(new Event("input", { bubbles: true }));
  }

  function move(row, isUp) {
    const other = isUp ? row.previousElementSibling : row.nextElementSibling;
    if (other === null) {
      return;
    }
    const focused = document.activeElement;
    other[isUp ? "before" : "after"](row);
    arrange();
    (focused.disabled ? buttonOf(row, isUp ? "_down" : "_up") : focused).focus();
    row.scrollIntoView({ block: "nearest" });
    say(row);
  }

  list.addEventListener("click", (event) => {
    const button = event.target.closest('button[name="_up"], button[name="_down"]');
    if (button) {
      event.preventDefault();
      move(button.closest("[data-place]"), button.name === "_up");
    }
  });
  list.addEventListener("keydown", (event) => {
    const isMove = event.altKey && ["ArrowUp", "ArrowDown"].includes(event.key);
    if (isMove && rows().some((row) => headOf(row) === event.target)) {
      event.preventDefault();
      move(event.target.parentElement, event.key === "ArrowUp");
    }
  });

  // ---- The pointer

  function look() {
    const over = document.elementFromPoint(list.getBoundingClientRect().x + 20, drag.y)?.closest("[data-place]");
    if (over && over !== drag.row && list.contains(over)) {
      const { top, height } = headOf(over).getBoundingClientRect();
      const isAbove = drag.row.compareDocumentPosition(over) & Node.DOCUMENT_POSITION_PRECEDING;
      if (isAbove && drag.y < top + height / 2) {
        over.before(drag.row);
      } else if (!isAbove && drag.y > top + height / 2) {
        over.after(drag.row);
      }
    }
  }

  function scrollAtEdges() {
    if (!drag?.isMoving) {
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

  function end(isKept) {
    const { row, next, isMoving } = drag;
    drag = null;
    if (!isMoving) {
      return;
    }
    document.documentElement.classList.remove("dragging");
    // The release neither opens nor closes the field.
    const refuse = (event) => event.preventDefault();
    window.addEventListener("click", refuse, { capture: true, once: true });
    setTimeout(() => window.removeEventListener("click", refuse, { capture: true }));
    if (!isKept) {
      list.insertBefore(row, next);
    } else if (row.nextElementSibling !== next) {
      arrange();
      say(row);
    }
  }

  list.addEventListener("pointerdown", (event) => {
    const head = event.target.closest("summary");
    const row = head?.parentElement;
    const begins = event.pointerType === "mouse" || event.target.closest("[data-dots]");
    if (!drag && row?.parentElement === list && event.button === 0 && begins) {
      drag = { row, next: row.nextElementSibling, pointer: event.pointerId, from: event.clientY, y: event.clientY };
    }
  });
  window.addEventListener("pointermove", (event) => {
    if (event.pointerId !== drag?.pointer) {
      return;
    }
    drag.y = event.clientY;
    if (!drag.isMoving && Math.abs(drag.y - drag.from) > SLOP) {
      drag.isMoving = true;
      document.documentElement.classList.add("dragging");
      getSelection().removeAllRanges();
      list.setPointerCapture(drag.pointer);
      scrollAtEdges();
    }
    if (drag.isMoving) {
      look();
    }
  });
  window.addEventListener("pointerup", (event) => event.pointerId === drag?.pointer && end(true));
  window.addEventListener("pointercancel", (event) => event.pointerId === drag?.pointer && end(false));
  window.addEventListener("keydown", (event) => event.key === "Escape" && drag?.isMoving && end(false));
  list.addEventListener("dragstart", (event) => event.preventDefault());

  for (const dots of list.querySelectorAll("[data-dots]")) {
    Object.assign(dots.style, { display: "inline-block", touchAction: "none", cursor: "grab" });
  }
  // After "Back", the browser puts back the order that was there.
  for (const place of order.value.split(",")) {
    const row = rows().find((each) => each.dataset.place === place);
    if (row) {
      list.append(row);
    }
  }
  if (rows().length) {
    arrange();
  }
}
