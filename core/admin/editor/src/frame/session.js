// Signing in changes the CSRF token, so forms that are already open could no longer be submitted. Each page that opens
// gives them its own token, if it belongs to the same administrator.

import { takeFailure } from "./failure.js";
import { user } from "./words.js";

const CHANNEL = "cms-session";
const fields = () => document.querySelectorAll("input[name=csrfmiddlewaretoken]");

export function shareToken() {
  const own = fields()[0]?.value;
  if (!user() || !own) {
    return;
  }
  const channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener("message", ({ data }) => {
    if (data.user !== user()) {
      return;
    }
    for (const field of fields()) {
      field.value = data.token;
    }
    takeFailure();
    window.dispatchEvent(new Event("signedin"));
  });
  channel.postMessage({ user: user(), token: own });
}
