import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { z } from "zod";
import { createApiRequest } from "../testing/api-request.ts";
import { defineEndpoint } from "./endpoint.ts";

const answer = z.object({ heard: z.unknown() });
const bodiless = defineEndpoint({
  name: "bodiless",
  summary: "Take no body",
  answer,
  handle: ({ body }) => ({ heard: body ?? "nothing" }),
});
const optional = defineEndpoint({
  name: "optional",
  summary: "Take a body that may be left out",
  answer,
  body: z.strictObject({ size: z.number().default(1) }),
  handle: ({ body }) => ({ heard: body }),
});

test("The name of each endpoint, which becomes the operationId, is the name of its constant", async () => {
  const folder = `${import.meta.dirname}/endpoints`;
  const names: string[] = [];
  for (const file of readdirSync(folder).filter((name) => !name.includes(".test."))) {
    for (const [constant, exported] of Object.entries(await import(`${folder}/${file}`))) {
      const { name, respond } = Object(exported);
      if (respond === undefined) continue;
      expect(name).toBe(constant);
      names.push(name);
    }
  }
  expect(names).toContain("listConnectors");
});

async function ask(endpoint: typeof bodiless, body: string): Promise<unknown> {
  const response = await endpoint.respond(createApiRequest({ body }).req);
  return Object(await response.json()).heard;
}

describe("a request body", () => {
  test.each(["", " \n", "{}", " {}\n"])("The body %j counts as no body", async (text) => {
    expect(await ask(bodiless, text)).toBe("nothing");
    expect(await ask(optional, text)).toEqual({ size: 1 });
  });

  test.each([
    "[]",
    "null",
    '{"a":1}',
  ])("The body %j is refused by an endpoint without a body", async (text) => {
    await expect(ask(bodiless, text)).rejects.toMatchObject({ code: "bad_request" });
  });

  test("A number that JavaScript would round keeps its digits", async () => {
    const any = defineEndpoint({
      name: "any",
      summary: "Take anything",
      answer,
      body: z.unknown(),
      handle: ({ body }) => ({ heard: body }),
    });
    const response = await any.respond(createApiRequest({ body: "12345678901234567890" }).req);
    expect(await response.text()).toBe('{"heard":12345678901234567890}');
  });

  test("A body that is nested too deeply is refused before it is parsed", async () => {
    const nested = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    await expect(ask(optional, nested)).rejects.toThrow("nested more than");
  });
});

test("An answer has its endpoint's status and only the members that its schema names", async () => {
  const creating = defineEndpoint({
    name: "create",
    summary: "Create",
    answer: z.object({ id: z.string() }),
    status: 201,
    handle: () => ({ id: "x", secret: "s" }),
  });
  const response = await creating.respond(createApiRequest().req);
  expect([response.status, await response.json()]).toEqual([201, { id: "x" }]);
  expect(response.headers.get("content-type")).toBe("application/json");
});

test("A path parameter of the wrong form gets not_found, which names the parameter", async () => {
  const byId = defineEndpoint({
    name: "byId",
    summary: "Show",
    answer,
    params: z.object({ id: z.uuid() }),
    handle: ({ params }) => ({ heard: params.id }),
  });
  const asked = byId.respond(createApiRequest({ params: { id: "../x" } }).req);
  await expect(asked).rejects.toMatchObject({
    code: "not_found",
    message: expect.stringContaining("id does not have the right form"),
  });
});
