// A page that shows a secret, this once, answers a form. Reloading it would send the form again, so it takes the address of
// the page that the secret belongs to.
"use strict";
history.replaceState(null, "", document.querySelector("[data-shown-at]").dataset.shownAt);
