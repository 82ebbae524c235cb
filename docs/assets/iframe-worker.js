// Browsers start no worker for a page that was opened from the disk; there the search runs in a hidden frame.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.worker = this;
      this.ready = new Promise((resolve) => this.frame.addEventListener("load", resolve));
      this.frame.srcdoc =
        `<script>postMessage = (data) => frameElement.worker.answer(data)</script><script src="${address}"></script>`;
      document.body.append(this.frame);
    }

    answer(data) {
      this.dispatchEvent(new MessageEvent("message", { data }));
    }

    async postMessage(data) {
      await this.ready;
      this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data }));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
