// Which other pages of this browser are open, told by themselves: each answers for its own draft.

const CHANNEL = "cms-open-forms";
const PATIENCE = 300; // milliseconds, in which a page that is open has long answered

export class OpenPages {
  /** Answers for the draft of that name as long as this page is open. */
  constructor(name) {
    this.name = name;
    this.others = new Set();
    this.channel = new BroadcastChannel(CHANNEL);
    this.channel.addEventListener("message", ({ data }) => this.heard(data));
  }

  heard({ asks, open }) {
    if (asks) {
      this.channel.postMessage({ open: this.name });
    } else {
      this.others.add(open);
    }
  }

  /** The names of the drafts whose pages are open now. */
  async ask() {
    this.others.clear();
    this.channel.postMessage({ asks: true });
    await new Promise((resolve) => window.setTimeout(resolve, PATIENCE));
    return this.others;
  }
}
