// Makes the text that was read fit for the schema and notes what would be lost: bare text gets a paragraph that says so,
// and what is unknown, invisible or empty becomes one piece that holds its HTML.

import { isBlock, isContainer, isKnown, isPhrasing, nameOf } from "./elements.js";
import { release } from "./inert.js";
import { OURS, keep } from "./kept.js";

const SPACE = /^[ \t\r\n\f]*$/;
const TEXT_BLOCKS = "p,h1,h2,h3,h4,h5,h6";

/** Change the element, which nobody sees, in place. */
export function prepare(root) {
  keepPieces(root);
  wrapBareLists(root);
  noteRows(root);
  wrapBareText(root, true);
  noteBlankLines(root);
  return root;
}

function piece(node, html) {
  const kept = node.ownerDocument.createElement("x-kept");
  kept.setAttribute("data-html", release(html));
  node.replaceWith(kept);
}

function keepPieces(parent) {
  for (const node of [...parent.childNodes]) {
    if (node.nodeType === 8) {
      piece(node, `<!--${node.data}-->`);
    } else if (node.nodeType === 1) {
      dropOurs(node);
      if (!isKnown(node)) {
        piece(node, node.outerHTML);
      } else if (nameOf(node) !== "x-kept") {
        keepPieces(node);
        keepIfEmpty(node);
      }
    }
  }
}

function dropOurs(element) {
  for (const { name } of [...element.attributes]) {
    if (name.startsWith(OURS)) {
      element.removeAttribute(name);
    }
  }
}

// Anchors and icons are empty and meant; a mark without text would vanish, and a list without items gets one.
function keepIfEmpty(element) {
  if (["ul", "ol", "table"].includes(nameOf(element)) && !element.querySelector("li,tr")) {
    piece(element, element.outerHTML);
    return;
  }
  if (!isPhrasing(element) || element.textContent || element.querySelector("br,img,x-kept") || isBlock(element)) {
    return;
  }
  if (element.attributes.length) {
    piece(element, element.outerHTML);
  } else {
    element.remove();
  }
}

// Older editors put a list right into a list; the schema has it in an item, which is not written.
function wrapBareLists(root) {
  for (const list of root.querySelectorAll("ul > ul, ul > ol, ol > ul, ol > ol")) {
    const item = root.ownerDocument.createElement("li");
    item.setAttribute(`${OURS}bare`, "");
    list.replaceWith(item);
    item.append(list);
  }
}

function noteRows(root) {
  for (const row of root.querySelectorAll("tr")) {
    const section = row.parentElement;
    row.setAttribute(`${OURS}section`, nameOf(section));
    row.setAttribute(`${OURS}section-kept`, JSON.stringify(keep(section) || {}));
  }
}

function wrapBareText(parent, takesBlocks) {
  if (takesBlocks) {
    wrapRuns(parent);
  }
  for (const child of [...parent.children]) {
    if (isBlock(child)) {
      wrapBareText(child, isContainer(child));
    }
  }
}

function wrapRuns(parent) {
  let run = [];
  for (const node of [...parent.childNodes, null]) {
    if (node && !isBlock(node)) {
      run.push(node);
      continue;
    }
    wrapRun(run);
    run = [];
  }
  if (!parent.firstElementChild) {
    const filler = parent.ownerDocument.createElement("p");
    filler.setAttribute(`${OURS}bare`, "");
    parent.replaceChildren(filler);
  }
}

function wrapRun(run) {
  if (run.every((node) => node.nodeType === 3 && SPACE.test(node.data))) {
    run.forEach((node) => node.remove());
    return;
  }
  const paragraph = run[0].ownerDocument.createElement("p");
  paragraph.setAttribute(`${OURS}bare`, "");
  run[0].before(paragraph);
  paragraph.append(...run);
}

function noteBlankLines(root) {
  for (const block of root.querySelectorAll(TEXT_BLOCKS)) {
    const nodes = [...block.childNodes].filter((node) => node.nodeType !== 3 || !SPACE.test(node.data));
    const isBreak = nodes.length === 1 && nodeIsPlainBreak(nodes[0]);
    if (!nodes.length || isBreak) {
      block.setAttribute(`${OURS}blank`, isBreak ? "br" : "none");
      block.replaceChildren();
    }
  }
}

const nodeIsPlainBreak = (node) => nameOf(node) === "br" && !node.attributes.length;
