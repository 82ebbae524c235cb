// The page that shows a new token, this once, answers a form. Reloading it would send the form again, so it takes the
// address of the key.
"use strict";
history.replaceState(null, "", document.querySelector(".key-token").dataset.address);
