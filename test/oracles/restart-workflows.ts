/**
 * Kills a server that has many workflow runs in flight, starts it again, and measures how soon they go on:
 * `bun test/oracles/restart-workflows.ts [--postgres] [runs]`. The exit code is 1 if one is lost.
 */

import { startEmbedded } from "../support/postgres-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { openWorkflowHub } from "../support/workflow-hub.ts";
import { openPostgresDatabase, openSqliteDatabase } from "../support/workflow-trial/database.ts";
import { startServers } from "../support/workflow-trial/servers.ts";

const isPostgres = process.argv.includes("--postgres");
const count = Number(process.argv.slice(2).find((arg) => arg !== "--postgres") ?? 1000);
const sendersCount = 32;

await using resources = new AsyncDisposableStack();
const held = Promise.withResolvers<void>();
let isHeld = true;
let calls = 0;
const outside = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 0,
  async fetch() {
    calls += 1;
    if (isHeld) await held.promise;
    return new Response("done");
  },
});
resources.defer(() => outside.stop(true));
const postgres = isPostgres ? resources.use(await startEmbedded()) : null;
const databaseUrl = (await postgres?.createDatabase()) ?? null;
const env: Record<string, string> = {
  HUB_WORKFLOW_OUTBOUND_ALLOW: "127.0.0.1",
  HUB_WORKFLOW_REQUESTS_PER_MINUTE: "0",
  HUB_WORKFLOW_CALLS_AT_ONCE: "1000",
};
if (isPostgres) env.HUB_ENC_KEY = "5a".repeat(32);
const servers = resources.use(await startServers(1, { env, databaseUrl }));
const database = resources.use(
  databaseUrl === null ? openSqliteDatabase(servers.dataDir) : openPostgresDatabase(databaseUrl),
);
const [server] = servers.all;
if (!server?.hub) throw new Error("No server runs.");
const flows = await openWorkflowHub(server.hub);
const id = await flows.publish({
  triggers: [{ id: "hook", type: "webhook", entry: "call" }],
  nodes: [
    { id: "call", type: "http", url: outside.url.href },
    { id: "note", type: "set", value: "{{.Node.call.body}}" },
  ],
  edges: [{ from: "call", to: "note" }],
  settings: { queue: { runs_at_once: 256, waiting_max: 10_000 } },
});
let sent = 0;
const send = async () => {
  while (sent < count) {
    sent += 1;
    const { status } = await flows.send(id, "", { body: "x" });
    if (status !== 202) throw new Error(`A webhook was answered ${status}.`);
  }
};
await Promise.all(Array.from({ length: sendersCount }, send));
await waitFor(() => calls >= Math.min(count, 256));
const readCount = async (condition: string): Promise<number> => {
  const [row] = await database.query<{ count: number }>(
    `select count(*) as count from workflow_runs where ${condition}`,
  );
  return Number(row?.count);
};
await server.kill();
await database.query(
  "create table interrupted as select id from workflow_runs where state = 'running'",
);
const running = await readCount("state = 'running'");
isHeld = false;
held.resolve();
const startedAt = performance.now();
await server.start();
const listeningMs = performance.now() - startedAt;
await waitFor(
  async () => (await readCount("lease_number = 1 and id in (select id from interrupted)")) === 0,
);
const takenUpMs = performance.now() - startedAt;
await waitFor(async () => (await readCount("state = 'succeeded'")) === count);
const doneMs = performance.now() - startedAt;
const [steps] = await database.query<{ count: number }>(
  "select count(*) as count from workflow_steps where state = 'succeeded'",
);
if (Number(steps?.count) !== 2 * count) throw new Error(`There are ${steps?.count} steps.`);
const toMs = Math.round;
console.log({
  runs: count,
  running,
  waiting: count - running,
  listeningMs: toMs(listeningMs),
  takenUpMs: toMs(takenUpMs),
  allDoneMs: toMs(doneMs),
  calls,
});
