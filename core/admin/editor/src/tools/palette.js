// The colours to choose from.

import { button, make } from "../dom.js";
import { PALETTE } from "./colours.js";

export function palette({ words, value, choose }) {
  const swatch = ([name, colour]) => {
    const chip = make("button", {
      type: "button",
      class: "editor-swatch",
      title: words.say(`colour_${name}`),
      "aria-label": words.say(`colour_${name}`),
      "aria-pressed": String(value.toLowerCase() === colour),
      click: () => choose(colour),
    });
    chip.style.backgroundColor = colour;
    return chip;
  };
  const other = make("input", { type: "color", value: /^#[\da-f]{6}$/i.test(value) ? value : "#1a6fd4", "aria-label": words.say("other_colour") });
  return make(
    "div",
    { class: "editor-palette" },
    make("div", { class: "editor-swatches", role: "group" , "aria-label": words.say("colours") }, ...PALETTE.map(swatch)),
    make("div", { class: "editor-other" }, make("label", {}, words.say("other_colour"), " ", other), button(words.say("apply"), () => choose(other.value))),
    button(words.say("no_colour"), () => choose("")),
  );
}
