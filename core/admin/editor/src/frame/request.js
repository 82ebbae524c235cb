// Requests of scripts. Each ends in one of four outcomes, and the page says which unless the caller does.

import { showFailure, takeFailure } from "./failure.js";
import { frameWords } from "./words.js";

export const OK = "ok";
export const SIGNED_OUT = "signedOut";
export const REFUSED = "refused";
export const LOST = "lost";

/**
 * Send a request and return `{ outcome, status, data, message }`; never throws. `post` is the body of a POST. With `retry`, a
 * function, the page offers to try again; a quiet request leaves it to the caller to say what happened.
 */
export async function request(address, { post, headers = {}, text = false, retry = null, isQuiet = false, keepalive = false } = {}) {
  const options = { headers: { Accept: text ? "text/html" : "application/json", ...headers }, cache: "no-store", keepalive };
  if (post) {
    Object.assign(options, { method: "POST", body: post });
  }
  return send(address, options, { text, retry, isQuiet });
}

/** Ask whether a form that goes to a frame would be answered: the frame cannot tell a preview from an error. */
export const ask = (address, retry) => send(address, { method: "HEAD", cache: "no-store" }, { text: true, retry });

async function send(address, options, { text, retry, isQuiet = false }) {
  let answer;
  try {
    const response = await fetch(address, options);
    answer = judge({ status: response.status, isRedirected: response.redirected, text: await response.text() }, text);
  } catch {
    answer = lost();
  }
  if (answer.outcome === OK) {
    takeFailure();
  } else if (!isQuiet) {
    showFailure(answer, retry);
  }
  return answer;
}

/** The outcome of a response. Signed out, the service redirects to its sign-in page, which is no answer. */
export function judge({ status, isRedirected, text }, isText = false) {
  const data = isText ? text : parse(text);
  if (status === 401 || isRedirected) {
    return { outcome: SIGNED_OUT, status, message: frameWords().say("signedOut") };
  }
  const { message } = parse(text) ?? {};
  const told = typeof message === "string" ? message : null;
  if (status >= 500 || status === 0 || (status < 400 && data === null)) {
    return { ...lost(status), ...(told && { message: told }) };
  }
  if (status >= 400) {
    return { outcome: REFUSED, status, data, message: told ?? frameWords().say("refused") };
  }
  return { outcome: OK, status, data };
}

/** The outcome of an upload, which only an XMLHttpRequest tells how far it is. */
export const judgeUpload = ({ status, responseText, responseURL }) => judge({ status, isRedirected: /\/login\/\?/.test(responseURL), text: responseText });

const lost = (status = 0) => ({ outcome: LOST, status, message: frameWords().say("lost") });

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
