import { describe, expect, test } from "bun:test";
import { readSessionClient, readStatelessClient } from "./client-told.ts";
import { metaKeys } from "./protocol-versions.ts";

const neither = { form: false, url: false };

describe("what a client declares of elicitation", () => {
  test.each<[string, Record<string, unknown>, { form: boolean; url: boolean }]>([
    ["nothing", {}, neither],
    ["an empty object", { elicitation: {} }, { form: true, url: false }],
    ["forms", { elicitation: { form: {} } }, { form: true, url: false }],
    ["pages", { elicitation: { url: {} } }, { form: false, url: true }],
    ["both", { elicitation: { form: {}, url: {} } }, { form: true, url: true }],
    ["true", { elicitation: true }, neither],
    ["a list", { elicitation: [] }, neither],
    ["null", { elicitation: null }, neither],
    ["pages that are true", { elicitation: { url: true } }, { form: true, url: false }],
  ])("%s", (_name, capabilities, elicitation) => {
    // Safe: the values are JSON.
    const meta = { [metaKeys.clientCapabilities]: capabilities } as never;
    expect(readStatelessClient(meta).elicitation).toEqual(elicitation);
  });

  test.each([
    ["2025-11-25", { form: true, url: true }],
    ["2025-06-18", { form: true, url: false }],
    ["2025-03-26", neither],
    ["2024-11-05", neither],
    // The hub offers its newest version then.
    ["2031-01-01", { form: true, url: true }],
  ])("A session of %s has what its version has", (protocolVersion, elicitation) => {
    const capabilities = { elicitation: { form: {}, url: {} } };
    expect(readSessionClient({ protocolVersion, capabilities }).elicitation).toEqual(elicitation);
  });
});

test("A client keeps little with its session, however much it declares", () => {
  const client = readSessionClient({
    protocolVersion: "2025-11-25",
    capabilities: {
      sampling: {},
      roots: { listChanged: true },
      extensions: { "io.modelcontextprotocol/tasks": {}, other: { text: "x".repeat(10_000) } },
    },
    clientInfo: { name: "n".repeat(10_000), version: "v".repeat(10_000) },
  });
  expect(client).toMatchObject({ sampling: true, roots: true, tasks: true });
  expect(JSON.stringify(client).length).toBeLessThan(500);
});

test("A request that declares nothing is of a client without a name and without capabilities", () => {
  expect(readStatelessClient({})).toEqual({
    mode: "stateless",
    name: null,
    version: null,
    elicitation: neither,
    sampling: false,
    roots: false,
    tasks: false,
  });
});

test("What is kept of a session does not hold the whole text of a long name", () => {
  const megabyte = 1024 * 1024;
  const read = (number: number) => {
    const clientInfo = { name: `${number}${"x".repeat(megabyte)}`, version: "1" };
    return readSessionClient(JSON.parse(JSON.stringify({ clientInfo })));
  };
  Bun.gc(true);
  const before = process.memoryUsage().heapUsed;
  const kept = Array.from({ length: 40 }, (_, number) => read(number));
  Bun.gc(true);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(20 * megabyte);
  expect(kept.at(-1)?.name).toBe(`39${"x".repeat(98)}`);
});
