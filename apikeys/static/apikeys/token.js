// The page that shows a new token, this once: copying, and what "reload" means here.
"use strict";
{
    const section = document.querySelector(".key-token");

    // The page answers a form. Reloading it would send the form again, so it takes the address of the key.
    history.replaceState(null, "", section.dataset.address);

    const select = (node) => {
        const range = document.createRange();
        range.selectNodeContents(node);
        const selection = window.getSelection();
        selection.removeAllRanges();
        selection.addRange(range);
    };

    // Browsers give the clipboard to safe origins only; elsewhere the older way works.
    const copy = async (node) => {
        try {
            await navigator.clipboard.writeText(node.textContent);
            return true;
        } catch {
            select(node);
            return document.execCommand("copy");
        }
    };

    for (const button of section.querySelectorAll("[data-copy]")) {
        button.hidden = false;
        button.addEventListener("click", async () => {
            const done = await copy(document.getElementById(button.dataset.copy));
            document.getElementById("copied").textContent = done ? button.dataset.copied : "";
        });
    }
}
