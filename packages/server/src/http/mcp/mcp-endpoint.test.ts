import { expect, test } from "bun:test";
import { ada } from "../../mcp/testing/open-test-mcp.ts";
import { mcpRequest, openTestApp, ping } from "../testing/open-test-app.ts";

test("The sender of a body that arrives slowly is checked again when it has arrived", async () => {
  let isRevoked = false;
  const { app, timers } = openTestApp({ authenticate: async () => (isRevoked ? null : ada) });
  const source = {
    pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      timers.advance(5_000);
      isRevoked = true;
      controller.enqueue(new TextEncoder().encode(ping));
      controller.close();
    },
  };
  const body = new ReadableStream(source, { highWaterMark: 0 });
  const response = await app.request(mcpRequest({ body }));
  expect(response.status).toBe(401);
});

test("A request can wait again for the turn of its user, as each call of a message with several does", async () => {
  const turns: unknown[] = [];
  const { app } = openTestApp({
    mcp: {
      async answerPost({ waitForTurn }) {
        const left = AbortSignal.abort();
        for (let count = 0; count < 200; count += 1) {
          turns.push(await waitForTurn?.(left)?.catch(({ code }) => code));
        }
        return new Response(null, { status: 202 });
      },
      endSession() {},
    },
  });
  await app.request(mcpRequest());
  expect(turns).toHaveLength(200);
});

test("The caller of a request and the caller as stored later have the scope of the address", async () => {
  const seen: unknown[] = [];
  const { app } = openTestApp({
    mcp: {
      async answerPost({ caller, findCaller }) {
        seen.push(caller, await findCaller());
        return new Response(null, { status: 202 });
      },
      endSession: ({ caller }) => void seen.push(caller),
    },
  });
  await app.request(mcpRequest());
  await app.request(mcpRequest({ method: "DELETE" }));
  const expected = { ...ada, scope: null };
  expect(seen).toEqual([expected, expected, expected]);
});
