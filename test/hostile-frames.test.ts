/**
 * Malformed messages over both transports: each gets an error, and the next message is answered normally.
 * A readable tools/call is recorded; other messages are not.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { someOf } from "@hub/server/lib/testing/amount.ts";
import { readAudit } from "./support/audit.ts";
import { createDataFolder } from "./support/data-folder.ts";
import { runCli } from "./support/run-cli.ts";
import { type RunningHub, startHub } from "./support/start-hub.ts";
import { openStdioSession, readMessages, type StdioSession } from "./support/stdio-session.ts";
import { waitFor } from "./support/wait-for.ts";

setDefaultTimeout(180_000);

const main = join(import.meta.dirname, "support/hostile-hub.ts");
const secret = "row-secret-9fK2xQ7vLm4R";
const owned = new AsyncDisposableStack();
let dataDir: string;
let hub: RunningHub;
let session: StdioSession;
let rowId: string;

beforeAll(async () => {
  dataDir = owned.use(await createDataFolder()).path;
  const args = ["row", "add", "hostile", "--label", "Hostile", "--secret-env", "secret=SECRET"];
  const added = await runCli({ main, dataDir, env: { SECRET: secret } }, [...args, "--json"]);
  rowId = added.json<{ id: string }>().id;
  hub = owned.use(await startHub({ main, dataDir }));
  session = owned.use(openStdioSession({ main, dataDir }));
});

afterAll(() => owned.disposeAsync());

/** Sends a message, and returns the text of the answer. */
type Send = (message: string | Uint8Array) => Promise<string>;

const sendHttp: Send = async (message) => {
  const response = await fetch(`${hub.url}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${hub.adminToken()}`,
      "content-type": "application/json",
    },
    body: message,
  });
  return await response.text();
};

/** Requests of a session run concurrently, so the answer is the line before the answer of the ping. */
const sendStdio: Send = async (message) => {
  const before = readMessages(session.stdout()).length;
  session.sendLine(message);
  await waitFor(() => readMessages(session.stdout()).length > before);
  return session.stdout().split("\n")[before] ?? "";
};

const ping = '{"jsonrpc":"2.0","id":"ping","method":"ping"}';
const toolId = (operation: string) => `conn:${rowId}/${operation}`;

/** A call as text, for values that JSON.stringify does not write. */
const toCall = (args: string, { id = "1", name = '"hub_execute"', more = "" } = {}) =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":${name},"arguments":${args}${more}}}`;
const toEcho = (params: string, options = {}) =>
  toCall(`{"tool_id":"${toolId("echo")}","params":${params}}`, options);

const countRuns = () => readAudit(dataDir).length;

// Both read frames by the same function.
describe.each(
  someOf<[string, Send]>(1, [
    ["HTTP", sendHttp],
    ["stdio", sendStdio],
  ]),
)("Over %s", (_transport, send) => {
  /** Sends a message, checks that the next one is answered, and returns the answer and the new runs. */
  async function exchange(message: string | Uint8Array) {
    const before = countRuns();
    const text = await send(message);
    expect(await send(ping)).toBe('{"jsonrpc":"2.0","id":"ping","result":{}}');
    return { text, frame: JSON.parse(text), runs: countRuns() - before };
  }

  async function expectError(message: string | Uint8Array, code: number, id: unknown = null) {
    const { frame, runs } = await exchange(message);
    expect(frame).toEqual({
      jsonrpc: "2.0",
      id,
      error: expect.objectContaining({ code, message: expect.any(String) }),
    });
    return runs;
  }

  test.each([
    "{",
    "nope",
    "{'jsonrpc':'2.0'}",
    `${ping}${ping}`,
    `${ping},`,
    '{"jsonrpc":"2.0","id":1,"method":"ping",}',
    '{"jsonrpc":"2.0","id":01,"method":"ping"}',
    '{"jsonrpc":"2.0","id":NaN,"method":"ping"}',
    '{"jsonrpc":"2.0","id":1,"method":"pi\tng"}',
    '{"jsonrpc":"2.0","id":1,"method":"\\x"}',
    "\u0000",
    "[".repeat(10_000),
  ])("Invalid JSON is a parse error: %.40s", async (text) => {
    expect(await expectError(text, -32700)).toBe(0);
  });

  test("Long invalid JSON with deep nesting is refused before it is parsed", async () => {
    expect(await expectError('{"a":'.repeat(100_000), -32600)).toBe(0);
  });

  test.each<[string, number[]]>([
    ["Latin-1", [0x22, 0xfc, 0x22]],
    ["a truncated character", [0x22, 0xf0, 0x9f, 0x98, 0x22]],
    ["an overlong encoding of a slash", [0x22, 0xc0, 0xaf, 0x22]],
    ["an encoded surrogate", [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ["UTF-16", [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
  ])("Bytes that are not UTF-8 are a parse error: %s", async (_, bytes) => {
    expect(await expectError(Uint8Array.from(bytes), -32700)).toBe(0);
  });

  test.each([
    "42",
    "1e400",
    '"ping"',
    "null",
    "true",
    "[]",
    `[${ping}]`,
    `[${ping},${ping}]`,
    "{}",
    '{"jsonrpc":"2.0"}',
    '{"jsonrpc":2.0,"method":"ping"}',
    '{"jsonrpc":"2.0","id":null,"method":"ping"}',
    '{"jsonrpc":"2.0","id":true,"method":"ping"}',
    '{"jsonrpc":"2.0","id":{},"method":"ping"}',
    '{"jsonrpc":"2.0","id":[1],"method":"ping"}',
    `{"jsonrpc":"2.0","id":"${"x".repeat(257)}","method":"ping"}`,
    `{"jsonrpc":"2.0","id":${"9".repeat(257)},"method":"ping"}`,
    '{"__proto__":{"jsonrpc":"2.0","id":1,"method":"ping"}}',
    '{"constructor":{"prototype":{"jsonrpc":"2.0","method":"ping"}}}',
  ])("JSON that is not a message is an invalid request: %.60s", async (text) => {
    expect(await expectError(text, -32600)).toBe(0);
  });

  test.each([
    '{"jsonrpc":"1.0","id":7,"method":"ping"}',
    '{"id":7,"method":"ping"}',
    '{"jsonrpc":"2.0","id":7}',
    '{"jsonrpc":"2.0","id":7,"method":5}',
    '{"jsonrpc":"2.0","id":7,"method":null}',
    '{"jsonrpc":"2.0","id":7,"method":["ping"]}',
    `{"jsonrpc":"2.0","id":7,"method":"ping","params":${"[".repeat(10_000)}${"]".repeat(10_000)}}`,
    `{"jsonrpc":"2.0","id":7,"method":"ping","params":${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}}`,
  ])("A message with an invalid member is an invalid request with its id: %.60s", async (text) => {
    expect(await expectError(text, -32600, 7)).toBe(0);
  });

  test("A call that is nested 10,000 levels deep is refused, and is not recorded", async () => {
    const nested = `${"[".repeat(10_000)}${"]".repeat(10_000)}`;
    expect(await expectError(toEcho(`{"text":${nested}}`), -32600, 1)).toBe(0);
  });

  test.each([
    ["an unknown method", '{"jsonrpc":"2.0","id":7,"method":"nope"}', -32601],
    [
      "a method named like a member of the prototype",
      '{"jsonrpc":"2.0","id":7,"method":"constructor"}',
      -32601,
    ],
    ["__proto__ as a method", '{"jsonrpc":"2.0","id":7,"method":"__proto__"}', -32601],
    ["an empty method", '{"jsonrpc":"2.0","id":7,"method":""}', -32601],
    ["a lone surrogate as method", '{"jsonrpc":"2.0","id":7,"method":"\\ud800"}', -32601],
    ["a method of 1 MiB", `{"jsonrpc":"2.0","id":7,"method":"${"x".repeat(1_000_000)}"}`, -32601],
    ["an array as params", '{"jsonrpc":"2.0","id":7,"method":"tools/list","params":[]}', -32602],
    ["a string as params", '{"jsonrpc":"2.0","id":7,"method":"tools/list","params":"a"}', -32602],
    ["null as params", '{"jsonrpc":"2.0","id":7,"method":"ping","params":null}', -32602],
    [
      "an unexpected cursor",
      '{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"cursor":"x"}}',
      -32602,
    ],
    ["no protocol version", '{"jsonrpc":"2.0","id":7,"method":"initialize"}', -32602],
    [
      "a long progress token",
      `{"jsonrpc":"2.0","id":7,"method":"ping","params":{"_meta":{"progressToken":"${"x".repeat(1_000_000)}"}}}`,
      -32602,
    ],
  ])("An invalid request gets a short error: %s", async (_, text, code) => {
    const { frame } = await exchange(text);
    expect(frame).toMatchObject({ id: 7, error: { code } });
    expect(JSON.stringify(frame).length).toBeLessThan(1_000);
  });

  test.each([
    ["no name", '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}}'],
    ["a number as name", toCall("{}", { id: "7", name: "5" })],
    ["an array as name", toCall("{}", { id: "7", name: '["hub_list"]' })],
    ["an unknown name", toCall("{}", { id: "7", name: '"hub_lisst"' })],
    ["a name of a member of the prototype", toCall("{}", { id: "7", name: '"constructor"' })],
    ["__proto__ as name", toCall("{}", { id: "7", name: '"__proto__"' })],
    ["a lone surrogate as name", toCall("{}", { id: "7", name: '"\\udfff"' })],
    ["a name with NUL", toCall("{}", { id: "7", name: '"hub_list\\u0000"' })],
    ["a name of 1 MiB", toCall("{}", { id: "7", name: `"${"x".repeat(1_000_000)}"` })],
    ["an array as arguments", toCall("[]", { id: "7" })],
    ["a string as arguments", toCall('"{}"', { id: "7" })],
  ])("A call without a valid name and arguments is a protocol error, and is recorded: %s", async (_, text) => {
    const { frame, runs } = await exchange(text);
    expect(frame).toMatchObject({ id: 7, error: { code: -32602 } });
    expect(JSON.stringify(frame).length).toBeLessThan(1_000);
    expect(runs).toBe(1);
  });

  test.each([
    ["a missing argument", toCall("{}", { id: "7" })],
    ["an argument of another type", toCall('{"tool_id":7}', { id: "7" })],
    ["an unknown argument", toCall('{"tool_id":"x","parms":{}}', { id: "7" })],
    ["__proto__ as an argument", toCall('{"__proto__":{"tool_id":"x"}}', { id: "7" })],
    ["params that are not an object", toCall('{"tool_id":"x","params":[]}', { id: "7" })],
    ["a huge number as params", toCall('{"tool_id":"x","params":1e400}', { id: "7" })],
  ])("A call with invalid arguments returns their problems, and is recorded: %s", async (_, text) => {
    const { frame, runs } = await exchange(text);
    expect(frame).toMatchObject({ id: 7, result: { isError: true } });
    expect(JSON.parse(frame.result.content[0].text)).toMatchObject({
      code: "invalid_params",
      issues: expect.any(Array),
    });
    expect(JSON.stringify(frame).length).toBeLessThan(1_000);
    expect(runs).toBe(1);
  });

  test.each([
    ["-0", "0"],
    ["1.5", "1.5"],
    ["1e400", "1e400"],
    ["12345678901234567890123456789", "12345678901234567890123456789"],
    ['"\\ud800"', '"\\ud800"'],
    ['"\\u0000"', '"\\u0000"'],
    ['"__proto__"', '"__proto__"'],
    ['""', '""'],
  ])("The answer has the id of the request: %s", async (id, expected) => {
    const { text } = await exchange(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
    expect(text).toBe(`{"jsonrpc":"2.0","id":${expected},"result":{}}`);
  });

  const proto = '"__proto__":{"polluted":true,"text":"x","role":"admin"},"constructor":{"a":1}';

  test.each([
    ["in the message", `{${proto},"jsonrpc":"2.0","id":1,"method":"ping"}`],
    ["in params", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{${proto}}}`],
    ["in _meta", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{${proto}}}}`],
    [
      "with numbers that keep their digits",
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":{${proto},"n":12345678901234567890}}`,
    ],
  ])("__proto__ and constructor are ordinary keys: %s", async (_, text) => {
    expect((await exchange(text)).frame).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
  });

  test("__proto__ among an operation's params is refused as an unknown name", async () => {
    const { frame, runs } = await exchange(toEcho(`{${proto}}`));
    const answer = JSON.parse(frame.result.content[0].text);
    expect(answer).toMatchObject({ code: "invalid_params" });
    const paths = answer.issues.map(({ path }: { path: string }) => path).toSorted();
    expect([paths, runs]).toEqual([["__proto__", "constructor", "text"], 1]);
  });

  test.each([
    ["NUL", "a\\u0000b", "a\u0000b"],
    ["line separators", "\\u2028\\u2029", "\u2028\u2029"],
    ["control characters", "\\u0001\\u001b[2J", "\u0001\u001b[2J"],
    ["the byte order mark", "\\ufeff", "\ufeff"],
    ["the end of a server-sent event", "\\n\\ndata: {}\\n\\n", "\n\ndata: {}\n\n"],
  ])("Text is passed to the operation and back unchanged: %s", async (_, text, expected) => {
    const { frame, runs } = await exchange(toEcho(`{"text":"${text}"}`));
    expect(JSON.parse(frame.result.content[0].text)).toMatchObject({ text: expected });
    expect(runs).toBe(1);
    expect(JSON.parse(readAudit(dataDir).findLast(isEcho)?.request ?? "")).toEqual({
      text: expected,
    });
  });

  test("Half of a surrogate pair is passed to the operation, and returned and recorded as U+FFFD", async () => {
    const { text, frame, runs } = await exchange(toEcho('{"text":"a\\ud83d b","number":1}'));
    expect(JSON.parse(frame.result.content[0].text)).toMatchObject({ text: "a\ufffd b" });
    expect(frame.result.structuredContent).toMatchObject({ text: "a\ufffd b" });
    expect([/\\ud[89a-f]/i.test(text), runs]).toEqual([false, 1]);
    expect(JSON.parse(readAudit(dataDir).findLast(isEcho)?.request ?? "")).toEqual({
      text: "a\ufffd b",
      number: 1,
    });
  });

  const isEcho = ({ operation_key: key }: { operation_key: string }) => key === "echo";

  test.each([
    ["9007199254740993", "9007199254740993"],
    ["-123456789012345678901234567890", "-123456789012345678901234567890"],
    ["1e400", `1${"0".repeat(400)}`],
  ])("An integer keeps its digits: %s", async (number, expected) => {
    const { frame } = await exchange(toEcho(`{"text":"n","number":${number}}`));
    expect(frame.result.content[0].text).toBe(`{"text":"n","number":${expected}}`);
  });

  test.each([
    "1.5",
    "1e-400",
    "1e2000",
    "-1e999999999",
    '"1e2000"',
    "9".repeat(100_000),
    "true",
    "[1]",
    "{}",
  ])("A value that is not an integer is an invalid param: %.40s", async (number) => {
    const { frame, runs } = await exchange(toEcho(`{"text":"n","number":${number}}`));
    const answer = JSON.parse(frame.result.content[0].text);
    expect(answer).toMatchObject({ code: "invalid_params", issues: [{ path: "number" }] });
    expect(runs).toBe(1);
  });

  test.each([
    ["", "not_found"],
    ["conn:", "not_found"],
    ["conn:__proto__/constructor", "not_found"],
    ["conn:\\u0000/\\ud800", "not_found"],
    ["x".repeat(1_000_000), "not_found"],
  ])("An invalid tool id is not found, and the call is recorded: %.40s", async (id, code) => {
    const { frame, runs } = await exchange(toCall(`{"tool_id":"${id}","params":{}}`));
    expect(JSON.parse(frame.result.content[0].text)).toMatchObject({ code });
    expect(runs).toBe(1);
  });

  test("An operation named like a member of the prototype is not found", async () => {
    for (const operation of ["constructor", "__proto__", "toString"]) {
      const { frame } = await exchange(toCall(`{"tool_id":"${toolId(operation)}"}`));
      expect(JSON.parse(frame.result.content[0].text)).toMatchObject({ code: "not_found" });
    }
  });

  test.each([
    '"\\ud800"',
    '"\\u0000"',
    '""',
    `"${"x ".repeat(500)}"`,
    `"${"x".repeat(1_000)}"`,
    '"((((((((((((((((((((a"',
    '"%_\'--"',
  ])("A search for unusual text is answered: %.40s", async (query) => {
    const { frame, runs } = await exchange(toCall(`{"query":${query}}`, { name: '"hub_search"' }));
    expect(JSON.parse(frame.result.content[0].text)).toMatchObject({ total: expect.any(Number) });
    expect(runs).toBe(1);
  });

  test("A search for more than 1,000 characters gets a short error", async () => {
    const query = `"${"x".repeat(1_000_000)}"`;
    const { frame, runs } = await exchange(toCall(`{"query":${query}}`, { name: '"hub_search"' }));
    expect(JSON.parse(frame.result.content[0].text)).toMatchObject({ code: "invalid_params" });
    expect(JSON.stringify(frame).length).toBeLessThan(1_000);
    expect(runs).toBe(1);
  });
});

test("A line over 4 MiB is refused over stdio, and the next one is answered", async () => {
  const before = readMessages(session.stdout()).length;
  session.sendLine("x".repeat(5 * 1024 * 1024));
  session.sendLine(ping);
  const messages = await waitFor(() => {
    const newMessages = readMessages(session.stdout()).slice(before);
    return newMessages.length === 2 && newMessages;
  });
  expect(messages).toMatchObject([{ id: null, error: { code: -32600 } }, { id: "ping" }]);
});

test("Blank lines over stdio are ignored", async () => {
  const before = readMessages(session.stdout()).length;
  for (const line of ["", "  ", "\t", "\r", ping]) session.sendLine(line);
  const messages = await waitFor(() => {
    const newMessages = readMessages(session.stdout()).slice(before);
    return newMessages.length > 0 && newMessages;
  });
  expect(messages).toMatchObject([{ id: "ping" }]);
});

test("The log of malformed messages is short and contains no secrets", () => {
  for (const log of [hub.stderr(), session.stderr()]) {
    expect(log).not.toContain(secret);
    expect(log.split("\n").length).toBeLessThan(20);
  }
});
