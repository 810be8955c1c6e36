import { describe, expect, test } from "bun:test";
import { toHubError } from "../../errors.ts";
import { createManualTimers } from "../../lib/time/manual-timers.ts";
import type { AnswerJob, MainMessage, WorkerMessage } from "./answer-job.ts";
import { createWorkerQueue } from "./worker-queue.ts";

const job = (text: string): AnswerJob => ({
  text,
  parts: [],
  secrets: [],
  isMaskingEnabled: true,
  resultBytesMax: 1000,
  auditBytesMax: 1000,
});

/** A simulated worker: the messages it got, and functions to send messages and to die. */
type Played = {
  heard: MainMessage[];
  send(message: WorkerMessage): void;
  die(): void;
  isEnded: boolean;
};

function openQueue({ canStart = true } = {}) {
  const workers: Played[] = [];
  const timers = createManualTimers();
  const queue = createWorkerQueue({
    timers,
    openWorker({ onMessage, onFailure }) {
      if (!canStart) throw new Error("There is no such file.");
      const played: Played = {
        heard: [],
        send: onMessage,
        die: () => onFailure(new Error("It ran out of memory.")),
        isEnded: false,
      };
      workers.push(played);
      return {
        post: (message) => played.heard.push(message),
        end() {
          played.isEnded = true;
        },
      };
    },
  });
  const read = (userId: string, text: string) =>
    queue
      .read(userId, job(text), async ({ seal, genuine }) => ({
        tokens: seal.map(() => "token"),
        genuine: genuine.map(() => true),
      }))
      .catch(toHubError);
  const worker = (index = 0): Played => {
    const found = workers[index];
    if (found === undefined) throw new Error("No worker was started.");
    return found;
  };
  /** The texts of the jobs of all workers, in order. */
  const listJobs = () =>
    workers.flatMap(({ heard }) =>
      heard.flatMap((one) => (one.kind === "job" ? one.job.text : [])),
    );
  return { queue, read, timers, workers, worker, listJobs };
}

const done = (text: string): WorkerMessage => ({
  kind: "done",
  answer: { text, auditText: text },
});

describe("the worker queue", () => {
  test("The queue starts no worker before the first job, and one worker for all jobs", async () => {
    const { read, workers, worker } = openQueue();
    expect(workers).toBeEmpty();
    const answers = [read("ada", "1"), read("ada", "2")];
    worker().send(done("one"));
    worker().send(done("two"));
    expect(await Promise.all(answers)).toMatchObject([{ text: "one" }, { text: "two" }]);
    expect(workers).toHaveLength(1);
  });

  test("Each user gets a turn, however many answers of another user wait", () => {
    const { read, worker, listJobs } = openQueue();
    for (let count = 0; count < 30; count += 1) void read("ada", `ada ${count}`);
    void read("bob", "bob 0");
    void read("eve", "eve 0");
    for (let count = 0; count < 4; count += 1) worker().send(done(""));
    expect(listJobs()).toEqual(["ada 0", "ada 1", "bob 0", "eve 0", "ada 2"]);
  });

  test("The queue answers the questions of the worker", async () => {
    const { read, worker } = openQueue();
    const answer = read("ada", "1");
    worker().send({ kind: "ask", questions: { seal: [{ text: "s", ofRow: false }], genuine: [] } });
    await Promise.resolve();
    await Promise.resolve();
    expect(worker().heard.at(-1)).toEqual({
      kind: "replies",
      replies: { tokens: ["token"], genuine: [] },
    });
    worker().send(done("one"));
    expect(await answer).toMatchObject({ text: "one" });
  });

  test("A worker that dies is replaced, and only its current answer is lost", async () => {
    const { read, worker, workers, listJobs } = openQueue();
    const [first, second] = [read("ada", "1"), read("bob", "2")];
    worker().die();
    expect(await first).toMatchObject({
      code: "internal",
      message: expect.stringContaining("left out"),
    });
    expect(worker().isEnded).toBeTrue();
    expect(workers).toHaveLength(2);
    worker(1).send(done("two"));
    expect(await second).toMatchObject({ text: "two" });
    expect(listJobs()).toEqual(["1", "2"]);
  });

  test("Messages of a replaced worker are ignored", async () => {
    const { read, worker } = openQueue();
    const [first, second] = [read("ada", "1"), read("bob", "2")];
    worker().die();
    worker(0).send(done("the first worker's"));
    worker(0).die();
    worker(1).send(done("two"));
    expect(await first).toMatchObject({ code: "internal" });
    expect(await second).toMatchObject({ text: "two" });
  });

  test("If a worker cannot be started, the answer is left out", async () => {
    const { read } = openQueue({ canStart: false });
    const failure = await read("ada", "1");
    expect(failure).toMatchObject({ code: "internal", cause: new Error("There is no such file.") });
    expect(await read("ada", "2")).toMatchObject({ code: "internal" });
  });

  test("The queue passes on why an answer was refused, and continues", async () => {
    const { read, worker } = openQueue();
    const [first, second] = [read("ada", "1"), read("ada", "2")];
    worker().send({ kind: "refused", code: "upstream_error", message: "Nested too deeply." });
    worker().send({ kind: "broken", message: "RangeError" });
    expect(await first).toMatchObject({ code: "upstream_error", message: "Nested too deeply." });
    expect(await second).toMatchObject({ code: "internal" });
  });

  test("A worker that needs more than a minute for one answer is ended", async () => {
    const { read, worker, timers } = openQueue();
    const answer = read("ada", "1");
    timers.advance(60_000);
    expect(await answer).toMatchObject({
      code: "upstream_error",
      message: expect.stringContaining("too long"),
    });
    expect(worker().isEnded).toBeTrue();
  });

  test("An idle worker is ended after half a minute, not earlier", async () => {
    const { read, worker, workers, timers } = openQueue();
    const first = read("ada", "1");
    worker().send(done("one"));
    await first;
    timers.advance(29_000);
    const second = read("ada", "2");
    worker().send(done("two"));
    await second;
    timers.advance(29_000);
    expect(worker().isEnded).toBeFalse();
    timers.advance(1_000);
    expect(worker().isEnded).toBeTrue();
    void read("ada", "3");
    expect(workers).toHaveLength(2);
  });

  test("Closing the queue ends the worker and leaves no timer", async () => {
    const { queue, read, worker } = openQueue();
    const answers = [read("ada", "1"), read("bob", "2")];
    queue.close();
    expect(worker().isEnded).toBeTrue();
    const late = await read("ada", "3");
    expect([...(await Promise.all(answers)), late]).toMatchObject(
      Array(3).fill({ code: "cancelled" }),
    );
  });
});
