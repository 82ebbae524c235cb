// Texts are parsed without their styles and handlers: the browser would refuse each of them, and complain of it, even in
// a document that nobody sees. They wait under other names.

const HELD = "x-held-";
const COMMENT_OR_STYLE = /<!--[\s\S]*?-->|<style\b[\s\S]*?<\/style\s*>/gi;
const COMMENT_OR_TAG = /<!--[\s\S]*?-->|<[a-z][^\s/>]*(?:"[^"]*"|'[^']*'|[^>"'])*>/gi;
const ATTRIBUTE = /"[^"]*"|'[^']*'|([\s/])(style|on[a-z]+)(?=\s*=)/gi;

const escapeValue = (text) => text.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;");

/** The HTML with everything held back that a browser might do something with. */
export function holdBack(html) {
  return html
    .replace(COMMENT_OR_STYLE, (part) => (part.startsWith("<!") ? part : `<x-kept data-html="${escapeValue(part)}"></x-kept>`))
    .replace(COMMENT_OR_TAG, (part) => (part.startsWith("<!") ? part : holdAttributes(part)));
}

const holdAttributes = (tag) => tag.replace(ATTRIBUTE, (part, before, name) => (name ? `${before}${HELD}${name}` : part));

/** The HTML as it was. */
export const release = (html) => html.replace(/x-held-(style|on[a-z]+)/g, "$1");

export const releasedName = (name) => (name.startsWith(HELD) ? name.slice(HELD.length) : name);

export const heldStyle = (element) => element.getAttribute(`${HELD}style`) || "";

export const holdStyle = (element, style) => element.setAttribute(`${HELD}style`, style);

/** Gives elements their styles, as scripts may. */
export function showStyles(root) {
  for (const element of root.querySelectorAll(`[${HELD}style]`)) {
    element.style.cssText = heldStyle(element);
    element.removeAttribute(`${HELD}style`);
  }
}
