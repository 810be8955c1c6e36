import { describe, expect, test } from "bun:test";
import type { Credential } from "../authentication/find-credential.ts";
import { type Binding, bindingSchema } from "../binding.ts";
import { writeRequest } from "./write-request.ts";

const server = new URL("https://api.example.com/v1");

function write(
  binding: object,
  params: Record<string, unknown>,
  credential: Credential | null = null,
) {
  const full: Binding = bindingSchema.parse({
    method: "GET",
    path: "/",
    parameters: [],
    ...binding,
  });
  const headers = new Headers();
  return writeRequest(full, { server, params, headers, credential });
}

const item = {
  path: "/items/{id}/parts",
  parameters: [{ input: "id", name: "id", in: "path" }],
};

describe("a path stays below the server's address", () => {
  test.each([
    ["a/b", "/v1/items/a%2Fb/parts"],
    ["a?b#c", "/v1/items/a%3Fb%23c/parts"],
    ["a%2fb", "/v1/items/a%252fb/parts"],
    ["a b;c=ü", "/v1/items/a%20b%3Bc%3D%C3%BC/parts"],
    ["https://evil.example", "/v1/items/https%3A%2F%2Fevil.example/parts"],
    ["...", "/v1/items/.../parts"],
  ])("The value %j is one part of it", (id, pathname) => {
    const { url } = write(item, { id });
    expect(url.origin).toBe(server.origin);
    expect(url.pathname).toBe(pathname);
    expect(url.search + url.hash).toBe("");
  });

  test.each([
    "..",
    ".",
    "../admin",
    "a/../../admin",
    "%2e%2e",
    "..%2fadmin",
    "..\\admin",
    "%252e%252e",
    "..;x",
  ])("The value %j is refused", (id) =>
    expect(() => write(item, { id })).toThrow("below the server's address"));

  test("An empty value is refused, because it would be another path", () => {
    expect(() => write(item, { id: "" })).toThrow("must not be empty");
    expect(() => write(item, { id: [] })).toThrow("must not be empty");
  });

  test("Two values that make two dots together are refused", () => {
    const parameters = ["a", "b"].map((name) => ({ input: name, name, in: "path" }));
    const pair = { path: "/x/{a}{b}/y", parameters };
    expect(write(pair, { a: "1", b: "." }).url.pathname).toBe("/v1/x/1./y");
    expect(() => write(pair, { a: ".", b: "." })).toThrow("below the server's address");
  });
});

describe("a credential", () => {
  const key = { in: "query", name: "api_key", value: "k 1" } as const;

  test("in the query is sent with the parameters", () => {
    const parameters = [{ input: "q", name: "q", in: "query" }];
    expect(write({ parameters }, { q: "x" }, key).url.search).toBe("?api_key=k%201&q=x");
  });

  test("is not replaced by a member of an object", () => {
    const parameters = [{ input: "filter", name: "filter", in: "query" }];
    expect(() => write({ parameters }, { filter: { api_key: "mine" } }, key)).toThrow(
      "the row sets",
    );
  });

  test("in a cookie is sent with the other cookies", () => {
    const parameters = [{ input: "theme", name: "theme", in: "cookie" }];
    const cookie = { in: "cookie", name: "session", value: "s1" } as const;
    expect(write({ parameters }, { theme: "a;b" }, cookie).headers.get("cookie")).toBe(
      "session=s1; theme=a%3Bb",
    );
  });

  test("in a header is not replaced by a parameter", () => {
    const parameters = [{ input: "key", name: "X-Key", in: "header" }];
    const header = { in: "header", name: "x-key", value: "of the row" } as const;
    expect(write({ parameters }, { key: "mine" }, header).headers.get("x-key")).toBe("of the row");
  });
});

test("A header with a line break is refused", () => {
  const parameters = [{ input: "note", name: "X-Note", in: "header" }];
  expect(() => write({ parameters }, { note: "a\r\nX-Admin: 1" })).toThrow(
    "not allowed in a header",
  );
});

describe("a body", () => {
  const toBody = (body: object, params: Record<string, unknown>) =>
    write({ method: "POST", body }, params).body;

  test("of JSON has the members that the call gives", () => {
    const body = { contentType: "application/json", kind: "json", fields: ["a", "b"] };
    expect(toBody(body, { a: 1, c: 2 })).toEqual({
      contentType: "application/json",
      content: '{"a":1}',
    });
    expect(toBody(body, {})).toBeNull();
  });

  test("of a form repeats lists, follows styles and writes objects as JSON", () => {
    const encoding = { meta: { style: "deepObject", explode: true } };
    const body = {
      contentType: "application/x-www-form-urlencoded",
      kind: "form",
      input: "body",
      encoding,
    };
    const value = { a: ["x y", "&"], meta: { k: { n: 1 } }, other: { m: 2 }, none: null };
    expect(toBody(body, { body: value })?.content).toBe(
      "a=x+y&a=%26&meta%5Bk%5D%5Bn%5D=1&other=%7B%22m%22%3A2%7D",
    );
    const meta = [{ plan: "a b", amount: 1 }, { plan: "c" }];
    expect(decodeURIComponent(String(toBody(body, { body: { meta } })?.content))).toBe(
      "meta[0][plan]=a+b&meta[0][amount]=1&meta[1][plan]=c",
    );
  });

  test("of bytes is decoded from base64, and other text is refused", () => {
    const body = { contentType: "image/png", kind: "binary", input: "body" };
    expect(toBody(body, { body: "AAEC" })?.content).toEqual(new Uint8Array([0, 1, 2]));
    expect(() => toBody(body, { body: "not base64!" })).toThrow("must be base64");
  });

  test("of several parts has files with their names, read by an independent parser", async () => {
    const body = {
      contentType: "multipart/form-data",
      kind: "multipart",
      fields: ["file", "note", "meta"],
      encoding: { file: { file: true, contentType: "image/png" } },
    };
    const file = { data: "AAEC", filename: 'a"b\r\nX-Evil: 1.png' };
    const written = toBody(body, { file, note: "hello", meta: { n: 1 } });
    const response = new Response(written?.content, {
      headers: { "content-type": written?.contentType ?? "" },
    });
    const form = await response.formData();
    const sent = form.get("file");
    if (!(sent instanceof Blob)) throw new Error("not a file");
    expect(await sent.bytes()).toEqual(new Uint8Array([0, 1, 2]));
    expect(sent.type).toBe("image/png");
    expect(Buffer.from(written?.content ?? "").toString()).not.toContain("\r\nX-Evil");
    expect(form.get("note")).toBe("hello");
  });

  test("of several parts writes lists and objects in the style that the document names", async () => {
    const body = {
      contentType: "multipart/form-data",
      kind: "multipart",
      fields: ["ids", "tags", "at"],
      encoding: {
        ids: { style: "form", explode: false },
        tags: { style: "pipeDelimited", explode: false },
        at: { style: "deepObject", explode: true },
      },
    };
    const written = toBody(body, { ids: [1, 2], tags: ["a", "b c"], at: { x: 1 } });
    const headers = { "content-type": written?.contentType ?? "" };
    const form = await new Response(written?.content, { headers }).formData();
    expect([...form.entries()]).toEqual([
      ["ids", "1,2"],
      ["tags", "a|b c"],
      ["at[x]", "1"],
    ]);
  });
});

describe("a name that is sent again with each of its values does not multiply the size of a call", () => {
  const name = "k".repeat(100_000);
  const items = Array<number>(1_000).fill(1);
  const refusal = /sent again with each of its values/;

  test.each([
    ["form", {}],
    ["form", { body: { style: "deepObject", explode: true } }],
    ["multipart", {}],
    ["multipart", { body: { style: "deepObject", explode: true } }],
  ])("in a body of the kind %s with the encoding %j", (kind, encoding) => {
    const contentType =
      kind === "form" ? "application/x-www-form-urlencoded" : "multipart/form-data";
    const body = { contentType, kind, input: "body", encoding };
    const value = Object.hasOwn(encoding, "body") ? { body: { [name]: items } } : { [name]: items };
    const send = (params: object) => write({ method: "POST", body }, { body: params });
    expect(() => send(value)).toThrow(refusal);
    const many = Array.from({ length: 100 }, (_, at) => [`${name.slice(0, 1_000)}${at}`, items]);
    expect(() => send(Object.fromEntries(many))).toThrow(refusal);
    expect(send({ a: items, b: "x" }).body?.contentType).toStartWith(contentType);
  });

  test("in a query of the style deepObject", () => {
    const parameters = [{ input: "q", name: "q", in: "query", style: "deepObject" }];
    expect(() => write({ parameters }, { q: { [name]: items } })).toThrow(refusal);
    expect(write({ parameters }, { q: { a: [1, 2] } }).url.search).toBe(
      "?q%5Ba%5D%5B0%5D=1&q%5Ba%5D%5B1%5D=2",
    );
  });
});

describe("a value in the query of the document's path", () => {
  const binding = {
    query: "Action=List",
    parameters: [
      { input: "filter", name: "filter", in: "query", style: "form", explode: true },
      { input: "Action", name: "Action", in: "query" },
    ],
  };

  test("gives way to the parameter of its name", () => {
    expect(write(binding, { filter: { x: "1" } }).url.search).toBe("?Action=List&x=1");
    expect(write(binding, { Action: "Get" }).url.search).toBe("?Action=Get");
  });

  test("is not replaced by a member of another parameter", () => {
    expect(() => write(binding, { filter: { Action: "Delete" } })).toThrow("the operation sets");
    const deep = { ...binding, query: "f[Action]=List" };
    const parameters = [{ input: "f", name: "f", in: "query", style: "deepObject" }];
    expect(() => write({ ...deep, parameters }, { f: { Action: "Delete" } })).toThrow(
      "the operation sets",
    );
  });
});
