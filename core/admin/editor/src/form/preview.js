// Shows the text as readers would see it, at the width of a phone, a tablet or a desk.

import { button, freshId, make } from "../dom.js";

const WIDTHS = { phone: 390, tablet: 820, desktop: 1280 };

export function addPreview({ form, rich, words, address }) {
  const existing = form.querySelector("button[data-preview]");
  if (existing) {
    existing.setAttribute("aria-haspopup", "dialog");
    existing.addEventListener("click", (event) => {
      event.preventDefault();
      open();
    });
  } else {
    rich.status.append(button(words.say("preview"), () => open()));
  }

  function open() {
    const frameName = freshId("editor-preview");
    const titleId = freshId("editor-dialog");
    const frame = make("iframe", { name: frameName, title: words.say("preview"), class: "preview-frame", tabindex: "0" });
    const stage = make("div", { class: "preview-stage" }, frame);
    const send = () => submit(form, address, frameName, rich);
    const widths = Object.entries(WIDTHS).map(([name, width]) => widthChoice(name, width, words, (chosen) => fit(frame, stage, chosen)));
    const bar = make(
      "div",
      { class: "preview-bar" },
      make("h2", { id: titleId }, words.say("preview")),
      make("fieldset", { class: "preview-widths" }, make("legend", { class: "visually-hidden" }, words.say("preview_width")), ...widths),
      button(words.say("refresh"), send),
      button(words.say("close"), () => dialog.close()),
    );
    const dialog = make("dialog", { class: "editor-dialog preview-dialog", "aria-labelledby": titleId }, bar, stage);
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
    const first = widths[document.documentElement.clientWidth < 700 ? 0 : 2].querySelector("input");
    first.checked = true;
    first.focus();
    fit(frame, stage, Number(first.value));
    send();
  }
}

function widthChoice(name, width, words, choose) {
  const id = freshId("preview-width");
  const input = make("input", { type: "radio", name: "preview-width", value: width, id, change: () => choose(width) });
  return make("span", {}, input, make("label", { for: id }, words.say(`width_${name}`)));
}

// A frame that is wider than the window is shown smaller, so that all of it is seen.
function fit(frame, stage, width) {
  const part = Math.min(stage.clientWidth / width, 1);
  frame.style.width = `${width}px`;
  frame.style.height = `${Math.floor(stage.clientHeight / part)}px`;
  frame.style.transform = part < 1 ? `scale(${part})` : "";
}

function submit(form, address, target, rich) {
  rich.flush();
  const sender = make("button", { type: "submit", formaction: address, formtarget: target, formmethod: "post", formnovalidate: true, hidden: true });
  form.append(sender);
  form.requestSubmit(sender);
  sender.remove();
}
