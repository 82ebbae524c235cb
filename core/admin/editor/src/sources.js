// Where files of the site are: the text says "@/…", the browser needs a real address.

const HERE = window.location.origin;
const WHOLE = /^((https?:)?\/)?\//i;
// A server may read other folders out of these than the browser does.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const ODD = /[\u0000-\u0020\\]|%(00|25|2e|2f|5c)|(^|\/)\.{1,2}(\/|$)/i;
// Below these the service itself answers, and perhaps acts; everything else with such an ending is a file of a site.
const OWN = /^\/(admin|api|media|static)(\/|$)/i;
const SHOWN = /\.(avif|bmp|gif|jpe?g|m4[av]|mov|mp[34]|mpe?g|og[agv]|png|wav|webm|webp)$/i;

export class Sources {
  constructor(root) {
    this.root = root;
    this.media = root && new URL("..", new URL(root, HERE)); // the files of all sites
  }

  /** The address to load a picture, film or sound from; empty where it is no file of a site, which is not asked for. */
  shown(address) {
    if (/^data:image\//i.test(address)) {
      return address;
    }
    const whole = address.startsWith("@/") && this.root ? this.root + address.slice(2) : address;
    return WHOLE.test(whole) && !ODD.test(whole.split(/[?#]/, 1)[0]) && URL.canParse(whole, HERE) && this.isFile(new URL(whole, HERE)) ? whole : "";
  }

  isFile({ origin, pathname }) {
    const isUpload = this.media && origin === this.media.origin && pathname.startsWith(this.media.pathname);
    return isUpload || (origin === HERE && !OWN.test(pathname) && SHOWN.test(pathname));
  }
}

/** Whether a browser could load a file from there: a whole address, or one from the root of the host or the site. */
export function isFileAddress(address) {
  return /^(@?\/[^/]|(https?:)?\/\/[^\s/?#]+([/?#]|$))/i.test(address) && URL.canParse(address.replace(/^@/, ""), HERE);
}

/** Whether the address may stand in a text: no script, no data, no other scheme that does something. */
export function isSafeAddress(address) {
  // Browsers pass over control characters and spaces in a scheme.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  const plain = address.replace(/[\u0000-\u0020\u007f-\u009f\u200b]/g, "");
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(plain);
  return !scheme || ["http", "https", "mailto", "tel", "ftp", "sms"].includes(scheme[1].toLowerCase());
}

/** Whether the text is written like an address, and not like words to search for. */
export function isWrittenAddress(text) {
  return /^(@?\/|~\/|[#?.]|[a-z][a-z0-9+.-]*:|www\.)/i.test(text) || /^\S+[./#]\S*$/.test(text);
}
