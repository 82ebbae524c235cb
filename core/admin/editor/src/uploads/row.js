// One file on its way: its name, its size, how far it is; to be cancelled, and tried again after a failure.

import { button, make } from "../dom.js";
import { signIn } from "../frame/failure.js";
import { SIGNED_OUT } from "../frame/request.js";

/** Sends the file and shows it; `done` is called with the server's answer, `gone` when it was given up. */
export function sendShown(transfer, { done, gone }) {
  const { file, words } = transfer;
  const name = make("span", { class: "editor-upload-name" }, `${file.name || words.say("picture")} (${words.size(file.size)})`);
  const bar = make("progress", { max: "1", value: "0", "aria-label": words.say("uploading", { name: file.name }) });
  const problem = make("span", { class: "editor-problem", role: "alert" });
  const cancel = button(words.say("cancel"), () => transfer.cancel());
  const retry = button(words.say("retry"), () => run());
  retry.hidden = true;
  const row = make("span", { class: "editor-upload", contenteditable: "false" }, name, bar, problem, retry, cancel);
  transfer.onProgress = (part) => {
    bar.value = part;
  };

  async function run() {
    bar.hidden = false;
    retry.hidden = true;
    problem.textContent = "";
    row.dataset.state = "running";
    try {
      const answer = await transfer.start();
      row.remove();
      (answer ? done : gone)(answer);
    } catch (error) {
      bar.hidden = true;
      retry.hidden = false;
      row.dataset.state = "failed";
      problem.replaceChildren(error.message, " ", error.outcome === SIGNED_OUT ? signIn() : "");
      cancel.onclick = () => {
        row.remove();
        gone(null);
      };
    }
  }
  run();
  return row;
}
