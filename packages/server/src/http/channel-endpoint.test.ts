import { expect, test } from "bun:test";
import { HubError } from "../errors.ts";
import { systemTimers } from "../lib/timers.ts";
import { type ChannelParts, createChannelEndpoint } from "./channel-endpoint.ts";

const limit = 6_000;

/** An endpoint whose channel `team` accepts what is signed. All requests come from one network. */
function openEndpoint() {
  let opened = 0;
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
    counts: { begin: () => ({ refusal: Promise.resolve(null), end() {} }) },
    hosts: { hosts: new Set(["hub.test"]), origins: new Set() },
    findClient: () => ({ ip: "192.0.2.7", host: "hub.test" }),
    readChannelEvents: async () => new Uint8Array(),
    metrics: { countRequest() {} },
    timers: { ...systemTimers, now: () => 0 },
    log: { error() {} },
    refusals: { note() {} },
  } as unknown as Parameters<typeof createChannelEndpoint>[0]);
  const send = async (slug: string, signature: string, bytes: number | null = 100) => {
    const headers = new Headers({ "x-signature": signature });
    if (bytes !== null) headers.set("content-length", String(bytes));
    const url = `http://hub.test/channels/${slug}/events`;
    return (await endpoint(new Request(url, { method: "POST", headers }))).status;
  };
  return { send, opened: () => opened };
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
