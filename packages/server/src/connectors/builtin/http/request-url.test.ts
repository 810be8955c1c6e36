import { describe, expect, spyOn, test } from "bun:test";
import { parseJson } from "@hub/connector";
import { HubError } from "../../../errors.ts";
import { toRequestUrl } from "./request-url.ts";

const base = "https://api.test/v1";
const urlOf = (path: string, query?: unknown, from = base) =>
  toRequestUrl({ BaseURL: from }, path, query).href;

describe("the path of a request", () => {
  test("A path is appended to the base URL's own path", () => {
    expect(urlOf("/users/42")).toBe("https://api.test/v1/users/42");
    expect(urlOf("users/42")).toBe("https://api.test/v1/users/42");
    expect(urlOf("/users/", undefined, "https://api.test/v1/")).toBe("https://api.test/v1/users/");
    expect(urlOf("/users", undefined, "https://api.test")).toBe("https://api.test/users");
    expect(urlOf("/users", undefined, "https://api.test:8443/a/b/")).toBe(
      "https://api.test:8443/a/b/users",
    );
  });

  test("The path / gives the base URL as it was saved", () => {
    expect(urlOf("/")).toBe("https://api.test/v1");
    expect(urlOf("/", undefined, "https://api.test/rpc/")).toBe("https://api.test/rpc/");
    expect(urlOf("/", undefined, "https://api.test")).toBe("https://api.test/");
  });

  test("A path keeps its encoded characters, and other special characters are encoded", () => {
    expect(urlOf("/a%2Fb/c d/é/x:y@z")).toBe("https://api.test/v1/a%2Fb/c%20d/%C3%A9/x:y@z");
    expect(urlOf("/100%25")).toBe("https://api.test/v1/100%25");
    expect(urlOf("/v1.2/.well-known/a..b/...")).toBe(
      "https://api.test/v1/v1.2/.well-known/a..b/...",
    );
  });

  const escapes = [
    "https://evil.test/",
    "HTTPS://evil.test/",
    "file:///etc/passwd",
    "//evil.test/x",
    "/../admin",
    "..",
    "/users/../../admin",
    "/users/..",
    "/users/./x",
    "/%2e%2e/admin",
    "/%2E./admin",
    "/..%2fadmin",
    "/..%5cadmin",
    "/%252e%252e/admin",
    "/%25252e%25252e%252fadmin",
    "/%252e%252e/%25",
    "/%c0%ae%c0%ae/admin",
    "/..;/admin",
    "/..;x=1/admin",
    "/.. /admin",
    "\\\\evil.test\\x",
    "/\\evil.test",
    "/users\\..\\..\\admin",
    "/.\t./admin",
    "/.\n./admin",
    "/\u0000",
    "/users#fragment",
    "/50%",
    "/%zz",
    "/%25252525252541",
  ];
  for (const path of escapes) {
    test(`The path ${JSON.stringify(path)} is refused and not corrected`, () => {
      expect(() => urlOf(path)).toThrow(HubError);
      expect(() => urlOf(path, undefined, "https://api.test")).toThrow(/: path (must|contains|is)/);
    });
  }

  test("A path that looks like a host cannot reach another host", () => {
    expect(urlOf("/@evil.test/x")).toBe("https://api.test/v1/@evil.test/x");
    expect(urlOf(".evil.test", undefined, "https://api.test")).toBe("https://api.test/.evil.test");
    expect(urlOf(":80/x", undefined, "https://api.test")).toBe("https://api.test/:80/x");
    expect(urlOf("javascript:alert(1)")).toBe("https://api.test/v1/javascript:alert(1)");
  });
});

describe("the query of a request", () => {
  test("A query is encoded, and arrays repeat their name", () => {
    expect(urlOf("/x", { q: "a&b=c d/é", label: ["x", "y"], n: 5, open: true, gone: null })).toBe(
      "https://api.test/v1/x?q=a%26b%3Dc%20d%2F%C3%A9&label=x&label=y&n=5&open=true",
    );
  });

  test("A query keeps all digits of large numbers", () => {
    expect(urlOf("/x", parseJson('{"id": 9007199254740993123}'))).toEndWith(
      "?id=9007199254740993123",
    );
    expect(urlOf("/x", { id: 9007199254740993123n })).toEndWith("?id=9007199254740993123");
  });

  test("A query may also be JSON text, query text, or part of the path", () => {
    expect(urlOf("/x", '{"a": [1, 2]}')).toEndWith("/x?a=1&a=2");
    expect(urlOf("/x", "?a=1&b=2&a=3")).toEndWith("/x?a=1&a=3&b=2");
    expect(urlOf("/x?a=1/../2", { b: 2 })).toEndWith("/x?a=1/../2&b=2");
  });

  test("A query is added to the row's default query, unless the call sets the same name", () => {
    const config = {
      BaseURL: base,
      DefaultQuery: [
        { name: "version", value: "3" },
        { name: "lang", value: "de" },
      ],
    };
    const { href } = toRequestUrl(config, "/x?lang=en", { b: 2 });
    expect(href).toBe("https://api.test/v1/x?version=3&lang=en&b=2");
  });

  test("A query in the base URL of an older row is refused with the name of the new field", () => {
    expect(() => urlOf("/x", undefined, "https://api.test/v1?key=k-12345")).toThrow(
      /needs_setup|query_name and query_value/,
    );
    expect(() => urlOf("/x", undefined, "https://ada:pw-12345@api.test/v1")).toThrow(
      /username and password/,
    );
  });

  test("A query is parsed in one pass, whatever repeats in it", () => {
    const calls = countCalls(URLSearchParams.prototype, ["getAll", "get", "keys"], () => {
      expect(urlOf("/x", "a=1&".repeat(999))).toEndWith("a=1&a=1");
    });
    // One check of the names in the path's own query, and none for each pair.
    expect(calls).toBe(1);
  });

  const tooMuch: [string, unknown][] = [
    ["1,001 pairs as text", "a=1&".repeat(1001)],
    ["100,001 separators", "&".repeat(100_001)],
    ["1,001 values of one name", { a: Array(1001).fill(1) }],
    ["1,001 names", Object.fromEntries(Array.from({ length: 1001 }, (_, at) => [`n${at}`, 1]))],
    ["values of 64 KiB together", { a: ["x".repeat(40_000), "x".repeat(30_000)] }],
    ["JSON text of 64 KiB", `{"a":"${"x".repeat(70_000)}"}`],
    ["JSON text that nests", `{"a":${"[".repeat(5000)}${"]".repeat(5000)}}`],
  ];
  for (const [title, query] of tooMuch) {
    test(`A query of ${title} is refused without repeating its content`, () => {
      expect(() => urlOf("/x", query)).toThrow(/^.{0,200}query (has|is too long|must be).{0,100}$/);
    });
  }

  for (const query of [[1], 5, true, "{broken", { a: { b: 1 } }, { a: [[1]] }]) {
    test(`The query ${JSON.stringify(query)} is refused`, () => {
      expect(() => urlOf("/x", query)).toThrow(/query.*must be/);
    });
  }
});

/** How often methods of a prototype are called while `run` runs. */
function countCalls(prototype: object, names: string[], run: () => void): number {
  const spies = names.map((name) => spyOn(prototype as Record<string, () => unknown>, name));
  try {
    run();
    return spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}
