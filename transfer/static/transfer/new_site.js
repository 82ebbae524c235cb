"use strict";
// The wizard: a folder is looked at while it is typed. All of it works without this file.
{
  const PAUSE = 350; // milliseconds without a key, until the folder is looked at
  const place = document.querySelector(".folder-check");
  const form = document.querySelector("form.wizard");

  function watchFolder() {
    const folder = document.getElementById("id_site_dir");
    const parent = document.getElementById("id_parent");
    const root = document.getElementById("id_is_root");
    const news = document.createElement("p");
    news.className = "folder-news";
    news.setAttribute("role", "status");
    folder.after(news);
    let waiting = 0;
    let latest = 0;

    async function look() {
      const number = ++latest;
      const query = new URLSearchParams({ site_dir: folder.value.trim(), parent: parent.value });
      if (root.checked) {
        query.set("is_root", "on");
      }
      if (!folder.value.trim()) {
        news.textContent = "";
        return;
      }
      const { outcome, data } = await window.desk.request(`${place.dataset.check}?${query}`, { retry: look });
      if (number === latest) {
        news.textContent = outcome === "ok" ? data.problem || place.dataset.free : "";
        news.classList.toggle("problem", Boolean(data?.problem));
      }
    }

    function lookSoon() {
      window.clearTimeout(waiting);
      waiting = window.setTimeout(look, PAUSE);
    }

    for (const field of [folder, parent, root]) {
      field.addEventListener("input", lookSoon);
    }
  }

  if (place) {
    watchFolder();
  }
  if (form) {
    const wrong = form.querySelector(".errors input, .errors select, .errors textarea");
    if (wrong) {
      wrong.focus();
    }
  }
}
