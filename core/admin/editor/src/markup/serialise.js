// Writes a document as HTML: everything that was kept, in the order in which it was nested.

import { VOID } from "./elements.js";

const escapeText = (text) =>
  text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/\u00a0/g, "&nbsp;");
const escapeValue = (text) => escapeText(text).replace(/"/g, "&quot;");

/** The start tag with these attributes. */
export function startTag(name, attributes) {
  const written = Object.entries(attributes || {}).map(([key, value]) => ` ${key}="${escapeValue(value)}"`);
  return `<${name}${written.join("")}>`;
}

export function element(name, attributes, inner) {
  return VOID.has(name) ? startTag(name, attributes) : `${startTag(name, attributes)}${inner}</${name}>`;
}

/** The HTML of a document or a part of one. For the clipboard, pieces stay readable to the editor alone. */
export function serialise(fragment, forClipboard = false) {
  return new Writer(forClipboard).children(fragment, null);
}

class Writer {
  constructor(forClipboard) {
    this.forClipboard = forClipboard;
  }

  children(fragment, parent) {
    const nodes = [];
    fragment.forEach((node) => nodes.push(node));
    if (nodes.length && nodes[0].isInline) {
      return this.inline(nodes);
    }
    const between = parent === null && !this.forClipboard ? "\n" : "";
    return nodes.map((node, index) => this.block(node, parent, nodes[index - 1], nodes[index + 1])).join(between);
  }

  block(node, parent, before, after) {
    const write = this[node.type.name];
    return write ? write.call(this, node, parent, before, after) : this.children(node.content, node);
  }

  paragraph(node, parent, before, after) {
    const { wrap, blank, kept } = node.attrs;
    const inner = node.childCount ? this.children(node.content, node) : blank === "none" ? "" : "<br>";
    const others = [before, after].filter((other) => other?.type === node.type && other.attrs.wrap !== "tag");
    const inItem = parent && ["listItem", "tableCell", "tableHeader"].includes(parent.type.name);
    const isBare = wrap === "bare" || (wrap === "auto" && inItem);
    const isPlain = isBare && !kept && !others.length && !this.forClipboard;
    return isPlain ? inner : element("p", kept, inner);
  }

  heading(node) {
    const isBlank = !node.childCount && node.attrs.blank !== "none";
    return element(`h${node.attrs.level}`, node.attrs.kept, isBlank ? "<br>" : this.children(node.content, node));
  }

  preformatted(node) {
    const inner = this.children(node.content, node);
    // The first line break after <pre> is not part of the text.
    return element("pre", node.attrs.kept, inner.startsWith("\n") ? `\n${inner}` : inner);
  }

  blockquote(node) {
    return element("blockquote", node.attrs.kept, this.children(node.content, node));
  }

  bulletList(node) {
    return element("ul", node.attrs.kept, this.children(node.content, node));
  }

  orderedList(node) {
    return element("ol", node.attrs.kept, this.children(node.content, node));
  }

  listItem(node) {
    if (node.attrs.bare && isAllLists(node)) {
      return this.children(node.content, node);
    }
    return element("li", node.attrs.kept, this.children(node.content, node));
  }

  container(node) {
    return element(node.attrs.tag, node.attrs.kept, this.children(node.content, node));
  }

  horizontalRule(node) {
    return startTag("hr", node.attrs.kept);
  }

  table(node) {
    const { kept, caption, captionKept, columns } = node.attrs;
    const head = caption === null ? "" : element("caption", captionKept, caption);
    return element("table", kept, head + (columns || "") + this.sections(node));
  }

  sections(table) {
    const sections = [];
    table.forEach((row) => {
      const { section, sectionKept } = row.attrs;
      const key = JSON.stringify([section, sectionKept]);
      if (sections.at(-1)?.key !== key) {
        sections.push({ key, section, sectionKept, rows: "" });
      }
      sections.at(-1).rows += element("tr", row.attrs.kept, this.children(row.content, row));
    });
    return sections.map(({ section, sectionKept, rows }) => element(section, sectionKept, rows)).join("");
  }

  tableCell(node) {
    return this.cell("td", node);
  }

  tableHeader(node) {
    return this.cell("th", node);
  }

  cell(name, node) {
    const { kept, colspan, rowspan } = node.attrs;
    const spans = { ...(colspan > 1 && { colspan }), ...(rowspan > 1 && { rowspan }) };
    const written = Object.fromEntries(Object.entries(spans).map(([key, value]) => [key, String(value)]));
    return element(name, { ...kept, ...written }, this.children(node.content, node));
  }

  // ---- Inline

  inline(nodes) {
    const open = [];
    let written = "";
    const close = (length) => {
      while (open.length > length) {
        written += `</${tagOf(open.pop())}>`;
      }
    };
    nodes.forEach((node, index) => {
      close(open.findIndex((mark) => !mark.isInSet(node.marks)) >>> 0);
      for (const mark of nested(nodes, index).filter((each) => !each.isInSet(open))) {
        open.push(mark);
        written += startTag(tagOf(mark), mark.attrs.kept);
      }
      written += this.leaf(node);
    });
    close(0);
    return written;
  }

  leaf(node) {
    if (node.isText) {
      return escapeText(node.text);
    }
    if (node.type.name === "piece") {
      return this.forClipboard ? element("x-kept", { "data-html": node.attrs.html }, "") : node.attrs.html;
    }
    return startTag(node.type.name === "image" ? "img" : "br", node.attrs.kept);
  }
}

function isAllLists(item) {
  let isAll = true;
  item.forEach((child) => {
    isAll &&= ["bulletList", "orderedList"].includes(child.type.name);
  });
  return isAll;
}

const tagOf = (mark) => mark.attrs.tag;

// What spans more of the text stands outside; among equals, what did so when the text was read.
function nested(nodes, index) {
  const reach = (mark) => {
    let end = index;
    while (end < nodes.length && mark.isInSet(nodes[end].marks)) {
      end += 1;
    }
    return end;
  };
  const depth = (mark) => mark.attrs.depth ?? Infinity;
  const order = nodes[index].marks.map((mark, place) => ({ mark, place, end: reach(mark), depth: depth(mark) }));
  order.sort((a, b) => b.end - a.end || (a.depth === b.depth ? a.place - b.place : a.depth - b.depth));
  return order.map(({ mark }) => mark);
}
