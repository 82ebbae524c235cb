// What is copied bears all that was kept, so that nothing is lost on the way to another place of the text.

import { holdBack, showStyles } from "./inert.js";
import { serialise } from "./serialise.js";

export const clipboardSerializer = {
  serializeFragment(fragment, { document: target = document } = {}) {
    const holder = target.createElement("div");
    holder.innerHTML = holdBack(serialise(fragment, true));
    showStyles(holder);
    const copied = target.createDocumentFragment();
    copied.append(...holder.childNodes);
    return copied;
  },
};
