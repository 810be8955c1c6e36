import { afterAll, describe, expect, test } from "bun:test";
import { defineConnector } from "@hub/connector";
import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import { openCallEngine } from "../testing/open-call-engine.ts";
import { owner } from "../testing/open-engine.ts";

type Nodes = NonNullable<WorkflowBodyInput["nodes"]>;

const nothing = defineConnector({
  key: "nothing",
  name: "Nothing",
  icon: "box",
  tier: "builtin",
  description: "A connector for tests.",
  config: {},
  operations: {},
});

type Seen = {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string;
  bytes: Uint8Array;
};

/** A server that records each request, and answers as its path says. */
const seen: Seen[] = [];
const server: Bun.Server<undefined> = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(req) {
    const url = new URL(req.url);
    const headers = Object.fromEntries(req.headers);
    const bytes = await req.bytes();
    const body = Buffer.from(bytes).toString("utf8");
    seen.push({ method: req.method, url: url.pathname + url.search, headers, body, bytes });
    switch (url.pathname) {
      case "/large":
        return Response.json({
          items: Array.from({ length: 40_000 }, (_, at) => `item ${at} ${"x".repeat(40)}`),
        });
      case "/huge":
        return new Response("x".repeat(5 * 1024 * 1024));
      case "/busy":
        return Response.json(
          { message: "Slow down" },
          { status: 429, headers: { "retry-after": "0" } },
        );
      case "/broken":
        return Response.json({ message: "Broken" }, { status: 500 });
      case "/away":
        return Response.redirect(`http://localhost:${server.port}/echo`, 302);
      case "/basic": {
        const encoded = (headers.authorization ?? "").replace("Basic ", "");
        const [user, password] = Buffer.from(encoded, "base64").toString("utf8").split(":");
        const isRight = user === "ann" && password === "pässword-42";
        return Response.json({ user, password }, { status: isRight ? 200 : 401 });
      }
      case "/token":
        return Response.json({ token: (headers.authorization ?? "").replace(/^\w+ /, "") });
      case "/text":
        return new Response("plain", { headers: { "set-cookie": "a=b", "x-seen": "yes" } });
      default:
        return Response.json({ headers, body, query: url.search });
    }
  },
});
afterAll(() => server.stop(true));
const base = `http://127.0.0.1:${server.port}`;
const here = { http: { allow: ["127.0.0.1", "localhost"] } };
const http = (id: string, more: object) => ({ id, type: "http" as const, url: base, ...more });

const bodyOf = (nodes: Nodes): WorkflowBodyInput => ({
  triggers: [{ id: "start", type: "manual", entry: nodes[0]?.id ?? "" }],
  nodes,
  edges: nodes.slice(1).map(({ id }, at) => ({ from: nodes[at]?.id ?? "", to: id })),
});

/** Runs nodes in their order, and returns the run. */
async function run(
  nodes: Nodes,
  options: Parameters<typeof openCallEngine>[1] = here,
  secrets: Record<string, string> = {},
) {
  seen.length = 0;
  await using hub = await openCallEngine(nothing, options);
  const given = { secrets: async () => new Map(Object.entries(secrets)) };
  const workflow = hub.addWorkflow(bodyOf(nodes), given);
  const ended = await hub.untilParked(await hub.run(workflow, { payload: { id: 7, name: "Ann" } }));
  const audit = await hub.calls.listRuns();
  return { ...ended, audit, failures: hub.failures };
}

describe("a request", () => {
  test("The fields are rendered and sent, and the answer is the output", async () => {
    const { state, outputs, steps } = await run([
      http("send", {
        method: "POST",
        url: `${base}/orders/{{.Event.Payload.id}}`,
        headers: { "X-Name": "{{.Event.Payload.name}}" },
        query: { a: "1 & {{.Event.Payload.id}}" },
        body: { id: "{{.Event.Payload.id}}", list: [1, "{{.Event.Payload.name}}"] },
      }),
    ]);
    expect(state).toBe("succeeded");
    expect(seen).toMatchObject([
      {
        method: "POST",
        url: "/orders/7?a=1+%26+7",
        headers: { "x-name": "Ann", "content-type": "application/json" },
        body: '{"id":7,"list":[1,"Ann"]}',
      },
    ]);
    expect(outputs.send).toMatchObject({
      status: 200,
      headers: { "content-type": expect.stringContaining("application/json") },
      body: { query: "?a=1+%26+7" },
    });
    expect(steps[0]?.callRunId).toBeString();
  });

  test("The body of a DELETE arrives with it", async () => {
    const { outputs } = await run([http("remove", { method: "DELETE", body: { ids: [7] } })]);
    expect(outputs.remove).toMatchObject({ status: 200 });
    expect(seen).toMatchObject([{ method: "DELETE", url: "/", body: '{"ids":[7]}' }]);
  });

  test("A text answer is returned, and cookies are left out", async () => {
    const { outputs } = await run([http("get", { url: `${base}/text` })]);
    expect(outputs.get).toMatchObject({ status: 200, body: "plain" });
    expect(outputs.get.headers).toMatchObject({ "x-seen": "yes" });
    expect(outputs.get.headers).not.toHaveProperty("set-cookie");
  });

  test("A method with effects sends the key of its step, unless the node sets one", async () => {
    const { id } = await run([
      http("post", { method: "POST" }),
      http("own", { method: "PUT", headers: { "idempotency-key": "mine" } }),
      http("get", {}),
    ]);
    const keys = seen.map(({ headers }) => headers["idempotency-key"]);
    expect(keys).toEqual([`${id}:post:-1:0`, "mine", undefined]);
  });

  test("The audit record of a request has no row, and has the status of the answer", async () => {
    const { audit, id } = await run([http("get", { url: `${base}/text` })]);
    expect(audit).toMatchObject([
      {
        connectorId: null,
        operationKey: "http",
        source: "workflow",
        status: "success",
        httpStatus: 200,
        workflowRunId: id,
        causeKind: "workflow",
        causeId: id,
      },
    ]);
  });

  test("A status of 400 or above fails the node", async () => {
    const { state, error, audit, steps } = await run([http("get", { url: `${base}/broken` })]);
    expect(state).toBe("failed");
    expect(error).toMatchObject({
      code: "upstream_error",
      message: expect.stringContaining("answered GET with 500"),
    });
    expect(audit).toMatchObject([{ status: "error", httpStatus: 500, id: steps[0]?.callRunId }]);
  });
});

describe("which addresses are called", () => {
  test("A private address is refused, and the message names the setting", async () => {
    const { error } = await run([http("get", { retry: { attempts: 3 } })], {});
    expect(error).toMatchObject({
      code: "invalid_params",
      message: expect.stringContaining("HUB_WORKFLOW_OUTBOUND_ALLOW"),
    });
    expect(seen).toEqual([]);
  });

  test("No form of a private address, of another scheme or of a name behind it is called", async () => {
    const { port } = server;
    const hosts = ["[::1]", "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]", "2130706433", "0x7f.1"];
    hosts.push("127.1", "0177.0.0.1", "0.0.0.0", "[::]", "127.0.0.1.", "①②⑦.0.0.1", "localhost");
    hosts.push("me@127.0.0.1", "public.example@127.0.0.1", "private.example", "[fd00::1]");
    const urls = [...hosts.map((host) => `http://${host}:${port}/`), "http://169.254.169.254/"];
    urls.push(
      "file:///etc/passwd",
      "data:text/plain,x",
      "ftp://127.0.0.1/",
      `//127.0.0.1:${port}/`,
    );
    const nodes = urls.map((url, at) =>
      http(`n${at}`, { url: `{{"${url}"}}`, on_error: "continue" }),
    );
    const network = { resolve: async () => ["10.0.0.1"] };
    const { outputs } = await run(nodes, { http: { network } });
    const codes = urls.map((url, at) => [url, outputs[`n${at}`].code]);
    expect(codes).toEqual(urls.map((url) => [url, "invalid_params"]));
    expect(seen).toEqual([]);
  });

  test("A redirect to another host gets no credentials", async () => {
    const authorization = "Bearer abc-123456";
    await run([http("get", { url: `${base}/away`, headers: { authorization } })]);
    expect(seen.map(({ headers }) => headers.authorization)).toEqual([authorization, undefined]);
  });

  test("A redirect to a host that is not allowed is refused", async () => {
    const { error } = await run([http("get", { url: `${base}/away` })], {
      http: { allow: ["127.0.0.1"], network: { resolve: async () => ["10.0.0.1"] } },
    });
    expect(error.message).toContain("localhost");
    expect(seen).toHaveLength(1);
  });
});

describe("whose workflows may send requests", () => {
  const user = { role: "user" as const };
  test("The workflow of a user who is no admin sends nothing", async () => {
    const { error } = await run([http("get", {})], { ...here, caller: user });
    expect(error).toMatchObject({ code: "forbidden" });
    expect(seen).toEqual([]);
  });

  test("An owner who is no admin any more sends nothing in a later try", async () => {
    const isDemoted = () => seen.length > 0;
    const { error } = await run(
      [http("get", { url: `${base}/busy`, retry: { attempts: 3, backoff_s: 0 } })],
      {
        ...here,
        engine: {
          findCaller: async () => ({ ...owner, role: isDemoted() ? "user" : "admin" }),
          // Rights that were read a moment ago are not read again.
          now: () => Date.now() + (isDemoted() ? 2_000 : 0),
        },
      },
    );
    expect(error).toMatchObject({ code: "forbidden" });
    expect(seen).toHaveLength(1);
  });

  test("A setting lets every workflow send requests", async () => {
    const options = { caller: user, http: { ...here.http, isForUsers: true } };
    expect(await run([http("get", {})], options)).toMatchObject({ state: "succeeded" });
  });
});

describe("secrets", () => {
  const secrets = { KEY: "s3cret-value-1234", PASSWORD: "pässword-42" };
  test("A secret reaches the server in every field, and nothing else shows it", async () => {
    const { outputs, steps, audit } = await run(
      [
        http("post", {
          method: "POST",
          url: `${base}/{{.Secret.KEY}}/x`,
          headers: { authorization: "Bearer {{.Secret.KEY}}" },
          query: { key: "{{.Secret.KEY}}" },
          body: { key: "{{.Secret.KEY}}", text: "is {{.Secret.KEY}}" },
        }),
      ],
      here,
      secrets,
    );
    expect(seen).toMatchObject([
      {
        url: `/${secrets.KEY}/x?key=${secrets.KEY}`,
        headers: { authorization: `Bearer ${secrets.KEY}` },
        body: `{"key":"${secrets.KEY}","text":"is ${secrets.KEY}"}`,
      },
    ]);
    const kept = JSON.stringify([outputs, steps, audit]);
    expect(kept).toContain("hub_enc_");
    expect(kept).not.toContain(secrets.KEY);
  });

  test("basicAuth sends a user and a secret that the server accepts", async () => {
    const { state, outputs, steps, audit } = await run(
      [
        http("get", {
          url: `${base}/basic`,
          headers: { authorization: '{{basicAuth "ann" .Secret.PASSWORD}}' },
        }),
      ],
      here,
      secrets,
    );
    expect(state).toBe("succeeded");
    expect(outputs.get.body.user).toBe("ann");
    const kept = JSON.stringify([outputs, steps, audit]);
    expect(kept).not.toContain(secrets.PASSWORD);
    expect(kept).not.toContain(Buffer.from(`ann:${secrets.PASSWORD}`).toString("base64"));
  });

  test.each([
    "/token",
    "/basic",
  ])("Credentials that are no secret of the workflow are masked where %s returns a part of them", async (path) => {
    const basic = Buffer.from(`ann:${secrets.PASSWORD}`).toString("base64");
    const authorization = path === "/basic" ? `Basic ${basic}` : "Bearer t0ken-4711-of-ann";
    const { state, outputs } = await run([
      http("get", { url: `${base}${path}`, headers: { authorization } }),
    ]);
    expect([state, seen[0]?.headers.authorization]).toEqual(["succeeded", authorization]);
    const { token, password } = outputs.get.body;
    expect(token ?? password).toStartWith("hub_enc_");
  });
});

describe("sizes", () => {
  test("An answer above 1 MiB is cut like every result", async () => {
    const { state, outputs } = await run([http("get", { url: `${base}/large` })], {
      ...here,
      operations: { resultBytesMax: 8 * 1024 * 1024 },
    });
    expect(state).toBe("succeeded");
    expect(outputs.get).toMatchObject({ status: 200, _truncated: { bytes_max: 1024 * 1024 } });
    expect(outputs.get.body.items.length).toBeGreaterThan(10_000);
  });

  test("An answer above 4 MiB fails the node", async () => {
    const { error } = await run([http("get", { url: `${base}/huge` })]);
    expect(error.message).toContain("larger than 4 MiB");
  });

  test("A request above 64 KiB is not sent", async () => {
    const { error } = await run([http("post", { method: "POST", body: "x".repeat(65 * 1024) })]);
    expect(error).toMatchObject({ code: "invalid_params" });
    expect(error.message).toContain("64 KiB");
    expect(seen).toEqual([]);
  });
});

describe("bytes", () => {
  const post = (fields: object) => http("post", { method: "POST", ...fields });
  const bytes = Uint8Array.from({ length: 512 }, (_, at) => at % 256);
  const text = Buffer.from(bytes).toString("base64");

  test("The bytes of base64 are sent, with the headers that the node gives", async () => {
    await run([
      post({ body_base64: text }),
      http("zip", {
        method: "PUT",
        body_base64: text,
        headers: { "Content-Type": "application/zip" },
      }),
    ]);
    expect(seen.map(({ headers }) => [headers["content-type"], headers["content-length"]])).toEqual(
      [
        ["application/octet-stream", "512"],
        ["application/zip", "512"],
      ],
    );
    expect(seen.map(({ bytes: sent }) => Buffer.from(sent).equals(bytes))).toEqual([true, true]);
  });

  test.each([
    ["no base64", { body_base64: "{{.Event.Payload.name}}!" }, "must be base64"],
    ["a value that is no text", { body_base64: "{{.Event.Payload.none}}" }, "is not text"],
    ["a body beside it", { body_base64: text, body: "x" }, "together with body"],
  ])("A node with %s sends nothing", async (_, fields, words) => {
    const { error } = await run([post(fields)]);
    expect(error).toMatchObject({ code: "invalid_params" });
    expect(error.message).toContain(words);
    expect(seen).toEqual([]);
  });

  test("A secret in base64 is sent as its bytes, and an answer with them is masked", async () => {
    const plain = "the bytes of a key, 4711";
    const KEY = Buffer.from(plain).toString("base64");
    const { outputs, steps, audit } = await run([post({ body_base64: "{{.Secret.KEY}}" })], here, {
      KEY,
    });
    expect(seen[0]?.body).toBe(plain);
    expect(outputs.post.body.body).toStartWith("hub_enc_");
    const kept = JSON.stringify([outputs, steps, audit]);
    for (const secret of [plain, KEY]) expect(kept).not.toContain(secret);
  });
});

describe("what is tried again", () => {
  const retry = { attempts: 3, backoff_s: 0 };
  test("A request with effects is repeated after 429", async () => {
    const { state } = await run([http("post", { method: "POST", url: `${base}/busy`, retry })]);
    expect([state, seen.length]).toEqual(["failed", 3]);
  });

  test("After a 500, a request with effects waits for a person, and one with repeat does not", async () => {
    const post = { method: "POST", url: `${base}/broken`, retry };
    expect(await run([http("post", post)])).toMatchObject({ state: "waiting" });
    expect(seen).toHaveLength(1);
    expect(await run([http("post", { ...post, repeat: true })])).toMatchObject({ state: "failed" });
    expect(seen).toHaveLength(3);
  });

  test("A refused connection and an unknown name are tried again, because nothing was sent", async () => {
    const post = { method: "POST", retry };
    // No program listens there.
    const refused = await run([http("post", { ...post, url: "http://127.0.0.1:1/" })]);
    expect(refused).toMatchObject({ state: "failed", error: { code: "upstream_error" } });
    expect(refused.steps[0]?.tries).toBe(3);
    const unknown = await run([http("post", { ...post, url: "http://nowhere.test/" })], {
      http: { network: { resolve: async () => [] } },
    });
    expect(unknown).toMatchObject({ state: "failed" });
    expect(unknown.steps[0]?.tries).toBe(3);
  });
});
