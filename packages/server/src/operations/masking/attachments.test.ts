import { afterAll, beforeAll, expect, test } from "bun:test";
import { defineConnector, defineConnectorWith, type Json, wick } from "@hub/connector";
import type { ConnectorCall, ContentBlock, ContentKind } from "../../connectors/connector-port.ts";
import { createLocalConnector } from "../../connectors/local-connector.ts";
import { nightlyTest } from "../../lib/testing/nightly-test.ts";
import { openTestOperations, toTestCall } from "../testing/open-test-operations.ts";

const secret = "correct horse battery staple";
const large = 3 * 1024 * 1024;

type Attach = Pick<ConnectorCall, "attach">;
let answer: (attach: ConnectorCall["attach"]) => Json;

/** Whatever the test attaches. */
const definition = defineConnectorWith<Attach>()({
  key: "media",
  name: "Media",
  icon: "image",
  tier: "builtin",
  description: "Answers with content blocks.",
  config: { Token: wick("secret") },
  operations: {
    show: {
      name: "Show",
      reads: true,
      description: "Shows content.",
      run: ({ attach }) => answer(attach),
    },
  },
});

const plain = defineConnector({
  key: "plain",
  name: "Plain",
  icon: "box",
  tier: "builtin",
  description: "No blocks.",
  config: {},
  operations: { wait: { description: "Does nothing.", run: () => null } },
});

let hub: Awaited<ReturnType<typeof openTestOperations>>;
let toolId: string;

beforeAll(async () => {
  hub = await openTestOperations(plain);
  hub.registry.register(createLocalConnector(definition, ({ attach }) => ({ attach })));
  const row = await hub.addRow({
    connectorKey: "media",
    tags: ["everyone"],
    secrets: { token: secret },
  });
  toolId = `conn:${row}/show`;
});
afterAll(() => hub.close());

const all: readonly ContentKind[] = ["image", "audio", "resource", "resource_link"];

test("A call that is one of several gets no content, and its result says why", async () => {
  answer = (attach) => attach({ kind: "image", members: {}, bytes: new Uint8Array(3) }, []);
  const ctx = { ...toTestCall(["everyone"]), contentKinds: new Set(all) };
  const { text } = await hub.operations.batches.read(ctx, { calls: [{ toolId, params: {} }] });
  const left_out = "Several calls at once return JSON only. Call this one alone.";
  expect(JSON.parse(text).results).toMatchObject([{ status: "success", result: { left_out } }]);
});

async function show(blocks: ContentBlock[], kinds: readonly ContentKind[] | null = all) {
  answer = (attach) => ({
    content: blocks.map((block, index) => attach(block, ["content", index])),
  });
  const ctx = { ...toTestCall(["everyone"]), ...(kinds && { contentKinds: new Set(kinds) }) };
  const result = await hub.operations.calls.call(ctx, { toolId, params: {} });
  const [run] = await hub.listRuns(1);
  const texts = result.blocks ?? [];
  return {
    content: Object(result.value).content,
    blocks: texts.map((text) => JSON.parse(text)),
    audit: `${run?.response}`,
  };
}

const image = (bytes: Uint8Array): ContentBlock => ({
  kind: "image",
  members: { mimeType: "image/png" },
  bytes,
});
const document = (text: string): ContentBlock => ({
  kind: "resource",
  members: { uri: "file:///a", text },
});

test("A client receives blocks whole beside the result; the record only says what they are", async () => {
  const bytes = new Uint8Array(large).fill(7);
  const { content, blocks, audit } = await show([image(bytes), document("words")]);
  expect(content).toEqual([{ block: 1 }, { block: 2 }]);
  expect(blocks).toEqual([
    { type: "image", mimeType: "image/png", data: bytes.toBase64() },
    { type: "resource", resource: { uri: "file:///a", text: "words" } },
  ]);
  expect(JSON.parse(audit)).toEqual({ content });
});

test("Callers that take JSON only, and clients that do not know a kind, get a sentence", async () => {
  const given = [image(new Uint8Array(3)), { ...image(new Uint8Array(3)), kind: "audio" as const }];
  const [left, none] = [expect.stringContaining("version of MCP"), expect.stringContaining("Only")];
  expect(await show(given, ["image"])).toMatchObject({
    content: [{ block: 1 }, { left_out: left }],
    blocks: [{ type: "image" }],
  });
  expect(await show(given, null)).toMatchObject({
    content: [{ left_out: none }, { left_out: none }],
    blocks: [],
  });
});

test("Fields of a call that do not include a block leave it out", async () => {
  answer = (attach) => ({
    content: [attach(image(new Uint8Array(3)), ["content", 0])],
    total: 1,
  });
  const execute = async (fields: string[]) => {
    const ctx = { ...toTestCall(["everyone"]), contentKinds: new Set(all) };
    return (await hub.operations.calls.call(ctx, { toolId, params: {}, fields })).blocks ?? [];
  };
  expect(await execute(["total"])).toEqual([]);
  expect(await execute(["content"])).toHaveLength(1);
});

nightlyTest(
  "The blocks of a result have at most 5 MiB together, and there are at most 100",
  async () => {
    const max = 5 * 1024 * 1024;
    const { content } = await show([
      image(new Uint8Array(max - 5)),
      document("12345"),
      document("6"),
    ]);
    expect(content).toEqual([
      { block: 1 },
      { block: 2 },
      { left_out: expect.stringContaining("at most 5 MiB") },
    ]);
    const many = Array.from({ length: 5_000 }, () => image(new Uint8Array(1)));
    const { blocks, content: described } = await show(many);
    expect(blocks).toHaveLength(100);
    // The list itself is cut like every result.
    expect(described.length).toBeLessThan(many.length);
  },
);

test.each([
  ["small", 10],
  ["large", 400_000],
])("Secrets never leave in the texts of %s resources, nor in binary content", async (_, length) => {
  const text = `${"x ".repeat(length)}${secret}`;
  const zip = Buffer.concat([new Uint8Array(2 * length).fill(0xf1), Buffer.from(secret)]);
  const wide = Buffer.from(text, "utf16le");
  const nested = Buffer.from(Buffer.from(text).toString("base64"));
  const { blocks } = await show([
    document(text),
    ...[zip, wide, nested, Buffer.from(text)].map(image),
    { kind: "resource_link", members: { uri: `https://a.test/?key=${secret}`, name: secret } },
  ]);
  expect(blocks[0].resource.text).toContain("x hub_enc_");
  const leftOut = { type: "text", text: expect.stringContaining("contains a secret") };
  expect(blocks.slice(1, 5)).toEqual([leftOut, leftOut, leftOut, leftOut]);
  expect(blocks[5].name).toStartWith("hub_enc_");
  expect(JSON.stringify(blocks)).not.toContain(secret);
});
