"use strict";
// A site template is sent with a bar that shows how much has arrived. Without this file the form sends it.
{
  const form = document.querySelector("form.template-upload");

  function prepare() {
    const file = form.querySelector("input[type=file]");
    const drop = form.querySelector(".drop");
    const errors = form.querySelector(".upload-errors");
    const progress = form.querySelector(".upload-progress");
    const bar = progress.querySelector("progress");
    const news = progress.querySelector("p");
    let sending = null;

    function tell(sentence) {
      progress.hidden = true;
      sending = null;
      errors.textContent = "";
      if (sentence) {
        const line = document.createElement("p");
        line.className = "errornote";
        line.textContent = sentence;
        errors.append(line);
        file.focus();
      }
    }

    function finish(request) {
      const { outcome, data, message } = window.desk.judgeUpload(request);
      if (outcome === "ok" && data.address) {
        window.location.assign(data.address);
      } else {
        tell(data?.message ?? message);
      }
    }

    function send() {
      const request = new XMLHttpRequest();
      sending = request;
      request.open("POST", form.action || window.location.href);
      request.setRequestHeader("Accept", "application/json");
      request.upload.addEventListener("progress", (event) => {
        const percent = event.total ? Math.floor((100 * event.loaded) / event.total) : 0;
        if (percent !== bar.value) {
          bar.value = percent;
          news.textContent = percent < 100 ? `${form.dataset.sending} ${percent} %` : form.dataset.sent;
        }
      });
      request.addEventListener("load", () => finish(request));
      request.addEventListener("error", () => finish(request));
      request.addEventListener("abort", () => tell(""));
      tell("");
      sending = request;
      progress.hidden = false;
      news.textContent = `${form.dataset.sending} 0 %`;
      request.send(new FormData(form));
    }

    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (sending || !file.reportValidity()) {
        return;
      }
      if (file.files[0].size > Number(form.dataset.most)) {
        tell(form.dataset.tooLarge);
      } else {
        send();
      }
    });
    progress.querySelector("button").addEventListener("click", () => sending?.abort());
    form.querySelector(".drop-hint").hidden = false;
    for (const name of ["dragenter", "dragover"]) {
      drop.addEventListener(name, (event) => {
        event.preventDefault();
        drop.classList.add("over");
      });
    }
    drop.addEventListener("dragleave", () => drop.classList.remove("over"));
    drop.addEventListener("drop", (event) => {
      event.preventDefault();
      drop.classList.remove("over");
      if (event.dataTransfer.files.length > 1) {
        tell(form.dataset.several);
      } else if (event.dataTransfer.files.length === 1) {
        file.files = event.dataTransfer.files;
        tell("");
      }
    });
  }

  if (form) {
    prepare();
  }
}
