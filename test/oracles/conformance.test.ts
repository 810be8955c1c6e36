/**
 * The official conformance suite, in two releases: the one of the session mode, and the one that adds
 * revision 2026-07-28. Each scenario runs at every revision that it speaks of. Which ones, and why
 * not the others, is said in support/conformance-scenarios.ts.
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

test("every scenario of the suites is run, or left out for a reason", () => {
  const known = [onHub, onFixtures, notApplicable].flatMap(Object.keys);
  const names = listed.flatMap(({ scenarios }) => scenarios.map(({ name }) => name));
  expect([...new Set(known)].toSorted()).toEqual([...new Set(names)].toSorted());
});

describe.each(listed)("conformance $suite.release", ({ suite, scenarios }) => {
  // The older release has no revision on the wire to choose; its client speaks its newest.
  const revisions = scenarios.flatMap(({ name, versions }) =>
    (suite === suites[0] ? [null] : versions).map((version) => ({ name, version })),
  );

  const places = [
    { place: "on the hub", table: onHub, findUrl: () => hub.url },
    { place: "over fixture tools", table: onFixtures, findUrl: () => fixtures.url },
  ];
  const cases = places.flatMap(({ place, table, findUrl }) =>
    revisions
      .filter(({ name }) => name in table)
      .map(({ name, version }) => ({
        title: `${name} passes ${place}${version === null ? "" : ` at ${version}`}`,
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
    // An exception that passes is none any more.
    expect(failed.map(({ id }) => id).toSorted()).toEqual(exceptions.toSorted());
  });
});
