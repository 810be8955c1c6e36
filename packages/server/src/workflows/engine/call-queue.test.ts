import { expect, test } from "bun:test";
import { createCallQueue } from "./call-queue.ts";

const never = new AbortController().signal;

/** Enters calls of one owner, and notes the order in which they begin. */
function openLine(atOnce: number, ownerId = "ann") {
  const queue = createCallQueue({ atOnce });
  const begun: string[] = [];
  const leave = new Map<string, () => void>();
  return {
    queue,
    begun,
    leave: (name: string) => leave.get(name)?.(),
    enter: (name: string, signal = never, id = ownerId) =>
      queue.enter(id, signal).then((end) => {
        begun.push(name);
        leave.set(name, end);
      }),
  };
}

test("Calls beyond the limit wait and begin in their order", async () => {
  const line = openLine(2);
  const calls = ["a", "b", "c", "d"].map((name) => line.enter(name));
  await Promise.all(calls.slice(0, 2));
  expect(line.begun).toEqual(["a", "b"]);
  line.leave("b");
  await calls[2];
  line.leave("a");
  await calls[3];
  expect(line.begun).toEqual(["a", "b", "c", "d"]);
});

test("A newcomer does not overtake a call that waits", async () => {
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

test("The calls of one owner do not hold up those of another", async () => {
  const line = openLine(1);
  await line.enter("a");
  await line.enter("b", never, "bob");
  expect(line.begun).toEqual(["a", "b"]);
});

test("A cancelled call leaves the queue", async () => {
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
