import { afterEach, expect, test } from "bun:test";
import { join } from "node:path";
import { openTestBridge } from "./testing/open-test-bridge.ts";
import { serveMcp, streamEvents } from "./testing/serve-mcp.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function open() {
  const bridge = openTestBridge();
  closers.push(bridge.close);
  return bridge;
}

const large = { content: [{ type: "text", text: "x".repeat(2 * 1024 * 1024) }] };
const small = { content: [{ type: "text", text: "done" }] };

test("A large answer over HTTP waits for memory while it is read; a small one needs none", async () => {
  const server = serveMcp({
    callTool(name, { id }) {
      if (name === "json") return large;
      if (name === "small") return small;
      return streamEvents((send) => send({ jsonrpc: "2.0", id, result: large }));
    },
  });
  closers.push(server.close);
  const bridge = open();
  const config = { url: server.url };
  for (const form of ["json", "events"]) {
    const asked = Promise.withResolvers<void>();
    const granted = Promise.withResolvers<void>();
    let bytes = 0;
    const take = (wanted: number) => {
      bytes += wanted;
      asked.resolve();
      return granted.promise;
    };
    const memory = { take, takeArrived: () => true };
    const events: string[] = [];
    const call = bridge.callTool(config, form, {}, { memory }).then(() => events.push("large"));
    await asked.promise;
    await bridge.callTool(config, "small", {}, { memory });
    events.push("small");
    granted.resolve();
    await call;
    expect(events).toEqual(["small", "large"]);
    expect(bytes).toBeGreaterThanOrEqual(2 * 1024 * 1024);
  }
});

test("A large answer of a program that exceeds the memory fails with a sentence", async () => {
  const config = {
    transport: "stdio",
    command: process.execPath,
    args: [{ value: join(import.meta.dirname, "testing/stdio-test-server.ts") }],
  };
  const bridge = open();
  const memory = { take: () => null, takeArrived: () => false };
  await expect(bridge.callTool(config, "large", {}, { memory })).rejects.toThrow("all the memory");
  expect((await bridge.callTool(config, "small", {}, { memory })).result).toBe("small");
});
