/**
 * The official conformance suite in two releases: one for the session mode, and one with revision
 * 2026-07-28. Each scenario runs at every revision that it names. support/conformance-scenarios.ts lists
 * the scenarios, and the reasons for those that do not apply.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { createDataFolder } from "../support/data-folder.ts";
import { startHub } from "../support/start-hub.ts";
import { type HeaderProxy, startHeaderProxy } from "./support/add-header-proxy.ts";
import { notApplicable, onFixtures, onHub } from "./support/conformance-scenarios.ts";
import { startFixtureServer } from "./support/fixture-server.ts";
import { listScenarios, runScenario, suites } from "./support/run-conformance.ts";

setDefaultTimeout(120_000);

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
  fixtures = owned.use(startFixtureServer());
});

afterAll(() => owned.disposeAsync());

test("Every scenario of the suites runs or has a reason why it does not apply", () => {
  const known = [onHub, onFixtures, notApplicable].flatMap(Object.keys);
  const names = listed.flatMap(({ scenarios }) => scenarios.map(({ name }) => name));
  expect([...new Set(known)].toSorted()).toEqual([...new Set(names)].toSorted());
});

describe.each(listed)("Conformance $suite.release", ({ suite, scenarios }) => {
  // The older release cannot select a revision. Its client uses the newest one.
  const revisions = scenarios.flatMap(({ name, versions }) =>
    (suite === suites[0] ? [null] : versions).map((version) => ({ name, version })),
  );

  const transports = [
    { transport: "on the hub", table: onHub, findUrl: () => hub.url },
    { transport: "over fixture tools", table: onFixtures, findUrl: () => fixtures.url },
  ];
  const cases = transports.flatMap(({ transport, table, findUrl }) =>
    revisions
      .filter(({ name }) => name in table)
      .map(({ name, version }) => ({
        title: `The scenario ${name} passes ${transport}${version === null ? "" : ` at ${version}`}`,
        name,
        version,
        exceptions: Object.keys(table[name] ?? {}),
        findUrl,
      })),
  );

  test.each(cases)("$title", async ({ name, version, exceptions, findUrl }) => {
    const url = `${findUrl()}/mcp`;
    const checks = await runScenario({ suite, scenario: name, version, url, home });
    const failed = checks.filter(({ status }) => status === "FAILURE" || status === "WARNING");
    expect(checks.map(({ status }) => status)).toContain("SUCCESS");
    // An exception that passes must be removed.
    expect(failed.map(({ id }) => id).toSorted()).toEqual(exceptions.toSorted());
  });
});
