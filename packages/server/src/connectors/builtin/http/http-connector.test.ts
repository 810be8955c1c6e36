import { afterEach, describe, expect, spyOn, test } from "bun:test";
import {
  checkParams,
  createGuardedFetch,
  parseJson,
  readConfig,
  runHealth,
  runOperation,
  toJsonText,
  UpstreamError,
} from "@hub/connector";
import { HubError } from "../../../errors.ts";
import { readAnswer } from "./answer.ts";
import { httpConnector } from "./http-connector.ts";

type Handler = (req: Request) => Response | Promise<Response>;

const open: { stop(force: boolean): unknown }[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.stop(true);
});

function serve(handler: Handler): string {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: handler });
  open.push(server);
  return `http://api.test:${server.port}`;
}

/** All host names in these tests resolve to this machine. */
function createTools(masked: string[] = []) {
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const { signal } = new AbortController();
  const guardedFetch = createGuardedFetch({
    policy: { savedHosts: [], allow: ["127.0.0.1"] },
    resolve: async () => ["127.0.0.1"],
  });
  const mask = (value: string) => void masked.push(value);
  return { fetch: guardedFetch, signal, log, mask, maskIgnoreCase: mask, progress() {} };
}

type Call = {
  operation: string;
  config: Record<string, string>;
  /** As a client sends it. */
  params: string;
  masked?: string[];
};

async function call({ operation, config, params, masked }: Call): Promise<string> {
  const inputFields = httpConnector.operations.get(operation)?.inputFields ?? [];
  const checked = checkParams(inputFields, parseJson(params));
  expect(checked.issues).toEqual([]);
  const values = { config: readConfig(httpConnector.configFields, config), params: checked.values };
  return toJsonText(await runOperation(httpConnector, operation, values, createTools(masked)));
}

/** The error of a call that must fail. */
async function failureOf(wanted: Call): Promise<unknown> {
  try {
    return `no failure but ${await call(wanted)}`;
  } catch (thrown) {
    return thrown;
  }
}

/** Answers with the data of the request. */
async function echo(req: Request): Promise<Response> {
  const { authorization, "x-api-key": key, "x-team": team } = req.headers.toJSON();
  const { pathname, search } = new URL(req.url);
  const type = req.headers.get("content-type");
  const body = await req.text();
  return Response.json({
    method: req.method,
    at: pathname + search,
    authorization,
    key,
    team,
    type,
    body,
  });
}

async function echoed(wanted: Omit<Call, "config"> & { config?: Record<string, string> }) {
  const config = { base_url: `${serve(echo)}/v1`, ...wanted.config };
  return JSON.parse(await call({ ...wanted, config })).body;
}

describe("authentication", () => {
  test("The mode none sends no credentials", async () => {
    const { authorization, key } = await echoed({ operation: "get", params: '{"path": "/x"}' });
    expect([authorization, key]).toEqual([undefined, undefined]);
  });

  test("The mode bearer sends the token without a pasted line break", async () => {
    const config = { auth_mode: "bearer", token: "t-0123456789\n" };
    const masked: string[] = [];
    const seen = await echoed({ operation: "get", params: '{"path": "/x"}', config, masked });
    expect(seen.authorization).toBe("Bearer t-0123456789");
    expect(masked).toEqual(["t-0123456789"]);
  });

  test("The mode basic sends user name and password and masks their encoding", async () => {
    const config = { auth_mode: "basic", username: "ada", password: "pä:ss" };
    const masked: string[] = [];
    const seen = await echoed({ operation: "get", params: '{"path": "/x"}', config, masked });
    const pair = Buffer.from("ada:pä:ss").toString("base64");
    expect(seen.authorization).toBe(`Basic ${pair}`);
    expect(masked).toEqual([pair]);
  });

  test("The mode header sends the configured header", async () => {
    const config = { auth_mode: "header", header_name: "X-API-Key", header_value: "k-1" };
    const seen = await echoed({ operation: "get", params: '{"path": "/x"}', config });
    expect(seen.key).toBe("k-1");
  });

  const modes = {
    bearer: { auth_mode: "bearer", token: "t" },
    basic: { auth_mode: "basic", username: "u", password: "p" },
    header: { auth_mode: "header", header_name: "X-API-Key", header_value: "k" },
  };
  for (const [mode, config] of Object.entries(modes)) {
    test(`The credential of ${mode} cannot be replaced by a call's own header`, async () => {
      const name = mode === "header" ? "x-api-KEY" : "AUTHORIZATION";
      const params = JSON.stringify({ path: "/x", headers: { [name]: "forged" } });
      const failure = await failureOf({
        operation: "get",
        params,
        config: { base_url: serve(echo), ...config },
      });
      expect(failure).toBeInstanceOf(HubError);
      expect(String(failure)).toContain("is set by the row");
    });
  }

  test("The credential is not sent to the host of a redirect", async () => {
    let seen: Record<string, string | null> = {};
    const elsewhere = serve((req) => {
      seen = req.headers.toJSON();
      return new Response("end");
    }).replace("api.test", "other.test");
    const config = {
      base_url: serve(() => Response.redirect(elsewhere, 302)),
      auth_mode: "header",
      header_name: "X-API-Key",
      header_value: "k-secret",
      default_headers: '[{"name": "X-Team", "value": "blue"}]',
    };
    await call({ operation: "get", params: '{"path": "/x"}', config });
    expect(Object.keys(seen).sort()).toEqual([
      "accept",
      "accept-encoding",
      "connection",
      "host",
      "user-agent",
    ]);
  });
});

test("A redirect that leaves the base path carries no credential, one below it does", async () => {
  const seen: string[] = [];
  const handler = (req: Request) => {
    const { pathname } = new URL(req.url);
    seen.push(`${pathname} ${req.headers.get("authorization")}`);
    if (pathname === "/v1/a") return Response.redirect("/v1/b", 302);
    return pathname === "/v1/b" ? Response.redirect("/v2", 302) : new Response("end");
  };
  const config = { base_url: `${serve(handler)}/v1`, auth_mode: "bearer", token: "t-123" };
  await call({ operation: "get", params: '{"path": "/a"}', config });
  expect(seen).toEqual(["/v1/a Bearer t-123", "/v1/b Bearer t-123", "/v2 null"]);
});

describe("a credential in the query", () => {
  const row = { auth_mode: "query", query_name: "api_key", query_value: "k 1234\n" };

  test("A credential in the query is added to every call and masked as it was sent", async () => {
    const masked: string[] = [];
    const params = '{"path": "/x?a=1", "query": {"b": 2}}';
    const seen = await echoed({ operation: "get", params, config: row, masked });
    expect(seen.at).toBe("/v1/x?api_key=k%201234&a=1&b=2");
    expect(masked).toEqual(["k 1234"]);
  });

  for (const params of ['{"path": "/x?api_key=z"}', '{"path": "/x", "query": "api_key=z"}']) {
    test(`A credential in the query cannot be replaced by ${params}`, async () => {
      const failure = await failureOf({
        operation: "get",
        params,
        config: { base_url: serve(echo), ...row },
      });
      expect(failure).toMatchObject({
        code: "invalid_params",
        detail: { issues: [{ path: "query" }] },
      });
    });
  }
});

describe("headers", () => {
  test("The row's headers are sent unless the call sets them", async () => {
    const config = { default_headers: '[{"name": "X-Team", "value": "blue"}]' };
    const get = (params: string) => echoed({ operation: "get", params, config });
    expect((await get('{"path": "/x"}')).team).toBe("blue");
    expect((await get('{"path": "/x", "headers": {"x-team": "red"}}')).team).toBe("red");
  });

  const refused = {
    Host: "evil.test",
    "Content-Length": "0",
    "transfer-encoding": "chunked",
    Connection: "upgrade",
    "X-HTTP-Method-Override": "DELETE",
    "X_HTTP_Method-Override": "DELETE",
    "x.http.method": "DELETE",
    Transfer_Encoding: "chunked",
    "X-Original-URL": "/admin",
    X_Rewrite_Url: "/admin",
    "bad name": "x",
    "X-Split": "a\r\nX-Evil: 1",
    "X-Wide": "→",
  };
  for (const [name, value] of Object.entries(refused)) {
    test(`${name} is refused`, async () => {
      const params = JSON.stringify({ path: "/x", headers: { [name]: value } });
      const failure = await failureOf({
        operation: "get",
        params,
        config: { base_url: serve(echo) },
      });
      expect(failure).toMatchObject({ code: "invalid_params" });
    });
  }

  test("Headers that a server may read as the row's own are refused in any spelling", async () => {
    const config = {
      base_url: serve(echo),
      auth_mode: "header",
      header_name: "X-API-Key",
      header_value: "k",
    };
    for (const name of ["x_api_key", "X-API_KEY", "x.api.key"]) {
      const params = JSON.stringify({ path: "/x", headers: { [name]: "forged" } });
      expect(String(await failureOf({ operation: "get", params, config }))).toContain(
        "headers.x-api-key is set by the row",
      );
    }
  });

  test("Range headers are dropped if the row has a credential (partial echo)", async () => {
    let ranges: (string | null)[] = [];
    const base_url = serve((req) => {
      ranges = [req.headers.get("range"), req.headers.get("if-range")];
      return new Response("whole");
    });
    const params =
      '{"path": "/x", "headers": {"Range": "bytes=0-4", "IF_RANGE": "e", "if-range": "e"}}';
    await call({
      operation: "get",
      params,
      config: { base_url, auth_mode: "bearer", token: "t-123" },
    });
    expect(ranges).toEqual([null, null]);
    await call({ operation: "get", params, config: { base_url } });
    expect(ranges).toEqual(["bytes=0-4", "e"]);
  });

  test("More than a hundred headers, or more than 32 KiB of them, are refused before they are built", async () => {
    const append = spyOn(Headers.prototype, "set");
    try {
      for (const headers of [
        Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`X-H-${at}`, "v"])),
        "a=1&".repeat(20_000),
        { "X-Long": "v".repeat(33_000) },
      ]) {
        const params = JSON.stringify({ path: "/x", headers });
        const failure = await failureOf({
          operation: "get",
          params,
          config: { base_url: serve(echo) },
        });
        expect(failure).toMatchObject({
          code: "invalid_params",
          detail: { issues: [{ path: "headers" }] },
        });
      }
      expect(append).not.toHaveBeenCalled();
    } finally {
      append.mockRestore();
    }
  });

  test("The error for an invalid header of the row says to ask an admin", async () => {
    const rows: Record<string, string>[] = [
      { default_headers: '[{"name": "Host", "value": "evil.test"}]' },
      { default_headers: '[{"name": "X-A", "value": "a\\nb"}]' },
      { default_headers: '[{"name": "Transfer_Encoding", "value": "chunked"}]' },
      { auth_mode: "header", header_name: "X Key", header_value: "k" },
      { auth_mode: "basic", username: "a:b", password: "p" },
    ];
    for (const row of rows) {
      const config = { base_url: serve(echo), ...row };
      const failure = await failureOf({ operation: "get", params: '{"path": "/x"}', config });
      expect(failure).toMatchObject({ code: "needs_setup" });
    }
  });
});

describe("a request", () => {
  const methods = ["get", "head", "post", "put", "patch", "delete"];

  test("The operations are the methods", () => {
    expect([...httpConnector.operations.keys()]).toEqual(methods);
  });

  for (const operation of methods) {
    test(`A request of ${operation} uses that method, and the operation says whether it changes anything`, async () => {
      let method = "";
      const config = {
        base_url: serve((req) => {
          method = req.method;
          return new Response();
        }),
      };
      await call({ operation, params: '{"path": "/x"}', config });
      expect(method).toBe(operation.toUpperCase());
      const { destructive } = httpConnector.operations.get(operation) ?? {};
      expect(destructive).toBe(!["get", "head"].includes(operation));
    });
  }

  test("A request has the given path and query", async () => {
    const params = '{"path": "/users/a%2Fb", "query": {"state": "open", "label": ["x", "y"]}}';
    const seen = await echoed({ operation: "get", params });
    expect(seen.at).toBe("/v1/users/a%2Fb?state=open&label=x&label=y");
  });

  const bodies: [string, string, string, string | null][] = [
    ["an object", '"body": {"a": [1, null]}', '{"a":[1,null]}', "application/json"],
    ["an array", '"body": [1]', "[1]", "application/json"],
    [
      "a large number",
      '"body": {"id": 9007199254740993}',
      '{"id":9007199254740993}',
      "application/json",
    ],
    ["false", '"body": false', "false", "application/json"],
    ["text", '"body": "hé"', "hé", "text/plain;charset=utf-8"],
    [
      "JSON as text",
      '"body": "{\\"id\\": 9007199254740993}"',
      '{"id": 9007199254740993}',
      "application/json",
    ],
    ["text that begins like JSON", '"body": "[x"', "[x", "text/plain;charset=utf-8"],
    ["text with a content type", '"body": "a,b", "content_type": "text/csv"', "a,b", "text/csv"],
    [
      "JSON with a content type",
      '"body": {}, "content_type": "application/x+json"',
      "{}",
      "application/x+json",
    ],
    [
      "a form",
      '"body": {"a": "1 & 2", "b": [3, 4]}, "content_type": "application/x-www-form-urlencoded"',
      "a=1+%26+2&b=3&b=4",
      "application/x-www-form-urlencoded",
    ],
    [
      "text with a content type in the headers",
      '"body": "<a/>", "headers": {"Content-Type": "text/xml"}',
      "<a/>",
      "text/xml",
    ],
    ["bytes in base64", '"body_base64": "AGE="', "\0a", "application/octet-stream"],
    [
      "bytes in base64 with a content type",
      '"body_base64": "PGEvPg==", "content_type": "text/xml"',
      "<a/>",
      "text/xml",
    ],
    ["an empty text", '"body": null', "", null],
  ];
  for (const [title, params, body, type] of bodies) {
    test(`A request can have ${title} as its body`, async () => {
      const seen = await echoed({ operation: "post", params: `{"path": "/x", ${params}}` });
      expect([seen.body, seen.type]).toEqual([body, type]);
    });
  }

  test("A request with an invalid content type is refused", async () => {
    const params = '{"path": "/x", "body": "a", "content_type": "text\\r\\nX-Evil: 1"}';
    const failure = await failureOf({
      operation: "post",
      params,
      config: { base_url: serve(echo) },
    });
    expect(failure).toMatchObject({ code: "invalid_params" });
  });

  for (const base_url of ["https://ada:pw-1234@api.test/v1", "https://api.test/v1?key=k-1234"]) {
    test(`A request of a row with the old base URL ${base_url} is refused with advice for an admin`, async () => {
      const failure = await failureOf({
        operation: "get",
        params: '{"path": "/x"}',
        config: { base_url },
      });
      expect(failure).toMatchObject({ code: "needs_setup" });
      expect(String(failure)).toMatch(/username and password|query_name and query_value/);
      expect(String(failure)).not.toContain("1234");
    });
  }

  test("A request never leaves the base URL, whatever the path", async () => {
    let requests = 0;
    const count = () => {
      requests += 1;
      return new Response();
    };
    const config = { base_url: `${serve(count)}/v1`, auth_mode: "bearer", token: "t" };
    const evil = serve(count);
    for (const path of ["/../admin", "//other.test/", `${evil}/`, "/%2e%2e/admin", "\\\\x\\y"]) {
      const failure = await failureOf({
        operation: "get",
        params: JSON.stringify({ path }),
        config,
      });
      expect(failure).toMatchObject({
        code: "invalid_params",
        detail: { issues: [{ path: "path" }] },
      });
    }
    expect(requests).toBe(0);
  });
});

describe("an answer", () => {
  const answerOf = async (response: Response, operation = "get") => {
    const config = { base_url: serve(() => response) };
    return await call({ operation, params: '{"path": "/x"}', config });
  };
  const bodyOf = async (body: string | Uint8Array | ReadableStream | null, type: string) => {
    const headers = { "content-type": type };
    return JSON.parse(await answerOf(new Response(body, { headers })));
  };

  test("A JSON answer is parsed, and its numbers keep their digits", async () => {
    const json = '{"id":9007199254740993,"price":0.30000000000000004,"long":1.2345678901234567890}';
    for (const type of ["application/json", "application/vnd.x+json; charset=utf-8"]) {
      const text = await answerOf(new Response(json, { headers: { "content-type": type } }));
      expect(text).toContain(`"body":${json}`);
    }
  });

  test("An answer with invalid JSON is returned as text", async () => {
    expect((await bodyOf("<html>", "application/json")).body).toBe("<html>");
  });

  test("A text answer is decoded with its charset", async () => {
    const latin = new Uint8Array([0x67, 0x72, 0xfc, 0xdf]);
    expect((await bodyOf(latin, "text/plain; charset=ISO-8859-1")).body).toBe("grüß");
    expect((await bodyOf("grüß", "text/csv; charset=unheard-of")).body).toBe("grüß");
    expect((await bodyOf("<a>é</a>", "application/atom+xml")).body).toBe("<a>é</a>");
  });

  test("For other content, the answer has its type and size", async () => {
    const bytes = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 0xff]);
    const described = { binary: true, content_type: "image/png", bytes: 6 };
    expect((await bodyOf(bytes, "image/png")).body).toEqual(described);
    const stream = new Response(bytes).body;
    expect((await bodyOf(stream, "image/png")).body).toEqual(described);
  });

  test("An answer without a type is text if it is valid UTF-8", async () => {
    // Bun.serve would add a type, so these answers are created without a server.
    const read = async (bytes: Uint8Array) => (await readAnswer(new Response(bytes), "GET")).body;
    expect(await read(new TextEncoder().encode("plain é"))).toBe("plain é");
    expect(await read(new Uint8Array([0xff, 0xfe, 0]))).toMatchObject({ binary: true, bytes: 3 });
  });

  test("An empty answer has no body", async () => {
    expect(await answerOf(new Response(null, { status: 204 }))).toBe(
      '{"status":204,"headers":{},"body":null}',
    );
    expect((await bodyOf("", "application/json")).body).toBeNull();
    expect((await bodyOf("", "image/png")).body).toBeNull();
  });

  test("An answer keeps headers for paging, caching and limits, and no cookies", async () => {
    const headers = {
      link: '<https://api.test/x?page=2>; rel="next"',
      "x-ratelimit-remaining": "41",
      ratelimit: "limit=5",
      "x-total-count": "99",
      etag: '"e"',
      "set-cookie": "session=s",
      server: "nginx",
      "x-powered-by": "php",
    };
    const { headers: kept } = JSON.parse(await answerOf(new Response(null, { headers })));
    expect(Object.keys(kept).sort()).toEqual([
      "etag",
      "link",
      "ratelimit",
      "x-ratelimit-remaining",
      "x-total-count",
    ]);
    const head = JSON.parse(await answerOf(new Response("abc", { headers }), "head"));
    expect(head.headers).toMatchObject({ server: "nginx", "content-length": "3" });
    expect(head.headers["set-cookie"]).toBeUndefined();
  });
});

describe("a status of 400 or above", () => {
  const failureWith = async (response: Response) =>
    await failureOf({
      operation: "get",
      params: '{"path": "/things/9"}',
      config: { base_url: serve(() => response) },
    });

  test("The error contains the status and the server's message", async () => {
    const body = { message: "No such thing", id: 9 };
    const failure = await failureWith(
      Response.json(body, { status: 404, statusText: "Not Found" }),
    );
    expect(failure).toBeInstanceOf(UpstreamError);
    expect(failure).toMatchObject({
      message:
        "The server answered GET with 404 Not Found. The server says: No such thing. Check the path.",
      httpStatus: 404,
      body,
    });
  });

  test("The error says what to do next", async () => {
    const advice: [number, Record<string, string>, string][] = [
      [401, {}, "It refused the row's credentials"],
      [403, {}, "do not allow this"],
      [422, {}, "Check path, query and body"],
      [429, { "retry-after": "30" }, "Wait 30 s"],
      [503, {}, "Try again later"],
    ];
    for (const [status, headers, text] of advice) {
      const failure = await failureWith(new Response("x", { status, headers }));
      expect(String(failure)).toContain(text);
    }
  });

  test("The error contains the message from the usual members", async () => {
    const shapes = [{ error: "words" }, { error: { message: "words" } }, { detail: "words" }];
    for (const body of shapes) {
      expect(String(await failureWith(Response.json(body, { status: 400 })))).toContain(
        "The server says: words.",
      );
    }
  });

  test("A long error page is omitted, so that no secret in it is split", async () => {
    const failure = await failureWith(new Response("x".repeat(9000), { status: 500 }));
    expect(failure).toMatchObject({ httpStatus: 500, body: { chars: 9000 } });
  });
});

describe("the health check", () => {
  const healthOf = async (handler: Handler | null, row: Record<string, string> = {}) => {
    const config = { base_url: handler === null ? "http://127.0.0.1:1" : serve(handler), ...row };
    const values = { config: readConfig(httpConnector.configFields, config) };
    return await runHealth(httpConnector, values, createTools());
  };

  test("The health check requests the base URL with the row's authentication", async () => {
    const row = { auth_mode: "bearer", token: "t" };
    const isRight = (req: Request) => req.headers.get("authorization") === "Bearer t";
    const guard = (req: Request) => new Response(null, { status: isRight(req) ? 200 : 401 });
    expect(await healthOf(guard, row)).toEqual({ ok: true });
    expect(await healthOf(guard)).toMatchObject({
      ok: false,
      reason: expect.stringContaining("credentials"),
    });
  });

  test("The health check accepts a 404 at the base URL", async () => {
    expect(await healthOf(() => new Response(null, { status: 404 }))).toMatchObject({ ok: true });
  });

  test("The health check reports what is wrong", async () => {
    const failing = await healthOf(() => new Response(null, { status: 502 }));
    expect(failing).toMatchObject({ ok: false, reason: expect.stringContaining("502") });
    expect(await healthOf(null)).toMatchObject({
      ok: false,
      reason: expect.stringContaining("refused the connection"),
    });
    const row = { auth_mode: "header", header_name: "a b", header_value: "k" };
    expect(await healthOf(echo, row)).toMatchObject({
      ok: false,
      reason: expect.stringContaining("configuration is invalid"),
    });
  });
});

test("A body that looks like a request is the body of a DELETE, and the next request is its own", async () => {
  const seen: unknown[][] = [];
  const url = serve(async (req) => {
    const { pathname } = new URL(req.url);
    seen.push([req.method, pathname, req.headers.get("content-length"), await req.text()]);
    return new Response("ok");
  });
  const config = { base_url: url };
  const body = "POST /smuggled HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n";
  for (const params of [
    { path: "/i", body: { ids: [1] } },
    { path: "/i", body, content_type: "text/plain" },
    { path: "/i" },
  ]) {
    await call({ operation: "delete", config, params: JSON.stringify(params) });
  }
  expect(seen).toEqual([
    ["DELETE", "/i", "11", '{"ids":[1]}'],
    ["DELETE", "/i", String(body.length), body],
    ["DELETE", "/i", null, ""],
  ]);
});

test("Half of a surrogate pair in a query is sent as U+FFFD", async () => {
  const seen: string[] = [];
  const url = serve((req) => {
    seen.push(req.url.slice(new URL(req.url).origin.length));
    return new Response("ok");
  });
  const params = JSON.stringify({ path: "/i", query: { "a\ud800": "\udc00" } });
  await call({ operation: "get", config: { base_url: url }, params });
  expect(seen).toEqual(["/i?a%EF%BF%BD=%EF%BF%BD"]);
});
