import assert from "node:assert/strict";
import { test } from "node:test";
import { Clock, Fake, run, settle } from "./page.mjs";

const JSON_TYPE = { get: () => "application/json; charset=utf-8" };

/** A page that asks for a state; each answer is given to it in turn. */
function follow(path, id, answers, dataset = { underWay: "", state: "/state" }) {
  const clock = new Clock();
  const place = new Fake({ dataset });
  const location = { reloads: 0, reload: () => (location.reloads += 1) };
  const fetch = async () => {
    const answer = answers.shift();
    if (answer instanceof Error) {
      throw answer;
    }
    return { status: 200, headers: JSON_TYPE, ...answer };
  };
  run(path, { ids: { [id]: place }, location, fetch, setTimeout: clock.setTimeout });
  return { clock, place, location };
}

const JOBS = ["cms_api/jobs/static/jobs/jobs.js", "job"];
const RESTARTS = ["cms_api/operation/static/operation/restarts.js", "servers"];
const state = (given) => ({ json: async () => given });

test("a job is asked for each second until it has ended", async () => {
  const answers = [state({ shown: "half", hasEnded: false }), state({ shown: "all", hasEnded: true })];
  const { clock, place } = follow(...JOBS, answers);
  assert.equal(await clock.next(), 1000);
  assert.equal(place.innerHTML, "half");
  assert.equal(await clock.next(), 1000);
  assert.equal(place.innerHTML, "all");
  assert.deepEqual(clock.waiting, []);
});

test("a job is asked for less often after an answer that says nothing", async () => {
  const { clock, location } = follow(...JOBS, [{ status: 503 }, new Error("no connection"), state({ shown: "", hasEnded: true })]);
  assert.equal(await clock.next(), 1000);
  assert.equal(await clock.next(), 5000);
  assert.equal(await clock.next(), 5000);
  assert.deepEqual([clock.waiting, location.reloads], [[], 0]);
});

test("pages that follow something are loaded again when the answer is a form to sign in", async () => {
  for (const page of [JOBS, RESTARTS]) {
    const { clock, location } = follow(...page, [{ headers: { get: () => "text/html" } }]);
    await clock.next();
    assert.deepEqual([location.reloads, clock.waiting], [1, []]);
  }
});

test("what is not under way is not asked for", () => {
  for (const page of [JOBS, RESTARTS]) {
    assert.deepEqual(follow(...page, [], { state: "/state" }).clock.waiting, []);
  }
});

test("a restart is followed through lost connections until it is over", async () => {
  const answers = [new Error("no connection"), state({ table: "a", isUnderWay: true }), state({ table: "b", isUnderWay: false })];
  const { clock, place } = follow(...RESTARTS, answers);
  for (const table of [undefined, "a", "b"]) {
    await clock.next();
    assert.equal(place.innerHTML, table);
  }
  assert.deepEqual(clock.waiting, []);
});

test("figures of a job change without replacing what is read aloud", async () => {
  const bar = () => new Fake({ max: 0, value: 0 });
  const step = (text) => new Fake({ textContent: text });
  const before = { progress: bar(), ".step": step("Reading"), ".figures": step("1 of 9") };
  const next = { progress: new Fake({ max: 9, value: 4, hasAttribute: () => true }), ".step": step("Reading"), ".figures": step("4 of 9") };
  const clock = new Clock();
  const place = new Fake({ dataset: { underWay: "", state: "/state" }, innerHTML: "before" }, before);
  run(JOBS[0], {
    ids: { job: place },
    setTimeout: clock.setTimeout,
    fetch: async () => ({ status: 200, headers: JSON_TYPE, json: async () => ({ shown: "after", hasEnded: false }) }),
    create: () => new Fake({}, next),
  });
  await clock.next();
  assert.equal(place.innerHTML, "before");
  assert.deepEqual([before.progress.max, before.progress.value, before[".figures"].textContent], [9, 4, "4 of 9"]);
  next[".step"].textContent = "Storing";
  await clock.next();
  await settle();
  assert.equal(place.innerHTML, "after");
});
