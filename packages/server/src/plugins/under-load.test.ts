import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { amount } from "../lib/testing/amount.ts";
import { nightlyTest } from "../lib/testing/nightly-test.ts";
import { type BuiltFixture, buildFixture } from "./testing/build-fixture.ts";
import { countResources } from "./testing/count-resources.ts";
import { findFailure } from "./testing/find-failure.ts";
import { type LoadBench, openLoadBench } from "./testing/open-load-bench.ts";
import { openTestProcesses, toInstalled } from "./testing/open-test-processes.ts";
import { isUnavailable, putUnderLoad } from "./testing/put-under-load.ts";
import { createTestCall } from "./testing/test-call.ts";
import { writeScript } from "./testing/write-script.ts";

let fixture: BuiltFixture;
beforeAll(() => {
  fixture = buildFixture();
});
afterAll(() => fixture.remove());

nightlyTest(
  "Under load no update fails a call, and ended processes leave no files or resources",
  async () => {
    // Resources that are opened once and kept, such as those of the runtime, are not counted.
    const first = await openLoadBench(fixture);
    await first.install("1.0.0");
    await first.close();
    const before = countResources();

    const bench = await openLoadBench(fixture);
    let left: string[] | null = null;
    try {
      const report = await putUnderLoad(bench, { clientCount: 8, updates: 2, seed: 1 });
      expect(report.failedInUpdates).toEqual([]);
      expect(report.failedInSwitching.filter((failure) => !isUnavailable(failure))).toEqual([]);
      expect(report.failedInKill.flat().filter((failure) => !isUnavailable(failure))).toEqual([]);
      // One running call for each client, and none of its later calls.
      expect(Math.max(...report.failedInKill.map((failures) => failures.length))).toBe(1);
      // One at start, one for each update, one after the plugin is enabled again, and one after the
      // kill.
      expect(report.processes).toBe(5);
      expect(report.leftFiles).toEqual([]);
    } finally {
      left = await bench.close();
    }
    expect(left).toEqual([]);
    // Resources of other tests in this process may have been closed meanwhile, so fewer is fine.
    const after = countResources();
    for (const kind of ["files", "sockets", "pipes", "children"] as const) {
      expect(after?.[kind] ?? 0).toBeLessThanOrEqual(before?.[kind] ?? 0);
    }
  },
  180_000,
);

describe("a late call", () => {
  let bench: LoadBench;
  beforeEach(async () => {
    bench = await openLoadBench(fixture);
    await bench.install("1.0.0");
  });
  afterEach(() => bench.close());
  const { call } = createTestCall({ params: { text: "x" } });

  test("A late call does not start a disabled or removed plugin", async () => {
    const known = bench.registry.find("fixture");
    for (const verb of ["disable", "remove"] as const) {
      await bench.host[verb]("fixture");
      expect(await findFailure(known?.invoke(call))).toMatchObject({
        code: "plugin_unavailable",
        message: expect.stringContaining("disabled or removed"),
      });
      expect(bench.pool.list()).toEqual([]);
    }
  });

  test("A call that waited for a permit does not start a disabled plugin", async () => {
    const crowded = openTestProcesses({ procsMax: 1 });
    try {
      const busy = new AbortController();
      const { promise: isBusy, resolve } = Promise.withResolvers<void>();
      const hanging = createTestCall({
        operation: "hang",
        signal: busy.signal,
        onProgress: resolve,
      });
      const first = crowded.toConnector(toInstalled(fixture, "first")).invoke(hanging.call);
      await isBusy;
      const second = crowded.toConnector(toInstalled(fixture, "second")).invoke(call);
      crowded.pool.drainAndReplace("second", null);
      busy.abort(new Error("done"));
      await findFailure(first);
      expect(await findFailure(second)).toMatchObject({ code: "plugin_unavailable" });
      expect(crowded.pool.list().filter(({ key }) => key === "second")).toEqual([]);
    } finally {
      await crowded.close();
    }
  });

  test("A late call with the old version does not start that version for later calls", async () => {
    const known = bench.registry.find("fixture");
    await bench.host.disable("fixture");
    await known?.invoke(call).catch(() => {});
    await bench.install("1.1.0");
    await bench.host.enable("fixture");
    await bench.registry.find("fixture")?.invoke(call);
    expect(bench.pool.list()).toMatchObject([{ version: "1.1.0" }]);
  });
});

describe("a plugin that does not answer", () => {
  /** True only if the other calls complete while this one still hangs. */
  const isPending = async (promise: Promise<unknown>) =>
    (await Promise.race([promise, Promise.resolve("pending")])) === "pending";

  test("A plugin that hangs in calls or at start does not delay other plugins", async () => {
    const { pool, toConnector, dir, close } = openTestProcesses();
    const stop = new AbortController();
    const hanging = Array.from({ length: 32 }, () => {
      const { promise: isUnderWay, resolve } = Promise.withResolvers<void>();
      const { call } = createTestCall({
        operation: "hang",
        signal: stop.signal,
        onProgress: resolve,
      });
      return { call: toConnector(toInstalled(fixture, "slow")).invoke(call), isUnderWay };
    });
    const mute = toConnector(toInstalled(writeScript(dir, "exec sleep 1000"), "mute"));
    const { call } = createTestCall({ signal: stop.signal });
    const calls = [...hanging.map((each) => each.call), mute.invoke(call)].map(findFailure);
    try {
      await Promise.all(hanging.map(({ isUnderWay }) => isUnderWay));
      const other = toConnector(toInstalled(fixture, "other"));
      for (let turn = 0; turn < amount(20, 100); turn += 1) {
        await other.invoke(createTestCall({ params: { text: "x" } }).call);
      }
      expect(await Promise.all(calls.map(isPending))).toEqual(calls.map(() => true));
      expect(pool.list().map(({ key, calls }) => [key, calls])).toEqual([
        ["slow", 32],
        ["other", 0],
      ]);
    } finally {
      stop.abort(new Error("enough"));
      await Promise.all(calls);
      await close();
    }
  });
});
