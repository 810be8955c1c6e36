import { expect, test } from "bun:test";
import { toHubError } from "../../errors.ts";
import { createInFlight } from "./in-flight.ts";

const named = (id: string, owner = "ada") => ({ owner, session: "s", id });

test("A call is cancelled by its name, with the reason cancelled", () => {
  const inFlight = createInFlight();
  const call = inFlight.start(named("1"), 100);
  inFlight.cancel(named("1"));
  expect(call.signal.aborted).toBe(true);
  expect(toHubError(call.signal.reason).code).toBe("cancelled");
});

test("Cancelling a call that has ended or never existed does nothing", () => {
  const inFlight = createInFlight();
  const call = inFlight.start(named("1"), 100);
  call.end();
  inFlight.cancel(named("1"));
  inFlight.cancel(named("2"));
  expect(call.signal.aborted).toBe(false);
});

test("When a call ends, a later call of the same name can still be cancelled", () => {
  const inFlight = createInFlight();
  const earlier = inFlight.start(named("1"), 100);
  const later = inFlight.start(named("1"), 100);
  earlier.end();
  inFlight.cancel(named("1"));
  expect(later.signal.aborted).toBe(true);
});

test("The registry is full when more calls run than it has slots", () => {
  const inFlight = createInFlight({ requestsMax: 2 });
  const first = inFlight.start(named("1", "ada"), 100);
  inFlight.start(named("1", "ben"), 100);
  expect(inFlight.isFull("ada")).toBe(false);
  inFlight.start(named("1", "cleo"), 100);
  expect(inFlight.isFull("ada")).toBe(true);
  first.end();
  first.end();
  expect(inFlight.isFull("ada")).toBe(false);
});

test("One owner's calls take at most half of the slots", () => {
  const inFlight = createInFlight({ requestsMax: 4 });
  const calls = ["1", "2", "3"].map((id) => inFlight.start(named(id), 100));
  expect([inFlight.isFull("ada"), inFlight.isFull("ben")]).toEqual([true, false]);
  calls[0]?.end();
  expect(inFlight.isFull("ada")).toBe(false);
});

test("A long request takes several slots", () => {
  const inFlight = createInFlight({ requestsMax: 100 });
  const long = inFlight.start(named("1"), 1024 * 1024);
  expect([inFlight.isFull("ada"), inFlight.isFull("ben")]).toEqual([true, false]);
  long.end();
  expect(inFlight.isFull("ada")).toBe(false);
});

test("Closing cancels all running calls and waits until they have ended", async () => {
  const inFlight = createInFlight();
  const calls = ["1", "1", "2"].map((id) => inFlight.start(named(id), 100));
  const closed = inFlight.close();
  expect(calls.map(({ signal }) => signal.aborted)).toEqual([true, true, true]);
  for (const call of calls) {
    expect(Bun.peek.status(closed)).toBe("pending");
    call.end();
  }
  await closed;
});

test("Closing without running calls resolves at once", async () => {
  await createInFlight().close();
});

test("No combination of user, session and id names another user's call", () => {
  const inFlight = createInFlight();
  const call = inFlight.start({ owner: 'a","b', session: "c", id: "1" }, 100);
  inFlight.cancel({ owner: "a", session: 'b","c', id: "1" });
  inFlight.cancel({ owner: 'a","b', session: "c", id: '"1"' });
  expect(call.signal.aborted).toBe(false);
});
