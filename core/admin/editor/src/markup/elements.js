// What the elements of HTML are to the editor. Whatever is named nowhere here is kept as it is, as one piece.

import { holdBack } from "./inert.js";

const words = (text) => new Set(text.split(" "));

export const CONTAINERS = words(
  "address article aside center details dd dir div dl dt fieldset figcaption figure footer form header hgroup legend " +
    "main menu nav section summary",
);
export const HEADINGS = words("h1 h2 h3 h4 h5 h6");
const BLOCKS = new Set([
  ...CONTAINERS,
  ...HEADINGS,
  ...words("blockquote caption col colgroup hr li ol p pre table tbody td tfoot th thead tr ul"),
]);
// Of each, the mark that stands for it.
export const MARKS = {
  bold: ["strong", "b"],
  italic: ["em", "i"],
  underline: ["u"],
  strike: ["s", "strike", "del"],
  subscript: ["sub"],
  superscript: ["sup"],
  code: ["code"],
  link: ["a"],
};
export const PHRASES = words(
  "abbr acronym bdi bdo big cite data dfn font ins kbd label mark nobr q samp small span time tt var",
);
const PHRASING = new Set([...PHRASES, ...Object.values(MARKS).flat()]);
export const VOID = words("area base br col embed hr img input link meta source track wbr");

const BLOCK_SELECTOR = [...BLOCKS].join(",");

export const nameOf = (node) => node.nodeName.toLowerCase();

export const isPhrasing = (node) => PHRASING.has(nameOf(node));

/** Whether the element stands as a block; an inline one with blocks in it does, too. */
export function isBlock(node) {
  if (node.nodeType !== 1) {
    return false;
  }
  return BLOCKS.has(nameOf(node)) || (isPhrasing(node) && node.querySelector(BLOCK_SELECTOR) !== null);
}

/** Whether blocks may stand in the element, and bare text beside them. */
export function isContainer(node) {
  const name = nameOf(node);
  const isOddHeading = (HEADINGS.has(name) || name === "p") && node.querySelector(BLOCK_SELECTOR) !== null;
  return CONTAINERS.has(name) || ["blockquote", "li", "td", "th"].includes(name) || isOddHeading ||
    (isPhrasing(node) && isBlock(node));
}

/** Whether the schema knows the element. */
export function isKnown(node) {
  return BLOCKS.has(nameOf(node)) || isPhrasing(node) || ["br", "img", "x-kept"].includes(nameOf(node));
}

/** The body of the text as the browser reads it; nothing in it is loaded or run. */
export function parse(html) {
  return new DOMParser().parseFromString(`<!doctype html><body>${holdBack(html)}`, "text/html").body;
}
