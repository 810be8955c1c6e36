/** Protects: one turn of the event loop reads a limited part of what a server sends. */
import { expect, test } from "bun:test";
import { createMessageGate } from "./message-gate.ts";
import { createOpenRequests } from "./open-requests.ts";
import { readEvents } from "./read-message-events.ts";

const mebibyte = 1024 * 1024;
const answer = '{"jsonrpc":"2.0","id":1,"result":{}}';
const answered = `data: ${answer}\n\n`;
const progress = '{"method":"notifications/progress","params":{"progressToken":1,"progress":1}}';

type Read = { text: string; chunks: string[]; steps: number[]; memory: number };

/** What is passed on of these chunks, and the steps that were asked for. */
async function read(
  chunks: Iterable<string | Uint8Array>,
  messageBytesMax = 8 * mebibyte,
): Promise<Read> {
  const iterator = chunks[Symbol.iterator]();
  const requests = createOpenRequests();
  requests.add(1, "tools/call");
  const steps: number[] = [];
  let memory = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const { value, done } = iterator.next();
        if (done === true) controller.close();
        else controller.enqueue(typeof value === "string" ? Buffer.from(value) : value);
      },
    },
    { highWaterMark: 0 },
  );
  const stream = readEvents(body, {
    messageBytesMax,
    gate: createMessageGate({ now: () => 0, requests }),
    budget: {
      take(bytes) {
        memory += bytes;
        return null;
      },
      takeArrived: () => true,
    },
    takeSteps(count) {
      steps.push(count);
      return null;
    },
  });
  const passed: string[] = [];
  for await (const chunk of stream) passed.push(Buffer.from(chunk).toString());
  return { text: passed.join(""), chunks: passed, steps, memory };
}

test.each([
  ["line feeds", `data: ${answer}\n\n`],
  ["carriage returns", `data: ${answer}\r\r`],
  ["both", `data: ${answer}\r\n\r\n`],
  ["no space", `data:${answer}\n\n`],
  ["a byte order mark", `\uFEFFdata: ${answer}\n\n`],
  ["a type", `event: message\ndata: ${answer}\n\n`],
  ["comments", `: hello\n:\n\n:\ndata: ${answer}\n: bye\n\n`],
  ["an event before", `event: other\ndata: ${answer}\n\ndata: ${answer}\n\n`],
  ["unknown fields", `thing\nthing: 1\nretry: soon\ndata: ${answer}\n\n`],
])("An answer with %s is passed on, in any chunks", async (_, stream) => {
  const bytes = Buffer.from(stream);
  expect((await read([bytes])).text).toBe(answered);
  expect((await read(Array.from(bytes, (byte) => new Uint8Array([byte])))).text).toBe(answered);
});

test("The lines of a message are joined, with all characters", async () => {
  const lines = [
    'data: {"jsonrpc":"2.0",',
    'data:"id":1,"result":',
    'data: {"é":"字 😀"}}',
    "",
    "",
  ];
  const { text } = await read([lines.join("\n")]);
  expect(JSON.parse(text.slice("data:".length))).toEqual({
    jsonrpc: "2.0",
    id: 1,
    result: { é: "字 😀" },
  });
});

test("An id, the address of the older transport and a time to wait are passed on", async () => {
  expect((await read([`id: 5\ndata: ${answer}\n\n`])).text).toBe(`id: 5\n${answered}`);
  expect((await read(["id: 5\ndata:\n\n"])).text).toBe("id: 5\ndata:\n\n");
  expect((await read(["event: endpoint\ndata: /send\n\n"])).text).toBe(
    "event: endpoint\ndata: /send\n\n",
  );
  expect((await read([`id: ${"5".repeat(2000)}\ndata: ${answer}\n\n`])).text).toBe(answered);
  expect((await read(["retry: 5000\n\n"])).text).toBe("retry: 5000\n\n");
  // Otherwise the server could have its stream opened again without a pause.
  expect((await read(["retry: 0\n\n"])).text).toBe("retry: 1000\n\n");
});

test("An event that does not end is not passed on", async () => {
  expect((await read([`data: ${answer}\n`])).text).toBe("");
});

const millions: [string, string, number][] = [
  ["reports", `data: ${progress}\n\n`, 20_000],
  ["answers to nothing", 'data: {"id":2,"result":{}}\n\n', 30_000],
  ["requests", 'data: {"id":"a","method":"ping"}\n\n', 30_000],
  ["comments", ":\n", 100_000],
  ["blank lines", "\n", 100_000],
  ["empty events", "data:\n\n", 50_000],
  ["names of events", "event: x\n", 50_000],
  ["long ids", `id: ${"x".repeat(1000)}\n`, 5_000],
];

test.each(
  millions,
)("%s in one chunk are read in portions, and nearly none is passed on", async (_, one, count) => {
  const { text, steps } = await read([one.repeat(count), `\n\n${answered}`]);
  expect(text.endsWith(answered)).toBe(true);
  expect(text.length).toBeLessThan(5000);
  // One message or line may go beyond the portion.
  expect(Math.max(...steps)).toBeLessThan(2_600_000);
  // What is read is charged.
  expect(steps.reduce((sum, more) => sum + more, 0)).toBeGreaterThan(count * 200);
});

test("A message in many thousand lines is limited and checked as a whole", async () => {
  const failure = async (stream: string, bytesMax?: number) =>
    await read([stream], bytesMax).then(
      ({ text }) => text.slice(0, 100),
      (thrown: Error) => thrown.message,
    );
  expect(await failure(`data: ${"[".repeat(8)}\n`.repeat(120_000), mebibyte)).toContain(
    "larger than 1 MiB",
  );
  const nested = `data: ${"[".repeat(1000)}\n`.repeat(1000);
  expect(await failure(`${nested}\n`)).toContain("nested deeper than 256 levels");
  expect(await failure(`data: 1,1,\n`.repeat(51_000).concat("\n"))).toContain("100,000 values");
  expect(await failure("x".repeat(2 * mebibyte), mebibyte)).toContain("larger than 1 MiB");
  expect(await failure(`: ${"x".repeat(2 * mebibyte)}`, mebibyte)).toContain("larger than 1 MiB");
});

test("Memory is taken for a long message, in one line and in many", async () => {
  const long = `{"id":1,"result":{"a":"${"x".repeat(2 * mebibyte)}"}}`;
  const chunks = (text: string) => text.match(/.{1,65536}/gs) ?? [];
  expect((await read(chunks(`data: ${long}\n\n`))).memory).toBeGreaterThan(2 * mebibyte);
  const lines = `data: ${"x".repeat(1000)}\n`.repeat(2200);
  expect((await read(chunks(lines))).memory).toBeGreaterThan(2 * mebibyte);
  expect((await read([answered])).memory).toBe(0);
});
