import { expect, test } from "bun:test";
import { readPayload } from "./read-payload.ts";

function toRequest(text: string) {
  const headers = new Headers({ "content-type": "application/json" });
  const raw = new TextEncoder().encode(text);
  return { method: "POST", slug: "", headers, query: new URLSearchParams(), raw };
}

async function countTurns(text: string): Promise<number> {
  let turns = 0;
  const yieldToEventLoop = async () => {
    turns += 1;
  };
  await readPayload({ yieldToEventLoop }, toRequest(text));
  return turns;
}

test("A large JSON body takes a turn of the event loop for each step that reads it", async () => {
  expect(await countTurns(JSON.stringify("x".repeat(300_000)))).toBe(2);
});

test("A small JSON body takes no turn of its own", async () => {
  expect(await countTurns('{"a":1}')).toBe(0);
});

test("The event has no credentials of the sender: neither the known headers nor the trigger's own signature", async () => {
  const credentials = [
    ...["authorization", "cookie", "proxy-authorization", "x-hub-sig", "x-hub-sig-timestamped"],
    "x-shop-signature",
  ];
  const request = toRequest("{}");
  for (const name of credentials) request.headers.set(name, "secret");
  request.headers.set("x-event", "order");
  const deps = { yieldToEventLoop: async () => {} };
  const payload = await readPayload(deps, { ...request, signatureHeaders: ["x-shop-signature"] });
  expect(payload).toMatchObject({
    headers: { "content-type": "application/json", "x-event": "order" },
  });
  expect(JSON.stringify(payload)).not.toContain("secret");
});
