import { expect, test } from "bun:test";
import { createManualTimers } from "../../lib/time/manual-timers.ts";
import { createSignalQueue } from "./signal-queue.ts";

function open(send: () => Promise<void> = async () => {}) {
  const timers = createManualTimers();
  const received: Array<() => void> = [];
  const state = { sent: 0, ended: 0 };
  const queue = createSignalQueue({
    timers,
    signals: {
      async send(name) {
        expect(name).toBe("runs");
        state.sent += 1;
        await send();
      },
      async receive(_name, onSignal) {
        received.push(onSignal);
        return async () => {
          state.ended += 1;
        };
      },
    },
  });
  const offer = (count: number) => {
    for (let index = 0; index < count; index += 1) queue.offer([{ runId: "r", dueAt: 0 }]);
  };
  const flush = () => new Promise((resolve) => setImmediate(resolve));
  return { timers, received, state, queue, offer, flush };
}

test("The first offer sends a signal at once, and a thousand after it share the next one", async () => {
  const { timers, state, offer, flush } = open();
  offer(1);
  expect(state.sent).toBe(1);
  offer(1000);
  await flush();
  expect(state.sent).toBe(1);
  timers.advance(25);
  await flush();
  expect(state.sent).toBe(2);
  timers.advance(25);
  await flush();
  expect([state.sent, timers.pending()]).toEqual([2, 0]);
  offer(1);
  expect(state.sent).toBe(3);
});

test("A close sends pending offers without waiting, and ends the receiver", async () => {
  const { state, queue, offer, received } = open();
  queue.consume(() => {});
  offer(1);
  offer(1);
  await queue.close();
  expect(state).toEqual({ sent: 2, ended: 1 });
  expect(received).toHaveLength(1);
});

test("A queue without offers sends no signal and keeps no timer", async () => {
  const { state, queue, timers } = open();
  queue.offer([]);
  await queue.close();
  expect([state.sent, state.ended, timers.pending()]).toEqual([0, 0, 0]);
});
