import { expect, test } from "bun:test";
import { toHubError } from "../errors.ts";
import { createInFlight, toCallKey } from "./in-flight.ts";

test("a call is cancelled by its key, with a reason that says so", () => {
  const inFlight = createInFlight();
  const call = inFlight.start("a");
  inFlight.cancel("a");
  expect(call.signal.aborted).toBe(true);
  expect(toHubError(call.signal.reason).code).toBe("cancelled");
});

test("cancelling a call that has ended, or never was, does nothing", () => {
  const inFlight = createInFlight();
  const call = inFlight.start("a");
  call.end();
  inFlight.cancel("a");
  inFlight.cancel("b");
  expect(call.signal.aborted).toBe(false);
});

test("the end of one call leaves a later one of the same key cancellable", () => {
  const inFlight = createInFlight();
  const earlier = inFlight.start("a");
  const later = inFlight.start("a");
  earlier.end();
  inFlight.cancel("a");
  expect(later.signal.aborted).toBe(true);
});

test("is crowded once more calls are under way than it has room for", () => {
  const inFlight = createInFlight({ requestsMax: 1 });
  const first = inFlight.start("a");
  expect(inFlight.isCrowded()).toBe(false);
  inFlight.start("b");
  expect(inFlight.isCrowded()).toBe(true);
  first.end();
  expect(inFlight.isCrowded()).toBe(false);
});

test("closing cancels everything under way and waits for its end", async () => {
  const inFlight = createInFlight();
  const calls = [inFlight.start("a"), inFlight.start("a"), inFlight.start("b")];
  const closed = inFlight.close();
  expect(calls.map(({ signal }) => signal.aborted)).toEqual([true, true, true]);
  for (const call of calls) {
    expect(Bun.peek.status(closed)).toBe("pending");
    call.end();
  }
  await closed;
});

test("closing while nothing is under way is done at once", async () => {
  await createInFlight().close();
});

test("no user, session or id can be made to look like another key", () => {
  expect(toCallKey('a","b', "c", "1")).not.toBe(toCallKey("a", 'b","c', "1"));
  expect(toCallKey("a", "s", '"1"')).not.toBe(toCallKey("a", "s", "1"));
});
