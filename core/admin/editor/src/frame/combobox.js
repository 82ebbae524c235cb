// A text field with a list of what it finds, after the combobox pattern of the ARIA Authoring Practices. Typing shows
// choices and chooses nothing: only Enter on a choice or a click does.

export class Combobox {
  static #made = 0;
  static #SHOWN = 50; // choices at once, so that a long list costs no more than a short one

  #input;
  #list = document.createElement("ul");
  #status = document.createElement("p");
  #options;
  #rows = [];
  #active = -1;
  #asked = null; // the words of the last search, until the list closes

  /**
   * `find(words)` returns rows {text, note, isDisabled, isChosen}, or a promise of them; `choose(row)` takes one over,
   * and `settle()` puts into the field what is chosen when the list closes. `words`: {found, more}, which says before a
   * number how many were found, and after one how many more there are. With `isFree`, the typed text is a value, too.
   */
  constructor(input, options) {
    this.#input = input;
    this.#options = options;
    this.#list.id = `combobox-${++Combobox.#made}`;
    this.#list.hidden = true;
    this.#list.setAttribute("role", "listbox");
    this.#status.className = "quiet";
    this.#status.setAttribute("role", "status");
    input.setAttribute("role", "combobox");
    input.setAttribute("aria-autocomplete", "list");
    input.setAttribute("aria-controls", this.#list.id);
    input.setAttribute("autocomplete", "off");
    const box = document.createElement("div");
    box.className = "combobox";
    input.before(box);
    box.append(input, this.#list);
    box.after(this.#status);
    this.#close();
    // While an input method composes, the text is not there yet.
    input.addEventListener("input", ({ isComposing }) => isComposing || this.#show(input.value));
    input.addEventListener("compositionend", () => this.#show(input.value));
    input.addEventListener("click", () => options.isFree || this.#show(""));
    input.addEventListener("focus", () => input.select());
    input.addEventListener("blur", () => this.#leave());
    input.addEventListener("keydown", (event) => this.#press(event));
    // Else the field would lose the focus, and close the list before the click.
    this.#list.addEventListener("pointerdown", (event) => event.preventDefault());
    this.#list.addEventListener("click", ({ target }) => {
      this.#take([...this.#list.children].indexOf(target.closest("[role=option]")));
    });
  }

  // Also if nothing was found.
  get #isOpen() {
    return this.#asked !== null;
  }

  #press(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const { isFree } = this.#options;
    if (event.isComposing || (event.key === "Enter" && isFree && this.#active < 0)) {
      return;
    }
    if (step) {
      event.preventDefault();
      if (this.#isOpen) {
        this.#move(step);
      } else {
        this.#show(isFree ? this.#input.value : "");
      }
    } else if (event.key === "Enter" && this.#isOpen) {
      event.preventDefault(); // it would send the form
      this.#take(this.#active);
    } else if (event.key === "Escape" && this.#isOpen) {
      event.preventDefault();
      event.stopPropagation();
      this.#leave();
    }
  }

  async #show(typed) {
    const words = typed.trim();
    this.#asked = words;
    const rows = await this.#options.find(words);
    if (this.#asked !== words) {
      return; // something else was typed since
    }
    if (!rows) {
      this.#close(); // nothing is searched for, or the search failed
      return;
    }
    // Without words, what is chosen is in sight.
    const chosen = words ? 0 : Math.max(0, rows.findIndex((row) => row.isChosen));
    const from = Math.max(0, Math.min(chosen - 5, rows.length - Combobox.#SHOWN));
    this.#rows = rows.slice(from, from + Combobox.#SHOWN);
    this.#list.replaceChildren(...this.#rows.map((row, place) => this.#option(row, place)));
    this.#list.hidden = !this.#rows.length;
    this.#input.setAttribute("aria-expanded", String(!this.#list.hidden));
    const { found, more } = this.#options.words;
    const left = rows.length - this.#rows.length;
    this.#status.textContent = words || left ? `${found} ${rows.length}${left ? ` ${more}` : ""}` : "";
    this.#mark(words ? -1 : this.#rows.findIndex((row) => row.isChosen));
  }

  #option(row, place) {
    const option = document.createElement("li");
    option.id = `${this.#list.id}-${place}`;
    option.textContent = row.text;
    if (row.note) {
      const note = document.createElement("small");
      note.className = "quiet";
      note.textContent = row.note;
      option.className = "row";
      option.append(" ", note);
    }
    option.setAttribute("role", "option");
    option.setAttribute("aria-selected", String(Boolean(row.isChosen)));
    if (row.isDisabled) {
      option.setAttribute("aria-disabled", "true");
    }
    return option;
  }

  #move(step) {
    let place = this.#active;
    do {
      place += step;
    } while (this.#rows[place]?.isDisabled);
    if (this.#rows[place]) {
      this.#mark(place);
    }
  }

  #mark(place) {
    this.#list.children[this.#active]?.classList.remove("is-active");
    this.#active = place;
    const option = this.#list.children[place];
    if (option) {
      option.classList.add("is-active");
      option.scrollIntoView({ block: "nearest" });
      this.#input.setAttribute("aria-activedescendant", option.id);
    } else {
      this.#input.removeAttribute("aria-activedescendant");
    }
  }

  #take(place) {
    const row = this.#rows[place];
    if (row && !row.isDisabled) {
      this.#options.choose(row);
      this.#leave();
    }
  }

  #leave() {
    this.#close();
    this.#options.settle();
  }

  #close() {
    this.#asked = null; // so that an answer on its way opens nothing
    this.#list.hidden = true;
    this.#status.textContent = "";
    this.#input.setAttribute("aria-expanded", "false");
    this.#mark(-1);
  }
}
