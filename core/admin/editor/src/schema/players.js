// Films, sounds and embedded pages as they are seen in the editor: a player where the page may load the file, else a
// frame that names it. Pages of other services are never loaded.

import { icon, make } from "../dom.js";
import { nameOf, parse } from "../markup/elements.js";
import { keep, shown } from "../markup/kept.js";

const KINDS = ["video", "audio", "iframe"];
const PLAYED = /^<(video|audio)\b/i;
const MOST_PLAYERS = 50; // in a text: each costs the browser memory, whether it plays or not
const MOST_TOLD = 80; // characters of an address without a host

/** What is drawn for the HTML of a piece; null where it is no film, sound or embedded page. */
export function drawPlayer(html, { label, sources, hasRoom }) {
  const element = KINDS.some((name) => html.toLowerCase().startsWith(`<${name}`)) ? parse(html).firstElementChild : null;
  if (!element || !KINDS.includes(nameOf(element))) {
    return null;
  }
  const kind = nameOf(element);
  const address = kind !== "iframe" ? sources.shown(addressOf(element)) : "";
  const isPlayed = address && !/^data:/i.test(address) && hasRoom();
  const screen = isPlayed ? playerOf(kind, address, label) : stage(element, kind);
  size(screen, element, kind);
  return make("span", { class: `editor-player editor-player-${kind}` }, make("span", { class: "editor-player-name" }, label), screen);
}

/** Whether so few films and sounds stand before the place that one there may have a player. */
export function hasRoomFor(doc, place) {
  if (!lastPlaces.has(doc)) {
    lastPlaces.set(doc, places(doc)[MOST_PLAYERS - 1] ?? Infinity);
  }
  return place <= lastPlaces.get(doc);
}

const lastPlaces = new WeakMap(); // of players, by the document: else a text of many would be gone through for each

function places(doc) {
  const found = [];
  doc.descendants((node, at) => {
    if (node.type.name === "piece" && PLAYED.test(node.attrs.html)) {
      found.push(at);
    }
  });
  return found;
}

const addressOf = (element) =>
  [element, ...element.querySelectorAll("source")].map((each) => each.getAttribute("src")).find(Boolean) || "";

const playerOf = (kind, src, label) =>
  make(kind, { src, controls: true, preload: "none", tabindex: "-1", "aria-label": label });

const stage = (element, kind) =>
  make("span", { class: "editor-player-stage" }, icon(`player_${kind}`), make("span", {}, element.getAttribute("title") || hostOf(addressOf(element))));

function hostOf(address) {
  const whole = address.startsWith("//") ? `https:${address}` : address;
  return (URL.canParse(whole) && new URL(whole).host) || address.slice(0, MOST_TOLD);
}

// As large as it will be on its page; the style sheet keeps it within the text.
function size(screen, element, kind) {
  const { width = "", height = "" } = shown(keep(element));
  for (const [name, value] of Object.entries({ width, ...(kind !== "audio" && { height }) })) {
    if (/^\d{1,4}(px|%)?$/.test(value)) {
      screen.style[name] = /^\d+$/.test(value) ? `${value}px` : value;
    }
  }
}
