// Word writes the items of a list as paragraphs that say in their style how deep they stand; here they become lists.

import { heldStyle } from "../markup/inert.js";

const LEVEL = /mso-list:\s*l(\d+)\s+level(\d+)/i;
const NUMBER = /^\(?(\d{1,3}|[a-z]|[ivxlc]{1,6}|[一二三四五六七八九十]{1,3})[.)、．）]/i;

/** Replace the paragraphs in place. */
export function makeLists(root) {
  let open = []; // the lists that stand open, the outermost first
  for (const paragraph of [...root.querySelectorAll("p,h1,h2,h3,h4,h5,h6")]) {
    const item = paragraph.nodeName === "P" ? read(paragraph) : null;
    if (!item) {
      open = [];
      continue;
    }
    const follows = open.length && paragraph.previousElementSibling === open[0].element;
    open = place(paragraph, item, follows ? open : []);
  }
}

function read(paragraph) {
  const style = heldStyle(paragraph);
  const found = LEVEL.exec(style);
  if (!found) {
    return null;
  }
  const marker = takeMarker(paragraph);
  return { list: found[1], level: Number(found[2]), tag: NUMBER.test(marker) ? "ol" : "ul" };
}

// The bullet or number stands in the text, in a span that says that it is to be ignored.
function takeMarker(paragraph) {
  const marked = [...paragraph.querySelectorAll("span")].find((span) => /mso-list:\s*ignore/i.test(heldStyle(span)));
  const marker = marked?.textContent.trim() || "";
  marked?.remove();
  return marker;
}

function place(paragraph, { list, level, tag }, before) {
  const { ownerDocument } = paragraph;
  let open = before.filter((each) => each.level <= level);
  const last = open.at(-1);
  const isSame = last && last.level === level && last.element.nodeName.toLowerCase() === tag && (last.list === list || level > 1);
  if (last && last.level === level && !isSame) {
    open = open.slice(0, -1);
  }
  if (!isSame) {
    const element = ownerDocument.createElement(tag);
    const parent = open.at(-1);
    if (parent) {
      parent.element.lastElementChild.append(element);
    } else {
      paragraph.before(element);
    }
    open = [...open, { element, level, list }];
  }
  const item = ownerDocument.createElement("li");
  item.append(...paragraph.childNodes);
  open.at(-1).element.append(item);
  paragraph.remove();
  return open;
}
