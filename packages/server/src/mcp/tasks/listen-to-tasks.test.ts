/** A stream of tasks. Protects: a client that does not read its stream holds no more than a few frames in memory. */
import { expect, test } from "bun:test";
import { createManualTimers } from "../../lib/time/manual-timers.ts";
import { toTestCall } from "../../operations/testing/open-test-operations.ts";
import { readStatelessClient } from "../modes/client-told.ts";
import { metaKeys, tasksExtension } from "../modes/protocol-versions.ts";
import { nextTurn, until } from "../testing/until.ts";
import { listenToTasks } from "./listen-to-tasks.ts";
import { createTaskWatch } from "./watch-tasks.ts";

const client = readStatelessClient({
  [metaKeys.clientCapabilities]: { extensions: { [tasksExtension]: {} } },
});

test("A task is told when the client has read what was told before", async () => {
  const timers = createManualTimers();
  const find = async (_ctx: unknown, id: string) => ({
    id,
    toolId: "conn:row/grind",
    createdAt: 0,
    updatedAt: 0,
    keptUntil: 1,
    state: { kind: "done" as const, text: '{"flour":"white"}' },
  });
  const tasks = {
    find,
    listStamps: async (ids: readonly string[]) => new Map(ids.map((id) => [id, "done 1"])),
  };
  const sent: string[] = [];
  const reads: Array<() => void> = [];
  const stream = {
    requestId: 1,
    send: (frame: string) => void sent.push(frame),
    waitForReader: () => new Promise<void>((resolve) => reads.push(resolve)),
  };
  const taskIds = ["a", "b", "c", "d"];
  const deps = {
    tasks,
    watch: createTaskWatch({ tasks, timers }),
    inFlight: { isFull: () => false },
    streams: new Map<string, number>(),
    timers,
  };
  const ctx = { ...toTestCall(["team"]), client };
  const answer = listenToTasks(deps, ctx, { notifications: { taskIds } }, stream);
  await until(() => sent.length === 1);
  timers.advance(1000);
  // The acknowledgement is not read yet.
  for (let turn = 0; turn < 5; turn += 1) await nextTurn();
  expect(sent).toHaveLength(1);
  for (const count of [2, 3, 4, 5]) {
    await until(() => reads.length > 0);
    reads.shift()?.();
    await until(() => sent.length === count);
  }
  expect(await answer).toMatchObject({ resultType: "complete" });
  expect(deps.streams.size).toBe(0);
});
