// Actions without leaving the page: the question opens in a dialog, and a list shows the result in place. Without this file
// the question is a page, and the list is loaded again.

import { make } from "../dom.js";
import { showFailure, takeFailure } from "./failure.js";
import { judge, LOST, OK } from "./request.js";
import { frameWords } from "./words.js";

// Links to a question, and to a page of which a dialog shows a part.
const LINKS = ".object-tools a[href*='/action/'][class^='action-'], a[data-dialog]";
const ROWS = ".changelist-form-container";
const PARTS = ["#messages", "#folders", ROWS]; // of a page with a list, that an action changes

document.addEventListener("submit", (event) => {
  const { target: form, submitter } = event;
  const isAct = submitter?.name === "action" && form.matches("#changelist-form, [data-actions]");
  if (event.defaultPrevented || !(isAct || (isInPlace() && (submitter?.matches(".undo") || form.matches(".act-dialog > form"))))) {
    return;
  }
  const address = submitter?.getAttribute("formaction") ?? form.getAttribute("action") ?? window.location.href;
  event.preventDefault();
  act(address, new FormData(form, submitter), submitter);
});

document.addEventListener("click", (event) => {
  const link = event.target.closest?.(LINKS) ?? sameInDialog(event.target.closest?.("dialog a"));
  if (link && !event.defaultPrevented && !(event.ctrlKey || event.metaKey || event.shiftKey)) {
    event.preventDefault();
    act(link.href, null, link);
  }
});

// Another week is shown in the dialog that shows one.
function sameInDialog(link) {
  const part = link?.pathname === link?.closest("dialog").dataset.pathname && link?.closest("dialog").dataset.part;
  if (part) {
    link.dataset.dialog = part;
  }
  return part ? link : null;
}

const isInPlace = () => document.querySelector(ROWS) !== null;

/** Send the form, or open the link, and show what comes: a question, the changed list, or why there is none. */
async function act(address, body, origin) {
  if (origin?.ariaBusy === "true") {
    return; // a second click
  }
  if (origin) {
    origin.ariaBusy = "true";
  }
  const dialog = origin?.closest("dialog");
  const { answer, url, text } = await send(address, body);
  if (origin) {
    origin.ariaBusy = null;
  }
  if (answer.outcome !== OK) {
    showFailure(answer, body ? null : () => act(address, null, origin)); // what was sent may have been done
    return;
  }
  takeFailure();
  const page = new DOMParser().parseFromString(text, "text/html");
  for (const [selector, name] of [["a[href]", "href"], ["form", "action"]]) {
    for (const element of page.querySelectorAll(selector)) {
      element.setAttribute(name, new URL(element.getAttribute(name) ?? "", url)); // relative to its own page
    }
  }
  const question = page.querySelector("form.action");
  const again = url.pathname === dialog?.dataset.pathname ? dialog.dataset.part : null; // with what was refused
  const part = origin?.dataset.dialog ?? again;
  if (part && page.querySelector(part)) {
    Object.assign(open(page, page.querySelector(part)).dataset, { part, pathname: url.pathname });
  } else if (question) {
    open(page, question);
  } else if (isInPlace() && url.pathname === window.location.pathname && page.querySelector(ROWS)) {
    show(page, url);
  } else if (body) {
    replacePage(text, url);
  } else {
    window.location.assign(url);
  }
}

async function send(address, body) {
  try {
    const response = await fetch(address, { ...(body && { method: "POST", body }), headers: { Accept: "text/html" }, cache: "no-store" });
    const url = new URL(response.url);
    const text = await response.text();
    return { answer: judge({ status: response.status, isRedirected: url.pathname.endsWith("/login/"), text }, true), url, text };
  } catch {
    return { answer: { outcome: LOST, message: frameWords().say("lost") } };
  }
}

// Not by opening its address: its messages are shown once, and a form that is sent again would act twice.
function replacePage(text, url) {
  window.history.pushState(null, "", url);
  document.open();
  document.write(text);
  document.close();
}

function open(page, part) {
  closeDialog();
  const heading = make("h2", { id: "act-heading" }, page.querySelector("h1").textContent);
  const close = make("button", { type: "button", class: "icon-button dialog-close", "aria-label": frameWords().say("close"), click: () => dialog.close() }, "×");
  const dialog = make("dialog", { class: "editor-dialog act-dialog", "aria-labelledby": heading.id }, heading, part, close);
  dialog.addEventListener("close", () => dialog.remove());
  if (part.dataset.goesOn !== undefined) {
    dialog.addEventListener("cancel", () => window.location.reload()); // some of it was done
  } else {
    part.querySelector(".closelink")?.addEventListener("click", (event) => {
      event.preventDefault();
      dialog.close();
    });
  }
  document.getElementById("content").append(dialog);
  dialog.showModal();
  window.queueMicrotask(() => begin(part)); // once fields have become what scripts make of them
  return dialog;
}

function begin(part) {
  const fields = ":is(input, select, textarea):not([type=hidden], [hidden])";
  (part.querySelector(`.errors ${fields}`) ?? part.querySelector(fields))?.focus();
}

const closeDialog = () => document.querySelector(".act-dialog")?.close();

function show(page, url) {
  closeDialog();
  for (const part of PARTS) {
    const found = page.querySelector(part);
    if (found) {
      document.querySelector(part)?.replaceWith(found);
    }
  }
  window.history.replaceState(null, "", url);
  const boxes = document.querySelectorAll("tr input.action-select");
  if (boxes.length) {
    window.Actions?.(boxes); // Django's script for lists
  }
  document.getElementById("list").focus({ preventScroll: true });
}
