// The media library as a dialog: the files of the site, newest first or by words of their texts, to choose one.

import { button, freshId, make } from "../dom.js";
import { signIn } from "../frame/failure.js";
import { OK, request, SIGNED_OUT } from "../frame/request.js";

const PAUSE = 250; // milliseconds after a key

/** Show the files of the kind; `done` gets the chosen one as the server lists it. Returns the dialog. */
export function chooseUploaded({ words, address, kind, done, title = words.say("library"), above = null }) {
  const name = freshId("editor-dialog");
  const list = make("ul", { class: "editor-files" });
  const told = make("p", { class: "editor-files-told", role: "status" });
  const more = button(words.say("more_files"), () => load());
  const close = button(words.say("close"), () => dialog.close());
  const search = make("input", { type: "search", maxlength: "255", "aria-label": words.say("search_files"), placeholder: words.say("search_files") });
  const dialog = make("dialog", { class: "editor-dialog", "aria-labelledby": name }, make("h2", { id: name }, title), above, make("p", {}, search),
    list, told, make("div", { class: "editor-buttons" }, more, close));
  let page = 0;
  let asked = 0;
  let pause = null;

  async function load(isNew = false) {
    asked += 1;
    const own = asked;
    more.disabled = true;
    const wanted = isNew ? 1 : page + 1;
    const query = new URLSearchParams({ kind, page: wanted, q: search.value.trim() });
    const { outcome, message, data } = await request(`${address}?${query}`, { isQuiet: true });
    if (own !== asked) {
      return; // other words have been typed
    }
    more.disabled = false;
    if (outcome !== OK || !data.files) {
      told.replaceChildren(words.say("files_not_listed", { why: message ?? "" }), " ", outcome === SIGNED_OUT ? signIn() : "");
      return;
    }
    page = wanted;
    const items = data.files.map(item);
    list[isNew ? "replaceChildren" : "append"](...items);
    more.hidden = !data.hasMore;
    told.textContent = list.children.length ? "" : words.say(search.value.trim() ? "no_files_found" : "no_files");
    if (!isNew) {
      items[0]?.firstChild.focus();
    }
  }

  const item = (file) => make("li", {}, make("button", { type: "button", class: "editor-files-one", click: () => choose(file) },
    kind === "image" ? make("img", { src: file.shown, alt: "", loading: "lazy" }) : null, make("span", {}, file.name), make("small", { class: "quiet" }, file.facts)));
  const choose = (file) => {
    dialog.close();
    done(file);
  };
  const searchLater = () => {
    clearTimeout(pause);
    pause = setTimeout(() => load(true), PAUSE);
  };
  search.addEventListener("input", searchLater);
  search.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "Enter") {
      event.preventDefault(); // Enter would send a form around it
      list.querySelector("button")?.focus();
    }
  });
  dialog.addEventListener("close", () => {
    clearTimeout(pause);
    dialog.remove();
  });
  document.body.append(dialog);
  dialog.showModal();
  search.focus();
  load(true);
  return dialog;
}

/** The alternative text that the library has for the picture at the address; empty if it has none. */
export async function storedAlternative(uploads, address) {
  const { outcome, data } = await request(`${uploads}?${new URLSearchParams({ address })}`, { isQuiet: true });
  return (outcome === OK && data.files?.[0]?.alternative) || "";
}
