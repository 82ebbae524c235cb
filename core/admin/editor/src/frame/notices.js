// What the form has to tell, above it. Each notice has a name, and a new one of that name takes the place of the old.

import { make } from "../dom.js";

export class Notices {
  constructor(form) {
    const before = form.previousElementSibling;
    this.place = before?.matches(".form-notices") ? before : make("div", { class: "form-notices", role: "status" });
    form.before(this.place);
  }

  tell(name, text, ...actions) {
    this.take(name);
    this.place.append(make("div", { class: "form-notice", "data-notice": name }, make("div", { class: "form-notice-text" }, ...[text].flat()), ...actions));
  }

  take(name) {
    this.place.querySelector(`[data-notice="${name}"]`)?.remove();
  }
}
