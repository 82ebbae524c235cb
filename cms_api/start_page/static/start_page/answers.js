// The answer to a call is shown, told and given the keyboard when it comes, and so is the field that a call lacks.
"use strict";
{
    const words = document.getElementById("explorer").dataset;
    const status = document.getElementById("answered");
    const withoutMotion = window.matchMedia("(prefers-reduced-motion: reduce)");
    // Calls whose answer has come and is not yet shown: one that is folded away and unfolded again is no new one.
    const awaited = new Set();
    const nameOf = (path, method) => `${method} ${path}`;

    const setResponse =
        (original) =>
        (path, method, ...given) => {
            awaited.add(nameOf(path, method));
            return original(path, method, ...given);
        };

    // Whoever has gone on to another field in the meantime stays there.
    const isWaitingAt = (block) => {
        const { activeElement } = document;
        return activeElement === document.body || activeElement === block.querySelector(".btn.execute");
    };

    const present = (place, { path, method, response }) => {
        if (!awaited.delete(nameOf(path, method))) {
            return;
        }
        status.textContent = words.answered.replace("{status}", response.get("status") ?? "–");
        place.scrollIntoView({ block: "nearest", behavior: withoutMotion.matches ? "auto" : "smooth" });
        if (isWaitingAt(place.closest(".opblock"))) {
            place.focus({ preventScroll: true });
        }
    };

    const liveResponse =
        (Original, { React: { createElement, useEffect, useRef } }) =>
        (given) => {
            const place = useRef(null);
            useEffect(() => present(place.current, given));
            const { lang } = document.documentElement;
            const attributes = { ref: place, role: "group", className: "answer", tabIndex: -1, lang };
            const answer = createElement("div", { lang: "en" }, createElement(Original, given));
            return createElement("div", { ...attributes, "aria-label": words.answer }, answer);
        };

    // Swagger UI marks the fields that are wrong, some of which may be out of sight.
    const focusWrongField = () => {
        const block = document.activeElement.closest(".opblock");
        block?.querySelector(".parameters .invalid, textarea.invalid")?.focus();
    };

    const validateParams =
        (original) =>
        (...given) => {
            const done = original(...given);
            requestAnimationFrame(focusWrongField);
            return done;
        };

    window.Answers = () => ({
        wrapComponents: { liveResponse },
        statePlugins: { spec: { wrapActions: { setResponse, validateParams } } },
    });
}
