// What is pasted keeps its structure and loses the looks of where it came from.

import { isBlock, isKnown, nameOf, parse } from "../markup/elements.js";
import { declarations } from "../markup/kept.js";
import { heldStyle, holdBack, holdStyle } from "../markup/inert.js";
import { makeLists } from "./word_lists.js";

const GONE = "x-kept,head,meta,link,style,script,title,xml,noscript,template,object,embed,form,input,select,button,svg";
const KEPT = {
  a: ["href", "title", "target"],
  img: ["src", "alt", "width", "height", "title"],
  td: ["colspan", "rowspan"],
  th: ["colspan", "rowspan", "scope"],
  ol: ["start", "type", "reversed"],
  li: ["value"],
};
const OF_WORD = /\bmso-|class="?Mso|urn:schemas-microsoft-com|<o:p|KSO|LibreOffice/i;
const LARGEST = 5_000_000; // characters of HTML, beyond which it is not looked at

/** The HTML to insert, and the names of pictures that lie on the computer of whoever pastes and cannot be read. */
export function cleanPasted(html) {
  if (/data-pm-slice/.test(html) || html.length > LARGEST) {
    return { html: holdBack(html), lost: [] };
  }
  const root = parse(dropConditions(html));
  dropComments(root);
  root.querySelectorAll(GONE).forEach((element) => element.remove());
  if (OF_WORD.test(html)) {
    makeLists(root);
  }
  const lost = dropLocalPictures(root);
  [...root.querySelectorAll("*")].reverse().forEach(cleanElement);
  dropEmpty(root);
  return { html: root.innerHTML, lost };
}

// <![if …]> is no comment to a browser; what it shows to others than Word stays.
const dropConditions = (html) => html.replace(/<!\[(?:if|endif)[^>]*>/gi, (condition) =>
  /supportLists/i.test(condition) ? "<!--list-->" : /endif/i.test(condition) ? "<!--end-->" : "");

function dropComments(root) {
  const walker = root.ownerDocument.createTreeWalker(root, NodeFilter.SHOW_COMMENT);
  const found = [];
  while (walker.nextNode()) {
    found.push(walker.currentNode);
  }
  found.forEach((comment) => comment.remove());
}

function dropLocalPictures(root) {
  const lost = [];
  for (const picture of root.querySelectorAll("img")) {
    const address = picture.getAttribute("src") || "";
    if (/^(file|blob|cid|webkit-fake-url):/i.test(address) || !address) {
      lost.push(decodeURI(safe(address)).split(/[\\/]/).at(-1) || "?");
      picture.remove();
    }
  }
  return lost;
}

const safe = (address) => address.replace(/%(?![\da-f]{2})/gi, "%25");

function cleanElement(element) {
  const name = nameOf(element);
  const style = Object.fromEntries(declarations(heldStyle(element)));
  const align = style["text-align"] || element.getAttribute("align");
  const isAnchorOnly = name === "a" && !element.hasAttribute("href");
  for (const { name: attribute } of [...element.attributes]) {
    if (!(KEPT[name] || []).includes(attribute)) {
      element.removeAttribute(attribute);
    }
  }
  if (["p", "h1", "h2", "h3", "h4", "h5", "h6", "td", "th"].includes(name) && /^(center|right|justify)$/.test(align)) {
    holdStyle(element, `text-align: ${align}`);
  }
  if (name === "span" || name === "font" || isAnchorOnly || name.includes(":") || !isKnown(element)) {
    replaceByMarks(element, style);
  } else if (FRAMES.includes(name)) {
    replaceFrame(element);
  } else if ((name === "b" || name === "strong") && style["font-weight"] === "normal") {
    unwrap(element); // all of a text from Google Docs stands in one
  }
}

const FRAMES = ["div", "section", "article", "main", "header", "footer", "nav", "aside", "center", "address", "hgroup"];

// Of the frames of a page only the paragraphs in them matter.
function replaceFrame(element) {
  if ([...element.children].some(isBlock)) {
    unwrap(element);
    return;
  }
  const paragraph = element.ownerDocument.createElement("p");
  paragraph.append(...element.childNodes);
  element.replaceWith(paragraph);
}

const isBold = (style) => /^(bold|bolder|[6-9]00)$/.test(style["font-weight"] || "");

// Looks that mean something become elements that say so. Black on white means nothing.
function replaceByMarks(element, style) {
  const names = [];
  if (isBold(style)) names.push("strong");
  if (style["font-style"] === "italic") names.push("em");
  if (/underline/.test(style["text-decoration"] || style["text-decoration-line"] || "") && !element.closest("a")) names.push("u");
  if (/line-through/.test(style["text-decoration"] || style["text-decoration-line"] || "")) names.push("s");
  if (/^(sub|super)$/.test(style["vertical-align"] || "")) names.push(style["vertical-align"] === "sub" ? "sub" : "sup");
  const colours = [["color", PLAIN_INK], ["background-color", PLAIN_PAPER]];
  const meant = colours.filter(([property, plain]) => style[property] && !plain.test(style[property].replace(/\s/g, "")));
  const wrappers = names.map((name) => element.ownerDocument.createElement(name));
  if (meant.length && !element.closest("a") && element.textContent.trim()) {
    const span = element.ownerDocument.createElement("span");
    holdStyle(span, meant.map(([property]) => `${property}: ${style[property]}`).join("; "));
    wrappers.push(span);
  }
  if (!wrappers.length || element.querySelector("p,div,table,ul,ol,h1,h2,h3,h4,h5,h6,blockquote")) {
    unwrap(element);
    return;
  }
  wrappers.reduce((outer, inner) => outer.appendChild(inner)).append(...element.childNodes);
  element.replaceWith(wrappers[0]);
}

const PLAIN_INK = /^(windowtext|black|inherit|initial|currentcolor|#0{3}|#0{6}|rgb\(0,0,0\)|rgba\(0,0,0,1\)|var\(.*|rgb\((\d{1,2}),\2,\2\))$/i;
const PLAIN_PAPER = /^(white|transparent|inherit|initial|none|#f{3}|#f{6}|rgb\(255,255,255\)|rgba\(.*,0\)|var\(.*)$/i;

const unwrap = (element) => element.replaceWith(...element.childNodes);

function dropEmpty(root) {
  for (const element of [...root.querySelectorAll("strong,em,u,s,sub,sup,b,i,span,a")].reverse()) {
    if (!element.textContent && !element.querySelector("img,br")) {
      element.remove();
    }
  }
  // Between paragraphs word processors write empty ones; two in a row are a habit, one a line that is meant.
  for (const paragraph of root.querySelectorAll("p")) {
    const next = paragraph.nextElementSibling;
    if (isEmpty(paragraph) && next?.nodeName === "P" && isEmpty(next)) {
      paragraph.remove();
    }
  }
}

const isEmpty = (paragraph) => !paragraph.textContent.trim() && !paragraph.querySelector("img,table");
