// Fills a data folder through the store, as a separate process: bun fill-folder.ts '{"dataDir": …}'
import { transaction } from "../../packages/server/src/store/database/database.ts";
import { openStore } from "../../packages/server/src/store/open-store.ts";
import { insertRow } from "../../packages/server/src/store/rows/rows-table.ts";
import type { NewRun, RunOutcome } from "../../packages/server/src/store/runs/run-recorder.ts";
import type { Store } from "../../packages/server/src/store/store.ts";
import { listUsers } from "../../packages/server/src/store/users/users-table.ts";

type FillRequest = {
  dataDir: string;
  tag: string;
  httpRows: number;
  connectorKeys: string[];
  auditRows: number;
};

const customers = ["Northwind", "Contoso", "Fabrikam", "Initech", "Umbrella", "Tyrell", "Wayland"];
const systems = ["billing", "inventory", "tickets", "payroll", "archive", "shipping", "invoices"];
const places = ["production", "staging", "test", "europe", "archive"];

const dayMs = 86_400_000;
/** The age of the runs, within the retention, so that the purge keeps them. */
const auditDays = 5;
const commitMax = 256;
/** One in this many runs failed and belongs to a rare operation. */
const rareEvery = 10_000;
const rare = { status: "error", operationKey: "delete" } as const;

// The cast is safe: hub-folder.ts writes this argument.
const request = JSON.parse(process.argv[2] ?? "") as FillRequest;
const store = await openStore({ dataDir: request.dataDir });
await addRows(store, request);
await addRuns(store, request);
await store.close();

async function addRows(
  { db }: Store,
  { httpRows, connectorKeys, tag }: FillRequest,
): Promise<void> {
  await transaction(db, async (trx) => {
    for (const connectorKey of connectorKeys) {
      await insertRow(trx, {
        id: crypto.randomUUID(),
        connectorKey,
        label: connectorKey,
        description: "",
        tags: [tag],
        values: [],
        createdAt: Date.now(),
      });
    }
    for (let index = 0; index < httpRows; index += 1) {
      const words = [pick(customers, index), pick(systems, index / 7), pick(places, index / 49)];
      await insertRow(trx, {
        id: crypto.randomUUID(),
        connectorKey: "http",
        label: `${words.join(" ")} ${index}`,
        description: `The ${words[1]} system of ${words[0]}, ${words[2]}. Owned by team ${index % 40}.`,
        tags: [tag],
        values: [{ key: "base_url", value: `https://api-${index}.example.com`, sealed: null }],
        createdAt: Date.now(),
      });
    }
  });
}

async function addRuns({ db, runs }: Store, { auditRows }: FillRequest): Promise<void> {
  const users = await listUsers(db);
  const userId = users.at(-1)?.id ?? "";
  const connectorIds = Array.from({ length: 20 }, () => crypto.randomUUID());
  const stepMs = (auditDays * dayMs) / Math.max(auditRows, 1);
  const firstAt = Date.now() - auditDays * dayMs;
  for (let from = 0; from < auditRows; from += commitMax) {
    const length = Math.min(commitMax, auditRows - from);
    const batch = Array.from({ length }, (_, offset) => {
      const index = from + offset;
      const startedAt = Math.floor(firstAt + index * stepMs);
      const run = toRun({ startedAt, userId, connectorId: pick(connectorIds, index) });
      return index % rareEvery === 0 ? { ...run, ...rare } : run;
    });
    await Promise.all(batch.map((run) => runs.insertFinished(run)));
  }
}

/** A run of about 600 bytes, like that of a small call. */
function toRun(known: {
  startedAt: number;
  userId: string;
  connectorId: string;
}): NewRun & RunOutcome {
  return {
    ...known,
    id: Bun.randomUUIDv7("hex", known.startedAt),
    parentRunId: null,
    rowLabel: "Northwind billing production 7",
    operationKey: "get",
    tokenId: null,
    source: "mcp",
    request: JSON.stringify({ path: "/invoices", query: { page: 1, status: "open" } }),
    requestCut: false,
    ipAddress: "127.0.0.1",
    userAgent: "hub-bench",
    workflowRunId: null,
    startedBy: null,
    causeKind: "client" as const,
    causeId: null,
    account: null,
    instanceId: "00000000-0000-4000-8000-000000000000",
    status: "success",
    errorCode: null,
    errorMsg: null,
    response: JSON.stringify({ status: 200, body: { items: Array(8).fill({ id: 1, sum: 12.5 }) } }),
    latencyMs: 12,
    httpStatus: 200,
    endedAt: known.startedAt + 12,
  };
}

function pick(values: readonly string[], index: number): string {
  return values[Math.floor(index) % values.length] ?? "";
}
