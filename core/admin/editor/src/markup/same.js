// Whether two texts are the same page: the same elements, attributes and words, whatever their spelling.

import { isBlock, isKnown, nameOf, parse } from "./elements.js";
import { declarations } from "./kept.js";

/** Whether nothing but spelling differs. */
export const isSame = (one, other) => canonical(one) === canonical(other);

/** A text that is equal for equal pages. */
export function canonical(html) {
  const written = [];
  write(parse(html), written, false);
  return written.join("\n");
}

const style = (value) => declarations(value).map((pair) => pair.join(":")).join(";");
const VALUES = { "x-held-style": style, class: (value) => value.trim().split(/\s+/).join(" ") };

function signature(node) {
  const attributes = [...node.attributes]
    .map(({ name, value }) => `${name}=${JSON.stringify((VALUES[name] || String)(value))}`)
    .filter((text) => text !== 'x-held-style=""' && text !== 'colspan="1"' && text !== 'rowspan="1"');
  return [nameOf(node), ...attributes.sort()].join(" ");
}

function write(parent, written, isExact) {
  let run = [];
  for (const node of [...parent.childNodes, null]) {
    if (node && !isBlock(node)) {
      leaves(node, [], run);
      continue;
    }
    writeRun(run, written, isExact);
    run = [];
    if (node) {
      written.push(`<${signature(node)}>`);
      write(node, written, isExact || nameOf(node) === "pre");
      written.push(`</${nameOf(node)}>`);
    }
  }
}

function leaves(node, path, run) {
  if (node.nodeType === 3) {
    run.push([path.join(">"), node.data]);
  } else if (node.nodeType === 8) {
    run.push(["comment", `\0${node.data}`]);
  } else if (["br", "img"].includes(nameOf(node))) {
    run.push([path.join(">"), `\0${signature(node)}`]);
  } else if (nameOf(node) === "x-kept") {
    run.push([path.join(">"), `\0${node.getAttribute("data-html")}`]);
  } else if (!isKnown(node)) {
    run.push([path.join(">"), `\0${node.outerHTML}`]);
  } else {
    const own = signature(node);
    const below = own === nameOf(node) && path.includes(own) ? path : [...path, own];
    if (!node.childNodes.length && node.attributes.length) {
      run.push([path.join(">"), `\0${own}`]);
    }
    node.childNodes.forEach((child) => leaves(child, below, run));
  }
}

// Spaces belong to no element; of several in a row one shows.
function writeRun(run, written, isExact) {
  const parts = [];
  const add = (path, text) => {
    const last = parts.at(-1);
    if (last && last[0] === path && !text.startsWith("\0") && !last[1].startsWith("\0")) {
      last[1] += text;
    } else {
      parts.push([path, text]);
    }
  };
  for (const [path, text] of run) {
    if (isExact || text.startsWith("\0")) {
      add(path, text);
      continue;
    }
    for (const word of text.split(/([ \t\r\n\f]+)/).filter(Boolean)) {
      const isSpace = /^[ \t\r\n\f]/.test(word);
      const isFirst = !parts.length || parts.at(-1)[1] === " " || parts.at(-1)[1].startsWith("\0br");
      if (!isSpace) {
        add(path, word);
      } else if (!isFirst) {
        parts.push(["", " "]);
      }
    }
  }
  if (!isExact && parts.at(-1)?.[1] === " ") {
    parts.pop();
  }
  const withoutSpaces = parts.filter(
    ([, text], index) => text !== " " || !parts[index + 1]?.[1].startsWith("\0br"),
  );
  written.push(...withoutSpaces.map(([path, text]) => JSON.stringify([path, text])));
}
