"use strict";
// Begins where the form has to be corrected: the field may be below the window.
document.querySelector(".errors :is(input, select, textarea):not([type=hidden])")?.focus();
