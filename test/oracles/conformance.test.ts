/**
 * The official conformance suite in two releases: one for the session mode, and one with revision
 * 2026-07-28. Each scenario runs at every revision that it names. support/conformance-scenarios.ts lists
 * the scenarios, and the reasons for those that do not apply.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { amount } from "../../packages/server/src/lib/testing/amount.ts";
import { createDataFolder } from "../support/data-folder.ts";
import { startHub } from "../support/start-hub.ts";
import { type HeaderProxy, startHeaderProxy } from "./support/add-header-proxy.ts";
import { notApplicable, onFixtures, onHub } from "./support/conformance-scenarios.ts";
import { startFixtureServer } from "./support/fixture-server.ts";
import { listScenarios, runScenarios, suites } from "./support/run-conformance.ts";

// A suite runs as one program, which waits for the tasks of its scenarios.
setDefaultTimeout(300_000);

const owned = new AsyncDisposableStack();
const home = owned.use(await createDataFolder()).path;
const listed = await Promise.all(
  suites.map(async (suite) => ({ suite, scenarios: await listScenarios(suite, home) })),
);
let hub: HeaderProxy;
let fixtures: HeaderProxy;

beforeAll(async () => {
  const started = owned.use(await startHub());
  hub = owned.use(startHeaderProxy(started.url, started.adminToken()));
  fixtures = owned.use(await startFixtureServer());
});

afterAll(() => owned.disposeAsync());

test("Every scenario of the suites runs or has a reason why it does not apply", () => {
  const known = [onHub, onFixtures, notApplicable].flatMap(Object.keys);
  const names = listed.flatMap(({ scenarios }) => scenarios.map(({ name }) => name));
  expect([...new Set(known)].toSorted()).toEqual([...new Set(names)].toSorted());
});

describe.each(listed)("Conformance $suite.release", ({ suite, scenarios }) => {
  // The older release cannot select a revision. Its client uses the newest one.
  // The first release runs most scenarios at their older revisions.
  const revisions = scenarios.flatMap(({ name, versions }) =>
    (suite === suites[0] || versions.length === 0
      ? [null]
      : amount(versions.slice(-1), versions)
    ).map((version) => ({
      scenario: name,
      version,
    })),
  );

  const transports = [
    { transport: "on the hub", table: onHub, findUrl: () => hub.url },
    { transport: "over fixture tools", table: onFixtures, findUrl: () => fixtures.url },
  ];
  describe.each(transports)("$transport", ({ table, findUrl }) => {
    const runs = revisions.filter(({ scenario }) => scenario in table);
    const cases = runs.map(({ scenario, version }, index) => ({
      title: `The scenario ${scenario} passes${version === null ? "" : ` at ${version}`}`,
      exceptions: Object.keys(table[scenario] ?? {}),
      index,
    }));
    let results: Awaited<ReturnType<typeof runScenarios>>;
    beforeAll(async () => {
      results = await runScenarios(suite, `${findUrl()}/mcp`, home, runs);
    });

    test("Scenarios run", () => expect(cases.length).toBeGreaterThan(3));

    test.each(cases)("$title", ({ exceptions, index }) => {
      const checks = results[index] ?? [];
      // A check that is skipped says nothing, so that it needs a reason too.
      const failed = checks.filter(({ status }) => status !== "SUCCESS" && status !== "INFO");
      expect(checks.map(({ status }) => status)).toContain("SUCCESS");
      // An exception that passes must be removed.
      expect(failed.map(({ id }) => id).toSorted()).toEqual(exceptions.toSorted());
    });
  });
});
