/**
 * Webhooks of workflows through the hub's door. The titles are the lines of the specification's tables of
 * triggers, endpoints, errors and limits.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { createHmac } from "node:crypto";
import { join } from "node:path";
import type { DoctorReport } from "@hub/contract/doctor.ts";
import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { queryDatabase } from "../support/query-database.ts";
import { openRaw } from "../support/raw-http.ts";
import { startWorkflowHub, type WorkflowHub } from "../support/workflow-hub.ts";

setDefaultTimeout(180_000);

type Trigger = NonNullable<WorkflowBodyInput["triggers"]>[number];
type Node = NonNullable<WorkflowBodyInput["nodes"]>[number];
type Fields = Record<string, unknown>;

const owned = new AsyncDisposableStack();
let flows: WorkflowHub;
beforeAll(async () => {
  flows = owned.use(await startWorkflowHub({ env: { HUB_WORKFLOW_REQUESTS_PER_MINUTE: "0" } }));
});
afterAll(() => owned.disposeAsync());

const hook = (fields: Fields = {}) =>
  ({ id: "hook", type: "webhook", entry: "out", ...fields }) as Trigger;
const node = (id: string, type: string, fields: Fields = {}) => ({ id, type, ...fields }) as Node;

/** A body with one webhook and nodes in a chain. */
function chain(trigger: Trigger, ...nodes: Node[]): WorkflowBodyInput {
  const edges = nodes.slice(1).map(({ id }, at) => ({ from: nodes[at]?.id ?? "", to: id }));
  return { schema: 1, triggers: [trigger], nodes, edges };
}

/** A workflow that returns the payload of its event. */
const echo = (fields: Fields = {}) =>
  chain(
    hook({ respond_mode: "last_node", ...fields }),
    node("out", "set", { value: "{{.Event.Payload}}" }),
  );

const responding = (fields: Fields) =>
  chain(hook({ respond_mode: "respond_node" }), node("out", "webhook_respond", fields));

const hubDir = () => flows.hub.dataDir;

/** How many runs of a workflow are stored. */
function countRuns(id: string): number {
  const rows = queryDatabase<{ count: number }>(
    hubDir(),
    `select count(*) as count from workflow_runs where workflow_id = '${id}'`,
  );
  return Number(rows[0]?.count);
}

/** The stored bodies of runs, in any order. */
function readBodies(id: string): Buffer[] {
  const rows = queryDatabase<{ raw: Uint8Array }>(
    hubDir(),
    `select raw from workflow_runs where workflow_id = '${id}'`,
  );
  return rows.map(({ raw }) => Buffer.from(raw));
}

const notFound = { error: "There is no webhook at this address.", code: "not_found" };
const json = { "content-type": "application/json" };
const sign = (secret: string, text: string) =>
  `sha256=${createHmac("sha256", secret).update(text).digest("hex")}`;

async function expectNotFound(response: Response): Promise<void> {
  expect(response.status).toBe(404);
  expect(await response.json()).toEqual(notFound);
}

describe("Addresses", () => {
  test("POST /webhook/{wf_id}/{slug} runs the published workflow and /webhook-test/{wf_id}/{slug} the draft", async () => {
    const bodyOf = (value: string) =>
      chain(hook({ path: "a", respond_mode: "last_node" }), node("out", "set", { value }));
    const id = await flows.publish(bodyOf("published"));
    const path = `/manager/api/workflows/${id}/draft`;
    await flows.api("PUT", path, { revision: 1, body: bodyOf("draft") });
    expect(await (await flows.send(id, "a")).json()).toBe("published");
    expect(await (await flows.send(id, "a", { isTest: true })).json()).toBe("draft");
  });

  test("The test URL works before publishing, and the live URL works only after it", async () => {
    const body = chain(hook({ path: "a" }), node("out", "set", { value: 1 }));
    const made = await flows.api("POST", "/manager/api/workflows", { name: "Draft", body });
    const id = String(made.body.id);
    await expectNotFound(await flows.send(id, "a"));
    expect((await flows.send(id, "a", { isTest: true })).status).toBe(202);
    await flows.api("POST", `/manager/api/workflows/${id}/publish`, { revision: 1 });
    expect((await flows.send(id, "a")).status).toBe(202);
  });

  test("The path is only the slug: it may contain segments, and must not begin with a slash", async () => {
    const id = await flows.publish(echo({ path: "orders/new.v1" }));
    const answer = await (await flows.send(id, "orders/new.v1")).json();
    expect(answer).toMatchObject({ path: "orders/new.v1", method: "POST" });
    for (const other of [
      "orders",
      "orders/new.v1/",
      "orders//new.v1",
      "new.v1",
      "",
      "/orders/new.v1",
    ]) {
      await expectNotFound(await flows.send(id, other));
    }
    const body = echo({ path: "/orders" });
    const made = await flows.api("POST", "/manager/api/workflows", { name: "Slash", body });
    const path = `/manager/api/workflows/${made.body.id}/publish`;
    const refused = await flows.api("POST", path, { revision: 1 });
    expect(refused.status).toBe(400);
    expect(refused.body.problems).toContainEqual(
      expect.objectContaining({ path: "/triggers/0/path", severity: "error" }),
    );
  });

  test("When path is omitted, the trigger accepts any path of that workflow", async () => {
    const id = await flows.publish(echo());
    for (const slug of ["", "a", "a/b/c", "x/", "a.b~c", "%7Bx%7D", "caf%C3%A9"]) {
      const response = await flows.send(id, slug);
      expect([slug, response.status]).toEqual([slug, 200]);
      expect(await response.json()).toMatchObject({ path: decodeURIComponent(slug) });
    }
    expect((await fetch(`${flows.hub.url}/webhook/${id}`, { method: "POST" })).status).toBe(200);
  });

  test("A slug that hides a slash, a dot segment or a broken escape is no address", async () => {
    const id = await flows.publish(echo());
    await using raw = await openRaw(flows.hub.port);
    const paths = ["a%2Fb", "a%5Cb", "a%00b", "%", "%zz", "%C3"];
    for (const path of paths) {
      raw.send(
        `POST /webhook/${id}/${path} HTTP/1.1\r\nhost: 127.0.0.1:${flows.hub.port}\r\ncontent-length: 0\r\n\r\n`,
      );
      expect([path, (await raw.answer())?.status]).toEqual([path, 404]);
    }
    // Dot segments are resolved first, as in every URL.
    raw.send(
      `POST /webhook/${id}/a/../%2e%2e/${id}/b HTTP/1.1\r\nhost: 127.0.0.1:${flows.hub.port}\r\ncontent-length: 0\r\n\r\n`,
    );
    const resolved = await raw.answer();
    expect(JSON.parse(resolved?.body ?? "")).toMatchObject({ path: "b" });
  });

  test("Several webhook triggers route to their own entry node, and the slug precedes a trigger without path", async () => {
    const id = await flows.publish({
      triggers: [
        hook({ id: "any", entry: "other", respond_mode: "last_node" }),
        hook({ id: "a", path: "a", entry: "one", respond_mode: "last_node" }),
        hook({ id: "ab", path: "a/b", entry: "two", respond_mode: "last_node" }),
      ],
      nodes: ["one", "two", "other"].map((name) =>
        node(name, "set", { value: `${name} {{.Event.TriggerID}}` }),
      ),
      edges: [],
    });
    const send = async (slug: string) => await (await flows.send(id, slug)).json();
    expect(await send("a")).toBe("one a");
    expect(await send("a/b")).toBe("two ab");
    expect(await send("a/c")).toBe("other any");
  });

  test("A trigger accepts POST by default, and the methods that it names", async () => {
    const byDefault = await flows.publish(echo());
    await expectNotFound(await flows.send(byDefault, "a", { method: "GET" }));
    const id = await flows.publish(echo({ method: ["GET", "PUT"] }));
    const answer = await (await flows.send(id, "a?x=1&x=2&y", { method: "GET" })).json();
    expect(answer).toMatchObject({ method: "GET", query: { x: "1", y: "" }, raw: "" });
    expect((await flows.send(id, "a", { method: "PUT" })).status).toBe(200);
    for (const method of ["POST", "PATCH", "DELETE", "OPTIONS"]) {
      await expectNotFound(await flows.send(id, "a", { method }));
    }
  });

  test("HEAD gets 200 without a body and starts no run at every address that exists, whatever its methods", async () => {
    const head = { method: "HEAD" };
    const id = await flows.publish(echo({ path: "a" }));
    const got = await flows.publish(echo({ method: "GET", secret_ref: "SIGN" }), {
      secrets: { SIGN: "sign-with-this-0123456789" },
    });
    for (const answer of [
      await flows.send(id, "a", head),
      await flows.send(id, "a", { ...head, isTest: true }),
      await flows.send(id, "a?challenge=1", head),
      await flows.send(got, "any/path", head),
      await flows.send(got, "", head),
    ]) {
      expect([answer.status, await answer.text()]).toEqual([200, ""]);
    }
    for (const answer of [
      await flows.send(id, "b", head),
      await flows.send("never-was-here", "a", head),
    ]) {
      expect([answer.status, await answer.text()]).toEqual([404, ""]);
    }
    await flows.api("POST", `/manager/api/workflows/${id}/disable`);
    expect((await flows.send(id, "a", head)).status).toBe(404);
    expect([countRuns(id), countRuns(got)]).toEqual([0, 0]);
    const listed = await flows.api("GET", `/manager/api/workflows/${id}/deliveries`);
    expect(listed.body.deliveries).toEqual([]);
  });

  test("A workflow that is unknown, disabled or deleted gets the same 404", async () => {
    await expectNotFound(await flows.send("never-was-here", "a"));
    const id = await flows.publish(echo());
    await flows.api("POST", `/manager/api/workflows/${id}/disable`);
    await expectNotFound(await flows.send(id, "a"));
    await flows.api("POST", `/manager/api/workflows/${id}/enable`);
    expect((await flows.send(id, "a")).status).toBe(200);
    await flows.api("DELETE", `/manager/api/workflows/${id}`);
    await expectNotFound(await flows.send(id, "a"));
    await expectNotFound(await flows.send(id, "a", { isTest: true }));
  });
});

describe("allow_origins", () => {
  const shop = "https://shop.example";
  const preflight = (origin: string, method: string) => ({
    method: "OPTIONS",
    headers: {
      origin,
      "access-control-request-method": method,
      "access-control-request-headers": "content-type",
    },
  });

  test("The preflight of an allowed origin is 204 and starts no run", async () => {
    const id = await flows.publish(
      echo({ path: "a", method: ["POST", "PUT"], allow_origins: [shop] }),
    );
    const answer = await flows.send(id, "a", preflight(shop, "PUT"));
    expect([answer.status, await answer.text()]).toEqual([204, ""]);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "access-control-allow-origin": shop,
      "access-control-allow-methods": "POST, PUT",
      "access-control-allow-headers": "content-type",
      "access-control-max-age": "600",
      "content-security-policy": "sandbox; default-src 'none'",
      vary: expect.stringMatching(/\bOrigin\b/),
    });
    const other = await flows.send(id, "a", preflight("https://evil.example", "PUT"));
    expect([other.status, other.headers.get("access-control-allow-origin")]).toEqual([403, null]);
    expect((await flows.send(id, "a", preflight(shop, "DELETE"))).status).toBe(404);
    expect((await flows.send(id, "b", preflight(shop, "PUT"))).status).toBe(404);
    expect(countRuns(id)).toBe(0);
  });

  test("Every answer to an allowed origin has the header, also a refusal; answers stay sandboxed", async () => {
    const secrets = { SIGN: "sign-with-this-0123456789" };
    const open = await flows.publish(echo({ allow_origins: "*" }));
    const signed = await flows.publish(echo({ allow_origins: [shop], secret_ref: "SIGN" }), {
      secrets,
    });
    const failing = await flows.publish(
      chain(
        hook({ respond_mode: "last_node", allow_origins: [shop] }),
        node("out", "fail", { message: "No stock" }),
      ),
    );
    const headers = { origin: shop };
    const cases: [Response, number, string][] = [
      [await flows.send(open, "", { headers }), 200, "*"],
      [await flows.send(open, "", { headers: { ...headers, ...json }, body: "{" }), 400, "*"],
      [await flows.send(signed, "", { headers }), 401, shop],
      [await flows.send(signed, "", { headers, isTest: true }), 401, shop],
      [
        await flows.send(signed, "", { headers, body: new Uint8Array(11 * 1024 * 1024) }),
        413,
        shop,
      ],
      [await flows.send(failing, "", { headers }), 500, shop],
      [await flows.send(open, "", { headers, method: "HEAD" }), 200, "*"],
    ];
    for (const [answer, status, allowed] of cases) {
      const given = answer.headers.get("access-control-allow-origin");
      expect([answer.status, given, answer.headers.get("vary")]).toEqual([
        status,
        allowed,
        "Origin",
      ]);
      expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
      expect(answer.headers.get("content-security-policy")).toBe("sandbox; default-src 'none'");
    }
    const stranger = await flows.send(signed, "", { headers: { origin: "https://evil.example" } });
    expect(stranger.headers.get("access-control-allow-origin")).toBeNull();
  });

  test("Without allow_origins, no page may send: the preflight is 404 and no answer has the header", async () => {
    const id = await flows.publish(echo());
    await expectNotFound(await flows.send(id, "", preflight(shop, "POST")));
    const answer = await flows.send(id, "", { headers: { origin: shop } });
    expect(answer.status).toBe(200);
    expect([...answer.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual(
      [],
    );
    const listed = await flows.publish(echo({ method: "GET" }));
    await expectNotFound(await flows.send(listed, "", { method: "OPTIONS" }));
  });
});

describe("respond_mode", () => {
  test("immediately is the default: 202 with the body matched 1 as soon as the run is enqueued", async () => {
    const id = await flows.publish(
      chain(hook(), node("out", "wait", { seconds: 3600 }), node("end", "set", { value: 1 })),
    );
    const response = await flows.send(id);
    expect(response.status).toBe(202);
    expect(await response.text()).toBe('{"matched":1}');
    expect(response.headers.get("content-type")).toBe("application/json;charset=utf-8");
    const run = response.headers.get("x-hub-run-id");
    const shown = await flows.api("GET", `/manager/api/workflows/${id}/runs/${run}`);
    expect(shown.body).toMatchObject({ trigger_id: "hook", trigger_type: "webhook" });
  });

  test("last_node answers 200 with the last node's output as JSON", async () => {
    const id = await flows.publish(
      chain(
        hook({ respond_mode: "last_node" }),
        node("out", "set", { value: 1 }),
        node("end", "set", { value: { n: "{{.Node.out}}", nothing: null } }),
      ),
    );
    const response = await flows.send(id);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.text()).toBe('{"n":1,"nothing":null}');
  });

  test("respond_node returns the node's status, body and headers", async () => {
    const id = await flows.publish(
      responding({
        respond_status: 418,
        respond_body: "no {{.Event.Payload.query.what}}",
        respond_headers: { "X-Kind": "{{.Event.Payload.query.what}}", "content-type": "text/tea" },
      }),
    );
    const response = await flows.send(id, "?what=coffee");
    expect([response.status, await response.text()]).toEqual([418, "no coffee"]);
    expect(response.headers.get("x-kind")).toBe("coffee");
    expect(response.headers.get("content-type")).toBe("text/tea");
  });

  test.each([
    ['{"a":1}', "application/json"],
    ["[1]", "application/json"],
    ["{a}", "text/plain; charset=utf-8"],
    ["plain", "text/plain; charset=utf-8"],
    ["<html><script>alert(1)</script></html>", "text/plain; charset=utf-8"],
    ["", "text/plain; charset=utf-8"],
  ])("respond_status defaults to 200, and the Content-Type of %s is detected as %s", async (body, type) => {
    const id = await flows.publish(responding({ respond_body: body }));
    const response = await flows.send(id);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, type]);
    expect(await response.text()).toBe(body);
  });

  test("respond_body embeds the output of upstream nodes", async () => {
    const id = await flows.publish(
      chain(
        hook({ respond_mode: "respond_node" }),
        node("out", "set", { value: { number: 17 } }),
        node("say", "webhook_respond", { respond_body: "issue {{.Node.out.number}}" }),
      ),
    );
    expect(await (await flows.send(id)).text()).toBe("issue 17");
  });

  test("The first completed respond node wins", async () => {
    const id = await flows.publish(
      chain(
        hook({ respond_mode: "respond_node" }),
        node("out", "webhook_respond", { respond_body: "first" }),
        node("second", "webhook_respond", { respond_body: "second", respond_status: 500 }),
      ),
    );
    const response = await flows.send(id);
    expect([response.status, await response.text()]).toEqual([200, "first"]);
  });

  test("respond_node answers when its node completes, although the run goes on", async () => {
    const id = await flows.publish(
      chain(
        hook({ respond_mode: "respond_node" }),
        node("out", "webhook_respond", { respond_body: "early" }),
        node("later", "wait", { seconds: 3600 }),
      ),
    );
    expect(await (await flows.send(id)).text()).toBe("early");
  });

  test("Publishing in respond_node mode without a reachable respond node warns and still succeeds; a request gets 502", async () => {
    const body = chain(hook({ respond_mode: "respond_node" }), node("out", "set", { value: 1 }));
    const made = await flows.api("POST", "/manager/api/workflows", { name: "Mute", body });
    const path = `/manager/api/workflows/${made.body.id}/publish`;
    const published = await flows.api("POST", path, { revision: 1 });
    expect(published.status).toBe(200);
    expect(published.body.problems).toContainEqual(
      expect.objectContaining({ path: "/triggers/0/respond_mode", severity: "warning" }),
    );
    const response = await flows.send(String(made.body.id));
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({
      code: "upstream_error",
      run_id: expect.any(String),
    });
  });

  test.each([
    ["last_node", 500, "run_failed", "No stock"],
    [
      "respond_node",
      502,
      "upstream_error",
      "The workflow ended without an answer: no webhook_respond node ran. No stock",
    ],
  ])("A failed run in %s mode is %i with %s and the run's id", async (mode, status, code, error) => {
    const id = await flows.publish(
      chain(hook({ respond_mode: mode }), node("out", "fail", { message: "No stock" })),
    );
    const response = await flows.send(id);
    expect(response.status).toBe(status);
    const run = response.headers.get("x-hub-run-id");
    expect(await response.json()).toEqual({ error, code, run_id: run });
  });
});

test("A blocking respond_mode that has not finished within 30 seconds is 504, and the run goes on", async () => {
  const BUN_OPTIONS = `--preload ${join(import.meta.dirname, "../support/short-waits.ts")}`;
  await using quick = await startWorkflowHub({ env: { BUN_OPTIONS } });
  for (const mode of ["last_node", "respond_node"]) {
    const id = await quick.publish(
      chain(
        hook({ respond_mode: mode }),
        node("out", "wait", { seconds: 3600 }),
        node("end", "webhook_respond", { respond_body: "late" }),
      ),
    );
    const response = await quick.send(id);
    expect(response.status).toBe(504);
    const run = response.headers.get("x-hub-run-id");
    expect(await response.json()).toMatchObject({ code: "timeout", run_id: run });
    const shown = await quick.api("GET", `/manager/api/workflows/${id}/runs/${run}`);
    expect(shown.body).toMatchObject({ state: "waiting", waiting_for: { kind: "time" } });
  }
});

describe("The payload", () => {
  test("It has path, method, headers, query, body and raw", async () => {
    const id = await flows.publish(echo({ path: "a" }));
    const response = await flows.send(id, "a?q=1", {
      body: '{"n": 1}',
      headers: { ...json, "X-Github-Event": "push" },
    });
    const payload = Object(await response.json());
    expect(Object.keys(payload).toSorted()).toEqual(
      ["path", "method", "headers", "query", "body", "raw"].toSorted(),
    );
    expect(payload).toMatchObject({
      path: "a",
      method: "POST",
      query: { q: "1" },
      body: { n: 1 },
      raw: '{"n": 1}',
      headers: { "x-github-event": "push", "content-type": "application/json" },
    });
  });

  test("A form body is parsed, any other type is only raw, and the content type alone decides", async () => {
    const id = await flows.publish(echo());
    const send = async (type: string, body: string) =>
      Object(await (await flows.send(id, "", { body, headers: { "content-type": type } })).json());
    const form = await send(
      "application/x-www-form-urlencoded",
      "a=1&a=2&b=%20x&raw=no&__proto__=p",
    );
    expect(form.body).toEqual(JSON.parse('{"a":"1","b":" x","raw":"no","__proto__":"p"}'));
    const text = await send("text/plain", '{"a":1}');
    expect([text.raw, "body" in text]).toEqual(['{"a":1}', false]);
    expect((await send("application/vnd.github+json; charset=utf-8", "[1]")).body).toEqual([1]);
    const shadow = await send("application/json", '{"raw":"no","headers":{},"path":"x"}');
    expect(shadow).toMatchObject({ path: "", raw: '{"raw":"no","headers":{},"path":"x"}' });
  });

  test("multipart/form-data has its fields, and its files with all their bytes", async () => {
    const id = await flows.publish(echo());
    const form = new FormData();
    form.set("email", "ann@shop.example");
    form.set(
      "doc",
      new File([Uint8Array.from([0xff, 0x00, 0xfe])], "a.zip", { type: "application/zip" }),
    );
    const { body } = Object(await (await flows.send(id, "", { body: form })).json());
    expect(body).toEqual({
      email: "ann@shop.example",
      doc: { filename: "a.zip", content_type: "application/zip", bytes_base64: "/wD+" },
    });
    const headers = { "content-type": "multipart/form-data; boundary=x" };
    const cut = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n';
    expect((await flows.send(id, "", { body: cut, headers })).status).toBe(400);
    expect(countRuns(id)).toBe(1);
  });

  test("Bytes that are no text reach the nodes whole, also around a secret of the workflow", async () => {
    const secrets = { KEY: "a-secret-of-the-workflow-0123456789" };
    const headers = { "content-type": "application/octet-stream" };
    const id = await flows.publish(echo(), { secrets });
    const send = async (body: Uint8Array<ArrayBuffer>) =>
      Object(await (await flows.send(id, "", { body, headers })).json());
    expect((await send(Uint8Array.from([0xff, 0x00, 0xfe]))).raw_base64).toBe("/wD+");
    const around = Buffer.concat([
      Uint8Array.from([0xff, 0x00]),
      Buffer.from(secrets.KEY),
      Uint8Array.from([0xfe, 0xe9]),
    ]);
    const sealed = Buffer.from((await send(around)).raw_base64, "base64");
    expect([sealed.subarray(0, 2).toString("hex"), sealed.subarray(-2).toString("hex")]).toEqual([
      ...["ff00", "fee9"],
    ]);
    expect(sealed.includes(secrets.KEY)).toBe(false);
    const stored = readBodies(id);
    expect(stored).toHaveLength(2);
    expect(stored.map((body) => body.includes(secrets.KEY))).toEqual([false, false]);
  });

  test("A secret of the workflow is not stored in UTF-16 either", async () => {
    const secrets = { KEY: "a-secret-of-the-workflow-0123456789" };
    const id = await flows.publish(echo(), { secrets });
    for (const [charset, toBytes] of [
      ["utf-16le", (text: string) => Buffer.from(text, "utf16le")],
      ["utf-16be", (text: string) => Buffer.from(text, "utf16le").swap16()],
    ] as const) {
      const headers = { "content-type": `text/plain; charset=${charset}` };
      const body = new Uint8Array(toBytes(`before ${secrets.KEY} ü`));
      const { raw } = Object(await (await flows.send(id, "", { body, headers })).json());
      expect(raw).toBe("before [secret] ü");
      const secret = toBytes(secrets.KEY);
      expect(readBodies(id).filter((stored) => stored.includes(secret))).toEqual([]);
    }
    expect(readBodies(id)).toHaveLength(2);
  });

  test("A template reads the bytes of any body as base64", async () => {
    const value = "{{.Event.Payload.raw_base64}}";
    const id = await flows.publish(
      chain(hook({ respond_mode: "last_node" }), node("out", "set", { value })),
    );
    const answer = await flows.send(id, "", { body: '{"a":1}', headers: json });
    expect(await answer.json()).toBe(Buffer.from('{"a":1}').toString("base64"));
  });

  test("A charset is read, and an unknown one is 415 with its name", async () => {
    const id = await flows.publish(echo());
    const send = (charset: string) =>
      flows.send(id, "", {
        body: Uint8Array.from([0x22, 0x63, 0x61, 0x66, 0xe9, 0x22]),
        headers: { "content-type": `application/json; charset=${charset}` },
      });
    expect(await (await send("iso-8859-1")).json()).toMatchObject({ body: "café", raw: '"café"' });
    const refused = await send("utf-7");
    expect(refused.status).toBe(415);
    expect(await refused.json()).toEqual({
      error: expect.stringContaining('"utf-7"'),
      code: "unsupported_media_type",
    });
  });

  test("A body with the Content-Encoding gzip is unpacked, signed as it is sent; others are 415 with Accept-Encoding", async () => {
    const secret = "sign-with-this-0123456789";
    const id = await flows.publish(echo({ secret_ref: "SIGN" }), { secrets: { SIGN: secret } });
    const packed = Bun.gzipSync('{"a":1}');
    const hmac = createHmac("sha256", secret).update(packed).digest("hex");
    const send = (encoding: string, signature = `sha256=${hmac}`) =>
      flows.send(id, "", {
        body: packed,
        headers: { ...json, "content-encoding": encoding, "x-hub-sig": signature },
      });
    const payload = Object(await (await send("gzip")).json());
    expect(payload).toMatchObject({ body: { a: 1 }, raw: '{"a":1}' });
    expect(Object.keys(payload.headers)).not.toContainAnyValues([
      ...["content-encoding", "content-length"],
    ]);
    expect((await send("gzip", sign(secret, '{"a":1}'))).status).toBe(401);
    const refused = await send("br");
    expect([refused.status, refused.headers.get("accept-encoding")]).toEqual([415, "gzip"]);
    expect(countRuns(id)).toBe(1);
  });

  test("A value token is refused in a packed body, in another charset and in a file", async () => {
    const id = await flows.publish(echo());
    const sealed = await flows.hub.tryCli(["encrypt", "--user", "admin@localhost"], {
      stdin: "my password",
    });
    const token = sealed.stdout.trim();
    const text = JSON.stringify({ token });
    const form = (part: string) => {
      const body = `--x\r\nContent-Disposition: form-data; ${part}\r\n--x--\r\n`;
      return { body, headers: { "content-type": "multipart/form-data; boundary=x" } };
    };
    const attempts: RequestInit[] = [
      { body: Bun.gzipSync(text), headers: { ...json, "content-encoding": "gzip" } },
      {
        body: new Uint8Array(Buffer.from(text, "utf16le")),
        headers: { "content-type": "application/json; charset=utf-16le" },
      },
      {
        body: new Uint8Array(Buffer.from(token, "utf16le")),
        headers: { "content-type": "text/plain; charset=utf-16le" },
      },
      form(`name="a"\r\n\r\n${token}`),
      form(`name="a"; filename="${token.replace("_", "\\_")}"\r\n\r\n1`),
      form(`name="${token.replace("_", "\\_")}"\r\n\r\n1`),
    ];
    for (const init of attempts) expect((await flows.send(id, "", init)).status).toBe(400);
    expect(countRuns(id)).toBe(0);
  });

  test("Invalid JSON with a JSON content type is 400, and starts no run", async () => {
    const id = await flows.publish(echo());
    for (const body of [
      "{",
      "nul",
      '{"a":1}x',
      "\xff\xfe",
      "[".repeat(10_000) + "]".repeat(10_000),
    ]) {
      const response = await flows.send(id, "", { body, headers: json });
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({ error: expect.any(String), code: "bad_request" });
    }
    expect(countRuns(id)).toBe(0);
  });

  test("Authorization, cookies and signatures are not stored", async () => {
    const id = await flows.publish(echo());
    const headers = {
      authorization: "Bearer sender-credential-1",
      cookie: "a=sender-credential-2",
      "proxy-authorization": "Basic sender-credential-3",
      "x-hub-sig": "sender-credential-4",
    };
    const payload = await (await flows.send(id, "", { headers })).text();
    expect(payload).not.toContain("sender-credential");
    const stored = queryDatabase<{ event: string }>(
      hubDir(),
      `select event from workflow_runs where workflow_id = '${id}'`,
    );
    expect(JSON.stringify(stored)).not.toContain("sender-credential");
  });

  test("A value token is refused in the body, the query and a header", async () => {
    const id = await flows.publish(echo());
    const sealed = await flows.hub.tryCli(["encrypt", "--user", "admin@localhost"], {
      stdin: "my password",
    });
    const token = sealed.stdout.trim();
    expect(token).toStartWith("hub_enc_");
    const attempts = [
      () => flows.send(id, "", { body: JSON.stringify({ token }), headers: json }),
      () => flows.send(id, "", { body: `x${token}y` }),
      () => flows.send(id, `?t=${token}`),
      () => flows.send(id, "", { headers: { "x-token": token } }),
      () => flows.send(id, token),
    ];
    for (const attempt of attempts) expect((await attempt()).status).toBe(400);
    expect(countRuns(id)).toBe(0);
  });
});

describe("Signatures", () => {
  const secret = "sign-with-this-0123456789";
  const secrets = { SIGN: secret };

  test("With secret_ref, X-Hub-Sig: sha256=<hex HMAC of the raw body> is needed, else 401", async () => {
    const id = await flows.publish(echo({ secret_ref: "SIGN" }), { secrets });
    const body = '{"a" : 1}';
    const send = (signature?: string) =>
      flows.send(id, "", {
        body,
        headers: { ...json, ...(signature && { "x-hub-sig": signature }) },
      });
    expect((await send(sign(secret, body))).status).toBe(200);
    const hex = sign(secret, body).slice("sha256=".length);
    const wrong = [
      undefined,
      "sha256=",
      hex,
      `sha1=${hex}`,
      sign("other", body),
      sign(secret, '{"a":1}'),
    ];
    for (const signature of [...wrong, `${sign(secret, body)}0`, `sha256=${"0".repeat(64)}`]) {
      const response = await send(signature);
      expect([signature, response.status]).toEqual([signature, 401]);
      expect(Object.keys(Object(await response.json()))).toEqual(["error", "code"]);
    }
    expect(countRuns(id)).toBe(1);
  });

  test("A secret_ref that is not set refuses every request with the same 401", async () => {
    const id = await flows.publish(echo({ secret_ref: "SIGN" }), { secrets });
    const refused = await (await flows.send(id, "", { body: "x" })).text();
    await flows.api("DELETE", `/manager/api/workflows/${id}/secrets/SIGN`);
    for (const key of [secret, ""]) {
      const headers = { "x-hub-sig": key === "" ? "" : sign(key, "x") };
      const response = await flows.send(id, "", { body: "x", headers });
      expect([response.status, await response.text()]).toEqual([401, refused]);
    }
  });

  test("Publishing with a secret_ref that is not set is an error", async () => {
    const body = echo({ secret_ref: "MISSING" });
    const made = await flows.api("POST", "/manager/api/workflows", { name: "Unset", body });
    const path = `/manager/api/workflows/${made.body.id}/publish`;
    expect((await flows.api("POST", path, { revision: 1 })).status).toBe(400);
  });

  test("With replay_window_s, a signature over the timestamp is needed too, and an old one is refused", async () => {
    const id = await flows.publish(echo({ secret_ref: "SIGN", replay_window_s: 300 }), { secrets });
    const send = (timestamp: string, signed = timestamp, delivery = "first") =>
      flows.send(id, "", {
        body: "x",
        headers: {
          "x-hub-delivery": delivery,
          "x-hub-sig": sign(secret, "x"),
          "x-hub-timestamp": timestamp,
          "x-hub-sig-timestamped": sign(secret, `${signed}.x`),
        },
      });
    const now = Math.floor(Date.now() / 1000);
    expect((await send(`${now}`)).status).toBe(200);
    expect(countRuns(id)).toBe(1);
    // It was recorded on its way, and is sent again under another delivery.
    expect((await send(`${now}`, `${now}`, "other")).status).toBe(200);
    expect(countRuns(id)).toBe(1);
    const onlyBody = { "x-hub-sig": sign(secret, "x") };
    expect((await flows.send(id, "", { body: "x", headers: onlyBody })).status).toBe(401);
    expect((await send(`${now - 1000}`)).status).toBe(401);
    expect((await send(`${now + 1000}`)).status).toBe(401);
    expect((await send(`${now}`, `${now - 1000}`)).status).toBe(401);
    expect((await send("")).status).toBe(401);
  });

  test("The signature is checked before the JSON, and the draft has the same signature", async () => {
    const id = await flows.publish(echo({ secret_ref: "SIGN" }), { secrets });
    expect((await flows.send(id, "", { body: "{", headers: json })).status).toBe(401);
    expect((await flows.send(id, "", { body: "{}", isTest: true })).status).toBe(401);
  });
});

describe("Limits", () => {
  const mebibyte = 1024 * 1024;

  test("A body larger than 10 MiB is 413 before the run is enqueued; 10 MiB is accepted", async () => {
    const id = await flows.publish(chain(hook(), node("out", "set", { value: 1 })));
    const tooLarge = await flows.send(id, "", { body: new Uint8Array(10 * mebibyte + 1) });
    expect(tooLarge.status).toBe(413);
    expect(await tooLarge.json()).toEqual({ error: expect.any(String), code: "body_too_large" });
    expect(countRuns(id)).toBe(0);
    expect((await flows.send(id, "", { body: new Uint8Array(10 * mebibyte) })).status).toBe(202);
  });

  nightlyTest("10 MiB are counted while a body without a length is read", async () => {
    const id = await flows.publish(chain(hook(), node("out", "set", { value: 1 })));
    await using raw = await openRaw(flows.hub.port);
    raw.send(
      `POST /webhook/${id}/ HTTP/1.1\r\nhost: 127.0.0.1:${flows.hub.port}\r\ntransfer-encoding: chunked\r\n\r\n`,
    );
    const part = Buffer.alloc(mebibyte, "x");
    for (let count = 0; count < 11; count += 1) {
      raw.send(Buffer.concat([Buffer.from("100000\r\n"), part, Buffer.from("\r\n")]));
    }
    expect((await raw.answer())?.status).toBe(413);
    expect(countRuns(id)).toBe(0);
  });

  test("404 precedes 413, and 413 precedes 401", async () => {
    const body = new Uint8Array(10 * mebibyte + 1);
    expect((await flows.send("never-was-here", "", { body })).status).toBe(404);
    const id = await flows.publish(echo({ secret_ref: "SIGN" }), {
      secrets: { SIGN: "s".repeat(20) },
    });
    expect((await flows.send(id, "", { body })).status).toBe(413);
  });

  test("400 precedes 429: a request that is not valid uses up nothing and is not recorded as dropped", async () => {
    const id = await flows.publish({
      ...chain(hook(), node("out", "wait", { seconds: 3600 })),
      settings: { queue: { policy: "drop" } },
    });
    expect((await flows.send(id)).status).toBe(202);
    expect((await flows.send(id, "", { body: "{", headers: json })).status).toBe(400);
    expect(countRuns(id)).toBe(1);
  });

  test("The draft takes 60 requests a minute, and the 61st gets 429 with Retry-After", async () => {
    const id = await flows.publish(chain(hook(), node("out", "set", { value: 1 })));
    const answers = await Promise.all(
      Array.from({ length: 61 }, () => flows.send(id, "", { isTest: true })),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 202)).toHaveLength(60);
    const refused = answers.find(({ status }) => status === 429);
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await refused?.json()).toMatchObject({ code: "rate_limited" });
    expect((await flows.send(id)).status).toBe(202);
  });

  test("With the queue policy `drop`, a request during a run gets 429 with Retry-After and is recorded as dropped", async () => {
    const id = await flows.publish({
      ...chain(hook(), node("out", "wait", { seconds: 3600 })),
      settings: { queue: { policy: "drop" } },
    });
    expect((await flows.send(id)).status).toBe(202);
    const refused = await flows.send(id);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    const run = refused.headers.get("x-hub-run-id");
    const shown = await flows.api("GET", `/manager/api/workflows/${id}/runs/${run}`);
    expect(shown.body).toMatchObject({ state: "dropped", dropped_runs: 1 });
  });

  test("Of a flood that the queue policy drops, one run a minute counts all", async () => {
    const id = await flows.publish({
      ...chain(hook(), node("out", "wait", { seconds: 3600 })),
      settings: { queue: { policy: "drop" } },
    });
    expect((await flows.send(id)).status).toBe(202);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        flows.send(id, "", { headers: { "x-hub-delivery": `d-${index}` } }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([429]));
    const records = new Set(answers.map(({ headers }) => headers.get("x-hub-run-id")));
    const { body } = await flows.api("GET", `/manager/api/workflows/${id}/runs?state=dropped`);
    const { runs } = body as { runs: Array<{ id: string; dropped_runs: number }> };
    expect(new Set<string | null>(runs.map((run) => run.id))).toEqual(records);
    expect(runs.reduce((sum, run) => sum + run.dropped_runs, 0)).toBe(50);
    // A slow machine may begin a second minute.
    expect(runs.length).toBeLessThan(4);
    const { checks } = (await flows.hub.cli("doctor", "--json")).json<DoctorReport>();
    expect(checks.find(({ name }) => name === "audit")?.message).toMatch(
      /; of the newest 500 runs of workflows, most is held by "Orders": \d+ MiB/,
    );
  });

  test("Beyond waiting_max, a request gets 429", async () => {
    const id = await flows.publish({
      ...chain(hook(), node("out", "wait", { seconds: 3600 })),
      settings: { queue: { policy: "queue", waiting_max: 1 } },
    });
    expect([
      (await flows.send(id)).status,
      (await flows.send(id)).status,
      (await flows.send(id)).status,
    ]).toEqual([202, 202, 429]);
  });
});

describe("Deliveries", () => {
  const runOf = (response: Response) => response.headers.get("x-hub-run-id");

  test.each([
    "X-Hub-Delivery",
    "X-GitHub-Delivery",
    "Idempotency-Key",
    "webhook-id",
  ])("A second request with the same %s gets the first's answer and starts nothing", async (name) => {
    const id = await flows.publish(echo());
    const send = (body: string) => flows.send(id, "", { body, headers: { [name]: "d-1" } });
    const first = await send("one");
    const second = await send("two");
    expect(runOf(second)).toBe(runOf(first));
    expect(await second.text()).toBe(await first.text());
    expect(countRuns(id)).toBe(1);
  });

  test("A template of the trigger gives the id, and one that reads more than the event is not published", async () => {
    const template = "{{.Event.Payload.body.id}}";
    const id = await flows.publish(echo({ delivery_id: template }));
    const send = (body: object) =>
      flows.send(id, "", {
        body: JSON.stringify(body),
        headers: { ...json, "idempotency-key": "k" },
      });
    const first = await send({ id: "a", try: 1 });
    expect(runOf(await send({ id: "a", try: 2 }))).toBe(runOf(first));
    expect(runOf(await send({ id: "b" }))).not.toBe(runOf(first));
    expect((await send({ id: [] })).status).toBe(400);
    expect(countRuns(id)).toBe(2);
    for (const wrong of ["{{.Secret.KEY}}", "{{.Node.out}}", "fixed", "{{.Event", "{{.Run.ID}}"]) {
      const body = echo({ delivery_id: wrong });
      const made = await flows.api("POST", "/manager/api/workflows", { name: "Wrong", body });
      const path = `/manager/api/workflows/${made.body.id}/publish`;
      const refused = await flows.api("POST", path, { revision: 1 });
      expect([wrong, refused.status]).toEqual([wrong, 400]);
      expect(refused.body.problems).toContainEqual(
        expect.objectContaining({ path: "/triggers/0/delivery_id", severity: "error" }),
      );
    }
  });

  test("Concurrent requests with one delivery id start one run and get one answer", async () => {
    const id = await flows.publish(echo());
    const headers = { "x-hub-delivery": "d-1" };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => flows.send(id, "", { headers })),
    );
    expect(new Set(answers.map(runOf)).size).toBe(1);
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
    expect(countRuns(id)).toBe(1);
  });

  test("A delivery whose run failed starts again", async () => {
    const id = await flows.publish(
      chain(hook({ respond_mode: "last_node" }), node("out", "fail", { message: "No" })),
    );
    const headers = { "x-hub-delivery": "d-1" };
    const first = await flows.send(id, "", { headers });
    const second = await flows.send(id, "", { headers });
    expect([first.status, second.status]).toEqual([500, 500]);
    expect(runOf(second)).not.toBe(runOf(first));
    expect(countRuns(id)).toBe(2);
  });

  test("An id belongs to one trigger, and the draft has ids of its own", async () => {
    const id = await flows.publish({
      triggers: ["a", "b"].map((path) => hook({ id: path, path })),
      nodes: [node("out", "set", { value: 1 })],
      edges: [],
    });
    const headers = { "x-hub-delivery": "d-1" };
    const runs = [
      await flows.send(id, "a", { headers }),
      await flows.send(id, "b", { headers }),
      await flows.send(id, "a", { headers, isTest: true }),
    ].map(runOf);
    expect(new Set(runs).size).toBe(3);
  });

  test("An id is looked at after the signature, and has at most 200 characters", async () => {
    const secrets = { SIGN: "sign-with-this-0123456789" };
    const id = await flows.publish(echo({ secret_ref: "SIGN" }), { secrets });
    const headers = { "x-hub-delivery": "x".repeat(201) };
    expect((await flows.send(id, "", { body: "x", headers })).status).toBe(401);
    const signed = { ...headers, "x-hub-sig": sign(secrets.SIGN, "x") };
    expect((await flows.send(id, "", { body: "x", headers: signed })).status).toBe(400);
  });
});

describe("Headers of answers", () => {
  const protections = {
    "content-security-policy": "sandbox; default-src 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
  };
  const expectProtected = ({ headers }: Response) =>
    expect(Object.fromEntries(headers)).toMatchObject(protections);

  test("Every answer of a webhook door has the sandbox policy and nosniff: 200, 202, 404, 413, 401, 400, 429, 500, 502", async () => {
    const html = {
      respond_body: "<script>1</script>",
      respond_headers: { "Content-Type": "text/html" },
    };
    expectProtected(await flows.send(await flows.publish(responding(html))));
    expectProtected(await flows.send("never-was-here"));
    expectProtected(await flows.send("%", ""));
    const id = await flows.publish(echo());
    expectProtected(await flows.send(id));
    expectProtected(await flows.send(id, "", { body: "{", headers: json }));
    expectProtected(await flows.send(id, "", { body: new Uint8Array(10 * 1024 * 1024 + 1) }));
    for (const mode of ["last_node", "respond_node"]) {
      const failing = chain(hook({ respond_mode: mode }), node("out", "fail", { message: "No" }));
      expectProtected(await flows.send(await flows.publish(failing)));
    }
  });

  test("A workflow whose node sets a header of the hub, of a proxy or of the connection is not published", async () => {
    const names = ["Set-Cookie", "Transfer-Encoding", "Location\r\nX", "X Y", "X-Accel-Redirect"];
    for (const name of names) {
      const body = responding({ respond_headers: { [name]: "x" } });
      const made = await flows.api("POST", "/manager/api/workflows", { name: "Refused", body });
      const path = `/manager/api/workflows/${made.body.id}/publish`;
      const refused = await flows.api("POST", path, { revision: 1 });
      expect([refused.status, refused.body.problems]).toMatchObject([
        400,
        [{ path: `/nodes/0/respond_headers/${name}` }],
      ]);
    }
  });

  test("A redirect leads to the host that its node names, whatever a sender sends", async () => {
    const location = "https://shop.example{{.Event.Payload.query.to}}";
    const id = await flows.publish(
      // 302 would be followed.
      responding({ respond_status: 201, respond_headers: { Location: location } }),
    );
    const send = (to: string) => flows.send(id, `?to=${encodeURIComponent(to)}`);
    const led = await send("/orders/7");
    expect([led.status, led.headers.get("location")]).toEqual([
      201,
      "https://shop.example/orders/7",
    ]);
    for (const to of [".evil.example/", "@evil.example/", ":8443/"]) {
      expect((await send(to)).status).toBe(502);
    }
  });

  test("A header value with control characters is an error of the node", async () => {
    const id = await flows.publish(
      responding({ respond_headers: { "X-Said": "{{.Event.Payload.raw}}" } }),
    );
    const response = await flows.send(id, "", { body: "a\r\nSet-Cookie: x=1" });
    expect(response.status).toBe(502);
    expect(response.headers.get("set-cookie")).toBeNull();
  });

  test.each([
    199,
    600,
    "100",
    "abc",
    "2e2",
  ])("The status %p is an error of the node", async (status) => {
    const body = responding({ respond_status: "{{.Event.Payload.query.status}}" });
    const id = await flows.publish(body);
    expect((await flows.send(id, `?status=${status}`)).status).toBe(502);
  });
});
