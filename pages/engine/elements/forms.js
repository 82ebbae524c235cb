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

  // The service protects the form from robots by a token that counts after some seconds, and a proof or a question.
  let admitted;
  const prepare = async () => {
    if (form.elements._token) return { from: 3000 }; // the page has just been made
    const address = new URL(form.getAttribute("action"), document.baseURI);
    if (!address.pathname.includes("/_forms/")) return { from: 0 }; // comments have no token
    const response = await fetch(`${address}/token`, { credentials: "same-origin" });
    const { token, wait, proof, captcha } = await response.json();
    const button = form.querySelector("[type=submit], [type=image]");
    if (captcha) button.insertAdjacentHTML("beforebegin", captcha);
    const solved = proof && import(new URL("proof.js", address)).then(({ solve }) => solve(proof));
    solved?.catch(() => {}); // whoever sends waits for it
    return { token, from: performance.now() + wait * 1000, solved };
  };
  const admit = () => {
    admitted ??= prepare().catch((error) => {
      admitted = undefined;
      throw error;
    });
    return admitted;
  };
  form.addEventListener("focusin", () => { admit().catch(() => {}); }, { once: true });

  // Returns nothing if the visitor has a question to answer.
  const send = async () => {
    const { token, from, solved } = await admit();
    const question = form.elements._captcha;
    if (question && !question.reportValidity()) return undefined;
    const proof = await solved;
    await new Promise((resolve) => setTimeout(resolve, from - performance.now()));
    const sent = new FormData(form);
    const body = form.getAttribute("enctype") === "multipart/form-data" ? sent : new URLSearchParams(sent);
    if (token) body.set("_token", token);
    if (proof) body.set("_proof", proof);
    const headers = { Accept: "application/json" };
    const action = form.getAttribute("action");
    const response = await fetch(action, { method: "POST", body, headers, credentials: "same-origin" });
    return response.json();
  };

  form.addEventListener("submit", async (event) => {
    if (event.defaultPrevented) return; // a script of the theme sends it
    event.preventDefault();
    if (form.hasAttribute("aria-busy")) return;
    const tooLarge = [...form.querySelectorAll("input[data-most]")].filter((input) =>
      [...input.files].some((file) => file.size > input.dataset.most),
    );
    if (tooLarge.length) {
      const told = tooLarge.map((input) => [input.name, input.dataset.tooLarge]);
      show({ message: told[0][1], errors: Object.fromEntries(told) });
      return;
    }
    form.setAttribute("aria-busy", "true");
    try {
      let answer = await send();
      if (/^form_(token|proof|captcha)_/.test(answer?.code)) {
        for (const old of form.querySelectorAll(".cms-form-guard")) old.remove();
        admitted = undefined;
        await admit();
        if (!form.elements._captcha) answer = await send();
      }
      if (answer) show(answer);
    } catch {
      HTMLFormElement.prototype.submit.call(form); // the next page says what is wrong
    } finally {
      form.removeAttribute("aria-busy");
    }
  });
}
