// The explorer's filter: by words of an operation's path, verb and summary; Swagger UI's own knows names of groups only.
"use strict";
{
    const words = document.getElementById("explorer").dataset;

    const textOf = (operation) => {
        const told = ["summary", "operationId"].map((name) => operation.getIn(["operation", name]) || "");
        return [operation.get("method"), operation.get("path"), ...told].join(" ").toLowerCase();
    };

    // The groups with the operations that have every word; those without any are left out.
    const opsFilter = (groups, phrase) => {
        const asked = phrase.toLowerCase().split(/\s+/).filter(Boolean);
        const has = (group, operation) => {
            const text = `${group.toLowerCase()} ${textOf(operation)}`;
            return asked.every((word) => text.includes(word));
        };
        return groups
            .map((group, name) => group.update("operations", (all) => all.filter((each) => has(name, each))))
            .filter((group) => group.get("operations").size > 0);
    };

    const phraseOf = (system) => {
        const current = system.layoutSelectors.currentFilter();
        return typeof current === "string" ? current : "";
    };

    const findsNothing = (system) => opsFilter(system.specSelectors.taggedOperations(), phraseOf(system)).size === 0;

    const FilterContainer = (_Original, system) => () => {
        const { createElement } = system.React;
        const field = createElement("input", {
            id: "filter",
            type: "search",
            className: "operation-filter-input",
            value: phraseOf(system),
            onChange: (event) => system.layoutActions.updateFilter(event.target.value),
        });
        const label = createElement("label", { htmlFor: "filter" }, words.find);
        const result = createElement("p", { role: "status" }, findsNothing(system) ? words.nothing : "");
        const { lang } = document.documentElement;
        return createElement("div", { className: "filter wrapper", lang }, label, field, result);
    };

    // Swagger UI would say that the description of the API is empty.
    const operations = (Original, system) => (given) =>
        findsNothing(system) ? null : system.React.createElement(Original, given);

    window.OperationFilter = () => ({ fn: { opsFilter }, wrapComponents: { FilterContainer, operations } });
}
