import { afterEach, expect, test } from "bun:test";
import { join } from "node:path";
import { toJsonText } from "@hub/connector";
import { openTestBridge } from "../testing/open-test-bridge.ts";
import { serveMcp, streamEvents } from "../testing/serve-mcp.ts";
import { hideDigits, restoreDigits } from "./keep-digits.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function open() {
  const bridge = openTestBridge();
  closers.push(bridge.close);
  return bridge;
}

/** Numbers that change in `JSON.parse`, one that does not, and texts that look like numbers. */
const structured =
  '{"id":9007199254740993,"list":[-9223372036854775808,0.12345678901234567891,1e400],"small":7,"text":"9007199254740993, \\"9007199254740993","deep":{"9007199254740993":1.5e3}}';

/** As `parseJson` writes it: a number that keeps its value can have another form. */
const kept = structured.replace("1.5e3", "1500");

test("Long numbers of structured content keep their digits over HTTP, as JSON and as events", async () => {
  const bridge = open();
  const server = serveMcp({
    callTool(name, { id }) {
      const begin = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[],`;
      const message = `${begin}"structuredContent":${structured}}}`;
      if (name === "json") {
        return new Response(message, { headers: { "content-type": "application/json" } });
      }
      const lines = name === "lines" ? message.replaceAll(":[", ":\ndata: [") : message;
      return streamEvents((send) => send(`id: 9007199254740993\ndata: ${lines}\n\n`));
    },
  });
  closers.push(server.close);
  for (const form of ["json", "events", "lines"]) {
    const { result } = await bridge.callTool({ url: server.url }, form);
    expect(toJsonText(result)).toBe(kept);
  }
});

test("Long numbers of structured content keep their digits over stdio", async () => {
  const config = {
    transport: "stdio",
    command: process.execPath,
    args: [{ value: join(import.meta.dirname, "../testing/stdio-test-server.ts") }],
  };
  const { result } = await open().callTool(config, "long-number");
  expect(toJsonText(result)).toBe('{"id":9007199254740993}');
});

test("A message without structured content, or with small numbers alone, stays as it is", () => {
  for (const text of [
    '{"result":{"tools":[{"maximum":18446744073709551615}]}}',
    '{"result":{"structuredContent":{"id":9007199254740991,"half":0.5}}}',
    '{"structuredContent":[1-2,1e,---------------------]}',
    '{"structuredContent":"not closed 9007199254740993',
  ]) {
    expect(hideDigits(text)).toBe(text);
  }
});

test("A text of the server is never read as a number", () => {
  const value = { text: "number-9007199254740993", other: 'number-:5","a":"' };
  expect(restoreDigits(value)).toBe(value);
});
