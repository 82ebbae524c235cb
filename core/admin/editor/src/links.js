// What the links of a text lead to: records of the site by id, and whether visitors see them.

import { Extension } from "@tiptap/core";
import { Plugin, PluginKey } from "@tiptap/pm/state";
import { Decoration, DecorationSet } from "@tiptap/pm/view";
import { OK, request } from "./frame/request.js";

const BY_ID = /^@\/_(content|channel)\/[1-9]\d{0,18}(?=[?#]|$)/;
const MOST = 100; // links in a request
const KEY = new PluginKey("links");

/** The part of an address that names a record; empty if it names none. */
const recordIn = (href) => BY_ID.exec(href || "")?.[0] ?? "";

export class Links {
  #known = new Map();
  #address;

  constructor(address) {
    this.#address = address;
  }

  get isSearched() {
    return Boolean(this.#address);
  }

  add(target) {
    this.#known.set(target.address, target);
  }

  /** The record that the address names, if it is known. */
  find(href) {
    return this.#known.get(recordIn(href));
  }

  isHidden(href) {
    return Boolean(this.find(href)?.isHidden);
  }

  /** The records and files with the words. */
  async search(words) {
    const { outcome, message, data } = await request(`${this.#address}?${new URLSearchParams({ q: words })}`, { isQuiet: true });
    return outcome === OK ? data : { targets: null, message };
  }

  /** Ask for the records among the addresses that are not known yet; whether there were any. */
  async learn(addresses) {
    const unknown = [...new Set(addresses.map(recordIn))].filter((each) => each && !this.#known.has(each)).slice(0, MOST);
    if (!unknown.length || !this.isSearched) {
      return false;
    }
    const query = new URLSearchParams(unknown.map((each) => ["address", each]));
    const { outcome, data } = await request(`${this.#address}?${query}`, { isQuiet: true });
    (outcome === OK ? data.targets : []).forEach((target) => this.add(target));
    return outcome === OK;
  }
}

/** Call `run` with the address, place and size of each linked text. */
export function eachLink(doc, run) {
  doc.descendants((node, at) => {
    const link = node.marks.find((mark) => mark.type.name === "link");
    if (link) {
      run(link.attrs.kept?.href || "", at, node.nodeSize);
    }
  });
}

/** Marks the links to what visitors do not see. */
export const HiddenTargets = Extension.create({
  name: "hiddenTargets",
  addOptions: () => ({ links: null, words: null }),
  addProseMirrorPlugins() {
    const { links, words } = this.options;
    const draw = (doc) => {
      const marks = [];
      eachLink(doc, (href, at, size) => {
        if (links.isHidden(href)) {
          const { title, note } = links.find(href);
          const told = [words.say("hidden_target"), title, note].filter(Boolean).join(" · ");
          marks.push(Decoration.inline(at, at + size, { nodeName: "mark", class: "editor-link-hidden", title: told }));
        }
      });
      return DecorationSet.create(doc, marks);
    };
    const apply = (tr, drawn) => (tr.docChanged || tr.getMeta(KEY) ? draw(tr.doc) : drawn);
    return [new Plugin({ key: KEY, state: { init: () => DecorationSet.empty, apply }, props: { decorations: (state) => KEY.getState(state) } })];
  },
});

/** Draw the marks again, after links were learned. */
export const drawAgain = ({ state, view }) => view.dispatch(state.tr.setMeta(KEY, true).setMeta("addToHistory", false));
