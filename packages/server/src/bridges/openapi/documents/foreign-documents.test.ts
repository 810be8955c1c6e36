import { describe, expect, test } from "bun:test";
import { readBinding } from "../binding.ts";
import { writeRequest } from "../requests/write-request.ts";
import { parseDocument } from "./parse-document.ts";
import { readDocument } from "./read-openapi-document.ts";
import { listAllServers } from "./read-servers.ts";

const all = { tags: [], paths: [], methods: [] };
const responses = { 200: { description: "Done" } };

function read(document: object | string) {
  const text = typeof document === "string" ? document : JSON.stringify(document);
  const found = [...readDocument(parseDocument(text), all)];
  return {
    operations: found.flatMap((one) => ("operation" in one ? [one.operation] : [])),
    leftOut: found.flatMap((one) => ("leftOut" in one ? [one.leftOut] : [])),
  };
}

const version3 = (paths: object, more: object = {}) => read({ openapi: "3.1.0", paths, ...more });
const version2 = (paths: object, more: object = {}) => read({ swagger: "2.0", paths, ...more });

/** What the only operation of a document sends for these params. */
function send({ operations: [operation], leftOut }: ReturnType<typeof read>, params: object = {}) {
  if (operation === undefined) throw new Error(`Left out: ${JSON.stringify(leftOut)}`);
  // As the hub stores it.
  const binding = readBinding(JSON.parse(JSON.stringify(operation.binding)));
  const { url, headers, body } = writeRequest(binding, {
    server: new URL("http://host"),
    params: { ...params },
    headers: new Headers(),
    credential: null,
  });
  const content = body?.content;
  return {
    at: url.href.slice("http://host".length),
    headers,
    type: body?.contentType ?? null,
    body: content instanceof Uint8Array ? new TextDecoder().decode(content) : (content ?? null),
  };
}

describe("YAML of other tools", () => {
  test("Closing brackets below their keys, and merge keys, are read", () => {
    const { operations } = read(`openapi: 3.0.0
x-common: &common
  responses:
    200: {description: ok}
paths:
  /a:
    get:
      <<: *common
      operationId: a
      parameters:
        - name: filters
          in: query
          schema: {
            type: string
          }
          example: {
            "80/tcp": {}
          }
`);
    expect(operations.map(({ sourceName }) => sourceName)).toEqual(["a"]);
  });

  test("A parameter that an alias repeats is whole in each place", () => {
    const { operations } = read(`swagger: "2.0"
paths:
  /a: {get: {operationId: a, parameters: [&p {name: p, in: query, type: integer, required: true}]}}
  /b: {get: {operationId: b, parameters: [*p]}}
`);
    const whole = { properties: { p: { type: "integer" } }, required: ["p"] };
    expect(operations.map(({ inputSchema }) => inputSchema)).toMatchObject([whole, whole]);
  });

  test.each([
    ["openapi: 3.0.0\npaths:\n  /a: {get: {responses: }", "Line 3, column"],
    ['{"openapi": "3.0.0"\n "paths": {}}', "Line 2, column 2"],
    ["openapi: 3.0.0\n\tpaths: {}", "Line 2, column"],
    ["openapi: 3.0.0\npaths: *none", "Line 2, column 9"],
  ])("A mistake in %j has its line and column", (text, place) => {
    expect(() => parseDocument(text)).toThrow(place);
  });
});

describe("bodies", () => {
  const post = (requestBody: object) => version3({ "/a": { post: { requestBody, responses } } });
  const members = { type: "object", properties: { a: { type: "string" } } };
  const content = (type: string, schema: object = members) => ({ [type]: { schema } });

  test("A required body without required members is sent empty, an optional one is not", () => {
    const json = content("application/json");
    expect(send(post({ required: true, content: json }))).toMatchObject({
      body: "{}",
      type: "application/json",
    });
    expect(send(post({ required: true, content: json }), { a: "x" }).body).toBe('{"a":"x"}');
    expect(send(post({ content: json })).body).toBeNull();
    const form = content("application/x-www-form-urlencoded");
    expect(send(post({ required: true, content: form }))).toMatchObject({ body: "" });
    const parts = content("multipart/form-data");
    expect(send(post({ required: true, content: parts })).body).toMatch(/^--hub-[\w-]+--\r\n$/);
  });

  test("The binding of other bodies stays as it was, so that they need no new review", () => {
    const schema = { ...members, required: ["a"] };
    const [one] = post({ required: true, content: content("application/json", schema) }).operations;
    expect(one?.binding).not.toHaveProperty(["body", "sentEmpty"]);
  });

  test("A GET that needs a body is left out, and one that may have one is called without it", () => {
    const get = (required: boolean) =>
      version3({ "/a": { get: { requestBody: { required, content: {} }, responses } } });
    expect(get(true).leftOut[0]?.reason).toBe("It needs a body, which a GET cannot carry.");
    expect(get(false).operations).toHaveLength(1);
  });
});

describe("references", () => {
  const shared = {
    parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
    get: { operationId: "shared", parameters: [{ name: "q", in: "query" }], responses },
  };

  test.each([
    ["an operation", { get: { $ref: "#/x-parts/operation" } }],
    ["a path", { $ref: "#/x-parts/item" }],
    ["a path with members beside", { $ref: "#/x-parts/item", summary: "Here" }],
    ["a path of another path", { $ref: "#/paths/~1other~1{id}" }],
    ["an operation of another path", { get: { $ref: "#/paths/~1other~1{id}/get" } }],
    ["a reference to a reference", { $ref: "#/x-parts/again" }],
  ])("%s is followed, in OpenAPI 3 and in Swagger 2", (_, item) => {
    const parameters = [{ name: "id", in: "path", required: true, type: "string" }];
    const q = { name: "q", in: "query", type: "string" };
    const operation = { ...shared.get, parameters: [...parameters, q] };
    const parts = { operation, item: { get: operation }, again: { $ref: "#/x-parts/item" } };
    const paths = { "/a/{id}": item, "/other/{id}": { get: operation } };
    for (const document of [{ openapi: "3.0.0" }, { swagger: "2.0" }]) {
      const { operations, leftOut } = read({ ...document, paths, "x-parts": parts });
      expect(leftOut).toEqual([]);
      expect(
        operations.map(({ inputSchema }) => Object.keys(Object(inputSchema.properties))),
      ).toEqual([
        ["id", "q"],
        ["id", "q"],
      ]);
    }
  });

  test.each([
    ["other.yaml#/get", "another document"],
    ["#/x-parts/none", "does not have"],
    ["#anchor", "an anchor"],
  ])("An operation that is the reference %s is left out with this reason", ($ref, reason) => {
    for (const paths of [{ "/a": { get: { $ref } } }, { "/a": { $ref } }]) {
      for (const result of [version3(paths), version2(paths)]) {
        expect(result.operations).toEqual([]);
        expect(result.leftOut).toEqual([
          { sourceName: expect.stringContaining("/a"), reason: expect.stringContaining(reason) },
        ]);
      }
    }
  });

  test("The servers of a path that is a reference are found", () => {
    const item = { servers: [{ url: "https://files.example" }], get: { responses } };
    const document = { openapi: "3.0.0", "x-item": item, paths: { "/a": { $ref: "#/x-item" } } };
    expect(listAllServers(parseDocument(JSON.stringify(document)))).toEqual([
      { url: "https://files.example", isShared: false },
    ]);
  });
});

describe("queries and fragments in paths", () => {
  const parameter = (name: string, place: string) => ({
    name,
    in: place,
    required: place === "path",
    schema: { type: "string" },
  });
  const get = (path: string, parameters: object[] = []) =>
    version3({ [path]: { get: { parameters, responses } } });

  test.each<[string, object[], object, string]>([
    ["/a?acl", [], {}, "/a?acl"],
    ["/a?comp=list&restype=container", [], {}, "/a?comp=list&restype=container"],
    ["/a?comp=list", [parameter("q", "query")], { q: "x" }, "/a?comp=list&q=x"],
    ["/a?comp=list", [parameter("comp", "query")], { comp: "x" }, "/a?comp=x"],
    ["/a?comp=list", [parameter("comp", "query")], {}, "/a?comp=list"],
    ["/a?id={id}", [parameter("id", "path")], { id: "x&y=z#" }, "/a?id=x%26y%3Dz%23"],
    ["/a?id={id}", [parameter("id", "query")], { id: "x" }, "/a?id=x"],
    ["/a?id={id}", [parameter("id", "query")], {}, "/a"],
    ["/a{?p,q}", [parameter("p", "query"), parameter("q", "query")], { q: "x" }, "/a?q=x"],
    ["/a#Action=B", [], {}, "/a"],
    ["/a?v=1#Action=B", [], {}, "/a?v=1"],
    ["/?a=ä b".replace(" ", "%20"), [], {}, "/?a=%C3%A4%20b"],
  ])("The path %s with %j and %j is sent as %s", (path, parameters, params, at) => {
    expect(send(get(path, parameters), params).at).toBe(at);
  });

  test.each([
    ["/a?id={id}", "not among its parameters"],
    ["/a{?p}", "not among its parameters"],
    ["/a?x={", "a brace alone"],
    ["/../b?x=1", "outside the server's address"],
    ["//evil.example?x=1", "outside the server's address"],
    ["a?x=1", 'does not begin with "/"'],
  ])("The path %s is left out with its reason", (path, reason) => {
    expect(get(path).leftOut[0]?.reason).toContain(reason);
  });
});

describe("lists of Swagger 2", () => {
  const call = (parameter: object, params: object = { t: ["a", "b"] }, more: object = {}) => {
    const place = Object(parameter).in;
    const path = place === "path" ? "/x/{t}" : "/x";
    const method = place === "formData" ? "post" : "get";
    const given = { name: "t", type: "array", items: { type: "string" }, ...parameter };
    return send(
      version2({ [path]: { [method]: { parameters: [given], responses, ...more } } }),
      params,
    );
  };

  test.each([
    ["query", undefined, "/x?t=a,b"],
    ["query", "csv", "/x?t=a,b"],
    ["query", "ssv", "/x?t=a%20b"],
    ["query", "tsv", "/x?t=a%09b"],
    ["query", "pipes", "/x?t=a%7Cb"],
    ["query", "multi", "/x?t=a&t=b"],
    ["path", undefined, "/x/a,b"],
    ["path", "csv", "/x/a,b"],
    ["path", "ssv", "/x/a%20b"],
    ["path", "tsv", "/x/a%09b"],
    ["path", "pipes", "/x/a%7Cb"],
    ["path", "multi", "/x/a,b"],
  ])("in a %s with %p are sent as %s", (place, collectionFormat, at) => {
    expect(call({ in: place, ...(collectionFormat && { collectionFormat }) }).at).toBe(at);
  });

  test.each([
    [undefined, "a,b"],
    ["csv", "a,b"],
    ["ssv", "a b"],
    ["tsv", "a\tb"],
    ["pipes", "a|b"],
  ])("in a header with %p are sent as %j", (collectionFormat, value) => {
    const parameter = { in: "header", ...(collectionFormat && { collectionFormat }) };
    expect(call(parameter).headers.get("t")).toBe(value);
  });

  test.each([
    [undefined, ["a,b"]],
    ["csv", ["a,b"]],
    ["ssv", ["a b"]],
    ["tsv", ["a\tb"]],
    ["pipes", ["a|b"]],
    ["multi", ["a", "b"]],
  ])("in a form with %p are sent as %j", async (collectionFormat, values) => {
    const parameter = { in: "formData", ...(collectionFormat && { collectionFormat }) };
    for (const type of ["application/x-www-form-urlencoded", "multipart/form-data"]) {
      const sent = call(parameter, undefined, { consumes: [type] });
      const headers = { "content-type": String(sent.type) };
      const form = await new Response(sent.body, { headers }).formData();
      expect(form.getAll("t")).toEqual(values);
    }
  });

  test("A comma in an item is not one between items", () => {
    const params = { t: ["a,b", "c"] };
    expect(call({ in: "query" }, params).at).toBe("/x?t=a%2Cb,c");
    expect(call({ in: "formData" }, params).body).toBe("t=a%2Cb,c");
  });
});

describe("requests of Swagger 2", () => {
  const form = { name: "f", in: "formData", type: "string" };
  const file = { name: "file", in: "formData", type: "file", required: true };

  test("Members of a form have their whole schemas", () => {
    const list = { name: "l", in: "formData", type: "array", items: { type: "integer" } };
    const parameters = [{ ...form, enum: ["x"], maxLength: 3 }, list];
    const { operations } = version2({ "/x": { post: { parameters, responses } } });
    expect(operations[0]?.inputSchema.properties).toEqual({
      f: { type: "string", maxLength: 3, enum: ["x"] },
      l: { type: "array", items: { type: "integer" } },
    });
  });

  test("Shared parameters of forms and bodies are sent", () => {
    const parameters = {
      Form: form,
      Body: { name: "b", in: "body", required: true, schema: { $ref: "#/definitions/B" } },
    };
    const definitions = { B: { type: "object", properties: { b: { type: "string" } } } };
    const post = (name: string) =>
      version2(
        { "/x": { post: { parameters: [{ $ref: `#/parameters/${name}` }], responses } } },
        { parameters, definitions },
      );
    expect(send(post("Form"), { f: "x" }).body).toBe("f=x");
    expect(send(post("Body"), { b: "x" }).body).toBe('{"b":"x"}');
    expect(send(post("Body")).body).toBe("{}");
  });

  test("A form and a body of the path are sent, and the operation replaces them by name", () => {
    const item = {
      parameters: [form],
      post: { parameters: [{ ...form, type: "integer" }], responses },
    };
    const result = version2({ "/x": item });
    expect(result.operations[0]?.inputSchema.properties).toEqual({ f: { type: "integer" } });
    expect(send(result, { f: 3 }).body).toBe("f=3");
  });

  test("A file makes a form multipart, whatever else the operation consumes", () => {
    const consumes = ["application/x-www-form-urlencoded", "multipart/form-data"];
    const post = { consumes, parameters: [file, form], responses };
    const sent = send(version2({ "/x": { post } }), { file: "AAEC", f: "x" });
    expect(sent.type).toStartWith("multipart/form-data; boundary=");
    expect(sent.body).toContain('name="file"; filename="file"');
  });

  test("What an operation produces stands before what the document produces", () => {
    const answer = { 200: { description: "ok", schema: { type: "string" } } };
    const get = { produces: ["text/csv"], responses: answer };
    const { operations } = version2({ "/x": { get } }, { produces: ["application/json"] });
    expect(operations[0]?.binding).toMatchObject({ accept: "text/csv, */*;q=0.1" });
  });

  test("A header parameter names the type of the body", () => {
    const type = {
      name: "Content-type",
      in: "header",
      type: "string",
      enum: ["application/x-tar"],
    };
    const body = { name: "b", in: "body", schema: { type: "string", format: "binary" } };
    const post = { consumes: ["application/octet-stream"], parameters: [type, body], responses };
    const sent = send(version2({ "/x": { post } }), { body: "AAEC" });
    expect(sent.type).toBe("application/x-tar");
  });

  test("x-nullable admits null", () => {
    const schema = { type: "object", properties: { a: { type: "string", "x-nullable": true } } };
    const parameters = [{ name: "b", in: "body", schema }];
    const { operations } = version2({ "/x": { post: { parameters, responses } } });
    expect(operations[0]?.inputSchema.properties).toEqual({ a: { type: ["string", "null"] } });
  });

  test.each([
    ["an operation that is null", { get: null }],
    ["a member that is null", { "x-note": null, get: { responses } }],
    ["answers that are null", { get: { responses: { 200: null } } }],
    [
      "a parameter without a place",
      { get: { parameters: [{ name: "a", type: "string" }], responses } },
    ],
    ["parameters that are no list", { get: { parameters: "x", responses } }],
  ])("%s does not end the reading of the document", (_, item) => {
    const { operations } = version2({ "/x": item, "/y": { get: { operationId: "y", responses } } });
    expect(operations.map(({ sourceName }) => sourceName)).toContain("y");
  });
});

test("Formats are checked only in a dialect that says so", () => {
  const parameters = [{ name: "u", in: "query", schema: { type: "string", format: "uri" } }];
  const paths = { "/a": { get: { parameters, responses } } };
  const dialect = (jsonSchemaDialect?: string) =>
    version3(paths, jsonSchemaDialect === undefined ? {} : { jsonSchemaDialect }).operations[0]
      ?.inputSchema.$schema;
  expect(dialect()).toBeUndefined();
  expect(dialect("https://spec.openapis.org/oas/3.1/dialect/base")).toBeUndefined();
  const asserting = "https://json-schema.org/draft/2020-12/meta/format-assertion";
  expect(dialect(asserting)).toBe(asserting);
});

test("Operations beyond the limit are counted as left out", () => {
  const paths = Object.fromEntries(
    Array.from({ length: 20_003 }, (_, at) => [`/p${at}`, { trace: {} }]),
  );
  const { leftOut } = version3(paths);
  expect(leftOut).toHaveLength(20_001);
  expect(leftOut.at(-1)).toMatchObject({ sourceName: "3 more operations", count: 3 });
});
