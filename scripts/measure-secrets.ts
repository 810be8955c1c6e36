/**
 * Prints the cost of calls with many long secrets of their own for a hub: processor time of the event
 * loop's thread, the longest time for which it was held, and memory, also while the calls wait for a slow
 * system and after their clients have left.
 * `bun scripts/measure-secrets.ts [--hub CHECKOUT] [--tokens 97] [--chars 30000] [--calls 3]`. Linux only.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createKeyRing } from "../packages/server/src/secrets/keys/key-ring.ts";
import { sealValue } from "../packages/server/src/secrets/value-tokens/value-tokens.ts";
import { toToolCall } from "../test/support/rpc.ts";
import { startHub } from "../test/support/start-hub.ts";
import { readLoopMs } from "./request-cost/meter.ts";
import { openPoller } from "./request-cost/open-poller.ts";

const { values: options } = parseArgs({
  options: {
    hub: { type: "string", default: join(import.meta.dirname, "..") },
    tokens: { type: "string", default: "97" },
    chars: { type: "string", default: "30000" },
    calls: { type: "string", default: "3" },
  },
});
const [tokenCount, tokenChars] = [Number(options.tokens), Number(options.chars)];
const key = new Uint8Array(32).fill(7);

/** `/echo` returns the body of the request, `/slow` answers after all clients have left. */
const left = Promise.withResolvers<void>();
let waiting = 0;
await using system = Object.assign(
  Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const body = await request.text();
      if (pathname === "/echo") return new Response(body.slice(0, 200_000));
      if (pathname === "/small") return Response.json({ fine: true });
      waiting += 1;
      await left.promise;
      return Response.json({ fine: true });
    },
  }),
  { [Symbol.asyncDispose]: async () => {} },
);
await using hub = await startHub({
  main: join(options.hub, "packages/cli/src/hub.ts"),
  env: { HUB_ENC_KEY: Buffer.from(key).toString("hex"), HUB_OUTBOUND_ALLOW: "127.0.0.1" },
});
const added = await hub.tryCli(
  ["row", "add", "http", "--label", "Cost", "--set", `base_url=${system.url}`, "--json"],
  {},
);
const row = added.json<{ id: string }>().id;
const [user] = (await hub.cli("user", "list", "--json")).json<Array<{ id: string }>>();
const ring = createKeyRing([key]);
const owner = { userId: user?.id ?? "", rowId: null };
const tokens = Array.from({ length: tokenCount }, (_, index) => {
  const random = crypto.getRandomValues(new Uint8Array(Math.min(tokenChars, 60_000)));
  const text = `${index}-${Buffer.from(random).toString("base64")}`.repeat(1 + tokenChars / 60_000);
  return sealValue(ring, owner, text.slice(0, tokenChars));
});

using poller = openPoller({ url: `${hub.url}/health`, pid: hub.pid, pauseMs: 2 });
await Bun.sleep(1_000);

const sent = JSON.stringify(tokens).length;
console.log(
  `${tokenCount} tokens of ${tokenChars} characters: ${(sent / 1e6).toFixed(1)} MB a call`,
);
await report("a small call first", () => callOnce("/small", ["none"]));
await report("one call, small answer", () => callOnce("/small", tokens));
await report("one call, its echo", () => callOnce("/echo", tokens));
const leaving = new AbortController();
const calls = await report(`${options.calls} calls wait`, async () => {
  const started = Array.from({ length: Number(options.calls) }, () =>
    callOnce("/slow", tokens, leaving.signal).catch((thrown) => String(thrown)),
  );
  const ended = Promise.all(started);
  for (let tries = 0; tries < 300 && waiting < started.length; tries += 1) await Bun.sleep(100);
  return { ended };
});
await report("5 s after their clients have left", async () => {
  leaving.abort();
  await calls.ended;
  await Bun.sleep(5_000);
});
await report("5 s after the slow system has answered", async () => {
  left.resolve();
  await Bun.sleep(5_000);
});
await system.stop(true);

async function callOnce(path: string, values: string[], signal?: AbortSignal): Promise<string> {
  const args = { tool_id: `conn:${row}/post`, params: { path, body: JSON.stringify(values) } };
  const response = await fetch(`${hub.url}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${hub.adminToken()}`,
    },
    body: JSON.stringify(toToolCall("hub_execute", args)),
    ...(signal && { signal }),
  });
  return (await response.text()).slice(0, 300);
}

async function report<Value>(name: string, run: () => Promise<Value>): Promise<Value> {
  await poller.takeWaits();
  const [before, memory] = [readLoopMs(hub.pid), readStatus("VmRSS")];
  const value = await run();
  const loopMs = readLoopMs(hub.pid) - before;
  const { holdMs } = await poller.takeWaits();
  console.log(
    `${name.padEnd(40)} event loop ${loopMs.toFixed(0).padStart(6)} ms; held for ${holdMs.toFixed(0).padStart(5)} ms; memory ${memory} → ${readStatus("VmRSS")} MiB`,
  );
  if (typeof value === "string" && process.env.SHOW_ANSWERS) console.log(value);
  return value;
}

function readStatus(name: string): number {
  const status = readFileSync(`/proc/${hub.pid}/status`, "utf8");
  return Math.round(Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) / 1024);
}
