/** The OpenAPI document, and the reference page that is generated from it. */
import { describe, expect, test } from "bun:test";
import { join, resolve } from "node:path";
import { describeApi } from "@hub/server/http/api/api-document.ts";
import { apiRoutes } from "@hub/server/http/api/api-routes.ts";
import { Glob } from "bun";
import { readContractTypes } from "../../scripts/read-contract-types.ts";
import { toApiReference } from "../../scripts/write-api-reference.ts";
import { toApiTypes } from "../../scripts/write-api-types.ts";

const document = describeApi({ hubVersion: "1.2.3", baseUrl: "https://hub.example" });

type Schema = Record<string, unknown>;

/** All schemas in a part of the document. */
function listSchemas(part: unknown): Schema[] {
  if (typeof part !== "object" || part === null) return [];
  return [part as Schema, ...Object.values(part).flatMap(listSchemas)];
}

/** The operations by `operationId`, which names them in generated clients. */
const operations = new Map(
  Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    Object.entries(item ?? {}).map(([method, operation]) => {
      const { operationId, ...rest } = Object(operation);
      return [String(operationId), { path, method, ...rest }] as const;
    }),
  ),
);

test("The reference of the API matches the OpenAPI document, and has no other pages", async () => {
  const folder = join(resolve(import.meta.dirname, "../.."), "docs/reference");
  const pages = toApiReference(describeApi({ hubVersion: "", baseUrl: "" }));
  for (const [path, text] of pages) expect(await Bun.file(join(folder, path)).text()).toBe(text);
  const below = [...new Glob("api/*.md").scanSync(folder)];
  expect(["api.md", ...below].sort()).toEqual([...pages.keys()].sort());
});

test("Every shape that the reference of the API links is described once", () => {
  const pages = toApiReference(document);
  const shapes = [...pages.values()].flatMap((text) => {
    const [, below = ""] = text.split("\n## Shapes\n");
    return [...below.matchAll(/^### (\w+)$/gm)].map(([, name]) => name);
  });
  expect(shapes.length).toBeGreaterThan(80);
  expect(shapes.toSorted()).toEqual([...new Set(shapes)].toSorted());
});

test("No sentence of an endpoint's description is there twice", () => {
  expect(operations.size).toBe(apiRoutes.length);
  for (const [name, { description = "" }] of operations) {
    const sentences = String(description).split(/(?<=\.)\s+/);
    expect([name, ...sentences]).toEqual([name, ...new Set(sentences)]);
  }
});

test("The types of the API for the pages match the OpenAPI document", async () => {
  const module = join(resolve(import.meta.dirname, "../.."), "packages/contract/src/api.ts");
  const unversioned = describeApi({ hubVersion: "", baseUrl: "" });
  const types = toApiTypes(unversioned, await readContractTypes());
  expect(await Bun.file(module).text()).toBe(types);
});

describe("The document at /openapi.json", () => {
  test("The OpenAPI document contains the API's address, version and authentication schemes", () => {
    expect(document).toMatchObject({
      openapi: "3.1.1",
      info: { title: "Hub management API", version: "1.2.3" },
      servers: [{ url: "https://hub.example" }],
      security: [{ token: [] }, { session: [] }],
    });
    expect(document.components?.securitySchemes).toMatchObject({
      token: { type: "http", scheme: "bearer" },
      session: { type: "apiKey", in: "cookie", name: "hub_session" },
    });
  });

  test("The OpenAPI document lists every route once, tagged with the noun of its path", () => {
    expect(operations.size).toBe(apiRoutes.length);
    for (const { path, method, endpoint } of apiRoutes) {
      const operation = operations.get(endpoint.name);
      expect(operation).toMatchObject({ path, method: method.toLowerCase() });
      expect(operation?.tags).toEqual([path.split("/")[3]]);
    }
  });

  test("The OpenAPI document declares every path parameter", () => {
    expect(operations.size).toBe(apiRoutes.length);
    for (const { path, parameters = [] } of operations.values()) {
      const named = parameters.filter((one: Schema) => one.in === "path");
      expect(named.map((one: Schema) => `{${one.name}}`).toSorted()).toEqual(
        [...(path.match(/\{\w+\}/g) ?? [])].toSorted(),
      );
    }
  });

  test("The OpenAPI document forbids unknown members in requests, but not in answers", () => {
    const refusing = (part: unknown) =>
      listSchemas(part).filter(({ additionalProperties }) => additionalProperties === false);
    expect(refusing(operations.get("installPlugin")?.requestBody)).toHaveLength(1);
    for (const { responses } of operations.values()) expect(refusing(responses)).toEqual([]);
  });

  test("The OpenAPI document omits patterns that a format implies and the bounds of safe integers", () => {
    const schemas = listSchemas(document);
    expect(schemas.length).toBeGreaterThan(5_000);
    for (const schema of schemas) {
      if (typeof schema.format === "string") expect(schema).not.toHaveProperty("pattern");
      expect(schema.minimum).not.toBe(Number.MIN_SAFE_INTEGER);
      expect(schema.maximum).not.toBe(Number.MAX_SAFE_INTEGER);
    }
  });

  test("The OpenAPI document requires a body only if it has required members", () => {
    const required = (name: string) => operations.get(name)?.requestBody?.required;
    expect([required("installPlugin"), required("updatePlugin")]).toEqual([true, false]);
    expect(operations.get("listPlugins")).not.toHaveProperty("requestBody");
  });

  test("The OpenAPI document names the schema of each streamed answer", () => {
    const describeContent = (name: string, type: string) =>
      operations.get(name)?.responses?.["200"]?.content?.[type]?.schema?.description;
    expect(describeContent("updatePlugin", "text/event-stream")).toBe(
      "Server-sent events; the last one contains the `PluginUpdate`.",
    );
    const streamed = apiRoutes.flatMap(({ endpoint }) =>
      endpoint.answer.contentTypes
        .filter((type) => type !== "application/json")
        .map((type) => describeContent(endpoint.name, type)),
    );
    expect(streamed.length).toBeGreaterThan(2);
    const shapes = Object.keys(document.components?.schemas ?? {});
    for (const text of streamed) expect(shapes).toContain(/`(\w+)`/.exec(text)?.[1] ?? text);
  });

  test("The OpenAPI document lists the error codes of each status", () => {
    const { responses } = operations.get("installPlugin") ?? {};
    expect(responses?.["403"]?.description).toBe("`forbidden`, `insufficient_scope`");
    expect(responses?.["409"]?.content?.["application/json"]?.schema).toEqual({
      $ref: "#/components/schemas/Problem",
    });
  });
});
