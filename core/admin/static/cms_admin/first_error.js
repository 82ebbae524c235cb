"use strict";
// Begins where the form has to be corrected: the field may be below the window.
const first = document.querySelector(".errors :is(input, select, textarea):not([type=hidden])");
first?.focus();
// Without its style sheets a page cannot move the focus, and autofocus would take it.
addEventListener("load", () => first?.focus());
