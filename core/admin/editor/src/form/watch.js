// Asks now and then whether somebody else has saved the record meanwhile, while the page is seen and in use.

import { make } from "../dom.js";
import { signIn } from "../frame/failure.js";
import { OK, REFUSED, request, SIGNED_OUT } from "../frame/request.js";

const EVERY = 30_000; // milliseconds
const SOONEST = 5_000; // between two questions, whatever calls for them
// Asking prolongs a sign-in, and a page that was left alone shall not.
const IN_USE = 5 * 60_000;

export function watchVersion({ address, version, words, notices, differences }) {
  let known = Number(version);
  let asked = 0;
  let used = Date.now();
  let timer = null;
  let isOver = false;

  const isDue = () => !document.hidden && !isOver && Date.now() - asked >= SOONEST && Date.now() - used < IN_USE;

  async function ask() {
    if (!isDue()) {
      return;
    }
    asked = Date.now();
    const { outcome, status, data, message } = await request(address, { isQuiet: true });
    if (status === 404) {
      isOver = true;
      notices.tell("version", words.say("record_gone"));
    } else if (outcome === SIGNED_OUT) {
      notices.tell("version", [words.say("signed_out"), " ", signIn()]);
    } else if (outcome === REFUSED) {
      notices.tell("version", message);
    } else if (outcome === OK) {
      show(data);
    } // without a connection the next time will tell
  }

  function show({ version: current, user_name: name, at }) {
    if (current === known) {
      if (known === Number(version)) {
        notices.take("version");
      }
      return;
    }
    known = current;
    // Times are those of the server, without a zone: they are shown as they are.
    const text = words.say("saved_by_other", { name: name || "?", time: (at || "").slice(11, 16) || at });
    const link = differences ? make("a", { href: differences, target: "_blank", rel: "noopener" }, words.say("show_differences")) : "";
    notices.tell("version", [text, " ", link]);
  }

  const schedule = () => {
    window.clearInterval(timer);
    timer = document.hidden || isOver ? null : window.setInterval(ask, EVERY);
  };
  const use = () => {
    const wasIdle = Date.now() - used >= IN_USE;
    used = Date.now();
    if (wasIdle) {
      ask();
    }
  };
  document.addEventListener("visibilitychange", () => {
    schedule();
    use();
    ask();
  });
  window.addEventListener("focus", ask);
  window.addEventListener("signedin", () => {
    asked = 0;
    ask();
  });
  for (const name of ["keydown", "pointerdown"]) {
    document.addEventListener(name, use, { capture: true, passive: true });
  }
  schedule();
}
