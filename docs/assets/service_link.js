// Where a service serves these pages, at /docs/ below its own address, they lead back to its start page. Read from the
// disk or from another host they do not: nothing is known to be there.
"use strict";
{
    const { base } = JSON.parse(document.getElementById("__config").textContent);
    const top = new URL(`${base}/`, location.href);

    // As an entry of the tabs, which wide windows have, or of the drawer of narrow ones.
    const entryOf = (menu) => {
        const [entry, link] = ["li", "a"].map((element) => document.createElement(element));
        entry.className = `md-${menu}__item service-link`;
        link.className = `md-${menu}__link`;
        link.href = new URL("../start/", top).href;
        link.lang = "en";
        link.textContent = "This service";
        entry.append(link);
        return entry;
    };

    if (location.protocol.startsWith("http") && top.pathname.endsWith("/docs/")) {
        document.querySelector(".md-tabs__list").append(entryOf("tabs"));
        document.querySelector(".md-nav--primary > .md-nav__list").append(entryOf("nav"));
    }
}
