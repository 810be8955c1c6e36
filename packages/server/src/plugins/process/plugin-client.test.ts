import { expect, test } from "bun:test";
import { type Chunk, type PluginConnection, RpcError } from "@hub/connector/plugin";
import { createTestCall } from "../testing/test-call.ts";
import { createPluginClient } from "./plugin-client.ts";

/** A connection to a plugin that has only these methods. */
function createConnection(methods: readonly string[], events: Partial<Chunk> = {}) {
  const asked: string[] = [];
  const ask = (name: string) => {
    asked.push(name);
    if (!methods.includes(name)) throw new RpcError("UNIMPLEMENTED", "unknown method");
  };
  const stream =
    (name: string) =>
    async (_request: unknown, _signal: AbortSignal, onChunk: (chunk: Chunk) => void) => {
      ask(name);
      // The client reads only these members; the others are empty.
      const chunk = { data: Buffer.from("1"), mask: [], maskIgnoreCase: [], logJson: [] };
      const rest = { error: null, httpStatus: 0, progress: 0, message: "", ...events };
      onChunk({ ...chunk, ...rest } as never);
    };
  const connection = {
    executeShared: stream("Calls"),
    executeStream: stream("ExecuteStream"),
    async execute() {
      ask("Execute");
      return { resultJson: Buffer.from("1"), error: null, meta: {} };
    },
  } as unknown as PluginConnection;
  return { asked, connection };
}

const cases = [
  { appVersion: 2, has: ["Calls"], asks: ["Calls"] },
  { appVersion: 2, has: ["ExecuteStream"], asks: ["Calls", "ExecuteStream"] },
  { appVersion: 2, has: ["Execute"], asks: ["Calls", "ExecuteStream", "Execute"] },
  { appVersion: 1, has: ["Calls", "ExecuteStream"], asks: ["ExecuteStream"] },
  { appVersion: 1, has: ["Execute"], asks: ["ExecuteStream", "Execute"] },
] as const;

for (const { appVersion, has, asks } of cases) {
  test(`A plugin of version ${appVersion} with ${has.join(" and ")} is called by ${asks.at(-1)}`, async () => {
    const { asked, connection } = createConnection(has);
    const client = createPluginClient({ pluginKey: "any", appVersion, connection });
    const { call } = createTestCall({});
    const request = { operation: "any", params: {}, requestId: "1", config: {} };
    const execute = () => client.execute({ ...request, outbound: call.outbound }, call);
    // Concurrent calls each try the method; later calls know the result.
    expect(await Promise.all([execute(), execute()])).toEqual([1, 1]);
    expect(asked.toSorted()).toEqual([...asks, ...asks].sort());
    expect(await execute()).toBe(1);
    expect(asked.at(-1)).toBe(asks.at(-1) as string);
    expect(asked).toHaveLength(2 * asks.length + 1);
  });
}

test("A plugin without a method to run operations fails with its gRPC status", async () => {
  const { connection } = createConnection([]);
  const client = createPluginClient({ pluginKey: "any", appVersion: 2, connection });
  const { call } = createTestCall({});
  const request = { operation: "any", params: {}, requestId: "1", config: {} };
  const failure = client.execute({ ...request, outbound: call.outbound }, call);
  expect(await failure.catch((thrown) => thrown)).toMatchObject({ message: "unknown method" });
});

test("A log line of a plugin may have 64 KiB; a longer one is replaced by its size", async () => {
  const toLine = (bytes: number) => {
    const line = JSON.stringify({ level: "warn", message: "", details: { n: 1 } });
    return Buffer.from(line.replace('""', `"${"x".repeat(bytes - line.length)}"`));
  };
  const kibibyte = 1024;
  const { call, received } = createTestCall({});
  for (const bytes of [64 * kibibyte, 64 * kibibyte + 1]) {
    const { connection } = createConnection(["Calls"], { logJson: toLine(bytes) });
    const client = createPluginClient({ pluginKey: "any", appVersion: 2, connection });
    const request = { operation: "any", params: {}, requestId: "1", config: {} };
    await client.execute({ ...request, outbound: call.outbound }, call);
  }
  expect(received).toEqual([
    ["warn", expect.stringMatching(/^x+$/), { n: 1 }],
    ["warn", "A log line of 65537 bytes was too long and was omitted."],
  ]);
});
