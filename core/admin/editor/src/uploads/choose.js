// A dialog that lists the uploaded files of the site, newest first, to choose one.

import { button, freshId, make } from "../dom.js";
import { signIn } from "../frame/failure.js";
import { OK, request, SIGNED_OUT } from "../frame/request.js";

/** Show the files of the kind; `done` gets the address and the name of the chosen one. Returns the dialog. */
export function chooseUploaded({ words, address, kind, done, title = words.say("uploaded_files_title"), above = null }) {
  const name = freshId("editor-dialog");
  const list = make("ul", { class: "editor-files" });
  const told = make("p", { class: "editor-files-told", role: "status" });
  const more = button(words.say("more_files"), () => load());
  const close = button(words.say("close"), () => dialog.close());
  const dialog = make("dialog", { class: "editor-dialog", "aria-labelledby": name }, make("h2", { id: name }, title), above,
    list, told, make("div", { class: "editor-buttons" }, more, close));
  let page = 0;

  async function load() {
    told.textContent = "";
    more.disabled = true;
    const { outcome, message, data } = await request(`${address}?kind=${kind}&page=${page + 1}`, { isQuiet: true });
    if (outcome === OK && data.files) {
      const { files, hasMore } = data;
      page += 1;
      const items = files.map((file) => make("li", {}, make("button", { type: "button", class: "editor-files-one", click: () => choose(file) },
        kind === "image" ? make("img", { src: file.shown, alt: "", loading: "lazy" }) : null, make("span", {}, file.name))));
      list.append(...items);
      more.hidden = !hasMore;
      told.textContent = list.children.length ? "" : words.say("no_files");
      (items[0]?.firstChild || close).focus();
    } else {
      told.replaceChildren(words.say("files_not_listed", { why: message ?? "" }), " ", outcome === SIGNED_OUT ? signIn() : "");
    }
    more.disabled = false;
  }

  const choose = (file) => {
    dialog.close();
    done(file);
  };
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  load();
  return dialog;
}
