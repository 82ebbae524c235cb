// Code for elements of a page: it runs for those that are there, and for those that a script puts there later.

const known = [];

/** Call `begin(element)` once for each element that the selector matches, now and later. */
export function whenever(selector, begin) {
  const done = new WeakSet();
  const take = (element) => {
    if (!done.has(element)) {
      done.add(element);
      begin(element);
    }
  };
  if (!known.length) {
    new MutationObserver(takeAdded).observe(document.body, { childList: true, subtree: true });
  }
  known.push({ selector, take });
  document.querySelectorAll(selector).forEach(take);
}

function takeAdded(changes) {
  for (const added of changes.flatMap(({ addedNodes }) => [...addedNodes]).filter((node) => node instanceof Element)) {
    for (const { selector, take } of known) {
      if (added.matches(selector)) {
        take(added);
      }
      added.querySelectorAll(selector).forEach(take);
    }
  }
}
