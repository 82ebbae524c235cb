// Completion of elements, their attributes and values, and entities, from the words of the service.

import { startCompletion } from "@codemirror/autocomplete";
import { htmlLanguage } from "@codemirror/lang-html";
import { OK, request } from "../frame/request.js";

const REACH = 4000; // characters before the cursor that are looked at
const ELEMENT = /<(\/?)(?:s|st|stl|stl:\w*)?$/i;
const ATTRIBUTE = /^<stl:(\w+)((?:[^<>"']|"[^"]*"|'[^']*')*\s)(\w*)$/i;
const VALUE = /^<stl:(\w+)(?:[^<>"']|"[^"]*"|'[^']*')*\s(\w+)\s*=\s*(?:"([^"<>]*)|'([^'<>]*))$/i;
const ENTITY = /\{(?:(\w*)|(\w+)\.([\w.]*)|stl:(\w*))$/i;

/** The source of completions; the words are read once, when the first are asked for. */
export function complete(address) {
  let asked = null;
  let vocabulary = null;
  const read = async () => {
    asked ??= request(address, { isQuiet: true });
    const { outcome, data } = await asked;
    if (outcome !== OK) {
      asked = null; // the next key asks again
      return null;
    }
    vocabulary ??= new Vocabulary(data);
    return vocabulary;
  };
  return htmlLanguage.data.of({ autocomplete: async (context) => (await read())?.complete(context) ?? null });
}

export class Vocabulary {
  constructor({ elements, entities }) {
    this.elements = elements;
    this.entities = entities;
    this.names = new Map(Object.keys(elements).map((name) => [name.toLowerCase(), name]));
  }

  complete({ state, pos }) {
    const before = state.sliceDoc(Math.max(0, pos - REACH), pos);
    const tag = before.slice(Math.max(0, before.toLowerCase().lastIndexOf("<stl:")));
    return this.entityAt(before, pos) ?? this.elementAt(before, pos) ?? this.valueAt(tag, pos) ?? this.attributeAt(tag, pos);
  }

  elementAt(before, pos) {
    const match = ELEMENT.exec(before);
    return match && result(pos - match[0].length, Object.entries(this.elements).map(([name, { summary }]) =>
      option(`<${match[1]}stl:${name}`, summary, { apply: match[1] ? `</stl:${name}>` : undefined, type: "class" })));
  }

  attributeAt(tag, pos) {
    const match = ATTRIBUTE.exec(tag);
    const { attributes = {} } = this.elements[this.names.get(match?.[1].toLowerCase())] ?? {};
    const given = new Set([...(match?.[2] ?? "").matchAll(/(\w+)\s*=/g)].map((one) => one[1].toLowerCase()));
    const names = Object.entries(attributes).filter(([name]) => !given.has(name.toLowerCase()));
    return match && names.length > 0
      ? result(pos - match[3].length, names.map(([name, { summary, values }]) => option(name, summary, { apply: quoted(values), type: "property" })))
      : null;
  }

  valueAt(tag, pos) {
    const match = VALUE.exec(tag);
    const { attributes = {} } = this.elements[this.names.get(match?.[1].toLowerCase())] ?? {};
    const found = Object.entries(attributes).find(([name]) => name.toLowerCase() === match?.[2].toLowerCase());
    const typed = match?.[3] ?? match?.[4] ?? "";
    return found?.[1].values?.length && !typed.includes("{")
      ? result(pos - typed.length, found[1].values.map((value) => option(value, "", { type: "enum" })))
      : null;
  }

  entityAt(before, pos) {
    const match = ENTITY.exec(before);
    if (!match) {
      return null;
    }
    const [whole, family, named, , element] = match;
    const start = pos - whole.length;
    if (element !== undefined) {
      return result(start, Object.entries(this.elements).map(([name, { summary }]) => option(`{stl:${name}`, summary, { type: "class" })));
    }
    if (named === undefined) {
      const families = Object.entries(this.entities).filter(([name]) => name.startsWith(family.toLowerCase()));
      const elements = "stl".startsWith(family.toLowerCase()) ? [option("{stl:", "", { apply: again("{stl:"), type: "namespace" })] : [];
      return result(start, [...families.map(([name, { summary }]) => option(`{${name}.`, summary, { apply: again(`{${name}.`), type: "namespace" })), ...elements]);
    }
    const names = Object.entries(this.entities).find(([name]) => name.toLowerCase() === named.toLowerCase())?.[1].names ?? {};
    return result(start, Object.entries(names).map(([name, summary]) => option(`{${named}.${name}`, summary, { apply: closed(`{${named}.${name}`), type: "variable" })));
  }
}

const result = (from, options) => ({ from, options, validFor: /^[<{/\w.:]*$/ });

const option = (label, info, { apply, type }) => ({ label, type, ...(apply && { apply }), ...(info && { info }) });

const insert = (view, text, from, to, at = text.length) =>
  view.dispatch({ changes: { from, to, insert: text }, selection: { anchor: from + at }, userEvent: "input.complete" });

/** Inserts a beginning, and offers what may follow. */
const again = (text) => (view, _option, from, to) => {
  insert(view, text, from, to);
  startCompletion(view);
};

/** Inserts an entity with its brace, unless there is one. */
const closed = (text) => (view, _option, from, to) => {
  const hasBrace = view.state.sliceDoc(to, to + 1) === "}";
  insert(view, hasBrace ? text : `${text}}`, from, to, text.length + 1);
};

/** Inserts an attribute with quotes, and offers its values. */
const quoted = (values) => (view, { label }, from, to) => {
  insert(view, `${label}=""`, from, to, label.length + 2);
  if (values?.length) {
    startCompletion(view);
  }
};
