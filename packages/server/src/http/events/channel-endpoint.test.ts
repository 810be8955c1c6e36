import { expect, test } from "bun:test";
import { HubError } from "../../errors.ts";
import { systemTimers } from "../../lib/time/timers.ts";
import { type ChannelParts, createChannelEndpoint } from "./channel-endpoint.ts";

const limit = 6_000;

const unlimited = { begin: () => ({ refusal: Promise.resolve(null), end() {} }) };

/** An endpoint whose channel `team` accepts what is signed. All requests come from one network. */
function openEndpoint(counts: ChannelParts["counts"] = unlimited) {
  let opened = 0;
  let last: Response | undefined;
  const openDoor: ChannelParts["openDoor"] = async (slug) => {
    opened += 1;
    if (slug !== "team") return null;
    return {
      rowId: "row-1",
      async receive({ headers }, onVerified) {
        if (headers.get("x-signature") !== "right") {
          throw new HubError("unauthorized", "The signature is wrong.");
        }
        await onVerified();
        return { status: 200 };
      },
    };
  };
  const endpoint = createChannelEndpoint({
    openDoor,
    counts,
    hosts: { hosts: new Set(["hub.test"]), origins: new Set() },
    findClient: () => ({ ip: "192.0.2.7", host: "hub.test" }),
    readChannelEvents: async () => new Uint8Array(),
    metrics: { countRequest() {} },
    timers: { ...systemTimers, now: () => 0 },
    log: { error() {} },
    refusals: { record() {} },
  } as unknown as Parameters<typeof createChannelEndpoint>[0]);
  const send = async (slug: string, signature: string, bytes: number | null = 100) => {
    const headers = new Headers({ "x-signature": signature });
    if (bytes !== null) headers.set("content-length", String(bytes));
    const url = `http://hub.test/channels/${slug}/events`;
    const body = bytes === null ? "{}" : null;
    last = await endpoint(new Request(url, { method: "POST", headers, body }));
    return last.status;
  };
  return { send, opened: () => opened, last: () => last };
}

test("A stranger who uses up the pace of a network does not shut out its platform", async () => {
  const { send, opened } = openEndpoint();
  for (let count = 0; count < limit; count += 1) await send("team", "wrong");
  expect(await send("team", "wrong")).toBe(429);
  expect(await send("absent", "right")).toBe(429);
  expect(await send("team", "right")).toBe(200);
  const before = opened();
  // A large body is not read only to be refused.
  expect(await send("team", "wrong", 65_537)).toBe(429);
  expect(await send("team", "right", null)).toBe(429);
  expect(opened()).toBe(before);
});

test("Signed requests do not count for the pace of their network", async () => {
  const { send } = openEndpoint();
  for (let count = 0; count < limit + 1; count += 1) await send("team", "right");
  expect(await send("team", "wrong")).toBe(401);
  expect(await send("absent", "right")).toBe(404);
});

test("A channel takes 6,000 signed requests a minute, counted over all servers", async () => {
  const begun: unknown[] = [];
  const { send, last } = openEndpoint({
    begin(key, limits) {
      begun.push([key, limits]);
      const refusal = { limit: "perMinute" as const, waitMs: 2_400 };
      return { refusal: Promise.resolve(refusal), end() {} };
    },
  });
  expect(await send("team", "wrong")).toBe(401);
  expect(begun).toEqual([]);
  expect(await send("team", "right")).toBe(429);
  expect(begun).toEqual([["channel:row-1", { perMinute: limit, atOnce: 0 }]]);
  expect(last()?.headers.get("retry-after")).toBe("3");
});
