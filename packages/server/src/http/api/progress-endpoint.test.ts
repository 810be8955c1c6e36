import { describe, expect, test } from "bun:test";
import { z } from "zod";
import { HubError } from "../../errors.ts";
import { createApiRequest, readEventData } from "../testing/api-request.ts";
import { defineProgressEndpoint } from "./progress-endpoint.ts";

type Work = (onProgress: (progress: unknown) => void) => Promise<{ size: number }>;

const define = (work: Work) =>
  defineProgressEndpoint({
    name: "work",
    summary: "Work",
    body: z.strictObject({ size: z.number().default(1) }),
    answer: z.object({ size: z.number() }),
    handle: (_, onProgress: (progress: unknown) => void) => work(onProgress),
  });

const endpoint = define(async (onProgress) => {
  onProgress({ phase: "one" });
  onProgress({ phase: "two" });
  return { size: 2 };
});

const refusal = new HubError("conflict", "It is there already.", { detail: { version: 7 } });
const refused = define(() => Promise.reject(refusal));

describe("a client that does not accept events", () => {
  test("A client without events waits for the answer, and its connection is kept open", async () => {
    const { req, holds } = createApiRequest();
    const response = await endpoint.respond(req);
    expect([response.status, await response.json()]).toEqual([200, { size: 2 }]);
    expect(holds).toEqual({ begun: 1, ended: 1 });
  });

  test("A client without events gets failures as usual, and its connection is released", async () => {
    const { req, holds } = createApiRequest();
    await expect(refused.respond(req)).rejects.toBe(refusal);
    expect(holds).toEqual({ begun: 1, ended: 1 });
  });
});

describe("a client that accepts events", () => {
  test("A client with events gets each step, then the result, and caches do not store them", async () => {
    const { req, holds } = createApiRequest({ wantsEvents: true });
    const response = await endpoint.respond(req);
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(response.headers.get("cache-control")).toContain("no-store");
    expect(await readEventData(response)).toEqual([
      { progress: { phase: "one" } },
      { progress: { phase: "two" } },
      { result: { size: 2 } },
    ]);
    expect(holds).toEqual({ begun: 1, ended: 1 });
  });

  test("A client with events gets a failure as the last event, with its details", async () => {
    const { req, holds, faults } = createApiRequest({ wantsEvents: true });
    expect(await readEventData(await refused.respond(req))).toEqual([
      { error: "It is there already.", code: "conflict", version: 7 },
    ]);
    expect(faults).toEqual([]);
    expect(holds).toEqual({ begun: 1, ended: 1 });
  });

  test("The cause of an internal failure is logged and not sent", async () => {
    const cause = new Error("disk full");
    const { req, faults } = createApiRequest({ wantsEvents: true });
    const [event] = await readEventData(await define(() => Promise.reject(cause)).respond(req));
    expect(event).toMatchObject({ code: "internal" });
    expect(JSON.stringify(event)).not.toContain("disk full");
    expect(faults).toEqual([cause]);
  });

  test("An answer that does not match its schema is logged and not sent", async () => {
    const { req, faults } = createApiRequest({ wantsEvents: true });
    // Of another type than declared, as a plugin's result may be.
    const odd = define(async () => ({ size: "large" }) as unknown as { size: number });
    expect(await readEventData(await odd.respond(req))).toMatchObject([{ code: "internal" }]);
    expect(faults).toEqual([expect.any(z.ZodError)]);
  });

  test("A disconnect does not stop the work, and the connection is released at once", async () => {
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
    let isDone = false;
    const slow = define(async () => {
      await mayEnd;
      isDone = true;
      return { size: 1 };
    });
    const { req, holds } = createApiRequest({ wantsEvents: true });
    const response = await slow.respond(req);
    await response.body?.cancel();
    expect(holds.ended).toBe(1);
    end();
    while (!isDone) await Promise.resolve();
    expect(isDone).toBeTrue();
  });
});

test("An invalid request is refused before its connection is kept open", async () => {
  for (const wantsEvents of [false, true]) {
    const { req, holds } = createApiRequest({ wantsEvents, body: '{"sise": 1}' });
    await expect(endpoint.respond(req)).rejects.toMatchObject({ code: "bad_request" });
    expect(holds.begun).toBe(0);
  }
});

describe("a caller whose right ends while the work is done", () => {
  const gone = new HubError("unauthorized", "This token was revoked.");

  test("A caller whose right has ended gets neither progress nor result", async () => {
    const { req, holds } = createApiRequest({
      wantsEvents: true,
      checkRight: () => Promise.reject(gone),
    });
    expect(await readEventData(await endpoint.respond(req))).toEqual([
      { error: gone.message, code: "unauthorized" },
    ]);
    expect(holds).toEqual({ begun: 1, ended: 1 });
  });

  test("A caller without events whose right has ended gets the refusal", async () => {
    const { req } = createApiRequest({ checkRight: () => Promise.reject(gone) });
    await expect(endpoint.respond(req)).rejects.toBe(gone);
  });
});

test("Long work counts as a stream of its caller until it ends", async () => {
  let open = 0;
  const countStream = () => {
    open += 1;
    return () => {
      open -= 1;
    };
  };
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  const slow = define(async () => {
    await mayEnd;
    return { size: 1 };
  });
  const { req } = createApiRequest({ wantsEvents: true, countStream });
  const response = await slow.respond(req);
  expect(open).toBe(1);
  end();
  await response.text();
  expect(open).toBe(0);
});
