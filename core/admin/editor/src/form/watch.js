// Asks now and then whether somebody else has saved the record meanwhile, while the page is seen and in use.

import { make } from "../dom.js";

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
    let answer;
    try {
      answer = await fetch(address, { headers: { Accept: "application/json" }, cache: "no-store" });
    } catch {
      return; // no connection; the next time will tell
    }
    await told(answer);
  }

  async function told(answer) {
    if (answer.status === 404) {
      isOver = true;
      notices.tell("version", words.say("record_gone"));
    } else if (answer.redirected || [401, 403].includes(answer.status)) {
      const again = make("a", { href: window.location.pathname + window.location.search, target: "_blank", rel: "noopener" }, words.say("sign_in_again"));
      notices.tell("version", [words.say("signed_out"), " ", again]);
    } else if (answer.ok) {
      show(await answer.json().catch(() => ({})));
    }
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
  for (const name of ["keydown", "pointerdown"]) {
    document.addEventListener(name, use, { capture: true, passive: true });
  }
  schedule();
}
