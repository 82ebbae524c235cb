// Sends the forms of a page and shows the result in their place.
for (const form of document.querySelectorAll("form[data-cms-form]:not([data-cms-bound])")) {
  form.setAttribute("data-cms-bound", "");

  const tell = (text, before) => {
    const told = document.createElement("p");
    told.className = "cms-form-message";
    told.tabIndex = -1;
    told.append(text);
    before.before(told);
    return told;
  };

  const show = (answer) => {
    for (const old of form.querySelectorAll(".cms-form-message")) old.remove();
    for (const old of form.querySelectorAll("[aria-invalid]")) old.removeAttribute("aria-invalid");
    if (answer.id) {
      const yes = form.querySelector("template[data-yes]");
      const told = tell(yes ? yes.content : answer.message, form);
      form.remove();
      told.focus();
      return;
    }
    const no = form.querySelector("template[data-no]");
    let first = tell(no ? no.content.cloneNode(true) : answer.message, form.firstChild);
    for (const [name, text] of Object.entries(answer.errors ?? {}).reverse()) {
      const control = form.querySelector(`[name="${CSS.escape(name)}"]`);
      if (!control) {
        tell(text, form.firstChild);
        continue;
      }
      const told = tell(text, control);
      told.id = `${form.id}_${name}_msg`;
      control.setAttribute("aria-invalid", "true");
      control.setAttribute("aria-describedby", told.id);
      first = control;
    }
    first.focus();
  };

  form.addEventListener("submit", async (event) => {
    if (event.defaultPrevented) return; // a script of the theme sends it
    event.preventDefault();
    if (form.hasAttribute("aria-busy")) return;
    form.setAttribute("aria-busy", "true");
    try {
      const response = await fetch(form.getAttribute("action"), {
        method: "POST",
        body: new URLSearchParams(new FormData(form)),
        headers: { Accept: "application/json" },
        credentials: "same-origin", // comments of members
      });
      show(await response.json());
    } catch {
      HTMLFormElement.prototype.submit.call(form); // the next page says what is wrong
    } finally {
      form.removeAttribute("aria-busy");
    }
  });
}
