"use strict";
// The filters of a list: an empty field is not sent, another site forgets the channel of the one before.
for (const form of document.querySelectorAll("form[data-filters]")) {
  const site = form.elements.site__id__exact;
  const channel = form.elements.channel__id__exact;
  if (site && channel && site !== channel) {
    site.addEventListener("change", () => {
      channel.value = "";
      channel.disabled = true;
    });
  }
  form.addEventListener("submit", () => {
    for (const field of form.elements) {
      if (field.name && field.value === "") {
        field.disabled = true;
      }
    }
  });
  // Whoever comes back to the page finds the fields as they were.
  window.addEventListener("pageshow", () => {
    for (const field of form.elements) {
      field.disabled = false;
    }
  });
}
