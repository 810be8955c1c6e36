import { fileURLToPath } from "node:url";
import type { HttpRequest } from "../load/http-request.ts";
import { sendOneByOne } from "../load/one-by-one.ts";
import { send } from "../load/send.ts";
import type { Bench, Measure, Row } from "../measure.ts";
import { alternate, compareRounds, median, percentile } from "../statistics.ts";
import { createHubFolder, type HubFolder, tag } from "../subjects/hub-folder.ts";
import { runHub, startHub } from "../subjects/hub-program.ts";
import { type McpSession, openSession, readToolAnswer } from "../subjects/mcp-session.ts";
import { readCpuMs, readResidentBytes } from "../subjects/process-cost.ts";
import { startProgram } from "../subjects/running-program.ts";
import { talkToProgram } from "../subjects/talk-to-program.ts";
import { findWhoami } from "../subjects/whoami.ts";

const outside = fileURLToPath(import.meta.resolve("../subjects/outside.ts"));
const program = [
  process.execPath,
  fileURLToPath(import.meta.resolve("../subjects/outside-program.ts")),
];
const callMessage = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "greet", arguments: {} },
};
const largeQueries = ["archive a contract", "refund history", "member 2017", "delete_report_38"];
const callsPerSecond = 300;

/** What rows add whose operations an outside system describes: one call at a time, and a large row. */
export const bridges: Measure = {
  name: "bridges",
  async run(bench: Bench) {
    const folder = await createHubFolder(bench);
    await using system = await startProgram([outside]);
    const { url } = system;
    const rows = {
      http: await addRow(folder, "mcp", [`url=${url}/mcp`]),
      stdio: await addRow(folder, "mcp", toProgramFields(program)),
      openapi: await addRow(folder, "openapi", [
        `document_url=${url}/small.json`,
        `base_url=${url}`,
      ]),
    };
    return [
      ...(await measureCalls(bench, folder, { url, rows })),
      ...(await measureLargeRow(bench, url)),
    ];
  },
};

function toProgramFields([command, ...args]: readonly string[]): string[] {
  const list = JSON.stringify(args.map((value) => ({ value })));
  return ["transport=stdio", `command=${command}`, `args=${list}`];
}

/** A row whose operations are approved; its id. */
async function addRow(
  { dataDir }: HubFolder,
  connector: string,
  fields: readonly string[],
): Promise<string> {
  const set = fields.flatMap((field) => ["--set", field]);
  const named = ["--label", connector, "--tag", tag];
  // The cast is safe: the command prints the row.
  const { id } = (await runHub(dataDir, ["row", "add", connector, ...named, ...set])) as {
    id: string;
  };
  await runHub(dataDir, ["bridge", "discover", id]);
  await runHub(dataDir, ["bridge", "approve", id, "--all"]);
  return id;
}

type Called = { url: string; rows: Record<"http" | "stdio" | "openapi", string> };

async function measureCalls(bench: Bench, { dataDir, token }: HubFolder, { url, rows }: Called) {
  await using hub = await startHub(bench, dataDir);
  await using direct = talkToProgram(program);
  const session = await openSession({ url: hub.url, token });
  const count = Math.round(bench.plan.seconds * callsPerSecond);

  const throughHub = async (row: string, operation: string) => {
    const request = await toChecked(session, { tool_id: `conn:${row}/${operation}`, params: {} });
    return () => sendOneByOne(Array.from({ length: count }, () => request));
  };
  const post: HttpRequest = {
    url: `${url}/mcp`,
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify(callMessage),
  };
  const { request: whoami } = await findWhoami({ url: hub.url, token });
  const subjects = {
    // What a call costs that needs no outside system: most of it is two durable writes.
    own: () => sendOneByOne(Array.from({ length: count }, () => whoami)),
    http: await throughHub(rows.http, "greet"),
    httpDirect: () => sendOneByOne(Array.from({ length: count }, () => post)),
    stdio: await throughHub(rows.stdio, "greet"),
    stdioDirect: () => repeat(count, () => direct.send(callMessage)),
    openapi: await throughHub(rows.openapi, "item"),
    openapiDirect: () => repeat(count, async () => (await fetch(`${url}/item`)).text()),
  };
  for (const run of Object.values(subjects)) await run();
  const cpuMs = new Map<string, number>();
  const runs = await alternate(bench.plan.rounds, toCounted(subjects, hub.pid, cpuMs));

  const toCpuUs = (name: string) =>
    (1000 * (cpuMs.get(name) ?? Number.NaN)) / (count * bench.plan.rounds);
  const toRow = (what: string, name: "http" | "stdio" | "openapi"): Row => {
    const at = (of: keyof typeof runs, percent: number) =>
      runs[of].map((tookMs) => percentile(tookMs, percent));
    const directP50 = at(`${name}Direct`, 50);
    const ownP50 = at("own", 50);
    const added = (to: readonly number[]) =>
      compareRounds(at(name, 50), to, (one, other) => one - other);
    return {
      what: `${what}, p50 added to a direct call`,
      value: added(directP50),
      unit: "ms",
      target: { atMost: 1 },
      details: {
        hub_p50_ms: median(at(name, 50)),
        hub_p99_ms: median(at(name, 99)),
        direct_p50_ms: median(directP50),
        built_in_p50_ms: median(ownP50),
        added_to_built_in_ms: added(ownP50),
        hub_cpu_us_per_call: toCpuUs(name),
        built_in_cpu_us_per_call: toCpuUs("own"),
        direct_p99_ms: median(at(`${name}Direct`, 99)),
      },
    };
  };
  return [
    toRow("mcp row over HTTP", "http"),
    toRow("mcp row with a program", "stdio"),
    toRow("openapi row", "openapi"),
  ];
}

/** The same, and the processor time that the hub takes meanwhile is added to `cpuMs`. */
function toCounted<Name extends string>(
  subjects: Record<Name, () => Promise<number[]>>,
  hubPid: number,
  cpuMs: Map<string, number>,
): Record<Name, () => Promise<number[]>> {
  const read = async () => (await readCpuMs(hubPid)) ?? Number.NaN;
  // The casts are safe: `Object.entries` returns the members of the record, but with the type string.
  const entries = Object.entries(subjects) as [Name, () => Promise<number[]>][];
  return Object.fromEntries(
    entries.map(([name, run]) => [
      name,
      async () => {
        const before = await read();
        const tookMs = await run();
        cpuMs.set(name, (cpuMs.get(name) ?? 0) + (await read()) - before);
        return tookMs;
      },
    ]),
  ) as Record<Name, () => Promise<number[]>>;
}

/** The request of a call that succeeds. */
async function toChecked(session: McpSession, args: Record<string, unknown>): Promise<HttpRequest> {
  const request = session.toCall("hub_execute", args);
  readToolAnswer(await send(request));
  return request;
}

async function repeat(count: number, run: () => Promise<unknown>): Promise<number[]> {
  const tookMs: number[] = [];
  for (let done = 0; done < count; done += 1) {
    const startedAt = performance.now();
    await run();
    tookMs.push(performance.now() - startedAt);
  }
  return tookMs;
}

/** 3,000 operations of one document: the time of a search, and the memory that they take. */
async function measureLargeRow(bench: Bench, url: string): Promise<Row[]> {
  const without = await measureSearch(bench, await createHubFolder(bench));
  const folder = await createHubFolder(bench);
  await addRow(folder, "openapi", [`document_url=${url}/large.json`, `base_url=${url}`]);
  const found = await measureSearch(bench, folder);
  return [
    {
      what: "hub_search, one row of 3,000 operations",
      value: median(found.tookMs),
      unit: "ms",
      target: { atMost: 2 },
      details: { p99_ms: percentile(found.tookMs, 99), first_ms: found.firstMs },
    },
    {
      what: "resident memory that they add",
      value: found.residentMb - without.residentMb,
      unit: "MB",
      target: { atMost: 31.5 },
      details: { with_mb: found.residentMb, without_mb: without.residentMb },
    },
  ];
}

const quietMs = 1500;

async function measureSearch(bench: Bench, { dataDir, token }: HubFolder) {
  await using hub = await startHub(bench, dataDir);
  const session = await openSession({ url: hub.url, token });
  const requests = largeQueries.map((query) => session.toCall("hub_search", { query }));
  const [firstMs = Number.NaN] = await sendOneByOne(requests);
  await Bun.sleep(quietMs);
  const residentMb = ((await readResidentBytes(hub.pid)) ?? Number.NaN) / 1e6;
  const tookMs: number[] = [];
  for (let round = 0; round < 10 * bench.plan.rounds; round += 1) {
    tookMs.push(...(await sendOneByOne(requests)));
  }
  return { firstMs, residentMb, tookMs };
}
