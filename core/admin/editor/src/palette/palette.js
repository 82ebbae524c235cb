const PAUSE = 120; // milliseconds without typing before a request
const OK = "ok";
const THEME = "#theme-";

export class Palette {
  #dialog;
  #input;
  #list;
  #status;
  #given;
  #options = [];
  #active = -1;
  #asked = null; // the words whose results are shown, or requested
  #timer = 0;
  #isBusy = false;
  #wanted = null; // Enter was pressed before there were results

  /** `request(address, options)` as in frame/request.js; `recent()` returns elements to show without words. */
  constructor(dialog, given) {
    this.#dialog = dialog;
    this.#given = given;
    this.#input = dialog.querySelector("input");
    this.#list = dialog.querySelector("[role=listbox]");
    this.#status = dialog.querySelector("[role=status]");
    this.#input.addEventListener("input", (event) => event.isComposing || this.#hear());
    this.#input.addEventListener("compositionend", () => this.#hear());
    this.#input.addEventListener("keydown", (event) => this.#press(event));
    // The field keeps the focus.
    this.#list.addEventListener("pointerdown", (event) => event.preventDefault());
    this.#list.addEventListener("pointermove", ({ target }) => this.#mark(this.#options.indexOf(target.closest("a")), false));
    this.#list.addEventListener("click", (event) => this.#click(event));
    dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close());
    dialog.querySelector("button").addEventListener("click", () => dialog.close());
  }

  /** Show what belongs to the words in the field. */
  show() {
    this.#asked = null;
    this.#hear(0);
  }

  #hear(pause = PAUSE) {
    const words = this.#input.value.trim().replace(/\s+/g, " ");
    if (words === this.#asked) {
      return;
    }
    window.clearTimeout(this.#timer);
    this.#asked = words;
    this.#wanted = null;
    this.#isBusy = Boolean(words);
    if (words) {
      this.#timer = window.setTimeout(() => this.#ask(words), pause);
    } else {
      this.#fill(this.#given.recent(), "");
    }
  }

  async #ask(words) {
    const address = `${this.#dialog.dataset.address}?part&q=${encodeURIComponent(words)}`;
    const { outcome, data, message } = await this.#given.request(address, { text: true, isQuiet: true });
    if (this.#asked !== words) {
      return; // something else was typed since
    }
    this.#isBusy = false;
    if (outcome !== OK) {
      this.#asked = null; // the same words are asked again
      this.#fill([], message);
      return;
    }
    const found = new DOMParser().parseFromString(data, "text/html").querySelector(".found");
    this.#fill([...found.children], found.dataset.told);
    if (this.#wanted && this.#options.length) {
      this.#open(this.#wanted);
    }
  }

  #fill(groups, told) {
    this.#list.replaceChildren(...groups);
    groups.forEach((group, number) => {
      const heading = group.querySelector("h2");
      heading.id = `palette-group-${number}`;
      group.setAttribute("role", "group");
      group.setAttribute("aria-labelledby", heading.id);
      for (const element of group.querySelectorAll("h2, ul, li")) {
        element.setAttribute("role", "presentation");
      }
    });
    this.#options = [...this.#list.querySelectorAll("a")];
    this.#options.forEach((option, number) => {
      option.id = `palette-option-${number}`;
      option.tabIndex = -1;
      option.setAttribute("role", "option");
      option.setAttribute("aria-selected", "false");
    });
    this.#list.hidden = !this.#options.length;
    this.#input.setAttribute("aria-expanded", String(!this.#list.hidden));
    this.#status.textContent = told;
    this.#list.scrollTop = 0;
    this.#active = -1;
    this.#mark(0);
  }

  #mark(number, isSeen = true) {
    if (number === this.#active || (number < 0 && !isSeen)) {
      return;
    }
    this.#options[this.#active]?.setAttribute("aria-selected", "false");
    this.#active = number;
    const option = this.#options[number];
    if (!option) {
      this.#input.removeAttribute("aria-activedescendant");
      return;
    }
    option.setAttribute("aria-selected", "true");
    this.#input.setAttribute("aria-activedescendant", option.id);
    if (isSeen) {
      option.scrollIntoView({ block: "nearest" });
    }
  }

  #press(event) {
    if (event.isComposing || event.keyCode === 229) {
      return; // the key belongs to the input method
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && this.#options.length) {
      event.preventDefault();
      this.#mark((this.#active + step + this.#options.length) % this.#options.length);
    } else if (event.key === "Enter") {
      event.preventDefault();
      const wanted = { isElsewhere: event.ctrlKey || event.metaKey };
      if (this.#isBusy) {
        this.#wanted = wanted;
      } else {
        this.#open(wanted);
      }
    }
  }

  #open({ isElsewhere }) {
    this.#wanted = null;
    const option = this.#options[this.#active];
    if (isElsewhere && option && !this.#themeOf(option)) {
      window.open(option.href, "_blank", "noopener");
    } else {
      option?.click();
    }
  }

  #click(event) {
    const link = event.target.closest("a");
    if (!link) {
      return;
    }
    const theme = this.#themeOf(link);
    if (theme) {
      event.preventDefault();
      // As Django's theme.js does.
      document.documentElement.dataset.theme = theme;
      localStorage.setItem("theme", theme);
    }
    if (theme || !(event.ctrlKey || event.metaKey || event.shiftKey)) {
      this.#dialog.close(); // the address may be on this page
    }
  }

  #themeOf(link) {
    const address = link.getAttribute("href");
    return address.startsWith(THEME) ? address.slice(THEME.length) : "";
  }
}
