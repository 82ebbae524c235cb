// Sends files to the server, a few at a time, and tells how far they are.

import { judgeUpload, OK } from "../frame/request.js";

const AT_ONCE = 3;
const waiting = [];
const running = new Set();

window.addEventListener("beforeunload", (event) => {
  if (running.size || waiting.length) {
    event.preventDefault();
  }
});

/** What kind of file the server is asked to take. */
export function kindOf(file) {
  if (/\.(heic|heif)$/i.test(file.name)) {
    return "image"; // most systems do not know the type
  }
  const [family] = file.type.split("/");
  return { image: "image", video: "video", audio: "video" }[family] || "file";
}

/** Sends one file to an address, as soon as others leave room. */
export class Transfer {
  constructor(file, { address, kind, token, words, onProgress = () => {} }) {
    Object.assign(this, { file, address, kind, token, words, onProgress });
  }

  /** What the server answered; an Error with words for people, or null when it was cancelled. */
  start() {
    return new Promise((resolve, reject) => {
      Object.assign(this, { resolve, reject });
      waiting.push(this);
      sendNext();
    });
  }

  cancel() {
    const place = waiting.indexOf(this);
    if (place >= 0) {
      waiting.splice(place, 1);
    }
    this.request?.abort();
    this.resolve?.(null);
  }

  send() {
    const request = new XMLHttpRequest();
    const form = new FormData();
    form.append("file", this.file);
    form.append("kind", this.kind);
    request.open("POST", this.address);
    request.setRequestHeader("X-CSRFToken", this.token);
    request.setRequestHeader("Accept", "application/json");
    request.upload.addEventListener("progress", ({ loaded, total }) => this.onProgress(total ? loaded / total : 0));
    request.addEventListener("load", () => this.finish(request));
    request.addEventListener("error", () => this.finish(request));
    request.addEventListener("loadend", () => {
      running.delete(this);
      sendNext();
    });
    this.request = request;
    running.add(this);
    request.send(form);
  }

  finish(request) {
    const { outcome, status, data, message } = judgeUpload(request);
    if (outcome === OK && typeof data.address === "string") {
      this.resolve(data);
    } else {
      const told = data?.message || (status === 413 ? this.words.say("upload_too_large") : message);
      this.reject(Object.assign(new Error(told), { outcome }));
    }
  }
}

function sendNext() {
  while (waiting.length && running.size < AT_ONCE) {
    waiting.shift().send();
  }
}
