import { describe, expect, test } from "bun:test";
import { z } from "zod";
import { createApiRequest } from "../testing/api-request.ts";
import { defineEndpoint } from "./endpoint.ts";

const answer = z.object({ heard: z.unknown() });
const bodiless = defineEndpoint({
  ...{ name: "bodiless", summary: "Take no body", answer },
  handle: ({ body }) => ({ heard: body ?? "nothing" }),
});
const optional = defineEndpoint({
  ...{ name: "optional", summary: "Take a body that may be left out", answer },
  body: z.strictObject({ size: z.number().default(1) }),
  handle: ({ body }) => ({ heard: body }),
});

async function ask(endpoint: typeof bodiless, body: string): Promise<unknown> {
  const response = await endpoint.respond(createApiRequest({ body }).req);
  return Object(await response.json()).heard;
}

describe("a body", () => {
  test.each(["", " \n", "{}", " {}\n"])("that holds nothing is none: %j", async (text) => {
    expect(await ask(bodiless, text)).toBe("nothing");
    expect(await ask(optional, text)).toEqual({ size: 1 });
  });

  test.each(["[]", "null", '{"a":1}'])("is refused where none belongs: %j", async (text) => {
    await expect(ask(bodiless, text)).rejects.toMatchObject({ code: "bad_request" });
  });

  test("keeps the digits of a number that JavaScript would round, or refuses it", async () => {
    const any = defineEndpoint({
      ...{ name: "any", summary: "Take anything", answer, body: z.unknown() },
      handle: ({ body }) => ({ heard: body }),
    });
    const response = await any.respond(createApiRequest({ body: "12345678901234567890" }).req);
    expect(await response.text()).toBe('{"heard":12345678901234567890}');
  });

  test("that nests without end is refused before it is parsed", async () => {
    const nested = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    await expect(ask(optional, nested)).rejects.toThrow("nests deeper than");
  });
});

test("an answer has the status of its endpoint, and no member that its schema does not name", async () => {
  const creating = defineEndpoint({
    ...{ name: "create", summary: "Create", answer: z.object({ id: z.string() }) },
    status: 201,
    handle: () => ({ id: "x", secret: "s" }),
  });
  const response = await creating.respond(createApiRequest().req);
  expect([response.status, await response.json()]).toEqual([201, { id: "x" }]);
  expect(response.headers.get("content-type")).toBe("application/json");
});

test("an address whose part is not of the right form is not there, and the part is named", async () => {
  const byId = defineEndpoint({
    ...{ name: "byId", summary: "Show", answer, params: z.object({ id: z.uuid() }) },
    handle: ({ params }) => ({ heard: params.id }),
  });
  const asked = byId.respond(createApiRequest({ params: { id: "../x" } }).req);
  await expect(asked).rejects.toMatchObject({
    ...{ code: "not_found", message: expect.stringContaining("id is not of the right form") },
  });
});
