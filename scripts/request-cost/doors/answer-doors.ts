import { createServer } from "node:net";
import { toPrepared } from "../deliveries.ts";
import type { Attack, Door } from "../door.ts";
import type { CostFixture } from "../open-cost-fixture.ts";
import { openDocumentDoor } from "./document-doors.ts";
import { openMcpDoors } from "./mcp-doors.ts";
import { toCall } from "./tool-doors.ts";

const mebibyte = 1024 * 1024;
const answerBytesMax = 15 * mebibyte;

/** What outside systems answer: a REST API, an MCP server, a server of documents. */
export async function openAnswerDoors(fixture: CostFixture): Promise<Door[]> {
  return [
    ...fixture.answerShapes.map((shape) => toShapeDoor(fixture, shape)),
    await openRawDoor(fixture),
    ...(await openMcpDoors(fixture)),
    await openDocumentDoor(fixture),
  ];
}

function toShapeDoor(fixture: CostFixture, shape: string): Door {
  const prepare: Attack["prepare"] = (bytes) => {
    const params = { path: `/${shape}/${Math.floor(bytes)}` };
    const call = toCall(fixture, "hub_execute", { tool_id: fixture.toolId, params });
    return toPrepared(fixture.hub, { ...call, bytes });
  };
  const kind = kindsOfAnswers[shape] ?? "repetition";
  const attacks: Record<string, Attack> = { answer: { kind, prepare } };
  return { group: "answers", name: `answer ${shape}`, bytesMax: answerBytesMax, attacks };
}

const kindsOfAnswers: Record<string, Attack["kind"]> = {
  plain_text: "length",
  nested_arrays: "depth",
  nested_objects: "depth",
  json_in_json: "depth",
  many_numbers: "number",
  many_arrays: "number",
  many_keys: "number",
  many_keys_with_secret: "number",
  secrets: "tokens",
  forged_tokens: "tokens",
};

/** Answers of HTTP that a server writes byte by byte. */
async function openRawDoor(fixture: CostFixture): Promise<Door> {
  let answer = "";
  let isEnded = true;
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => {
      socket.write(answer);
      if (isEnded) socket.end();
      else setTimeout(() => socket.destroy(), 1_500);
    });
  });
  fixture.own({
    async [Symbol.asyncDispose]() {
      server.close();
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = Object(server.address());
  const { id } = await fixture.api("POST", "/manager/api/rows", {
    connector: "http",
    label: "Cost raw",
    values: { base_url: `http://127.0.0.1:${port}` },
  });
  const call = toCall(fixture, "hub_execute", {
    tool_id: `conn:${id}/get`,
    params: { path: "/x" },
  });
  const ok = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
  const chunk = (part: string) => `${part.length.toString(16)}\r\n${part}\r\n`;
  const attacks: Record<string, Attack> = {};
  const add = (
    name: string,
    kind: Attack["kind"],
    make: (bytes: number) => string,
    { bytesMax = 4 * mebibyte, hasEnd = true } = {},
  ) => {
    attacks[name] = {
      kind,
      bytesMax,
      prepare: (bytes) => ({
        bytes,
        async run() {
          answer = make(bytes);
          isEnded = hasEnd;
          return await toPrepared(fixture.hub, call).run();
        },
      }),
    };
  };
  const inChunks = (bytes: number) =>
    `${ok}transfer-encoding: chunked\r\n\r\n${chunk("1").repeat(bytes)}`;
  add("chunks of one byte", "chunking", (bytes) => `${inChunks(bytes)}0\r\n\r\n`);
  add("chunks of one byte without an end", "idling", inChunks, { hasEnd: false });
  const head = { bytesMax: 64 * 1024 };
  add("many headers", "number", (n) => `${ok}${"x-a: 1\r\n".repeat(n / 8)}\r\n{}`, head);
  add("a long header", "length", (n) => `${ok}x-a: ${"a".repeat(n)}\r\n\r\n{}`, head);
  add(
    "a redirect to a long address",
    "length",
    (n) => {
      return `HTTP/1.1 302 Found\r\nlocation: /${"a".repeat(n)}\r\n\r\n`;
    },
    head,
  );
  return { group: "answers", name: "answer in raw HTTP", bytesMax: answerBytesMax, attacks };
}
