import { expect, test } from "bun:test";
import { HubError } from "../../errors.ts";
import { createManualTimers } from "../../lib/time/manual-timers.ts";
import { createWriterLock, type WriterLock } from "../sqlite/writer-lock.ts";
import { newFinishedRun, newRun, outcome } from "../test-data.ts";
import { createRunRecorder, type RunWrite } from "./run-recorder.ts";

type Recorded = {
  commits: RunWrite[][];
  lock: WriterLock;
  /** Fails whole commits. */
  failure?: Error;
  /** Fails the writes of one kind alone. */
  faultOf?: RunWrite["kind"];
  /** Whether a failed commit may still happen. */
  isLate?: boolean;
};

/** A recorder that records its commits; the test lets them fail. */
function createTestRecorder(options: { waitingMax?: number } = {}) {
  const recorded: Recorded = { commits: [], lock: createWriterLock() };
  const timers = createManualTimers();
  const recorder = createRunRecorder({
    ...options,
    timers,
    lock: recorded.lock,
    mayBeLate: () => recorded.isLate === true,
    async writeRuns(writes) {
      if (recorded.failure !== undefined) throw recorded.failure;
      recorded.commits.push([...writes]);
      return writes.map(({ kind }) => (kind === recorded.faultOf ? new Error(kind) : undefined));
    },
  });
  return { ...recorder, recorded, timers };
}

type ManualTimers = ReturnType<typeof createManualTimers>;

const untilPending = (timers: ManualTimers) => until(() => timers.pending() > 0);
const untilCommitted = (recorded: Recorded) => until(() => recorded.commits.length > 0);

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

const toKinds = (writes: readonly RunWrite[] = []) => writes.map(({ kind }) => kind);

test("Writes of one turn of the event loop share one commit, in order", async () => {
  const { recorded, begin, finish, insertFinished } = createTestRecorder();
  const first = newRun();
  const beginSomeStepsLater = async () => {
    for (let step = 0; step < 50; step++) await null;
    await begin(newRun());
  };
  await Promise.all([
    begin(first),
    finish(first.id, outcome),
    insertFinished(newFinishedRun()),
    beginSomeStepsLater(),
  ]);
  expect(recorded.commits.map(toKinds)).toEqual([["begin", "finish", "insertFinished", "begin"]]);
});

test("Writes that arrive while the lock is held go into the next commit", async () => {
  const { recorded, begin } = createTestRecorder();
  await recorded.lock.acquire();
  const early = begin(newRun());
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  const late = begin(newRun());
  expect(recorded.commits).toEqual([]);
  recorded.lock.release();
  await Promise.all([early, late]);
  expect(recorded.commits.map(toKinds)).toEqual([["begin", "begin"]]);
});

test("Many writes are committed in batches, in order", async () => {
  const { recorded, begin } = createTestRecorder();
  const runs = Array.from({ length: 600 }, () => newRun());
  await Promise.all(runs.map((run) => begin(run)));
  expect(recorded.commits.map(({ length }) => length)).toEqual([256, 256, 88]);
  const ids = recorded.commits.flat().map((write) => write.kind !== "finish" && write.run.id);
  expect(ids).toEqual(runs.map(({ id }) => id));
});

test("A failed commit rejects all waiting writes, and the next write works", async () => {
  const { recorded, begin } = createTestRecorder();
  recorded.failure = new HubError("internal", "The disk is full.");
  const waiting = await Promise.allSettled(Array.from({ length: 300 }, () => begin(newRun())));
  expect(new Set(waiting.map(({ status }) => status))).toEqual(new Set(["rejected"]));
  expect(waiting[299]).toMatchObject({ reason: { message: "The disk is full." } });
  recorded.failure = undefined;
  await begin(newRun());
  expect(recorded.commits.map(toKinds)).toEqual([["begin"]]);
});

test("An outcome whose commit failed is in the next commit, so that its row does not stay running", async () => {
  const { recorded, begin, finish } = createTestRecorder();
  recorded.failure = new Error("disk");
  const refused = await Promise.allSettled([finish("run-1", outcome), begin(newRun())]);
  expect(refused.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  await expect(finish("run-2", outcome)).rejects.toMatchObject({ code: "internal" });
  recorded.failure = undefined;
  await begin(newRun());
  expect(recorded.commits.map(toKinds)).toEqual([["finish", "finish", "begin"]]);
  await begin(newRun());
  expect(recorded.commits.map(toKinds)).toEqual([["finish", "finish", "begin"], ["begin"]]);
});

test("Without calls, an outcome whose commit failed is retried until it is on disk", async () => {
  const { recorded, timers, finish } = createTestRecorder();
  recorded.failure = new Error("disk");
  await finish("run-1", outcome).catch(() => {});
  await untilPending(timers);
  timers.advance(1_000);
  await untilPending(timers);
  expect(recorded.commits).toEqual([]);
  recorded.failure = undefined;
  timers.advance(1_000);
  await untilCommitted(recorded);
  expect(recorded.commits.map(toKinds)).toEqual([["finish"]]);
  expect(timers.pending()).toBe(0);
});

test("An outcome is not retried after a later commit included it, or after a drain", async () => {
  const { recorded, timers, begin, finish, drain } = createTestRecorder();
  recorded.failure = new Error("disk");
  await finish("run-1", outcome).catch(() => {});
  recorded.failure = undefined;
  await begin(newRun());
  await drain();
  expect(timers.pending()).toBe(0);
  recorded.failure = new Error("disk");
  await finish("run-2", outcome).catch(() => {});
  await drain();
  expect(timers.pending()).toBe(0);
});

test("An outcome from an earlier commit does not change which write an error belongs to", async () => {
  const { recorded, begin, finish, insertFinished } = createTestRecorder();
  recorded.failure = new Error("disk");
  await finish("run-1", outcome).catch(() => {});
  recorded.failure = undefined;
  recorded.faultOf = "insertFinished";
  const settled = await Promise.allSettled([
    begin(newRun()),
    insertFinished(newFinishedRun()),
    begin(newRun()),
  ]);
  expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
});

test("A run that was refused because its first write got no answer is closed when the database is back", async () => {
  const { recorded, begin, insertFinished } = createTestRecorder();
  const refused = newFinishedRun();
  const never = newFinishedRun();
  recorded.failure = new Error("no answer");
  recorded.isLate = true;
  await begin(refused).catch(() => {});
  for (const run of [refused, never]) await insertFinished(run).catch(() => {});
  recorded.failure = undefined;
  await begin(newRun());
  // A call that wrote nothing before leaves nothing to close.
  expect(recorded.commits.map(toKinds)).toEqual([["insertFinished", "begin"]]);
  expect(recorded.commits[0]?.[0]).toMatchObject({ run: { id: refused.id } });
  recorded.failure = new Error("no answer");
  await insertFinished(refused).catch(() => {});
  recorded.failure = undefined;
  await begin(newRun());
  expect(recorded.commits.slice(1).map(toKinds)).toEqual([["begin"]]);
});

test("Drain waits for queued writes and retries failed outcomes once", async () => {
  const { recorded, begin, finish, drain } = createTestRecorder();
  recorded.failure = new Error("disk");
  await finish("run-1", outcome).catch(() => {});
  recorded.failure = undefined;
  await drain();
  expect(recorded.commits.map(toKinds)).toEqual([["finish"]]);
  let begun = false;
  const beginning = begin(newRun()).then(() => {
    begun = true;
  });
  await drain();
  await beginning;
  expect(begun).toBe(true);
  await drain();
  expect(recorded.commits).toHaveLength(2);
});

test("Too many waiting calls are refused, outcomes never", async () => {
  const { recorded, begin, finish, insertFinished } = createTestRecorder({ waitingMax: 2 });
  const settled = await Promise.allSettled([
    begin(newRun()),
    begin(newRun()),
    begin(newRun()),
    insertFinished(newFinishedRun()),
    finish("run-1", outcome),
  ]);
  expect(settled.map(({ status }) => status)).toEqual([
    "fulfilled",
    "fulfilled",
    "rejected",
    "rejected",
    "fulfilled",
  ]);
  expect(settled[2]).toMatchObject({ reason: { code: "rate_limited" } });
  expect(recorded.commits.map(toKinds)).toEqual([["begin", "begin", "finish"]]);
  await begin(newRun());
});

test("A write is rejected if the lock is closed meanwhile", async () => {
  const { recorded, begin } = createTestRecorder();
  const begun = begin(newRun());
  await recorded.lock.close();
  await expect(begun).rejects.toThrow("The hub is stopping");
  await expect(begin(newRun())).rejects.toThrow("The hub is stopping");
});
