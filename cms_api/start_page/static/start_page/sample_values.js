// What stands in the fields of a path and in those that must be filled: for reads what the sample site has, so that a
// call can be tried at once. What a call would change or delete is typed, and has the same value as a hint only.
"use strict";
{
    const words = document.getElementById("explorer").dataset;
    const HINT = "x-hint"; // of a schema: what FieldWithHint shows while the field is empty

    const VALUES = {
        siteId: "1",
        channelId: "11",
        id: "1",
        name: "LOGIN-CAPTCHA",
        queryString: "SELECT TOP 3 Id, Title FROM siteserver_Content ORDER BY AddDate DESC",
    };
    // Where a name means something else, and what may be left out but says nothing then.
    const VALUES_OF_PATHS = {
        "/contents/{siteId}/{channelId}/{id}": { id: "30" },
        "/stl/content": { contentId: "3" },
        "/stl/value": { type: "siteName" },
        "/stl/sqlContent": { queryString: VALUES.queryString },
    };

    const sampleOf = (path, { name, required }) => {
        const own = Object.entries(VALUES_OF_PATHS).find(([end]) => path.endsWith(end));
        return own?.[1][name] ?? (required ? VALUES[name] : undefined);
    };

    const withSample = (path, method) => (parameter) => {
        const value = sampleOf(path, parameter);
        if (value === undefined) {
            return parameter;
        }
        return method === "get"
            ? { ...parameter, example: value }
            : { ...parameter, schema: { ...parameter.schema, [HINT]: value } };
    };

    const withSamples = (spec) => {
        for (const [path, operations] of Object.entries(spec.paths)) {
            for (const [method, operation] of Object.entries(operations)) {
                operation.parameters = operation.parameters?.map(withSample(path, method));
            }
        }
        return spec;
    };

    // The description of a field is what it shows while it is empty.
    const FieldWithHint =
        (Original, { React }) =>
        (given) => {
            const value = given.schema?.get?.(HINT);
            const hint = value && { description: words.such.replace("{value}", value) };
            return React.createElement(Original, { ...given, ...hint });
        };

    window.SampleValues = () => ({ wrapComponents: { JsonSchemaForm: FieldWithHint } });
    window.SampleValues.into = withSamples;
}
