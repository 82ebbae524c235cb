import assert from "node:assert/strict";
import { test } from "node:test";
import { answer, Clock, Fake, run, settle } from "./page.mjs";

/** A page that asks for a state; each answer is given to it in turn. */
function follow(path, id, answers, dataset = { underWay: "", state: "/state" }) {
  const clock = new Clock();
  const place = new Fake({ dataset });
  const location = { reloads: 0, reload: () => (location.reloads += 1) };
  const fetch = async () => {
    const given = answers.shift();
    if (given instanceof Error) {
      throw given;
    }
    return given;
  };
  const page = run(path, { ids: { [id]: place }, location, fetch, setTimeout: clock.setTimeout });
  return { clock, place, location, page };
}

const JOBS = ["core/jobs/static/jobs/jobs.js", "job"];
const RESTARTS = ["core/operation/static/operation/restarts.js", "servers"];
const SIGN_IN = answer("<form>", { redirected: true });
const PROXY = answer("<h1>Bad gateway</h1>", { status: 502 });

test("a job is asked for each second until it has ended", async () => {
  const answers = [answer({ shown: "half", hasEnded: false }), answer({ shown: "all", hasEnded: true })];
  const { clock, place } = follow(...JOBS, answers);
  assert.equal(await clock.next(), 1000);
  assert.equal(place.innerHTML, "half");
  assert.equal(await clock.next(), 1000);
  assert.equal(place.innerHTML, "all");
  assert.deepEqual(clock.waiting, []);
});

test("a job is asked for less often after an answer that says nothing", async () => {
  const { clock, location } = follow(...JOBS, [PROXY, new Error("no connection"), answer({ shown: "", hasEnded: true })]);
  assert.equal(await clock.next(), 1000);
  assert.equal(await clock.next(), 5000);
  assert.equal(await clock.next(), 5000);
  assert.deepEqual([clock.waiting, location.reloads], [[], 0]);
});

test("the page of a restart is loaded again when the session has ended, which leads to the form to sign in", async () => {
  const { clock, location } = follow(...RESTARTS, [SIGN_IN]);
  await clock.next();
  assert.deepEqual([location.reloads, clock.waiting], [1, []]);
});

test("a job is asked for again once somebody has signed in", async () => {
  const { clock, location, page, place } = follow(...JOBS, [SIGN_IN, answer({ shown: "all", hasEnded: true })]);
  await clock.next();
  assert.deepEqual([location.reloads, clock.waiting], [0, []]);
  page.hear("signedin");
  await clock.next();
  assert.equal(place.innerHTML, "all");
});

test("what is not under way is not asked for", () => {
  for (const page of [JOBS, RESTARTS]) {
    assert.deepEqual(follow(...page, [], { state: "/state" }).clock.waiting, []);
  }
});

test("a restart is followed through lost connections until it is over", async () => {
  const answers = [PROXY, new Error("no connection"), answer({ table: "a", isUnderWay: true }), answer({ table: "b", isUnderWay: false })];
  const { clock, place } = follow(...RESTARTS, answers);
  for (const table of [undefined, undefined, "a", "b"]) {
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
    fetch: async () => answer({ shown: "after", hasEnded: false }),
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
