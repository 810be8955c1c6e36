import { describe, expect, test } from "bun:test";
import { parseDocument } from "./parse-document.ts";
import { readDocument } from "./read-openapi-document.ts";

const all = { tags: [], paths: [], methods: [] };
const answers = { 200: { description: "Done" } };

function read(document: object) {
  const text = JSON.stringify({ openapi: "3.1.0", ...document });
  const found = [...readDocument(parseDocument(text), all)];
  return {
    operations: found.flatMap((one) => ("operation" in one ? [one.operation] : [])),
    leftOut: found.flatMap((one) => ("leftOut" in one ? [one.leftOut] : [])),
  };
}

/** A document of one POST with this body and these definitions. */
function readBody(schema: unknown, schemas: object = {}) {
  const content = { "application/json": { schema } };
  const post = {
    operationId: "send",
    requestBody: { required: true, content },
    responses: answers,
  };
  return read({ components: { schemas }, paths: { "/x": { post } } });
}

describe("references", () => {
  test("A schema that contains itself is kept as a reference", () => {
    const tree = {
      type: "object",
      properties: { children: { type: "array", items: { $ref: "#/components/schemas/Tree" } } },
    };
    const { operations } = readBody({ $ref: "#/components/schemas/Tree" }, { Tree: tree });
    expect(operations[0]?.inputSchema).toMatchObject({
      properties: { children: { items: { $ref: "#/$defs/Tree" } } },
      $defs: { Tree: { properties: { children: { items: { $ref: "#/$defs/Tree" } } } } },
    });
  });

  test.each([
    ["to itself", { A: { $ref: "#/components/schemas/A" } }, "leads back to itself"],
    [
      "in a circle",
      { A: { $ref: "#/components/schemas/B" }, B: { $ref: "#/components/schemas/A" } },
      "leads back to itself",
    ],
    [
      "in place of itself",
      {
        A: { anyOf: [{ type: "string" }, { $ref: "#/components/schemas/B" }] },
        B: { allOf: [{ $ref: "#/components/schemas/A" }] },
      },
      "contains itself without an end",
    ],
    ["to nothing", { A: { $ref: "#/components/schemas/Missing" } }, "does not have"],
    ["to a file", { A: { $ref: "file:///etc/passwd" } }, "another document"],
    ["to a server", { A: { $ref: "http://127.0.0.1:1/x.json#/A" } }, "another document"],
    ["to a relative file", { A: { $ref: "../secrets.yaml" } }, "another document"],
    ["to a prototype", { A: { $ref: "#/constructor/prototype" } }, "does not have"],
  ])("An operation with a reference %s is left out", (_, schemas, reason) => {
    const { operations, leftOut } = readBody({ $ref: "#/components/schemas/A" }, schemas);
    expect(operations).toEqual([]);
    expect(leftOut).toEqual([{ sourceName: "send", reason: expect.stringContaining(reason) }]);
  });

  test("A parameter or a path of another document leaves out its operation only", () => {
    const good = { get: { operationId: "good", responses: answers } };
    const bad = {
      get: { operationId: "bad", parameters: [{ $ref: "http://127.0.0.1/p" }], responses: answers },
    };
    const { operations, leftOut } = read({
      paths: { "/a": good, "/b": bad, "/c": { $ref: "file:///c" } },
    });
    expect(operations.map(({ sourceName }) => sourceName)).toEqual(["good"]);
    expect(leftOut.map(({ sourceName }) => sourceName)).toEqual(["bad", "ANY /c"]);
  });

  test("An answer that cannot be described leaves the operation without its schema", () => {
    const content = { "application/json": { schema: { $ref: "other.json" } } };
    const get = { operationId: "get", responses: { 200: { content } } };
    const { operations } = read({ paths: { "/x": { get } } });
    expect(operations[0]?.outputSchema).toBeUndefined();
  });

  test("Hundreds of schemas that each refer to all of them become a short description", () => {
    const names = Array.from({ length: 300 }, (_, index) => `S${index}`);
    const properties = Object.fromEntries(
      names.map((name) => [name, { $ref: `#/components/schemas/${name}` }]),
    );
    const schemas = Object.fromEntries(names.map((name) => [name, { type: "object", properties }]));
    const { operations } = readBody({ $ref: "#/components/schemas/S0" }, schemas);
    expect(JSON.stringify(operations[0]?.inputSchema).length).toBeLessThan(64 * 1024);
  });
});

describe("sizes", () => {
  test("A schema of 10 MiB leaves out its operation", () => {
    const { leftOut } = readBody({ type: "string", enum: ["x".repeat(10 * 1024 * 1024)] });
    expect(leftOut[0]?.reason).toContain("more than 60 KiB");
  });

  test("100,000 parameters leave out their operation", () => {
    const parameters = Array.from({ length: 100_000 }, (_, index) => ({
      in: "query",
      name: `p${index}`,
    }));
    const { leftOut } = read({ paths: { "/x": { get: { operationId: "many", parameters } } } });
    expect(leftOut[0]?.reason).toContain("more than 60 KiB");
  });

  test("Nesting deeper than a reader can follow is refused", () => {
    const text = `{"openapi":"3.1.0","paths":${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}}`;
    expect(() => parseDocument(text)).toThrow("nested deeper than");
    expect(() => parseDocument(`openapi: 3.1.0\nx: ${"[".repeat(10_000)}`)).toThrow(
      "nested deeper than 200 levels",
    );
  });
});

describe("YAML", () => {
  const levels = (count: number, items: number) =>
    Array.from({ length: count }, (_, level) => {
      const parts = Array.from({ length: items }, () => (level === 0 ? "1" : `*a${level - 1}`));
      return `a${level}: &a${level} [${parts.join(",")}]`;
    }).join("\n");

  test("Aliases that multiply are refused", () => {
    expect(() => parseDocument(`openapi: 3.1.0\n${levels(20, 10)}`)).toThrow(
      "more than 3,000,000 keys and values",
    );
  });

  test("An alias that contains itself is refused", () => {
    expect(() => parseDocument("openapi: 3.1.0\nx: &x\n  y: *x\n")).toThrow("contains itself");
  });

  test("Tags that make other things than JSON are refused", () => {
    expect(() => parseDocument("openapi: 3.1.0\nx: !!js/function 'function () {}'\n")).toThrow(
      "tag",
    );
  });
});

describe("names and paths", () => {
  test("An id that clashes or holds control characters is replaced by method and path", () => {
    const get = (operationId: string) => ({ get: { operationId, responses: answers } });
    const { operations } = read({
      paths: {
        "/a": get("same"),
        "/b": get("same"),
        "/c": get("a\u0000b\u001b[31m"),
        "/d": get(" "),
      },
    });
    expect(operations.map(({ sourceName }) => sourceName)).toEqual([
      "same",
      "GET /b",
      "GET /c",
      "GET /d",
    ]);
  });

  test.each([
    ["/../admin", "outside the server's address"],
    ["/a/%2e%2e/b", "outside the server's address"],
    ["/a/..%252f..", "outside the server's address"],
    ["//evil.example/x", "outside the server's address"],
    ["/a\\..\\b", "a backslash"],
    ["/a\r\nHost: evil", "a control character"],
    ["/a/{missing}", "not among its parameters"],
    ["/a/{b", "a brace alone"],
  ])("The path %j leaves out its operation", (path, reason) => {
    const { operations, leftOut } = read({ paths: { [path]: { get: { responses: answers } } } });
    expect(operations).toEqual([]);
    expect(leftOut[0]?.reason).toContain(reason);
  });

  test("A path that is an address is not a path", () => {
    expect(read({ paths: { "https://evil.example/": { get: {} } } }).operations).toEqual([]);
  });

  test("Parameters that would change where a call goes are not inputs", () => {
    const names = [
      "Host",
      "Authorization",
      "X-HTTP-Method-Override",
      "X-Original-URL",
      "Transfer-Encoding",
      "X-Team",
    ];
    const parameters = names.map((name) => ({ in: "header", name, schema: { type: "string" } }));
    const { operations } = read({ paths: { "/x": { get: { parameters } } } });
    expect(Object.keys(operations[0]?.inputSchema.properties ?? {})).toEqual(["X-Team"]);
  });

  test("Members named __proto__ are left out", () => {
    const text =
      '{"openapi":"3.1.0","paths":{"/x":{"post":{"requestBody":{"required":true,"content":{"application/json":{"schema":{"properties":{"__proto__":{"type":"string"},"a":{"type":"string"}}}}}}}}}}';
    const [found] = [...readDocument(parseDocument(text), all)];
    const schema = found !== undefined && "operation" in found ? found.operation.inputSchema : {};
    expect(JSON.stringify(schema)).not.toContain("__proto__");
    expect(schema.properties).toHaveProperty("a");
  });
});

describe("malformed parts", () => {
  test.each([
    ["null", null],
    ["a text", "x"],
    ["a list", [1]],
    ["an operation of texts", { get: "x", parameters: "y" }],
    [
      "parameters that are no list",
      { get: { parameters: { a: 1 }, responses: 5, requestBody: 7, security: "x" } },
    ],
    [
      "parameters that are none",
      { get: { parameters: [null, 5, "x", {}], tags: 5, servers: [null, { url: 5 }] } },
    ],
    ["a body that is none", { post: { requestBody: { content: { "application/json": 5 } } } }],
  ])("%s is read without a failure of the hub", (_, item) => {
    const { operations, leftOut } = read({ paths: { "/x": item } });
    expect(operations.length + leftOut.length).toBeLessThanOrEqual(1);
  });

  test.each([[null], ["x"], [[]], [5]])("paths of %j have no operations", (paths) => {
    expect(read({ paths }).operations).toEqual([]);
  });
});

test("Swagger 2 is upgraded: bodies, forms, files and lists", () => {
  const found = [
    ...readDocument(
      parseDocument(
        JSON.stringify({
          swagger: "2.0",
          host: "old.example.com",
          basePath: "/v1",
          schemes: ["https"],
          definitions: {
            Item: { type: "object", required: ["name"], properties: { name: { type: "string" } } },
          },
          securityDefinitions: { key: { type: "apiKey", in: "query", name: "key" } },
          paths: {
            "/items": {
              get: {
                parameters: [
                  {
                    in: "query",
                    name: "ids",
                    type: "array",
                    items: { type: "integer" },
                    collectionFormat: "pipes",
                  },
                ],
              },
              post: {
                parameters: [
                  {
                    in: "body",
                    name: "item",
                    required: true,
                    schema: { $ref: "#/definitions/Item" },
                  },
                ],
              },
            },
            "/files": {
              post: {
                consumes: ["multipart/form-data"],
                parameters: [
                  { in: "formData", name: "file", type: "file", required: true },
                  { in: "formData", name: "note", type: "string" },
                ],
              },
            },
          },
        }),
      ),
      all,
    ),
  ].flatMap((one) => ("operation" in one ? [one.operation] : []));
  expect(found.map(({ binding }) => binding)).toMatchObject([
    { parameters: [{ name: "ids", style: "pipeDelimited" }], apiKey: { in: "query", name: "key" } },
    { body: { kind: "json", fields: ["name"] } },
    { body: { kind: "multipart", fields: ["file", "note"], encoding: { file: { file: true } } } },
  ]);
  expect(found[2]?.inputSchema.required).toEqual(["file"]);
});
