import { expect, test } from "bun:test";
import { toHubError } from "../errors.ts";
import { createInFlight } from "./in-flight.ts";

const named = (id: string, owner = "ada") => ({ owner, session: "s", id });

test("a call is cancelled by its name, with a reason that says so", () => {
  const inFlight = createInFlight();
  const call = inFlight.start(named("1"), 100);
  inFlight.cancel(named("1"));
  expect(call.signal.aborted).toBe(true);
  expect(toHubError(call.signal.reason).code).toBe("cancelled");
});

test("cancelling a call that has ended, or never was, does nothing", () => {
  const inFlight = createInFlight();
  const call = inFlight.start(named("1"), 100);
  call.end();
  inFlight.cancel(named("1"));
  inFlight.cancel(named("2"));
  expect(call.signal.aborted).toBe(false);
});

test("the end of one call leaves a later one of the same name cancellable", () => {
  const inFlight = createInFlight();
  const earlier = inFlight.start(named("1"), 100);
  const later = inFlight.start(named("1"), 100);
  earlier.end();
  inFlight.cancel(named("1"));
  expect(later.signal.aborted).toBe(true);
});

test("is crowded once more calls are under way than it has room for", () => {
  const inFlight = createInFlight({ requestsMax: 2 });
  const first = inFlight.start(named("1", "ada"), 100);
  inFlight.start(named("1", "ben"), 100);
  expect(inFlight.isCrowded("ada")).toBe(false);
  inFlight.start(named("1", "cleo"), 100);
  expect(inFlight.isCrowded("ada")).toBe(true);
  first.end();
  first.end();
  expect(inFlight.isCrowded("ada")).toBe(false);
});

test("one owner's calls fill half of it, and leave the rest to the others", () => {
  const inFlight = createInFlight({ requestsMax: 4 });
  const calls = ["1", "2", "3"].map((id) => inFlight.start(named(id), 100));
  expect([inFlight.isCrowded("ada"), inFlight.isCrowded("ben")]).toEqual([true, false]);
  calls[0]?.end();
  expect(inFlight.isCrowded("ada")).toBe(false);
});

test("a long request takes the place of several", () => {
  const inFlight = createInFlight({ requestsMax: 100 });
  const long = inFlight.start(named("1"), 1024 * 1024);
  expect([inFlight.isCrowded("ada"), inFlight.isCrowded("ben")]).toEqual([true, false]);
  long.end();
  expect(inFlight.isCrowded("ada")).toBe(false);
});

test("closing cancels everything under way and waits for its end", async () => {
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

test("closing while nothing is under way is done at once", async () => {
  await createInFlight().close();
});

test("no user, session or id can be made to look like another's call", () => {
  const inFlight = createInFlight();
  const call = inFlight.start({ owner: 'a","b', session: "c", id: "1" }, 100);
  inFlight.cancel({ owner: "a", session: 'b","c', id: "1" });
  inFlight.cancel({ owner: 'a","b', session: "c", id: '"1"' });
  expect(call.signal.aborted).toBe(false);
});
