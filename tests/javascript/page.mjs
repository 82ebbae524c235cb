// Scripts of pages, run without a browser: elements answer what a script asks of them, and no more.

import { readFileSync } from "node:fs";
import { compileFunction } from "node:vm";
import * as requests from "../../core/admin/editor/src/frame/request.js";

/** An element; `found` has what its queries find, by selector. */
export class Fake extends EventTarget {
  constructor(given = {}, found = {}) {
    super();
    const names = new Set();
    Object.assign(this, {
      attributes: {},
      children: [],
      dataset: {},
      found,
      style: {},
      classList: {
        add: (...added) => added.forEach((name) => names.add(name)),
        remove: (...removed) => removed.forEach((name) => names.delete(name)),
        contains: (name) => names.has(name),
        toggle: (name, isOn) => (isOn ? names.add(name) : names.delete(name)),
      },
      ...given,
    });
  }
  querySelectorAll(selector) {
    return [this.found[selector] ?? []].flat();
  }
  querySelector(selector) {
    return this.querySelectorAll(selector)[0] ?? null;
  }
  closest(selector) {
    return this.within?.[selector] ?? null;
  }
  contains(other) {
    return other === this || this.children.includes(other);
  }
  setAttribute(name, value) {
    this.attributes[name] = String(value);
  }
  getAttribute(name) {
    return this.attributes[name] ?? null;
  }
  removeAttribute(name) {
    delete this.attributes[name];
  }
  append(...added) {
    this.children.push(...added);
  }
  replaceChildren(...children) {
    this.children = children;
  }
  after() {}
  before() {}
  prepend() {}
  remove() {}
  scrollIntoView() {}
  focus() {
    this.isFocused = true;
  }
  /** The event, once every listener has had it. */
  hear(name, given = {}) {
    const event = Object.defineProperties(new Event(name, { cancelable: true }), Object.getOwnPropertyDescriptors(given));
    this.dispatchEvent(event);
    return event;
  }
}

/** The globals of a page: `ids` has its elements, `found` what its queries find, `create` makes new elements. */
function makePage({ ids = {}, found = {}, create = (name) => new Fake({ name }), ...globals } = {}) {
  const document = new Fake({
    body: new Fake(),
    createElement: create,
    documentElement: new Fake({ lang: "en" }),
    getElementById: (id) => ids[id] ?? null,
  }, found);
  const page = Object.assign(new Fake(), { document, desk: requests, location: { pathname: "/", search: "", hash: "" }, ...globals });
  page.window = page;
  Object.assign(globalThis, { document, window: page, ...(globals.fetch && { fetch: globals.fetch }) }); // for the modules of the frame
  return page;
}

/** The globals of a page on which the script was run. */
export function run(path, given = {}) {
  const page = makePage(given);
  const { ids, found, create, ...globals } = given;
  const source = new URL(`../../${path}`, import.meta.url);
  const names = ["document", "window", ...Object.keys(globals)];
  compileFunction(readFileSync(source, "utf8"), names, { filename: source.pathname })(...names.map((name) => page[name]));
  return page;
}

globalThis.MutationObserver = class {
  observe() {}
};
let loads = 0;

/** The globals of a page that loaded the module of the frame. */
export async function load(name, given = {}) {
  const page = makePage(given);
  const { ids, found, create, ...globals } = given;
  Object.assign(globalThis, globals);
  loads += 1;
  await import(`../../core/admin/editor/src/frame/${name}?${loads}`);
  return page;
}

/** What the service answers a script, or a proxy before it. */
export const answer = (data, { status = 200, redirected = false } = {}) => ({
  status,
  redirected,
  text: async () => (typeof data === "string" ? data : JSON.stringify(data)),
});

/** Lets what waits for answers go on. */
export const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Time that passes when a test says so. */
export class Clock {
  waiting = [];
  setTimeout = (act, delay) => this.waiting.push({ act, delay });
  clearTimeout = (number) => this.waiting.splice(number - 1, 1);

  /** Does what waits next, and tells how long it would have waited. */
  async next() {
    const { act, delay } = this.waiting.shift();
    await act();
    return delay;
  }
}
