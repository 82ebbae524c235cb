// What each person opened last in this browser, until they sign out.

import { user } from "./words.js";

const MOST = 9;
const key = () => `cms-opened:${user()}`;

/** The last ones first: [{url, title, kind}]. */
export function opened() {
  try {
    return JSON.parse(localStorage.getItem(key())) ?? [];
  } catch {
    return [];
  }
}

export function remember(row) {
  const rows = [row, ...opened().filter(({ url }) => url !== row.url)];
  try {
    localStorage.setItem(key(), JSON.stringify(rows.slice(0, MOST)));
  } catch {
    // No space, or not allowed.
  }
}

export const forget = () => localStorage.removeItem(key());
