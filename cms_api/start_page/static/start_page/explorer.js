// Shows the API's document with Swagger UI, at the colours of the page, and calls the server that the page came from.
"use strict";
{
    const place = document.getElementById("explorer");
    const prefix = place.dataset.prefix;

    const followColours = () => {
        const root = document.documentElement;
        const system = window.matchMedia("(prefers-color-scheme: dark)");
        const apply = () => {
            const isChosen = root.dataset.theme === "dark" || root.dataset.theme === "light";
            root.classList.toggle("dark-mode", isChosen ? root.dataset.theme === "dark" : system.matches);
        };
        new MutationObserver(apply).observe(root, { attributeFilter: ["data-theme"] });
        system.addEventListener("change", apply);
        apply();
    };

    // Whatever the document says: the server of this page, also below a prefix and through HTTPS.
    const serverOf = (spec) => {
        const isWhole = Object.keys(spec.paths).some((path) => path.startsWith("/api/v1"));
        return isWhole ? prefix.replace(/\/$/, "") || "/" : `${prefix}api/v1`;
    };

    // A key is sent in its header, since addresses are kept in logs and histories: one field to paste it, not two.
    const withoutKeysInQueries = (spec) => {
        const schemes = Object.entries(spec.components?.securitySchemes || {});
        const kept = schemes.filter(([, scheme]) => scheme.in !== "query");
        const names = new Set(kept.map(([name]) => name));
        const choose = (ways) => ways?.filter((way) => Object.keys(way).every((name) => names.has(name)));
        for (const operations of Object.values(spec.paths)) {
            for (const operation of Object.values(operations).filter((each) => each.security)) {
                operation.security = choose(operation.security);
            }
        }
        const components = { ...spec.components, securitySchemes: Object.fromEntries(kept) };
        return { ...spec, components, ...(spec.security && { security: choose(spec.security) }) };
    };

    // What the document says of the whole API is long, and comes when it is asked for. A path is part of the button that
    // opens its call, where Swagger UI has a link; the address follows the call that is open all the same. The button to
    // execute a call comes when what the call refers to is known: pressed before, it would wait for ever.
    const parts = ({ React: { createElement } }) => ({
        wrapComponents: {
            InfoContainer: (Original) => (given) =>
                createElement(
                    "details",
                    { className: "about" },
                    createElement("summary", { lang: document.documentElement.lang }, place.dataset.about),
                    createElement(Original, given),
                ),
            execute: (Original, { specSelectors }) => (given) =>
                specSelectors.specResolvedSubtree(["paths", given.path, given.method])
                    ? createElement(Original, given)
                    : null,
            DeepLink: () => ({ text }) => createElement("span", null, text),
        },
    });

    const show = (spec) =>
        window.SwaggerUIBundle({
            domNode: place,
            spec: { ...window.SampleValues.into(withoutKeysInQueries(spec)), servers: [{ url: serverOf(spec) }] },
            presets: [window.SwaggerUIBundle.presets.apis],
            plugins: [window.OperationFilter, window.SampleValues, window.Answers, parts],
            layout: "BaseLayout",
            deepLinking: true,
            filter: true,
            tryItOutEnabled: true,
            displayRequestDuration: true,
            defaultModelsExpandDepth: 0,
            // In memory only: a key in the browser's store would outlive the page.
            persistAuthorization: false,
            validatorUrl: null,
            syntaxHighlight: { theme: "tomorrow-night" },
        });

    // What Swagger UI leaves without a name or out of the keyboard's reach.
    const mend = () => {
        const name = (node, words) => {
            node.lang = document.documentElement.lang;
            node.setAttribute("aria-label", words);
        };
        for (const node of place.querySelectorAll(".close-modal:not([aria-label])")) {
            name(node, place.dataset.close);
            // The dialog is new: its first field has the focus, not its last one.
            place.querySelector(".modal-ux input")?.focus();
        }
        for (const node of place.querySelectorAll("textarea:not([aria-label])")) {
            name(node, place.dataset.body);
        }
        for (const node of place.querySelectorAll(".examples-select-element:not([aria-label])")) {
            name(node, place.dataset.example);
        }
        for (const node of place.querySelectorAll(".microlight:not([tabindex])")) {
            node.tabIndex = 0;
        }
    };

    const closeOnEscape = (event) => {
        if (event.key === "Escape") {
            place.querySelector(".modal-ux .close-modal")?.click();
        }
    };

    const begin = async () => {
        followColours();
        new MutationObserver(mend).observe(place, { childList: true, subtree: true });
        document.addEventListener("keydown", closeOnEscape);
        try {
            const answer = await fetch(`${prefix}api/v1/openapi.json`);
            if (!answer.ok) {
                throw new Error(String(answer.status));
            }
            show(await answer.json());
        } catch (error) {
            document.getElementById("failure").hidden = false;
            throw error;
        }
    };

    begin();
}
