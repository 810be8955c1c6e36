/**
 * Protects: what a sender puts into a webhook is data. It is never rendered as a template, blocks no other
 * request, and no secret reaches a step, a log, an answer or an error.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { createHmac } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import { someOf } from "@hub/server/lib/testing/amount.ts";
import { startEchoServer } from "../support/echo-server.ts";
import { type DatabasePart, readDatabaseParts } from "../support/read-database-parts.ts";
import { findSecrets } from "../support/secret-forms.ts";
import { startWorkflowHub, type WorkflowHub } from "../support/workflow-hub.ts";

setDefaultTimeout(180_000);

const secrets = {
  SIGN: "sign-k3y/of+the=hook-0123",
  API_KEY: "api-k3y/with+odd=chars-4567",
  OF_OWNER: "own-k3y/of+the=owner-8901",
};
const all = new Set(Object.values(secrets));
const json = { "content-type": "application/json" };
const owned = new AsyncDisposableStack();
const outside = owned.use(startEchoServer());
let flows: WorkflowHub;
/** Every answer of a webhook. */
const answers: string[] = [];

beforeAll(async () => {
  flows = owned.use(
    await startWorkflowHub({
      env: {
        HUB_WORKFLOW_REQUESTS_PER_MINUTE: "0",
        HUB_LOG_LEVEL: "trace",
        HUB_WORKFLOW_OUTBOUND_ALLOW: "127.0.0.1",
      },
    }),
  );
});
afterAll(() => owned.disposeAsync());

const hook = { id: "hook", type: "webhook", entry: "out" } as const;

async function send(id: string, init: RequestInit, slug = ""): Promise<[number, string]> {
  const response = await flows.send(id, slug, init);
  const text = await response.text();
  answers.push(`${JSON.stringify([...response.headers])} ${text}`);
  return [response.status, text];
}

/** A workflow that passes what it gets through each kind of node. */
const passing: WorkflowBodyInput = {
  triggers: [{ ...hook, respond_mode: "respond_node" }],
  nodes: [
    {
      id: "out",
      type: "set",
      value: { all: "{{.Event.Payload}}", said: "said {{.Event.Payload.raw}}" },
    },
    { id: "again", type: "set", value: { copy: "{{.Node.out}}", text: "{{.Node.out.said}}" } },
    {
      id: "pick",
      type: "switch",
      value: "{{.Node.again.text}}",
      cases: [{ case: "known", op: "contains", right: "{{.Node.out.all.raw}}" }],
    },
    {
      id: "answer",
      type: "webhook_respond",
      respond_body: "{{.Node.again.text}}",
      respond_headers: { "x-path": "{{.Event.Payload.path | urlquery}}" },
    },
  ],
  edges: [
    { from: "out", to: "again" },
    { from: "again", to: "pick" },
    { from: "pick", to: "answer", case: "known" },
    { from: "pick", to: "answer", case: "default" },
  ],
};

const templates = [
  "{{.Secret.API_KEY}}",
  "{{ .Event.Payload.raw }}",
  '{{printf "%s" .Secret.API_KEY}}',
  "{{range .Event}}{{.}}{{end}}",
  "{{/* comment",
  "{{.Env}} {{.Run.ID}} {{.Workflow.ID}}",
  "{{define `x`}}{{template `x`}}{{end}}{{template `x`}}",
  '"}}{{.Secret.API_KEY}}{{"',
  "{{`{{.Secret.API_KEY}}`}}",
  "$" + "{secret}" + " #{1+1} <%= 1 %>",
  "hub_enc_ hub_basic(YQ:x) [secret]",
  "__proto__ constructor.prototype toString",
];

test.each(templates)("The text %j stays as it was sent, through every node", async (text) => {
  const id = await flows.publish(passing, { secrets });
  expect(await send(id, { body: text })).toEqual([200, `said ${text}`]);
  const body = JSON.stringify({ [text]: text, raw: text, list: [text] });
  expect(await send(id, { body, headers: json })).toEqual([200, `said ${body}`]);
  const query = `?${new URLSearchParams({ [text]: text })}`;
  const [status] = await send(id, { body: "x", headers: { "x-text": text } }, query);
  expect(status).toBe(200);
});

const copying = (value: string): WorkflowBodyInput => ({
  triggers: [{ ...hook, respond_mode: "last_node" }],
  nodes: [
    { id: "out", type: "http", method: "POST", url: `${outside.url}/echo`, body: { copy: value } },
  ],
  edges: [],
});

/** An encrypted value of the workflows' owner. Its plaintext is one of the secrets of these tests. */
async function encrypt(): Promise<string> {
  const { stdout } = await flows.hub.tryCli(["encrypt", "--user", "admin@localhost"], {
    stdin: secrets.OF_OWNER,
  });
  expect(stdout).toStartWith("hub_enc_");
  return stdout.trim();
}

test("An encrypted value of the owner is refused from a sender, however it is spelled", async () => {
  const id = await flows.publish(copying("{{.Event.Payload.body.a}}"));
  const token = await encrypt();
  const escaped = token.replace(/./g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`);
  const percent = token.replace(/./g, (char) => `%${char.charCodeAt(0).toString(16)}`);
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const requests: [string, RequestInit][] = [
    ["plain", { body: JSON.stringify({ a: token }), headers: json }],
    ["with escapes in JSON", { body: `{"a":"${escaped}"}`, headers: json }],
    ["with one escape", { body: `{"a":"${token.replace("_", "\\u005F")}"}`, headers: json }],
    [
      "an escape behind the prefix",
      { body: `{"a":"${token.slice(0, 9)}${escaped.slice(54)}"}`, headers: json },
    ],
    ["with percent signs in a form", { body: `a=${percent}`, headers: form }],
    ["as the name of a field", { body: `{"${escaped}":1}`, headers: json }],
  ];
  for (const [name, init] of requests) {
    expect([name, ...(await send(id, init))]).toEqual([
      name,
      400,
      expect.stringContaining("encrypted value"),
    ]);
  }
  const sent = outside.received.map(({ body }) => body).join();
  expect(sent).not.toContain(secrets.OF_OWNER);
});

test.each([
  ["from two parts", "{{.Event.Payload.body.a}}{{.Event.Payload.body.b}}"],
  ["from parts of a list", '{{join "" .Event.Payload.body.list}}'],
  ["by a replacement", '{{replace "-at-" "_" .Event.Payload.body.replaced}}'],
  ["from JSON in a text", "{{fromJSON .Event.Payload.body.text}}"],
])("An encrypted value that a template puts together %s is not opened", async (_how, template) => {
  const id = await flows.publish(copying(template));
  const token = await encrypt();
  const [a, b] = [token.slice(0, 5), token.slice(5)];
  const text = `"${token.replace("hub_enc_", "\\u0068ub_enc_")}"`;
  const body = JSON.stringify({
    a,
    b,
    list: [a, b],
    replaced: token.replaceAll("_", "-at-"),
    text,
  });
  const [status, answered] = await send(id, { body, headers: json });
  expect([status, answered]).toEqual([500, expect.stringContaining("encrypted value")]);
  const sent = outside.received.map(({ body }) => body).join();
  expect(sent).not.toContain(secrets.OF_OWNER);
});

test("Prototype keys in JSON, forms and queries are members like others, and change nothing", async () => {
  const id = await flows.publish({
    triggers: [{ ...hook, respond_mode: "last_node" }],
    nodes: [
      {
        id: "out",
        type: "set",
        value: {
          body: "{{.Event.Payload.body}}",
          missing: "{{.Event.Payload.toString}}{{.Event.Payload.body.constructor}}",
          inherited: "{{.Event.Payload.body.polluted}}{{.Event.polluted}}",
        },
      },
    ],
    edges: [],
  } as WorkflowBodyInput);
  const body = '{"__proto__":{"polluted":"yes"},"constructor":{"prototype":{"polluted":"yes"}}}';
  const made = await flows.send(id, "?__proto__=p&constructor=c", { body, headers: json });
  const text = await made.text();
  expect(text).toContain('"__proto__":{"polluted":"yes"}');
  expect(text).not.toContain('"inherited":"yes');
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const [status, answered] = await send(id, {
    body: "__proto__=x&hasOwnProperty=y",
    headers: form,
  });
  expect(status).toBe(200);
  expect(answered).toContain('"__proto__":"x"');
});

test("A form with more than 10,000 fields is refused", async () => {
  const id = await flows.publish(large("{{len .Event.Payload.body}}"));
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const toForm = (fields: number) =>
    Array.from({ length: fields }, (_, at) => `f${at}=1`).join("&");
  expect(await send(id, { body: toForm(10_000), headers })).toEqual([200, "10000"]);
  expect((await send(id, { body: toForm(10_001), headers }))[0]).toBe(400);
});

test("A body that contradicts its content type is refused or stays raw", async () => {
  const id = await flows.publish({
    triggers: [{ ...hook, respond_mode: "last_node" }],
    nodes: [{ id: "out", type: "set", value: "{{.Event.Payload}}" }],
    edges: [],
  });
  const cases: [string, string | Uint8Array<ArrayBuffer>, number][] = [
    ["application/json", "a=1", 400],
    ["application/json", new Uint8Array([0xff, 0xfe, 0x00]), 400],
    ["application/x-www-form-urlencoded", '{"a":1}', 200],
    ["text/plain", '{"a":1}', 200],
    ["application/octet-stream", new Uint8Array([0, 255, 254]), 200],
    ["application/json; charset=utf-16", '{"a":1}', 400],
    ["multipart/form-data; boundary=x", "--x\r\n\r\n--x--", 400],
    ["garbage/;;;", "{", 200],
    ["application/json, text/html", "{", 200],
  ];
  for (const [type, body, expected] of cases) {
    const [status] = await send(id, { body, headers: { "content-type": type } });
    expect([type, status]).toEqual([type, expected]);
  }
});

/** Between requests that ask whether others are served, which take processor time too. */
const pauseMs = 5;

/** Sends something dear, and returns the longest wait of other requests meanwhile, in ms. */
async function measureOthers(work: Promise<unknown>): Promise<number> {
  let isDone = false;
  let longest = 0;
  const done = work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    const startedAt = performance.now();
    expect((await fetch(`${flows.hub.url}/health`)).status).toBe(200);
    longest = Math.max(longest, performance.now() - startedAt);
    await Bun.sleep(pauseMs);
  }
  await done;
  return longest;
}

const mebibyte = 1024 * 1024;
const matching = (right: string): WorkflowBodyInput => ({
  triggers: [{ ...hook, respond_mode: "last_node" }],
  nodes: [
    {
      id: "out",
      type: "branch",
      conditions: [{ left: "{{.Event.Payload.raw}}", op: "matches", right }],
    },
  ],
  edges: [],
});
const large = (value: unknown): WorkflowBodyInput => ({
  triggers: [{ ...hook, respond_mode: "last_node" }],
  nodes: [{ id: "out", type: "set", value }],
  edges: [],
});

const dear: [string, WorkflowBodyInput, RequestInit][] = [
  ["5 MiB of text", passing, { body: "x".repeat(5 * mebibyte) }],
  ["5 MiB of templates", passing, { body: "{{.Secret.API_KEY}}".repeat((5 * mebibyte) / 19) }],
  [
    "a JSON text of 5 MiB",
    large("{{len .Event.Payload.body.text}}"),
    { body: JSON.stringify({ text: "\u0001é".repeat(mebibyte / 2) }), headers: json },
  ],
  [
    "a million members",
    large("{{len .Event.Payload.body}}"),
    { body: `{${Array.from({ length: 500_000 }, (_, n) => `"${n}":0`).join()}}`, headers: json },
  ],
  [
    "JSON of 10,000 levels",
    large("{{.Event.Payload.body}}"),
    { body: "[".repeat(10_000) + "]".repeat(10_000), headers: json },
  ],
  [
    "a form of 9 MiB",
    large("{{len .Event.Payload.body}}"),
    {
      body: "a=1&".repeat((9 * mebibyte) / 4),
      headers: { "content-type": "application/x-www-form-urlencoded" },
    },
  ],
  ["a text against (a+)+$", matching("^(a+)+$"), { body: `${"a".repeat(500_000)}b` }],
  ["a text against (.*)*x", matching("(.*)*x"), { body: "a".repeat(500_000) }],
  [
    "a pattern from outside",
    matching("{{.Event.Payload.raw}}"),
    { body: "(a|aa)+$".repeat(20_000) },
  ],
  [
    "a range over 5 MiB",
    large("{{range .Event.Payload.body}}{{.}}{{end}}"),
    {
      body: JSON.stringify(Array.from({ length: 1_000_000 }, () => 1)),
      headers: json,
    },
  ],
  [
    "a text that is split",
    large('{{len (split "a" .Event.Payload.raw)}}'),
    { body: "a".repeat(9 * mebibyte) },
  ],
];

test.each(
  someOf(3, dear),
)("Other requests are answered while the hub works on %s", async (name, body, init) => {
  const id = await flows.publish(body, { secrets });
  const longest = await measureOthers(
    send(id, init).then(([status]) => expect(status).not.toBe(504)),
  );
  if (process.env.HUB_TEST_REPORT === "1") console.log(`${name}: ${Math.round(longest)} ms`);
});

test("A JSON body of more than 100,000 values is refused before it is parsed, and as text it is taken", async () => {
  const id = await flows.publish(large("taken"), { secrets });
  const body = `[${"0,".repeat(100_000)}0]`;
  const [status, text] = await send(id, { body, headers: json });
  expect([status, text]).toEqual([400, expect.stringContaining("more than 100000 values")]);
  const [asText] = await send(id, { body, headers: { "content-type": "text/plain" } });
  expect(asText).toBe(200);
});

const repetitive = {
  text: "a".repeat(400_000),
  part: `b${"a".repeat(150_000)}b${"a".repeat(1000)}`,
};
const text = "{{.Event.Payload.body.text}}";
const part = "{{.Event.Payload.body.part}}";

test.each([
  ["contains", { left: text, op: "contains" as const, right: part }],
  ["in", { left: part, op: "in" as const, right: text }],
])("A branch with %s over two repetitive texts of a sender is answered", async (_op, condition) => {
  const id = await flows.publish({
    triggers: [{ ...hook, respond_mode: "last_node" }],
    nodes: [
      { id: "out", type: "branch", conditions: [condition] },
      { id: "found", type: "set", value: "found" },
      { id: "missing", type: "set", value: "missing" },
    ],
    edges: [
      { from: "out", to: "found", case: "true" },
      { from: "out", to: "missing", case: "false" },
    ],
  });
  const body = JSON.stringify({ ...repetitive, text: `c${repetitive.text}` });
  expect(await send(id, { headers: json, body })).toEqual([200, '"missing"']);
});

test.each([
  ["replace", '{{replace .Event.Payload.body.part "" .Event.Payload.body.text | len}}', 400_000],
  ["split", "{{split .Event.Payload.body.part .Event.Payload.body.text | len}}", 1],
])("A template with %s over two repetitive texts of a sender is answered", async (_name, value, is) => {
  const id = await flows.publish({
    triggers: [{ ...hook, respond_mode: "last_node" }],
    nodes: [{ id: "out", type: "set", value }],
  });
  const body = JSON.stringify(repetitive);
  expect(await send(id, { headers: json, body })).toEqual([200, String(is)]);
});

test.each([
  'eq $text "a"',
  '(lt $text "a")',
  "len $text",
  "index $text 1",
  "slice $text 1 2",
])("A loop over a text that begins as a value token ends at the limit of steps: %s", async (use) => {
  const loop = `{{$text := .Event.Payload.body.text}}{{range 60000}}{{$x := ${use}}}{{end}}`;
  const id = await flows.publish({
    triggers: [{ ...hook, respond_mode: "last_node" }],
    nodes: [{ id: "out", type: "set", value: loop }],
  });
  const body = JSON.stringify({ text: "hub_enc_".repeat(75_000) });
  const [status, answer] = await send(id, { headers: json, body });
  expect(status).toBe(500);
  expect(answer).toContain("Rendering takes too long");
});

test("No secret reaches a step, the log, an answer or an error, also if a sender or an outside system repeats it", async () => {
  const id = await flows.publish(
    {
      triggers: [{ ...hook, secret_ref: "SIGN", respond_mode: "respond_node" }],
      nodes: [
        {
          id: "out",
          type: "http",
          url: `${outside.url}/echo`,
          on_error: "continue",
          headers: { authorization: "Bearer {{.Secret.API_KEY}}" },
        },
        { id: "text", type: "set", value: "{{.Node.out.body}} {{.Event.Payload.raw}}" },
        {
          id: "basic",
          type: "http",
          url: `${outside.url}/error`,
          on_error: "continue",
          headers: { authorization: '{{basicAuth "me" .Secret.API_KEY}}' },
        },
        { id: "changed", type: "set", value: "{{.Secret.API_KEY | upper}}", on_error: "continue" },
        {
          id: "answer",
          type: "webhook_respond",
          respond_body: "{{.Node.text}} {{.Secret.API_KEY}} {{.Node.changed}} {{.Node.basic}}",
          respond_headers: { "x-said": "{{.Secret.SIGN}}" },
        },
      ],
      edges: [
        { from: "out", to: "text" },
        { from: "text", to: "basic" },
        { from: "basic", to: "changed" },
        { from: "changed", to: "answer" },
      ],
    } as WorkflowBodyInput,
    { secrets },
  );
  // A sender who knows them repeats them.
  const body = JSON.stringify([secrets.API_KEY, secrets.SIGN, btoa(secrets.API_KEY)]);
  const signature = `sha256=${createHmac("sha256", secrets.SIGN).update(body).digest("hex")}`;
  const headers = { ...json, "x-hub-sig": signature, "x-key": secrets.API_KEY };
  const query = `?${new URLSearchParams({ key: secrets.API_KEY })}`;
  const [status, text] = await send(id, { body, headers }, query);
  expect([status, text]).toEqual([200, expect.stringContaining("[secret]")]);
  expect(outside.received[0]?.headers.authorization).toBe(`Bearer ${secrets.API_KEY}`);
  const [refused] = await send(id, { body: `${body} `, headers });
  expect(refused).toBe(401);
  await send(id, { body, headers: { ...headers, "x-hub-delivery": "d".repeat(300) } }, query);

  const failing = await flows.publish(
    {
      triggers: [{ ...hook, respond_mode: "last_node" }],
      nodes: [{ id: "out", type: "fail", message: "{{.Event.Payload.raw}} {{.Secret.API_KEY}}" }],
      edges: [],
    },
    { secrets },
  );
  await send(failing, { body: `${secrets.API_KEY} ${secrets.SIGN}` });
  for (const workflow of [id, failing]) {
    const { body: listed } = await flows.api("GET", `/manager/api/workflows/${workflow}/runs`);
    for (const run of listed.runs as { id: string }[]) {
      const shown = await flows.api("GET", `/manager/api/workflows/${workflow}/runs/${run.id}`);
      answers.push(JSON.stringify(shown.body));
    }
  }
});

test("The whole database, the log and every answer contain no secret that the tests made", async () => {
  await flows.hub.stop();
  const { dataDir } = flows.hub;
  const parts = await readParts(dataDir);
  parts.push({ name: "log", bytes: Buffer.from(flows.hub.stderr()) });
  parts.push({ name: "output", bytes: Buffer.from(flows.hub.stdout()) });
  parts.push({ name: "answers", bytes: Buffer.from(answers.join("\n")) });
  expect(parts.length).toBeGreaterThan(3);
  const found = parts.flatMap(({ name, bytes }) =>
    findSecrets(bytes, all).map((secret) => `${name}: ${secret}`),
  );
  expect(found).toEqual([]);
});

/** All files of the data folder except the key file, and its database. */
async function readParts(dataDir: string): Promise<DatabasePart[]> {
  const parts = readDatabaseParts(dataDir);
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((one) => one.isFile() && one.name !== "keys.json")) {
    const bytes = await Bun.file(join(entry.parentPath, entry.name)).bytes();
    parts.push({ name: entry.name, bytes });
  }
  return parts;
}
