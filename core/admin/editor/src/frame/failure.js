// What became of a request that failed, in a corner of the page: one at a time.

import { button, make } from "../dom.js";
import { frameWords } from "./words.js";

const shown = () => document.querySelector(".request-failure");
let tryAgain = null;

/** Show the failure, with a link to sign in or a button that tries again. The same once more is not read aloud again. */
export function showFailure({ outcome, message }, retry = null) {
  const words = frameWords();
  tryAgain = retry;
  if (shown()?.dataset.outcome === outcome && shown().firstChild.textContent === message) {
    return;
  }
  takeFailure();
  const again = () => {
    takeFailure();
    tryAgain();
  };
  const way = outcome === "signedOut" ? signIn() : retry && outcome === "lost" ? button(words.say("again"), again) : "";
  const failure = make("div", { class: "request-failure", role: "alert", "data-outcome": outcome }, make("p", {}, message), way, button(words.say("close"), takeFailure));
  (document.querySelector("dialog[open]") ?? document.body).append(failure); // a modal dialog covers the rest of the page
}

export const takeFailure = () => shown()?.remove();

/** A link that signs in in a new window, which leaves this page and what is typed in it as they are. */
export const signIn = () =>
  make("a", { href: window.location.pathname + window.location.search, target: "_blank", rel: "noopener" }, frameWords().say("signIn"));
