"use strict";
// Contents in the page of their site: beside the form as they are typed, and two versions beside each other.
{
  const QUIET = 500; // milliseconds without typing
  const QUIET_LARGE = 3000; // for bodies that take long to send
  const LARGE = 500_000; // characters
  const LATEST = 20_000; // milliseconds; then the next update does not wait for the former one
  const SETTLING = 50; // milliseconds for a frame to scroll to where the former one was
  const STORE = "cms-preview";

  const read = (name) => {
    try {
      return window.localStorage.getItem(`${STORE}-${name}`);
    } catch {
      return null;
    }
  };
  const keep = (name, value) => {
    try {
      window.localStorage.setItem(`${STORE}-${name}`, value);
    } catch {
      // Not remembered.
    }
  };

  // ---- Widths

  // A page that is wider than its stage is shown smaller, so that all of it is seen.
  function fit(box) {
    const width = Number(box.querySelector(".preview-widths input:checked").value);
    const stages = Array.from(box.querySelectorAll(".preview-stage"));
    for (const stage of stages.filter((each) => each.clientWidth)) {
      const part = Math.min(stage.clientWidth / width, 1);
      for (const { style } of stage.querySelectorAll("iframe")) {
        style.width = `${width}px`;
        style.height = `${Math.ceil(stage.clientHeight / part)}px`;
        style.transform = part < 1 ? `scale(${part})` : "";
        style.marginInlineStart = `${Math.max(0, (stage.clientWidth - width) / 2)}px`;
      }
    }
  }

  function offerWidths(box) {
    const choice = box.querySelector(".preview-widths");
    const wanted = read("width") || (document.documentElement.clientWidth < 700 ? "390" : "1280");
    for (const input of choice.querySelectorAll("input")) {
      input.checked = input.value === wanted || input.checked;
      input.addEventListener("change", () => {
        keep("width", input.value);
        fit(box);
      });
    }
    choice.hidden = false;
    new ResizeObserver(() => fit(box)).observe(box);
  }

  // ---- Beside the form

  function followForm(pane, form) {
    const opener = form.querySelector("button[data-preview]");
    const stage = pane.querySelector(".preview-stage");
    const isWide = window.matchMedia("(min-width: 1100px)");
    let shown = null;
    let next = null;
    let count = 0;
    let begun = 0;
    let isOutdated = false;
    let timer = 0;
    let scrolled = 0;
    let token = "";

    // Each update gets a frame of its own, so that "Back" does not lead through them. It is shown once it has loaded,
    // and the next one is sent after that: an earlier answer never comes later.
    function update() {
      window.clearTimeout(timer);
      if (!pane.open) {
        return;
      }
      isOutdated = next !== null && performance.now() - begun < LATEST;
      if (isOutdated) {
        return;
      }
      next?.remove();
      begun = performance.now();
      const frame = document.createElement("iframe");
      next = frame;
      count += 1;
      frame.name = `preview-${count}`;
      frame.title = pane.dataset.frameTitle;
      frame.tabIndex = 0;
      frame.className = "is-loading";
      frame.setAttribute("sandbox", pane.dataset.sandbox);
      stage.append(frame);
      fit(pane);
      frame.addEventListener("load", () => {
        frame.contentWindow.postMessage({ scrollTo: scrolled }, "*");
        window.setTimeout(() => show(frame), SETTLING);
      });
      follow(frame);
    }

    // While the session has ended or the service is away, what was shown stays.
    async function follow(frame) {
      const isSent = pane.dataset.website ? await sendToWebsite(frame) : await send(frame);
      if (!isSent) {
        frame.remove();
        next = frame === next ? null : next;
      }
    }

    // The website gets what is typed by the token in the address.
    async function sendToWebsite(frame) {
      const post = new FormData(form);
      post.set("preview_token", token);
      const { outcome, data } = await window.desk.request(pane.dataset.address, { post, retry: update });
      if (outcome === "ok") {
        token = data.token;
        frame.src = data.address;
      }
      return outcome === "ok";
    }

    function show(frame) {
      if (frame !== next) {
        return;
      }
      shown?.remove();
      frame.className = "";
      [shown, next] = [frame, null];
      if (isOutdated) {
        update();
      }
    }

    // `submit()` sends the form as it is, without the events of a button that sends it.
    async function send(frame) {
      const { outcome } = await window.desk.ask(pane.dataset.address, update);
      if (outcome !== "ok" || !frame.isConnected) {
        return false;
      }
      const attributes = { action: pane.dataset.address, enctype: "multipart/form-data", target: frame.name };
      for (const [name, value] of Object.entries(attributes)) {
        form.setAttribute(name, value);
      }
      HTMLFormElement.prototype.submit.call(form);
      for (const name of Object.keys(attributes)) {
        form.removeAttribute(name);
      }
      return true;
    }

    function updateSoon() {
      window.clearTimeout(timer);
      const isLarge = form.elements.body?.value.length > LARGE;
      timer = window.setTimeout(update, isLarge ? QUIET_LARGE : QUIET);
    }

    function open() {
      if (isWide.matches) {
        pane.open = true;
      } else {
        pane.showModal();
      }
      document.body.classList.add("has-preview");
      opener.setAttribute("aria-expanded", "true");
      form.querySelector("[data-editor]")?.editor?.flush();
      update();
    }

    pane.addEventListener("close", () => {
      document.body.classList.remove("has-preview");
      opener.setAttribute("aria-expanded", "false");
      opener.focus();
    });
    pane.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && isWide.matches) {
        toggle();
      }
    });
    window.addEventListener("message", ({ source, data }) => {
      if (source === shown?.contentWindow && Number.isFinite(data?.scrolled)) {
        scrolled = data.scrolled;
      }
    });

    function toggle() {
      if (pane.open) {
        pane.close();
      } else {
        open();
      }
      if (isWide.matches) {
        keep("open", String(pane.open));
      }
    }

    opener.setAttribute("aria-expanded", "false");
    opener.setAttribute("aria-controls", pane.id);
    opener.addEventListener("click", (event) => {
      event.preventDefault();
      toggle();
    });
    pane.querySelector("[data-close]").addEventListener("click", toggle);
    form.addEventListener("input", updateSoon);
    form.addEventListener("change", updateSoon);
    if (isWide.matches && read("open") === "true") {
      open();
    }
  }

  // ---- A link for others

  function offerLink(button) {
    const result = document.getElementById("shared");
    button.hidden = false;
    button.addEventListener("click", async function share() {
      const post = new FormData();
      post.set("csrfmiddlewaretoken", document.querySelector("[name=csrfmiddlewaretoken]").value);
      const { outcome, data } = await window.desk.request(button.dataset.share, { post, retry: share });
      if (outcome !== "ok") {
        return;
      }
      const { address } = data;
      const input = result.querySelector("input");
      input.value = address;
      result.hidden = false;
      input.select();
      try {
        await navigator.clipboard.writeText(address);
      } catch {
        // It is selected, to be copied by hand.
      }
    });
  }

  document.querySelectorAll("[data-share]").forEach(offerLink);
  document.querySelectorAll("[data-preview-widths]").forEach(offerWidths);
  const pane = document.getElementById("preview-pane");
  if (pane) {
    followForm(pane, document.getElementById(pane.dataset.form || "content-form"));
  }
}
