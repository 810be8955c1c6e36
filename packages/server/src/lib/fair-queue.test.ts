import { expect, test } from "bun:test";
import { createFairQueue } from "./fair-queue.ts";

const never = new AbortController().signal;

/** Enters jobs, of one owner by default, and notes the order in which they begin. */
function openLine(ownerAtOnce: number, more: { atOnce?: number; waitingMax?: number } = {}) {
  const { atOnce, waitingMax } = more;
  const refuse = () => new Error("too many");
  const queue = createFairQueue({
    ...{ ownerAtOnce, ...(atOnce !== undefined && { atOnce }) },
    ...(waitingMax !== undefined && { waiting: { max: waitingMax, refuse } }),
  });
  const begun: string[] = [];
  const leave = new Map<string, () => void>();
  return {
    queue,
    begun,
    leave: (name: string) => leave.get(name)?.(),
    enter: (name: string, signal = never, id = "ann") =>
      queue.enter(id, signal).then((end) => {
        begun.push(name);
        leave.set(name, end);
      }),
  };
}

test("Jobs beyond the limit wait and begin in their order", async () => {
  const line = openLine(2);
  const jobs = ["a", "b", "c", "d"].map((name) => line.enter(name));
  await Promise.all(jobs.slice(0, 2));
  expect(line.begun).toEqual(["a", "b"]);
  line.leave("b");
  await jobs[2];
  line.leave("a");
  await jobs[3];
  expect(line.begun).toEqual(["a", "b", "c", "d"]);
});

test("A newcomer does not overtake a job that waits", async () => {
  const line = openLine(1);
  await line.enter("a");
  const second = line.enter("b");
  line.leave("a");
  const third = line.enter("c");
  await second;
  expect(line.begun).toEqual(["a", "b"]);
  line.leave("b");
  await third;
});

test("The jobs of one owner do not hold up those of another", async () => {
  const line = openLine(1);
  await line.enter("a");
  await line.enter("b", never, "bob");
  expect(line.begun).toEqual(["a", "b"]);
});

test("A cancelled job leaves the queue", async () => {
  const line = openLine(1);
  await line.enter("a");
  const cancel = new AbortController();
  const second = line.enter("b", cancel.signal);
  const third = line.enter("c");
  cancel.abort(new Error("enough"));
  expect(second).rejects.toThrow("enough");
  line.leave("a");
  await third;
  expect(line.begun).toEqual(["a", "c"]);
  expect(line.enter("d", cancel.signal)).rejects.toThrow("enough");
});

test("With a limit of all owners together, the owners take turns", async () => {
  const line = openLine(2, { atOnce: 2 });
  await Promise.all([line.enter("a1"), line.enter("a2")]);
  const waiting = [line.enter("a3"), line.enter("a4"), line.enter("b1", never, "bob")];
  line.leave("a1");
  line.leave("a2");
  await Promise.all([waiting[0], waiting[2]]);
  expect(line.begun).toEqual(["a1", "a2", "a3", "b1"]);
  line.leave("b1");
  await waiting[1];
});

test("An owner whose jobs fill the queue is refused, and others are not", async () => {
  const line = openLine(1, { atOnce: 1, waitingMax: 1 });
  await line.enter("a1");
  const second = line.enter("a2");
  expect(await line.enter("a3").catch(String)).toBe("Error: too many");
  const other = line.enter("b1", never, "bob");
  line.leave("a1");
  await second;
  line.leave("a2");
  await other;
  expect(line.begun).toEqual(["a1", "a2", "b1"]);
});
