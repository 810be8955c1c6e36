/**
 * Sends expensive inputs of three sizes, from 1 KiB to the limit, to every meta-tool, API route and form of a
 * hub, and returns such answers from outside systems. Prints the processor time for each MiB, its growth,
 * and the longest time that `GET /health` on another connection took:
 * `bun scripts/request-cost.ts [--hub FOLDER] [--only TEXT] [--shapes N]`. FOLDER is a checkout to measure,
 * by default this one; `--shapes 3` tries every third shape. The exit code is 1 if an endpoint exceeds the
 * limits, or if `request-cost/cases.ts` has no case for a tool, route or form of the hub. Linux only.
 */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { listMissing, routeCases, toolCases } from "./request-cost/cases.ts";
import { type Endpoint, listEndpoints, type RequestSpec } from "./request-cost/endpoints.ts";
import { openCostFixture } from "./request-cost/open-cost-fixture.ts";

/** The limit for processor time of the hub: a base for each request, plus an amount for each MiB. */
const cpuMsBase = 60;
const cpuMsPerMiB = 400;
/**
 * The limit for the wait of /health: ten times the longest wait of an idle hub, but at least 100 ms. On a
 * busy machine, a wait counts only if the event loop's thread also worked for that long.
 */
const waitMsMin = 100;
const waitRatioMax = 10;
const tickMs = 10;

const { values: flags } = parseArgs({
  options: {
    hub: { type: "string" },
    only: { type: "string", default: "" },
    shapes: { type: "string", default: "1" },
  },
});
const folder = resolve(flags.hub ?? join(import.meta.dirname, ".."));

await using fixture = await openCostFixture(join(folder, "packages/cli/src/hub.ts"));
const { hub } = fixture;
const tools = await listTools();
const missing = [
  ...listMissing("The tool", tools, toolCases),
  ...listMissing("The route", await listRoutes(), routeCases),
];
// An older hub may not have every tool and route.
for (const one of missing) console.log(flags.hub === undefined ? `MISSING ${one}` : one);

const endpoints = listEndpoints(fixture).filter(({ name }) => name.includes(flags.only));
const every = Number(flags.shapes);

const poller = new Worker(new URL("./request-cost/poll-health.ts", import.meta.url));
poller.postMessage({ url: hub.url });
await Bun.sleep(3_000);
const idleMs = (await takeWait()).longestMs;
const waitMsMax = Math.max(waitMsMin, idleMs * waitRatioMax);
console.log(
  `${endpoints.length} endpoints of ${folder}; an idle /health waits at most ${idleMs.toFixed(1)} ms`,
);
console.log(
  "endpoint | worst shape | ms/MiB | growth from a quarter | event loop ms | /health ms | ratio",
);

let overLimit = 0;
for (const endpoint of endpoints) overLimit += await measureEndpoint(endpoint);
console.log(`peak memory: ${readPeakMiB().toFixed(0)} MiB; endpoints over the limit: ${overLimit}`);
poller.terminate();
process.exitCode = overLimit === 0 && (missing.length === 0 || flags.hub !== undefined) ? 0 : 1;

type Worst = { shape: string; msPerMiB: number; growth: number; cpuMs: number };

async function measureEndpoint({
  name,
  bytesMax,
  cpuMsExtra,
  requests,
}: Endpoint): Promise<number> {
  const worst: Worst = { shape: "", msPerMiB: 0, growth: 0, cpuMs: 0 };
  let longest = { shape: "", ms: 0 };
  let busiest = { shape: "", ms: 0 };
  const faults: string[] = [];
  const statuses = new Map<string, number>();
  await takeWait();
  for (const [index, [shape, make]] of Object.entries(requests).entries()) {
    if (index % every !== 0) continue;
    let before = 0;
    let loopMsMax = 0;
    for (const bytes of [1024, Math.floor(bytesMax / 4), bytesMax]) {
      const { cpuMs, loopMs, mebibytes, status } = await measure(await make(bytes));
      loopMsMax = Math.max(loopMsMax, loopMs);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const cpuMsMax =
        cpuMsBase + cpuMsExtra + cpuMsPerMiB * Math.max(mebibytes, bytes / 1024 / 1024);
      if (cpuMs > cpuMsMax) faults.push(`${shape} of ${bytes} bytes: ${cpuMs} ms`);
      if (cpuMs > worst.cpuMs) {
        const growth = cpuMs > cpuMsBase ? cpuMs / Math.max(before, tickMs) : 0;
        Object.assign(worst, { shape, cpuMs, growth, msPerMiB: cpuMs / mebibytes });
      }
      before = cpuMs;
    }
    const { longestMs } = await takeWait();
    if (longestMs > longest.ms) longest = { shape, ms: longestMs };
    if (loopMsMax > busiest.ms) busiest = { shape, ms: loopMsMax };
    if (longestMs > waitMsMax && loopMsMax > waitMsMin) {
      const waited = `/health waited ${longestMs.toFixed(0)} ms`;
      faults.push(`${shape}: ${waited}, the event loop worked for ${loopMsMax.toFixed(0)} ms`);
    }
  }
  console.log(
    [
      faults.length > 0 ? `OVER LIMIT ${name}` : name,
      `${worst.shape} (${worst.cpuMs.toFixed(0)} ms)`,
      worst.msPerMiB.toFixed(0),
      `x${worst.growth.toFixed(1)} for x4`,
      `${busiest.ms.toFixed(0)} (${busiest.shape})`,
      `${longest.ms.toFixed(0)} (${longest.shape})`,
      `x${(longest.ms / idleMs).toFixed(1)}`,
      [...statuses].map(([status, count]) => `${count} × ${status}`).join(", "),
    ].join(" | "),
  );
  for (const fault of faults.slice(0, 5)) console.log(`    ${fault}`);
  return faults.length > 0 ? 1 : 0;
}

async function measure(
  spec: RequestSpec,
): Promise<{ cpuMs: number; loopMs: number; mebibytes: number; status: string }> {
  const before = { all: readCpuMs(), loop: readLoopMs() };
  const { method, path, headers, body } = spec;
  let status = "no answer";
  try {
    const response = await fetch(`${hub.url}${path}`, {
      method,
      headers,
      signal: AbortSignal.timeout(60_000),
      redirect: "manual",
      ...(body !== undefined && { body }),
    });
    status = String(response.status);
    await response.arrayBuffer();
  } catch {
    // A connection that ends early counts like an answer.
  }
  const bytes = Math.max(spec.bytes ?? (body ?? path).length, 1024);
  return {
    cpuMs: readCpuMs() - before.all,
    loopMs: readLoopMs() - before.loop,
    mebibytes: bytes / 1024 / 1024,
    status,
  };
}

/** User and system time of the hub's process, in ticks of 10 ms. */
function readCpuMs(): number {
  const stat = readFileSync(`/proc/${hub.pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Processor time of the event loop's thread. */
function readLoopMs(): number {
  const [nanoseconds] = readFileSync(`/proc/${hub.pid}/task/${hub.pid}/schedstat`, "utf8").split(
    " ",
  );
  return Number(nanoseconds) / 1e6;
}

function readPeakMiB(): number {
  const status = readFileSync(`/proc/${hub.pid}/status`, "utf8");
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

async function takeWait(): Promise<{ longestMs: number; count: number }> {
  const { promise, resolve: done } = Promise.withResolvers<{ longestMs: number; count: number }>();
  poller.onmessage = ({ data }) => done(data);
  poller.postMessage({ take: true });
  return await promise;
}

async function listTools(): Promise<string[]> {
  const response = await fetch(`${hub.url}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json",
      authorization: `Bearer ${hub.adminToken()}`,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  });
  const { result } = Object(await response.json());
  return result.tools.map(({ name }: { name: string }) => name);
}

async function listRoutes(): Promise<string[]> {
  const { paths } = Object(await (await fetch(`${hub.url}/openapi.json`)).json());
  return Object.entries<object>(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
}
