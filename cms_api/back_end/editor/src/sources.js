// Where files of the site are: the text says "@/…", the browser needs a real address.

const HERE = window.location.origin;

export class Sources {
  constructor(root) {
    this.root = root;
    this.origins = new Set([HERE, new URL(root, HERE).origin]);
  }

  /** The address to load a picture from; empty where the page may not load it. */
  shown(address) {
    if (address.startsWith("@/")) {
      return this.root + address.slice(2);
    }
    if (/^data:image\//i.test(address)) {
      return address;
    }
    const isWhole = /^(https?:)?\/\//i.test(address) || address.startsWith("/");
    return isWhole && URL.canParse(address, HERE) && this.origins.has(new URL(address, HERE).origin) ? address : "";
  }
}

/** Whether the address may stand in a text: no script, no data, no other scheme that does something. */
export function isSafeAddress(address) {
  // Browsers pass over control characters and spaces in a scheme.
  const plain = address.replace(/[\u0000-\u0020\u007f-\u009f\u200b]/g, "");
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(plain);
  return !scheme || ["http", "https", "mailto", "tel", "ftp", "sms"].includes(scheme[1].toLowerCase());
}
