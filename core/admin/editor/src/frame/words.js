// The words of the frame, which every page of the admin brings along.

import { Words } from "../words.js";

let words = null;

export const frameWords = () => {
  words ??= new Words(document.getElementById("frame-words")?.dataset ?? {});
  return words;
};

/** Whose pages these are; empty before signing in. */
export const user = () => frameWords().spoken.user ?? "";
