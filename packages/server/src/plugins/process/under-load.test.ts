import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { HubError } from "../../errors.ts";
import { type BuiltFixture, buildFixture } from "../testing/build-fixture.ts";
import { openTestProcesses, toInstalled } from "../testing/open-test-processes.ts";
import { createTestCall } from "../testing/test-call.ts";
import { isRunning, waitUntil } from "../testing/wait-until.ts";

let fixture: BuiltFixture;
beforeAll(() => {
  fixture = buildFixture();
});
afterAll(() => fixture.remove());

/** Calls without pause, from so many clients at once, until it is told to stop. */
function startClients(count: number, call: () => Promise<unknown>) {
  const failures: unknown[] = [];
  let answered = 0;
  let isOver = false;
  const clients = Array.from({ length: count }, async () => {
    while (!isOver) {
      try {
        await call();
        answered += 1;
      } catch (thrown) {
        failures.push(thrown);
      }
    }
  });
  return {
    failures,
    answered: () => answered,
    async stop() {
      isOver = true;
      await Promise.all(clients);
    },
  };
}

test("no call fails while a plugin is updated, and only calls in flight when it is killed", async () => {
  const { pool, toConnector, close, dir } = openTestProcesses();
  const connector = toConnector(toInstalled(fixture));
  const clients = startClients(32, () =>
    connector.invoke(createTestCall({ params: { text: "x" } }).call),
  );
  const pids = new Set<number>();
  const answerMore = async () => {
    const goal = clients.answered() + 50;
    await waitUntil(() => clients.answered() >= goal);
    for (const { pid } of pool.list()) pids.add(pid);
  };
  await answerMore();
  for (let version = 2; version <= 21; version += 1) {
    pool.drainAndReplace("fixture", toInstalled(fixture, "fixture", `${version}.0.0`));
    await answerMore();
  }
  expect(clients.failures).toEqual([]);
  expect(pids.size).toBe(21);

  await waitUntil(() => pool.list().length === 1);
  process.kill(pool.list()[0]?.pid ?? 0, "SIGKILL");
  await answerMore();
  expect(clients.failures.length).toBeLessThanOrEqual(32);
  expect(clients.failures.filter((failure) => !isUnavailable(failure))).toEqual([]);

  await clients.stop();
  await close();
  expect([...pids].filter(isRunning)).toEqual([]);
  expect(() => readdirSync(dir)).toThrow();
}, 60_000);

function isUnavailable(failure: unknown): boolean {
  return failure instanceof HubError && failure.code === "plugin_unavailable";
}
