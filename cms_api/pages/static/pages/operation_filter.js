// The explorer's filter: by words of an operation's path, verb and summary; Swagger UI's own knows names of groups only.
"use strict";
{
    const textOf = (operation) => {
        const told = ["summary", "operationId"].map((name) => operation.getIn(["operation", name]) || "");
        return [operation.get("method"), operation.get("path"), ...told].join(" ").toLowerCase();
    };

    // The groups with the operations that have every word; those without any are left out.
    const opsFilter = (groups, phrase) => {
        const words = phrase.toLowerCase().split(/\s+/).filter(Boolean);
        const has = (group, operation) => {
            const text = `${group.toLowerCase()} ${textOf(operation)}`;
            return words.every((word) => text.includes(word));
        };
        return groups
            .map((group, name) => group.update("operations", (all) => all.filter((each) => has(name, each))))
            .filter((group) => group.get("operations").size > 0);
    };

    const FilterContainer = (_Original, system) => () => {
        const { createElement } = system.React;
        const current = system.layoutSelectors.currentFilter();
        const field = createElement("input", {
            id: "filter",
            type: "search",
            className: "operation-filter-input",
            value: typeof current === "string" ? current : "",
            onChange: (event) => system.layoutActions.updateFilter(event.target.value),
        });
        const label = createElement("label", { htmlFor: "filter" }, "Find a call");
        return createElement("div", { className: "filter wrapper" }, label, field);
    };

    window.OperationFilter = () => ({ fn: { opsFilter }, wrapComponents: { FilterContainer } });
}
