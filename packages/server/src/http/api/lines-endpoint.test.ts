import { expect, test } from "bun:test";
import { z } from "zod";
import { HubError } from "../../errors.ts";
import { until } from "../../mcp/testing/until.ts";
import { createApiRequest } from "../testing/api-request.ts";
import { defineLinesEndpoint } from "./lines-endpoint.ts";

type Line = { n: number };

function define(write: () => AsyncGenerator<Line[]>) {
  const answer = z.object({ n: z.number() });
  return defineLinesEndpoint({ name: "count", summary: "Count", answer, handle: write });
}

test("Values are sent one per line, page by page, and the connection is released at the end", async () => {
  const { req, holds } = createApiRequest();
  const response = await define(async function* () {
    yield [{ n: 1, secret: "x" }, { n: 2 }];
    yield [{ n: 3 }];
  }).respond(req);
  expect(response.headers.get("content-type")).toBe("application/x-ndjson");
  expect(await response.text()).toBe('{"n":1}\n{"n":2}\n{"n":3}\n');
  expect(holds).toEqual({ begun: 1, ended: 1 });
});

test("A failure before the first line is answered like any failure", async () => {
  const { req, holds } = createApiRequest();
  const failing = define(() => {
    throw new Error("disk full");
  });
  await expect(failing.respond(req)).rejects.toThrow("disk full");
  expect(holds).toEqual({ begun: 0, ended: 0 });
});

test("A failure after the first line breaks the answer and is logged", async () => {
  const { req, holds, faults } = createApiRequest();
  const response = await define(async function* () {
    yield [{ n: 1 }];
    throw new Error("disk full");
  }).respond(req);
  await expect(response.text()).rejects.toThrow("disk full");
  expect(faults).toEqual([expect.objectContaining({ message: "disk full" })]);
  expect(holds).toEqual({ begun: 1, ended: 1 });
});

test("After a disconnect no more pages are read, and the connection is released", async () => {
  const { req, holds } = createApiRequest();
  let isClosed = false;
  let pages = 0;
  const response = await define(async function* () {
    try {
      for (;;) {
        pages += 1;
        yield [{ n: pages }];
      }
    } finally {
      // The disconnect is complete only after this.
      await new Promise(setImmediate);
      isClosed = true;
    }
  }).respond(req);
  await response.body?.cancel();
  expect([isClosed, holds.ended]).toEqual([true, 1]);
  expect(pages).toBeLessThanOrEqual(2);
});

test("An answer ends when its caller loses the right, and no more pages are read", async () => {
  let isAllowed = true;
  let pages = 0;
  const { req, holds } = createApiRequest({
    async checkAgain() {
      if (!isAllowed) throw new HubError("forbidden", "Only admins may do this.");
    },
  });
  const response = await define(async function* () {
    for (;;) {
      pages += 1;
      if (pages === 3) isAllowed = false;
      yield [{ n: pages }];
    }
  }).respond(req);
  await expect(response.text()).rejects.toThrow("Only admins");
  expect(pages).toBe(3);
  expect(holds).toEqual({ begun: 1, ended: 1 });
});

test("A client that leaves while a page is read is not reported as one that does not read", async () => {
  const { req, holds, timers, faults } = createApiRequest();
  const read = Promise.withResolvers<void>();
  const response = await define(async function* () {
    yield [{ n: 1 }];
    await read.promise;
    yield [{ n: 2 }];
  }).respond(req);
  const reader = response.body?.getReader();
  await reader?.read();
  const left = reader?.cancel();
  read.resolve();
  await left;
  await new Promise(setImmediate);
  timers.advance(60_000);
  expect([holds.ended, faults.length, timers.pending()]).toEqual([1, 0, 0]);
});

test("An answer that is not read for a minute is broken off, and its place is free", async () => {
  let open = 0;
  const { req, holds, timers, faults } = createApiRequest({
    countStream() {
      open += 1;
      return () => {
        open -= 1;
      };
    },
  });
  const response = await define(async function* () {
    for (let n = 0; ; n += 1) yield [{ n }];
  }).respond(req);
  const reader = response.body?.getReader();
  await reader?.read();
  await until(() => timers.pending() > 0);
  timers.advance(59_999);
  expect([open, faults.length]).toEqual([1, 0]);
  timers.advance(1);
  expect([open, holds.ended, faults.length, timers.pending()]).toEqual([0, 1, 1, 0]);
});

test("An answer that fails early or ends is no longer counted", async () => {
  let open = 0;
  const count = () => {
    open += 1;
    return () => {
      open -= 1;
    };
  };
  const failing = define(() => {
    throw new Error("disk full");
  });
  const { req } = createApiRequest({ countStream: count });
  await expect(failing.respond(req)).rejects.toThrow("disk full");
  const whole = await define(async function* () {
    yield [{ n: 1 }];
  }).respond(req);
  expect(open).toBe(1);
  await whole.text();
  expect(open).toBe(0);
});
