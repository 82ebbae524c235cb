// The form of a key: a field that belongs to one choice is shown with it. Without this file all of them are.
"use strict";
{
    const form = document.getElementById("apikey_form");
    const rows = [...form.querySelectorAll("[data-only]")];

    const show = () => {
        for (const row of rows) {
            const [name, value] = row.dataset.only.split("=");
            row.hidden = form.elements[name].value !== value;
            for (const field of row.querySelectorAll("input")) {
                field.disabled = row.hidden; // what nobody sees is not sent
            }
        }
    };

    form.addEventListener("change", show);
    window.addEventListener("pageshow", show); // a browser may fill in what was chosen before
    show();
}
