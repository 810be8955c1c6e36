import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type BuiltFixture, buildFixture } from "./testing/build-fixture.ts";
import { countResources } from "./testing/count-resources.ts";
import { findFailure } from "./testing/find-failure.ts";
import { type LoadBench, openLoadBench } from "./testing/open-load-bench.ts";
import { isUnavailable, putUnderLoad } from "./testing/put-under-load.ts";
import { createTestCall } from "./testing/test-call.ts";

let fixture: BuiltFixture;
beforeAll(() => {
  fixture = buildFixture();
});
afterAll(() => fixture.remove());

test("under load no update fails a call, and what ends a process leaves nothing behind", async () => {
  // What is opened once and kept, such as the runtime's own, is not counted.
  const first = await openLoadBench(fixture);
  await first.install("1.0.0");
  await first.close();
  const before = countResources();

  const bench = await openLoadBench(fixture);
  const report = await putUnderLoad(bench, { updates: 4, seed: 1 });
  expect(report.failedInUpdates).toEqual([]);
  expect(report.failedInSwitching.filter((failure) => !isUnavailable(failure))).toEqual([]);
  expect(report.failedInKill.flat().filter((failure) => !isUnavailable(failure))).toEqual([]);
  // One in flight for each client, and none of those that it sent afterwards.
  expect(Math.max(...report.failedInKill.map((failures) => failures.length))).toBe(1);
  expect(report.processes).toBeGreaterThanOrEqual(6);
  expect(await bench.close()).toEqual([]);
  expect(countResources()).toEqual(before);
}, 60_000);

describe("a call that comes late", () => {
  let bench: LoadBench;
  beforeEach(async () => {
    bench = await openLoadBench(fixture);
    await bench.install("1.0.0");
  });
  afterEach(() => bench.close());
  const { call } = createTestCall({ params: { text: "x" } });

  test("starts no plugin that has been switched off, or removed", async () => {
    const known = bench.registry.find("fixture");
    for (const verb of ["disable", "remove"] as const) {
      await bench.host[verb]("fixture");
      expect(await findFailure(known?.invoke(call))).toMatchObject({
        code: "plugin_unavailable",
        message: expect.stringContaining("switched off or removed"),
      });
      expect(bench.pool.list()).toEqual([]);
    }
  });

  test("does not keep the old version for those that follow", async () => {
    const known = bench.registry.find("fixture");
    await bench.host.disable("fixture");
    await known?.invoke(call).catch(() => {});
    await bench.install("1.1.0");
    await bench.host.enable("fixture");
    await bench.registry.find("fixture")?.invoke(call);
    expect(bench.pool.list()).toMatchObject([{ version: "1.1.0" }]);
  });
});
