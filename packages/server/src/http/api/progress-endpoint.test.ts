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

describe("a client that takes no events", () => {
  test("waits for the answer, and its connection is held open for as long", async () => {
    const { req, holds } = createApiRequest();
    const response = await endpoint.respond(req);
    expect([response.status, await response.json()]).toEqual([200, { size: 2 }]);
    expect(holds).toEqual({ begun: 1, ended: 1 });
  });

  test("gets a failure as any other, and its connection is released", async () => {
    const { req, holds } = createApiRequest();
    await expect(refused.respond(req)).rejects.toBe(refusal);
    expect(holds).toEqual({ begun: 1, ended: 1 });
  });
});

describe("a client that takes events", () => {
  test("gets each step, then the result, and no cache keeps them", async () => {
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

  test("gets a failure as the last event, with its details", async () => {
    const { req, holds, faults } = createApiRequest({ wantsEvents: true });
    expect(await readEventData(await refused.respond(req))).toEqual([
      { error: "It is there already.", code: "conflict", version: 7 },
    ]);
    expect(faults).toEqual([]);
    expect(holds).toEqual({ begun: 1, ended: 1 });
  });

  test("is not told the cause of a fault inside, which the log gets", async () => {
    const cause = new Error("disk full");
    const { req, faults } = createApiRequest({ wantsEvents: true });
    const [event] = await readEventData(await define(() => Promise.reject(cause)).respond(req));
    expect(event).toMatchObject({ code: "internal" });
    expect(JSON.stringify(event)).not.toContain("disk full");
    expect(faults).toEqual([cause]);
  });

  test("is not told of an answer that broke its description, which the log gets", async () => {
    const { req, faults } = createApiRequest({ wantsEvents: true });
    // Not of the promised type, as the work of a plugin may be.
    const odd = define(async () => ({ size: "large" }) as unknown as { size: number });
    expect(await readEventData(await odd.respond(req))).toMatchObject([{ code: "internal" }]);
    expect(faults).toEqual([expect.any(z.ZodError)]);
  });

  test("that leaves does not end the work, and its connection is released at once", async () => {
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

test("a request that does not fit is refused before its connection is held open", async () => {
  for (const wantsEvents of [false, true]) {
    const { req, holds } = createApiRequest({ wantsEvents, body: '{"sise": 1}' });
    await expect(endpoint.respond(req)).rejects.toMatchObject({ code: "bad_request" });
    expect(holds.begun).toBe(0);
  }
});
