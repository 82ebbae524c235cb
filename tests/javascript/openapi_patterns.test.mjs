// JSON Schema asks for the flag "u", which refuses escapes that mean nothing; ajv sets it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const document = JSON.parse(readFileSync(new URL("../../core/openapi/openapi.json", import.meta.url), "utf8"));

function* patternsIn(schema) {
  for (const [name, value] of Object.entries(schema ?? {})) {
    if (name === "pattern" && typeof value === "string") {
      yield value;
    } else if (typeof value === "object") {
      yield* patternsIn(value);
    }
  }
}

test("every pattern of the OpenAPI document compiles with the flag u", () => {
  const patterns = new Set(patternsIn(document));
  assert.ok(patterns.size > 20);
  for (const pattern of patterns) {
    assert.doesNotThrow(() => new RegExp(pattern, "u"), pattern);
  }
});
