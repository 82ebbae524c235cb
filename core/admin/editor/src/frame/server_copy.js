// What is typed in a form and not saved, on the server: its author finds it on every device. The browser's own copy stays
// for what the server does not have yet.

import { OK, request } from "./request.js";

const EVERY = 30_000; // milliseconds
const SMALL = 60_000; // characters that a page may send while it closes

export class ServerCopy {
  /** `read()` returns the changed fields as text; `stored(text)` is called after the server has stored a text. */
  constructor(form, { page, version, read, stored }) {
    Object.assign(this, { form, page, version, read, stored });
    this.address = form.dataset.unsaved;
    this.sent = null;
    this.isOver = false;
    document.addEventListener("visibilitychange", () => document.hidden && this.send());
    window.addEventListener("signedin", () => this.send());
    form.addEventListener("released", () => {
      this.isOver = false;
      this.later();
    });
  }

  later() {
    this.timer ??= window.setTimeout(() => this.send(), EVERY);
  }

  stop() {
    window.clearTimeout(this.timer);
    this.timer = null;
    this.isOver = true;
  }

  async send() {
    window.clearTimeout(this.timer);
    this.timer = null;
    const fields = this.read();
    if (this.isOver || this.isBusy || fields === (this.sent ?? "{}")) {
      return;
    }
    this.isBusy = true;
    const { outcome, status } = await (fields === "{}" ? this.drop() : this.post({ fields, version: this.version }));
    this.isBusy = false;
    if (outcome === OK) {
      this.sent = fields;
      this.stored(fields);
    } else {
      this.isOver = status === 404; // the content is gone, or may no longer be changed
    }
    if (!this.isOver && (outcome !== OK || this.read() !== fields)) {
      this.later();
    }
  }

  /** Deletes what this page or another one has stored. */
  drop(page = this.page) {
    return this.post({ drop: "1" }, page);
  }

  /** What other pages have stored: page, age in seconds, version and fields of each. */
  async others() {
    const { outcome, data } = await request(this.address, { isQuiet: true });
    return outcome === OK ? data.texts.filter(({ page }) => page !== this.page) : [];
  }

  post(values, page = this.page) {
    const post = new FormData();
    for (const [name, value] of Object.entries({ ...values, page })) {
      post.set(name, value);
    }
    post.set("csrfmiddlewaretoken", this.form.elements.csrfmiddlewaretoken.value);
    const isClosing = document.hidden && (values.fields ?? "").length < SMALL;
    return request(this.address, { post, isQuiet: true, keepalive: isClosing });
  }
}
