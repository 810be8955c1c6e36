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
  expect(await countTurns(JSON.stringify("x".repeat(300_000)))).toBe(1);
  // One, and five between the six halves of a MiB.
  expect(await countTurns(JSON.stringify("x".repeat(3_000_000)))).toBe(6);
});

test.each([
  ["as a list", "9".repeat(300), 3_600],
  ["as one", "9".repeat(1_100_000), 1],
  ["with exponents", `1${"0".repeat(100)}e-300`, 10_500],
])("Long numbers %s, which take long to parse, are refused with what to do", async (_, number, count) => {
  const body = `[${Array(count).fill(number).join(",")}]`;
  await expect(countTurns(body)).rejects.toMatchObject({
    code: "bad_request",
    message: expect.stringContaining("more than 1048576 digits together. Send them as texts"),
  });
});

test("Many numbers that are short or usual are read", async () => {
  await countTurns(`[${Array(99_000).fill("-12.345678901234567e-10").join(",")}]`);
  await countTurns(`[${Array(3_000).fill("9".repeat(300)).join(",")}]`);
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
