"use strict";
// The form of a channel: shows the addresses that come of what is typed, and puts tokens into rules.
{
  const PAUSE = 300; // milliseconds after the last key
  const NAMES = ["channel_name", "index_name", "channel_file_path_rule", "content_file_path_rule", "file_path", "link_url"];
  const box = document.getElementById("addresses");
  const fields = NAMES.map((name) => document.getElementById(`id_${name}`)).filter(Boolean);
  let timer = 0;
  let asked = 0;

  async function show() {
    const params = new URLSearchParams(box.dataset.query);
    for (const field of fields) {
      params.set(field.name, field.value);
    }
    const number = ++asked;
    const { outcome, data } = await window.desk.request(`${box.dataset.address}?${params}`, { retry: show });
    if (outcome === "ok" && number === asked) {
      for (const place of box.querySelectorAll("[data-shows]")) {
        place.textContent = data[place.dataset.shows];
      }
    }
  }

  function offerTokens(field, isOfContents) {
    const offered = document.getElementById("tokens").content.cloneNode(true).firstElementChild;
    if (!isOfContents) {
      offered.querySelectorAll("[data-of-contents]").forEach((each) => each.remove());
    }
    for (const button of offered.querySelectorAll("[data-token]")) {
      button.setAttribute("aria-label", box.dataset.insert.replace("{token}", button.dataset.token));
      button.addEventListener("click", () => {
        field.setRangeText(button.dataset.token, field.selectionStart, field.selectionEnd, "end");
        field.focus();
        field.dispatchEvent(new Event("input", { bubbles: true }));
      });
    }
    field.closest(".form-row").append(offered);
  }

  if (box) {
    const rule = document.getElementById("id_content_file_path_rule");
    rule.closest(".form-row").after(box);
    box.hidden = false;
    offerTokens(document.getElementById("id_channel_file_path_rule"), false);
    offerTokens(rule, true);
    for (const field of fields) {
      field.addEventListener("input", () => {
        clearTimeout(timer);
        timer = setTimeout(show, PAUSE);
      });
    }
    show();
  }
}
