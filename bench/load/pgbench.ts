import { join } from "node:path";
import { createPostgresHotReads } from "../../packages/server/src/store/postgres/hot-reads-postgres.ts";
import { createPostgresRunWriter } from "../../packages/server/src/store/postgres/run-writer-postgres.ts";
import type { NewRun, RunOutcome } from "../../packages/server/src/store/runs/run-recorder.ts";

const clients = 32;

/**
 * Writes a script for pgbench with the statements of one call: who the token belongs to, the run as
 * `running`, and its outcome. Each is one round trip and one transaction, as in a hub with one client.
 */
export async function writeCallScript(folder: string, tokenHash: Uint8Array): Promise<string> {
  const statements: string[] = [];
  const pool = {
    async query(text: string, values: readonly unknown[] = []) {
      statements.push(toScript(text, values));
      return { rows: [], command: "SELECT", count: 0 };
    },
  };
  await createPostgresHotReads(pool).findTokenOwner(tokenHash);
  const writeRuns = createPostgresRunWriter({ pool });
  await writeRuns([{ kind: "begin", run }]);
  await writeRuns([{ kind: "finish", id: run.id, outcome }]);
  const path = join(folder, "call.sql");
  await Bun.write(path, ["\\set number random(0, 281474976710655)", ...statements].join("\n"));
  return path;
}

/** Returns how often 32 clients carry out the script in one second; NaN if there is no pgbench. */
export async function runPgbench(url: string, script: string, seconds: number): Promise<number> {
  const program = Bun.which("pgbench");
  if (program === null) return Number.NaN;
  const options = ["-n", "-M", "prepared", "-c", `${clients}`, "-j", "2"];
  const time = ["-T", `${Math.max(1, Math.ceil(seconds))}`];
  const child = Bun.spawn([program, ...options, ...time, "-f", script, url], {
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, complaint] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  const perSecond = /^tps = ([\d.]+)/m.exec(output)?.[1];
  const isFailed = (await child.exited) !== 0 || perSecond === undefined;
  if (isFailed) throw new Error(`pgbench failed: ${complaint.slice(0, 2000)}`);
  return Number(perSecond);
}

/** Replaced by a different id in each transaction. */
const idPlaceholder = "00000000-0000-7000-8000-000000000000";
const id = "'00000000-0000-7000-8000-' || lpad(to_hex((:number)::bigint), 12, '0')";

function toScript(text: string, values: readonly unknown[]): string {
  const filled = text.replaceAll(/\$(\d+)/g, (_, place) => toLiteral(values[Number(place) - 1]));
  return `${filled.replaceAll(/\s+/g, " ").trim()};`;
}

function toLiteral(value: unknown): string {
  if (value instanceof Uint8Array) return `decode('${Buffer.from(value).toString("hex")}', 'hex')`;
  // A colon before a letter would be a variable of pgbench.
  const text = String(value).replaceAll(/:(?=[a-z])/g, ": ");
  const parts = text.replaceAll("'", "''").split(idPlaceholder);
  return `(${parts.map((part) => `'${part}'`).join(` || ${id} || `)})`;
}

const run: NewRun = {
  id: idPlaceholder,
  parentRunId: null,
  connectorId: "0193b1f2-6a4e-4c55-8d0e-3f2a91c07b44",
  rowLabel: "Hub",
  operationKey: "whoami",
  userId: "0193b1f2-6a4e-4c55-8d0e-3f2a91c07b45",
  tokenId: "0193b1f2-6a4e-4c55-8d0e-3f2a91c07b46",
  source: "mcp",
  request: "{}",
  requestCut: false,
  ipAddress: "127.0.0.1",
  userAgent: "hub-bench",
  workflowRunId: null,
  startedBy: null,
  causeKind: "client" as const,
  causeId: null,
  account: null,
  instanceId: "0193b1f2-6a4e-4c55-8d0e-3f2a91c07b47",
  startedAt: 1_700_000_000_000,
};

const outcome: RunOutcome = {
  status: "success",
  errorCode: null,
  errorMsg: null,
  response: JSON.stringify({ user_id: run.userId, email: "bench@localhost", role: "user" }),
  latencyMs: 1,
  httpStatus: null,
  endedAt: 1_700_000_000_001,
};
