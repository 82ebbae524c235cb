import assert from "node:assert/strict";
import { test } from "node:test";
import { Fake, run, settle } from "./page.mjs";

const STATIC = "cms_api/start_page/static/start_page";

test("reads get examples for what they need, and writes only hints", () => {
  const { SampleValues } = run(`${STATIC}/sample_values.js`, { ids: { explorer: new Fake() } });
  const siteId = { name: "siteId", required: true };
  const spec = {
    paths: {
      "/api/v1/contents/{siteId}/{channelId}/{id}": {
        get: { parameters: [siteId, { name: "id", required: true }, { name: "page" }] },
        delete: { parameters: [{ ...siteId, schema: { type: "integer" } }] },
      },
      "/api/v1/stl/value": { get: { parameters: [{ name: "type" }, { name: "siteId" }] } },
    },
  };
  const { paths } = SampleValues.into(spec);
  const [content, value] = Object.values(paths);
  assert.deepEqual(content.get.parameters, [
    { ...siteId, example: "1" }, { name: "id", required: true, example: "30" }, { name: "page" },
  ]);
  assert.deepEqual(content.delete.parameters, [{ ...siteId, schema: { type: "integer", "x-hint": "1" } }]);
  assert.deepEqual(value.get.parameters, [{ name: "type", example: "siteName" }, { name: "siteId" }]);
});

// The few of Immutable's collections that the filter uses.
class Groups {
  constructor(entries) {
    this.entries = entries;
  }
  get size() {
    return this.entries.length;
  }
  map(change) {
    return new Groups(this.entries.map(([name, group]) => [name, change(group, name)]));
  }
  filter(keep) {
    return new Groups(this.entries.filter(([, group]) => keep(group)));
  }
}
const group = (operations) => ({
  get: () => ({ ...operations, size: operations.length }),
  update: (_name, change) => group(change(operations)),
  paths: operations.map((operation) => operation.get("path")),
});
const operation = (method, path, summary) => ({
  get: (name) => ({ method, path })[name],
  getIn: ([, name]) => ({ summary })[name],
});

test("operations are found by all words of their group, verb, path and summary", () => {
  const { OperationFilter } = run(`${STATIC}/operation_filter.js`, { ids: { explorer: new Fake() } });
  const { opsFilter } = OperationFilter().fn;
  const groups = new Groups([
    ["Contents", group([operation("get", "/contents/{id}", "One content"), operation("post", "/contents", "Search contents")])],
    ["Users", group([operation("get", "/users/{id}", "One user")])],
  ]);
  const found = (phrase) => Object.fromEntries(opsFilter(groups, phrase).entries.map(([name, { paths }]) => [name, paths]));
  assert.deepEqual(found(" GET  one "), { Contents: ["/contents/{id}"], Users: ["/users/{id}"] });
  assert.deepEqual(found("users one"), { Users: ["/users/{id}"] });
  assert.deepEqual(found("search"), { Contents: ["/contents"] });
  assert.deepEqual(found("users search"), {});
  assert.equal(opsFilter(groups, "").size, 2);
});

async function shownSpec(spec, prefix = "/") {
  let shown;
  const SwaggerUIBundle = Object.assign((given) => (shown = given.spec), { presets: {} });
  run(`${STATIC}/explorer.js`, {
    ids: { explorer: new Fake({ dataset: { prefix } }), failure: new Fake() },
    SwaggerUIBundle,
    SampleValues: { into: (each) => each },
    MutationObserver: class {
      observe() {}
    },
    matchMedia: () => new Fake({ matches: false }),
    fetch: async () => ({ ok: true, json: async () => spec }),
  });
  await settle();
  return shown;
}

test("the explorer calls the server of its page, below the page's prefix", async () => {
  const server = async (path, prefix) => (await shownSpec({ paths: { [path]: {} } }, prefix)).servers[0].url;
  assert.equal(await server("/api/v1/contents", "/"), "/");
  assert.equal(await server("/api/v1/contents", "/cms/"), "/cms");
  assert.equal(await server("/contents", "/cms/"), "/cms/api/v1");
});

test("the explorer offers no way to send a key in an address", async () => {
  const { components, security, paths } = await shownSpec({
    components: { schemas: { A: {} }, securitySchemes: { header: { in: "header" }, query: { in: "query" } } },
    security: [{ query: [] }, { header: [] }],
    paths: { "/a": { get: { security: [{ query: [], header: [] }, { header: [] }, {}] }, post: {} } },
  });
  assert.deepEqual(components, { schemas: { A: {} }, securitySchemes: { header: { in: "header" } } });
  assert.deepEqual(security, [{ header: [] }]);
  assert.deepEqual(paths, { "/a": { get: { security: [{ header: [] }, {}] }, post: {} } });
});
