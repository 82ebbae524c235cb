// Drafts in the browser: as many as fit, the oldest going first. Each page that is open writes into its own.

const PREFIX = "draft:";
const MOST = 20;
const LARGEST = 2_000_000; // characters of one draft
const ALL = 4_000_000; // of all together; browsers end at about five million
const OLDEST = 30 * 24 * 3600 * 1000; // milliseconds

const names = () => Object.keys(localStorage).filter((name) => name.startsWith(PREFIX));

function parse(text) {
  try {
    const draft = JSON.parse(text);
    return draft && typeof draft.fields === "object" && Number.isFinite(draft.at) ? draft : null;
  } catch {
    return null;
  }
}

/** All drafts, the newest first; what is no draft is taken away. */
export function allDrafts() {
  try {
    return all();
  } catch {
    return []; // the browser keeps nothing for this page
  }
}

function all() {
  const found = names().map((name) => ({ name, size: localStorage.getItem(name).length, draft: parse(localStorage.getItem(name)) }));
  found.filter(({ draft }) => !draft || draft.at < Date.now() - OLDEST).forEach(({ name }) => localStorage.removeItem(name));
  return found.filter(({ draft, name }) => draft && localStorage.getItem(name)).sort((a, b) => b.draft.at - a.draft.at);
}

export class DraftStore {
  /** The drafts of one record and one administrator. */
  constructor(key) {
    this.key = key;
    this.page = crypto.getRandomValues(new Uint32Array(3)).join("-");
    this.name = this.nameOf(this.page);
  }

  nameOf(page) {
    return `${PREFIX}${this.key}#${page}`;
  }

  /** The drafts that other pages of this record left, the newest first. */
  others() {
    return allDrafts().filter(({ name, draft }) => draft.key === this.key && name !== this.name);
  }

  /** Whether it could be kept. */
  keep(draft) {
    const text = JSON.stringify({ ...draft, key: this.key });
    if (text.length > LARGEST) {
      return false;
    }
    try {
      this.makeRoom(text.length);
    } catch {
      return false;
    }
    return this.write(text);
  }

  makeRoom(size) {
    let room = ALL - size;
    all()
      .filter(({ name }) => name !== this.name)
      .forEach((each, index) => {
        room -= each.size;
        if (index >= MOST - 1 || room < 0) {
          localStorage.removeItem(each.name);
        }
      });
  }

  write(text) {
    for (;;) {
      try {
        localStorage.setItem(this.name, text);
        return true;
      } catch {
        const oldest = all().filter(({ name }) => name !== this.name).at(-1);
        if (!oldest) {
          return false;
        }
        localStorage.removeItem(oldest.name);
      }
    }
  }

  drop(name = this.name) {
    try {
      localStorage.removeItem(name);
    } catch {
      // the browser keeps nothing for this page
    }
  }
}
