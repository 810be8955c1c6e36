import { expect, test } from "bun:test";
import { HubError } from "../../errors.ts";
import { createManualTimers } from "../time/manual-timers.ts";
import { createCheckedRelay } from "./checked-relay.ts";

const gone = new HubError("unauthorized", "This token was revoked.");

function open() {
  const timers = createManualTimers();
  const sent: number[] = [];
  const losses: HubError[] = [];
  let failure: Error | null = null;
  const relay = createCheckedRelay<number>({
    after: timers.after,
    async check() {
      if (failure !== null) throw failure;
    },
    send: (value) => sent.push(value),
    onLost: (reason) => losses.push(reason),
  });
  return {
    timers,
    sent,
    losses,
    relay,
    fail(reason: Error | null) {
      failure = reason;
    },
  };
}

/** Lets the promises of a check resolve. */
const flush = () => new Promise<void>((resolve) => setImmediate(resolve));

test("Values are passed on in their order, and none is left at the end", async () => {
  const { relay, sent, timers } = open();
  for (const value of [1, 2, 3]) relay.put(value);
  await relay.end();
  expect(sent).toEqual([1, 2, 3]);
  expect(timers.pending()).toBe(0);
});

test("After the right has ended, nothing is passed on, and the end rejects with the reason", async () => {
  const { relay, sent, losses, fail } = open();
  relay.put(1);
  await flush();
  fail(gone);
  relay.put(2);
  await flush();
  fail(null);
  relay.put(3);
  await expect(relay.end()).rejects.toBe(gone);
  expect([sent, losses]).toEqual([[1], [gone]]);
});

test("Work that reports nothing ends within ten seconds after the right", async () => {
  const { losses, fail, timers } = open();
  timers.advance(10_000);
  await flush();
  expect(losses).toEqual([]);
  fail(gone);
  timers.advance(10_000);
  await flush();
  expect(losses).toEqual([gone]);
  expect(timers.pending()).toBe(0);
});

test("A check that could not be made does not end the work, and passes nothing on", async () => {
  const { relay, sent, losses, fail } = open();
  fail(new Error("the database does not answer"));
  relay.put(1);
  await flush();
  fail(null);
  relay.put(2);
  await relay.end();
  expect([sent, losses]).toEqual([[2], []]);
});
