import { afterEach, describe, expect, test } from "bun:test";
import { UpstreamError } from "@hub/connector";
import { startEchoServer } from "./testing/echo-server.ts";
import { openTestRow } from "./testing/open-row.ts";
import { petStore } from "./testing/pet-store.ts";

const open: { stop(): unknown }[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.stop();
});

function serve(handle?: (req: Request) => Response | Promise<Response>) {
  const server = startEchoServer(handle);
  open.push(server);
  return server;
}

const text = JSON.stringify(petStore);

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(
    (value) => `no failure but ${JSON.stringify(value)}`,
    (thrown) => thrown,
  );
}

describe("a document", () => {
  test("Its operations are discovered by address and can be called", async () => {
    const server = serve((req) =>
      req.url.endsWith("/openapi.json")
        ? new Response(text)
        : Response.json([{ id: 7, name: "Rex" }]),
    );
    const row = openTestRow({
      ...{ document_url: `${server.url}/openapi.json`, base_url: `${server.url}/v2/` },
      ...{ auth_mode: "api_key", api_key: "key-0123456789" },
    });
    const operations = await row.discover();
    expect(operations.map(({ sourceName, destructive }) => [sourceName, destructive])).toEqual([
      ["listPets", false],
      ["createPet", true],
      ["GET /pets/{id}", false],
      ["deletePet", true],
    ]);
    // Not below the base URL.
    expect(server.seen[0]?.headers["x-pet-key"]).toBeUndefined();
    const params = { limit: 5, tags: ["a b", "c&d"] };
    expect(await row.call("listPets", params)).toEqual([{ id: 7, name: "Rex" }]);
    const { at, headers } = server.seen[1] ?? {};
    expect(at).toBe("/v2/pets?limit=5&tags=a%20b&tags=c%26d");
    expect(headers?.["x-pet-key"]).toBe("key-0123456789");
  });

  test("An operation has its words, its inputs side by side and its answer's schema", async () => {
    const row = openTestRow({ base_url: "http://api.test" });
    const [list, create, get, remove] = await row.discover(text);
    expect(list).toMatchObject({
      title: "List pets",
      description: "List pets\nNewest first.",
      inputSchema: { properties: { limit: { type: "integer", maximum: 100 } } },
      outputSchema: { type: "array", items: { $ref: "#/$defs/Pet" } },
    });
    expect(create?.inputSchema).toEqual({
      type: "object",
      properties: {
        name: { type: "string", minLength: 1 },
        tag: { type: ["string", "null"], description: "What kind of pet it is." },
        parent: { $ref: "#/$defs/Pet" },
        age: { type: "number", exclusiveMinimum: 0 },
      },
      required: ["name"],
      additionalProperties: false,
      $defs: {
        Pet: {
          type: "object",
          properties: {
            name: { type: "string", minLength: 1 },
            tag: { type: ["string", "null"], description: "What kind of pet it is." },
            parent: { $ref: "#/$defs/Pet" },
            age: { type: "number", exclusiveMinimum: 0 },
          },
          required: ["name"],
        },
      },
    });
    expect(get?.inputSchema.required).toEqual(["id"]);
    expect(remove?.description).toBe("Deprecated.");
  });

  test("The server in a document is not called; base_url is", async () => {
    const server = serve();
    const row = openTestRow({ base_url: server.url });
    await row.discover(text);
    expect(await row.call("createPet", { name: "Rex", parent: { name: "Old" } })).toMatchObject({
      method: "POST",
      at: "/pets",
      body: '{"name":"Rex","parent":{"name":"Old"}}',
      headers: { "content-type": "application/json" },
    });
  });

  test("YAML is read like JSON", async () => {
    const row = openTestRow({ base_url: "http://api.test" });
    const fromJson = await row.discover(text);
    expect(await row.discover(Bun.YAML.stringify(petStore, null, 2))).toEqual(fromJson);
  });

  test("Filters choose operations by tag, path and method", async () => {
    const list = async (config: Record<string, string>) => {
      const row = openTestRow({ base_url: "http://api.test", ...config });
      return (await row.discover(text)).map(({ sourceName }) => sourceName);
    };
    expect(await list({ tags: '[{"tag":"write"}]' })).toEqual(["createPet"]);
    expect(await list({ methods: '[{"method":"DELETE"}]' })).toEqual(["deletePet"]);
    expect(await list({ paths: '[{"path":"/pets/*"}]' })).toEqual(["GET /pets/{id}", "deletePet"]);
    expect(await list({ paths: '[{"path":"!/pets/*"}]' })).toEqual(["listPets", "createPet"]);
    const none = openTestRow({ base_url: "http://api.test", tags: '[{"tag":"x"}]' });
    expect(String(await failureOf(none.discover(text)))).toContain("no operations that fit");
  });

  test("A row without a document says what to set", async () => {
    const row = openTestRow({ base_url: "http://api.test" });
    expect(String(await failureOf(row.discover()))).toContain("set document_url");
  });

  test("A page instead of a document is refused with a sentence", async () => {
    const row = openTestRow({ base_url: "http://api.test" });
    expect(String(await failureOf(row.discover("<html><body>Docs</body></html>")))).toContain(
      "The document is not an object.",
    );
    expect(String(await failureOf(row.discover('{"info": {}}')))).toContain("Give the address of");
  });
});

describe("an answer", () => {
  test("An error of the server is an error of the call, with status and body", async () => {
    const server = serve(() => Response.json({ message: "No pets" }, { status: 404 }));
    const row = openTestRow({ base_url: server.url });
    await row.discover(text);
    const thrown = await failureOf(row.call("listPets"));
    expect(thrown).toBeInstanceOf(UpstreamError);
    expect(thrown).toMatchObject({ httpStatus: 404, body: { message: "No pets" } });
  });
});
