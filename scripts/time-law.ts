/**
 * Sends hostile shapes of two sizes, a quarter of the limit and the limit, to the meta-tools, API
 * routes and forms of a hub (answers of outside systems: `hostile-answers.ts`). Prints the processor
 * time that a MiB costs, how it grows, and the longest that `GET /health` on another connection waited:
 * `bun scripts/time-law.ts [--hub FOLDER] [--only TEXT]`. FOLDER is a checkout to measure, this one by
 * default. The exit code is 1 when a door costs more than the law allows. Linux only.
 */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { startHub } from "../test/support/start-hub.ts";
import { type Ask, type Door, listDoors } from "./time-law/doors.ts";

/** Processor time of the hub: so much for any request, and so much more for each MiB of it. */
const cpuMsBase = 60;
const cpuMsPerMiB = 400;
/** Of /health: times the longest wait of an idle hub, but never less than 100 ms. */
const waitMsMin = 100;
const waitRatioMax = 10;
const minuteTicks = 10;

const { values: flags } = parseArgs({
  options: { hub: { type: "string" }, only: { type: "string", default: "" } },
});
const folder = resolve(flags.hub ?? join(import.meta.dirname, ".."));

using api = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => Response.json({ ok: true }) });
await using hub = await startHub({ main: join(folder, "packages/cli/src/hub.ts") });
const added = await hub.tryCli(
  ["row", "add", "http", "--label", "Law", "--set", `base_url=${api.url.origin}`, "--json"].concat([
    "--set",
    "auth_mode=bearer",
    "--secret-env",
    "token=TOKEN",
  ]),
  { env: { TOKEN: "row-secret-0123456789" } },
);
const toolId = `conn:${added.json<{ id: string }>().id}/get`;

const doors = listDoors({
  toolId,
  mcpToken: hub.adminToken(),
  token: await makeManageToken(),
  tools: await listTools(),
  routes: await listRoutes(),
}).filter(({ name }) => name.includes(flags.only));

const poller = new Worker(new URL("./time-law/poll-health.ts", import.meta.url));
poller.postMessage({ url: hub.url });
await Bun.sleep(3_000);
const idleMs = (await takeWait()).longestMs;
const waitMsMax = Math.max(waitMsMin, idleMs * waitRatioMax);
console.log(
  `${doors.length} doors of ${folder}; an idle /health waits at most ${idleMs.toFixed(1)} ms`,
);
console.log("door | worst shape | ms/MiB | growth | /health ms | ratio");

let broken = 0;
for (const door of doors) broken += await measureDoor(door);
console.log(`peak of memory: ${readPeakMiB().toFixed(0)} MiB; doors that break the law: ${broken}`);
poller.terminate();
process.exitCode = broken === 0 ? 0 : 1;

type Worst = { shape: string; msPerMiB: number; growth: number; cpuMs: number };

async function measureDoor({ name, bytesMax, asks }: Door): Promise<number> {
  const worst: Worst = { shape: "", msPerMiB: 0, growth: 0, cpuMs: 0 };
  let longest = { shape: "", ms: 0 };
  for (const [shape, make] of Object.entries(asks)) {
    const small = await measure(make(Math.floor(bytesMax / 4)));
    await takeWait();
    const large = await measure(make(bytesMax));
    const { longestMs } = await takeWait();
    const msPerMiB = large.cpuMs / (large.bytes / 1024 / 1024);
    const isFelt = large.cpuMs > cpuMsBase;
    if (large.cpuMs > worst.cpuMs) {
      Object.assign(worst, { shape, msPerMiB, cpuMs: large.cpuMs });
      worst.growth = isFelt ? large.cpuMs / Math.max(small.cpuMs, minuteTicks) : 0;
    }
    if (longestMs > longest.ms) longest = { shape, ms: longestMs };
  }
  const mebibytes = bytesMax / 1024 / 1024;
  const isBroken = worst.cpuMs > cpuMsBase + cpuMsPerMiB * mebibytes || longest.ms > waitMsMax;
  console.log(
    [
      isBroken ? `BROKEN ${name}` : name,
      `${worst.shape} (${worst.cpuMs.toFixed(0)} ms)`,
      worst.msPerMiB.toFixed(0),
      `x${worst.growth.toFixed(1)} for x4`,
      `${longest.ms.toFixed(0)} (${longest.shape})`,
      `x${(longest.ms / idleMs).toFixed(1)}`,
    ].join(" | "),
  );
  return isBroken ? 1 : 0;
}

async function measure(ask: Ask): Promise<{ cpuMs: number; bytes: number }> {
  const before = readCpuMs();
  const { method, path, headers, body } = ask;
  try {
    const response = await fetch(`${hub.url}${path}`, {
      method,
      headers,
      signal: AbortSignal.timeout(60_000),
      redirect: "manual",
      ...(body !== undefined && { body }),
    });
    await response.arrayBuffer();
  } catch {
    // A connection that ends early is an answer, too; what it cost counts.
  }
  return { cpuMs: readCpuMs() - before, bytes: Math.max((body ?? path).length, 1024) };
}

/** User and system time of the hub's process, in ticks of 10 ms. */
function readCpuMs(): number {
  const stat = readFileSync(`/proc/${hub.pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
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

/** A token that opens the API; a hub without scopes has no flag for it. */
async function makeManageToken(): Promise<string> {
  const args = ["token", "create", "--user", "admin@localhost", "--name", "law", "--json"];
  const scoped = await hub.tryCli([...args, "--scope", "manage"]);
  const made = scoped.exitCode === 0 ? scoped : await hub.tryCli(args);
  return made.json<{ token: string }>().token;
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

async function listRoutes(): Promise<string[][]> {
  const { paths } = Object(await (await fetch(`${hub.url}/openapi.json`)).json());
  return Object.entries<object>(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => [method.toUpperCase(), path]),
  );
}
