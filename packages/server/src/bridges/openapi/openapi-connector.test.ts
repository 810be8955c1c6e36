import { afterEach, describe, expect, test } from "bun:test";
import { UpstreamError } from "@hub/connector";
import { openDocumentWorker } from "./documents/open-document-worker.ts";
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
    const row = openTestRow(
      {
        document_url: `${server.url}/openapi.json`,
        base_url: `${server.url}/v2/`,
        auth_mode: "api_key",
        api_key: "key-0123456789",
      },
      { openWorker: openDocumentWorker },
    );
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

  test("Operations that are left out are in the log with their reasons, and the others are kept", async () => {
    const bad = { operationId: "bad", parameters: [{ $ref: "http://127.0.0.1:1/p.json" }] };
    const row = openTestRow({ base_url: "http://api.test" });
    const paths = { ...petStore.paths, "/bad": { get: bad } };
    expect(await row.discover(JSON.stringify({ ...petStore, paths }))).toHaveLength(4);
    const reason = expect.stringContaining("another document, which is not read");
    expect(row.logged).toEqual([
      ["operations left out", { count: 1, first: [{ sourceName: "bad", reason }] }],
    ]);
    const alone = row.discover(JSON.stringify({ ...petStore, paths: { "/bad": { get: bad } } }));
    expect(String(await failureOf(alone))).toContain("None of the document's 1 operations");
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

  test("Text, bytes, headers and nothing are results, too", async () => {
    const answers: Record<string, Response> = {
      text: new Response("a,b\n", { headers: { "content-type": "text/csv" } }),
      bytes: new Response(new Uint8Array([0, 255]), { headers: { "content-type": "image/png" } }),
      long: new Response(new Uint8Array(200 * 1024), { headers: { "content-type": "image/png" } }),
      none: new Response(null, { status: 204 }),
    };
    const server = serve((req) => answers[new URL(req.url).pathname.slice(6)] ?? new Response("?"));
    const row = openTestRow({ base_url: server.url });
    await row.discover(text);
    const call = (id: string) => row.call("GET /pets/{id}", { id });
    expect(await call("text")).toBe("a,b\n");
    expect(await call("bytes")).toEqual({ content_type: "image/png", bytes: 2, base64: "AP8=" });
    expect(await call("long")).toEqual({
      content_type: "image/png",
      bytes: 204_800,
      left_out: "The answer is left out: it is not text, and longer than 192 KiB.",
    });
    expect(await call("none")).toEqual({ status: 204 });
  });
});

describe("a credential", () => {
  const modes = {
    basic: [{ username: "ada", password: "pässword" }, "authorization"],
    bearer: [{ token: "token-0123456789" }, "authorization"],
    api_key: [{ api_key: "key-0123456789" }, "x-pet-key"],
  } as const;

  test.each(Object.entries(modes))("of the mode %s is sent", async (mode, [fields, header]) => {
    const server = serve();
    const row = openTestRow({ base_url: server.url, auth_mode: mode, ...fields });
    await row.discover(text);
    await row.call("listPets");
    const sent = server.seen[0]?.headers[header];
    expect(sent).toBe(
      {
        basic: `Basic ${Buffer.from("ada:pässword").toString("base64")}`,
        bearer: "Bearer token-0123456789",
        api_key: "key-0123456789",
      }[mode],
    );
  });

  test("is sent where the row says instead of where the document says", async () => {
    const server = serve();
    const config = { key_in: "query", key_name: "token", api_key: "key-0123456789" };
    const row = openTestRow({ base_url: server.url, auth_mode: "api_key", ...config });
    await row.discover(text);
    await row.call("listPets", { limit: 1 });
    expect(server.seen[0]?.at).toBe("/pets?token=key-0123456789&limit=1");
    expect(server.seen[0]?.headers["x-pet-key"]).toBeUndefined();
  });

  test("does not follow a redirect to another server or outside the base URL", async () => {
    const other = serve();
    const server = serve((req) => {
      const { pathname } = new URL(req.url);
      if (pathname === "/v1/pets/away") return Response.redirect(`${other.url}/x`, 302);
      if (pathname === "/v1/pets/up")
        return new Response(null, { status: 302, headers: { location: "/admin" } });
      return Response.json({});
    });
    const config = { auth_mode: "api_key", api_key: "key-0123456789" };
    const row = openTestRow({ base_url: `${server.url}/v1`, ...config });
    await row.discover(text);
    await row.call("GET /pets/{id}", { id: "away" });
    await row.call("GET /pets/{id}", { id: "up" });
    expect(other.seen[0]?.headers["x-pet-key"]).toBeUndefined();
    const keys = server.seen.map(({ at, headers }) => [at, headers["x-pet-key"]]);
    expect(keys).toEqual([
      ["/v1/pets/away", "key-0123456789"],
      ["/v1/pets/up", "key-0123456789"],
      ["/admin", undefined],
    ]);
  });

  test("is given to the document only if it is below the base URL", async () => {
    const server = serve(() => new Response(text));
    const config = { auth_mode: "bearer", token: "token-0123456789" };
    for (const path of ["/v1/openapi.json", "/openapi.json", "/v10/openapi.json"]) {
      const row = openTestRow({
        base_url: `${server.url}/v1`,
        document_url: server.url + path,
        ...config,
      });
      await row.discover();
    }
    expect(server.seen.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer token-0123456789",
      undefined,
      undefined,
    ]);
  });
});

describe("an operation on a server of its own", () => {
  function withServer(url: string, variables?: object) {
    const get = { operationId: "get", servers: [{ url, variables }], responses: {} };
    return JSON.stringify({ ...petStore, paths: { "/x": { get } } });
  }

  test("is not called unless the row admits the server", async () => {
    const server = serve();
    const config = { auth_mode: "bearer", token: "token-0123456789" };
    const document = withServer(`${server.url}/upload`);
    const refused = openTestRow({ base_url: "http://api.test", ...config });
    await refused.discover(document);
    const thrown = await failureOf(refused.call("get"));
    expect(thrown).toMatchObject({ code: "needs_setup" });
    expect(String(thrown)).toContain(`goes to ${server.url}/upload, which this row does not admit`);
    expect(server.seen).toEqual([]);

    const other_servers = JSON.stringify([{ url: `${server.url}/upload/` }]);
    const row = openTestRow({ base_url: "http://api.test", other_servers, ...config });
    await row.discover(document);
    await row.call("get");
    expect(server.seen[0]?.at).toBe("/upload/x");
    expect(server.seen[0]?.headers.authorization).toBe("Bearer token-0123456789");
  });

  test("has the variables of the row, or the document's defaults", async () => {
    const server = serve();
    const document = withServer(`${server.url}/{region}/{stage}`, {
      region: { default: "us" },
      stage: { default: "beta" },
    });
    const row = openTestRow({
      base_url: "http://api.test",
      other_servers: JSON.stringify([{ url: `${server.url}/eu/beta` }]),
      server_variables: '[{"name":"region","value":"eu"}]',
    });
    await row.discover(document);
    await row.call("get");
    expect(server.seen[0]?.at).toBe("/eu/beta/x");
  });

  test("that is also the document's server goes to base_url", async () => {
    const server = serve();
    const row = openTestRow({ base_url: server.url });
    await row.discover(withServer("https://pets.example.com/v1"));
    await row.call("get");
    expect(server.seen[0]?.at).toBe("/x");
  });
});

test("The key of a workflow's step is sent if the operation takes one", async () => {
  const server = serve();
  const parameters = [{ in: "header", name: "Idempotency-Key", schema: { type: "string" } }];
  const post = { operationId: "pay", parameters, responses: {} };
  const row = openTestRow({ base_url: server.url });
  const [pay] = await row.discover(
    JSON.stringify({ openapi: "3.1.0", paths: { "/pay": { post } } }),
  );
  expect(pay).toMatchObject({ destructive: true, idempotent: true });
  await row.call("pay", {}, { idempotencyKey: "step-1" });
  await row.call("pay", { "Idempotency-Key": "own" }, { idempotencyKey: "step-1" });
  expect(server.seen.map(({ headers }) => headers["idempotency-key"])).toEqual(["step-1", "own"]);
});

test.each([
  "delete",
  "options",
  "post",
])("A body of any kind goes with its length, by %s", async (method) => {
  const kinds = ["application/json", "application/x-www-form-urlencoded", "multipart/form-data"];
  const schema = { type: "object", properties: { text: { type: "string" } } };
  const toOperation = (type: string) => ({
    operationId: type,
    requestBody: { content: { [type]: { schema } } },
    responses: { 200: { description: "Done" } },
  });
  const paths = kinds.map((type, at) => [`/${at}`, { [method]: toOperation(type) }]);
  const document = JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Bodies", version: "1" },
    paths: Object.fromEntries(paths),
  });
  const server = serve();
  const row = openTestRow({ base_url: server.url });
  await row.discover(document);
  const text = "GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n";
  for (const kind of kinds) await row.call(kind, { text });
  expect(server.seen.map(({ method, at }) => [method, at])).toEqual(
    kinds.map((_, at) => [method.toUpperCase(), `/${at}`]),
  );
  const [json, form, multipart] = server.seen.map(({ body }) => body);
  expect(JSON.parse(json ?? "")).toEqual({ text });
  expect(new URLSearchParams(form).get("text")).toBe(text);
  expect(multipart).toContain(text);
});

test("Half of a surrogate pair in a path or a query is sent as U+FFFD", async () => {
  const parameters = ["path", "query"].map((place) => ({
    name: place,
    in: place,
    required: true,
    schema: { type: "string" },
  }));
  const document = JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Halves", version: "1" },
    paths: {
      "/{path}": {
        get: { operationId: "halves", parameters, responses: { 200: { description: "Done" } } },
      },
    },
  });
  const server = serve();
  const row = openTestRow({ base_url: server.url });
  await row.discover(document);
  await row.call("halves", { path: "a\ud800", query: "\udc00b" });
  expect(server.seen.map(({ at }) => at)).toEqual(["/a%EF%BF%BD?query=%EF%BF%BDb"]);
});
