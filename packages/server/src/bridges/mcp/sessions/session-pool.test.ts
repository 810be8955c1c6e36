/** Protects: no session is left open, and failures that are over are forgotten. */
import { expect, test } from "bun:test";
import { createManualTimers } from "../../../lib/time/manual-timers.ts";
import type { McpSession } from "./open-mcp-session.ts";
import { createSessionPool } from "./session-pool.ts";
import type { SessionTarget } from "./session-slot.ts";

/** A pool for one target, whose sessions the test opens. */
function openPool() {
  const timers = createManualTimers();
  const pool = createSessionPool({ timers, sessionsMax: 4, processesMax: 2, idleMs: 1_000 });
  const openings: PromiseWithResolvers<McpSession>[] = [];
  let closed = 0;
  const session: Pick<McpSession, "isOpen" | "ended" | "close" | "isForgotten"> = {
    isOpen: () => true,
    ended: new Promise(() => {}),
    async close() {
      closed += 1;
    },
    isForgotten: () => false,
  };
  const target: SessionTarget = {
    rowId: "row",
    userId: null,
    configId: "one",
    rowConfigId: "one",
    shows: null,
    accountId: null,
    isProcess: false,
    open() {
      const opening = Promise.withResolvers<McpSession>();
      openings.push(opening);
      return opening.promise;
    },
  };
  return {
    timers,
    pool,
    use: (signal = new AbortController().signal) =>
      pool.use(target, { signal }, async () => "done"),
    succeed: () => openings.at(-1)?.resolve(session as McpSession),
    fail: () => openings.at(-1)?.reject(new Error("The server is away.")),
    countClosed: () => closed,
  };
}

test("A session whose row is ended while it opens is closed after its call", async () => {
  const { pool, use, succeed, countClosed } = openPool();
  const using = use();
  pool.endRow("row", null);
  succeed();
  expect(await using).toBe("done");
  expect(countClosed()).toBe(1);
});

test("A session whose row is ended, and whose caller has left, is closed when it opens", async () => {
  const { pool, use, succeed, countClosed } = openPool();
  const leaving = new AbortController();
  const using = use(leaving.signal);
  pool.endRow("row", null);
  leaving.abort(new Error("The caller has left."));
  await expect(using).rejects.toThrow("The caller has left.");
  succeed();
  await new Promise((resolve) => setImmediate(resolve));
  expect(countClosed()).toBe(1);
});

test("A success ends the count of failures, so that a later failure is the first one again", async () => {
  const { timers, pool, use, succeed, fail } = openPool();
  const failed = use();
  fail();
  await expect(failed).rejects.toThrow();
  await expect(use()).rejects.toThrow("failed 1 times in a row");
  timers.advance(60_000);
  const succeeded = use();
  succeed();
  expect(await succeeded).toBe("done");
  pool.endRow("row", null);
  const again = use();
  fail();
  await expect(again).rejects.toThrow();
  await expect(use()).rejects.toThrow("failed 1 times in a row");
});
